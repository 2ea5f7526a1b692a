"""The contract of a lesson: its exercises, checks and points, and what the docstring examples give.

A score counts over the manifest, so a check that is skipped, missing or not collected is never a pass.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from grader.changes import difference
from grader.errors import UserError
from grader.files import write_text
from grader.records import read_record, read_text

__all__ = ["Example", "Manifest", "ManifestCheck", "ManifestError", "ManifestExercise", "difference"]

PUBLIC, HIDDEN = "public", "hidden"
EXAMPLE_CHECK = "test_docstring_example"


class ManifestError(UserError):
    """A manifest that is missing, damaged or contradicts itself."""


@dataclass(frozen=True)
class Example:
    """A docstring example: an expression, and the solution's result in wire encoding."""

    source: str
    result: Any


@dataclass(frozen=True)
class ManifestCheck:
    """A check, its points, and the sentence that a student reads."""

    name: str
    visibility: str
    points: float
    outcome: str
    sentence: str

    def __post_init__(self) -> None:
        """Make points a float, whichever number they came as."""
        object.__setattr__(self, "points", float(self.points))


@dataclass(frozen=True)
class ManifestExercise:
    """An exercise with its examples and checks.

    Attributes:
        collectives: Which collectives the exercise may use; sorted.
        examples: In docstring order, for one may build on another.
        checks: Public ones first, each set by name.
        withheld: Points of hidden checks that this edition of the manifest does not list.
    """

    name: str
    outcome: str
    difficulty: int
    minutes: int
    core: bool
    collectives: tuple[str, ...]
    examples: tuple[Example, ...]
    checks: tuple[ManifestCheck, ...]
    withheld: float = 0.0

    def __post_init__(self) -> None:
        """Bring what has no order of its own into one."""
        object.__setattr__(self, "withheld", float(self.withheld))
        object.__setattr__(self, "collectives", tuple(sorted(self.collectives)))
        object.__setattr__(self, "examples", tuple(self.examples))
        object.__setattr__(self, "checks", tuple(sorted(self.checks, key=_check_order)))

    @property
    def public_points(self) -> float:
        """The points of the public checks."""
        return math.fsum(check.points for check in self.checks if check.visibility == PUBLIC)

    @property
    def hidden_points(self) -> float:
        """The points of the hidden checks, listed here or withheld."""
        return math.fsum([self.withheld, *(check.points for check in self.checks if check.visibility == HIDDEN)])

    @property
    def max_points(self) -> float:
        """What a right answer is worth."""
        return self.public_points + self.hidden_points


