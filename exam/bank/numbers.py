"""Numbers for people: rounded half up in decimal arithmetic, and the bounds within which an answer is right."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import SupportsFloat

import numpy as np

FLOAT_DIGITS = 15  # that a float64 is sure of; the rest is noise: 3 * 1.15 is 3.4499999999999997
BOUND_DIGITS = 12  # of bounds; what a tolerance needs no more of
TOLERANCE_DIGITS = 4  # of a tolerance that its bounds keep, also where the number is long
NUMBER_PATTERN = r"^-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$"  # what ``spelt`` writes
PLAIN_FROM, PLAIN_TO = -5, 15  # decimal exponents that are written without a power of ten


class NotANumber(ValueError):
    """A value that can't be printed as a decimal number."""


def decimal(value: SupportsFloat | Decimal) -> Decimal:
    """The number as its shortest decimal, without a float's last digits, which arithmetic has blurred.

    Raises:
        NotANumber: If it is none, infinite or not a number.
    """
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool | np.bool_):
        raise NotANumber(f"{value} is not a number")
    if isinstance(value, int):
        return Decimal(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise NotANumber(f"{value!r} is not a number") from None
    if not math.isfinite(number):
        raise NotANumber(f"{number} is not a finite number")
    return _SURE.create_decimal(repr(number))


_SURE = Context(prec=FLOAT_DIGITS, rounding=ROUND_HALF_UP)
_WIDE = Context(prec=60, rounding=ROUND_HALF_UP)


def to_figures(value: SupportsFloat, figures: int) -> Decimal:
    """Rounded half up to significant figures, with the zeros that belong to them: 2 to three is 2.00."""
    number = Context(prec=figures, rounding=ROUND_HALF_UP).plus(decimal(value))
    return number.quantize(Decimal(1).scaleb(number.adjusted() - figures + 1), context=_WIDE) if number else number


def to_decimals(value: SupportsFloat, places: int) -> Decimal:
    """Rounded half up to decimal places."""
    number = decimal(value)
    digits = max(number.adjusted() + places + 2, 2)
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=digits))


def is_exact(value: Decimal, figures: int = 0, decimals: int = -1) -> bool:
    """Whether rounding as a stem asks for leaves a number as it is."""
    return rounded(value, figures, decimals) == value


def rounded(value: SupportsFloat, figures: int = 0, decimals: int = -1) -> Decimal:
    """Rounded as a stem asks for: to decimals, to figures, or not at all."""
    if decimals >= 0:
        return to_decimals(value, decimals)
    return to_figures(value, figures) if figures else decimal(value)


def half_unit(value: Decimal, figures: int) -> Decimal:
    """Half a unit in the last of some significant figures of a number; of a 1 for zero."""
    exponent = value.adjusted() if value else 0
    return Decimal(5).scaleb(exponent - figures)


def spelt(value: Decimal) -> str:
    """The number as text that any program reads: plain, or with an exponent where it would be long."""
    if value == 0:
        return "0" if value.as_tuple().exponent == 0 else format(abs(value), "f")
    if PLAIN_FROM <= value.adjusted() <= PLAIN_TO:
        return format(value, "f")
    mantissa, _, exponent = format(value, "e").partition("e")
    return f"{mantissa}e{int(exponent)}"


def bound(value: Decimal, tolerance: Decimal = Decimal(0)) -> str:
    """A bound as text: to ``BOUND_DIGITS``, or to as many as its tolerance needs."""
    needed = value.adjusted() - tolerance.adjusted() + TOLERANCE_DIGITS if value and tolerance else 0
    context = Context(prec=max(BOUND_DIGITS, needed), rounding=ROUND_HALF_UP)
    return spelt(context.plus(value).normalize(context))


def with_thousands(value: SupportsFloat) -> str:
    """A number in groups of three digits, as "16,000"."""
    number = decimal(value)
    return format(number.normalize(_WIDE) if number == number.to_integral_value() else number, ",f")


def scientific(value: SupportsFloat, figures: int) -> str:
    r"""A number in LaTeX: "1.5 \times 10^{9}"; plain where the exponent is zero."""
    number = to_figures(value, figures)
    if number == 0:
        return "0"
    mantissa, _, exponent = format(number, f".{figures - 1}e").partition("e")
    power = int(exponent)
    return mantissa if power == 0 else rf"{mantissa} \times 10^{{{power}}}"


_PREFIXES = {12: "T", 9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n", -12: "p"}


def with_prefix(value: SupportsFloat, unit: str, figures: int = 3) -> str:
    """A number with an SI prefix: "1.5 GB"."""
    number = to_figures(value, figures)
    power = 0 if number == 0 else min(max(number.adjusted() // 3 * 3, -12), 12)
    return f"{format(number.scaleb(-power).normalize() + 0, 'f')} {_PREFIXES[power]}{unit}"
