"""Probes beside the calls on ranks that checks make: other numbers of ranks, lengths, shares and options."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from grader.judge.arguments import by_name, own_parameters, rebuilt
from grader.judge.calls import Call
from grader.judge.probes import Probe, guess
from grader.judge.variations import Arguments, Options, lengths, other_dimensions, resized, to_length
from grader.worker.threads import rank_arguments

MOST_RANKS = 8
FEW_RANKS = 5  # up to which a run costs little
MOST_CELLS = 56  # numbers of ranks with lengths
RANKS_TOGETHER = 50  # calls in which options come together that checks pass apart
SCALES = (1 / 64, 1 / 8)
MOST_SETTINGS = 8
HELD = "what ranks hold"


def beside_ranks(
    calls: Sequence[Call], parameters: Sequence[inspect.Parameter], numbers: Sequence[float]
) -> list[Probe]:
    """Probes beside calls on ranks.

    Args:
        calls: What checks call.
        parameters: Of the function, the communicator first.
        numbers: Numbers in the submission.
    """
    options = Options(parameters[own_parameters(calls[0]) :], [by_name(call, parameters) for call in calls], numbers)
    probes = _shared_together(calls, parameters)
    every = [_settings(by_name(probe.call, parameters)) for probe in probes] or [{}]
    for number, (base, per_rank) in enumerate(_cells(calls, numbers)):
        setting = {**by_name(base, parameters), **(every[number % len(every)] if number % 3 else {})}
        probes.append(guess(rebuilt(dataclasses.replace(base, per_rank=per_rank), setting, parameters)))
    small = [call for call in calls if len(call.per_rank or ()) in (2, 3)]
    small.sort(key=lambda call: (len(call.per_rank or ()), -_content(call)))
    for base in small[:1]:
        for arguments, odd in options.one_changed(by_name(base, parameters)):
            probes.append(guess(rebuilt(base, arguments, parameters), odd))
        probes += [guess(dataclasses.replace(base, per_rank=other), odd=True) for other in _misfits(base)]
        for factor in SCALES:
            per_rank = tuple(_changed(entry, lambda array: array, factor) for entry in base.per_rank or ())
            for setting in every[:: -(-len(every) // MOST_SETTINGS)]:
                arguments = {**by_name(base, parameters), **setting}
                probes.append(guess(rebuilt(dataclasses.replace(base, per_rank=per_rank), arguments, parameters)))
    return probes


class _OnRanks:
    """What ranks hold, with the shared arrays that fit it, as one value to combine with others."""

    def __init__(self, call: Call, arguments: Arguments) -> None:
        self.call = call
        self.arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
        inner = [array.shape[1:] for entry in _arrays(call) for array in entry]
        self.kind = (len(call.per_rank or ()), inner[:1], sorted(map(np.shape, self.arrays.values())))


def _shared_together(calls: Sequence[Call], parameters: Sequence[inspect.Parameter]) -> list[Probe]:
    """Few ranks and options together that checks pass apart; none where ranks share no options."""
    few = [call for call in calls if len(call.per_rank or ()) <= FEW_RANKS]
    seen = [{**_settings(by_name(call, parameters)), HELD: _OnRanks(call, by_name(call, parameters))} for call in few]
    options = Options([each for each in parameters if each.name not in (HELD, "comm")], seen, ())
    if not few or all(len(arguments) == 1 for arguments in seen):
        return []
    probes = []
    for arguments in options.combined(RANKS_TOGETHER):
        held = arguments.pop(HELD)
        probes.append(guess(rebuilt(held.call, {**arguments, **held.arrays}, parameters)))
    return probes


def _settings(arguments: Arguments) -> Arguments:
    """The shared arguments that have no shape to fit the ranks' own."""
    return {name: value for name, value in arguments.items() if not isinstance(value, np.ndarray)}


def _cells(calls: Sequence[Call], numbers: Sequence[float]) -> list[tuple[Call, tuple[Any, ...]]]:
    """What each rank may hold, on how many ranks, each with the call that it is made from; no shape twice."""
    by_content = sorted(calls, key=_content, reverse=True)
    bases = [call for call in by_content if _is_even(call)][:4] + [call for call in by_content if not _is_even(call)][
        :4
    ]
    grids = [(base, _evenly(base, numbers) if _is_even(base) else _unevenly(base)) for base in bases]
    cells: dict[str, tuple[Call, tuple[Any, ...]]] = {}
    for index in range(max(len(grid) for _, grid in grids)):
        for base, grid in grids[index % len(grids) :] + grids[: index % len(grids)]:
            if index < len(grid):
                cells.setdefault(_shape_of(grid[index]), (base, grid[index]))
    return list(cells.values())[:MOST_CELLS]