@dataclass(frozen=True)
class Manifest:
    """A lesson's exercises, in the order in which the solution states them."""

    lesson: str
    title: str
    exercises: tuple[ManifestExercise, ...]

    def __post_init__(self) -> None:
        """Accept any sequence of exercises."""
        object.__setattr__(self, "exercises", tuple(self.exercises))

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a manifest and see that it makes sense.

        Raises:
            ManifestError: If it is missing or damaged; names the file, the place and the way out.
        """
        hint = f"grade prove {_lesson_argument(path)} --update writes it anew."
        try:
            manifest = _manifest(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise ManifestError(f"there is no manifest {path}", hint) from error
        except (OSError, ValueError, RecursionError) as error:
            raise ManifestError(f"{path}: {_in_words(error)}", hint) from error
        if path.stem != f"lesson{manifest.lesson}":
            raise ManifestError(f"{path}: is the manifest of another lesson, {manifest.lesson}", hint)
        if problems := manifest.problems():
            raise ManifestError(f"{path}: {problems[0]}", hint)
        return manifest

    def problems(self) -> list[str]:
        """What contradicts itself, in words; empty if the manifest is sound."""
        found = [f"exercise {name} is listed twice" for name in _repeated(each.name for each in self.exercises)]
        for exercise in self.exercises:
            names = (check.name for check in exercise.checks)
            found += [f"{exercise.name}: check {name} is listed twice" for name in _repeated(names)]
            if not (math.isfinite(exercise.withheld) and exercise.withheld >= 0):
                found.append(f"{exercise.name}: withheld must not be negative, not {exercise.withheld}")
            for check in exercise.checks:
                found += [f"{exercise.name}: check {check.name}: {problem}" for problem in _check_problems(check)]
        return found

    def dump(self) -> str:
        """The manifest as JSON text, the same for equal manifests.

        Raises:
            ManifestError: If it contradicts itself.
        """
        if problems := self.problems():
            raise ManifestError(f"manifest of {self.lesson}: {problems[0]}", "Correct the lesson's checks.")
        return json.dumps(_plain(self), indent=1, ensure_ascii=False) + "\n"

    def write(self, path: Path) -> None:
        """Write ``dump()`` to a file, whole or not at all."""
        text = self.dump()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)

    def exercise(self, name: str) -> ManifestExercise:
        """The exercise of that name.

        Raises:
            KeyError: If there is none.
        """
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        raise KeyError(name)

    def merged_with(self, overlay: Manifest) -> Manifest:
        """This manifest with the checks of a private overlay added.

        Raises:
            ManifestError: If the overlay names an exercise that is not here, or a check that is.
        """
        added = {exercise.name: exercise.checks for exercise in overlay.exercises}
        unknown = sorted(set(added) - {exercise.name for exercise in self.exercises})
        if unknown:
            raise ManifestError(f"the private manifest of {self.lesson} names {unknown[0]}, which is no exercise")
        exercises = (replace(e, checks=(*e.checks, *added.get(e.name, ()))) for e in self.exercises)
        merged = replace(self, exercises=tuple(exercises))
        if problems := merged.problems():
            raise ManifestError(f"{self.lesson} with its private checks: {problems[0]}")
        return merged

    def public_part(self) -> Manifest:
        """The edition for students: hidden checks are left out, their points are kept as ``withheld``."""
        return replace(self, exercises=tuple(_public_part(exercise) for exercise in self.exercises))

    @property
    def public_points(self) -> float:
        """The points of all public checks."""
        return math.fsum(exercise.public_points for exercise in self.exercises)

    @property
    def hidden_points(self) -> float:
        """The points of all hidden checks."""
        return math.fsum(exercise.hidden_points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        """What the lesson is worth."""
        return self.public_points + self.hidden_points

    @property
    def minutes(self) -> int:
        """How long the whole lesson takes."""
        return sum(exercise.minutes for exercise in self.exercises)

    @property
    def core_minutes(self) -> int:
        """How long the core exercises take."""
        return sum(exercise.minutes for exercise in self.exercises if exercise.core)


def _short(value: object) -> object:
    """Points are mostly whole: 4 rather than 4.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_order(check: ManifestCheck) -> tuple[bool, bool, str]:
    """Public checks first, and the docstring example before all others: it is the easiest to follow."""
    return check.visibility != PUBLIC, check.name != EXAMPLE_CHECK, check.name


def _check_problems(check: ManifestCheck) -> list[str]:
    problems = []
    if check.visibility not in (PUBLIC, HIDDEN):
        problems.append(f"visibility must be public or hidden, not {check.visibility!r}")
    if not (math.isfinite(check.points) and check.points > 0):
        problems.append(f"points must be more than 0, not {_short(check.points)}")
    return problems


def _repeated(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})


def _public_part(exercise: ManifestExercise) -> ManifestExercise:
    public = tuple(check for check in exercise.checks if check.visibility == PUBLIC)
    return replace(exercise, checks=public, withheld=exercise.hidden_points)


def _plain(part: Any) -> Any:
    """JSON values of the manifest; a field that has its default is left out."""
    if isinstance(part, tuple):
        return [_plain(each) for each in part]
    if not isinstance(part, Manifest | ManifestExercise | ManifestCheck | Example):
        return _short(part)
    if isinstance(part, Example):
        return vars(part)  # the result is somebody else's encoding: not a value of it is changed
    return {
        field.name: _plain(vars(part)[field.name]) for field in fields(part) if vars(part)[field.name] != field.default
    }


def _manifest(data: object) -> Manifest:
    return read_record(Manifest, data, "the manifest", exercises=_exercise)


def _exercise(data: object, place: str) -> ManifestExercise:
    return read_record(ManifestExercise, data, place, collectives=read_text, examples=_example, checks=_check)


def _example(data: object, place: str) -> Example:
    return read_record(Example, data, place)


def _check(data: object, place: str) -> ManifestCheck:
    return read_record(ManifestCheck, data, place)


def _in_words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return getattr(error, "strerror", None) or str(error)


def _lesson_argument(path: Path) -> str:
    """What to call the lesson of a manifest's file on the command line: its number, if the name has one."""
    digits = path.stem.removeprefix("lesson")[:2]
    return str(int(digits)) if digits.isdecimal() and digits.isascii() else path.stem
