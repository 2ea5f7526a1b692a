"""``grade`` alone: how far the student is in the whole course, and what to do next."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, Lesson
from grader.errors import UserError
from grader.manifest import Manifest, ManifestExercise
from grader.results import ExerciseResult, LessonResult, Outcome
from grader.saved import latest, load
from grader.terminal.style import Style, cells, pad
from grader.terminal.words import (
    LOOKS,
    amount,
    core_minutes_left,
    duration,
    effort,
    fails,
    joined,
    mark,
    next_exercise,
    outcome_in_words,
)

_BAR = 10


class Standing(enum.StrEnum):
    """What is known of a lesson's file as it is now."""

    GRADED = "graded"
    CHANGED = "changed since it was graded"
    NEVER = "not graded yet"
    BROKEN = "does not load"
    NO_MANIFEST = "has no manifest"


@dataclass(frozen=True)
class ExerciseProgress:
    """One exercise, and what became of it when it was last graded; never graded counts as not started."""

    name: str
    minutes: int
    core: bool
    points: float
    max_points: float
    outcome: Outcome


@dataclass(frozen=True)
class ProgressRow:
    """One lesson.

    Attributes:
        number: The lesson's number.
        title: The lesson's title.
        file: The file that the student edits, from the course folder.
        standing: Whether the outcomes are of the file as it is now.
        exercises: Its exercises in order.
        undecided_points: Points that only the submission decides, because the checks are not here.
    """

    number: int
    title: str
    file: str
    standing: Standing
    exercises: tuple[ExerciseProgress, ...] = ()
    undecided_points: float = 0.0

    @property
    def points(self) -> float:
        """Points earned when it was last graded."""
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        """Points that can be earned here."""
        return sum(exercise.max_points for exercise in self.exercises)

    @property
    def done(self) -> bool:
        """Whether every exercise of the file as it is now passes."""
        passed = all(exercise.outcome is Outcome.PASSED for exercise in self.exercises)
        return passed and self.standing is Standing.GRADED


def progress_rows(course: Course, state_dir: Path) -> list[ProgressRow]:
    """What is known of every lesson, from the results that were saved."""
    return [_row(lesson, state_dir) for lesson in course.lessons()]


def _row(lesson: Lesson, state_dir: Path) -> ProgressRow:
    file = f"{lesson.stub.parent.name}/{lesson.stub.name}"
    try:
        manifest = Manifest.load(lesson.manifest_path)
    except UserError:  # a lesson that is still being written: the others are shown all the same
        return ProgressRow(lesson.number, lesson.name, file, Standing.NO_MANIFEST)
    standing, result = _last_result(lesson, state_dir)
    graded = {exercise.name: exercise for exercise in result.exercises} if result else {}
    exercises = tuple(_exercise(exercise, graded.get(exercise.name)) for exercise in manifest.exercises)
    undecided = sum(exercise.withheld for exercise in manifest.exercises)
    return ProgressRow(lesson.number, manifest.title, file, standing, exercises, undecided)


def _last_result(lesson: Lesson, state_dir: Path) -> tuple[Standing, LessonResult | None]:
    try:
        sha256 = hashlib.sha256(lesson.stub.read_bytes()).hexdigest()
    except OSError:
        return Standing.NEVER, None
    if result := load(state_dir, lesson.name, sha256):
        return Standing.BROKEN if result.problem else Standing.GRADED, result
    result = latest(state_dir, lesson.name)
    return Standing.CHANGED if result else Standing.NEVER, result


def _exercise(exercise: ManifestExercise, graded: ExerciseResult | None) -> ExerciseProgress:
    points, outcome = (graded.points, graded.outcome) if graded else (0.0, Outcome.NOT_STARTED)
    most = exercise.max_points - exercise.withheld
    return ExerciseProgress(exercise.name, exercise.minutes, exercise.core, points, most, outcome)


