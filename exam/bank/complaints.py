"""What is wrong with a bank's shape, in words: a validation error of the model as lines of the file."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable
from typing import Any, get_args

import pydantic

from exam.bank import model
from exam.bank.model import Item
from exam.bank.strict_yaml import Document, Path, Problem

LONG, SHORT = 0.6, 0.5  # how alike words must be; "db" and "dp" share half
_BRANCHES = ("str", "float", "int", "bool", "NamedMistake", "Step")
_FORMS = {"id": "l07-state-bytes", "outcome": "7a"}
_KINDS = [kind for each in get_args(Item) for kind in get_args(each.model_fields["type"].annotation)]


def nearest(wrong: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: "; is it 'x'?", or nothing if none is near."""
    near = difflib.get_close_matches(wrong, sorted(known), 1, SHORT if len(wrong) <= 3 else LONG)
    return f"; is it {near[0]!r}?" if near else ""


def complaints(error: pydantic.ValidationError, document: Document) -> list[Problem]:
    """A validation error as problems, one for each place: of a union the branch that was meant."""
    found: dict[Path, Problem] = {}
    for each in error.errors():
        meant_otherwise = each["loc"][-1:] == ("str",) and isinstance(each.get("input"), dict)
        place = _place(each["loc"])
        if not meant_otherwise and place not in found:
            found[place] = Problem(document.line(place), item_of(place, document) + _in_words(each, place))
    return list(found.values())


def _place(loc: Path) -> Path:
    """Where in the file, from pydantic's place, which names branches of unions as well."""
    parts = loc[:2] + loc[3:] if loc[:1] == ("items",) else loc
    return tuple(part for part in parts if not (isinstance(part, str) and (part in _BRANCHES or "[" in part)))


def _in_words(error: Any, place: Path) -> str:
    name = place[-1] if place else "the file"
    kind, given = error["type"], error.get("input")
    is_scalar = isinstance(given, bool | int | float | str) and len(str(given)) < 60
    if kind == "extra_forbidden":
        return f"unknown entry {name!r}" + nearest(str(name), _fields())
    if kind == "missing":
        return f"{name!r} is missing"
    if kind == "union_tag_not_found":
        return f"'type' is missing: {', '.join(_KINDS)}"
    if kind == "union_tag_invalid":
        wrong = str(error["ctx"]["tag"])
        return f"unknown type {wrong!r}" + (nearest(wrong, _KINDS) or f"; there are {', '.join(_KINDS)}")
    if kind == "string_type" and is_scalar:
        return f"{name}: must be text; put {given!r} between quotes"
    if kind == "string_pattern_mismatch":
        return f"{name}: {given!r} is not of the form {_FORMS[str(name)]}"
    if kind == "literal_error" and isinstance(given, str):
        return f"{name}: {given!r} is none of {error['ctx']['expected']}"
    said = error["msg"].removeprefix("Value error, ")
    return f"{name}: {said[:1].lower()}{said[1:]}" + (f", not {given!r}" if is_scalar else "")


def item_of(place: Path, document: Document) -> str:
    """The beginning of a message about a place: the item's id, or which one it is."""
    if len(place) < 2 or place[0] != "items":
        return ""
    try:
        identifier = document.value["items"][place[1]]["id"]
    except (KeyError, TypeError, IndexError):
        return f"item {int(place[1]) + 1}: "
    return f"{identifier}: "


@functools.cache
def _fields() -> frozenset[str]:
    """Every entry that any part of a bank has."""
    models = [each for each in vars(model).values() if isinstance(each, type) and issubclass(each, pydantic.BaseModel)]
    return frozenset(name for each in models for name in each.model_fields)
