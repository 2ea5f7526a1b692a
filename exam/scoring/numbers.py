"""Numbers as people type them: signs, exponents, groups of three digits, a decimal comma where declared, a unit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

MOST_CHARACTERS = 100
MOST_EXPONENT = 400  # as far as a float64 reaches, and beyond
_MINUS = str.maketrans(dict.fromkeys("\u2212\u2013\u2012\ufe63\uff0d", "-"))
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SPACES = "[ \u00a0\u2009\u202f]"
_MICRO = str.maketrans({"\u03bc": "\u00b5"})  # the Greek letter for the sign


@dataclass(frozen=True)
class Typed:
    """A number that was typed, and the unit after it."""

    value: Decimal
    unit: str


def read(text: str, *, decimal_comma: bool = False) -> Typed | None:
    """The number, or None where it is none that can be told for sure.

    A point (or, if so declared, a comma) separates decimals. The other one may group digits, as spaces may: then
    every group but the first has three digits. "16,000" is 16000, and "16,0" is nothing.
    """
    text = text.strip().translate(_MINUS)
    if not text or len(text) > MOST_CHARACTERS:
        return None
    found = _PATTERNS[decimal_comma].fullmatch(text)
    if found is None:
        return None
    whole = re.sub(rf"{_SPACES}|[.,]", "", found["whole"])
    fraction = found["fraction"] or ""
    if not whole and not fraction:
        return None
    exponent = int((found["e"] or found["ten"] or found["super"] or "0").translate(_SUPERSCRIPTS))
    if abs(exponent) > MOST_EXPONENT:
        return None
    value = Decimal(f"{found['sign'] or ''}{whole or 0}.{fraction or 0}e{exponent}")  # exact, whatever its length
    return Typed(value, (found["unit"] or "").strip())


def _pattern(point: str, group: str) -> re.Pattern[str]:
    grouped = rf"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]{{1,3}}(?:{_SPACES}[0-9]{{3}})+|[0-9]*"
    return re.compile(
        rf"(?P<sign>[-+])?\s*(?P<whole>{grouped})(?:{point}(?P<fraction>[0-9]*))?"
        rf"(?:[eE](?P<e>[-+]?[0-9]{{1,4}})|\s*[×x*·]\s*10(?:\^\{{?(?P<ten>[-+]?[0-9]{{1,4}})\}}?|(?P<super>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]{{1,5}})))?"
        rf"(?P<unit>\s*[^\s0-9.,+-].*)?",
        re.DOTALL,
    )


_PATTERNS = {False: _pattern(r"\.", ","), True: _pattern(",", r"\.")}


def same_unit(one: str, other: str) -> bool:
    """Whether two units are spelt alike; capitals count (Gb is no GB)."""
    return _spelling(one) == _spelling(other)


def _spelling(unit: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFC", unit).translate(_MICRO))
