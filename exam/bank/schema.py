"""JSON Schemas: of the bank, for editors; of variants, for whoever reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import exam
from exam.bank.model import AnyItem, BankFile
from exam.bank.numbers import NUMBER_PATTERN
from exam.variants import SCHEMA_VERSION, Kind, VariantSet

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PARTS = {
    Kind.SINGLE: ("options",),
    Kind.MULTIPLE: ("options",),
    Kind.TRUE_FALSE: ("options",),
    Kind.NUMERIC: ("number",),
    Kind.TEXT: ("text",),
    Kind.MATCHING: ("options", "pairs"),
    Kind.ORDERING: ("options", "order"),
}


def schemas() -> dict[Path, str]:
    """The text of each schema's file."""
    folder = Path(exam.__file__).parent
    made = {"bank.schema.json": _of_bank(), "variants.schema.json": _of_variants()}
    return {folder / name: _text(name, schema) for name, schema in made.items()}


def _text(name: str, schema: dict[str, Any]) -> str:
    return json.dumps({"$schema": _DIALECT, "$id": name, **schema}, indent=2, ensure_ascii=False) + "\n"


def _of_bank() -> dict[str, Any]:
    """A mapping with a title and items, or the items alone."""
    return TypeAdapter(BankFile | list[AnyItem]).json_schema()


def _of_variants() -> dict[str, Any]:
    """What ``VariantSet.to_json`` writes, and what belongs to each kind."""
    schema: dict[str, Any] = TypeAdapter(VariantSet).json_schema()
    schema["properties"]["schema"]["const"] = SCHEMA_VERSION
    schema["required"].append("schema")
    definitions = schema["$defs"]
    for each in (schema, *definitions.values()):
        if each.get("type") == "object":
            each["additionalProperties"] = False
    for name in ("value", "low", "high"):
        definitions["Number"]["properties"][name]["pattern"] = NUMBER_PATTERN
    definitions["Variant"]["allOf"] = [
        {"if": {"properties": {"kind": {"const": kind.value}}}, "then": _with(parts)} for kind, parts in _PARTS.items()
    ]
    return schema


def _with(parts: tuple[str, ...]) -> dict[str, Any]:
    """Parts that are there, and are not empty."""
    filled = {"options": 2, "pairs": 2, "order": 2}
    there = {part: {"minItems": filled[part]} if part in filled else {"type": "object"} for part in parts}
    return {"required": list(parts), "properties": there}
