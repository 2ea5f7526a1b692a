"""The students' edition: what is in it, what must not be, and that it works with pip alone."""

from __future__ import annotations

import ast
import base64
import json
import os
import subprocess
import sys
import venv
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.authors.edition import PACKAGE, Files, student_edition, write_edition
from grader.course import Course, Lesson
from grader.errors import UserError
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.manifest import Manifest
from tests.support import ROOT
from tests.traps.small_course import MISCONCEPTION, write_course

SHARED = 24  # a line of code shorter than this may stand anywhere


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    lesson = write_course(tmp_path_factory.mktemp("course"))
    (lesson.course.root / "LICENSE").write_text("Do as you like.\n")
    lesson.handout_path.write_text("# Traps\n\n### transfer_seconds\n")
    return lesson


@pytest.fixture(scope="module")
def files(lesson: Lesson) -> Iterator[Files]:
    workers = launcher(Limits())
    yield student_edition(lesson.course, [lesson], workers)
    workers.close()


def secret_lines(lesson: Lesson) -> set[str]:
    """The lines of code that students must not get: bodies of solutions, hidden checks, misconceptions.

    Not those that stand, for a reason of their own, in what everybody may read: docstrings of solutions, public checks,
    the grader itself.
    """
    readable = [path.read_text() for path in lesson.course.public_checks.glob("*.py")]
    readable += [path.read_text() for path in PACKAGE.rglob("*.py") if "authors" not in path.parts]
    readable += [_docstring(node) for node in ast.walk(ast.parse(lesson.solution.read_text()))]
    stub_lines = {line.strip() for line in lesson.stub.read_text().splitlines()}
    found = set()
    for path in (lesson.solution, lesson.hidden_checks, lesson.misconceptions):
        documented = {_docstring(node) for node in ast.walk(ast.parse(path.read_text()))}
        for line in map(str.strip, path.read_text().splitlines()):
            known = line in stub_lines or any(line in text for text in (*readable, *documented))
            if len(line) >= SHARED and not known:
                found.add(line)
    return {line for line in found if not line.startswith(("import ", "from ", "@", "says=", "hint=", '"', "#"))}


def _docstring(node: ast.AST) -> str:
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    return (ast.get_docstring(node, clean=False) or "") if isinstance(node, kinds) else ""


