"""Draws that never drift: a stream of SHA-256 hashes over a counter, and decimal arithmetic.

They depend on neither numpy's nor Python's generators, and each item, draw and purpose has a stream of its own, so
that an item more in a bank reshuffles nothing. ``VERSION`` is part of the key: it changes when the rules do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TypeVar

VERSION = "ai480 draws 1"
WORD_BITS = 64
UNIT_BITS = 53

_Choice = TypeVar("_Choice")
_EXACT = Context(prec=40, rounding=ROUND_HALF_UP)


class Draws:
    """A stream of draws that its names alone decide."""

    def __init__(self, *names: str | int) -> None:
        """The stream of these names: secret, item, number of the draw, purpose."""
        parts = [str(name).encode() for name in (VERSION, *names)]
        self._key = hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()
        self._count = 0

    def word(self) -> int:
        """The next 64 bits."""
        block = hashlib.sha256(self._key + self._count.to_bytes(8, "big")).digest()
        self._count += 1
        return int.from_bytes(block[: WORD_BITS // 8], "big")

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``, each as likely; what would favour some is drawn again."""
        fair = (1 << WORD_BITS) // bound * bound
        while (word := self.word()) >= fair:
            pass
        return word % bound

    def choice(self, items: Sequence[_Choice]) -> _Choice:
        """One of some items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[_Choice]) -> list[_Choice]:
        """The items in an order of its own (Fisher and Yates)."""
        found = list(items)
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]
        return found

    def unit(self) -> Decimal:
        """A number from 0 up to, and without, 1."""
        return Decimal(self.word() >> (WORD_BITS - UNIT_BITS)) / (1 << UNIT_BITS)

    def real(self, low: Decimal, high: Decimal, figures: int) -> Decimal:
        """A number between two bounds, to some significant figures."""
        return _within(_EXACT.add(low, _EXACT.multiply(_EXACT.subtract(high, low), self.unit())), low, high, figures)

    def log(self, low: Decimal, high: Decimal, figures: int) -> Decimal:
        """A number between two positive bounds whose logarithm is uniform, to some significant figures."""
        start, end = _EXACT.ln(low), _EXACT.ln(high)
        exponent = _EXACT.add(start, _EXACT.multiply(_EXACT.subtract(end, start), self.unit()))
        return _within(_EXACT.exp(exponent), low, high, figures)


def _within(value: Decimal, low: Decimal, high: Decimal, figures: int) -> Decimal:
    return min(max(Context(prec=figures, rounding=ROUND_HALF_UP).plus(value), low), high)
