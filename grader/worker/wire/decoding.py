"""From JSON and array buffers to the value, which is checked before it is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .values import (
    DTYPES,
    LARGE_BYTES,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_FRAME_BYTES,
    MAX_HEX_DIGITS,
    Buffer,
    Record,
    WireError,
)

MAX_ALIKE = 64  # keys of one dict that have one hash: more would make it slow beyond bounds
_SCALARS = frozenset((int, float, str, bool, type(None)))


def decode(
    encoded: Any,
    buffers: Buffer = b"",
    *,
    record: Callable[[str, list[str], list[Any]], Any] = Record,
    function: Callable[[int], Any] | None = None,
) -> Any:
    """The value that ``encoded`` and ``buffers`` describe.

    Args:
        encoded: JSON, as ``encode`` makes it.
        buffers: The contents of the arrays, one after the other, and nothing more.
        record: Builds a record from its name, fields and values.
        function: Builds what stands for a callable from its index; None refuses callables.

    Raises:
        WireError: If anything does not fit.
    """
    if type(encoded) in _SCALARS and not buffers:
        return encoded
    reader = _Reader(buffers, record, function)
    value = reader.value(encoded, 0)
    if reader.offset != len(buffers):
        raise WireError(f"{len(buffers) - reader.offset} surplus bytes of array data")
    return value


def check(encoded: Any, buffers: Buffer) -> None:
    """Raise ``WireError`` unless ``encoded`` and ``buffers`` describe a value."""
    decode(encoded, buffers)


class _Reader:
    """Walks an encoded value and takes array contents from the buffers as it meets them."""

    def __init__(
        self, buffers: Buffer, record: Callable[[str, list[str], list[Any]], Any], function: Callable[[int], Any] | None
    ) -> None:
        self.buffers, self.offset = buffers, 0
        self.record, self.function = record, function

    def value(self, encoded: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("a value that is nested too deeply")
        kind = type(encoded)
        if kind in _SCALARS:
            return encoded
        if kind is list:
            return self.items(encoded, depth)
        if len(encoded) != 1:
            raise WireError("a value with other than one tag")
        ((tag, body),) = encoded.items()
        read = _READERS.get(tag)
        if read is None:
            raise WireError(f"a value of unknown kind {tag[:20]!r}")
        try:
            return read(self, body, depth + 1)
        except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
            raise WireError(f"a malformed value of kind {tag!r}: {type(error).__name__}") from None

    def items(self, encoded: list[Any], depth: int) -> list[Any]:
        if depth < MAX_DEPTH and _SCALARS.issuperset(map(type, encoded)):
            return list(encoded)
        return [self.value(item, depth + 1) for item in encoded]

    def take(self, size: int) -> Buffer:
        if type(size) is not int or size < 0 or size > len(self.buffers) - self.offset:
            raise WireError("a value longer than its frame")
        start, self.offset = self.offset, self.offset + size
        return self.buffers[start : self.offset]

    def array(self, body: Any, _depth: int) -> np.ndarray[Any, Any]:
        name, shape = body
        dtype = DTYPES[name]
        if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
            raise WireError("an array without a proper shape")
        if any(type(n) is not int or not 0 <= n <= MAX_FRAME_BYTES for n in shape):
            raise WireError("an array with an impossible dimension")
        data = self.take(math.prod(shape) * dtype.itemsize)
        array = np.frombuffer(data, dtype=dtype).reshape(shape)
        if name == "bool" and array.size and array.view(np.uint8).max() > 1:
            raise WireError("a boolean array that holds neither 0 nor 1")
        # a large one stays where the socket has put it, and has that memory to itself
        stays = len(data) >= LARGE_BYTES and array.flags.writeable and array.flags.aligned
        return array if stays else array.copy()

    def scalar(self, body: Any, _depth: int) -> np.generic:
        name, item = body
        dtype = DTYPES[name]
        plain = complex(*item) if dtype.kind == "c" else item
        if type(plain) not in _SCALAR_TYPES[dtype.kind]:
            raise WireError("a numpy scalar of another kind than it says")
        with np.errstate(all="ignore"):
            value: np.generic = dtype.type(plain)
        return value

    def pairs(self, body: Any, depth: int) -> dict[Any, Any]:
        if not isinstance(body, list) or any(type(pair) is not list for pair in body):
            raise WireError("a dict that is no list of pairs")
        pairs = [(self.value(key, depth), self.value(item, depth)) for key, item in body]
        if len(pairs) > MAX_ALIKE and max(Counter(hash(key) for key, _ in pairs).values()) > MAX_ALIKE:
            raise WireError("a dict with too many keys of one hash")
        return dict(pairs)

    def make_record(self, body: Any, depth: int) -> Any:
        name, fields, values = body
        lists = isinstance(fields, list) and isinstance(values, list) and len(fields) == len(values)
        if not lists or not all(isinstance(text, str) for text in (name, *fields)):
            raise WireError("a record whose fields and values do not match")
        return self.record(name, fields, [self.value(item, depth) for item in values])

    def long(self, body: Any, _depth: int) -> int:
        if not isinstance(body, str) or len(body) > MAX_HEX_DIGITS + 1:
            raise WireError("an int that is too long")
        return int(body, 16)

    def callable(self, body: Any, _depth: int) -> Any:
        if self.function is None or type(body) is not int:
            raise WireError("a function where only data may stand")
        return self.function(body)

    def make_tuple(self, body: Any, depth: int) -> tuple[Any, ...]:
        if not isinstance(body, list):
            raise WireError("a tuple of no items")
        return tuple(self.items(body, depth - 1))

    def make_complex(self, body: Any, _depth: int) -> complex:
        real, imaginary = body
        return complex(real, imaginary)

    def octets(self, body: Any, _depth: int) -> bytes:
        return bytes(self.take(body))

    def text(self, body: Any, _depth: int) -> str:
        return bytes(self.take(body)).decode("utf-8", "surrogatepass")


_SCALAR_TYPES: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (int, float),
    "c": (complex,),
}

_READERS: dict[str, Callable[[_Reader, Any, int], Any]] = {
    "t": _Reader.make_tuple,
    "d": _Reader.pairs,
    "b": _Reader.octets,
    "u": _Reader.text,
    "c": _Reader.make_complex,
    "r": _Reader.make_record,
    "s": _Reader.scalar,
    "a": _Reader.array,
    "i": _Reader.long,
    "f": _Reader.callable,
}
