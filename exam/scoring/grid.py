"""The responses on which every other way to grade is compared with ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from exam.variants import Kind, Number, Variant

MOST_SUBSETS = 6  # options of which every subset is tried
MOST_ORDERS = 4  # steps of which every order is tried


def responses(variant: Variant) -> list[Any]:
    """The key, what is wrong in each way, and both sides of every border; None (no answer) first."""
    found = [None, variant.key, *_MAKERS[variant.kind](variant)]
    return [one for place, one in enumerate(found) if one not in found[:place]]


def _single(variant: Variant) -> Iterator[Any]:
    yield from (option.id for option in variant.options)


def _multiple(variant: Variant) -> Iterator[Any]:
    ids = [option.id for option in variant.options]
    yield from ([], ids)
    if len(ids) <= MOST_SUBSETS:
        for size in range(1, len(ids)):
            yield from map(list, itertools.combinations(ids, size))
        return
    for one in ids:
        yield from ([one], [other for other in ids if other != one])
    key = variant.key
    yield from ([*key[:place], *key[place + 1 :]] for place in range(len(key)))
    yield from ([*key, one] for one in ids if one not in key)


def _numeric(variant: Variant) -> Iterator[Any]:
    key = variant.number
    assert key is not None
    for text in (key.low, key.high):
        border = Decimal(text)
        step = last_place(border)
        yield from (_typed(border + change, key) for change in (-step, 0, step))
    for mistake in key.mistakes:
        yield from (_typed(Decimal(each), key) for each in (mistake.value, mistake.low, mistake.high))
    value = Decimal(key.value)
    yield from (_typed(each, key) for each in (-value, value * 1000, value / 1000, Decimal(0)))


def last_place(value: Decimal) -> Decimal:
    """A unit in the last place of a number as it is written."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(1).scaleb(exponent)


def _typed(value: Decimal, key: Number) -> str:
    text = format(value, "f") if -8 < value.adjusted() < 18 else format(value, "e")
    return text.replace(".", ",") if key.decimal_comma else text


def _text(variant: Variant) -> Iterator[Any]:
    key = variant.text
    assert key is not None
    for text in key.accept:
        yield from (text, text.upper(), text.lower(), f"  {text} ", f"{text}x")
    yield from (mistake.value for mistake in key.mistakes)


def _matching(variant: Variant) -> Iterator[Any]:
    key = variant.key
    lefts, rights = list(key), [option.id for option in variant.options]
    yield {}
    for left in lefts:
        yield from ({**key, left: right} for right in rights)
        yield {left: key[left]}
    yield dict(zip(lefts, [*list(key.values())[1:], key[lefts[0]]], strict=True))
    yield from (dict.fromkeys(lefts, right) for right in rights)


def _ordering(variant: Variant) -> Iterator[Any]:
    order = list(variant.order)
    if len(order) <= MOST_ORDERS:
        yield from map(list, itertools.permutations(order))
        return
    yield order[::-1]
    yield [*order[1:], order[0]]
    for place in range(len(order) - 1):
        yield [*order[:place], order[place + 1], order[place], *order[place + 2 :]]


_MAKERS = {
    Kind.SINGLE: _single,
    Kind.TRUE_FALSE: _single,
    Kind.MULTIPLE: _multiple,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
