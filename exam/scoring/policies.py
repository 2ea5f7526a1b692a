"""Partial credit, by name: exact fractions, never below nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from exam.variants import Policy

NOTHING, EVERYTHING = Fraction(0), Fraction(1)


def of_selection(policy: Policy, chosen: Collection[str], right: Collection[str], wrong: Collection[str]) -> Fraction:
    """What a selection is worth, where ``right`` options and no ``wrong`` ones should be chosen.

    Everything selected is worth nothing under any policy, unless everything is right: not even under
    ``right_minus_wrong``, where the right ones may be more than the wrong ones.
    """
    hits, slips = len(set(chosen) & set(right)), len(set(chosen) & set(wrong))
    if hits == len(right) and not slips:
        return EVERYTHING
    everything = hits + slips == len(right) + len(wrong)
    if policy is Policy.ALL_OR_NOTHING or everything or not hits:
        return NOTHING
    penalty = Fraction(slips, (len(wrong) if policy is Policy.BALANCED else len(right)) or 1)
    return max(NOTHING, Fraction(hits, len(right)) - penalty)


def of_matching(policy: Policy, given: Mapping[str, str], key: Mapping[str, str]) -> Fraction:
    """What matches are worth."""
    return _of_parts(policy, sum(given.get(left) == right for left, right in key.items()), len(key))


def of_ordering(policy: Policy, given: Sequence[str], key: Sequence[str]) -> Fraction:
    """What an order is worth."""
    return _of_parts(policy, sum(one == other for one, other in zip(given, key, strict=True)), len(key))


def _of_parts(policy: Policy, right: int, parts: int) -> Fraction:
    share = Fraction(right, parts)
    return share if policy is Policy.PER_PART or share == 1 else NOTHING
