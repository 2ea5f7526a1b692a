"""A check's outcome as plain text, for platforms that show one text for each test."""

from __future__ import annotations

from grader.results import CheckResult, ExerciseResult, Outcome

IN_WORDS = {
    Outcome.UNGRADED: "not graded",
    Outcome.NOT_STARTED: "not started",
    Outcome.TIMED_OUT: "timed out",
    Outcome.OUT_OF_MEMORY: "out of memory",
    Outcome.CRASHED: "crashed",
    Outcome.WRONG: "wrong",
    Outcome.PASSED: "passed",
}


def check_text(check: CheckResult) -> str:
    """What a student reads of one check: the outcome, the smallest failing case, and what there is to say of it."""
    lines = [IN_WORDS[check.outcome]]
    found = check.counterexample
    if found is not None:
        lines += [f"smallest case: {found.call}"] if found.call else []
        lines += [f"looked at: {found.what}"] if found.what else []
        lines += [f"got: {found.returned}"] if found.returned else []
        lines += [f"expected: {found.expected}"] if found.expected else []
    lines += [check.message] if check.message else []
    lines += [f"it printed:\n{check.stdout}"] if check.stdout else []
    return printable("\n".join(lines))


def exercise_text(exercise: ExerciseResult) -> str:
    """What is said of an exercise as a whole: what it behaves like, and notes."""
    lines = []
    if exercise.misconception is not None:
        lines += [f"This behaves like {exercise.misconception.says}.", exercise.misconception.hint]
    return printable("\n".join([*lines, *exercise.notes]))


def printable(text: str) -> str:
    """The text with control characters spelt out: a submission may have put them there."""
    return "".join(c if c == "\n" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