def _arrays(call: Call) -> list[tuple[np.ndarray[Any, Any], ...]]:
    """Each rank's own arrays."""
    assert call.per_rank is not None
    entries = [rank_arguments(entry) for entry in call.per_rank]
    return [tuple(value for value in entry if isinstance(value, np.ndarray) and value.ndim) for entry in entries]


def _content(call: Call) -> int:
    """How much the ranks' own arrays hold: little content, or the same on every rank, hides mistakes."""
    arrays = _arrays(call)
    different = len({b"".join(array.tobytes() for array in entry) for entry in arrays})
    return different * (1 + min((min(map(len, entry), default=0) for entry in arrays), default=0))


def _form(value: Any) -> Any:
    """The shape of an array; of a list or tuple, which may hold arrays of several shapes, its items' forms."""
    return [_form(item) for item in value] if isinstance(value, list | tuple) else np.shape(value)


def _shape_of(per_rank: tuple[Any, ...]) -> str:
    """What tells two ways to fill ranks apart: the shapes, and roughly how large the numbers are."""
    values = [value for entry in per_rank for value in rank_arguments(entry)]
    largest = max((float(np.abs(v).max()) for v in values if isinstance(v, np.ndarray) and v.size), default=0.0)
    return repr((len(per_rank), [_form(value) for value in values], largest < 1, largest > 99))


def _is_even(call: Call) -> bool:
    """Whether every rank has one array, all of one length."""
    arrays = _arrays(call)
    alone = all(len(rank_arguments(entry)) == 1 for entry in call.per_rank or ())
    return alone and all(len(entry) == 1 for entry in arrays) and len({len(entry[0]) for entry in arrays}) == 1


def _evenly(call: Call, numbers: Sequence[float]) -> list[tuple[Any, ...]]:
    """Every small number of ranks with lengths around it, and a few long buffers."""
    more = [int(number) + d for number in numbers if number <= 2 * MOST_RANKS for d in (0, 1)]
    counts = {*range(1, MOST_RANKS + 1), *more}
    cells = [
        (ranks, n)
        for ranks in sorted(counts)
        for n in (2 * ranks + 1, ranks - 1, ranks, 1, ranks + 1, 0)[: 6 if ranks <= FEW_RANKS else 2]
    ]
    cells += [(ranks, n) for ranks, n in ((2, 17), (3, 40), *((2 + n % 2, n) for n in lengths(numbers)))]
    return [_ranks(call, ranks, to_length(n)) for ranks, n in cells if ranks > 0]


def _unevenly(call: Call) -> list[tuple[Any, ...]]:
    """Every small number of ranks, ranks without data, and other shares of the same data."""
    assert call.per_rank is not None
    most = len(call.per_rank)
    grids = [_ranks(call, ranks, lambda array: array) for ranks in range(1, MOST_RANKS + 1)]
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda array: array[:1],
        lambda array: resized(array, 2 * len(array)),
        lambda array: resized(array, 3),
        lambda array: array[:0],
    )
    grids += [_ranks(call, ranks, change) for change in changes for ranks in (2, most)]
    turned = list(call.per_rank)
    grids += [(*turned[1:], *turned[:1]), tuple(turned[::-1])]
    for rank in range(most):
        without = [_changed(entry, changes[-1]) if other == rank else entry for other, entry in enumerate(turned)]
        alone = [entry if other == rank else _changed(entry, changes[-1]) for other, entry in enumerate(turned)]
        grids += [tuple(without), tuple(alone)]
    return grids


def _ranks(call: Call, count: int, change: Callable[[Any], Any]) -> tuple[Any, ...]:
    """As many ranks, with the given ones' arrays changed; further ranks get other numbers than the given ones."""
    assert call.per_rank is not None
    entries = []
    for rank in range(count):
        again, index = divmod(rank, len(call.per_rank))
        entries.append(_changed(call.per_rank[index], change, 2.0**again))
    return tuple(entries)


def _changed(entry: Any, change: Callable[[Any], Any], factor: float = 1.0) -> Any:
    own = tuple(
        change(v * factor if factor != 1 else v) if isinstance(v, np.ndarray) and v.ndim else v
        for v in rank_arguments(entry)
    )
    return own if type(entry) is tuple else own[0]


def _misfits(call: Call) -> Iterator[tuple[Any, ...]]:
    """Arrays with a dimension too many, or of a length that does not fit the others; on one to three ranks."""
    assert call.per_rank is not None
    own = len(rank_arguments(call.per_rank[0]))
    for place in range(own):
        for which in range(3):
            for ranks in (1, 2, 3):
                entries = [list(rank_arguments(entry)) for entry in _ranks(call, ranks, lambda array: array)]
                for entry in entries:
                    if isinstance(entry[place], np.ndarray) and entry[place].ndim:
                        others = [*other_dimensions(entry[place])[:2], entry[place][1:]]
                        entry[place] = others[which]
                yield tuple(map(tuple, entries)) if own > 1 else tuple(entry[0] for entry in entries)
