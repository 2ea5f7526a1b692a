"""Checks: what they declare, and the search for the smallest case in which a submission falls short."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.authoring import check, expect
from grader.judge.bench import Bench
from grader.judge.calls import Answer, Call
from grader.judge.checking import Checking, CheckRun
from grader.judge.checks import SHRINK_CALLS, Search, SearchEnds, current
from grader.judge.expectations import accepted
from grader.judge.failures import CheckFailed, Unfinished
from grader.judge.local import Local
from grader.judge.proxies import Proxy
from grader.judge.workers import WorkerUnavailable
from grader.results import Outcome
from tests.support import bench

LENGTHS = st.lists(st.integers(0, 100), max_size=20)


class Here:
    """Performs calls of functions of this process, and counts them."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        self.functions = functions
        self.count = 0

    def perform(self, call: Call) -> Answer:
        self.count += 1
        found = self.functions[call.name](*call.positional, **call.keywords)
        return found if isinstance(found, Answer) else Answer("returned", found)


def solution_of(**functions: Callable[..., Any]) -> Proxy:
    module = types.ModuleType("solution")
    module.__file__ = "solution.py"
    vars(module).update(functions)
    return Proxy(Local(module))


def searched(test: Any, student: Here, *, solution: Proxy | None = None, shrink_calls: int = SHRINK_CALLS) -> Search:
    """Run a check's search as the grader does."""

    def stand_in(body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        body(**{**arguments, "student": solution})

    search = Search(stand_in if solution is not None else None, shrink_calls)
    token = current.set(search)
    try:
        test(student=Proxy(student, search.watch))
    except (CheckFailed, Unfinished, SearchEnds):
        pass
    finally:
        current.reset(token)
    return search


@check("total", points=2)
@given(values=LENGTHS)
def sums(student: Any, values: list[int]) -> None:
    """The total is the sum."""
    expect(student.total(values), "the total").equal(sum(values))


# --- what a check declares ---


def test_a_check_declares_its_facts() -> None:
    @check("total", points=3, outcome="1b", examples=7, seconds=0.5)
    def test_it(student: Any) -> None:
        """It holds,
        whatever comes.
        """

    facts = test_it.__check__  # type: ignore[attr-defined]
    assert (facts.name, facts.exercise, facts.points, facts.sentence) == (
        "test_it",
        "total",
        3,
        "It holds, whatever comes.",
    )
    assert (facts.outcome, facts.examples, facts.seconds) == ("1b", 7, 0.5)
    usual = sums.__check__  # type: ignore[attr-defined]
    assert (usual.outcome, usual.examples, usual.seconds) == ("", 40, 2.0)


def test_a_check_without_a_sentence_is_refused() -> None:
    def test_it(student: Any) -> None:
        pass

    with pytest.raises(ValueError, match="test_it: a check needs a docstring"):
        check("total", points=1)(test_it)


def test_without_a_grader_a_check_is_an_ordinary_test() -> None:
    sums(student=Proxy(Here(total=sum)))
    with pytest.raises(CheckFailed):
        sums(student=Proxy(Here(total=len)))


@pytest.mark.parametrize("examples", [1, 5, 40])
def test_as_many_examples_are_drawn_as_were_asked_for(examples: int) -> None:
    @check("total", points=1, examples=examples)
    @given(values=LENGTHS)
    def test_it(student: Any, values: list[int]) -> None:
        """It holds."""
        student.total(values)

    assert searched(test_it, Here(total=sum)).count == examples


def test_a_check_without_draws_runs_once() -> None:
    @check("total", points=1)
    def test_it(student: Any) -> None:
        """It holds."""
        expect(student.total([1])).equal(2)

    search = searched(test_it, Here(total=sum))
    assert search.count == 1
    assert search.finding is not None and search.finding.failure.returned == "1"
    assert search.finding.calls == [Call("total", ([1],))]


# --- the search ---


def test_the_smallest_failing_case_is_kept() -> None:
    search = searched(sums, Here(total=lambda values: sum(values) + (len(values) > 3)))
    assert search.finding is not None
    assert search.finding.arguments == {"values": [0, 0, 0, 0]}
    assert str(search.finding.calls[-1]) == "total([0, 0, 0, 0])"
    assert (search.finding.failure.returned, search.finding.failure.expected) == ("1", "0")
    assert len(search.failures) > 1


def test_of_several_calls_the_failing_one_is_last() -> None:
    @check("total", points=1)
    @given(values=LENGTHS)
    def test_it(student: Any, values: list[int]) -> None:
        """Adding nothing changes nothing."""
        expect(student.total([0, *values])).equal(student.total(values))
        student.total([])

    search = searched(test_it, Here(total=lambda values: sum(values) + (len(values) == 3)))
    assert search.finding is not None
    assert [str(call) for call in search.finding.calls] == ["total([0, 0, 0])", "total([0, 0])"]


def double(value: int) -> int:
    return 2 * value


def test_all_calls_whose_results_were_compared_are_shown() -> None:
    @check("double", points=1)
    def test_it(student: Any) -> None:
        """Doubling keeps sums."""
        expect(student.double(1)).equal(2)
        expect(student.double(2) + student.double(3)).equal(11)

    finding = searched(test_it, Here(double=double)).finding
    assert finding is not None and list(map(str, finding.shown)) == ["double(2)", "double(3)"]


def test_a_call_that_fails_by_itself_is_shown_alone() -> None:
    @check("double", points=1)
    def test_it(student: Any) -> None:
        """Doubling refuses zero."""
        student.double(1)
        student.double.must_raise(ValueError, 0)

    finding = searched(test_it, Here(double=double)).finding
    assert finding is not None and list(map(str, finding.shown)) == ["double(0)"]


def test_a_right_submission_has_no_finding() -> None:
    search = searched(sums, Here(total=sum))
    assert search.finding is None and search.failures == [] and search.broken == ""


@pytest.mark.parametrize("bound", [0, 1, 30, SHRINK_CALLS])
def test_after_the_first_failure_so_many_examples_are_tried_and_no_more(bound: int) -> None:
    """What fails by chance gives the search no end of its own: every example is a new case."""
    student = Here(total=lambda values: -1 - (hash(tuple(values)) % 7))
    first: list[int] = []

    def total(values: list[int]) -> int:
        wrong = len(values) >= 3
        if wrong and not first:
            first.append(student.count)
        return sum(values) + wrong * (1 + sum(values) % 5)

    student.functions["total"] = total
    search = searched(sums, student, shrink_calls=bound)
    assert search.finding is not None
    assert student.count - first[0] <= bound


def test_a_slow_shrink_ends_at_the_bound_with_the_smallest_so_far() -> None:
    """A failure that depends on everything that is drawn can be made smaller in very many steps."""

    @check("total", points=1, examples=200)
    @given(values=st.lists(st.integers(0, 10**9), min_size=40, max_size=40))
    def test_it(student: Any, values: list[int]) -> None:
        """It holds."""
        expect(student.total(values)).equal(0)

    def total(values: list[int]) -> int:
        return int(len({*values}) == 40 and sum(values) > 10**6)

    student = Here(total=total)
    search = searched(test_it, student)
    assert search.finding is not None
    assert student.count <= 200 + SHRINK_CALLS + 1
    shown = [len(str(found.calls[-1])) for found in search.failures]
    assert len(str(search.finding.calls[-1])) == min(shown)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer("timed_out", "2 s of computing"), Outcome.TIMED_OUT),
        (Answer("died", "the process ended itself with exit code 0"), Outcome.CRASHED),
        (Answer("forged", "bytes after the reply"), Outcome.CRASHED),
        (
            Answer(
                "raised", {"type": "NotImplementedError", "bases": [], "text": "total: not written yet", "frames": []}
            ),
            Outcome.NOT_STARTED,
        ),
    ],
)
def test_what_takes_time_or_kills_ends_the_search_at_once(answer: Answer, outcome: Outcome) -> None:
    search = searched(sums, Here(total=lambda values: answer if len(values) > 3 else sum(values)))
    assert search.finding is not None and search.finding.failure.outcome is outcome
    assert len(search.failures) == 1
    assert search.finding.arguments == {"values": search.finding.calls[-1].positional[0]}
    before = search.count
    again = searched(sums, Here(total=lambda values: answer if len(values) > 3 else sum(values)))
    assert again.count == before


