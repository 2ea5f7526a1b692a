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

from .decoding import MAX_ALIKE, check, decode
from .encoding import encode
from .frames import MAX_HEADER_BYTES, PREFIX, READ_BYTES, Frames, frame, pack, pieces, unpack
from .sizes import measure
from .values import (
    DTYPES,
    LARGE_BYTES,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_FRAME_BYTES,
    MAX_HEX_DIGITS,
    MAX_VALUES,
    NUMBER_BYTES,
    Buffer,
    Record,
    Unsupported,
    WireError,
    describe_kind,
    field_names,
    without_functions,
)

__all__ = [
    "DTYPES",
    "LARGE_BYTES",
    "MAX_ALIKE",
    "MAX_DEPTH",
    "MAX_DIMENSIONS",
    "MAX_FRAME_BYTES",
    "MAX_HEADER_BYTES",
    "MAX_HEX_DIGITS",
    "MAX_VALUES",
    "NUMBER_BYTES",
    "PREFIX",
    "READ_BYTES",
    "Buffer",
    "Frames",
    "Record",
    "Unsupported",
    "WireError",
    "check",
    "decode",
    "describe_kind",
    "encode",
    "field_names",
    "frame",
    "measure",
    "pack",
    "pieces",
    "unpack",
    "without_functions",
]
