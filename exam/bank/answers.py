"""Numbers that are asked for: the key, what counts as right, and what each mistake would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from exam.bank import numbers
from exam.bank.expressions import evaluate
from exam.bank.model import NumberAnswer
from exam.bank.subject import Names
from exam.variants import Mistake, Number

SAME = Decimal("1e-9")  # relative: a mistake as near to the key makes no difference in this draw
APART = 2  # tolerances that a mistake must keep away from the key
FEWEST_OPTIONS = 3

Bounds = tuple[Decimal, Decimal]


class Unsuitable(ValueError):
    """A draw in which the item does not work: its options or mistakes come too near to each other."""


@dataclass(frozen=True)
class Wrong:
    """A wrong number and the idea behind it."""

    misconception: str
    value: Any
    feedback: str


@dataclass(frozen=True)
class Choice:
    """A number as an option."""

    text: str
    correct: bool
    feedback: str
    misconception: str
    value: Decimal


def value_of(source: float | int | str, names: Names) -> Any:
    """A number, or what its expression gives."""
    return evaluate(source, names) if isinstance(source, str) else source


def number(answer: NumberAnswer, wrong: Sequence[Wrong], names: Names) -> Number:
    """The key of a numeric item with its bounds, and those of the mistakes.

    Raises:
        Unsuitable: If a mistake comes within twice the tolerance of the key.
        ValueError: If the rounded key is not within its bounds, or they take zero as well.
    """
    value = numbers.decimal(value_of(answer.value, names))
    key = numbers.rounded(value, answer.figures, answer.decimals)
    low, high = _bounds(answer, value, names)
    if not value and low == high:
        raise ValueError("the key is zero, and a relative tolerance of zero takes nothing else: add an absolute one")
    ends = f"{numbers.bound(low)} to {numbers.bound(high)}"
    if not low <= key <= high:
        raise ValueError(f"the key, rounded as asked for to {key}, is not within its tolerance, {ends}")
    if value and low <= 0 <= high and answer.tolerance is not None and answer.tolerance.range is None:
        raise ValueError(f"the tolerance is as large as the key {key}: it would take zero as well")
    return Number(
        value=numbers.spelt(key),
        low=numbers.bound(low, high - low),
        high=numbers.bound(high, high - low),
        unit=answer.unit,
        figures=answer.figures,
        decimals=answer.decimals,
        decimal_comma=answer.decimal_comma,
        mistakes=tuple(_mistakes(answer, value, (low, high), wrong, names)),
    )


def _bounds(answer: NumberAnswer, value: Decimal, names: Names) -> Bounds:
    """The least and the greatest number that counts as a value."""
    rule = answer.tolerance
    if rule is not None and rule.range is not None:
        low, high = (numbers.decimal(value_of(each, names)) for each in rule.range)
        return low, high
    if rule is None:  # half a unit in the last place that is asked for
        key = numbers.rounded(value, answer.figures, answer.decimals)
        half = (
            Decimal(5).scaleb(-answer.decimals - 1) if answer.decimals >= 0 else numbers.half_unit(key, answer.figures)
        )
        return key - half, key + half
    if rule.figures is not None:
        half = numbers.half_unit(value, rule.figures)
    else:
        relative = numbers.decimal(rule.relative or 0) * abs(value)
        half = max(relative, numbers.decimal(rule.absolute or 0))
    return value - half, value + half


def _mistakes(
    answer: NumberAnswer, value: Decimal, key_bounds: Bounds, wrong: Sequence[Wrong], names: Names
) -> list[Mistake]:
    """The mistakes that make a difference in this draw, of equal ones the first."""
    found: list[Mistake] = []
    taken: list[Bounds] = []
    for each in wrong:
        there = numbers.decimal(each.value)
        if _same(there, value):
            continue
        _require_apart(each, there, value, key_bounds)
        shown = numbers.rounded(there, answer.figures, answer.decimals)
        low, high = _bounds_of_mistake(answer, there, key_bounds, names)
        low, high = bounds = min(low, shown), max(high, shown)
        if _overlap(bounds, key_bounds):
            raise Unsuitable(f"the mistake {each.misconception!r} overlaps the key {numbers.bound(value)}")
        if not any(_overlap(bounds, other) for other in taken):
            taken.append(bounds)
            ends = [numbers.bound(end, high - low) for end in bounds]
            found.append(Mistake(numbers.spelt(shown), each.misconception, each.feedback, *ends))
    return found


def _bounds_of_mistake(answer: NumberAnswer, there: Decimal, key_bounds: Bounds, names: Names) -> Bounds:
    """As wide as those of the key would be there; a range says how wide that is."""
    if answer.tolerance is None or answer.tolerance.range is None:
        return _bounds(answer, there, names)
    half = (key_bounds[1] - key_bounds[0]) / 2
    return there - half, there + half


def _overlap(one: Bounds, other: Bounds) -> bool:
    return one[0] <= other[1] and one[1] >= other[0]


def _require_apart(wrong: Wrong, there: Decimal, value: Decimal, key_bounds: Bounds) -> None:
    low, high = key_bounds
    reach = APART * (high - low) / 2
    if abs(there - value) <= reach:
        raise Unsuitable(
            f"the mistake {wrong.misconception!r} gives {numbers.bound(there)}, within twice the tolerance of the key "
            f"{numbers.bound(value)}"
        )


def _same(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= SAME * max(abs(one), abs(other))


def choices(answer: NumberAnswer, wrong: Sequence[Wrong], names: Names) -> list[Choice]:
    """The key and the mistakes as options, from the smallest to the largest number.

    Raises:
        Unsuitable: If fewer than three differ, or one can't be told from the key once it is rounded, or comes
            within twice the tolerance of it.
    """
    value = numbers.decimal(value_of(answer.value, names))
    bounds = _bounds(answer, value, names)
    if answer.tolerance is None and numbers.is_exact(value, answer.figures, answer.decimals):
        bounds = (value, value)  # nothing was rounded: 6 and 7 messages are as far apart as they can be
    unit = f" {answer.unit}" if answer.unit else ""
    text = _printed(answer, value) + unit
    found = {text: Choice(text, True, "", "", value)}
    for each in wrong:
        there = numbers.decimal(each.value)
        if _same(there, value):
            continue
        text = _printed(answer, there) + unit
        if text in found and found[text].correct:
            raise Unsuitable(f"the mistake {each.misconception!r} is printed like the key, {text}")
        _require_apart(each, there, value, bounds)
        found.setdefault(text, Choice(text, False, each.feedback, each.misconception, there))
    if len(found) < FEWEST_OPTIONS:
        raise Unsuitable(f"only {len(found)} options differ: {', '.join(found)}")
    return sorted(found.values(), key=lambda choice: choice.value)


def _printed(answer: NumberAnswer, value: Decimal) -> str:
    text = numbers.spelt(numbers.rounded(value, answer.figures, answer.decimals))
    mantissa, _, exponent = text.partition("e")
    return rf"${mantissa} \times 10^{{{exponent}}}$" if exponent else text
