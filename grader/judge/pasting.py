"""Calls and arguments as Python that a student can paste (with ``np`` and the functions at hand)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.worker.threads import as_array
from grader.worker.wire import Record, field_names

LIMIT = 400  # characters of an argument
MAX_ELEMENTS = 24  # of an array that is written out; longer ones are shown with dots, and only to be read
MAX_BITS = 10_000  # Python refuses to write out longer ints in decimal


def arguments(positional: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """What stands between the parentheses of a call."""
    return ", ".join([*map(argument, positional), *(f"{name}={argument(value)}" for name, value in keywords.items())])


def argument(value: Any) -> str:
    """One argument, cut where it is very long."""
    text = _python(value)
    return text if len(text) <= LIMIT else text[: LIMIT - 2] + " …"


def rank_entry(entry: Any) -> str:
    """What one rank gets, as ``on_ranks`` takes it: a tuple is several arguments, a float64 array may be a list."""
    if type(entry) is tuple:
        return _tuple([_own_argument(part) for part in entry])
    return _own_argument(entry)


def _own_argument(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.size <= MAX_ELEMENTS:
        array = as_array(value.tolist())
        if isinstance(array, np.ndarray) and array.shape == value.shape:
            return argument(value.tolist())
    return argument(value)


def _python(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _scalar(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, complex):
        # A zero would lose its sign: -1j is (-0.0-1.0j).
        plain = all(math.isfinite(part) and part != 0 for part in (value.real, value.imag))
        return repr(value) if plain else f"complex({_float(value.real)}, {_float(value.imag)})"
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return hex(value)
    fields = field_names(value)
    if fields is not None:
        name = value.record_name if isinstance(value, Record) else type(value).__name__
        return f"{name}({', '.join(f'{field}={_python(getattr(value, field))}' for field in fields)})"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    if isinstance(value, tuple):
        return _tuple(list(map(_python, value)))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_python(key)}: {_python(item)}" for key, item in value.items()) + "}"
    if callable(value):
        return _function(value)
    return repr(value)


def _tuple(parts: Sequence[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _function(value: Any) -> str:
    name = str(getattr(value, "__name__", ""))
    return name if name.isidentifier() else "function"


def _float(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    return repr(value) if math.isfinite(value) else ("np.inf" if value > 0 else "-np.inf")


def _scalar(value: np.generic) -> str:
    plain = _python(value.item())
    return plain if _is_usual(value.dtype) else f"np.{value.dtype.name}({plain})"


def _array(value: np.ndarray[Any, Any]) -> str:
    kind = "" if value.dtype == np.float64 or (value.size and _is_usual(value.dtype)) else f", dtype={_dtype(value)}"
    if value.size == 0:
        return f"np.zeros({_python(value.shape)}{kind})"
    if value.size <= MAX_ELEMENTS:
        return f"np.array({_python(value.tolist())}{kind})"
    with np.printoptions(threshold=MAX_ELEMENTS, edgeitems=6, linewidth=10_000, precision=17, floatmode="unique"):
        return "np." + " ".join(repr(value).split())


def _dtype(value: np.ndarray[Any, Any]) -> str:
    return "bool" if value.dtype == np.bool_ else f"np.{value.dtype.name}"


def _is_usual(dtype: np.dtype[Any]) -> bool:
    """Whether numpy makes this dtype of plain Python values."""
    return dtype in (np.float64, np.int64, np.complex128, np.bool_)
