"""A solution with one of everything, its stub, and the smallest solution there is."""

from __future__ import annotations

SOLUTION = '''"""Lesson 4 · Number formats.

Outcomes:
    4a  derive a format's limits
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from grader.student import Comm, FloatArray, exercise

Algorithm = Literal["ring", "math"]  # which way round
Pair = tuple[int, int]
Hidden = dict[str, int]
T = TypeVar("T")

BYTES = 4
DEFAULT_WIDTH = BYTES * 2
_SECRET = {"ring": 1}
# What one chip can do.
H100 = {"peak": 989.0}


class Kind(Enum):
    """Which formats there are."""

    IEEE = "ieee"
    FN = "fn"


# One result.
# Two lines about it.
@dataclass(frozen=True)
class Limits:
    """The limits of a format."""

    largest: float
    codes: tuple[int, ...] = field(default_factory=tuple)

    def half(self) -> float:
        """Half of the largest."""
        return _halved(self.largest)


class _Walker:
    """Walks."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> float: ...  # a method of a protocol


def _halved(value: float) -> float:
    return value / 2


def helper(values: Sequence[float]) -> float:
    """A public function that is no exercise."""
    return math.fsum(values)


# The trick is to count from the end.
@exercise(outcome="4a", minutes=15, difficulty=1)
def limits(
    width: int = DEFAULT_WIDTH,  # in bits
    *,
    algorithm: Algorithm = "ring",
    quoted: "Pair | None" = None,
) -> Limits:  # noqa: D417
    r"""State the limits of a format: \\alpha.

    Example:
        >>> limits(8)
        Limits(largest=1.0, codes=())
        >>> H100["peak"]
        989.0
    """
    answer = _SECRET[algorithm] + math.log2(width)  # secret
    return Limits(answer)


@exercise(outcome="4b", minutes=30, core=False, collectives=["all_reduce", "barrier"])
def reduce(comm: Comm, values: FloatArray, key: Callable[[T], T] = lambda each: each) -> FloatArray:
    """Reduce. ›Ümläute‹

    Example:
        >>> on_ranks(reduce, [[1.0]])
        [array([1.])]
    """; secret = 7
    return np.asarray(helper(values))


@exercise(outcome="4c", minutes=45, difficulty=3)
class LossScaler:
    """Scale a loss.

    Example:
        >>> LossScaler(2.0).scale(1.0)
        2.0
    """

    growth: float = 2.0
    interval: int
    _tracker: int = 0
    shared = {"secret": 1}

    def __init__(self, init: float = 65536.0) -> None:
        """Begin with a scale."""
        self._scale = init

    # The trick is here too.
    def scale(self, loss: float) -> float:
        """Multiply a loss.

        Example:
            >>> LossScaler(4.0).scale(0.5)
            2.0
        """
        return self._now() * loss

    @property
    def current(self) -> float: return self._scale

    @staticmethod
    def finite(
        values: Sequence[float],
    ) -> bool:
        # undocumented
        return all(map(math.isfinite, values))

    def _now(self) -> float:
        return self._scale


if __name__ == "__main__":
    print(limits())
'''

STUB = '''"""Lesson 4 · Number formats.

Outcomes:
    4a  derive a format's limits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, Protocol, TypeVar

import numpy as np

from grader.student import Comm, FloatArray, exercise

Algorithm = Literal["ring", "math"]  # which way round
Pair = tuple[int, int]
T = TypeVar("T")

BYTES = 4
DEFAULT_WIDTH = BYTES * 2
# What one chip can do.
H100 = {"peak": 989.0}


class Kind(Enum):
    """Which formats there are."""

    IEEE = "ieee"
    FN = "fn"


# One result.
# Two lines about it.
@dataclass(frozen=True)
class Limits:
    """The limits of a format."""

    largest: float
    codes: tuple[int, ...] = field(default_factory=tuple)

    def half(self) -> float:
        """Half of the largest."""
        return _halved(self.largest)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> float: ...  # a method of a protocol


def _halved(value: float) -> float:
    return value / 2


@exercise(outcome="4a", minutes=15, difficulty=1)
def limits(
    width: int = DEFAULT_WIDTH,  # in bits
    *,
    algorithm: Algorithm = "ring",
    quoted: "Pair | None" = None,
) -> Limits:  # noqa: D417
    r"""State the limits of a format: \\alpha.

    Example:
        >>> limits(8)
        Limits(largest=1.0, codes=())
        >>> H100["peak"]
        989.0
    """
    raise NotImplementedError("limits: not written yet")


@exercise(outcome="4b", minutes=30, core=False, collectives=["all_reduce", "barrier"])
def reduce(comm: Comm, values: FloatArray, key: Callable[[T], T] = lambda each: each) -> FloatArray:
    """Reduce. ›Ümläute‹

    Example:
        >>> on_ranks(reduce, [[1.0]])
        [array([1.])]
    """
    raise NotImplementedError("reduce: not written yet")


@exercise(outcome="4c", minutes=45, difficulty=3)
class LossScaler:
    """Scale a loss.

    Example:
        >>> LossScaler(2.0).scale(1.0)
        2.0
    """

    growth: float = 2.0
    interval: int

    def __init__(self, init: float = 65536.0) -> None:
        """Begin with a scale."""
        raise NotImplementedError("LossScaler.__init__: not written yet")

    def scale(self, loss: float) -> float:
        """Multiply a loss.

        Example:
            >>> LossScaler(4.0).scale(0.5)
            2.0
        """
        raise NotImplementedError("LossScaler.scale: not written yet")

    @property
    def current(self) -> float:
        raise NotImplementedError("LossScaler.current: not written yet")

    @staticmethod
    def finite(
        values: Sequence[float],
    ) -> bool:
        raise NotImplementedError("LossScaler.finite: not written yet")
'''


def small(body: str = "return 1", decorator: str = 'outcome="1a", minutes=5', docstring: str | None = None) -> str:
    """A solution with one exercise."""
    text = "Return one.\n\n    Example:\n        >>> one()\n        1\n    " if docstring is None else docstring
    quoted = f'    """{text}"""\n' if text else ""
    start = "import math\n\nimport numpy as np\n\nfrom grader.student import exercise\n\n\n"
    return f"{start}@exercise({decorator})\ndef one() -> int:\n{quoted}    {body}\n"
