"""Words, marks and colours for outcomes, points and minutes: the same in every view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from grader.results import Outcome
from grader.terminal.style import Style

_MARKS = {
    Outcome.PASSED: ("✓", "+"),
    Outcome.NOT_STARTED: ("·", "."),
    Outcome.UNGRADED: ("?", "?"),
}
LOOKS = {
    Outcome.PASSED: "good",
    Outcome.NOT_STARTED: "quiet",
    Outcome.UNGRADED: "odd",
    Outcome.WRONG: "bad",
    Outcome.CRASHED: "bad",
    Outcome.TIMED_OUT: "bad",
    Outcome.OUT_OF_MEMORY: "bad",
}
DEFAULT_MESSAGES = {
    Outcome.PASSED: "It passed.",
    Outcome.NOT_STARTED: "There the function still ends at the stub's raise NotImplementedError.",
    Outcome.UNGRADED: (
        "The grader failed here, not your code, and it costs you no points. "
        "Grade again; if this stays, send this text to the course staff."
    ),
    Outcome.WRONG: "It gave a wrong answer.",
    Outcome.CRASHED: "It stopped with an error.",
    Outcome.TIMED_OUT: "It did not finish in the time it has, and was stopped.",
    Outcome.OUT_OF_MEMORY: "It asked for more memory than it has, and was stopped.",
}


class Work(Protocol):
    """An exercise, as far as planning one's work needs it."""

    @property
    def name(self) -> str:
        """The exercise's name."""

    @property
    def minutes(self) -> int:
        """Minutes that it is planned to take."""

    @property
    def core(self) -> bool:
        """Whether it belongs to the core of the lesson."""

    @property
    def outcome(self) -> Outcome:
        """What became of it."""


_Work = TypeVar("_Work", bound=Work)
_NOTHING_TO_DO = (Outcome.PASSED, Outcome.UNGRADED)


def outcome_in_words(outcome: Outcome) -> str:
    """The outcome as a person would say it: "not started", "out of memory"."""
    return "not graded" if outcome is Outcome.UNGRADED else outcome.value.replace("_", " ")


def mark(outcome: Outcome, style: Style) -> str:
    """One character for an outcome."""
    return style.pick(*_MARKS.get(outcome, ("✗", "x")))


def amount(points: float) -> str:
    """Points without needless digits: "6", "2.5", "0.33"."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def plural(count: int, one: str, many: str) -> str:
    """A count and its words: "1 more check fails", "2 more checks fail"."""
    return f"{count} {one if count == 1 else many}"


def effort(exercise: Work) -> str:
    """What an exercise takes: "core, 45 min"."""
    return f"{'core' if exercise.core else 'stretch'}, {exercise.minutes} min"


def joined(parts: Sequence[str], style: Style) -> str:
    """Parts of one line, safe, with a dot between them."""
    return style.pick(" · ", " - ").join(style.safe(part) for part in parts)


def core_minutes_left(exercises: Iterable[Work]) -> int:
    """Planned minutes of the core exercises that the student has still to get right."""
    return sum(one.minutes for one in exercises if one.core and one.outcome not in _NOTHING_TO_DO)


def fails(exercise: Work) -> bool:
    """Whether the student has begun it, and it is not right yet."""
    return exercise.outcome not in (*_NOTHING_TO_DO, Outcome.NOT_STARTED)


def next_exercise(exercises: Sequence[_Work]) -> _Work | None:
    """The first that fails, else the first core exercise not started, else the first other one."""
    untouched = [one for one in exercises if one.outcome is Outcome.NOT_STARTED]
    in_order = [*filter(fails, exercises), *(one for one in untouched if one.core), *untouched]
    return in_order[0] if in_order else None


def duration(minutes: int) -> str:
    """Minutes as people say them: "45 min", "2 h", "12 h 30 min"."""
    hours, rest = divmod(minutes, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest or not hours else [])])
