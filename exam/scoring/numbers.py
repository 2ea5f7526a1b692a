"""Numbers as people type them, read exactly; what could mean two things is not read at all.

Read are "-3", "−3", "+3", ".5", "5.", "1.5e9", "1.5 × 10^9", "1.5*10**9", "1.5·10⁹" and "10^9". Commas, spaces,
apostrophes or underscores, all of one sort, may part groups of three digits: "16,000" is sixteen thousand; "16,00"
and "0,500" are nothing. Where an item declares a decimal comma, comma and point change places.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

MOST_CHARACTERS = 100
MOST_EXPONENT = 400  # as far as a float64 reaches, and beyond
_MINUS = str.maketrans(dict.fromkeys("\u2212\u2013\u2012\ufe63\uff0d", "-"))
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_APART = " \u00a0\u2009\u202f'\u2019_"  # spaces of several widths, apostrophes, underscore
_WORD = r"(?:[^\W\d_⁰⁴-₉¹²³¼-¾]+[²³]?|[%‰°×])"
_UNIT = re.compile(rf"{_WORD}(?:\s?[/·⋅*^]\s?(?:{_WORD}|-?[0-9]))*")
_MOST_OF_A_UNIT = 20


@dataclass(frozen=True)
class Typed:
    """A number that was typed, and the unit after it."""

    value: Decimal
    unit: str


def read(text: str, *, decimal_comma: bool = False, unit: str = "") -> Typed | None:
    """The number, or None where it is none that can be told for sure, or more than a unit follows.

    Args:
        text: What was typed.
        decimal_comma: Whether a comma separates the decimals; otherwise a point does.
        unit: A unit that may follow, of whatever form; others are taken for units if they look like one.
    """
    text = unicodedata.normalize("NFC", text).strip().translate(_MINUS)
    found = _PATTERNS[decimal_comma].match(text) if len(text) <= MOST_CHARACTERS else None
    value = _value(found) if found is not None else None
    if found is None or value is None:
        return None
    rest = text[found.end() :].strip()
    looks_like_one = len(rest) <= _MOST_OF_A_UNIT and _UNIT.fullmatch(rest)
    if rest and not looks_like_one and not (unit and same_unit(rest, unit)):
        return None
    return Typed(value, rest)


def _value(found: re.Match[str]) -> Decimal | None:
    typed = found["e"] or found["times"] or found["power"] or "0"
    exponent = int(re.sub("[^-0-9]", "", typed.translate(_RAISED)))
    if abs(exponent) > MOST_EXPONENT:
        return None
    sign, whole, fraction = found["sign"], re.sub("[^0-9]", "", found["whole"] or ""), (found["fraction"] or "")[1:]
    if found["power"]:
        whole = "1"
    if not whole and not fraction:
        return None
    return Decimal(f"{sign}{whole or 0}.{fraction or 0}e{exponent}")  # exact, whatever its length


def _pattern(point: str, group: str) -> re.Pattern[str]:
    """A number at the start of a text, up to where no other digit follows."""
    grouped = rf"[1-9][0-9]{{0,2}}(?P<mark>[{group}{_APART}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*(?![0-9])"
    raised = r"(?:(?:\^|\*\*)[{(]?[-+]?[0-9]{1,4}[})]?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})"
    exponent = rf"[eE](?P<e>[-+]?[0-9]{{1,4}})|\s*[×x*·⋅]\s*10(?P<times>{raised})"
    mantissa = rf"(?P<whole>{grouped}|[0-9]*)(?P<fraction>[{point}][0-9]*)?"
    number = rf"10(?P<power>{raised})|{mantissa}(?:{exponent})?"
    return re.compile(rf"(?P<sign>[-+]?)\s?(?:{number})(?![0-9.,])")


_PATTERNS = {False: _pattern(".", ","), True: _pattern(",", ".")}


def same_unit(one: str, other: str) -> bool:
    """Whether two units are spelt alike, but for spaces and the ways to write a micro sign or a power.

    Capitals count: Gb is no GB.
    """
    return _spelling(one) == _spelling(other)


def _spelling(unit: str) -> str:
    return re.sub(r"[\s^]", "", unicodedata.normalize("NFKC", unit))
