"""Results that are kept between runs: per lesson, by the SHA-256 of the graded file.

One file a result, ``results/<lesson>/<turn>-<sha256>.json``; the highest turn is the newest. JSON only: what
is read back is data, and a file that is damaged or of another schema counts as not there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from grader.results import LessonResult, write_json

KEPT = 20


def save(state_dir: Path, result: LessonResult) -> LessonResult:
    """Save a result, and return what is now on record for the same file.

    A run that was limited to some exercises is merged into the saved result of the same file: the exercises
    that it did not run keep their result.

    Raises:
        OSError: If the folder can't be written to.
        ValueError: If the result holds a number that JSON has not, or names no plain lesson or hash.
    """
    folder = _folder(state_dir, result.lesson)
    sha256 = result.submission.sha256
    if not sha256.isalnum():
        raise ValueError(f"no SHA-256: {sha256!r}")
    known = load(state_dir, result.lesson, sha256)
    merged = _merged(known, result) if known else result
    folder.mkdir(parents=True, exist_ok=True)
    newest = next(_newest_first(folder), None)
    path = folder / f"{_turn(newest) + 1 if newest else 1:08d}-{sha256}.json"
    write_json(merged, path)
    _forget_old(folder, path)
    return merged


def load(state_dir: Path, lesson: str, sha256: str) -> LessonResult | None:
    """The saved result of a lesson's file with this hash, or None."""
    paths = _newest_first(_folder(state_dir, lesson))
    return _first_sound((path for path in paths if _hash(path) == sha256), lesson)


def latest(state_dir: Path, lesson: str) -> LessonResult | None:
    """The newest saved result of a lesson, whichever file it was of, or None."""
    return _first_sound(_newest_first(_folder(state_dir, lesson)), lesson)


def _folder(state_dir: Path, lesson: str) -> Path:
    if lesson in ("", "..") or Path(lesson).name != lesson:
        raise ValueError(f"no lesson's name: {lesson!r}")
    return state_dir / "results" / lesson


def _newest_first(folder: Path) -> Iterator[Path]:
    found = (path for path in folder.glob("*-*.json") if path.name.partition("-")[0].isdecimal())
    yield from sorted(found, key=lambda path: (_turn(path), path.name), reverse=True)


def _turn(path: Path) -> int:
    return int(path.name.partition("-")[0])


def _hash(path: Path) -> str:
    return path.stem.partition("-")[2]


def _first_sound(paths: Iterator[Path], lesson: str) -> LessonResult | None:
    return next((result for path in paths if (result := _read(path, lesson))), None)


def _read(path: Path, lesson: str) -> LessonResult | None:
    try:
        result = LessonResult.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):  # broken JSON and broken UTF-8 are ValueErrors
        return None
    return result if (result.lesson, result.submission.sha256) == (lesson, _hash(path)) else None


def _merged(known: LessonResult, new: LessonResult) -> LessonResult:
    """``new`` with the exercises that only ``known`` has, where both were graded in the same way."""
    alike = (known.visibilities, known.versions) == (new.visibilities, new.versions)
    if not alike or known.problem or new.problem:
        return new
    run = {exercise.name: exercise for exercise in new.exercises}
    if all(exercise.name in run for exercise in known.exercises):
        return new
    exercises = (*(run.pop(exercise.name, exercise) for exercise in known.exercises), *run.values())
    return dataclasses.replace(
        new,
        exercises=exercises,
        points=sum(exercise.points for exercise in exercises),
        max_points=sum(exercise.max_points for exercise in exercises),
    )


def _forget_old(folder: Path, newest: Path) -> None:
    """Remove earlier results of the same file, and all but the newest ``KEPT``."""
    kept = 0
    for path in _newest_first(folder):
        if path == newest or (_hash(path) != _hash(newest) and kept < KEPT):
            kept += 1
            continue
        with contextlib.suppress(OSError):  # open in another program: next time
            path.unlink()
