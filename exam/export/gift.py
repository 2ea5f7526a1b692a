"""GIFT, Moodle's text format: one question a paragraph, every special character escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from exam.export import moodle_xml
from exam.export.bounds import middle_and_tolerance
from exam.export.targets import Capability, Level, degraded
from exam.render.markdown import convert_all, to_html
from exam.variants import Kind, Policy, Slot, Variant, VariantSet
from grader.handout import readable

SUFFIX = ".gift.txt"
POOLS = True

_SPECIAL = re.compile(r"[\\~=#{}:]")


def capability(variant: Variant) -> Capability:
    """As for Moodle's XML, and what the text form has no place for."""
    of_xml = moodle_xml.capability(variant)
    if of_xml.level is Level.REFUSED:
        return of_xml
    fixed = variant.kind in (Kind.SINGLE, Kind.MULTIPLE) and (
        not variant.shuffle or any(option.pinned for option in variant.options)
    )
    unit = variant.number is not None and variant.number.unit
    case = variant.text is not None and variant.text.case_sensitive
    return degraded(
        of_xml.why,
        "the platform may shuffle the options" if fixed else "",
        "a unit behind the number is not accepted" if unit else "",
        "capitals don't count" if case else "",
    )


def write(quiz: VariantSet) -> bytes:
    """The file."""
    convert_all(quiz)
    return "\n\n".join(part for slot in quiz.slots for part in _slot(quiz, slot)).encode() + b"\n"


def _slot(quiz: VariantSet, slot: Slot) -> Iterator[str]:
    pooled = len(slot.variants) > 1
    below = f"/{slot.item}" if pooled else ""
    yield f"$CATEGORY: $course$/top/{quiz.title.replace('/', '//')}{below}"
    for variant in slot.variants:
        yield _question(variant, pooled)


def _question(variant: Variant, pooled: bool) -> str:
    code = f"<p><small>{variant.code}</small></p>" if pooled else ""
    name = _escaped(f"{variant.item} {variant.code}" if pooled else variant.item)
    answers = [*_KINDS[variant.kind](variant), f"####{_text(variant.explanation)}"]
    tags = f"// [id:{variant.item}-{variant.draw}] [tag:outcome {variant.outcome}]"
    body = "\n".join(answers)
    return f"{tags}\n::{name}::[html]{_text(variant.stem, code)}{{\n{body}\n}}"


def _escaped(text: str) -> str:
    """Text that GIFT takes for itself, on one line."""
    text = _SPECIAL.sub(lambda found: "\\" + found[0], text)
    return text.replace("\r", "").replace("\n", "\\n")


def _text(markdown: str, more: str = "") -> str:
    (found,) = to_html([markdown], "tex") if markdown else ("",)
    return _escaped(found + more)


def _feedback(markdown: str) -> str:
    return f"#{_text(markdown)}" if markdown else ""


def _choices(variant: Variant) -> Iterator[str]:
    for option in variant.options:
        told = _feedback(option.feedback)
        if variant.kind is Kind.SINGLE:
            yield f"{'=' if option.correct else '~'}{_text(option.text)}{told}"
        else:
            yield f"~%{moodle_xml.fraction(variant, option)}%{_text(option.text)}{told}"


def _true_false(variant: Variant) -> Iterator[str]:
    right, wrong = sorted(variant.options, key=lambda option: not option.correct)
    yield f"{right.id.upper()}{_feedback(wrong.feedback) or '#'}{_feedback(right.feedback)}"


def _numeric(variant: Variant) -> Iterator[str]:
    key = variant.number
    assert key is not None
    yield "#"
    yield "=%100%{}:{}".format(*middle_and_tolerance(key))
    for mistake in key.mistakes:
        yield "=%0%{}:{}".format(*middle_and_tolerance(mistake)) + _feedback(mistake.feedback)


def _short(variant: Variant) -> Iterator[str]:
    key = variant.text
    assert key is not None
    for accepted in key.accept:
        yield f"=%100%{_word(accepted)}"
    for mistake in key.mistakes:
        yield f"=%0%{_word(mistake.value)}{_feedback(mistake.feedback)}"


def _word(text: str) -> str:
    """A short answer, in which a star would stand for anything."""
    return _escaped(text.replace("*", r"\*"))


def _matching(variant: Variant) -> Iterator[str]:
    used = {pair.option for pair in variant.pairs}
    for pair in variant.pairs:
        yield f"={_text(pair.left)} -> {_escaped(readable(variant.option(pair.option).text))}"
    for option in variant.options:
        if option.id not in used:
            yield f"= -> {_escaped(readable(option.text))}"


def _ordering(variant: Variant) -> Iterator[str]:
    grading = "ABSOLUTE_POSITION" if variant.policy is Policy.PER_PART else "ALL_OR_NOTHING"
    yield f">{len(variant.order)} ALL VERTICAL {grading} SHOW none"
    yield from (_text(variant.option(identifier).text) for identifier in variant.order)


_KINDS: dict[Kind, Callable[[Variant], Iterator[str]]] = {
    Kind.SINGLE: _choices,
    Kind.MULTIPLE: _choices,
    Kind.TRUE_FALSE: _true_false,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _short,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