def encodings(text: str) -> Iterator[bytes]:
    """A text as it might be hidden: plain, wide, reversed, in hexadecimal, and in base64 at each of its offsets."""
    plain = text.encode()
    yield from (plain, text.encode("utf-16-le"), plain[::-1], plain.hex().encode())
    for offset in range(3):
        padded = base64.b64encode(b"\0" * offset + plain)
        yield padded[4 if offset else 0 : len(padded) // 4 * 4 - 4]


def unpacked(content: bytes) -> bytes:
    """A file, and what is compressed in it where it is a zlib or gzip stream."""
    try:
        return content + zlib.decompress(content, wbits=47)
    except zlib.error:
        return content


def leaks(lesson: Lesson, files: Files) -> list[str]:
    everything = b"\n".join(map(unpacked, files.values()))
    return [line for line in secret_lines(lesson) if any(form in everything for form in encodings(line))]


def test_no_solution_body_no_hidden_check_and_no_misconception_is_in_it(lesson: Lesson, files: Files) -> None:
    assert len(secret_lines(lesson)) > 15
    assert leaks(lesson, files) == []


@pytest.mark.parametrize(
    "wrap", [lambda b: b, lambda b: b"x" + base64.b64encode(b"ab" + b), zlib.compress, lambda b: b[::-1]]
)
def test_a_leak_would_be_seen(lesson: Lesson, files: Files, wrap: object) -> None:
    assert callable(wrap)
    leaked = {**files, "notes.bin": wrap(lesson.hidden_checks.read_bytes())}
    assert leaks(lesson, leaked)


def test_hidden_checks_are_not_even_named(lesson: Lesson, files: Files) -> None:
    hidden = [
        c.name for e in Manifest.load(lesson.manifest_path).exercises for c in e.checks if c.visibility == "hidden"
    ]
    public = lesson.public_checks.read_text()
    everything = b"\n".join(files.values())
    assert hidden
    assert [name for name in hidden if name.encode() in everything and name not in public] == []


def test_it_holds_what_is_allowed_and_nothing_else(files: Files) -> None:
    places = {name.partition("/")[0] for name in files}
    assert places == {
        *("README.md", "LICENSE", "pyproject.toml", "diagnoses.json"),
        *("grader", "exam", "stubs", "exercises", "checks"),
    }
    assert not [name for name in files if name.startswith(("exam/bank", "exam/export", "exam/render"))]
    assert not [name for name in files if name.startswith(("grader/authors", "checks/hidden")) or "solutions" in name]


def test_stubs_are_apart_from_the_files_that_students_edit(files: Files) -> None:
    assert "stubs/lesson42_traps.py" in files
    assert "exercises/lesson42_traps.py" not in files


def test_fingerprints_come_with_words_alone(files: Files) -> None:
    told = json.loads(files["diagnoses.json"])["lessons"]["42_traps"]
    ((exercise, known),) = told.items()
    ((mark, words),) = known.items()
    assert exercise == "transfer_seconds"
    assert len(mark) == 32
    assert words == {"name": "bits", "says": f"a formula that {MISCONCEPTION}", "hint": "How many bits has a byte?"}


def test_the_same_course_makes_the_same_archive(files: Files, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_edition(files, tmp_path / name / "ai480.zip")
    first, second = ((tmp_path / name / "ai480.zip").read_bytes() for name in ("a", "b"))
    assert first == second
    with zipfile.ZipFile(tmp_path / "a" / "ai480.zip") as archive:
        assert "ai480/README.md" in archive.namelist()


def test_a_folder_that_holds_something_is_not_written_over(files: Files, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("precious")
    with pytest.raises(UserError, match="is there already"):
        write_edition(files, tmp_path)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The edition's own grader, as a process that knows nothing of this project's folder."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GRADE_COURSE")}
    command = [
        sys.executable,
        "-P",
        "-c",
        f"import sys; sys.path.insert(0, {str(folder)!r}); from grader.terminal.cli import main; main()",
    ]
    return subprocess.run([*command, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_student_is_told_which_misconception_it_is(files: Files, tmp_path: Path) -> None:
    write_edition(files, tmp_path / "ed")
    first = run(tmp_path / "ed")
    assert "exercises/lesson42_traps.py is new" in first.stderr
    assert "more are decided on submission" in first.stdout
    own = tmp_path / "ed" / "exercises" / "lesson42_traps.py"
    stub = own.read_text()
    wrong = "return latency + 8 * size_bytes / (gigabytes_per_s * 1e9)"
    own.write_text(stub.replace('raise NotImplementedError("transfer_seconds: not written yet")', wrong))
    graded = run(tmp_path / "ed", "lesson42")
    assert graded.returncode == 1, graded.stderr
    assert f"This behaves like a formula that {MISCONCEPTION}." in graded.stdout
    assert "public checks" in graded.stdout
    assert "hidden" not in graded.stdout
    replay = next(
        word for word in graded.stdout.split() if len(word) == 6 and all(c in "0123456789abcdef" for c in word)
    )
    assert "transfer_seconds(" in run(tmp_path / "ed", "replay", replay).stdout
    write_edition(files, tmp_path / "newer")
    for name, content in files.items():  # unpacked over the older one
        (tmp_path / "ed" / name).write_bytes(content)
    assert wrong in own.read_text()


@pytest.mark.sweep
def test_it_installs_with_pip_alone(files: Files, tmp_path: Path) -> None:
    write_edition(files, tmp_path / "ed")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "."], cwd=tmp_path / "ed", check=True, capture_output=True)
    told = subprocess.run(
        [tmp_path / "venv" / "bin" / "grade"], cwd=tmp_path / "ed", capture_output=True, text=True, check=True
    )
    assert "Traps" in told.stdout


@pytest.mark.sweep
def test_no_lesson_of_this_course_leaks(tmp_path: Path) -> None:
    course = Course(ROOT)
    workers = launcher(Limits())
    try:
        files = student_edition(course, course.lessons(), workers)
    finally:
        workers.close()
    for lesson in course.lessons():
        assert leaks(lesson, files) == []
