"""Rules about one item, as a variant shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from exam.bank.lint.findings import Finding, Severity, content_words, length
from exam.variants import Kind, Option, Variant

LONGER = 1.3  # than the mean of the options
FEWEST, MOST = 3, 5
FEWEST_WORDS = 5
ABSOLUTE = re.compile(r"\b(always|never|all|none|every|only|must|impossible)\b", re.IGNORECASE)
HEDGE = re.compile(r"\b(usually|often|may|might|can|generally|sometimes|typically|mostly)\b", re.IGNORECASE)
ALL_OR_NONE = re.compile(r"\b(all|none|neither|both) of (the|these|them|those)\b", re.IGNORECASE)
LETTERS = re.compile(r"\b(both )?[A-E] and [A-E]\b|\b(the )?(above|below)\b", re.IGNORECASE)
NEGATIVE = re.compile(r"\b(not|except|never|n't|isn't|doesn't|cannot)\b", re.IGNORECASE)
EMPHASISED = re.compile(r"\*\*?[^*]*\b(not|except|never|cannot)\b[^*]*\*\*?|\b(NOT|EXCEPT)\b")
NUMBER = re.compile(r"\d")
IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\(")
ASKS = re.compile(r"\?|\b(give|name|order|match|choose|compute|put|say|complete|mark)\b", re.IGNORECASE)

Problem = tuple[Severity, str, str]
_ERROR, _WARNING = Severity.ERROR, Severity.WARNING


def findings(variant: Variant) -> Iterator[Finding]:
    """What is wrong with one variant."""
    for rule in _RULES:
        for severity, name, text in rule(variant):
            yield Finding(severity, variant.item, name, text)


def _alternatives(variant: Variant) -> tuple[list[Option], list[Option]]:
    """Right and wrong options of a choice among texts; none for other kinds."""
    if variant.kind not in (Kind.SINGLE, Kind.MULTIPLE):
        return [], []
    return [o for o in variant.options if o.correct], [o for o in variant.options if not o.correct]


def _pictures(variant: Variant) -> Iterator[Problem]:
    texts = [variant.stem, variant.explanation, *(option.text for option in variant.options)]
    if any(not found["alt"].strip() for text in texts for found in IMAGE.finditer(text)):
        yield _ERROR, "alt-text", "a picture has no text for those who do not see it"


def _all_of_these(variant: Variant) -> Iterator[Problem]:
    right, wrong = _alternatives(variant)
    for option in (*right, *wrong):
        if LETTERS.search(option.text):
            yield _ERROR, "letters", f"{option.text!r} points at letters or places, which shuffling changes"
        elif ALL_OR_NONE.search(option.text) and not option.pinned:
            yield _ERROR, "not-pinned", f"{option.text!r} must stay last: pinned: true"
        elif ALL_OR_NONE.search(option.text):
            yield _WARNING, "all-or-none", f"{option.text!r} makes an item harder, not better"


def _too_long(variant: Variant) -> Iterator[Problem]:
    right, wrong = _alternatives(variant)
    if variant.kind is not Kind.SINGLE or not wrong:
        return
    lengths = [length(option.text) for option in (*right, *wrong)]
    own = length(right[0].text)
    if own > LONGER * sum(lengths) / len(lengths) and own > max(length(option.text) for option in wrong):
        yield _WARNING, "longest", "the right option is much the longest"


def _only_the_key(variant: Variant) -> Iterator[Problem]:
    right, wrong = _alternatives(variant)
    if variant.kind is not Kind.SINGLE or not wrong:
        return
    for name, pattern in (("a number", NUMBER), ("a hedge (usually, may)", HEDGE), ("code", re.compile("`"))):
        if pattern.search(right[0].text) and not any(pattern.search(option.text) for option in wrong):
            yield _WARNING, "only-the-key", f"only the right option has {name}"
    absolute = [bool(ABSOLUTE.search(option.text)) for option in wrong]
    if sum(absolute) >= 2 and not ABSOLUTE.search(right[0].text):
        yield _WARNING, "absolutes", "several wrong options say always, all or only, and the right one does not"


def _echo(variant: Variant) -> Iterator[Problem]:
    right, wrong = _alternatives(variant)
    if variant.kind is not Kind.SINGLE or not wrong:
        return
    stem = content_words(variant.stem)
    shared = content_words(right[0].text) & stem
    others = set().union(*(content_words(option.text) for option in wrong))
    if len(shared - others) >= 2:
        words = ", ".join(sorted(shared - others))
        yield _WARNING, "echo", f"the right option alone repeats words of the stem: {words}"


def _options(variant: Variant) -> Iterator[Problem]:
    right, wrong = _alternatives(variant)
    count = len(right) + len(wrong)
    if count and not FEWEST <= count <= (MOST if variant.kind is Kind.SINGLE else MOST + 1):
        yield _WARNING, "count", f"{count} options"
    ends = {option.text.rstrip().endswith(".") for option in (*right, *wrong)}
    if len(ends) > 1:
        yield _WARNING, "parallel", "some options end with a full stop and others do not"
    nameless = [option.text for option in wrong if not option.misconception]
    if nameless:
        yield _WARNING, "no-idea", f"a wrong option stands for no wrong idea: {nameless[0]!r}"
    silent = [option.text for option in wrong if not option.feedback]
    if silent:
        yield _WARNING, "no-feedback", f"a wrong option has no feedback: {silent[0]!r}"


def _stem(variant: Variant) -> Iterator[Problem]:
    if len(content_words(variant.stem)) < FEWEST_WORDS - 2 and len(variant.stem.split()) < FEWEST_WORDS:
        yield _WARNING, "short", "the stem is less than a sentence"
    if variant.kind is not Kind.TRUE_FALSE and not ASKS.search(variant.stem):
        yield _WARNING, "no-question", "the stem asks nothing"
    asked = re.split(r"(?<=[.!?])\s", variant.stem.strip())[-1]
    if variant.kind in (Kind.SINGLE, Kind.MULTIPLE) and NEGATIVE.search(asked) and not EMPHASISED.search(asked):
        yield _WARNING, "negative", "the question is negative, and the negation is not emphasised"
    if len(NEGATIVE.findall(asked)) > 1:
        yield _WARNING, "double-negative", "the question has two negations"


def _units(variant: Variant) -> Iterator[Problem]:
    number = variant.number
    if number is not None and number.unit and number.unit not in variant.stem:
        yield _ERROR, "unit", f"the stem does not say that the answer is in {number.unit}"


def _teaches(variant: Variant) -> Iterator[Problem]:
    if len(variant.explanation.split()) < FEWEST_WORDS:
        yield _WARNING, "explanation", "the explanation explains nothing"


_RULES: tuple[Callable[[Variant], Iterator[Problem]], ...] = (
    _pictures,
    _all_of_these,
    _too_long,
    _only_the_key,
    _echo,
    _options,
    _stem,
    _units,
    _teaches,
)
