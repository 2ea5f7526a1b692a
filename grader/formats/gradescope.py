"""Gradescope's ``/autograder/results/results.json``.

One test for each check. Every test is visible, since what a message may say of a hidden check is settled before (the
feedback policy), and Gradescope withholds the total score where a test is hidden.
"""

from __future__ import annotations

from typing import Any

from grader.formats.text import check_text, exercise_text, printable
from grader.results import CheckResult, ExerciseResult, LessonResult, Outcome


def gradescope(result: LessonResult) -> dict[str, Any]:
    """A result as Gradescope reads it."""
    tests = [
        _test(exercise, check, f"{number}.{place}")
        for number, exercise in enumerate(result.exercises, 1)
        for place, check in enumerate(exercise.checks, 1)
    ]
    return {
        "score": result.points,
        "execution_time": result.seconds,
        "output": _summary(result),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "schema": result.schema,
            "lesson": result.lesson,
            "sha256": result.submission.sha256,
            "confinement": result.confinement,
            "max_points": result.max_points,
            "feedback": result.feedback.value,
            "versions": result.versions,
        },
    }


def _summary(result: LessonResult) -> str:
    lines = [f"{result.title}: {result.points:g} of {result.max_points:g} points"]
    lines += [result.problem] if result.problem else []
    ungraded = sum(c.outcome is Outcome.UNGRADED for e in result.exercises for c in e.checks)
    if ungraded:
        lines.append(f"{ungraded} checks could not be run. That is no mistake of yours; tell the course staff.")
    return printable("\n".join(lines))


def _test(exercise: ExerciseResult, check: CheckResult, number: str) -> dict[str, Any]:
    first_failing = next((c for c in exercise.checks if c.outcome is not Outcome.PASSED), None)
    about = exercise_text(exercise) if check is first_failing else ""
    test: dict[str, Any] = {
        "name": f"{exercise.name}: {check.sentence}",
        "number": number,
        "output": "\n".join(part for part in (check_text(check), about) if part),
        "tags": [check.visibility, exercise.learning_outcome],
        "visibility": "visible",
        "extra_data": {"check": check.name, "exercise": exercise.name, "outcome": check.outcome.value},
    }
    if check.outcome is not Outcome.UNGRADED:  # without a score Gradescope takes it as a remark
        status = "passed" if check.outcome is Outcome.PASSED else "failed"
        test |= {"score": check.points, "max_score": check.max_points, "status": status}
    return test
