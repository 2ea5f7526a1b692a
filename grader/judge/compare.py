"""Whether what came back means the same as what is expected, and if not, where the first difference is.

Containers that mean the same are the same: a list, a tuple, a record and an array of equal items; 3.0 and 3; a
numpy scalar, a 0-d array and a plain number. A truth value is no number. NaN equals NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.worker.wire import Record, field_names

FLOAT32_RELATIVE = 2.0**-22  # two roundings to float32


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be off: ``relative`` of the expected one, or ``absolute``, whichever is more."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()


def difference(got: Any, want: Any, tolerance: Tolerance = EXACT, place: str = "") -> str | None:
    """Where ``got`` first differs from ``want``, in words ("[3] is 2.0, not 3.0"); None if they mean the same."""
    got, want = _plain(got), _plain(want)
    if isinstance(want, np.generic):
        want = want.item()
    if isinstance(want, str | bytes) or want is None or isinstance(want, bool):
        same = type(got) is type(want) and got == want
        return None if same else _differs(place, got, want)
    if isinstance(want, int | float | complex):
        return _number_difference(got, want, tolerance, place)
    if isinstance(want, dict):
        return _dict_difference(got, want, tolerance, place)
    if isinstance(want, np.ndarray | list | tuple):
        return _sequence_difference(got, want, tolerance, place)
    if isinstance(want, set | frozenset):
        return None if isinstance(got, set | frozenset) and got == want else _differs(place, got, want)
    raise TypeError(f"a check expects a {type(want).__name__}, which is not plain data")


def _plain(value: Any) -> Any:
    """Numpy scalars and 0-d arrays as Python numbers, NamedTuples and dataclasses as the records that they arrive as.

    A float32 stays, since it is compared more widely.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic) and not isinstance(value, np.float32):
        return value.item()
    fields = field_names(value)
    if fields is not None and not isinstance(value, Record):
        return Record(type(value).__name__, fields, [getattr(value, name) for name in fields])
    return value


def _differs(place: str, got: Any, want: Any) -> str:
    from grader.judge.calls import show

    return f"{place or 'it'} is {show(got, 120)}, not {show(want, 120)}"


def _number_difference(got: Any, want: complex, tolerance: Tolerance, place: str) -> str | None:
    relative = tolerance.relative
    if isinstance(got, np.float32):
        got, relative = got.item(), max(relative, FLOAT32_RELATIVE)
    if isinstance(got, bool) or not isinstance(got, int | float | complex):
        return _differs(place, got, want)
    if got == want or (got != got and want != want):
        return None
    try:
        close = abs(got - want) <= max(relative * abs(want), tolerance.absolute)
    except OverflowError:
        close = False
    return None if close and not math.isinf(abs(want)) else _differs(place, got, want)


def _dict_difference(got: Any, want: dict[Any, Any], tolerance: Tolerance, place: str) -> str | None:
    if not isinstance(got, dict):
        return _differs(place, got, want)
    for key in want:
        if key not in got:
            return f"{place or 'it'} has no entry for {key!r}"
        found = difference(got[key], want[key], tolerance, f"{place}[{key!r}]")
        if found:
            return found
    surplus = [key for key in got if key not in want]
    return f"{place or 'it'} has an entry for {surplus[0]!r}, which does not belong there" if surplus else None


def _sequence_difference(got: Any, want: Any, tolerance: Tolerance, place: str) -> str | None:
    if not isinstance(got, np.ndarray | list | tuple):
        return _differs(place, got, want)
    numbers = _as_numbers(want)
    if numbers is not None:
        own = _as_numbers(got)
        if own is not None and (own.size or numbers.size):
            return _array_difference(own, numbers, tolerance, place)
    if len(got) != len(want):
        return f"{place or 'it'} has {_count(len(got))}, not {len(want)}"
    names = want.field_names if isinstance(want, Record) else None
    for index, (own_item, item) in enumerate(zip(got, want, strict=True)):
        step = f".{names[index]}" if names else f"[{index}]"
        found = difference(own_item, item, tolerance, place + step)
        if found:
            return found
    return None


def _count(length: int) -> str:
    return "1 entry" if length == 1 else f"{length} entries"


def _as_numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """A sequence as an array of numbers, or None if it is not one through and through."""
    if isinstance(value, Record):
        return None
    if not isinstance(value, np.ndarray):
        if not all(map(_is_numeric, value)):
            return None
        try:
            value = np.array(value)
        except (ValueError, TypeError, OverflowError):
            return None
    return value if value.dtype.kind in "biufc" else None


def _is_numeric(item: Any) -> bool:
    """Whether an array of numbers can hold an item as it is: not truth values, records, or ints to be rounded."""
    if isinstance(item, int):
        return not isinstance(item, bool) and abs(item) <= 1 << 53
    if isinstance(item, list | tuple):
        return not isinstance(item, Record) and all(map(_is_numeric, item))
    return not isinstance(item, str | bytes | dict | np.bool_) and item is not None


def _array_difference(
    got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], tolerance: Tolerance, place: str
) -> str | None:
    if got.shape != want.shape:
        return f"{place or 'it'} has shape {got.shape}, not {want.shape}"
    if (got.dtype.kind == "b") != (want.dtype.kind == "b"):
        return _differs(place, got, want)
    relative = max(tolerance.relative, FLOAT32_RELATIVE) if got.dtype == np.float32 else tolerance.relative
    with np.errstate(all="ignore"):
        exact = (got == want) | ((got != got) & (want != want))
        if exact.all():
            return None
        allowed = np.maximum(relative * np.abs(want), tolerance.absolute)
        close = (np.abs(got.astype(np.result_type(got, np.float64)) - want) <= allowed) & np.isfinite(want)
    bad = np.argwhere(~(exact | close))
    if len(bad) == 0:
        return None
    index = tuple(int(i) for i in bad[0])
    step = f"[{', '.join(map(str, index))}]"
    return _differs(place + step, got[index], want[index])


def accepted_as(got: Any, want: Any) -> str:
    """What was accepted though it is of another type than the solution's result, in words; "" if nothing."""
    if isinstance(got, np.ndarray | np.generic) and got.dtype == np.float32 and _is_double(want):
        return "float32 where float64 is asked for"
    if isinstance(want, np.ndarray) and want.ndim == 0:
        want = want[()]
    if isinstance(want, list | tuple | np.ndarray):
        return _accepted_sequence(got, want)
    if isinstance(want, int | float | np.number) and isinstance(got, np.ndarray):
        return "a 0-d array where a number is asked for"
    if isinstance(want, bool | np.bool_):
        return "a numpy bool where a bool is asked for" if isinstance(got, np.bool_) else ""
    if isinstance(want, int | np.integer) and isinstance(got, float | np.floating):
        return "a float where an int is asked for"
    if isinstance(want, int) and isinstance(got, np.integer):
        return f"a numpy {got.dtype} where an int is asked for"
    return ""


def _accepted_sequence(got: Any, want: Any) -> str:
    """Likewise of a list, a tuple, a record or an array; an array or a tuple in place of a list needs no remark."""
    if isinstance(want, Record):
        return "" if isinstance(got, Record) else f"{_kind(got)} where a {want.record_name} is asked for"
    if isinstance(want, tuple):
        return "" if isinstance(got, tuple) else f"{_kind(got)} where a tuple is asked for"
    if isinstance(want, np.ndarray):
        return f"{_kind(got)} where an array is asked for" if isinstance(got, list | tuple) else ""
    return ""


def _kind(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def _is_double(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray | np.generic) and value.dtype == np.float64)
