"""How much data an encoded value holds."""

from __future__ import annotations

import math
from typing import Any

from .values import DTYPES, NUMBER_BYTES


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
