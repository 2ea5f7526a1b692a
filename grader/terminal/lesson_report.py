"""The report of one graded lesson, for the terminal of the student who wrote it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.results import CheckResult, Counterexample, ExerciseResult, LessonResult, Outcome
from grader.terminal.style import Style, cells, pad
from grader.terminal.words import (
    DEFAULT_MESSAGES,
    LOOKS,
    amount,
    core_minutes_left,
    effort,
    joined,
    mark,
    next_exercise,
    outcome_in_words,
    plural,
)

_VERB = re.compile(r"(?P<label>(?:rank \d{1,4} )?(?:returned|raised|sent|received|printed))\s+(?P<text>.+)", re.DOTALL)

_NO_BLOCK = (Outcome.PASSED, Outcome.NOT_STARTED)


def render(result: LessonResult, style: Style, *, after: str = "") -> str:
    """The whole report, as text that ends in a newline.

    Args:
        result: What to show; what the feedback policy withholds is already left out of it.
        style: How to write for the place that it goes to.
        after: What comes after this lesson, named on full marks ("lesson 7, grade lesson7").
    """
    parts = [_title(result, style)]
    if result.problem:
        parts.append(_problem(result, style))
    else:
        parts.append(_table(result, style))
        parts += [_block(exercise, style) for exercise in result.exercises if exercise.outcome not in _NO_BLOCK]
        parts.append(_notes(result, style))
    parts.append(_closing(result, style, after))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _title(result: LessonResult, style: Style) -> list[str]:
    number = [f"Lesson {result.number}"] if result.number is not None else []
    name = joined([*number, result.title], style)
    checks = style.safe(" and ".join(result.visibilities) + " checks")
    if cells(name) + 5 + len(checks) <= style.width:
        return [style.paint(name, "heading") + " " * 5 + style.paint(checks, "quiet")]
    lines = [style.paint(line, "heading") for line in style.prose(name, hanging=2)]
    return [*lines, "  " + style.paint(checks, "quiet")]


def _problem(result: LessonResult, style: Style) -> list[str]:
    start = f"{result.submission.file} could not be loaded, so no exercise was called:"
    return [*style.prose(start), "", *style.verbatim(result.problem, 4)]


def _table(result: LessonResult, style: Style) -> list[str]:
    if not result.exercises:
        return []
    rows = [_row(exercise, result, style) for exercise in result.exercises]
    name, points, words, todo = (max(map(cells, column), default=0) for column in zip(*rows, strict=True))
    wide = name + points + words + todo + 13 <= style.width  # 13: the indent, the mark and the gaps
    lines: list[str] = []
    for exercise, row in zip(result.exercises, rows, strict=True):
        look = LOOKS[exercise.outcome]
        sign = style.paint(mark(exercise.outcome, style), look)
        if wide:
            outcome = style.paint(row[2], look) + " " * (words - len(row[2]))
            line = f"  {pad(row[0], name)}  {sign}  {row[1].rjust(points)}   {outcome}"
            lines.append(f"{line}   {style.paint(row[3], 'quiet')}" if row[3] else line.rstrip())
        else:
            below = joined([text for text in row[1:] if text], style)
            lines.append(f"  {sign} {style.cut(row[0], style.width - 4)}")
            lines += [style.paint(text, "quiet") for text in style.prose(below, 4)]
    return lines


def _row(exercise: ExerciseResult, result: LessonResult, style: Style) -> tuple[str, str, str, str]:
    """Name, points, outcome, and what there is still to do."""
    todo = "" if exercise.outcome in (Outcome.PASSED, Outcome.UNGRADED) else effort(exercise)
    return (
        style.safe(exercise.name),
        _points(exercise, result, style),
        outcome_in_words(exercise.outcome),
        todo,
    )


def _points(exercise: ExerciseResult, result: LessonResult, style: Style) -> str:
    most = exercise.max_points
    if result.undecided_points and exercise.checks:
        most = exercise.checked_points
    earned = style.pick("–", "-") if exercise.outcome is Outcome.UNGRADED else amount(exercise.points)
    return f"{earned}/{amount(most)}"


def _block(exercise: ExerciseResult, style: Style) -> list[str]:
    """Why an exercise failed: its first failing check in full, the others in a line each."""
    lines = [style.paint(line, "heading") for line in style.prose(exercise.name)]
    in_order = sorted(exercise.checks, key=lambda check: check.visibility != "public")
    failing = [check for check in in_order if check.outcome not in (Outcome.PASSED, Outcome.UNGRADED)]
    if exercise.outcome is Outcome.UNGRADED or not failing:
        lines += _without_a_check(exercise, in_order, style)
    if failing:
        lines += _first_check(failing[0], style)
        lines += _other_checks(failing[1:], style)
        lines += _misconception(exercise, style)
        lines += _commands(exercise, failing[0].counterexample, style)
    return lines


def _without_a_check(exercise: ExerciseResult, checks: Sequence[CheckResult], style: Style) -> list[str]:
    """What to say of an exercise that the grader could not grade, or of which no failing check is known."""
    lines = style.prose(DEFAULT_MESSAGES[exercise.outcome], 2)
    messages = [check.message for check in checks if check.outcome is Outcome.UNGRADED and check.message]
    return [*lines, *(style.verbatim(messages[0], 4) if messages else [])]


def _first_check(check: CheckResult, style: Style) -> list[str]:
    lines = style.prose(_sentence(check), 2)
    case = check.counterexample
    if case:
        lines += style.labelled(_case_rows(check, case), 4, 1, 16)
    message = _message_beyond(check, case)
    if message:
        lines += style.verbatim(message, 4)
    elif not case and check.visibility == "hidden" and check.outcome is Outcome.WRONG:
        lines += style.prose("(a hidden check: the case that fails is not shown)", 4)
    elif not case or check.outcome is not Outcome.WRONG:
        lines += style.prose(DEFAULT_MESSAGES[check.outcome], 4)
    if check.stdout.strip():
        lines += style.labelled([("it printed", check.stdout.strip("\n"), "")], 4, 1, 16)
    return lines


def _sentence(check: CheckResult) -> str:
    return check.sentence or check.name.removeprefix("test_").replace("_", " ")


def _case_rows(check: CheckResult, case: Counterexample) -> list[tuple[str, str, str]]:
    """Label, text and look of each part of the case."""
    rows = [(_case_label(check), case.call, "")] if case.call else []
    said = _VERB.fullmatch(case.returned)
    if case.what and not (said and case.what.startswith("what ")):
        rows.append(("compared", case.what, ""))
    if case.returned and not _told_by_error(check, case.returned):
        label, text = (said["label"], said["text"]) if said else ("got", case.returned)
        rows.append((label, text, "bad"))
    if case.expected is not None:
        rows.append(("expected", case.expected, "good"))
    return rows


def _case_label(check: CheckResult) -> str:
    """The search for a smaller case ends where the worker was stopped."""
    return "smallest case" if check.outcome in (Outcome.WRONG, Outcome.CRASHED) else "in this case"


def _told_by_error(check: CheckResult, returned: str) -> bool:
    """Whether what came back is an error that the message ends with, below the student's own line."""
    return check.outcome is not Outcome.WRONG and _ends_with(returned, check.message.strip().split("\n")[-1:])


