"""What is handed in: a file, a folder or an archive, read as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.archives import is_archive, read_archive
from grader.course import Lesson
from grader.errors import UserError
from grader.names import nearest

MAX_FILE_BYTES = 1 << 20


class SubmissionError(UserError):
    """There is nothing to grade where a submission was looked for."""


@dataclass(frozen=True)
class Handed:
    """A lesson's file as it was handed in.

    Attributes:
        path: Where it lies; for one in an archive, the archive.
        content: What is in it.
    """

    path: Path
    content: bytes


def read_submission(lesson: Lesson, path: Path | None = None) -> Handed:
    """Read a lesson's file.

    Args:
        lesson: The lesson.
        path: A file, a folder or an archive that holds it; the student's own stub by default.

    Raises:
        SubmissionError: If there is none, or more than one, or it is too large to be a program.
    """
    if path is not None and path.is_file() and is_archive(path):
        return Handed(path, _sized(path, _in_archive(lesson, path)))
    found = find_submission(lesson, path)
    if found.stat().st_size > MAX_FILE_BYTES:
        raise _too_large(found)
    return Handed(found, found.read_bytes())


def _in_archive(lesson: Lesson, path: Path) -> bytes:
    files = read_archive(path, ".py")
    named = [name for name in files if PurePosixPath(name).name == lesson.file_name and "__MACOSX" not in name]
    if len(named) == 1:
        return files[named[0]]
    if named:
        places = ", ".join(sorted(named)[:4])
        raise SubmissionError(f"{path.name} holds {lesson.file_name} {len(named)} times: {places}")
    held = f"It holds {', '.join(sorted(files)[:6])}." if files else "It holds no Python file."
    raise SubmissionError(f"{path.name} holds no {lesson.file_name}", held)


def _sized(path: Path, content: bytes) -> bytes:
    if len(content) > MAX_FILE_BYTES:
        raise _too_large(path)
    return content


def _too_large(path: Path) -> SubmissionError:
    problem = f"{path} is larger than {MAX_FILE_BYTES >> 20} MB"
    return SubmissionError(problem, "A lesson's file is a few hundred lines of Python.")


def find_submission(lesson: Lesson, path: Path | None = None) -> Path:
    """The file to grade.

    Args:
        lesson: The lesson that it answers.
        path: A file, a folder that has the lesson's file in it, or None for the one in ``exercises/``.

    Raises:
        SubmissionError: If there is no such file.
    """
    path = path or lesson.stub
    try:
        if path.is_dir():
            return _in_folder(lesson, path)
        if path.is_file():
            return path
        problem = f"{path} is not a file" if path.exists() else f"there is no file {path}"
    except OSError as error:
        raise SubmissionError(f"cannot look at {path}: {error.strerror}") from error
    raise SubmissionError(problem, f"Name the file to grade: grade {lesson.number} path/to/{lesson.file_name}")


def _in_folder(lesson: Lesson, folder: Path) -> Path:
    path = folder / lesson.file_name
    if not path.is_file():
        files = [*folder.glob("*.py"), *folder.glob("*/*.py")]
        names = [str(file.relative_to(folder)) for file in files]
        guess = nearest(lesson.file_name, sorted(names))
        hint = f"Did you mean {folder / guess}?" if guess else ""
        raise SubmissionError(f"there is no {lesson.file_name} in {folder}", hint)
    if not path.resolve().is_relative_to(folder.resolve()):  # else a submission could be a link to the solution
        raise SubmissionError(f"{path} is a link that leads out of its folder")
    return path
