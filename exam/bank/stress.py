"""Thousands of draws of every item, each looked at as a student might get it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from exam.bank.compile import ItemError, Maker
from exam.bank.model import Item
from exam.scoring import score
from exam.variants import Kind, Mistake, Number, Variant

MOST_REDRAWN = 0.9  # of draws: beyond that the parameters should be chosen better
SHOWN = 5  # problems of one item
_LEFT_OVER = re.compile(r"\{\{|\{%|\bnan\b|\bNone\b(?! of)|(?<![\w\\])inf\b")  # "}}" ends many a formula


@dataclass
class Stressed:
    """What thousands of draws of one item showed.

    Attributes:
        item: Its id.
        draws: How many variants were made.
        different: How many of them differ in stem or key.
        redrawn: How many draws of parameters were thrown away.
        problems: What is wrong, with the draw in which it shows.
        idle: Mistakes that never lead to an answer of their own.
    """

    item: str
    draws: int = 0
    different: int = 0
    redrawn: int = 0
    problems: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)


def stress(maker: Maker, item: Item, draws: int, say: Callable[[str], None] = lambda text: None) -> Stressed:
    """Draw variants of an item and look at each; an item without parameters has one."""
    found = Stressed(item.id)
    texts: set[str] = set()
    shown: set[str] = set()
    maker.redrawn = 0
    say(item.id)
    for draw in range(draws if item.parameters else 1):
        try:
            variant = maker.variant(item, draw)
        except ItemError as error:
            found.problems.append(str(error))
            break
        found.draws += 1
        texts.add(f"{variant.stem}\0{_answer(variant)}")
        shown |= _mistakes_of(variant)
        found.problems += [f"{item.id}, draw {draw}: {problem}" for problem in flaws(variant)]
        if len(found.problems) >= SHOWN:
            break
    found.different, found.redrawn = len(texts), maker.redrawn
    named = [each if isinstance(each, str) else each.name for each in getattr(item, "mistakes", ()) if _is_number(item)]
    found.idle = [name for name in named if name not in shown]
    found.problems += [f"{item.id}: the mistake {name!r} never leads to an answer of its own" for name in found.idle]
    if found.redrawn > MOST_REDRAWN * (found.draws + found.redrawn):
        found.problems.append(f"{item.id}: {found.redrawn} draws were thrown away for {found.draws}")
    return found


def _is_number(item: Item) -> bool:
    return item.type == "numeric" or (item.type == "single" and item.answer is not None)


def _answer(variant: Variant) -> str:
    if variant.number is not None:
        return variant.number.value
    return "|".join(sorted(option.text for option in variant.options if option.correct))


def _mistakes_of(variant: Variant) -> set[str]:
    if variant.number is not None:
        return {mistake.misconception for mistake in variant.number.mistakes}
    return {option.misconception for option in variant.options}


def flaws(variant: Variant) -> Iterator[str]:
    """What is wrong with one variant, as sentences."""
    accepted = variant.text.accept if variant.text is not None else ()
    for text in (*variant.texts, *accepted):
        if left := _LEFT_OVER.search(text):
            yield f"{left[0]!r} is left over in {text[max(0, left.start() - 20) : left.end() + 20]!r}"
    spelt = [" ".join(option.text.split()).casefold() for option in variant.options]
    if len(set(spelt)) < len(spelt):
        yield f"two options read alike: {sorted(spelt)}"
    if not all(spelt) or not variant.stem:
        yield "the stem or an option is empty"
    if len({option.id for option in variant.options}) < len(variant.options):
        yield "two options have one id"
    if variant.kind in (Kind.SINGLE, Kind.TRUE_FALSE) and [o.correct for o in variant.options].count(True) != 1:
        yield "not exactly one option is correct"
    if variant.number is not None:
        yield from _flaws_of_number(variant.number)
    if not score(variant, variant.key).correct:
        yield f"the key {variant.key!r} is not graded as right"
    for mistake in _wrong_answers(variant):
        if score(variant, mistake.value).correct:
            yield f"the mistake {mistake.misconception!r}, {mistake.value}, is graded as right"


def _wrong_answers(variant: Variant) -> tuple[Mistake, ...]:
    key = variant.number or variant.text
    return key.mistakes if key is not None else ()


def _flaws_of_number(number: Number) -> Iterator[str]:
    low, key, high = Decimal(number.low), Decimal(number.value), Decimal(number.high)
    if not low <= key <= high:
        yield f"the key {key} is not within its bounds {low} and {high}"
    ends = [(low, high, "the key")]
    for mistake in number.mistakes:
        least, most = Decimal(mistake.low), Decimal(mistake.high)
        for other_least, other_most, other in ends:
            if least <= other_most and most >= other_least:
                yield f"the mistake {mistake.misconception!r} ({mistake.value}) overlaps {other}"
        ends.append((least, most, repr(mistake.misconception)))
