"""Submissions that are wrong in another way than any listed misconception of lesson 6, many of them only slightly.

Each is written like a misconception: as edits of the solution, or as a whole function. None may be named. ``near`` is
the misconception that it could be taken for, and ``where`` says on which legal inputs the two differ.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.judge.bench import Source
from grader.judge.misconceptions import Misconception, apply

Change = tuple[str, str] | tuple[str, str, str]


@dataclass(frozen=True)
class NearMiss:
    """A wrong submission.

    Attributes:
        name: A name of its own.
        of: The exercise that it gets wrong.
        near: A listed misconception that it resembles.
        where: How it differs from that one.
        changes: Edits of the solution: the text, what stands there instead, and the helper if it is in one.
        function: The source of a whole function in its place, and its name.
    """

    name: str
    of: str
    near: str
    where: str
    changes: tuple[Change, ...] = ()
    function: tuple[str, str] = ("", "")

    def source(self, solution: Source) -> Source:
        """The solution with this mistake in it."""
        if self.function[0]:
            return apply(Misconception(self.name, self.of, "", "", function=self.function), solution)
        for text, wrote, *within in self.changes:
            edit = Misconception(self.name, self.of, "", "", text, wrote, *within)
            solution = apply(edit, solution)
        return solution


class Collection(list[NearMiss]):
    """Near misses in the order in which they are written down."""

    def edit(self, name: str, *changes: Change, of: str, near: str, where: str) -> None:
        """Add one that is the solution with changes."""
        self.append(NearMiss(name, of, near, where, changes))

    def function(self, name: str, *, of: str, near: str, where: str) -> Callable[[Callable[..., Any]], None]:
        """Add one that is a whole function."""

        def take(function: Callable[..., Any]) -> None:
            source = textwrap.dedent(inspect.getsource(function))
            body = source[source.index("def ") :]
            self.append(NearMiss(name, of, near, where, function=(body, function.__name__)))

        return take


def collected() -> Sequence[NearMiss]:
    """All near misses."""
    from tests.diagnosis import (
        misses_of_all_reduces,
        misses_of_buckets,
        misses_of_costs,
        misses_of_halving,
        misses_of_ranks,
        misses_of_steps,
    )

    parts = (
        misses_of_costs,
        misses_of_ranks,
        misses_of_all_reduces,
        misses_of_halving,
        misses_of_buckets,
        misses_of_steps,
    )
    return [miss for part in parts for miss in part.MISSES]
