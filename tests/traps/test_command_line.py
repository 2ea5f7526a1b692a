"""The same through the command line, in a process of its own: what lies beside a submission, exit codes, output."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import grader
from grader.course import Lesson
from tests.traps.harness import command_line, exercise, result_of, with_solution
from tests.traps.small_course import FILE_NAME, MISCONCEPTION

NEIGHBOURS = (
    *(
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "numpy.py",
        "random.py",
        "math.py",
        "hypothesis.py",
        "json.py",
    ),
    *("click.py", "socket.py", "_pytest.py", "grader_judge.py", "test_lesson42.py", "setup.py"),
)
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -k nothing\npython_functions = nothing\n",
    "tox.ini": "[pytest]\naddopts = --collect-only\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--deselect everything"\n',
    "hypothesis.ini": "max_examples = 1\n",
}
HOLD_CODE = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "joblib"}
ENVIRONMENT = {
    "PYTEST_ADDOPTS": "--collect-only",
    "PYTEST_PLUGINS": "conftest",
    "HYPOTHESIS_EXPERIMENTAL": "1",
    "PYTHONWARNINGS": "error",
}


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """A folder with a right submission and everything that could lead a grader astray."""
    touch = (
        f"open({str(tmp_path / 'touched')!r}, 'w').write(__name__)\nraise RuntimeError('a neighbour was imported')\n"
    )
    for name in NEIGHBOURS:
        (tmp_path / name).write_text(touch, encoding="utf-8")
    for name, text in SETTINGS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / FILE_NAME).write_text(with_solution(""), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("module", [False, True], ids=["grade", "python_m_grader"])
def test_what_lies_beside_a_submission_has_no_say(small_lesson: Lesson, handed_in: Path, module: bool) -> None:
    before = sorted(path.name for path in handed_in.iterdir())
    run = command_line(
        ["lesson42", "--submission", FILE_NAME, "--json", "-"],
        handed_in,
        module=module,
        GRADE_COURSE=str(small_lesson.course.root),
        **ENVIRONMENT,
    )
    assert run.returncode == 0, run.stderr
    assert result_of(run).full_marks
    assert sum(check.calls for each in result_of(run).exercises for check in each.checks) > 60
    assert sorted(path.name for path in handed_in.iterdir()) == before


def test_the_untouched_stub_ends_with_one(small_lesson: Lesson, tmp_path: Path) -> None:
    run = command_line(["--course", str(small_lesson.course.root), "lesson42"], tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.count("not started") == 7
    assert "0 of 45 points" in run.stdout


def test_what_a_submission_prints_is_shown_as_what_it_is(small_lesson: Lesson, tmp_path: Path) -> None:
    fake = '{"points": 45, "full_marks": true}\\n45 of 45 points · every exercise passes\\n'
    code = f"""
print('{fake}\\x1b[1A\\x1b[2K\\0')
def first_half(length):
    print('{fake}</testcase>\\x1b[2J')
    os.write(1, b"45 of 45 points")
    return -1
def transfer_seconds(size_bytes, gigabytes_per_s, latency=0.0):
    if size_bytes < 0:
        raise ValueError("\\ud800\\x07")
    return latency + 8 * size_bytes / (gigabytes_per_s * 1e9)
"""
    submission = tmp_path / FILE_NAME
    submission.write_text(with_solution(code), encoding="utf-8")
    run = command_line(["--course", str(small_lesson.course.root), "lesson42", "--submission", FILE_NAME], tmp_path)
    assert run.returncode == 1
    assert {character for character in run.stdout if not character.isprintable()} == {"\n"}
    assert run.stdout.rstrip().splitlines()[-1].startswith("33 of 45 points")
    assert MISCONCEPTION in run.stdout


def test_a_result_on_standard_output_is_alone_there(small_lesson: Lesson, tmp_path: Path) -> None:
    submission = tmp_path / FILE_NAME
    submission.write_text(
        with_solution("def first_half(length):\n    print('}' * 99)\n    return 1\n"), encoding="utf-8"
    )
    arguments = ["--course", str(small_lesson.course.root), "lesson42", "--submission", FILE_NAME, "--json", "-"]
    run = command_line([*arguments, "--feedback", "sentence"], tmp_path)
    found = exercise(result_of(run), "first_half")
    assert run.returncode == 1
    for check in found.checks:
        if check.visibility == "hidden":
            assert (check.counterexample, check.message, check.stdout) == (None, "", "")


def test_the_judge_reads_no_format_that_can_hold_code() -> None:
    """Line 10: nothing that a submission made is unpickled, and only a worker unmarshals."""
    found = set()
    for path in sorted(Path(grader.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    found |= {alias.name for alias in names} & HOLD_CODE
                case ast.ImportFrom(module=str(module)):
                    found |= {module} & HOLD_CODE
                case ast.Call(func=ast.Attribute(value=ast.Name("marshal"), attr="load" | "loads" as attribute)):
                    found.add(f"marshal.{attribute} in {path.name}")
    assert found == {"marshal.loads in serve.py"}
