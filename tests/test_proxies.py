"""``student.f(...)``: which call is made, and what a check hears of its answer."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.judge.calls import Answer, Call, Run
from grader.judge.failures import CheckFailed, Unfinished
from grader.judge.proxies import Proxy
from grader.results import Outcome
from grader.worker.comm import Event


def facts(kind: str, text: str = "", *bases: str, frames: Any = ()) -> dict[str, Any]:
    return {"type": kind, "bases": [kind, *bases, "Exception"], "text": text, "frames": list(frames)}


def run_of(results: list[Any], **more: Any) -> Run:
    size = len(results)
    outcomes = more.pop("outcomes", ["returned"] * size)
    return Run(results, more.pop("traces", [[] for _ in range(size)]), outcomes, more.pop("unreceived", []), **more)


class Performer:
    """Answers every call alike and remembers them."""

    def __init__(self, answer: Answer | Callable[[Call], Answer]) -> None:
        self.answer = answer
        self.calls: list[Call] = []

    def perform(self, call: Call) -> Answer:
        self.calls.append(call)
        return copy.copy(self.answer) if isinstance(self.answer, Answer) else self.answer(call)


def student(answer: Answer | Callable[[Call], Answer]) -> Proxy:
    return Proxy(Performer(answer))


def failing(use: Callable[[], Any], kind: type[CheckFailed | Unfinished] = CheckFailed) -> CheckFailed:
    with pytest.raises(kind) as caught:
        use()
    return caught.value.failure if isinstance(caught.value, Unfinished) else caught.value


RAISED = Answer("raised", facts("ValueError", "no", frames=[[3, "f"], [7, "helper"]]))
STUB = Answer("raised", facts("NotImplementedError", "f: not written yet", "RuntimeError"))


# --- which call is made ---


def test_calls_are_made_as_they_stand() -> None:
    performer = Performer(Answer("returned", 5))
    proxy = Proxy(performer)
    assert proxy.f(1, [2], k=3) == 5
    assert performer.calls == [Call("f", (1, [2]), {"k": 3})]


def test_calls_on_ranks_are_made_as_they_stand() -> None:
    performer = Performer(Answer("returned", [1, 2], run=run_of([1, 2])))
    run = Proxy(performer).f.on_ranks([[1.0], [2.0]], "shared", rendezvous=True, k=3)
    assert run.results == [1, 2]
    assert performer.calls == [Call("f", ("shared",), {"k": 3}, ([1.0], [2.0]), rendezvous=True)]


def test_each_call_is_watched_before_it_is_made() -> None:
    watched: list[Call] = []
    performer = Performer(lambda call: Answer("returned", len(watched)))
    proxy = Proxy(performer, watched.append)
    assert [proxy.f(), proxy.g(1)] == [1, 2]
    assert watched == performer.calls


def test_a_proxy_has_no_private_functions() -> None:
    proxy = student(RAISED)
    for name in ("__len__", "_private", "__wrapped__"):
        with pytest.raises(AttributeError):
            getattr(proxy, name)
    assert proxy.f.__name__ == "f"


def test_a_sequence_is_one_call() -> None:
    performer = Performer(Answer("returned", [["returned", 1], ["returned", None]]))
    assert Proxy(performer).C.sequence((2.0,), [("scale", 1.0), ("read",)], growth=2) == [1, None]
    assert performer.calls == [Call("C", (2.0,), {"growth": 2}, steps=(("scale", (1.0,), {}), ("read", (), {})))]


def test_a_step_that_raises_fails_with_its_name() -> None:
    answer = Answer("returned", [["returned", 1], ["raised", facts("KeyError", "'a'", frames=[[3, "read"]])]])
    failed = failing(lambda: student(answer).C.sequence((), [("scale",), ("read",)]))
    assert failed.returned == "read() raised KeyError: 'a'" and failed.outcome is Outcome.CRASHED
    assert failed.message == "line 3, in read"


# --- answers that are no value ---


@pytest.mark.parametrize("kind", ["__call__", "keeps_arguments"])
def test_an_exception_is_a_crash_at_the_students_own_line(kind: str) -> None:
    failed = failing(lambda: getattr(student(RAISED).f, kind)(1))
    assert (failed.outcome, failed.returned, failed.message) == (
        Outcome.CRASHED,
        "raised ValueError: no",
        "line 7, in helper",
    )


@pytest.mark.parametrize(
    ("answer", "outcome", "returned", "ends"),
    [
        (STUB, Outcome.NOT_STARTED, "not written yet", True),
        (
            Answer("raised", facts("NotImplementedError", "later")),
            Outcome.CRASHED,
            "raised NotImplementedError: later",
            False,
        ),
        (Answer("raised", facts("MemoryError")), Outcome.OUT_OF_MEMORY, "raised MemoryError", False),
        (
            Answer("raised", facts("_ArrayMemoryError", "1 TB", "MemoryError")),
            Outcome.OUT_OF_MEMORY,
            "raised _ArrayMemoryError: 1 TB",
            False,
        ),
        (Answer("unsupported", "a generator"), Outcome.WRONG, "returned a generator", False),
        (Answer("timed_out", "2 s of computing"), Outcome.TIMED_OUT, "returned nothing, after 2 s of computing", True),
        (
            Answer("died", "the process ended itself with exit code 0"),
            Outcome.CRASHED,
            "returned nothing: the process ended itself with exit code 0",
            True,
        ),
        (
            Answer("forged", "bytes after the reply"),
            Outcome.CRASHED,
            "sent what is not an answer: bytes after the reply",
            True,
        ),
        (
            Answer("deadlock", "rank 0 waits for rank 1", run=run_of([None, None])),
            Outcome.WRONG,
            "every rank waits: rank 0 waits for rank 1",
            False,
        ),
    ],
)
def test_what_became_of_a_call_is_told(answer: Answer, outcome: Outcome, returned: str, ends: bool) -> None:
    failed = failing(lambda: student(answer).f(1), Unfinished if ends else CheckFailed)
    assert (failed.outcome, failed.returned) == (outcome, returned)


def test_the_failing_rank_is_named() -> None:
    answer = Answer("raised", RAISED.value, 1, run=run_of([None, None], outcomes=["abandoned", "ValueError"]))
    assert failing(lambda: student(answer).f.on_ranks([1, 2])).returned == "rank 1 raised ValueError: no"
    answer = Answer("raised", RAISED.value, 0, run=run_of([None], outcomes=["ValueError"]))
    assert failing(lambda: student(answer).f.on_ranks([1])).returned == "raised ValueError: no"


def test_messages_that_nobody_received_fail_a_run() -> None:
    answer = Answer("returned", [1, 2], run=run_of([1, 2], unreceived=[(0, 1, 3), (0, 1, 4)]))
    failed = failing(lambda: student(answer).f.on_ranks([1, 2]))
    assert failed.returned == "2 left over, the first of 3 elements from rank 0 to rank 1"
    assert failed.what == "messages that nobody received" and failed.outcome is Outcome.WRONG


# --- must_raise ---


def test_an_exception_that_must_be_raised_is_content() -> None:
    student(RAISED).f.must_raise(ValueError, -1)
    student(Answer("raised", facts("LinAlgError", "", "ValueError"))).f.must_raise(ValueError, -1)


@pytest.mark.parametrize(
    ("answer", "returned", "outcome"),
    [
        (Answer("returned", [1.0]), "[1.0]", Outcome.WRONG),
        (RAISED, "raised ValueError: no", Outcome.WRONG),
        (Answer("unsupported", "a set"), "returned a set", Outcome.WRONG),
        (Answer("raised", facts("MemoryError")), "raised MemoryError", Outcome.OUT_OF_MEMORY),
    ],
)
def test_anything_else_than_the_exception_fails(answer: Answer, returned: str, outcome: Outcome) -> None:
    failed = failing(lambda: student(answer).f.must_raise(TypeError, -1))
    assert (failed.returned, failed.outcome) == (returned, outcome)


@pytest.mark.parametrize("answer", [STUB, Answer("timed_out", "2 s"), Answer("died", "x"), Answer("forged", "x")])
def test_what_ends_a_search_ends_it_where_an_exception_is_expected(answer: Answer) -> None:
    for error in (NotImplementedError, ValueError):
        failing(lambda: student(answer).f.must_raise(error, 1), Unfinished)  # noqa: B023 - called at once


def ranks_that(*errors: str | None) -> Answer:
    """Ranks that raised these, returned (None), or waited ("")."""
    outcomes = ["returned" if error is None else error or "abandoned" for error in errors]
    found = {
        rank: facts(error, "", "ValueError" if error == "Own" else "Base") for rank, error in enumerate(errors) if error
    }
    run = run_of([None] * len(errors), outcomes=outcomes, errors=found)
    lowest = min(found, default=None)
    if lowest is None:
        return Answer("returned", [None] * len(errors), run=run)
    return Answer("raised", found[lowest], lowest, run=run)


def test_every_rank_must_raise() -> None:
    student(ranks_that("ValueError", "ValueError")).f.on_ranks_must_raise(ValueError, [1, 2])
    student(ranks_that("ValueError", "Own")).f.on_ranks_must_raise(ValueError, [1, 2])


@pytest.mark.parametrize(
    ("errors", "told"),
    [
        (("ValueError", None), "rank 1 returned"),
        (("ValueError", ""), "rank 1 waited for a message"),
        (("ValueError", "KeyError"), "rank 1 raised KeyError"),
        ((None, "ValueError"), "rank 0 returned"),
        (("KeyError", "ValueError"), "rank 0 raised KeyError"),
        ((None, None), "[None, None]"),
    ],
)
def test_a_rank_that_does_something_else_is_named(errors: tuple[str | None, ...], told: str) -> None:
    failed = failing(lambda: student(ranks_that(*errors)).f.on_ranks_must_raise(ValueError, [1, 2]))
    assert failed.returned.startswith(told)


# --- keeps_arguments ---


def leaving(*positional: Any, **keywords: Any) -> Answer:
    return Answer("returned", "result", arguments=(positional, keywords))


def test_arguments_that_are_as_before_are_content() -> None:
    answer = leaving(np.ones(2), (1.0, 2.0), "a function", k={"a": [3.0]})
    assert student(answer).f.keeps_arguments(np.ones(2), [1, 2], len, k={"a": [3]}) == "result"


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (leaving(np.array([1.0, 2.0]), [1], k=[1]), "its argument 1: [1] is 2.0, not 1.0 as before"),
        (leaving(np.ones(2), [1, 9], k=[1]), "its argument 2: it has shape (2,), not (1,) as before"),
        (leaving(np.ones(2), [1], k=[2]), "its argument k: [0] is 2, not 1 as before"),
    ],
)
def test_a_changed_argument_is_named(answer: Answer, named: str) -> None:
    failed = failing(lambda: student(answer).f.keeps_arguments(np.ones(2), [1], k=[1]))
    assert named in failed.message and failed.outcome is Outcome.WRONG


@pytest.mark.parametrize(
    "arguments", [None, ((), {}), ((np.ones(2),), {}), ((np.ones(2), [1], 3), {"k": [1]}), (1, 2), "ab"]
)
def test_arguments_that_are_gone_or_no_arguments_fail(arguments: Any) -> None:
    answer = Answer("returned", "result", arguments=arguments)
    with pytest.raises((CheckFailed, TypeError, ValueError, AttributeError)):
        student(answer).f.keeps_arguments(np.ones(2), [1], k=[1])


def test_arguments_are_asked_for_after_the_call() -> None:
    performer = Performer(leaving(1))
    Proxy(performer).f.keeps_arguments(1)
    assert performer.calls[0].look_back


def test_arguments_of_every_rank_are_looked_at_keywords_too() -> None:
    def answer(last: Any, keyword: Any) -> Answer:
        arguments = [(([1.0], "s"), {"k": [1]}), ((last, "s"), {"k": keyword})]
        return Answer("returned", [0, 0], run=run_of([0, 0], arguments=arguments), arguments=arguments)

    assert student(answer([2.0], [1])).f.on_ranks_keeps_arguments([[1.0], [2.0]], "s", k=[1]).results == [0, 0]
    failed = failing(lambda: student(answer([3.0], [1])).f.on_ranks_keeps_arguments([[1.0], [2.0]], "s", k=[1]))
    assert "its argument 1 on rank 1" in failed.message
    failed = failing(lambda: student(answer([2.0], [5])).f.on_ranks_keeps_arguments([[1.0], [2.0]], "s", k=[1]))
    assert "its argument k on rank 1" in failed.message


def test_a_run_comes_back_whole() -> None:
    run = run_of([1], traces=[[Event("send", 0, 2, 16)]])
    found = student(Answer("returned", [1], run=run)).f.on_ranks([1])
    assert found is run and found.elements_sent == 2
