"""What can cross: the kinds of values, their limits, and what does not fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_FRAME_BYTES = 1 << 29
MAX_DIMENSIONS = 32
MAX_DEPTH = 60
MAX_HEX_DIGITS = 4096
MAX_VALUES = 1 << 20  # lists, tuples, records … and their entries, in one frame
TOO_MANY = f"more than {MAX_VALUES:,} values in lists, which is what arrays are for"
NUMBER_BYTES = 8  # what a number, or a piece of text of this length, counts
LARGE_BYTES = 1 << 16  # from here on array contents are not copied from buffer to buffer

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}  # numpy makes the name anew each time it is asked for it

Buffer = bytes | bytearray | memoryview


class WireError(Exception):
    """A frame that does not follow the rules of this module."""


class Unsupported(Exception):
    """A value that is not plain data; the message says what it is ("a generator")."""


class Record(tuple[Any, ...]):
    """A NamedTuple or dataclass after crossing: a tuple of its values, which its field names reach too."""

    record_name: str
    field_names: tuple[str, ...]

    def __new__(cls, name: str, fields: Sequence[str], values: Sequence[Any]) -> Record:
        """Build a record of ``name`` with one value per field."""
        record = super().__new__(cls, values)
        record.record_name = name
        record.field_names = tuple(fields)
        for field in ("count", "index"):  # a tuple's own methods, which would be found before __getattr__
            if field in record.field_names:
                record.__dict__[field] = record[record.field_names.index(field)]
        return record

    def __getattr__(self, field: str) -> Any:
        """The value of a field."""
        names = self.__dict__.get("field_names", ())
        if field in names:
            return self[names.index(field)]
        own = self.__dict__.get("record_name", "record")
        raise AttributeError(f"{own} has no field {field!r}; it has {', '.join(names)}")

    def __repr__(self) -> str:
        """As the NamedTuple would print."""
        return f"{self.record_name}({', '.join(f'{n}={v!r}' for n, v in zip(self.field_names, self, strict=True))})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and compared as what it is (copy.deepcopy asks for this)."""
        return (Record, (self.record_name, self.field_names, tuple(self)))


def field_names(value: Any) -> tuple[str, ...] | None:
    """The fields of a record, NamedTuple or dataclass instance; None for anything else."""
    if isinstance(value, Record):
        return value.field_names
    if isinstance(value, tuple):
        names = getattr(type(value), "_fields", None)
        if isinstance(names, tuple) and len(names) == len(value) and all(isinstance(name, str) for name in names):
            return names
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(field.name for field in dataclasses.fields(value))
    return None


def without_functions(value: Any) -> Any:
    """A copy of arguments in which a text stands for each function, so that it can cross and be compared."""
    if isinstance(value, list | tuple) and field_names(value) is None:
        return type(value)([without_functions(item) for item in value])
    if isinstance(value, dict):
        return {key: without_functions(item) for key, item in value.items()}
    return "a function" if callable(value) else value


def describe_kind(value: Any) -> str:
    """What a value that cannot cross is, in words: "a generator", "a set"."""
    name = type(value).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return f"{article} {name}"
