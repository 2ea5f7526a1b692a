"""What a student's file imports: the communicator, types, and the mark of an exercise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arguments import checked_float, checked_int, checked_vector
from .comm import Comm, Request
from .hardware import ACCELERATORS, Accelerator
from .threads import Deadlock, on_ranks

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Marked = TypeVar("Marked", bound=Callable[..., Any])

__all__ = [
    "ACCELERATORS",
    "Accelerator",
    "Comm",
    "Deadlock",
    "FloatArray",
    "IntArray",
    "Request",
    "checked_float",
    "checked_int",
    "checked_vector",
    "exercise",
    "on_ranks",
]


def exercise(
    *, outcome: str, minutes: int, core: bool = True, difficulty: int = 2, collectives: Sequence[str] = ()
) -> Callable[[Marked], Marked]:
    """Mark a function or class as an exercise.

    Args:
        outcome: The learning outcome, "6a".
        minutes: How long it takes.
        core: Whether it is on the short path through the lesson.
        difficulty: 1 a warm-up, 2 a standard exercise, 3 an algorithm or a simulator.
        collectives: Which collectives of ``comm`` it may use; send and recv are always there.
    """

    def mark(function: Marked) -> Marked:
        facts = {"outcome": outcome, "minutes": minutes, "core": core, "difficulty": difficulty}
        function.__exercise__ = {**facts, "collectives": tuple(collectives)}  # type: ignore[attr-defined]
        return function

    return mark
