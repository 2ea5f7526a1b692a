"""The result of grading one submission: one model; all that is shown or exported is a rendering of it.

The JSON form is versioned (``schema``) and described by ``results.schema.json`` beside this module.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.files import write_text
from grader.plain import from_plain, to_plain

SCHEMA_VERSION = 1


class Outcome(enum.StrEnum):
    """What became of a check or an exercise."""

    UNGRADED = "ungraded"  # our fault; costs the student nothing
    NOT_STARTED = "not_started"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    WRONG = "wrong"
    PASSED = "passed"


class Feedback(enum.StrEnum):
    """How much of a failed hidden check a student sees."""

    FULL = "full"
    COUNTEREXAMPLE = "counterexample"
    SENTENCE = "sentence"


@dataclass(frozen=True)
class Counterexample:
    """The smallest failing case that was found.

    Attributes:
        call: The call, as a line of Python that a student can paste; several lines where several were compared.
        returned: What came back (or what was raised or sent), in words.
        expected: What should have come back; None where the policy withholds it.
        what: Which quantity ``returned`` and ``expected`` speak of ("what each rank returned"), or "".
        replay: The id for ``grade replay``, or None where nothing can be replayed.
    """

    call: str
    returned: str
    expected: str | None = None
    what: str = ""
    replay: str | None = None


@dataclass(frozen=True)
class CheckResult:
    """One check of one exercise: its sentence, what became of it, and why."""

    name: str
    sentence: str
    visibility: str  # "public" or "hidden"
    outcome: Outcome
    points: float
    max_points: float
    message: str = ""  # prose for the student; several lines; empty when passed; may repeat the counterexample
    counterexample: Counterexample | None = None
    stdout: str = ""  # what the student's code printed in the failing case
    calls: int = 0  # how many calls of the student's function were made
    seconds: float = 0.0


@dataclass(frozen=True)
class Misconception:
    """A known wrong way that the submission behaves exactly like."""

    name: str
    says: str  # ends the sentence "This behaves like ..."
    hint: str


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise: the outcome over its checks, points, and the misconception that explains it."""

    name: str
    outcome: Outcome
    points: float
    max_points: float
    minutes: int
    core: bool
    learning_outcome: str = ""  # "6a"
    misconception: Misconception | None = None
    checks: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()  # what was accepted though it was not as asked; how slow it was

    @property
    def checked_points(self) -> float:
        """Points of the checks that ran: fewer than ``max_points`` where the hidden ones are not at hand."""
        return sum(check.max_points for check in self.checks)


@dataclass(frozen=True)
class Submission:
    """Which file was graded."""

    file: str
    sha256: str


@dataclass(frozen=True)
class LessonResult:
    """A graded submission of one lesson.

    Attributes:
        lesson: The lesson's name, "06_collectives".
        title: The lesson's title.
        confinement: How the worker was guarded: "process" is a separate process with limits.
        visibilities: Which sets of checks ran, of "public" and "hidden".
        feedback: The policy that messages about hidden checks obey.
        problem: Why nothing could be called (a syntax error, an import that failed), or "".
        versions: Versions that the grade depends on.
    """

    lesson: str
    title: str
    submission: Submission
    confinement: str
    points: float
    max_points: float
    seconds: float
    exercises: tuple[ExerciseResult, ...]
    visibilities: tuple[str, ...] = ("public", "hidden")
    feedback: Feedback = Feedback.FULL
    problem: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    schema: int = SCHEMA_VERSION

    @property
    def number(self) -> int | None:
        """The lesson's number: 6 for "06_collectives"; None for a lesson outside the numbering."""
        head = self.lesson.partition("_")[0]
        return int(head) if head.isascii() and head.isdigit() else None

    @property
    def full_marks(self) -> bool:
        """Whether every exercise passed; never where nothing was graded."""
        passed = all(exercise.outcome is Outcome.PASSED for exercise in self.exercises)
        return passed and bool(self.exercises) and not self.problem

    @property
    def undecided_points(self) -> float:
        """Points that only the hidden checks decide, where they did not run."""
        if "hidden" in self.visibilities:
            return 0.0
        return sum(max(0.0, exercise.max_points - exercise.checked_points) for exercise in self.exercises)

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON values, in the order of ``results.schema.json``."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_json(cls, data: object) -> LessonResult:
        """Read a result back from ``to_json``.

        Raises:
            ValueError: If ``data`` is of another schema version, or is not of the schema's shape; the message
                names the place.
        """
        version = data.get("schema") if isinstance(data, dict) else None
        if version != SCHEMA_VERSION:
            raise ValueError(f"result of schema {version!r}; this grader reads {SCHEMA_VERSION}")
        return from_plain(cls, data)


def exercise_outcome(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of an exercise from its checks' outcomes: the first that applies, in ``Outcome``'s order.

    An exercise is *not started* only if every check found the stub; a half-written function that still
    raises the stub's error somewhere has *crashed* there.
    """
    found = set(outcomes)
    if not found or Outcome.UNGRADED in found:
        return Outcome.UNGRADED
    if found == {Outcome.NOT_STARTED}:
        return Outcome.NOT_STARTED
    started = {Outcome.CRASHED if outcome is Outcome.NOT_STARTED else outcome for outcome in found}
    return next(outcome for outcome in Outcome if outcome in started)


def write_json(result: LessonResult, path: Path) -> None:
    """Write a result atomically, so that a reader never sees half of one."""
    write_text(path, json.dumps(result.to_json(), indent=1, allow_nan=False) + "\n")