def test_a_timeout_while_shrinking_is_what_is_reported() -> None:
    def total(values: list[int]) -> Any:
        if len(values) > 5:
            return -1
        return Answer("timed_out", "2 s of computing") if len(values) > 2 else sum(values)

    search = searched(sums, Here(total=total))
    assert search.finding is not None
    assert search.finding.failure.outcome is Outcome.TIMED_OUT


def test_an_exception_shrinks_like_a_wrong_value() -> None:
    raised = Answer("raised", {"type": "IndexError", "bases": ["IndexError"], "text": "", "frames": []})
    search = searched(sums, Here(total=lambda values: raised if len(values) > 3 else sum(values)))
    assert search.finding is not None
    assert search.finding.arguments == {"values": [0, 0, 0, 0]}
    assert search.finding.failure.outcome is Outcome.CRASHED


def test_examples_that_are_assumed_away_do_not_count() -> None:
    @check("total", points=1)
    @given(values=LENGTHS)
    def test_it(student: Any, values: list[int]) -> None:
        """It holds."""
        assume(len(values) % 2)
        expect(student.total(values)).equal(sum(values))

    assert searched(test_it, Here(total=sum)).finding is None
    search = searched(test_it, Here(total=len), solution=solution_of(total=sum))
    assert search.finding is not None and not search.broken


