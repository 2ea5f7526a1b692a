"""Calls on which a submission is compared with misconceptions: what the checks call, and what lies beside it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np

from grader.judge.calls import Answer, Call, Performer
from grader.judge.checks import SearchEnds, current
from grader.judge.proxies import Proxy

CALLS_PER_CHECK = 16
RANK_CALLS_PER_CHECK = 6
USUAL_EXAMPLES, USUAL_SECONDS = 20, 2.0  # of a check whose calls are short


@dataclass(frozen=True)
class Probe:
    """A call to compare on.

    Attributes:
        call: The call; its arguments are asked for afterwards.
        known: Whether a check makes it, so that its outcome is certainly laid down. What is not known counts where the
            solution returns or raises what the docstring says.
        odd: Whether it is meant to be refused, and counts only if the solution refuses it.
        raised: Whether the solution is known to have raised.
    """

    call: Call
    known: bool = True
    odd: bool = False
    raised: bool = False

    @cached_property
    def key(self) -> str:
        """What tells calls apart."""
        return key(self.call)


def guess(call: Call, odd: bool = False) -> Probe:
    """A probe that no check makes."""
    return Probe(call, known=False, odd=odd)


def key(call: Call) -> str:
    """What tells calls apart: every bit of the arguments counts."""
    return repr(_form([getattr(call, each.name) for each in dataclasses.fields(call)]))


def _form(value: Any) -> Any:
    """A value of which ``repr`` shows everything; arrays are not printed in full."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(_form, value))
    if isinstance(value, dict):
        return [(name, _form(item)) for name, item in value.items()]
    return getattr(value, "form", value) if callable(value) else value


def looking_back(call: Call) -> Call:
    """The call, with its arguments asked for afterwards."""
    return call if call.steps is not None else dataclasses.replace(call, look_back=True)


def record(tests: Iterable[Callable[..., None]], reference: Proxy, solution: Proxy) -> list[Probe]:
    """Calls that the checks make of the solution, a share from each check, without repeats.

    Args:
        tests: The checks of one exercise.
        reference: The solution as checks know it.
        solution: The solution in the student's place.
    """
    found: dict[str, Probe] = {}
    for test in tests:
        recorder = _Recorder(solution._performer)
        fixtures = {"student": Proxy(recorder), "reference": reference}
        wanted = inspect.signature(test).parameters
        token = current.set(recorder)
        try:
            test(**{name: value for name, value in fixtures.items() if name in wanted})
        except (SearchEnds, Exception):  # the share is full, or the check stumbles; the calls so far are probes
            pass
        finally:
            current.reset(token)
        for probe in recorder.probes:
            found.setdefault(probe.key, probe)
    return list(found.values())


class _NextExample(BaseException):
    """This example has given its call; what the check would make of it is of no interest."""


@dataclass
class _Recorder:
    """Runs a check's examples and keeps their calls until the check has given its share.

    Of a check on ranks only the first example is run to its end: of the others the drawn arguments are enough.
    """

    performer: Performer
    probes: list[Probe] = field(default_factory=list)
    examples: int = 0

    def perform(self, call: Call) -> Answer:
        """Note a call, and make it."""
        on_ranks = call.per_rank is not None
        if len(self.probes) >= (RANK_CALLS_PER_CHECK if on_ranks else CALLS_PER_CHECK):
            raise SearchEnds
        place = len(self.probes)
        self.probes.append(Probe(looking_back(call)))
        if on_ranks and self.examples > 1:
            raise _NextExample
        answer = self.performer.perform(call)
        if answer.kind == "raised":
            self.probes[place] = dataclasses.replace(self.probes[place], raised=True)
        return answer

    def run(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """Run one example; see ``checks.Examples``."""
        self.examples += 1
        try:
            body(**arguments)
        except _NextExample:
            pass


def effort(tests: Sequence[Callable[..., None]]) -> float:
    """Which share of the usual number of probes an exercise is worth; less where its checks make few and long calls.

    It is told by what the checks declare and never measured, so that a diagnosis does not depend on the machine.
    """
    drawn = [test.__check__ for test in tests if hasattr(test, "hypothesis")]  # type: ignore[attr-defined]
    examples = max((facts.examples for facts in drawn), default=USUAL_EXAMPLES)
    seconds = max((facts.seconds for facts in drawn), default=USUAL_SECONDS)
    return float(min(1.0, examples / USUAL_EXAMPLES, USUAL_SECONDS / seconds))


def looks_at_rounds(tests: Iterable[Callable[..., None]]) -> bool:
    """Whether one of the checks looks at the length of the schedule that messages make."""
    return any("rounds" in _names(test) for test in tests)


def _names(test: Callable[..., None]) -> set[str]:
    """The attributes that a check's code speaks of."""
    handle = getattr(test, "hypothesis", None)
    body = inspect.unwrap(handle.inner_test if handle is not None else test)
    return set(_names_in(body.__code__))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def distinct(probes: Sequence[Probe]) -> list[Probe]:
    """The probes without repeats, in order."""
    return list({probe.key: probe for probe in reversed(probes)}.values())[::-1]
