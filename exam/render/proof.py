"""The page for authors: items with several variants, keys and feedback marked, and what the lint says beside them."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from exam.render.markdown import to_html
from exam.variants import Kind, Slot, Variant, VariantSet

_STYLE = Path(__file__).with_name("proof.css")
_WITH_A_KEY = (Kind.SINGLE, Kind.MULTIPLE, Kind.TRUE_FALSE)

Shown = Callable[[str], str]


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
        '<meta name="color-scheme" content="light dark">'
        f"<style>\n{_STYLE.read_text('utf-8')}</style></head>\n<body><main><h1>{title}</h1>\n"
        f"<p>{len(quiz.slots)} items, {len(quiz.variants)} variants. The keys are in it: for authors alone.</p>\n"
        + _lint(told[""])
        + _contents(quiz, told)
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _lint(texts: Sequence[str]) -> str:
    return "".join(f'<p class="lint">{html.escape(text)}</p>\n' for text in texts)


def _contents(quiz: VariantSet, told: dict[str, list[str]]) -> str:
    """Links to the items, with how many findings each has."""

    def entry(item: str) -> str:
        count = len(told[item])
        found = f' <span class="lint">{count} finding{"s" * (count > 1)}</span>' if count else ""
        return f'<li><a href="#{html.escape(item)}">{html.escape(item)}</a>{found}</li>'

    return f'<nav aria-label="Items"><ul>{"".join(entry(slot.item) for slot in quiz.slots)}</ul></nav>\n'


def _section(slot: Slot, shown: Shown, findings: Sequence[str]) -> str:
    first, item = slot.variants[0], html.escape(slot.item)
    points = f"{first.points} point{'s' * (first.points > 1)}"
    facts = f"{first.kind} · {first.outcome} · difficulty {first.difficulty} · {first.minutes} min · {points}"
    facts += f" · {first.policy}".replace("_", " ") if first.policy != "all_or_nothing" else ""
    head = f'<h2 id="{item}">{item} <small>{facts} · {first.pool}</small></h2>'
    further = (first.source, first.exercise and f"exercise {first.exercise}", first.reading and f"read {first.reading}")
    about = f'<p class="quiet">{html.escape(" · ".join(filter(None, further)))}</p>'
    variants = "".join(f"<div>{_variant(variant, shown)}</div>" for variant in slot.variants)
    return f'<section>{head}{about}{_lint(findings)}<div class="variants">{variants}</div></section>'


def _variant(variant: Variant, shown: Shown) -> str:
    drawn = ", ".join(f"{name} = {value}" for name, value in variant.parameters.items())
    about = f'<p class="quiet">draw {variant.draw}, {variant.code}{": " + html.escape(drawn) if drawn else ""}</p>'
    answers = "".join(_answers(variant, shown))
    list_tag = "ol" if variant.kind is Kind.ORDERING else "ul"
    why = f'<div class="why">{shown(variant.explanation)}</div>'
    return f"{about}{shown(variant.stem)}<{list_tag}>{answers}</{list_tag}>{why}"


def _answers(variant: Variant, shown: Shown) -> Iterator[str]:
    """What may be answered, with its feedback; the key is marked."""
    options = [variant.option(each) for each in variant.order] if variant.order else variant.options
    for option in options:
        is_key = variant.kind in _WITH_A_KEY and option.correct
        yield _answer(shown(option.text), is_key, option.misconception, shown(option.feedback))
    for pair in variant.pairs:
        yield _answer(f"{shown(pair.left)}<p>→</p>{shown(variant.option(pair.option).text)}", True, side_by_side=True)
    number = variant.number
    if number is not None:
        key = f"{number.shown} {number.unit}".strip() + f" (from {number.low} to {number.high})"
        yield _answer(html.escape(key), True)
    if variant.text is not None:
        yield _answer(html.escape(" or ".join(variant.text.accept)), True)
    for mistake in number.mistakes if number else variant.text.mistakes if variant.text else ():
        yield _answer(html.escape(mistake.value), False, mistake.misconception, shown(mistake.feedback))


def _answer(text: str, is_key: bool, idea: str = "", feedback: str = "", *, side_by_side: bool = False) -> str:
    mark = '<span class="mark">✓ key</span> ' if is_key else ""
    named = f'<p class="quiet">{html.escape(idea)}</p>' if idea else ""
    body = f'<div class="pair">{text}</div>' if side_by_side else text
    told = f'<div class="told">{feedback}</div>' if feedback else ""
    kind = ' class="key"' if is_key else ""
    return f"<li{kind}>{mark}{body}{named}{told}</li>"