def test_the_same_search_finds_the_same_case() -> None:
    wrong = Here(total=lambda values: sum(values) + (max(values, default=0) > 50))
    first, second = searched(sums, wrong), searched(sums, wrong)
    assert first.count == second.count
    assert first.finding is not None and second.finding is not None
    assert first.finding.arguments == second.finding.arguments == {"values": [51]}


# --- whose fault it is ---


@check("total", points=1)
@given(values=LENGTHS)
def looks_inside(student: Any, values: list[int]) -> None:
    """The first item is the sum."""
    expect(student.total(values)[0]).equal(sum(values))


@pytest.mark.parametrize("result", [None, 5, [], {}])
def test_a_result_over_which_the_check_stumbles_is_the_students_failure(result: Any) -> None:
    solution = solution_of(total=lambda values: [sum(values)])
    search = searched(looks_inside, Here(total=lambda values: result), solution=solution)
    assert search.broken == ""
    assert search.finding is not None and search.finding.failure.outcome is Outcome.WRONG
    assert "not of the form that the docstring describes" in search.finding.failure.message


def test_a_check_that_stumbles_over_the_solution_too_decides_nothing() -> None:
    search = searched(looks_inside, Here(total=sum), solution=solution_of(total=sum))
    assert "TypeError" in search.broken
    assert search.finding is None
    assert search.count == 1


def test_without_a_solution_a_stumble_is_the_students() -> None:
    search = searched(looks_inside, Here(total=sum))
    assert search.broken == "" and search.finding is not None


def test_a_statement_that_the_solution_does_not_meet_either_decides_nothing() -> None:
    search = searched(sums, Here(total=len), solution=solution_of(total=len))
    assert "the total: 1; expected 0" in search.broken
    assert search.finding is None


def test_a_solution_that_fails_in_a_check_is_not_the_students_fault() -> None:
    def broken(values: list[int]) -> int:
        raise ZeroDivisionError

    reference = solution_of(total=broken)

    @check("total", points=1)
    def test_it(student: Any) -> None:
        """It agrees with the solution."""
        expect(student.total([1])).equal(reference.total([1]))

    search = searched(test_it, Here(total=sum), solution=reference)
    assert "ZeroDivisionError" in search.broken and search.finding is None


