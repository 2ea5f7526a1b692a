"""Calls beside those that checks make: other lengths and numbers of ranks, each option toggled, and what is refused.

Nothing here knows any exercise. Values come from the calls that checks make, from the defaults, and from the numbers
in the submission itself: a mistake that begins at 17 elements has the 16 or the 17 in its text.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

LONGEST = 64
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e-?\d+)?|\d+e-?\d+|\d[\d_]*)(?![\w.])")
PART = re.compile(r"^(?=\w|@)", re.MULTILINE)  # what stands at the margin begins a part
DEFINED = re.compile(r"^(?:async\s+def\s+|def\s+|class\s+)?(\w+)")
WORD = re.compile(r"[A-Za-z_]\w*")
USUAL = (0, 1, 2)
MAX_NUMBER = 2.0**62
DRAWS = 8  # for each combination that is wanted


class Variant(NamedTuple):
    """A value in the place of another; ``odd`` if it is meant to be refused."""

    value: Any
    odd: bool = False


def numbers_in(text: str, function: str) -> list[float]:
    """The numbers that stand in a function's text or in that of what it uses, the usual ones aside.

    They are found by form, not by parsing: the text is a submission's, and may be anything.
    """
    parts = {name: part for part in PART.split(text) for name in DEFINED.findall(part)[:1]}
    used = [function]
    for name in used:  # grows as it goes
        words = dict.fromkeys(WORD.findall(parts.get(name, ""))) if len(used) < 50 else ()
        used += [word for word in words if word in parts and word not in used]
    written = [number for name in used for number in NUMBER.findall(parts.get(name, ""))[:200]]
    numbers = {float(each.replace("_", "")) for each in written}
    return sorted(number for number in numbers if number not in USUAL and number < MAX_NUMBER)[:12]


def lengths(numbers: Sequence[float]) -> list[int]:
    """Lengths just below, at and above the numbers of a submission."""
    near = {int(number) + d for number in numbers if number == int(number) for d in (-1, 0, 1)}
    return sorted(length for length in near if 0 < length <= LONGEST)


def variants(value: Any, pool: Sequence[Any], numbers: Sequence[float]) -> Iterator[Variant]:
    """Other values of the same kind.

    Args:
        value: A value that a check passes.
        pool: Others that checks pass in this place.
        numbers: Numbers that a mistake may begin at.
    """
    yield from (Variant(other) for other in pool if not callable(other))
    if isinstance(value, bool):
        yield Variant(not value)
    elif isinstance(value, int):
        yield from _ints(value, numbers)
    elif isinstance(value, float):
        yield from _floats(value, numbers)
    elif isinstance(value, str):
        yield Variant("another", odd=True)
    elif isinstance(value, list | np.ndarray):
        yield from _sequences(value, numbers)
    elif callable(value):
        yield from (Variant(_Scaled(value, factor)) for factor in (1 / 64, 64.0))


def _ints(value: int, numbers: Sequence[float]) -> Iterator[Variant]:
    near = [int(number) + d for number in numbers if number == int(number) for d in (-1, 0, 1)]
    yield from map(Variant, (value + 1, value - 1, 2 * value, 3 * value, 1, 2, *near))
    yield from map(Variant, (0, -1, -value))
    yield from (Variant(True, odd=True), Variant(value + 0.5, odd=True))


def _floats(value: float, numbers: Sequence[float]) -> Iterator[Variant]:
    for other in (2 * value, value / 2, 7 * value, value / 100, *(n * f for n in numbers for f in (0.99, 1.0, 1.01))):
        yield Variant(other)
    yield from (Variant(0.0), Variant(-value), Variant(-1.0))
    yield from (Variant(float("nan"), odd=True), Variant(float("inf"), odd=True), Variant(True, odd=True))


def _sequences(value: Any, numbers: Sequence[float]) -> Iterator[Variant]:
    yield from (Variant(change(value)) for change in reshapings(numbers))
    if isinstance(value, np.ndarray):
        yield Variant(value * 3)
        yield Variant(-value)
        yield from (Variant(other, odd=True) for other in other_dimensions(value))
    elif len(value) and all(isinstance(item, int | float) for item in value):
        yield Variant([3 * item for item in value])
        if all(isinstance(item, float) for item in value):
            yield Variant([item / 64 for item in value])
        for place in (0, len(value) // 2):
            for other in (value[place] + 1, 3 * value[place]):
                yield Variant([*value[:place], other, *value[place + 1 :]])
        for other, odd in variants(value[-1], (), numbers):
            yield Variant([*value[:-1], other], odd)


class _Scaled:
    """A function that returns another's floats, scaled."""

    def __init__(self, function: Callable[..., Any], factor: float) -> None:
        self._function, self._factor = function, factor
        self.__name__ = getattr(function, "__name__", "function")
        self.form = ("scaled", getattr(function, "form", function), factor)  # see ``probes.key``

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        value = self._function(*positional, **keywords)
        return value * self._factor if isinstance(value, float) else value


