"""Arguments that exercises check."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grader.student import checked_float, checked_int, checked_vector


@pytest.mark.parametrize("value", [2, np.int64(2), np.uint8(2)])
def test_a_count_comes_back_as_a_plain_int(value: Any) -> None:
    assert checked_int("ranks", value, 1, 2) == 2 and type(checked_int("ranks", value, 1, 2)) is int


@pytest.mark.parametrize("value", [0, 3, True, np.True_, 2.0, "2", None, np.array([2])])
def test_what_is_no_such_int_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ValueError, match="ranks must be an int from 1 to 2, not "):
        checked_int("ranks", value, 1, 2)


def test_a_bound_that_is_not_there_is_not_spoken_of() -> None:
    with pytest.raises(ValueError, match=r"^steps must be an int of at least 1, not 0$"):
        checked_int("steps", 0, 1)


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.5), np.int8(1)])
def test_a_number_comes_back_as_a_plain_float(value: Any) -> None:
    assert checked_float("share", value, most=1.0) == value
    assert type(checked_float("share", value, most=1.0)) is float


@pytest.mark.parametrize("value", [-1e-300, 1.5, math.nan, math.inf, -math.inf])
def test_what_is_no_such_number_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ValueError, match="share must be finite and from 0 to 1, not "):
        checked_float("share", value, most=1.0)


def test_zero_is_not_positive() -> None:
    with pytest.raises(ValueError, match=r"^seconds must be finite and positive, not 0\.0$"):
        checked_float("seconds", 0.0, positive=True)


def test_text_is_no_number() -> None:
    with pytest.raises(TypeError):
        checked_float("seconds", "3")  # type: ignore[arg-type]


def test_a_vector_is_a_float64_copy() -> None:
    given = np.arange(3)
    vector = checked_vector("buffer", given)  # type: ignore[arg-type]
    vector[0] = 9
    assert vector.dtype == np.float64 and given[0] == 0


@pytest.mark.parametrize("values", [1.0, [[1.0]], np.zeros((0, 2))])
def test_other_dimensions_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="buffer must be one-dimensional, not of shape"):
        checked_vector("buffer", values)
