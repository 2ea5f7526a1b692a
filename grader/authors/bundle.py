"""What a platform installs to grade a lesson: the course's part, the grader, wheels of exact versions, and scripts."""

from __future__ import annotations

import importlib.metadata
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import grader
from grader.course import Lesson
from grader.errors import UserError

PACKAGE = Path(grader.__file__).parent
PINNED = ("numpy", "pytest", "hypothesis", "click")
SCRIPTS = Path(__file__).parent / "gradescope"
ZIP_TIME = (2020, 1, 1, 0, 0, 0)

Files = dict[str, bytes]


def gradescope_bundle(lesson: Lesson, *, feedback: str, wheels: Files) -> Files:
    """Gradescope's autograder for one lesson: what its zip file holds.

    Args:
        lesson: The lesson.
        feedback: How much of a failed hidden check students see.
        wheels: The wheels to install, by file name.
    """
    values = {"LESSON": lesson.name, "FEEDBACK": feedback}
    files = {name: _filled(SCRIPTS / name, values) for name in ("setup.sh", "run_autograder")}
    files |= {f"course/{name}": content for name, content in _course_part(lesson).items()}
    files |= {f"wheels/{name}": content for name, content in wheels.items()}
    return files


def _course_part(lesson: Lesson) -> Files:
    """The lesson's files, in the places where the grader looks for them."""
    paths = (
        *(lesson.stub, lesson.handout_path, lesson.solution, lesson.public_checks, lesson.hidden_checks),
        *(lesson.misconceptions, lesson.manifest_path),
    )
    root = lesson.course.root
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.exists()}


def _filled(path: Path, values: dict[str, str]) -> bytes:
    text = path.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text.encode()


def collect_wheels(course_root: Path, python: str) -> Files:
    """Wheels of the grader and of exactly the versions that are installed here, for Linux on x86-64.

    Args:
        course_root: The project, whose grader is built into a wheel.
        python: The platform's version of Python, "3.11".

    Raises:
        UserError: If pip can't get them.
    """
    pins = [f"{name}=={importlib.metadata.version(name)}" for name in PINNED]
    with tempfile.TemporaryDirectory() as folder:
        target = ["--python-version", python, "--implementation", "cp", "--abi", f"cp{python.replace('.', '')}"]
        for tag in ("manylinux_2_28", "manylinux2014", "manylinux_2_17"):
            target += ["--platform", f"{tag}_x86_64"]
        _pip("download", "--only-binary=:all:", *target, "--dest", folder, *pins)
        _pip("wheel", "--no-deps", "--wheel-dir", folder, str(course_root))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.whl"))}


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", *arguments, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        problem = f"pip {arguments[0]} failed: {done.stderr.strip()[-400:]}"
        raise UserError(problem, "Bundles are made where pip reaches a registry.")


def write_zip(files: Files, out: Path) -> None:
    """Write a bundle; scripts can be executed."""
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, ZIP_TIME)
            executable = content.startswith(b"#!")
            info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
            stored = name.endswith(".whl")
            archive.writestr(info, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
