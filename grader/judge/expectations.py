"""``expect(value, "what it is")``: comparisons whose failures say what there was and what there should be."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.judge.calls import show
from grader.judge.compare import EXACT, Tolerance, accepted_as, difference
from grader.judge.failures import RETURNS_NONE, CheckFailed

RESULTS = "what each rank returned"
FORMULA = 1e-9  # relative; what a formula in float64 may lose over a few dozen operations, with room

# Where notes about what was accepted go while a check runs.
accepted: contextvars.ContextVar[Callable[[str], None] | None] = contextvars.ContextVar("accepted", default=None)
# Who hears that a comparison held, while a check runs: what fails later is about later calls.
held: contextvars.ContextVar[Callable[[], None] | None] = contextvars.ContextVar("held", default=None)


class Expectation:
    """A value that a check looks at, and what may be said of it."""

    def __init__(self, value: Any, what: str = "") -> None:
        """Look at ``value``; ``what`` names it in the message ("messages sent by each rank")."""
        self._value, self._what = value, what

    def equal(self, want: Any) -> None:
        """It is exactly this, in a container that means the same."""
        self._compare(want, EXACT)

    def close(self, want: Any, rel: float = FORMULA, abs: float = 0.0) -> None:  # noqa: A002 - as pytest.approx has it
        """Its numbers are these, within ``rel`` of each or ``abs``, whichever is more."""
        self._compare(want, Tolerance(rel, abs))

    def all_equal(self, want: Any) -> None:
        """Each entry, one per rank, is exactly this."""
        self._compare_ranks(want, EXACT)

    def all_close(self, want: Any, rel: float = FORMULA, abs: float = 0.0) -> None:  # noqa: A002 - likewise
        """The numbers of each entry, one per rank, are these within the tolerance."""
        self._compare_ranks(want, Tolerance(rel, abs))

    def at_most(self, bound: float) -> None:
        """It is not above ``bound``."""
        self._number(f"at most {show(bound)}", lambda value: value <= bound)

    def at_least(self, bound: float) -> None:
        """It is not below ``bound``."""
        self._number(f"at least {show(bound)}", lambda value: value >= bound)

    def between(self, low: float, high: float) -> None:
        """It is not below ``low`` and not above ``high``."""
        self._number(f"from {show(low)} to {show(high)}", lambda value: low <= value <= high)

    def is_true(self, statement: str) -> None:
        """It is True; ``statement`` says what holds then."""
        if not self._value:
            raise CheckFailed("this does not hold", statement, what=self._what, compared=True)
        _hold()

    def _compare(self, want: Any, tolerance: Tolerance) -> None:
        found = difference(self._value, want, tolerance)
        if found is not None:
            message = _message(self._value, found, want)
            raise CheckFailed(show(self._value), show(want), what=self._what, message=message, compared=True)
        self._note(self._value, want)
        _hold()

    def _compare_ranks(self, want: Any, tolerance: Tolerance) -> None:
        for rank, value in enumerate(self._value):
            found = difference(value, want, tolerance)
            if found is not None:
                verb = " returned" if self._what in ("", RESULTS) else ":"
                got = f"rank {rank}{verb} {show(value)}"
                what = "" if self._what == RESULTS else self._what
                raise CheckFailed(got, show(want), what=what, message=_message(value, found, want), compared=True)
            self._note(value, want)
        _hold()

    def _number(self, wanted: str, holds: Callable[[Any], bool]) -> None:
        value = self._value
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not holds(value):
            raise CheckFailed(show(value), wanted, what=self._what, compared=True)
        _hold()

    def _note(self, value: Any, want: Any) -> None:
        note = accepted.get()
        text = accepted_as(value, want) if note is not None else ""
        if note is not None and text:
            note(text)


def _hold() -> None:
    if (hear := held.get()) is not None:
        hear()


def _message(value: Any, found: str, want: Any) -> str:
    """Where the difference is, if that is worth a line of its own: not for single numbers."""
    if value is None:
        return RETURNS_NONE
    many = isinstance(want, np.ndarray | list | tuple | dict) and not found.startswith("it is ")
    return found if many else ""


def expect(value: Any, what: str = "") -> Expectation:
    """Say what a check expects of a value; see ``Expectation``."""
    return Expectation(value, what)


def rounding_error(*parts: Any, terms: int) -> float:
    """How far a float64 sum of ``terms`` numbers may be off, whatever their order: terms · 2⁻⁵² · Σ|part|.

    The bound for recursive summation is (n-1)·u·Σ|xᵢ| with u = 2⁻⁵³ (Higham, Accuracy and Stability of Numerical
    Algorithms, section 4.2); twice that covers the reference's own error.
    """
    total = sum(float(np.sum(np.abs(part))) for part in parts)
    return max(1, terms) * 2.0**-52 * total
