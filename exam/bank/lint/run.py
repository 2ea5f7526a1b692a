"""All rules over a bank: those about items on several draws of each, those about the bank on one."""

from __future__ import annotations

import re

from exam.bank.compile import Maker
from exam.bank.lint import bank_rules, item_rules
from exam.bank.lint.findings import Finding

DRAWS = 5
_OUTCOME = re.compile(r"^\s+(\d{1,2}[a-z])\s{2,}", re.MULTILINE)


def lint(maker: Maker) -> list[Finding]:
    """What is wrong with a bank: errors first, in the order of the file.

    Raises:
        ItemError: If an item has a draw in which no variant can be made.
    """
    items = maker.bank.items
    first = [maker.variant(item, 0) for item in items]
    found: dict[Finding, None] = {}
    for item, variant in zip(items, first, strict=True):
        draws = range(1, DRAWS) if item.parameters else ()
        for each in (variant, *(maker.variant(item, draw) for draw in draws)):
            found |= dict.fromkeys(item_rules.findings(each))
    found |= dict.fromkeys(bank_rules.findings(maker.bank, first, outcomes_of(maker)))
    return sorted(_once(list(found)), key=lambda finding: finding.severity)


def _once(findings: list[Finding]) -> list[Finding]:
    """One finding for each item and rule, whatever it says in other draws."""
    return list(
        {(each.item, each.rule, each.text if not each.item else ""): each for each in reversed(findings)}.values()
    )[::-1]


def outcomes_of(maker: Maker) -> list[str]:
    """The lesson's outcomes, from the docstring of its solution."""
    text = maker.subject.source.content.decode("utf-8")
    return _OUTCOME.findall(text.partition("Reading:")[0])