def _message_beyond(check: CheckResult, case: Counterexample | None) -> str:
    """The message without the lines that only say again what the sentence and the case say."""
    said = [check.sentence, *([case.call, case.returned, case.expected or ""] if case else [])]
    if check.outcome is not Outcome.WRONG:
        said = said[:2]  # an error's own line stays with the student's line above it
    lines = check.message.strip("\n").split("\n")
    return "\n".join(line for line in lines if not _ends_with(line, said)).strip("\n")


def _ends_with(line: str, texts: Sequence[str]) -> bool:
    line = " " + line.strip().rstrip(".")
    return any(line.endswith(" " + text.strip().rstrip(".")) for text in texts if text.strip())


def _other_checks(checks: Sequence[CheckResult], style: Style) -> list[str]:
    if not checks:
        return []
    lines = ["", f"  {plural(len(checks), 'more check fails', 'more checks fail')}:"]
    for check in checks:
        reason = "" if check.outcome is Outcome.WRONG else f" ({outcome_in_words(check.outcome)})"
        first, *rest = style.prose(_sentence(check) + reason, 6)
        lines += [f"    {style.paint(mark(check.outcome, style), LOOKS[check.outcome])} {first[6:]}", *rest]
    return lines


def _misconception(exercise: ExerciseResult, style: Style) -> list[str]:
    if not exercise.misconception:
        return []
    says = style.prose(f"This behaves like {exercise.misconception.says.rstrip('.')}.", 2)
    return ["", *(style.paint(line, "odd") for line in says), *style.prose(exercise.misconception.hint, 2)]


def _commands(exercise: ExerciseResult, case: Counterexample | None, style: Style) -> list[str]:
    rows = [("one step of help", f"grade hint {exercise.name}", "command")]
    if case and case.replay:
        rows.insert(0, ("again, in a debugger", f"grade replay {case.replay} --pdb", "command"))
    return ["", *style.labelled(rows, 4, 4)]


def _notes(result: LessonResult, style: Style) -> list[str]:
    lines: list[str] = []
    for exercise in result.exercises:
        for note in exercise.notes:
            lines += style.prose(f"{exercise.name}: {note}", 2, 2)
    return [style.paint("Notes", "heading"), *lines] if lines else []


def _closing(result: LessonResult, style: Style, after: str) -> list[str]:
    undecided = 0 if result.problem else result.undecided_points
    checked = f"{amount(result.max_points - undecided)} {'public ' if undecided else ''}points"
    parts = [f"{amount(result.points)} of {checked}"]
    if undecided:
        parts.append(f"{amount(undecided)} more are decided on submission")
    ungraded = sum(exercise.max_points for exercise in result.exercises if exercise.outcome is Outcome.UNGRADED)
    if ungraded:
        parts.append(f"{amount(ungraded)} could not be graded, which costs you nothing")
    parts += _work_left(result)
    parts.append(f"next: {_next(result, after)}")
    line = joined(parts, style)
    return [line] if cells(line) <= style.width else [line for part in parts for line in style.prose(part, 0, 2)]


def _work_left(result: LessonResult) -> list[str]:
    if result.full_marks:
        return [f"every {'public check' if result.undecided_points else 'exercise'} passes"]
    if minutes := core_minutes_left(result.exercises):
        return [plural(minutes, "core minute left", "core minutes left")]
    core_done = all(exercise.outcome is Outcome.PASSED for exercise in result.exercises if exercise.core)
    return ["the core is done"] if core_done and result.exercises else []


def _next(result: LessonResult, after: str) -> str:
    command = f"grade lesson{result.number}" if result.number is not None else "grade it again"
    if result.problem:
        return f"correct the file, then {command}"
    exercise = next_exercise(result.exercises)
    if exercise:
        return exercise.name if exercise.core else f"{exercise.name} (stretch)"
    if not result.full_marks:
        return f"{command}, and tell the course staff if this stays"
    if result.undecided_points:
        return f"hand in {result.submission.file}"
    return after or "grade, for all your lessons"
