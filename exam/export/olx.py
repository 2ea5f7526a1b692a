"""Open edX: a content library of problems in OLX."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from exam.export.bounds import plain
from exam.export.package import tarred
from exam.export.targets import Capability, degraded, refused
from exam.export.xml import Element, element, parse, raw_document
from exam.render.markdown import convert_all, to_html
from exam.variants import Kind, Policy, Variant, VariantSet
from grader.handout import readable

SUFFIX = ".tar.gz"
POOLS = False


def capability(variant: Variant) -> Capability:
    """What Open edX grades otherwise than we do."""
    if variant.kind is Kind.ORDERING:
        return refused("Open edX has no problem of this type")
    if variant.kind is Kind.MULTIPLE and variant.policy is not Policy.ALL_OR_NOTHING:
        return degraded("partial answers are worth nothing")
    if variant.kind is Kind.MATCHING:
        return degraded("becomes a menu for each left side")
    pinned = any(option.pinned for option in variant.options[:-1])
    if variant.number is not None:
        unit = "a unit behind the number is not accepted" if variant.number.unit else ""
        comma = "a decimal comma is not accepted" if variant.number.decimal_comma else ""
        return degraded(unit, comma)
    return degraded("only the last option can stay in its place" if pinned else "")


def write(quiz: VariantSet) -> bytes:
    """The library's archive."""
    convert_all(quiz)
    names = [f"{variant.item}-{variant.draw}" for variant in quiz.variants]
    library = element(
        "library",
        *(element("problem", url_name=name) for name in names),
        xblock__family="xblock.v1",
        display_name=quiz.title,
        org="ai480",
        library=quiz.lesson,
    )
    files = {"library/library.xml": raw_document(library)}
    for variant, name in zip(quiz.variants, names, strict=True):
        files[f"library/problem/{name}.xml"] = raw_document(_problem(variant))
    return tarred(files)


def _problem(variant: Variant) -> Element:
    solution = element("solution", _block(variant.explanation))
    parts = _KINDS[variant.kind](variant)
    return element("problem", *parts, solution, display_name=variant.item, weight=str(variant.points), max_attempts="1")


def _block(markdown: str, tag: str = "div") -> Element:
    """HTML as XML; a dollar sign before a name would be replaced by the platform."""
    (text,) = to_html([markdown], "tex")
    return parse(re.sub(r"\$(?=[A-Za-z_{])", "$<span/>", text), tag)


def _label(variant: Variant) -> Element:
    return _block(variant.stem)


def _choice(variant: Variant) -> list[Element]:
    many = variant.kind is Kind.MULTIPLE
    choices = []
    for option in variant.options:
        choice = _block(option.text, "choice")
        choice.set("correct", "true" if option.correct else "false")
        if option.pinned:
            choice.set("fixed", "true")
        if option.feedback:
            hint = _block(option.feedback, "choicehint")
            if many:
                hint.set("selected", "false" if option.correct else "true")
            choice.append(hint)
        choices.append(choice)
    if many:
        return [_label(variant), element("choiceresponse", element("checkboxgroup", *choices))]
    group = element("choicegroup", *choices, type="MultipleChoice", shuffle=variant.shuffle)
    return [_label(variant), element("multiplechoiceresponse", group)]


def _numeric(variant: Variant) -> list[Element]:
    key = variant.number
    assert key is not None
    bounds = f"[{plain(Decimal(key.low))},{plain(Decimal(key.high))}]"
    return [_label(variant), element("numericalresponse", element("formulaequationinput"), answer=bounds)]


def _text(variant: Variant) -> list[Element]:
    key = variant.text
    assert key is not None
    first, *others = key.accept
    more = [element("additional_answer", answer=text) for text in others]
    wrong = [_hint(mistake.value, mistake.feedback) for mistake in key.mistakes if mistake.feedback]
    box = element("textline", size="20")
    kind = "cs" if key.case_sensitive else "ci"
    return [_label(variant), element("stringresponse", *more, *wrong, box, answer=first, type=kind)]


def _hint(answer: str, feedback: str) -> Element:
    hint = _block(feedback, "stringequalhint")
    hint.set("answer", answer)
    return hint


def _matching(variant: Variant) -> list[Element]:
    rows = [_label(variant)]
    for pair in variant.pairs:
        options = [
            element("option", readable(option.text), correct="true" if option.id == pair.option else "false")
            for option in variant.options
        ]
        rows += [_block(pair.left), element("optionresponse", element("optioninput", *options))]
    return rows


_KINDS: dict[Kind, Callable[[Variant], list[Element]]] = {
    Kind.SINGLE: _choice,
    Kind.TRUE_FALSE: _choice,
    Kind.MULTIPLE: _choice,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
}
