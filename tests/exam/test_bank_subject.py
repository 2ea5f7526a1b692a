"""What items compute with: solutions and misconceptions loaded once, calls remembered and never mixed up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pydantic")

from exam.bank import subject
from exam.bank.subject import Subject, _remembering
from grader.course import Lesson
from grader.errors import UserError
from tests.support import course


def test_the_solution_is_loaded_once_and_so_is_each_misconception(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    load = subject._names
    monkeypatch.setattr(subject, "_names", lambda source, name: loaded.append(name) or load(source, name))
    of = Subject.of(lesson)
    for _ in range(3):
        assert of.right["zero_state_bytes"](1, 1, 0).total == 16
        assert of.wrong("no_master_copy")["zero_state_bytes"](1, 1, 0).total == 12
    assert len(loaded) == 2


def test_every_public_function_and_class_of_every_solution_is_there() -> None:
    for each in course().lessons():
        if each.solution.exists():
            names = Subject.of(each).right
            assert "on_ranks" in names and len(names) > 6 and not any(name.startswith("_") for name in names)


def test_every_misconception_can_be_loaded_into_its_solution() -> None:
    for each in course().lessons():
        if each.solution.exists():
            of = Subject.of(each)
            assert all(of.wrong(name).keys() >= of.right.keys() for name in of.known)


def test_an_unknown_misconception_is_told(lesson: Lesson) -> None:
    with pytest.raises(UserError, match="has no misconception 'no_such'"):
        Subject.of(lesson).wrong("no_such")


def counted() -> tuple[Any, list[Any]]:
    calls: list[Any] = []

    def total(*values: Any, **keywords: Any) -> Any:
        calls.append((values, keywords))
        return len(calls)

    return _remembering(total), calls


class Plain:
    """Nothing that could be compared."""


@pytest.mark.parametrize(
    "arguments",
    [
        *((1,), (1.0,), (True,), ("1",), (b"1",), (None,), ([1],), ((1,),), ({"a": 1},), ([1, [2, 3]],), (-0.0,)),
        *((np.float32(1),), (np.arange(3),), (np.arange(3.0),), (), (1, 2), ([1, 2],)),
    ],
)
def test_equal_arguments_are_called_once_and_others_again(arguments: tuple[Any, ...]) -> None:
    function, calls = counted()
    for other in [(1,), (1.0,), (True,), ([1],), ((1,),), (np.arange(3),), (0.0,)]:
        if repr(other) != repr(arguments):
            function(*other)
    before, count = function(*arguments), len(calls)
    assert function(*arguments) == before and len(calls) == count
    assert len({repr(call) for call in calls}) == len(calls)


def test_functions_of_a_solution_are_told_apart(lesson: Lesson) -> None:
    function, calls = counted()
    names = Subject.of(lesson).right
    shards, gathers = names["zero_state_bytes"], names["zero_sent_elements"]
    assert function(shards) == function(shards) != function(gathers) and len(calls) == 2


def test_long_arrays_are_told_apart_where_their_texts_are_the_same() -> None:
    function, calls = counted()
    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1
    assert repr(one) == repr(other) and function(one) != function(other) and function(one) == 1
    assert len(calls) == 2


def test_what_cannot_be_compared_is_called_each_time() -> None:
    function, calls = counted()
    same = Plain()
    assert function(same) != function(same) and function(np.array([same])) == 3 and len(calls) == 3


def test_keywords_count(lesson: Lesson) -> None:
    function, calls = counted()
    assert function(a=1) == function(a=1) != function(b=1) and len(calls) == 2
