"""Builds the page: every text converted once, the variants as data, style and program inlined."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from exam.render.markdown import to_html
from exam.variants import Kind, Variant, VariantSet
from grader.handout import readable
from grader.plain import to_plain

HERE = Path(__file__).parent
_SHOWN = ("stem", "explanation")
_LEFT_OUT = ("parameters", "source", "family", "pool", "lesson")
_PROGRAM = ("make.js", "numbers.js", "scorer.js", "answers.js", "page.js")


def page(quiz: VariantSet, *, hints: dict[str, str] | None = None) -> str:
    """The page as HTML.

    Args:
        quiz: Practice variants; a question with several offers new numbers.
        hints: What leads out of each misconception, by name, for the summary.
    """
    converted = _converted(quiz)
    slots = [[_data(variant, converted) for variant in slot.variants] for slot in quiz.slots]
    data = json.dumps({"title": quiz.title, "slots": slots, "hints": hints or {}}, ensure_ascii=False)
    parts = {
        "title": html.escape(quiz.title),
        "count": str(len(slots)),
        "style": (HERE / "page.css").read_text("utf-8"),
        "data": data.replace("<", "\\u003c"),  # nothing in the data can end the script
        "program": "\n".join((HERE / name).read_text("utf-8") for name in _PROGRAM),
    }
    text = (HERE / "page.html").read_text("utf-8")
    return re.sub("@([a-z]+)@", lambda match: parts[match[1]], text)  # at once: a part may hold "@data@" itself


def _converted(quiz: VariantSet) -> dict[str, str]:
    texts = list(dict.fromkeys(text for variant in quiz.variants for text in variant.texts))
    return dict(zip(texts, to_html(texts), strict=True))


def _data(variant: Variant, converted: dict[str, str]) -> dict[str, Any]:
    """A variant with HTML in place of Markdown."""
    plain: dict[str, Any] = to_plain(variant)
    for name in _LEFT_OUT:
        del plain[name]
    for name in _SHOWN:
        plain[name] = converted[plain[name]]
    for option in plain["options"]:
        if variant.kind in (Kind.MATCHING, Kind.ORDERING):  # menus and names of buttons can't hold formulas
            option["plain"] = " ".join(readable(option["text"]).split())
        option["text"], option["feedback"] = converted[option["text"]], converted[option["feedback"]]
    for pair in plain["pairs"]:
        pair["left"] = converted[pair["left"]]
    if variant.number is not None:
        plain["number"]["shown"] = variant.number.shown
    for key in ("number", "text"):
        for mistake in (plain[key] or {"mistakes": []})["mistakes"]:
            mistake["feedback"] = converted[mistake["feedback"]]
    return plain
