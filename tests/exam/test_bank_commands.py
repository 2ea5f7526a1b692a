"""``quiz compile``, ``stress``, ``schema`` and ``show``, as they are typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner, Result

pytest.importorskip("pydantic")

import exam
from exam.bank.schema import schemas
from exam.bank.strict_yaml import read
from exam.terminal.cli import cli
from exam.variants import read_variants
from grader.course import Lesson
from tests.exam.bank_samples import HEAD, ITEM, write
from tests.support import ROOT


def quiz(*words: object, lesson: Lesson | None = None) -> Result:
    course = ["--course", str(lesson.course.root)] if lesson else []
    return CliRunner().invoke(cli, [*course, *map(str, words)], env={"QUIZ_SECRET": ""})


def test_compile_writes_variants_that_follow_the_schema(lesson: Lesson, tmp_path: Path) -> None:
    write(lesson, HEAD + ITEM)
    out = tmp_path / "quiz.json"
    ran = quiz("compile", "lesson7", "--pool", "exam", "--draws", 5, "--out", out, lesson=lesson)
    assert ran.exit_code == 0 and ran.output == f"{out}: 5 variants of 1 items\n"
    schema = json.loads(Path(exam.__file__).with_name("variants.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(out.read_text("utf-8")), schema, jsonschema.Draft202012Validator)
    assert len(read_variants(out).variants) == 5


def test_a_secret_and_an_overlay_change_what_is_compiled(lesson: Lesson, tmp_path: Path) -> None:
    write(lesson, HEAD + ITEM)
    private = tmp_path / "private" / "quizzes"
    private.mkdir(parents=True)
    (private / "lesson07_zero_fsdp.yaml").write_text(ITEM.replace("l07-state", "l07-secret"), "utf-8")
    made = []
    for more in ([], ["--secret", "s"], ["--private", private.parent]):
        assert quiz("compile", "7", "--pool", "exam", "--out", tmp_path / "q", *more, lesson=lesson).exit_code == 0
        made.append(read_variants(tmp_path / "q"))
    plain, secret, overlaid = made
    assert plain.variants[0].code != secret.variants[0].code and plain.bank == secret.bank != overlaid.bank
    assert [variant.item for variant in overlaid.variants] == ["l07-state-bytes", "l07-secret-bytes"]


@pytest.mark.parametrize("words", [["compile", "7", "--out", "q"], ["stress", "7"], ["show", "l07-state-bytes"]])
def test_a_bank_that_is_not_in_order_is_told_without_a_traceback(
    lesson: Lesson, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(lesson, HEAD + ITEM.replace("difficulty: 2", "dificulty: 2").replace("minutes: 3", "minutes: 0"))
    ran = quiz(*words, lesson=lesson)
    assert ran.exit_code == 2 and "Traceback" not in ran.output
    assert f"{path}:8: l07-state-bytes: unknown entry 'dificulty'; is it 'difficulty'?" in ran.output
    assert "3 errors in the bank" in ran.output and not (tmp_path / "q").exists()


def test_stress_says_what_it_did_and_what_it_found(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM)
    ran = quiz("stress", "7", "--draws", 50, lesson=lesson)
    assert (ran.exit_code, ran.output) == (0, "07_zero_fsdp: clean; 1 items, 0 of them fixed, 50 draws\n")
    write(lesson, HEAD + ITEM.replace("choice: [1, 2]", "choice: [2]"))
    ran = quiz("stress", "--draws", 50, lesson=lesson)
    assert ran.exit_code == 1 and "never leads to an answer of its own" in ran.output
    assert ran.output.endswith("07_zero_fsdp: 1 problems; 1 items, 0 of them fixed, 50 draws\n")


def test_show_shows_one_item_with_all_that_a_student_does_not_see(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM)
    ran = quiz("show", "l07-state-bytes", "--seed", 3, lesson=lesson)
    assert ran.exit_code == 0 and "\x1b" not in ran.output
    for told in ("Stage 1 of ZeRO runs on 16 ranks", "4.75 GB", "from 4.7025 to 4.7975", "no_master_copy", "dp = 16"):
        assert told in ran.output


@pytest.mark.parametrize(
    ("item", "told"),
    [("l07-stat-bytes", "is it l07-state-bytes?"), ("state-bytes", "Ids look like l07-state-bytes"), ("l99-x", "99")],
)
def test_show_of_no_item_names_the_nearest(lesson: Lesson, item: str, told: str) -> None:
    write(lesson, HEAD + ITEM)
    ran = quiz("show", item, lesson=lesson)
    assert ran.exit_code == 2 and told in ran.output and "Traceback" not in ran.output


# --- schemas ---


def test_the_schemas_are_current() -> None:
    ran = quiz("schema", "--check")
    assert (ran.exit_code, ran.output) == (0, "bank.schema.json is current\nvariants.schema.json is current\n")


def test_a_schema_that_is_not_current_is_told_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, gone = tmp_path / "there.json", tmp_path / "gone.json"
    there.write_text("old")
    monkeypatch.setattr("exam.bank.schema.schemas", lambda: {there: "new\n", gone: "new\n"})
    ran = quiz("schema", "--check")
    assert ran.exit_code == 1 and ran.output.count("is not current: run quiz schema") == 2
    assert there.read_text() == "old" and not gone.exists()
    ran = quiz("schema")
    assert ran.exit_code == 0 and there.read_text() == gone.read_text() == "new\n"


def validator() -> jsonschema.Draft202012Validator:
    text = next(text for path, text in schemas().items() if path.name == "bank.schema.json")
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.mark.parametrize("path", sorted((ROOT / "quizzes").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_banks_of_the_course_follow_the_schema_that_editors_use(path: Path) -> None:
    assert [error.json_path for error in validator().iter_errors(read(path.read_text("utf-8")).value)] == []


def test_the_schema_takes_items_alone_and_refuses_what_is_unknown() -> None:
    assert validator().is_valid(read(ITEM).value) and validator().is_valid(read(HEAD + ITEM).value)
    assert not validator().is_valid(read(ITEM.replace("difficulty", "dificulty")).value)
    assert not validator().is_valid(read(ITEM.replace("type: numeric", "type: essay")).value)


# --- a student's installation ---


@pytest.mark.parametrize("words", ["--help", "compile --help", "stress --help", "schema --help", "show --help"])
def test_help_needs_none_of_the_instructors_packages(words: str) -> None:
    program = (
        "import sys\nsys.argv[1:] = " + repr(words.split()) + "\nfrom exam.terminal.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    loaded = {'pydantic', 'yaml', 'jinja2', 'numpy', 'scipy', 'pypandoc', 'typst'} & sys.modules.keys()\n"
        "    print(sorted(loaded), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stderr == "[]\n" and "Example: quiz" in ran.stdout


@pytest.mark.parametrize("words", ["compile 7 --out q", "stress", "lint", "schema", "show l07-a", "proof 7 --out q"])
def test_without_the_instructors_packages_it_is_said_what_to_install(words: str) -> None:
    program = (
        "import sys\nsys.modules['pydantic'] = None\nsys.argv[1:] = " + repr(words.split()) + "\n"
        "from exam.terminal.cli import main\nmain()\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 2 and "pip install 'ai480[instructor]'" in ran.stderr and "Traceback" not in ran.stderr
