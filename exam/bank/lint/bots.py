"""Test-wise bots: they know no lesson, only how items tend to be written. On a good bank they score at chance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exam.bank.lint.findings import content_words, length
from exam.bank.lint.item_rules import ABSOLUTE, ALL_OR_NONE
from exam.variants import Kind, Option, Variant

RARE = Fraction(1, 100)  # how likely such a score may be by chance before it is no chance any more
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")

Bot = Callable[[Variant], Sequence[Option]]


@dataclass(frozen=True)
class BotScore:
    """How a bot does.

    Attributes:
        bot: What it does.
        hits: Items that it gets right, in expectation where it can't decide.
        chance: What guessing would give.
        items: On how many items.
        likelihood: How likely it is to do as well by guessing.
    """

    bot: str
    hits: float
    chance: float
    items: int
    likelihood: float

    @property
    def knows_a_trick(self) -> bool:
        """Whether it does better than chance explains."""
        return self.likelihood < RARE


def _longest(variant: Variant) -> list[Option]:
    most = max(length(option.text) for option in variant.options)
    return [option for option in variant.options if length(option.text) == most]


def _shortest(variant: Variant) -> list[Option]:
    least = min(length(option.text) for option in variant.options)
    return [option for option in variant.options if length(option.text) == least]


def _by_number(variant: Variant) -> list[Option]:
    """Options by their first number, if all have one."""
    found = [_NUMBER.search(option.text) for option in variant.options]
    if not all(found):
        return list(variant.options)
    order = sorted(zip(found, variant.options, strict=True), key=lambda pair: float(pair[0][0]) if pair[0] else 0.0)
    return [option for _, option in order]


def _largest(variant: Variant) -> list[Option]:
    return _by_number(variant)[-1:] if _has_numbers(variant) else list(variant.options)


def _smallest(variant: Variant) -> list[Option]:
    return _by_number(variant)[:1] if _has_numbers(variant) else list(variant.options)


def _middle(variant: Variant) -> list[Option]:
    return _by_number(variant)[1:-1] or list(variant.options) if _has_numbers(variant) else list(variant.options)


def _has_numbers(variant: Variant) -> bool:
    return all(_NUMBER.search(option.text) for option in variant.options)


def _echo(variant: Variant) -> list[Option]:
    stem = content_words(variant.stem)
    shared = [len(content_words(option.text) & stem) for option in variant.options]
    return [option for option, count in zip(variant.options, shared, strict=True) if count == max(shared)]


def _careful(variant: Variant) -> list[Option]:
    """Never what says always, all or none."""
    careful = [o for o in variant.options if not ABSOLUTE.search(o.text) and not ALL_OR_NONE.search(o.text)]
    return careful or list(variant.options)


def _first(variant: Variant) -> list[Option]:
    return list(variant.options[:1])


def _last(variant: Variant) -> list[Option]:
    return list(variant.options[-1:])


BOTS: dict[str, Bot] = {
    "the longest option": _longest,
    "the shortest option": _shortest,
    "the largest number": _largest,
    "the smallest number": _smallest,
    "a number in the middle": _middle,
    "what repeats the stem": _echo,
    "nothing that says always or all": _careful,
    "the first option": _first,
    "the last option": _last,
}


def scores(variants: Sequence[Variant]) -> Iterator[BotScore]:
    """How each bot does on the single choices, and whether "true" is right more often than not."""
    singles = [variant for variant in variants if variant.kind is Kind.SINGLE]
    if singles:
        for name, bot in BOTS.items():
            yield _score(name, [(bot(variant), variant) for variant in singles])
    statements = [variant for variant in variants if variant.kind is Kind.TRUE_FALSE]
    if statements:
        for word in ("true", "false"):
            yield _score(f"always {word}", [([v.option(word)], v) for v in statements])


def _score(name: str, choices: Sequence[tuple[Sequence[Option], Variant]]) -> BotScore:
    """Where a bot leaves several options it takes one by chance; where it leaves all, the item tells nothing."""
    decided = [(chosen, variant) for chosen, variant in choices if len(chosen) < len(variant.options)]
    hits = sum((Fraction(sum(o.correct for o in chosen), len(chosen)) for chosen, _ in decided), Fraction(0))
    chances = [Fraction(1, len(variant.options)) for _, variant in decided]
    likelihood = _at_least(hits, chances)
    return BotScore(name, float(hits), float(sum(chances)), len(decided), float(likelihood))


def _at_least(hits: Fraction, chances: Sequence[Fraction]) -> float:
    """How likely it is to have at least so many hits where each item has a chance of its own."""
    ways = [1.0]
    for chance in map(float, chances):
        ways = [
            (ways[k] * (1 - chance) if k < len(ways) else 0.0) + (ways[k - 1] * chance if k else 0.0)
            for k in range(len(ways) + 1)
        ]
    needed = -(-hits.numerator // hits.denominator) if hits else 0
    return sum(ways[needed:]) if needed < len(ways) else 0.0