def render_progress(rows: Sequence[ProgressRow], style: Style) -> str:
    """The progress view, as text that ends in a newline."""
    if not rows:
        return "This course has no lessons yet.\n"
    parts = [[style.paint("Your course", "heading")], _table(rows, style), _closing(rows, style)]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _table(rows: Sequence[ProgressRow], style: Style) -> list[str]:
    points = [f"{amount(row.points)}/{amount(row.max_points)}" for row in rows]
    earned = max(map(len, points))
    most = max(len(row.exercises) for row in rows)
    remarks = [_remark(row) for row in rows]
    # The title gets what the other columns leave; too little, and each lesson takes two lines.
    others = 6 + _BAR + 2 + earned + 2 + most + 3 + max(map(len, remarks)) + 2
    longest = max(cells(style.safe(row.title)) for row in rows)
    room = min(longest, style.width - others)
    lines: list[str] = []
    for row, worth, remark in zip(rows, points, remarks, strict=True):
        number = style.paint(f"{row.number:>4}", "quiet")
        seen = f"{_bar(row, style)}  {worth.rjust(earned)}  {_marks(row, style)}"
        said = style.paint(remark, "odd" if row.standing in _WANTS_GRADING else "quiet")
        if room >= min(longest, 16):
            gap = " " * (most - len(row.exercises) + 3)
            lines.append(f"{number}  {pad(style.cut(row.title, room), room)}  {seen}{gap}{said}".rstrip())
        else:
            lines.append(f"{number}  {style.cut(row.title, style.width - 6)}")
            lines.append(f"      {seen}".rstrip())
            lines += [f"      {said}"] if remark else []
    return lines


_WANTS_GRADING = (Standing.CHANGED, Standing.BROKEN)


def _remark(row: ProgressRow) -> str:
    if row.standing not in (Standing.GRADED, Standing.NEVER):
        return str(row.standing)
    left = core_minutes_left(row.exercises)
    if left:
        return f"core: {duration(left)}" + (" left" if row.standing is Standing.GRADED else "")
    return "done" if row.done else "core done"


def _bar(row: ProgressRow, style: Style) -> str:
    share = row.points / row.max_points if row.max_points else 0.0
    full = min(_BAR, int(share * _BAR + 1e-9))  # rounded down: a full bar is full marks
    if not full and share > 0:
        full = 1
    look = "good" if row.standing is Standing.GRADED else "quiet"
    return style.paint(style.pick("█", "#") * full, look) + style.paint(style.pick("░", "-") * (_BAR - full), "quiet")


def _marks(row: ProgressRow, style: Style) -> str:
    current = row.standing in (Standing.GRADED, Standing.BROKEN)
    looks = [LOOKS[exercise.outcome] if current else "quiet" for exercise in row.exercises]
    marks = [mark(exercise.outcome, style) for exercise in row.exercises]
    return "".join(style.paint(sign, look) for sign, look in zip(marks, looks, strict=True))


def _closing(rows: Sequence[ProgressRow], style: Style) -> list[str]:
    undecided = sum(row.undecided_points for row in rows)
    points, most = sum(row.points for row in rows), sum(row.max_points for row in rows)
    parts = [f"{amount(points)} of {amount(most)} {'public ' if undecided else ''}points"]
    if undecided:
        parts.append(f"{amount(undecided)} more are decided on submission")
    if left := sum(core_minutes_left(row.exercises) for row in rows):
        parts.append(f"{duration(left)} of core work left")
    line = joined(parts, style)
    summary = [line] if cells(line) <= style.width else [line for part in parts for line in style.prose(part, 0, 2)]
    return [*summary, "", *_next(rows, style)]


def _next(rows: Sequence[ProgressRow], style: Style) -> list[str]:
    """The command to type next, and why."""
    row = _next_row(rows)
    if not row:
        return ["Every exercise passes."]
    command = f"next: grade lesson{row.number}"
    line = f"{command}   ({_reason(row)})"
    if cells(style.safe(line)) <= style.width:
        return [style.paint(command, "command") + style.safe(line)[len(command) :]]
    return [style.paint(command, "command"), *style.prose(f"({_reason(row)})", 2, 1)]


def _next_row(rows: Sequence[ProgressRow]) -> ProgressRow | None:
    """A file with ungraded work first, then what fails, then core work, then stretch work."""
    open_rows = [row for row in rows if row.standing is not Standing.NO_MANIFEST and not row.done]
    in_order = [
        *(row for row in open_rows if row.standing in _WANTS_GRADING),
        *(row for row in open_rows if any(map(fails, row.exercises))),
        *(row for row in open_rows if core_minutes_left(row.exercises)),
        *open_rows,
    ]
    return in_order[0] if in_order else None


def _reason(row: ProgressRow) -> str:
    exercise = next_exercise(row.exercises)
    if row.standing in _WANTS_GRADING or not exercise:
        return f"{row.file} {row.standing}" if row.standing in _WANTS_GRADING else "not all of it could be graded"
    if fails(exercise):
        return f"{exercise.name}: {outcome_in_words(exercise.outcome)}"
    return f"{exercise.name} in {row.file}: {effort(exercise)}"
