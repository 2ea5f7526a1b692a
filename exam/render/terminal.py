"""One variant in a terminal, for authors: the question, then all that a student does not see."""

from __future__ import annotations

from collections.abc import Iterator

from exam.variants import Kind, Option, Variant
from grader.handout import readable
from grader.terminal.style import Style


def shown(variant: Variant, style: Style) -> list[str]:
    """The lines."""
    kind = str(variant.kind).replace("_", "/")
    facts = f"{kind}, {variant.outcome}, difficulty {variant.difficulty}, {variant.minutes} min, {variant.pool}"
    lines = [style.paint(f"{variant.item} · draw {variant.draw}", "heading") + f"   {facts}", ""]
    lines += _markdown(variant.stem, style, 2)
    lines.append("")
    for place, option in enumerate(variant.options):
        lines += _option(variant, option, place, style)
    for pair in variant.pairs:
        lines += style.prose(f"{readable(pair.left)}  →  {readable(variant.option(pair.option).text)}", 4)
    lines += style.labelled(list(_facts(variant)), 2, 2)
    return [*lines, "", *_markdown(variant.explanation, style, 2)]


def _markdown(text: str, style: Style, indent: int) -> list[str]:
    lines = []
    for paragraph in readable(text).split("\n\n"):
        is_code = paragraph.startswith("    ")
        lines += style.verbatim(paragraph, indent) if is_code else style.prose(paragraph, indent)
        lines.append("")
    return lines[:-1]


def _option(variant: Variant, option: Option, place: int, style: Style) -> list[str]:
    right = variant.kind in (Kind.SINGLE, Kind.MULTIPLE, Kind.TRUE_FALSE) and option.correct
    if variant.kind is Kind.ORDERING:
        place = variant.order.index(option.id)
    mark = style.pick("✓", "*") if right else " "
    letter = str(place + 1) if variant.kind is Kind.ORDERING else chr(ord("a") + place)
    lines = style.prose(f"{mark} {letter}  {readable(option.text)}", 2, 5)
    if option.feedback:
        idea = f" [{option.misconception}]" if option.misconception else ""
        lines += [style.paint(line, "quiet") for line in style.prose(readable(option.feedback) + idea, 7)]
    return lines


def _facts(variant: Variant) -> Iterator[tuple[str, str, str]]:
    number = variant.number
    if number is not None:
        yield "key", f"{number.shown} {number.unit}".strip() + f"  (from {number.low} to {number.high})", "good"
        for mistake in number.mistakes:
            yield "mistake", f"{mistake.value}  {mistake.misconception}: {readable(mistake.feedback)}", ""
    if variant.text is not None:
        yield "key", " or ".join(variant.text.accept), "good"
        for mistake in variant.text.mistakes:
            yield "mistake", f"{mistake.value}  {mistake.misconception}: {readable(mistake.feedback)}", ""
    if variant.parameters:
        yield "drawn", ", ".join(f"{name} = {value}" for name, value in variant.parameters.items()), ""
    yield "source", variant.source, ""
