"""Probes beside the calls that checks make: what ``variations`` makes of the arguments, for each kind of call."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from grader.judge.arguments import by_name, rebuilt
from grader.judge.calls import Call
from grader.judge.probes import Probe, distinct, guess
from grader.judge.rank_boundaries import beside_ranks
from grader.judge.variations import Arguments, Options

BASES = 5  # calls of which every argument is varied
TOGETHER = 150  # calls in which values come together that checks pass apart
ASKING_TOGETHER = 30
PLAIN_PROBES = 800
ASKING_PROBES = 80  # a question to a function that was passed takes as long as a call
PAIRS = 80  # sequences of calls with another's options


def beside(
    recorded: Sequence[Probe],
    function: Callable[..., Any],
    numbers: Sequence[float],
    known: Sequence[float] = (),
    effort: float = 1.0,
) -> list[Probe]:
    """Probes beside the recorded ones, the same ones every time.

    Args:
        recorded: Calls of one exercise that its checks make.
        function: The solution's function or class.
        numbers: Numbers in the submission.
        known: Numbers in the misconceptions.
        effort: Which share of the probes to make, where calls take long.
    """
    right = [probe.call for probe in recorded if not probe.raised]
    plain = [call for call in right if call.per_rank is None and call.steps is None]
    ranks = [call for call in right if call.per_rank is not None]
    steps = [call for call in right if call.steps is not None]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    probes: list[Probe] = []
    if plain:
        probes += _together(plain, parameters, function, effort)
        probes += _beside_plain(plain, parameters, [*numbers, *known])
    if ranks:
        probes += beside_ranks(ranks, parameters, numbers)
    if steps:
        probes += _beside_steps(steps, parameters, [*numbers, *known])
    made = {probe.key for probe in recorded}
    fresh = [probe for probe in distinct(probes) if probe.key not in made]
    return fresh if effort >= 1 else _spread(fresh, int(len(fresh) * effort))


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most so many of the items, evenly spread."""
    step = max(1, -(-len(items) // max(1, count)))
    return list(items[(step - 1) // 2 :: step])


# --- calls of a function alone ---


def _beside_plain(
    calls: Sequence[Call], parameters: Sequence[inspect.Parameter], numbers: Sequence[float]
) -> list[Probe]:
    seen = [by_name(call, parameters) for call in calls]
    options = Options(parameters, seen, numbers)
    first, *others = _bases(seen)
    near = [*options.one_changed(first), *((changed, False) for changed in options.together(first))]
    further: list[tuple[Arguments, bool]] = []
    for number, arguments in enumerate(others):
        changes = options.one_changed(arguments, numbers=number == 0)
        further += [(changed, False) for changed, odd in changes if not odd]
        further += [(changed, False) for changed in options.together(arguments)]
    chosen = _chosen(near, further, PLAIN_PROBES)
    if any(map(callable, first.values())):
        functions = [each for each in near if any(callable(v) and v not in first.values() for v in each[0].values())]
        chosen = functions + _chosen([], near + further, ASKING_PROBES)
    return [guess(rebuilt(calls[0], arguments, parameters), odd) for arguments, odd in chosen]


def _chosen(near: list[tuple[Arguments, bool]], further: Sequence[Any], count: int) -> list[tuple[Arguments, bool]]:
    """All near ones, and as many of the further ones as there is room for."""
    return near + _spread(further, max(1, count - len(near)))


def _together(
    calls: Sequence[Call], parameters: Sequence[inspect.Parameter], function: Callable[..., Any], effort: float
) -> list[Probe]:
    """Calls in which values come together that checks pass apart, and which the solution does not refuse."""
    options = Options(parameters, [by_name(call, parameters) for call in calls], ())

    def is_right(arguments: Arguments) -> bool:
        call = rebuilt(calls[0], arguments, parameters)
        try:
            function(*call.positional, **call.keywords)
        except Exception:
            return False
        return True

    asks = any(callable(value) for value in by_name(calls[0], parameters).values())
    count = int(effort * (ASKING_TOGETHER if asks else TOGETHER))
    return [guess(rebuilt(calls[0], arguments, parameters)) for arguments in options.combined(count, is_right)]


def _bases(seen: Sequence[Arguments]) -> list[Arguments]:
    """Arguments to vary: of those that leave most to the defaults the longest, of the others the longest, and more."""
    by_length = sorted(seen, key=lambda arguments: len(repr(arguments)), reverse=True)
    fewest = min(by_length, key=len)  # the first of equals
    most = max(by_length, key=len)
    bases = {id(arguments): arguments for arguments in (fewest, most, *_spread(seen, BASES - 2))}
    return list(bases.values())


# --- classes ---


def _beside_steps(
    calls: Sequence[Call], parameters: Sequence[inspect.Parameter], numbers: Sequence[float]
) -> list[Probe]:
    """Longer, shorter and turned sequences, other options, and one call's steps with another's options."""
    seen = [by_name(call, parameters) for call in calls]
    options = Options(parameters, seen, numbers)
    probes: list[Probe] = []
    for call in _spread(calls, 4 * BASES):
        steps = call.steps or ()
        for other in (steps * 2, steps[1:], steps[::-1], steps[: len(steps) // 2] * 3, steps[:1] * 8 + steps):
            probes.append(guess(dataclasses.replace(call, steps=other[:64])))
    for call, arguments in _spread(list(zip(calls, seen, strict=True)), BASES):
        for changed, odd in options.one_changed(arguments):
            probes.append(guess(rebuilt(call, changed, parameters), odd))
    pairs = zip(_spread(calls, PAIRS), _spread(calls[::-1], PAIRS), strict=True)
    return probes + [guess(dataclasses.replace(one, steps=other.steps)) for one, other in pairs]
