"""Markdown with LaTeX math as lines for a terminal: paragraphs, lists, code, tables, formulas on their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from grader import latex
from grader.handout import readable
from grader.terminal.style import Style, cells, pad

_FENCE = re.compile(r"\s*(```+|~~~+)")
_FORMULA = re.compile(r"\s*\$\$")
_HEADING = re.compile(r"\s*#{1,6}\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])\s+(.*)")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}(?:\{[lcr|]*\})?")
_GAP = 2
_MOST_LINES = 200  # of code in a question


def lines(markdown: str, style: Style, indent: int = 0) -> list[str]:
    """The lines, without control characters and within the style's width; blocks stand apart by an empty one."""
    found: list[str] = []
    was_item = False
    for block in _blocks(markdown.split("\n")):
        is_item = bool(_ITEM.match(block[0]))
        if found and not (is_item and was_item):
            found.append("")
        found += _block(block, style, indent)
        was_item = is_item
    return found


def inline(markdown: str) -> str:
    """A paragraph as one line of plain text."""
    return readable(_PICTURE.sub(r"[picture: \1]", " ".join(markdown.split())))


def _blocks(source: Sequence[str]) -> Iterator[list[str]]:
    """The blocks of a text, each as its lines."""
    place = 0
    while place < len(source):
        if not source[place].strip():
            place += 1
            continue
        end = _end(source, place)
        yield list(source[place:end])
        place = end


def _end(source: Sequence[str], start: int) -> int:
    """Where the block that starts in a line ends."""
    first = source[start]
    if fence := _FENCE.match(first):
        return _after(source, start + 1, lambda line: line.strip().startswith(fence[1]))
    if _FORMULA.match(first):
        rest = first.replace("$$", "", 1)
        return start + 1 if "$$" in rest else _after(source, start + 1, lambda line: "$$" in line)
    if _HEADING.match(first):
        return start + 1
    place = start + 1
    while place < len(source) and not _begins_another(source[place]):
        place += 1
    return place


def _after(source: Sequence[str], start: int, closes: Callable[[str], bool]) -> int:
    """The place after the line that closes a block, or the end of the text."""
    return next((place + 1 for place in range(start, len(source)) if closes(source[place])), len(source))


def _begins_another(line: str) -> bool:
    return not line.strip() or any(each.match(line) for each in (_FENCE, _FORMULA, _HEADING, _ITEM))


def _block(block: list[str], style: Style, indent: int) -> list[str]:
    if _FENCE.match(block[0]):
        return _code(block, style, indent)
    if _FORMULA.match(block[0]):
        return _formula(" ".join(block), style, indent)
    if heading := _HEADING.match(block[0]):
        return [style.paint(line, "heading") for line in style.prose(inline(heading[1]), indent)]
    if item := _ITEM.match(block[0]):
        return _item(item, block[1:], style, indent)
    if len(block) > 1 and "|" in block[0] and _RULE.fullmatch(block[1]):
        return _table([_cells(block[0]), *map(_cells, block[2:])], style, indent)
    return style.prose(inline(" ".join(line.strip().removeprefix("> ") for line in block)), indent)


def _code(block: list[str], style: Style, indent: int) -> list[str]:
    closed = len(block) > 1 and bool(_FENCE.match(block[-1]))
    return style.verbatim("\n".join(block[1 : -1 if closed else None]), indent + _GAP, most_lines=_MOST_LINES)


def _formula(text: str, style: Style, indent: int) -> list[str]:
    """A formula on its own, a line for each of its rows."""
    rows = _ENVIRONMENT.sub("", text.replace("$$", " ")).split(r"\\")
    plain = [latex.plain(row.replace("&", " ")) for row in rows if row.strip()]
    return [line for row in plain for line in style.prose(row, indent + _GAP, _GAP)]


def _item(item: re.Match[str], rest: list[str], style: Style, indent: int) -> list[str]:
    bullet = item[2] if item[2][0].isdigit() else style.pick("•", "-")
    text = inline(" ".join([item[3], *rest]))
    return style.prose(f"{bullet} {text}", indent + min(len(item[1]), 8), len(bullet) + 1)


def _cells(row: str) -> list[str]:
    bare = row.strip().removeprefix("|").removesuffix("|")
    return [inline(cell.replace(r"\|", "|")) for cell in re.split(r"(?<!\\)\|", bare)]


def _table(rows: list[list[str]], style: Style, indent: int) -> list[str]:
    """A table; where it does not fit, each row as a list of labelled values."""
    heads = [style.safe(cell) for cell in rows[0]]
    body = [[style.safe(cell) for cell in (row + [""] * len(heads))[: len(heads)]] for row in rows[1:]]
    widths = [max(cells(row[place]) for row in [heads, *body]) for place in range(len(heads))]
    if indent + sum(widths) + _GAP * (len(widths) - 1) > style.width:
        apart = [style.labelled([(h, c, "") for h, c in zip(heads, row, strict=True)], indent, _GAP) for row in body]
        return [line for place, part in enumerate(apart) for line in ([""] if place else []) + part]
    ruled = [heads, [style.pick("─", "-") * width for width in widths], *body]
    start, gap = " " * indent, " " * _GAP
    return [start + gap.join(map(pad, row, widths)).rstrip() for row in ruled]
