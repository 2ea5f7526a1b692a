"""Variants: items with their parameters drawn; the contract between the bank and everything that shows or grades.

Their JSON form is versioned and described by ``variants.schema.json`` beside this module. Nothing here needs
more than the standard library, so that a student's installation can take and score quizzes.

A response is plain JSON as well; ``None`` is no answer:

=============  ===========================================================
kind           response
=============  ===========================================================
single         the id of an option
true_false     "true" or "false", the ids of its two options
multiple       a list of ids of options, in any order, perhaps empty
numeric, text  what was typed, as text
matching       an object: id of each left side -> id of an option
ordering       a list of the ids of all options, first to last
=============  ===========================================================
"""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.files import write_text
from grader.plain import from_plain, to_plain

SCHEMA_VERSION = 1


class Kind(enum.StrEnum):
    """What is asked for."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    TRUE_FALSE = "true_false"
    NUMERIC = "numeric"
    TEXT = "text"
    MATCHING = "matching"
    ORDERING = "ordering"


class Policy(enum.StrEnum):
    """What a response that is right in part is worth; never less than nothing.

    ``balanced`` adds 1/right for each right option and takes 1/wrong for each wrong one, so that selecting
    everything is worth nothing. ``right_minus_wrong`` takes 1/right for each wrong one, as Canvas does, and
    everything selected is still worth nothing. ``per_part`` pays for each pair of a matching, and for each
    place of an ordering.
    """

    ALL_OR_NOTHING = "all_or_nothing"
    BALANCED = "balanced"
    RIGHT_MINUS_WRONG = "right_minus_wrong"
    PER_PART = "per_part"


class Pool(enum.StrEnum):
    """What an item is for; none is in both."""

    PRACTICE = "practice"
    EXAM = "exam"


@dataclass(frozen=True)
class Option:
    """One thing to choose, to match or to order.

    Attributes:
        id: Drawn at random; says nothing about the key or the place.
        text: Markdown.
        correct: Whether it belongs to the key (single, multiple, true_false).
        feedback: For who chose it, or failed to; Markdown.
        misconception: The wrong idea that choosing it shows, or "".
        pinned: Stays last, however options are shuffled ("none of these").
    """

    id: str
    text: str
    correct: bool = False
    feedback: str = ""
    misconception: str = ""
    pinned: bool = False


@dataclass(frozen=True)
class Pair:
    """One left side of a matching, and the option that belongs to it."""

    id: str
    left: str
    option: str


@dataclass(frozen=True)
class Mistake:
    """A wrong number or text that shows a known wrong idea.

    Attributes:
        value: The decimal number, or the text, as the key is written.
        misconception: Its name, or "".
        feedback: For who answered so; Markdown.
        low: The least number that counts as it; "" for a text.
        high: The greatest.
    """

    value: str
    misconception: str = ""
    feedback: str = ""
    low: str = ""
    high: str = ""


@dataclass(frozen=True)
class Number:
    """The key of a numeric item: which numbers are right. Numbers are decimal text, to be read as ``Decimal``.

    A number within ``low`` and ``high``, both included, is right: the compiler has lowered every kind of
    tolerance (absolute, relative, significant figures, a range) to these bounds.

    Attributes:
        value: The key, rounded to what is asked for; lies within the bounds.
        low: The least right number.
        high: The greatest.
        unit: What the answer is in, "" for none; may be typed after the number, and no other may.
        figures: How many significant figures the stem asks for, 0 where it does not say.
        decimals: How many decimal places the stem asks for, -1 where it does not say.
        decimal_comma: Whether "3,14" means 3.14; otherwise a comma is a thousands separator or an error.
        mistakes: Wrong numbers that show a wrong idea; their bounds overlap neither the key's nor each other's.
    """

    value: str
    low: str
    high: str
    unit: str = ""
    figures: int = 0
    decimals: int = -1
    decimal_comma: bool = False
    mistakes: tuple[Mistake, ...] = ()

    @property
    def shown(self) -> str:
        """The key as a person writes it: with the decimal comma where one is declared."""
        return self.value.replace(".", ",") if self.decimal_comma else self.value


@dataclass(frozen=True)
class Text:
    """The key of a short text: any of some texts; white space at the ends and repeated is of no account."""

    accept: tuple[str, ...]
    case_sensitive: bool = False
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class Variant:
    """An item with its parameters drawn: all that is needed to ask, to score and to explain.

    Attributes:
        item: The item's id, "l07-state-bytes".
        draw: Which draw of the item's parameters this is, from 0.
        code: A short code of the variant, unique within its set; printed where responses must be mapped back.
        lesson: The lesson's name, "07_zero_fsdp".
        outcome: The learning outcome, "7a".
        difficulty: 1 to 3.
        minutes: Time that it takes.
        points: What a right answer is worth.
        stem: The question, Markdown with LaTeX math between dollar signs.
        explanation: Why the key is right and what tempts; Markdown.
        options: In the order in which to show them (single, multiple, true_false, matching, ordering).
        order: The ids of the options from first to last (ordering).
        pairs: The left sides (matching).
        number: The key of a numeric item.
        text: The key of a short text.
        parameters: The drawn values, as text, for authors.
        exercise: The exercise that practises this, or "".
        reading: What to read again, or "".
        source: Where the fact comes from.
        family: Items of one family don't stand in one exam.
    """

    item: str
    draw: int
    code: str
    kind: Kind
    pool: Pool
    lesson: str
    outcome: str
    difficulty: int
    minutes: int
    points: int
    stem: str
    explanation: str
    policy: Policy = Policy.ALL_OR_NOTHING
    options: tuple[Option, ...] = ()
    order: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    number: Number | None = None
    text: Text | None = None
    shuffle: bool = True
    parameters: dict[str, str] = field(default_factory=dict)
    exercise: str = ""
    reading: str = ""
    source: str = ""
    family: str = ""

    @property
    def key(self) -> Any:
        """The response that is right, as the table above shows it; for numbers and texts the one that is shown."""
        match self.kind:
            case Kind.NUMERIC:
                assert self.number is not None
                return self.number.shown
            case Kind.TEXT:
                assert self.text is not None
                return self.text.accept[0]
            case Kind.MATCHING:
                return {pair.id: pair.option for pair in self.pairs}
            case Kind.ORDERING:
                return list(self.order)
            case Kind.MULTIPLE:
                return [option.id for option in self.options if option.correct]
            case _:
                return next(option.id for option in self.options if option.correct)

    @property
    def texts(self) -> list[str]:
        """Every text of it that is Markdown."""
        mistakes = [mistake for key in (self.number, self.text) if key for mistake in key.mistakes]
        of_options = [text for option in self.options for text in (option.text, option.feedback)]
        lefts = [pair.left for pair in self.pairs]
        return [self.stem, self.explanation, *of_options, *lefts, *(mistake.feedback for mistake in mistakes)]

    def option(self, identifier: str) -> Option:
        """The option of an id.

        Raises:
            KeyError: If there is none.
        """
        for option in self.options:
            if option.id == identifier:
                return option
        raise KeyError(identifier)


@dataclass(frozen=True)
class Slot:
    """One question of a quiz: the variants of one item, of which each student gets one."""

    item: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class VariantSet:
    """Compiled variants of a lesson's bank: what ``quiz compile`` writes.

    Attributes:
        lesson: The lesson's name.
        title: For people.
        bank: SHA-256 of the items that it was made of.
        variants: Those of one item stand together, in the order of their draws.
    """

    lesson: str
    title: str
    bank: str
    variants: tuple[Variant, ...]
    schema: int = SCHEMA_VERSION

    @property
    def slots(self) -> list[Slot]:
        """The questions, in order, each with its variants."""
        found: dict[str, list[Variant]] = {}
        for variant in self.variants:
            found.setdefault(variant.item, []).append(variant)
        return [Slot(item, tuple(variants)) for item, variants in found.items()]

    def to_json(self) -> dict[str, Any]:
        """The set as plain JSON values."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_json(cls, data: object) -> VariantSet:
        """Read a set back from ``to_json``.

        Raises:
            ValueError: If ``data`` is of another schema version or of another shape; the message names the place.
        """
        version = data.get("schema") if isinstance(data, dict) else None
        if version != SCHEMA_VERSION:
            raise ValueError(f"variants of schema {version!r}; this program reads {SCHEMA_VERSION}")
        return from_plain(cls, data)


def write_variants(path: Path, variants: VariantSet) -> None:
    """Write a set as JSON, atomically."""
    write_text(path, json.dumps(variants.to_json(), ensure_ascii=False, indent=1) + "\n")


def read_variants(path: Path) -> VariantSet:
    """Read a set from a file.

    Raises:
        UserError: If there is no such file, or it holds no variants; names the file and the place.
    """
    try:
        return VariantSet.from_json(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # JSON's errors are ValueErrors too
        raise UserError(f"{path}: {error}") from error
