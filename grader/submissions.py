"""What is handed in: a file, a folder or an archive, read as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.archives import is_archive, read_archive
from grader.course import Lesson, SubmissionError, find_submission

MAX_FILE_BYTES = 1 << 20


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
        raise SubmissionError(f"{path.name} holds {lesson.file_name} {len(named)} times: {', '.join(sorted(named)[:4])}")
    held = f"It holds {', '.join(sorted(files)[:6])}." if files else "It holds no Python file."
    raise SubmissionError(f"{path.name} holds no {lesson.file_name}", held)


def _sized(path: Path, content: bytes) -> bytes:
    if len(content) > MAX_FILE_BYTES:
        raise _too_large(path)
    return content


def _too_large(path: Path) -> SubmissionError:
    return SubmissionError(f"{path} is larger than {MAX_FILE_BYTES >> 20} MB", "A lesson's file is a few hundred lines of Python.")
