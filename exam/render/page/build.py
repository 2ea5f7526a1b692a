"""Builds the page: every text converted once, the variants as data, style and program inlined."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from exam.render.markdown import to_html, with_images
from exam.variants import Variant, VariantSet
from grader.plain import to_plain

HERE = Path(__file__).parent
_SHOWN = ("stem", "explanation")
_LEFT_OUT = ("parameters", "source", "family", "pool", "lesson")


def page(quiz: VariantSet, *, hints: dict[str, str] | None = None, pictures: Path | None = None) -> str:
    """The page as HTML.

    Args:
        quiz: Practice variants; a question with several offers new numbers.
        hints: What leads out of each misconception, by name, for the summary.
        pictures: The folder of the bank's pictures, which become part of the page.
    """
    converted = _converted(quiz, pictures)
    slots = [[_data(variant, converted) for variant in slot.variants] for slot in quiz.slots]
    data = json.dumps({"title": quiz.title, "slots": slots, "hints": hints or {}}, ensure_ascii=False)
    parts = {
        "title": html.escape(quiz.title),
        "count": str(len(slots)),
        "style": (HERE / "page.css").read_text("utf-8"),
        "data": data.replace("<", "\\u003c"),  # nothing in the data can end the script
        "numbers": (HERE / "numbers.js").read_text("utf-8"),
        "scorer": (HERE / "scorer.js").read_text("utf-8"),
        "program": (HERE / "page.js").read_text("utf-8"),
    }
    text = (HERE / "page.html").read_text("utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _converted(quiz: VariantSet, pictures: Path | None) -> dict[str, str]:
    texts = list(dict.fromkeys(text for variant in quiz.variants for text in variant.texts))
    found = to_html(texts)
    if pictures is not None:
        found = [with_images(text, pictures) for text in found]
    return dict(zip(texts, found, strict=True))


def _data(variant: Variant, converted: dict[str, str]) -> dict[str, Any]:
    """A variant with HTML in place of Markdown."""
    plain: dict[str, Any] = to_plain(variant)
    for name in _LEFT_OUT:
        del plain[name]
    for name in _SHOWN:
        plain[name] = converted[plain[name]]
    for option in plain["options"]:
        option["text"], option["feedback"] = converted[option["text"]], converted[option["feedback"]]
    for pair in plain["pairs"]:
        pair["left"] = converted[pair["left"]]
    for key in ("number", "text"):
        for mistake in (plain[key] or {"mistakes": []})["mistakes"]:
            mistake["feedback"] = converted[mistake["feedback"]]
    return plain
