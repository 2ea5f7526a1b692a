"""The page for authors: items with several variants, keys and feedback marked, and what the lint says beside them."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from exam.render.markdown import to_html
from exam.variants import Kind, Slot, Variant, VariantSet

_STYLE = Path(__file__).with_name("proof.css")


def proof(quiz: VariantSet, findings: Sequence[tuple[str, str]]) -> str:
    """The page.

    Args:
        quiz: Several variants of each item.
        findings: What the lint says: the item (or "") and the sentence.
    """
    texts = [text for variant in quiz.variants for text in variant.texts]
    shown = dict(zip(texts, to_html(texts), strict=True)).__getitem__
    told = defaultdict(list)
    for item, text in findings:
        told[item].append(text)
    parts = [_section(slot, shown, told[slot.item]) for slot in quiz.slots]
    title = html.escape(f"{quiz.title}: proof")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>\n{_STYLE.read_text('utf-8')}</style></head>\n<body><main><h1>{title}</h1>\n"
        f"<p>{len(quiz.slots)} items, {len(quiz.variants)} variants. The keys are in it.</p>\n"
        + _lint(told[""])
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _lint(texts: Sequence[str]) -> str:
    return "".join(f'<p class="lint">{html.escape(text)}</p>\n' for text in texts)


def _section(slot: Slot, shown: Callable[[str], str], findings: Sequence[str]) -> str:
    first = slot.variants[0]
    facts = f"{first.kind} · {first.outcome} · difficulty {first.difficulty} · {first.minutes} min · {first.pool}"
    head = f'<h2 id="{slot.item}">{slot.item} <small>{facts}</small></h2>'
    source = f'<p class="quiet">{html.escape(first.source)}</p>'
    variants = "".join(f"<div>{_variant(variant, shown)}</div>" for variant in slot.variants)
    return f'<section>{head}{_lint(findings)}<div class="variants">{variants}</div>{source}</section>'


def _variant(variant: Variant, shown: Callable[[str], str]) -> str:
    drawn = ", ".join(f"{name} = {value}" for name, value in variant.parameters.items())
    about = f'<p class="quiet">draw {variant.draw}, {variant.code}{": " + html.escape(drawn) if drawn else ""}</p>'
    answers = "".join(f"<li{mark}>{text}</li>" for text, mark in _answers(variant, shown))
    return f"{about}{shown(variant.stem)}<ul>{answers}</ul>{shown(variant.explanation)}"


def _answers(variant: Variant, shown: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """What may be answered, with its feedback; the key is marked."""
    key = ' class="key"'
    options = [variant.option(each) for each in variant.order] if variant.order else variant.options
    for option in options:
        idea = f' <span class="quiet">{html.escape(option.misconception)}</span>' if option.misconception else ""
        is_key = option.correct or variant.kind is Kind.ORDERING
        yield f"{shown(option.text)}{idea}{shown(option.feedback)}", key if is_key else ""
    for pair in variant.pairs:
        yield f"{shown(pair.left)} → {shown(variant.option(pair.option).text)}", key
    number = variant.number
    if number is not None:
        yield html.escape(f"{number.value} {number.unit} (from {number.low} to {number.high})"), key
    if variant.text is not None:
        yield html.escape(" or ".join(variant.text.accept)), key
    for mistake in (number or variant.text).mistakes if number or variant.text else ():  # type: ignore[union-attr]
        yield f"{html.escape(f'{mistake.value} {mistake.misconception}')}{shown(mistake.feedback)}", ""
