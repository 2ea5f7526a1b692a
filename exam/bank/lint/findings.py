"""What the lint says, and the words of a text as its rules count them."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass


class Severity(enum.StrEnum):
    """How bad it is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """A flaw of an item, or (without an item) of the bank.

    Attributes:
        rule: The rule's name.
        text: What is wrong, in a sentence.
    """

    severity: Severity
    item: str
    rule: str
    text: str


_MARKS = re.compile(r"\$[^$]*\$|`[^`]*`|[*_#>\[\]()!]")
_WORD = re.compile(r"[a-zA-Z][a-zA-Z-]+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be by can do does each for from has have how if in into is it its much
        many more most not of on one only or out per rank ranks same so than that the their them
        then there these they this to two what when where which who why will with would you
        """,
    )
)


def content_words(text: str) -> set[str]:
    """The words that mean something, without code and formulas, shortened to what plurals share."""
    return {word.lower().rstrip("s") for word in _WORD.findall(_MARKS.sub(" ", text)) if word.lower() not in _COMMON}


def length(text: str) -> int:
    """How long an option looks."""
    return len(_MARKS.sub("", text).strip())