def test_a_worker_that_cannot_be_had_is_not_the_students_fault() -> None:
    def total(values: list[int]) -> int:
        raise WorkerUnavailable("no more processes")

    for solution in (None, solution_of(total=sum)):
        student = Here(total=total)
        search = searched(sums, student, solution=solution)
        assert "no more processes" in search.broken and search.finding is None
        assert student.count == 1


def test_what_the_solution_returns_is_not_noted_as_the_students() -> None:
    notes: list[str] = []
    token = accepted.set(notes.append)

    @check("total", points=1)
    def test_it(student: Any) -> None:
        """It is a tuple, then the sum."""
        expect(student.total([1])).equal((1,))
        expect(student.total([2])).equal((2,))

    try:
        searched(test_it, Here(total=lambda values: (9,)), solution=solution_of(total=list))
    finally:
        accepted.reset(token)
    assert notes == []


# --- with workers ---


SUBMISSION = '''
import random, time

calls = 0

def total(values):
    """Right in a fresh process, wrong later."""
    global calls
    calls += 1
    return sum(values) + (calls > 5)

def loops(values):
    while len(values) > 2:
        pass
    return sum(values)

def stub(values):
    raise NotImplementedError("stub: not written yet")

def half_written(values):
    if len(values) > 2:
        raise NotImplementedError("half_written: not written yet")
    return sum(values)

def other_form(values):
    return None
'''
NAMES = ("total", "loops", "stub", "half_written", "other_form", "totl")


@pytest.fixture(scope="module")
def subject() -> Iterator[Bench]:
    with bench(SUBMISSION) as ready:
        yield ready


def check_of(name: str) -> Any:
    @check(name, points=1, seconds=0.2)
    @given(values=LENGTHS)
    def test_it(student: Any, values: list[int]) -> None:
        """It is the sum."""
        result = getattr(student, name)(values)
        expect(result + 0).equal(sum(values))

    return test_it


def checked(subject: Bench, *names: str, solution: Callable[..., Any] = sum) -> list[CheckRun]:
    checking = Checking(subject, solution_of(**dict.fromkeys(NAMES, solution)), exercises=NAMES)
    for name in names:
        test = check_of(name)
        checking.run(test, test.__check__, "hidden", {"student": checking.student})
    return checking.runs


def test_what_is_right_in_a_fresh_process_gives_different_answers(subject: Bench) -> None:
    (run,) = checked(subject, "total")
    assert run.outcome is Outcome.WRONG and run.finding is not None
    assert run.finding.failure.returned == "gives different answers to the same call"
    assert "In a fresh process the same call gives the right answer" in run.finding.failure.message


def test_after_two_timeouts_an_exercise_is_not_called_again(subject: Bench) -> None:
    runs = checked(subject, *["loops"] * 4)
    assert [run.outcome for run in runs] == [Outcome.TIMED_OUT] * 4
    assert [run.skipped for run in runs] == [False, False, True, True]
    assert [run.calls for run in runs[2:]] == [0, 0]


def test_a_stub_is_called_by_one_check_alone(subject: Bench) -> None:
    runs = checked(subject, "stub", "stub", "half_written")
    assert [run.outcome for run in runs] == [Outcome.NOT_STARTED] * 3  # that of the whole exercise is a crash
    assert [run.calls > 0 for run in runs] == [True, False, True]


def test_the_outcome_says_whose_fault_a_stumble_is(subject: Bench) -> None:
    (run,) = checked(subject, "other_form")
    assert (run.outcome, run.broken) == (Outcome.WRONG, "")
    (run,) = checked(subject, "other_form", solution=lambda values: None)
    assert run.outcome is Outcome.UNGRADED and run.broken


def test_a_name_that_is_missing_but_nearly_there_is_a_crash(subject: Bench) -> None:
    checking = Checking(subject, None, exercises=("totals", "missing"))
    assert checking.nearest("totals") == "total"
    assert checking.nearest("missing") == ""
