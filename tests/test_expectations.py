"""``expect``: when it is content, and what it says when it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.judge.expectations import Expectation, accepted, expect, rounding_error
from grader.judge.failures import CheckFailed
from grader.results import Outcome
from grader.worker.wire import Record


def failure(value: Any, what: str, claim: Callable[[Expectation], None]) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        claim(expect(value, what))
    assert caught.value.outcome is Outcome.WRONG
    return caught.value


def test_what_holds_is_passed_over_in_silence() -> None:
    expect([1, 2.0]).equal((1, 2))
    expect(1.0 + 1e-12).close(1.0)
    expect(np.array([1.0, 2.0])).close([1.1, 2.1], rel=0.1)
    expect(1e-3).close(0.0, abs=1e-2)
    expect([(1, 2), [1, 2]]).all_equal((1, 2))
    expect([np.array([1.0]), [1.0 + 1e-12]]).all_close([1.0])
    expect(3).at_most(3)
    expect(np.array(3.0)).at_least(3)
    expect(np.int64(2)).between(1, 2)
    expect(1 < 2).is_true("one is less than two")


def test_a_wrong_value_is_told_with_what_it_should_be() -> None:
    failed = failure([1, 2], "the rounds", lambda e: e.equal([1, 3]))
    assert (failed.returned, failed.expected, failed.what) == ("[1, 2]", "[1, 3]", "the rounds")
    assert failed.message == "[1] is 2, not 3"


def test_a_single_number_needs_no_place() -> None:
    failed = failure(2, "", lambda e: e.equal(3))
    assert (failed.returned, failed.expected, failed.what, failed.message) == ("2", "3", "", "")
    assert failure([1], "", lambda e: e.equal([1, 2])).message == "it has shape (1,), not (2,)"


def test_the_field_of_a_record_is_named() -> None:
    want = Record("Step", ["params", "grad"], [[1.0], [2.0]])
    assert failure(([1.0], [3.0]), "", lambda e: e.close(want)).message == ".grad[0] is 3.0, not 2.0"


def test_none_gets_a_hint_of_its_own() -> None:
    assert "It returned None" in failure(None, "", lambda e: e.equal([1])).message


def test_tolerances_are_those_that_were_given() -> None:
    expect(1.0 + 5e-10).close(1.0)
    failure(1.0 + 5e-9, "", lambda e: e.close(1.0))
    failure(1.0 + 5e-10, "", lambda e: e.equal(1.0))
    failure(1e-300, "", lambda e: e.close(0.0))
    expect([1.0 + 5e-4]).all_close(1.0, rel=1e-3)
    failure([1.0 + 5e-4], "", lambda e: e.all_close(1.0))


def test_the_rank_that_differs_is_named() -> None:
    failed = failure([[1.0], [2.0]], "what each rank returned", lambda e: e.all_equal([1.0]))
    assert (failed.returned, failed.expected, failed.what) == ("rank 1 returned [2.0]", "[1.0]", "")
    failed = failure([3, 4], "messages of each rank", lambda e: e.all_equal(3))
    assert (failed.returned, failed.what) == ("rank 1: 4", "messages of each rank")


@pytest.mark.parametrize(
    ("value", "claim", "wanted"),
    [
        (4, lambda e: e.at_most(3), "at most 3"),
        (2.5, lambda e: e.at_least(3), "at least 3"),
        (0, lambda e: e.between(1, 2), "from 1 to 2"),
        (3, lambda e: e.between(1, 2), "from 1 to 2"),
        (float("nan"), lambda e: e.at_most(3), "at most 3"),
        (float("nan"), lambda e: e.at_least(3), "at least 3"),
        (float("nan"), lambda e: e.between(1, 2), "from 1 to 2"),
        (True, lambda e: e.at_most(3), "at most 3"),
        (None, lambda e: e.at_most(3), "at most 3"),
        ("1", lambda e: e.at_most(3), "at most 3"),
        ([1], lambda e: e.at_most(3), "at most 3"),
        (np.array([1]), lambda e: e.at_most(3), "at most 3"),
        (1j, lambda e: e.at_most(3), "at most 3"),
        (np.complex128(1), lambda e: e.at_most(3), "at most 3"),
    ],
)
def test_what_is_no_number_within_bounds_fails(value: Any, claim: Callable[[Expectation], None], wanted: str) -> None:
    failed = failure(value, "the time", claim)
    assert (failed.expected, failed.what) == (wanted, "the time")


def test_a_statement_that_does_not_hold_is_told() -> None:
    failed = failure(False, "buckets", lambda e: e.is_true("every parameter is in one bucket"))
    assert (failed.returned, failed.expected) == ("this does not hold", "every parameter is in one bucket")


def test_what_was_accepted_is_noted_while_a_check_listens() -> None:
    notes: list[str] = []
    expect([1, 2]).equal((1, 2))
    token = accepted.set(notes.append)
    try:
        expect([1, 2]).equal((1, 2))
        expect(np.float32(0.5)).close(0.5)
        expect([[1.0], (1.0,)]).all_equal(np.array([1.0]))
        with pytest.raises(CheckFailed):
            expect([1, 2]).equal((1, 3))
    finally:
        accepted.reset(token)
    assert notes == [
        "a list where a tuple is asked for",
        "float32 where float64 is asked for",
        "a list where an array is asked for",
        "a tuple where an array is asked for",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_sums_in_any_order_are_within_the_rounding_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(2000) * 10.0 ** rng.integers(-8, 8, 2000)
    forward, backward = 0.0, 0.0
    for value in values:
        forward += value
    for value in values[::-1]:
        backward += value
    bound = rounding_error(values, terms=len(values))
    assert 0 < abs(forward - backward) <= bound
    assert bound < 1e-9 * float(np.abs(values).sum())


def test_rounding_errors_add_up_over_parts() -> None:
    assert rounding_error(3.0, np.array([-1.0]), [1.0, 1.0], terms=10) == 10 * 2.0**-52 * 6.0
    assert rounding_error(1.0, terms=0) == 2.0**-52
    assert rounding_error(terms=3) == 0.0
