"""From a value to JSON and array buffers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .values import (
    DTYPES,
    LARGE_BYTES,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_FRAME_BYTES,
    MAX_HEX_DIGITS,
    MAX_VALUES,
    NAMES,
    TOO_MANY,
    Buffer,
    Record,
    Unsupported,
    describe_kind,
    field_names,
)


def encode(value: Any, callables: list[Callable[..., Any]] | None = None) -> tuple[Any, list[Buffer]]:
    """A value as JSON and the array buffers that belong to it; large ones are views of the arrays, not copies.

    Raises:
        Unsupported: If something in ``value`` is not plain data.
    """
    buffers: list[Buffer] = []
    return _encode(value, buffers, callables, 0), buffers


def _encode(value: Any, buffers: list[Buffer], callables: list[Callable[..., Any]] | None, depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return value
    if kind is str:
        return value if value.isascii() or not _SURROGATE_PAIR.search(value) else _encode_text(value, buffers)
    if kind is int:
        return value if -(1 << 63) <= value < 1 << 63 else _encode_long(value)
    if depth >= MAX_DEPTH:
        raise Unsupported("a value that is nested too deeply")
    if isinstance(value, _CONTAINERS) and len(value) > MAX_VALUES:
        raise Unsupported(TOO_MANY)
    if kind is list:
        return _encode_items(value, buffers, callables, depth)
    if kind is tuple:
        return {"t": _encode_items(value, buffers, callables, depth)}
    if kind is np.ndarray or isinstance(value, np.ndarray):
        return _encode_array(value, buffers)
    if isinstance(value, np.generic) and not isinstance(value, str | bytes):
        return _encode_scalar(value)
    if isinstance(value, dict):
        pairs = dict.items(value)
        return {"d": [[_encode(part, buffers, callables, depth + 1) for part in pair] for pair in pairs]}
    fields = field_names(value)
    if fields is not None:
        values = [_encode(getattr(value, name), buffers, callables, depth + 1) for name in fields]
        name = value.record_name if isinstance(value, Record) else kind.__name__
        return {"r": [str(name), list(fields), values]}
    return _encode_rest(value, buffers, callables, depth)


_CONTAINERS = (list, tuple, dict)
_THEMSELVES = {float, bool, type(None)}  # JSON has them as they are
_ONLY_INTS = {int}


def _encode_items(
    items: Sequence[Any], buffers: list[Buffer], callables: list[Callable[..., Any]] | None, depth: int
) -> list[Any]:
    """Each item encoded; lists of numbers, which are many, at once."""
    kinds = set(map(type, items))
    if kinds <= _THEMSELVES or (kinds == _ONLY_INTS and min(items) >= -(1 << 63) and max(items) < 1 << 63):
        return list(items)
    return [_encode(item, buffers, callables, depth + 1) for item in items]


def _encode_rest(value: Any, buffers: list[Buffer], callables: list[Callable[..., Any]] | None, depth: int) -> Any:
    """Bytes, complex numbers, functions, and subclasses of plain types, which cross as the plain type."""
    if isinstance(value, bytes | bytearray | memoryview):
        buffers.append(bytes(value))
        return {"b": len(buffers[-1])}
    for plain, as_plain in _PLAIN:
        if isinstance(value, plain):
            return _encode(as_plain(value), buffers, callables, depth)
    if isinstance(value, complex):
        return {"c": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        plain_sequence = list(value)
        return _encode(plain_sequence if isinstance(value, list) else tuple(plain_sequence), buffers, callables, depth)
    if callable(value) and callables is not None:
        callables.append(value)
        return {"f": len(callables) - 1}
    raise Unsupported(describe_kind(value))


_PLAIN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (str, str.__str__),
)
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _encode_text(value: str, buffers: list[Buffer]) -> dict[str, int]:
    """A text of which JSON would make another: two surrogates, side by side, become one character there."""
    buffers.append(value.encode("utf-8", "surrogatepass"))
    return {"u": len(buffers[-1])}


def _encode_long(value: int) -> dict[str, str]:
    if value.bit_length() > 4 * MAX_HEX_DIGITS:
        raise Unsupported(f"an int of {value.bit_length()} bits")
    return {"i": format(value, "x")}


def _encode_array(value: np.ndarray[Any, Any], buffers: list[Buffer]) -> dict[str, list[Any]]:
    name = _name(value.dtype)
    if name is None:
        raise Unsupported(f"an array of dtype {value.dtype}")
    shape = list(value.shape)
    if len(shape) > MAX_DIMENSIONS:
        raise Unsupported(f"an array of {value.ndim} dimensions")
    if shape and max(shape) > MAX_FRAME_BYTES:
        raise Unsupported(f"an array of shape {value.shape}")
    data = np.asarray(value, dtype=DTYPES[name])
    if name == "bool":
        data = data.view(np.uint8) != 0  # a view of other bytes holds more than 0 and 1
    large = data.nbytes >= LARGE_BYTES and data.flags.c_contiguous
    buffers.append(data.reshape(-1).view(np.uint8).data if large else data.tobytes())
    return {"a": [name, shape]}


def _name(dtype: np.dtype[Any]) -> str | None:
    """The name of a dtype that can cross, whatever its byte order."""
    name = NAMES.get(dtype)
    return name if name is not None or dtype.name not in DTYPES else dtype.name


def _encode_scalar(value: np.generic) -> dict[str, list[Any]]:
    name = _name(value.dtype)
    if name is None:
        raise Unsupported(f"a numpy {value.dtype}")
    item = value.item()
    return {"s": [name, [item.real, item.imag] if isinstance(item, complex) else item]}
