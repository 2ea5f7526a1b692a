"""JSON for programs: the questions without what is right. ``quiz compile`` writes the variants with their keys."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from exam.export.targets import Capability, degraded
from exam.variants import Option, Variant, VariantSet
from grader.plain import to_plain

SUFFIX = ".json"
POOLS = True
_KEYS = ("explanation", "order", "number", "text", "parameters", "source", "exercise", "reading", "family")


def capability(variant: Variant) -> Capability:  # noqa: ARG001 - a target has it
    """Everything, as it is; the program that shows it sends responses to ``exam.scoring``."""
    return degraded()


def write(quiz: VariantSet) -> bytes:
    """The file."""
    shown = {
        "schema": "ai480/questions/1",
        "lesson": quiz.lesson,
        "title": quiz.title,
        "bank": quiz.bank,
        "questions": [question(variant) for variant in quiz.variants],
    }
    return json.dumps(shown, ensure_ascii=False, indent=1).encode() + b"\n"


def question(variant: Variant) -> dict[str, Any]:
    """A variant without its key: what may be shown before it is answered."""
    options = tuple(Option(option.id, option.text, pinned=option.pinned) for option in variant.options)
    plain: dict[str, Any] = to_plain(replace(variant, options=options))
    for name in _KEYS:
        del plain[name]
    plain["options"] = [{"id": option.id, "text": option.text, "pinned": option.pinned} for option in options]
    plain["pairs"] = [{"id": pair.id, "left": pair.left} for pair in variant.pairs]
    plain["unit"] = variant.number.unit if variant.number else ""
    return plain
