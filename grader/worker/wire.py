"""Frames between the judge and a worker: a JSON header and raw array buffers. Plain data crosses, nothing else.

A frame is ``<header bytes: u32> <buffer bytes: u64> <header> <buffers>``. The header is the JSON list
``[envelope, value]``: the envelope is the protocol's own JSON object, the value is encoded as below,
and the buffers hold array contents in the order in which the value names them.

    None, bool, int, float, str     themselves (an int beyond 64 bits: ``{"i": hex}``; a str that JSON would
                                    change, for its surrogates make a pair: ``{"u": length}``)
    list                            a JSON list
    tuple, dict, bytes, complex     ``{"t": items}``, ``{"d": pairs}``, ``{"b": length}``, ``{"c": [re, im]}``
    NamedTuple or dataclass         ``{"r": [name, fields, values]}``, arriving as a ``Record``
    numpy scalar, numpy array       ``{"s": [dtype, value]}``, ``{"a": [dtype, shape]}``
    callable (judge to worker)      ``{"f": index}``

Everything is checked before it is allocated, since either end may lie; what does not fit raises ``WireError``.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import socket
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

PREFIX = struct.Struct("<IQ")
MAX_HEADER_BYTES = 1 << 25
MAX_FRAME_BYTES = 1 << 29
MAX_DIMENSIONS = 32
MAX_DEPTH = 60
MAX_HEX_DIGITS = 4096
MAX_VALUES = 1 << 20  # lists, tuples, records … and their entries, in one frame
TOO_MANY = f"more than {MAX_VALUES:,} values in lists, which is what arrays are for"
MAX_ALIKE = 64  # keys of one dict that have one hash: more would make it slow beyond bounds
NUMBER_BYTES = 8  # what a number, or a piece of text of this length, counts
LARGE_BYTES = 1 << 16  # from here on array contents are not copied from buffer to buffer
READ_BYTES = 1 << 18

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}  # numpy makes the name anew each time it is asked for it

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


# --- encoding ---------------------------------------------------------------------------------------------------------


def pack(envelope: dict[str, Any], value: Any = None, callables: list[Callable[..., Any]] | None = None) -> bytes:
    """One frame, ready to send.

    Args:
        envelope: The protocol's own fields: plain JSON.
        value: The data.
        callables: Where functions among the values are collected; None refuses them.

    Raises:
        Unsupported: If something in ``value`` is not plain data.
    """
    return frame(envelope, *encode(value, callables))


def encode(value: Any, callables: list[Callable[..., Any]] | None = None) -> tuple[Any, list[Buffer]]:
    """A value as JSON and the array buffers that belong to it; large ones are views of the arrays, not copies.

    Raises:
        Unsupported: If something in ``value`` is not plain data.
    """
    buffers: list[Buffer] = []
    return _encode(value, buffers, callables, 0), buffers


def frame(envelope: dict[str, Any], encoded: Any, buffers: Sequence[Buffer]) -> bytes:
    """One frame from a value that is encoded already."""
    return b"".join(pieces(envelope, encoded, buffers))


def pieces(envelope: dict[str, Any], encoded: Any, buffers: Sequence[Buffer]) -> list[Buffer]:
    """The same frame as what is to be sent one after the other: large buffers stay as they are."""
    header = _dumps([envelope, encoded])
    size = sum(map(len, buffers))
    if len(header) > MAX_HEADER_BYTES or size + len(header) > MAX_FRAME_BYTES:
        raise Unsupported(f"a value of {(size + len(header)) / 1e6:.0f} MB, which is too large to send")
    if _has_too_many_values(header):
        raise Unsupported(TOO_MANY)
    start = PREFIX.pack(len(header), size)
    if size < LARGE_BYTES:
        return [b"".join((start, header, *buffers))]
    return [start + header, *buffers]


def _has_too_many_values(header: bytes | bytearray) -> bool:
    return len(header) > MAX_VALUES and header.count(b",") + header.count(b"[") > MAX_VALUES


_read_json = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # what raw_decode calls


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} is no JSON")


def _json_writer() -> Callable[[Any], bytes]:
    """The C encoder, made once: ``json.dumps`` makes one for every call, which takes longer than a small frame."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        encoder = json.JSONEncoder(separators=(",", ":"), check_circular=False)
        return lambda value: encoder.encode(value).encode("ascii")
    write = make(None, _refuse, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
    return lambda value: "".join(write(value, 0)).encode("ascii")


_dumps = _json_writer()


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
    name = _NAMES.get(dtype)
    return name if name is not None or dtype.name not in DTYPES else dtype.name


def _encode_scalar(value: np.generic) -> dict[str, list[Any]]:
    name = _name(value.dtype)
    if name is None:
        raise Unsupported(f"a numpy {value.dtype}")
    item = value.item()
    return {"s": [name, [item.real, item.imag] if isinstance(item, complex) else item]}


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


# --- decoding ---------------------------------------------------------------------------------------------------------


class Frames:
    """Cuts a stream of bytes into frames. Both ends read through one of these.

    Attributes:
        header_bytes: How long the header of the last frame was.
    """

    def __init__(self) -> None:
        """Nothing has arrived."""
        self._data: bytes | bytearray = b""
        self._start = 0
        self._large: _Large | None = None
        self.header_bytes = 0

    @property
    def pending(self) -> bool:
        """Whether bytes have arrived that no frame has taken yet."""
        return self._start < len(self._data) or self._large is not None

    def receive(self, sock: socket.socket) -> int:
        """Read once from a socket; returns how many bytes came, 0 at its end."""
        if self._large is not None and (room := self._large.room):
            count = sock.recv_into(room)
            self._large.filled += count
            return count
        data = sock.recv(READ_BYTES)
        self.feed(data)
        return len(data)

    def feed(self, data: bytes | bytearray) -> None:
        """Add what has arrived."""
        if self._large is not None:
            data = data[self._large.take(data) :]
        if self._start == len(self._data):
            self._data, self._start = data, 0
            return
        if isinstance(self._data, bytearray):
            del self._data[: self._start]
        else:
            self._data = bytearray(self._data[self._start :])
        self._start = 0
        self._data += data

    def next(self) -> tuple[dict[str, Any], Any, Buffer] | None:
        """The next whole frame as envelope, encoded value (not yet decoded) and buffers; None if there is none.

        Raises:
            WireError: If it announces more than is allowed, or its header is not what it should be.
        """
        if self._large is not None:
            return self._next_large(self._large)
        data, start = self._data, self._start
        if len(data) - start < PREFIX.size:
            return None
        header, size = PREFIX.unpack_from(data, start)
        if header > MAX_HEADER_BYTES or header + size > MAX_FRAME_BYTES:
            raise WireError(f"a frame of {header + size} bytes")
        body = start + PREFIX.size + header
        arrived = len(data) - body
        if arrived < 0 or arrived < size < LARGE_BYTES:
            return None
        self._start, self.header_bytes = body, header
        envelope, encoded = _read_header(data[start + PREFIX.size : body])
        if size >= LARGE_BYTES:
            try:
                self._large = _Large(envelope, encoded, size)
            except MemoryError:
                raise WireError(f"a frame of {size} bytes, for which there is no memory") from None
            self._start = body + self._large.take(memoryview(data)[body:])
            return self._next_large(self._large)
        self._start = body + size
        return envelope, encoded, bytes(memoryview(data)[body : body + size]) if size else b""

    def _next_large(self, large: _Large) -> tuple[dict[str, Any], Any, Buffer] | None:
        if large.room:
            return None
        self._large = None
        return large.envelope, large.encoded, large.buffers


class _Large:
    """A frame under way whose buffers are large: they are read straight to where they stay."""

    def __init__(self, envelope: dict[str, Any], encoded: Any, size: int) -> None:
        self.envelope, self.encoded = envelope, encoded
        self.buffers = np.empty(size, np.uint8).data  # takes no memory before it is written to
        self.filled = 0

    @property
    def room(self) -> memoryview:
        return self.buffers[self.filled :]

    def take(self, data: Buffer) -> int:
        """Keep what belongs here; returns how much that is."""
        count = min(len(data), len(self.buffers) - self.filled)
        self.buffers[self.filled : self.filled + count] = data[:count]
        self.filled += count
        return count


def _read_header(header: bytes | bytearray) -> tuple[dict[str, Any], Any]:
    if _has_too_many_values(header):
        raise WireError("a frame of too many values")
    try:
        text = header.decode("ascii")
        parts, end = _read_json(text, 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise WireError(f"a header that is not JSON: {type(error).__name__}") from None
    if end != len(text) or type(parts) is not list or len(parts) != 2 or type(parts[0]) is not dict:
        raise WireError("a header of another form")
    return parts[0], parts[1]


def unpack(data: bytes) -> tuple[dict[str, Any], Any]:
    """One whole frame as envelope and value.

    Raises:
        WireError: If the frame breaks a rule, is not whole, or more follows.
    """
    frames = Frames()
    frames.feed(data)
    found = frames.next()
    if found is None or frames.pending:
        raise WireError("not one whole frame")
    return found[0], decode(found[1], found[2])


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


def measure(encoded: Any) -> tuple[int, int]:
    """How many elements and how many bytes of data an encoded value holds.

    A number counts 8 bytes. Text counts too, an element for every 8 bytes begun, or numbers could travel as text;
    the names of a record's fields do not.
    """
    if isinstance(encoded, str):
        return _measure_text(len(encoded.encode("utf-8", "surrogatepass")))
    if isinstance(encoded, list):
        sizes = [measure(item) for item in encoded]
        return sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    if not isinstance(encoded, dict):
        return (0, 0) if encoded is None else (1, NUMBER_BYTES)
    ((tag, body),) = encoded.items()
    if tag in ("t", "d"):
        return measure(body)
    if tag == "r":
        return measure(body[2])
    if tag == "a":
        count = math.prod(body[1])
        return count, count * DTYPES[body[0]].itemsize
    if tag == "s":
        return 1, DTYPES[body[0]].itemsize
    if tag == "u":
        return _measure_text(body)
    return {"b": (body, body), "c": (1, 2 * NUMBER_BYTES), "i": (1, NUMBER_BYTES)}.get(tag, (0, 0))


def _measure_text(length: int) -> tuple[int, int]:
    return -(-length // NUMBER_BYTES), length


_SCALARS = frozenset((int, float, str, bool, type(None)))


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
