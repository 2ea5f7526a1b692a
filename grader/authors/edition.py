"""The students' edition: what students get, file by file, by allow-list. What is not named here is not in it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import hypothesis

import grader
from grader.authors.contents import Contents, read_contents
from grader.authors.stubs import stub_source
from grader.course import Course, Lesson
from grader.errors import UserError
from grader.judge.bench import Bench, Source
from grader.judge.determinism import draw_no_constants_from_modules
from grader.judge.fingerprint import fingerprint
from grader.judge.known import LIMITS
from grader.judge.misconceptions import apply, load_misconceptions
from grader.judge.workers import Launcher

PACKAGE = Path(grader.__file__).parent
GRADER_FILES = (
    *("*.py", "py.typed", "results.schema.json", "formats/*.py", "judge/*.py"),
    *("terminal/*.py", "terminal/commands/*.py", "worker/*.py", "worker/wire/*.py"),
)
# The package of quizzes lies beside this one; what follows is of it, by path, for nothing here imports it.
QUIZ_PACKAGE = PACKAGE.with_name("exam")
QUIZ_FILES = (
    *("__init__.py", "__main__.py", "py.typed", "variants.py", "scoring/*.py", "take/*.py"),
    *("terminal/__init__.py", "terminal/cli.py", "terminal/course.py", "terminal/options.py"),
    *("terminal/commands/__init__.py", "terminal/commands/take.py"),
)
QUIZ_DRAWS = 5
ZIP_TIME = (2020, 1, 1, 0, 0, 0)  # so that the same course makes the same archive

Files = dict[str, bytes]


def student_edition(
    course: Course, lessons: Sequence[Lesson], launcher: Launcher, say: Callable[[str], None] = lambda text: None
) -> Files:
    """Every file of the edition, by path.

    Args:
        course: The course.
        lessons: Those to include.
        launcher: Where workers for the misconceptions' fingerprints come from.
        say: Hears what is being done.
    """
    draw_no_constants_from_modules()
    files: Files = {"README.md": _template("README.md"), "pyproject.toml": _template("pyproject.toml.in")}
    if (licence := course.root / "LICENSE").exists():
        files["LICENSE"] = licence.read_bytes()
    for package, patterns in ((PACKAGE, GRADER_FILES), (QUIZ_PACKAGE, QUIZ_FILES)):
        for path in (path for pattern in patterns for path in sorted(package.glob(pattern))):
            files[f"{package.name}/{path.relative_to(package).as_posix()}"] = path.read_bytes()
    diagnoses = {}
    for lesson in lessons:
        contents = read_contents(lesson)
        solution = Source(lesson.file_name, lesson.solution.read_bytes())
        files[f"stubs/{lesson.file_name}"] = stub_source(solution.content.decode(), lesson.file_name).encode()
        files[f"exercises/{lesson.handout_path.name}"] = lesson.handout_path.read_bytes()
        files[f"checks/public/{lesson.file_name}"] = lesson.public_checks.read_bytes()
        files[f"checks/{lesson.manifest_path.name}"] = contents.manifest.public_part().dump().encode()
        if (course.root / "quizzes" / f"{lesson.stub.stem}.yaml").exists():
            say(f"{lesson.name}: quiz")
            files[f"quizzes/{lesson.stub.stem}.json"] = _practice_quiz(course, lesson)
        diagnoses[lesson.name] = _fingerprints(lesson, contents, solution, launcher, say)
    told = {"hypothesis": hypothesis.__version__, "lessons": diagnoses}
    files["diagnoses.json"] = (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()
    return files


def _practice_quiz(course: Course, lesson: Lesson) -> bytes:
    """The lesson's quiz for practice, compiled: its keys are in it, for whoever takes it is told them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "quiz.json"
        command = [sys.executable, "-m", "exam", "--course", str(course.root), "compile", str(lesson.number)]
        command += ["--draws", str(QUIZ_DRAWS), "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=False)
        if done.returncode:
            raise UserError(f"the quiz of lesson {lesson.number} can't be compiled: {done.stderr.strip()[-500:]}")
        return out.read_bytes()


def _fingerprints(
    lesson: Lesson, contents: Contents, solution: Source, launcher: Launcher, say: Callable[[str], None]
) -> dict[str, dict[str, dict[str, str]]]:
    """For each exercise, each misconception's fingerprint with what to say; one that public checks miss has none."""
    collectives = {info.name: info.collectives for info in contents.exercises}

    def print_of(source: Source, exercise: str) -> str | None:
        tests = [check.test for check in contents.checks_of(exercise) if check.visibility == "public"]
        bench = Bench(launcher, source, collectives=collectives, limits=LIMITS)
        found = fingerprint(tests, bench)
        bench.renew()
        return found

    right = {info.name: print_of(solution, info.name) for info in contents.exercises}
    found: dict[str, dict[str, dict[str, str]]] = {}
    shared: set[str] = set()
    for one in load_misconceptions(lesson.misconceptions):
        say(f"{lesson.name}: {one.name}")
        mark = print_of(apply(one, solution), one.of)
        known = found.setdefault(one.of, {})
        if mark is None or mark == right[one.of]:
            continue
        if mark in known:
            shared.add(mark)
        known[mark] = {"name": one.name, "says": one.says, "hint": one.hint}
    for known in found.values():
        for mark in shared & set(known):  # two that look alike here: neither may be named
            del known[mark]
    return found


def write_edition(files: Files, out: Path) -> None:
    """Write an edition as a folder or a .zip file.

    Raises:
        UserError: If the folder exists and is not empty.
    """
    if out.suffix == ".zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(f"{out.stem}/{name}", ZIP_TIME), content, zipfile.ZIP_DEFLATED)
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there already", "Name a new folder; students unpack an edition over an older one.")
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _template(name: str) -> bytes:
    text = (Path(__file__).parent / "student" / name).read_text(encoding="utf-8")
    return text.replace("{hypothesis}", hypothesis.__version__).replace("{version}", grader.__version__).encode()
