"""What means the same, what does not, and where the first difference is."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.compare import EXACT, FLOAT32_RELATIVE, Tolerance, accepted_as, difference
from grader.worker import wire
from grader.worker.wire import Record

LOOSE = Tolerance(relative=1e-6, absolute=1e-9)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Plan:
    name: str
    steps: Any


class Liar:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


RECORD = Record("Point", ["x", "y"], [1.0, [2, 3]])

SAME = [
    (3, 3.0),
    (3.0, 3),
    (np.float64(3), 3),
    (np.array(3), 3.0),
    (3, np.array(3)),
    (3, np.int8(3)),
    (3 + 0j, 3),
    (np.float32(0.1), 0.1),
    (0.1, np.float64(0.1)),
    (math.nan, math.nan),
    (math.inf, np.inf),
    (-0.0, 0.0),
    (True, True),
    (np.True_, True),
    (np.array(True), np.bool_(True)),
    ("a", "a"),
    (b"a", b"a"),
    (None, None),
    ([1, 2], (1, 2)),
    ((1, 2), np.array([1, 2])),
    (np.array([1.0, 2.0]), [1, 2]),
    ([np.array([1.0]), np.array([2.0])], [[1], [2]]),
    ([[1, 2], [3]], ((1, 2), (3,))),
    (np.array([0.1], np.float32), [0.1]),
    ([], np.array([])),
    ([], ()),
    (np.zeros((0, 3)), []),
    (RECORD, (1.0, [2, 3])),
    ((1.0, [2, 3]), RECORD),
    (RECORD, Point(1, (2, 3))),
    (Record("Plan", ["name", "steps"], ["a", [1]]), Plan("a", [1])),
    ({"a": 1}, {"a": 1.0}),
    ({1: [np.array(2.0)]}, {1: (2,)}),
    ([True, False], np.array([True, False])),
    ([None, "a", 1], (None, "a", 1.0)),
    (1 << 70, 1 << 70),
    ([1 << 70], [1 << 70]),
    (np.array([1 << 62]), [1 << 62]),
    (np.array([math.nan, 1.0]), [math.nan, 1.0]),
    (np.array([1j]), [1j]),
    ([[]], [[]]),
]


@pytest.mark.parametrize(("got", "want"), SAME, ids=repr)
def test_what_means_the_same_is_no_difference(got: Any, want: Any) -> None:
    assert difference(got, want) is None


DIFFERENT = [
    (2, 3, "it is 2, not 3"),
    (math.nan, 1.0, "it is nan, not 1.0"),
    (1.0, math.nan, "it is 1.0, not nan"),
    (1e300, math.inf, "it is 1e+300, not inf"),
    (-math.inf, math.inf, "it is -inf, not inf"),
    (1, True, "it is 1, not True"),
    (True, 1, "it is True, not 1"),
    (np.True_, 1, "it is True, not 1"),
    (1, "1", "it is 1, not '1'"),
    ("1", 1, "it is '1', not 1"),
    (b"a", "a", "it is b'a', not 'a'"),
    (None, 0, "it is None, not 0"),
    (0, None, "it is 0, not None"),
    (None, [], "it is None, not []"),
    ([1], 1, "it is [1], not 1"),
    (1, [1], "it is 1, not [1]"),
    (np.array([1]), 1, "it is array([1]), not 1"),
    ("ab", ["a", "b"], "it is 'ab', not ['a', 'b']"),
    ([1, 2], [1, 3], "[1] is 2, not 3"),
    ([[1, 2], [3, 4]], np.array([[1, 2], [3, 5]]), "[1, 1] is 4, not 5"),
    ([1], [1, 2], "it has shape (1,), not (2,)"),
    ([[1]], [1], "it has shape (1, 1), not (1,)"),
    (["a"], ["a", "b"], "it has 1 entry, not 2"),
    ([], [1], "it has shape (0,), not (1,)"),
    ([1, True], [1, 1], "[1] is True, not 1"),
    ([[1, True]], [[1, 1]], "[0][1] is True, not 1"),
    ([np.True_, 2], [1, 2], "[0] is True, not 1"),
    ([1, 1], [1, True], "[1] is 1, not True"),
    (np.array([True]), [1], "it is array([ True]), not"),
    ([1, None], [1, 2], "[1] is None, not 2"),
    ([1, "2"], [1, 2], "[1] is '2', not 2"),
    ([[1], [2, 3]], [[1], [2, 4]], "[1][1] is 3, not 4"),
    (RECORD, (1.0, [2, 4]), "[1][1] is 3, not 4"),
    ((1.0, [2, 4]), RECORD, ".y[1] is 4, not 3"),
    ((1.0, [2, 4]), Point(1.0, [2, 3]), ".y[1] is 4, not 3"),
    (Record("Plan", ["name", "steps"], ["a", [1]]), Plan("a", [2]), ".steps[0] is 1, not 2"),
    ({"a": 1}, {"a": 2}, "['a'] is 1, not 2"),
    ({}, {"a": 2}, "it has no entry for 'a'"),
    ({"a": 2, "b": 3}, {"a": 2}, "it has an entry for 'b', which does not belong there"),
    ([{"a": [1]}], [{"a": [2]}], "[0]['a'][0] is 1, not 2"),
    ([("a", 1)], {"a": 1}, "it is [('a', 1)], not {'a': 1}"),
    ((1 << 70) + 1, 1 << 70, "it is 1180591620717411303425, not 1180591620717411303424"),
    ([(1 << 60) + 1], [1 << 60], "[0] is 1152921504606846977, not 1152921504606846976"),
    ([[(1 << 60) + 1]], [[1 << 60]], "[0][0] is 1152921504606846977, not 1152921504606846976"),
    (1 << 2000, 1.0, "not 1.0"),
    (1.0, 1 << 2000, "it is 1.0, not"),
    (1 << 20_000, 1, "it is an int of 20,001 bits, not 1"),
    (0.1 + 1e-12, 0.1, "it is 0.1000000000010"),
]


@pytest.mark.parametrize(("got", "want", "place"), DIFFERENT, ids=lambda value: value if isinstance(value, str) else "")
def test_the_first_difference_is_told_with_its_place(got: Any, want: Any, place: str) -> None:
    found = difference(got, want)
    assert found is not None and place in found


@pytest.mark.parametrize(
    ("got", "want", "tolerance", "same"),
    [
        (1.0 + 9e-7, 1.0, LOOSE, True),
        (1.0 + 2e-6, 1.0, LOOSE, False),
        (9e-10, 0.0, LOOSE, True),
        (2e-9, 0.0, LOOSE, False),
        (1e6 + 0.9, 1e6, LOOSE, True),
        ([1e6 + 0.9, 0.0], np.array([1e6, 9e-10]), LOOSE, True),
        ([1e6 + 1.1, 0.0], np.array([1e6, 0.0]), LOOSE, False),
        (1.0, math.nan, Tolerance(1.0, 1.0), False),
        (math.nan, 1.0, Tolerance(1.0, 1.0), False),
        (1.0, math.inf, Tolerance(1.0, math.inf), False),
        ([1.0], [math.inf], Tolerance(1.0, math.inf), False),
        (math.inf, 1.0, LOOSE, False),
        ([math.inf], [1.0], LOOSE, False),
        ([math.nan], [1.0], LOOSE, False),
        (1 + 1e-7j, 1.0, LOOSE, True),
        (1 + 1e-5j, 1.0, LOOSE, False),
        (np.float32(1 + FLOAT32_RELATIVE), 1.0, EXACT, True),
        (np.float32(1 + 4 * FLOAT32_RELATIVE), 1.0, EXACT, False),
        (np.array([1 + 4 * FLOAT32_RELATIVE], np.float32), [1.0], EXACT, False),
        (1 + FLOAT32_RELATIVE, 1.0, EXACT, False),
        (np.float16(0.1), 0.1, EXACT, False),
        ({"a": [1.0 + 9e-7]}, {"a": [1.0]}, LOOSE, True),
        (Record("P", ["x"], [1.0 + 9e-7]), Record("P", ["x"], [1.0]), LOOSE, True),
        (101, 100, Tolerance(relative=0.01), True),
        (102, 100, Tolerance(relative=0.01), False),
    ],
)
def test_tolerance_is_relative_to_what_is_expected_or_absolute(
    got: Any, want: Any, tolerance: Tolerance, same: bool
) -> None:
    assert (difference(got, want, tolerance) is None) is same


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
        | st.builds(Point, inner, inner)
        | st.lists(st.floats(), max_size=3).map(np.array)
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=100)
@given(plain)
def test_everything_is_the_same_as_itself_after_crossing(value: Any) -> None:
    crossed = wire.unpack(wire.pack({}, value))[1]
    assert difference(crossed, value) is None
    assert difference(value, crossed) is None


@settings(deadline=None, max_examples=150)
@given(plain, plain, st.sampled_from([EXACT, LOOSE]))
def test_a_comparison_always_says_something_and_the_same_for_lists_and_tuples(
    one: Any, other: Any, tolerance: Tolerance
) -> None:
    found = difference(one, other, tolerance)
    assert found is None or (isinstance(found, str) and found)
    assert (difference([one], (other,), tolerance) is None) is (found is None)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=5), st.data())
def test_arrays_and_lists_are_compared_alike(want: list[float], data: st.DataObject) -> None:
    got = [value + data.draw(st.sampled_from([0.0, 1e-12, 1e-7, 1e-3])) for value in want]
    for tolerance in (EXACT, LOOSE):
        item_by_item = all(difference(*pair, tolerance) is None for pair in zip(got, want, strict=True))
        assert (difference(got, want, tolerance) is None) is item_by_item
        assert (difference(np.array(got), np.array(want), tolerance) is None) is item_by_item


def test_an_expectation_that_is_no_data_is_an_error_of_the_check() -> None:
    for want in (object(), len, (n for n in "ab"), Liar()):
        with pytest.raises(TypeError, match="a check expects a"):
            difference(1, want)


def test_sets_may_be_expected_of_what_the_judge_counted() -> None:
    assert difference({0: {1, 2}}, {0: {2, 1}}) is None
    assert difference({0: {1}}, {0: {2}}) == "[0] is {1}, not {2}"


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (np.float32(1), 1.0, "float32 where float64 is asked for"),
        (np.ones(2, np.float32), np.ones(2), "float32 where float64 is asked for"),
        ([1, 2], (1, 2), "a list where a tuple is asked for"),
        ([1.0, 2.0], np.ones(2), "a list where an array is asked for"),
        ((1.0, 2.0), np.ones(2), "a tuple where an array is asked for"),
        (3.0, 3, "a float where an int is asked for"),
        (np.array(3.0), 3.0, "a 0-d array where a number is asked for"),
        (3, 3, ""),
        (3, 3.0, ""),
        (3.0, True, ""),
        (np.ones(2), np.ones(2), ""),
        ((1, 2), (1, 2), ""),
        ((1, 2), [1, 2], ""),
        ("a", "a", ""),
        (RECORD, RECORD, ""),
    ],
)
def test_what_was_accepted_is_said(got: Any, want: Any, said: str) -> None:
    assert accepted_as(got, want) == said
