"""What hostile submissions get: the points of the checks that they pass rightly, and nothing else."""

from __future__ import annotations

import functools
import json
import re

import pytest

from grader.judge import checking
from grader.judge.limits import Limits
from grader.results import ExerciseResult, Feedback, LessonResult, Outcome
from tests.traps import in_python, over_the_wire, without_end
from tests.traps.harness import Grader, Trap, batches, exercise, passed, told, with_solution
from tests.traps.small_course import CHECK_MARK

TRAPS = [
    *(*in_python.ESCAPES, *in_python.LIARS, *in_python.SPIES, *in_python.MEMORY),
    *(*over_the_wire.FRAMES, *over_the_wire.PATCHED, *over_the_wire.RANKS),
    *(*without_end.NEVER, *without_end.HUGE),
]

WHERE = re.compile(r" is .*, not ")  # where a result differs, and from what


class Graded:
    """Results of batches of traps, each graded when the first of its traps is asked for."""

    def __init__(self, grader: Grader) -> None:
        self.grader = grader
        self.batch_of = {trap.name: tuple(batch) for batch in batches(TRAPS) for trap in batch}
        self.grade = functools.cache(self._grade)

    def _grade(self, batch: tuple[Trap, ...]) -> LessonResult:
        text = with_solution("\n".join(trap.code for trap in batch))
        with pytest.MonkeyPatch.context() as patch:
            if batch[0].quick:
                patch.setattr(checking, "Limits", lambda cpu_seconds: Limits(cpu_seconds / 5, idle_seconds=0.6))
            return self.grader.graded(text, feedback=Feedback.COUNTEREXAMPLE)

    def of(self, trap: Trap) -> LessonResult:
        """The result of the batch that a trap is in."""
        return self.grade(self.batch_of[trap.name])


@pytest.fixture(scope="module")
def graded(grader: Grader) -> Graded:
    return Graded(grader)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_no_more_points_than_are_earned(graded: Graded, trap: Trap) -> None:
    found = exercise(graded.of(trap), trap.of)
    assert passed(found) == set(trap.earns)
    assert found.points == sum(check.max_points for check in found.checks if check.name in trap.earns)
    assert found.outcome is trap.outcome
    assert trap.says in told(found)
    assert Outcome.UNGRADED not in {check.outcome for check in found.checks}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_other_exercises_keep_their_marks(graded: Graded, trap: Trap) -> None:
    attacked = {other.of for other in graded.batch_of[trap.name]}
    others = [each for each in graded.of(trap).exercises if each.name not in attacked]
    assert [each.name for each in others if each.outcome is not Outcome.PASSED] == []
    assert graded.of(trap).problem == ""


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_nothing_of_hidden_checks_leaks(graded: Graded, trap: Trap) -> None:
    result = graded.of(trap)
    text = json.dumps(result.to_json())
    assert CHECK_MARK not in text
    assert len(text) < 500_000
    for check in exercise(result, trap.of).checks:
        if check.visibility == "hidden" and check.counterexample:
            assert check.counterexample.expected is None
            assert check.stdout == ""
            assert not WHERE.search(check.message)


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap.quick], ids=lambda trap: trap.name)
def test_two_calls_without_end_are_enough(graded: Graded, trap: Trap) -> None:
    failed = [check for check in exercise(graded.of(trap), trap.of).checks if check.name not in trap.earns]
    assert sum(check.calls > 0 for check in failed) == 2
    assert [check.outcome for check in failed] == [Outcome.TIMED_OUT] * len(failed)


def test_what_depends_on_earlier_calls_is_said_to(graded: Graded) -> None:
    for trap in in_python.MEMORY[:5]:
        assert "different answers to the same call" in told(exercise(graded.of(trap), trap.of), "hidden")


def test_the_next_submission_finds_a_judge_as_before(graded: Graded) -> None:
    assert graded.grader.graded(with_solution("")).full_marks


def test_results_are_the_same_again(graded: Graded) -> None:
    trap = in_python.MEMORY[0]
    again = graded._grade(graded.batch_of[trap.name])
    assert [_without_times(each) for each in again.exercises] == [
        _without_times(each) for each in graded.of(trap).exercises
    ]


def _without_times(result: ExerciseResult) -> list[object]:
    return [(check.name, check.outcome, check.message, check.counterexample, check.calls) for check in result.checks]