def other_dimensions(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The array with a dimension more, or without one."""
    return [array[None], array[..., None], *(array[0] for _ in range(array.ndim > 1 and len(array) > 0))]


def reshapings(numbers: Sequence[float]) -> list[Callable[[Any], Any]]:
    """Changes of the length and order of a list or array, without a change of its items."""
    changes: list[Callable[[Any], Any]] = [
        lambda v: v[:0],
        lambda v: v[:1],
        lambda v: v[:-1],
        lambda v: v[1:],
        lambda v: v[::-1],
        lambda v: _joined(v[1:], v[:1]),
        lambda v: _joined(v[::2], v[1::2]),
        lambda v: _joined(v, v),
        lambda v: _joined(v[:1], v[:1], v[:1], v),
        lambda v: _ordered(v),
        lambda v: _ordered(v)[::-1],
    ]
    return changes + [to_length(length) for length in (17, *lengths(numbers))]


def to_length(length: int) -> Callable[[Any], Any]:
    """What brings a list or array to a length."""
    return lambda value: resized(value, length)


def resized(value: Any, length: int) -> Any:
    """A list or array cut, or repeated, to a length."""
    if len(value) == 0:
        return value
    return _joined(*[value] * -(-length // len(value)))[:length] if length else value[:0]


def _joined(*parts: Any) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)[:LONGEST]
    return [item for part in parts for item in part][:LONGEST]


def _ordered(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value[np.argsort(value if value.ndim == 1 else value.reshape(len(value), -1).sum(1), kind="stable")]
    return sorted(value) if all(isinstance(item, int | float) for item in value) else value


Arguments = dict[str, Any]


class Options:
    """The arguments of a function by name: which values occur, and which others lie beside them."""

    def __init__(
        self, parameters: Sequence[inspect.Parameter], seen: Sequence[Arguments], numbers: Sequence[float]
    ) -> None:
        """Parameters of the function, the arguments with which it is rightly called, and numbers to go around."""
        self._defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
        most = 4 * max(map(_largest_int, [*seen, self._defaults]), default=0)  # much larger ones may take very long
        usual = {float(default) for default in self._defaults.values() if type(default) is int}
        self._seen, self._numbers = list(seen), sorted({n for n in (*numbers, *usual) if n <= most})
        self._pool: dict[str, list[Any]] = {}
        for each in parameters:
            values = [arguments[each.name] for arguments in seen if each.name in arguments]
            values += [self._defaults[each.name]] if each.name in self._defaults else []
            self._pool[each.name] = _spread(list({repr(value): value for value in values}.values()), 8)

    def one_changed(self, arguments: Arguments, *, numbers: bool = True) -> Iterator[tuple[Arguments, bool]]:
        """The arguments with each one changed, or left out where it has a default, and whether that is odd.

        Without ``numbers`` the changes stay among what checks pass and its neighbours.
        """
        for name in self._pool:
            if name in arguments and name in self._defaults:
                yield {other: value for other, value in arguments.items() if other != name}, False
            value = arguments.get(name, self._defaults.get(name))
            pool = self._pool[name]
            if value is None:
                value = next((other for other in pool if other is not None), None)
            for other, odd in variants(value, pool, self._numbers if numbers else ()):
                yield {**arguments, name: other}, odd

    def together(self, arguments: Arguments) -> Iterator[Arguments]:
        """Lists of equal length, reordered and resized together."""
        lists = {name: value for name, value in arguments.items() if isinstance(value, list | np.ndarray)}
        for size in {len(value) for value in lists.values()}:
            group = {name: value for name, value in lists.items() if len(value) == size}
            if size and len(group) > 1:
                for change in reshapings(self._numbers):
                    yield {**arguments, **{name: change(value) for name, value in group.items()}}

    def combined(self, count: int, is_right: Callable[[Arguments], bool] = lambda arguments: True) -> list[Arguments]:
        """Arguments that bring values together which occur apart; each pair of kinds of values twice, if there is room.

        Args:
            count: How many at most.
            is_right: Whether a call with these arguments is not refused.
        """
        draw, met, found = random.Random(count), Counter[Any](), []
        for _ in range(DRAWS * count):
            arguments = self._drawn(draw)
            kinds = sorted(repr((name, _kind(value))) for name, value in arguments.items())
            pairs = list(itertools.combinations(kinds, 2))
            if any(met[pair] < 2 for pair in pairs) and is_right(arguments):
                met.update(pairs)
                found.append(arguments)
                if len(found) == count:
                    break
        return found

    def _drawn(self, draw: random.Random) -> Arguments:
        """One call's arguments, some of them another's, some drawn by themselves; functions stay together."""
        ours, theirs = draw.choice(self._seen), draw.choice(self._seen)
        arguments = dict(ours)
        for name, pool in self._pool.items():
            chance = draw.random()
            if callable(arguments.get(name)) or chance >= 0.6:
                continue
            if chance < 0.4 and name in theirs:
                arguments[name] = theirs[name]
            elif chance >= 0.4 and pool and not isinstance(pool[0], list | np.ndarray):
                arguments[name] = draw.choice(pool)
        return arguments


def _kind(value: Any) -> Any:
    """What a value has in common with others: small numbers are a kind each, larger ones are sorted by size."""
    if isinstance(value, list | np.ndarray):
        return ("length", min(len(value), 5))
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= 16 else ("int", value.bit_length())
    if isinstance(value, float):
        return ("float", math.frexp(value)[1] // 4 if math.isfinite(value) else 0, value == 0)
    return getattr(value, "kind", callable(value))


def _largest_int(value: Any) -> int:
    if isinstance(value, int):
        return abs(value)
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else 0
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return max([*map(_largest_int, items), len(items)], default=0)


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most ``count`` of the items, evenly spread, the first and the last among them."""
    if len(items) <= count:
        return list(items)
    return [items[round(index * (len(items) - 1) / (count - 1))] for index in range(count)]
