"""What a call shows of an implementation, and whether two implementations show the same.

Everything that a check can look at counts: what came back, the type of what was raised, the arguments afterwards, what
each rank sent to whom in which order, what it asked of functions that were passed in. What was printed does not.
"""

from __future__ import annotations

import builtins
import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.judge.calls import Answer, Call, Performer, Run
from grader.judge.compare import Tolerance, difference

RELATIVE = 1e-9  # what two right ways to add or divide may differ by
ROUNDING = 1e-14  # the same for a number that ought to be zero, as a share of the largest that came back
UNTRACED = ("timed_out", "died", "forged")  # how far such a call got depends on the machine


@dataclass(frozen=True)
class Behaviour:
    """What a call shows of an implementation.

    Attributes:
        outcomes: "returned", the type of what was raised, or another end; on ranks the call's own and one for each.
        value: What came back; on ranks by rank.
        arguments: The arguments afterwards, where they were asked for.
        sends: On ranks, what each sent, to whom, in order, and the collectives that it joined.
        rounds: On ranks, how long the schedule is, where the checks look at that.
        asked: What it asked of each function that it was given, in no order.
    """

    outcomes: tuple[str, ...]
    value: Any = None
    arguments: Any = None
    sends: Any = None
    rounds: int = 0
    asked: Any = ()

    @property
    def timed_out(self) -> bool:
        """Whether the call did not end."""
        return self.outcomes == ("timed_out",)

    def same_as(self, other: Behaviour) -> bool:
        """Whether both show the same, numbers up to rounding."""
        if (self.outcomes, self.sends, self.rounds) != (other.outcomes, other.sends, other.rounds):
            return False
        size = max(_largest(self.value), _largest(other.value))
        tolerance = Tolerance(RELATIVE, ROUNDING * size)
        mine, theirs = (self.value, self.arguments, self.asked), (other.value, other.arguments, other.asked)
        return all(_agree(a, b, tolerance) for a, b in zip(mine, theirs, strict=True))


def _agree(one: Any, other: Any, tolerance: Tolerance) -> bool:
    try:
        return difference(one, other, tolerance) is None and difference(other, one, tolerance) is None
    except TypeError:
        return False


def _largest(value: Any) -> float:
    """The largest magnitude of a finite float in a value; 0 if there is none."""
    if isinstance(value, float | np.floating):
        return abs(float(value)) if math.isfinite(value) else 0.0
    if isinstance(value, np.ndarray):
        finite = np.abs(value[np.isfinite(value)]) if value.dtype.kind == "f" else value[:0]
        return float(finite.max()) if finite.size else 0.0
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return max(map(_largest, value), default=0.0)
    return 0.0


def observe(performer: Performer, call: Call, *, rounds: bool = True) -> Behaviour:
    """Make a call and say what it shows; ``rounds`` says whether the length of the schedule counts."""
    asked: list[tuple[str, Any, Any]] = []
    answer = performer.perform(_overheard(call, asked))
    if answer.kind in UNTRACED:
        return Behaviour((answer.kind,))
    questions = sorted(asked, key=repr)
    if answer.run is not None:
        return _behaviour_of_ranks(answer, answer.run, questions, rounds)
    if answer.kind == "raised":
        return Behaviour((_kind_of_error(answer.value),))
    if answer.kind != "returned":
        return Behaviour((answer.kind, str(answer.value)), asked=questions)
    value = answer.value
    if call.steps is not None:  # of a step that raised, the type alone
        value = [(kind, _kind_of_error(result) if kind == "raised" else result) for kind, result in value]
    return Behaviour(("returned",), value, answer.arguments, asked=questions)


def _behaviour_of_ranks(answer: Answer, run: Run, asked: Any, rounds: bool) -> Behaviour:
    end = answer.kind if answer.kind in ("returned", "deadlock") else "failed"
    messages = [
        [(event.peer, event.elements, event.nbytes, event.tag) for event in trace if event.kind == "send"]
        for trace in run.traces
    ]
    sends = [messages, run.collectives, run.collective_elements, run.unreceived, _computing(run)]
    outcomes = [_kind_of_error(run.errors[r]) if r in run.errors else each for r, each in enumerate(run.outcomes)]
    if len(run.errors) == run.size:  # whether a call is refused before or after a message is open
        return Behaviour((end, *outcomes))
    return Behaviour((end, *outcomes), run.results, run.arguments, sends, run.rounds if rounds else 0, asked)


def _computing(run: Run) -> list[list[tuple[str, float]]]:
    """Where a rank announces what it computes: the order of that among its collectives."""
    announced = [any(event.kind == "compute" for event in trace) for trace in run.traces]
    return [
        [(event.kind, event.seconds) for event in trace if event.kind not in ("send", "recv")] if does else []
        for trace, does in zip(run.traces, announced, strict=True)
    ]


def _kind_of_error(facts: Any) -> str:
    """The name of an exception's nearest built-in class: a check accepts a subclass for it."""
    bases = facts.get("bases", ()) if isinstance(facts, dict) else ()
    return next((name for name in map(str, bases) if isinstance(getattr(builtins, name, None), type)), "")


def _overheard(call: Call, asked: list[tuple[str, Any, Any]]) -> Call:
    """The call with functions that note what they are asked."""

    def overhear(place: str, value: Any) -> Any:
        if not callable(value):
            return value

        def ask(*positional: Any, **keywords: Any) -> Any:
            asked.append((place, positional, keywords))
            return value(*positional, **keywords)

        ask.__name__ = getattr(value, "__name__", "function")
        heard: Callable[..., Any] = ask
        return heard

    positional = tuple(overhear(str(index), value) for index, value in enumerate(call.positional))
    keywords = {name: overhear(name, value) for name, value in call.keywords.items()}
    if not any(map(callable, (*positional, *keywords.values()))):
        return call
    return dataclasses.replace(call, positional=positional, keywords=keywords)
