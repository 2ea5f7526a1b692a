"""Frames: written in pieces, read from a stream as it arrives."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .decoding import decode
from .encoding import encode
from .values import (
    LARGE_BYTES,
    MAX_FRAME_BYTES,
    MAX_VALUES,
    TOO_MANY,
    Buffer,
    Unsupported,
    WireError,
)

PREFIX = struct.Struct("<IQ")
MAX_HEADER_BYTES = 1 << 25
READ_BYTES = 1 << 18


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
