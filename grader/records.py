"""Dataclasses from JSON, read strictly: for files that people edit and files that may be damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Record = TypeVar("_Record", bound="DataclassInstance")
_Kind = tuple[tuple[type, ...], str]
_KINDS: dict[str, _Kind] = {
    "str": ((str,), "text"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "bool": ((bool,), "true or false"),
    "Any": ((), "anything"),
}
_LIST: _Kind = ((list,), "a list")


def read_record(kind: type[_Record], data: object, place: str, **readers: Callable[[object, str], object]) -> _Record:
    """Make a dataclass of an object of JSON, refusing what is missing, unknown or of another kind.

    Args:
        kind: The dataclass; its fields are text, numbers, truth values, sequences or anything at all.
        data: The JSON value.
        place: Where it stands, for messages.
        readers: By field, what makes an entry of each entry of a list.

    Raises:
        ValueError: If ``data`` does not fit; says where and why.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{place} must be an object, not {data!r}")
    if unknown := sorted(data.keys() - {field.name for field in fields(kind)}):
        raise ValueError(f"{place}: there is no field {unknown[0]!r}")
    values = dict(data)
    for field in fields(kind):
        if field.name not in data:
            if field.default is MISSING:
                raise ValueError(f"{place}: {field.name} is missing")
            continue
        value, (accepted, words) = data[field.name], _KINDS.get(str(field.type), _LIST)
        if accepted and type(value) not in accepted:  # exactly: to Python, true is a number
            raise ValueError(f"{place}: {field.name} must be {words}, not {value!r}")
        if reader := readers.get(field.name):
            values[field.name] = [reader(each, f"{field.name}[{i}] of {place}") for i, each in enumerate(value)]
    return kind(**values)


def read_text(data: object, place: str) -> str:
    """A reader for lists of texts.

    Raises:
        ValueError: If ``data`` is none.
    """
    if not isinstance(data, str):
        raise ValueError(f"{place} must be text, not {data!r}")
    return data
