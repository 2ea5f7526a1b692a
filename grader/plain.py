"""Dataclasses as plain JSON values, and back: strictly, for a saved file may be damaged or not ours.

Fields may be text, numbers, truth values, enumerations, dataclasses, ``X | None``, ``tuple[X, ...]`` and
``dict[str, X]``.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

_Model = TypeVar("_Model")


def to_plain(value: Any) -> Any:
    """The value as JSON's: dataclasses as objects, tuples as arrays, enumerations as their values."""
    if dataclasses.is_dataclass(value):
        return {part.name: to_plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(entry) for entry in value]
    if isinstance(value, enum.Enum):
        return value.value
    return {name: to_plain(entry) for name, entry in value.items()} if isinstance(value, dict) else value


def from_plain(kind: type[_Model], data: object) -> _Model:
    """Read ``to_plain``'s form of a dataclass back.

    Entries with a default may be missing, for files of an earlier day.

    Raises:
        ValueError: If the data is of another shape; names the place.
    """
    model: _Model = _reader(cast(Hashable, kind))(data)
    return model


class _Misfit(ValueError):
    """A value of another shape than the model's; its place is put together on the way out."""

    def __init__(self, complaint: str) -> None:
        super().__init__(complaint)
        self.place = ""

    def __str__(self) -> str:
        return f"{self.place.lstrip('.') or 'all of it'}: {self.args[0]}"

    def within(self, place: str) -> _Misfit:
        self.place = place + self.place
        return self


@functools.cache  # the progress view reads thousands of values
def _reader(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of type ``kind`` from its JSON."""
    if dataclasses.is_dataclass(kind):
        return functools.partial(_read_record, kind, {k: _reader(v) for k, v in get_type_hints(kind).items()})
    if get_origin(kind) is tuple:
        return functools.partial(_read_tuple, _reader(get_args(kind)[0]))
    if get_origin(kind) is dict:
        return functools.partial(_read_dict, _reader(get_args(kind)[1]))
    if get_args(kind):  # "X | None"
        there = _reader(get_args(kind)[0])
        return lambda value: None if value is None else there(value)
    if issubclass(kind, enum.Enum):
        return functools.partial(_read_enum, kind)
    return _read_number if kind is float else functools.partial(_must_be, kind)


def _read_record(kind: Any, readers: dict[str, Callable[[Any], Any]], value: Any) -> Any:
    data = _must_be(dict, value)
    if unknown := sorted(data.keys() - readers.keys()):
        raise _Misfit(f"unknown entry {unknown[0]!r}")
    values = {}
    for name, entry in data.items():
        try:
            values[name] = readers[name](entry)
        except _Misfit as misfit:
            raise misfit.within(f".{name}") from None
    try:
        return kind(**values)
    except TypeError as error:  # an entry without a default is missing
        raise _Misfit(str(error)) from None


def _read_tuple(inner: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    found = []
    for place, entry in enumerate(_must_be(list, value)):
        try:
            found.append(inner(entry))
        except _Misfit as misfit:
            raise misfit.within(f"[{place}]") from None
    return tuple(found)


def _read_dict(inner: Callable[[Any], Any], value: Any) -> dict[str, Any]:
    found = {}
    for name, entry in _must_be(dict, value).items():
        try:
            found[name] = inner(entry)
        except _Misfit as misfit:
            raise misfit.within(f"[{name!r}]") from None
    return found


def _read_enum(kind: type[enum.Enum], value: Any) -> enum.Enum:
    try:
        return kind(value)
    except ValueError as error:
        raise _Misfit(str(error)) from None


def _read_number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise _Misfit(f"expected a number, found {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Misfit("expected a finite number")
    return number


def _must_be(kind: type, value: Any) -> Any:
    if type(value) is not kind:  # exactly: True is no int here
        raise _Misfit(f"expected {kind.__name__}, found {type(value).__name__}")
    return value
