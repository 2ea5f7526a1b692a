"""Rules about a bank as a whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from exam.bank.lint import bots
from exam.bank.lint.findings import Finding, Severity
from exam.bank.load import Bank
from exam.variants import Kind, Pool, Variant

ALIKE = 0.8  # shared part of two stems' word triples
FEWEST_OF_A_POOL = 14
PARAMETRISED = 0.5
SHINGLE = 3


def findings(bank: Bank, variants: Sequence[Variant], outcomes: Sequence[str]) -> Iterator[Finding]:
    """What is wrong with a bank.

    Args:
        bank: The bank.
        variants: One of each item, in the bank's order.
        outcomes: The lesson's outcomes.
    """
    yield from _alike(variants)
    yield from _cues(variants)
    yield from _coverage(bank, outcomes)
    yield from _shares(bank)
    yield from _tricks(variants)
    yield from _unused_ideas(bank, variants)


def _warning(rule: str, text: str, item: str = "") -> Finding:
    return Finding(Severity.WARNING, item, rule, text)


def _alike(variants: Sequence[Variant]) -> Iterator[Finding]:
    shingles = {variant.item: _shingles(variant.stem) for variant in variants}
    for one, other in combinations(shingles, 2):
        both, either = shingles[one] & shingles[other], shingles[one] | shingles[other]
        if either and len(both) / len(either) > ALIKE:
            yield Finding(Severity.ERROR, other, "alike", f"its stem is nearly that of {one}")


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)}


def _cues(variants: Sequence[Variant]) -> Iterator[Finding]:
    """A text that is asked for must not stand in another stem of the same pool."""
    for variant in variants:
        if variant.text is None:
            continue
        for other in variants:
            if other.item == variant.item or other.pool is not variant.pool or _are_enemies(variant, other):
                continue
            stem = " ".join(other.stem.split()).casefold()
            if any(re.search(rf"\b{re.escape(text.casefold())}\b", stem) for text in variant.text.accept):
                yield _warning("cue", f"the stem of {other.item} gives the answer away", variant.item)


def _are_enemies(one: Variant, other: Variant) -> bool:
    return bool(one.family) and one.family == other.family


def _coverage(bank: Bank, outcomes: Sequence[str]) -> Iterator[Finding]:
    for pool in Pool:
        items = [item for item in bank.items if item.pool == pool.value]
        if len(items) < FEWEST_OF_A_POOL:
            yield _warning("pool", f"{len(items)} items for {pool}; {FEWEST_OF_A_POOL} are wanted")
        covered = {item.outcome for item in items}
        for outcome in outcomes:
            if outcome not in covered:
                yield _warning("outcome", f"no item for {pool} about outcome {outcome}")
        for difficulty in (1, 2, 3):
            if all(item.difficulty != difficulty for item in items):
                yield _warning("difficulty", f"no item for {pool} of difficulty {difficulty}")
    for item in bank.items:
        if outcomes and item.outcome not in outcomes:
            text = f"the lesson has no outcome {item.outcome}"
            yield Finding(Severity.ERROR, item.id, "outcome", text)


def _shares(bank: Bank) -> Iterator[Finding]:
    drawn = sum(bool(item.parameters) for item in bank.items)
    if drawn < PARAMETRISED * len(bank.items):
        yield _warning("parameters", f"{drawn} of {len(bank.items)} items have parameters; half are wanted")
    kinds = Counter(item.type for item in bank.items)
    unused = [kind.value for kind in Kind if kind.value not in kinds]
    if unused:
        yield _warning("kinds", f"no item of type {', '.join(unused)}")


def _tricks(variants: Sequence[Variant]) -> Iterator[Finding]:
    for score in bots.scores(variants):
        if score.knows_a_trick:
            yield _warning(
                "trick",
                f"who always takes {score.bot} gets {score.hits:.1f} of {score.items} right, where guessing gives "
                f"{score.chance:.1f} (as likely as {score.likelihood:.2g})",
            )


def _unused_ideas(bank: Bank, variants: Sequence[Variant]) -> Iterator[Finding]:
    used = {option.misconception for variant in variants for option in variant.options}
    for item in bank.items:
        for mistake in getattr(item, "mistakes", ()):
            used.add(mistake if isinstance(mistake, str) else getattr(mistake, "name", "") or mistake.misconception)
        used.add(getattr(item, "misconception", ""))
    for name in bank.ideas:
        if name not in used:
            yield _warning("idea", f"the idea {name!r} is used by no item")
