"""Bounds of numeric keys, as targets have them: a middle and a tolerance."""

from __future__ import annotations

from decimal import Decimal

from exam.variants import Mistake, Number


def middle_and_tolerance(key: Number | Mistake) -> tuple[str, str]:
    """The number in the middle of the bounds (the key itself where it is that) and the distance to either."""
    low, high, value = Decimal(key.low), Decimal(key.high), Decimal(key.value)
    half = (high - low) / 2
    middle = low + half
    return plain(value if value == middle else middle), plain(half)


def is_symmetric(key: Number) -> bool:
    """Whether the key stands in the middle of its bounds."""
    return Decimal(key.value) * 2 == Decimal(key.low) + Decimal(key.high)


def plain(value: Decimal) -> str:
    """A number without an exponent where it is not very long."""
    value = value.normalize() + 0
    return format(value, "f") if -20 < value.adjusted() < 20 else format(value, "e")
