"""Which known misconception a submission behaves exactly like, if any: rightly or not at all.

A misconception is run as a submission is, in a worker. It is named only if it agrees with the submission on every
failing call and on every probe (calls that the checks make of the solution), and no other one does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.judge.bench import Bench, Source
from grader.judge.calls import Answer, Call
from grader.judge.checks import SearchEnds, current
from grader.judge.compare import Tolerance, difference
from grader.judge.limits import Limits
from grader.judge.misconceptions import Misconception, apply
from grader.judge.proxies import Proxy

PROBES_PER_CHECK = 40
RANK_PROBES_PER_CHECK = 16
FAILING_CALLS_PER_CHECK = 4
SAME = Tolerance(relative=1e-9, absolute=1e-12)
CANDIDATE_LIMITS = Limits(cpu_seconds=0.5, idle_seconds=1.0)


@dataclass(frozen=True)
class Behaviour:
    """What a call shows of an implementation.

    Attributes:
        outcomes: "returned", the type of what was raised, or another end; on ranks one for each.
        value: What came back; on ranks by rank.
        arguments: The arguments afterwards, where they were asked for.
        sends: On ranks, what each sent, to whom, in order, and the collectives that it joined.
    """

    outcomes: tuple[str, ...]
    value: Any = None
    arguments: Any = None
    sends: Any = None

    def same_as(self, other: Behaviour) -> bool:
        """Whether both show the same, numbers up to rounding."""
        return (
            self.outcomes == other.outcomes
            and self.sends == other.sends
            and _agree(self.value, other.value)
            and _agree(self.arguments, other.arguments)
        )


def _agree(one: Any, other: Any) -> bool:
    try:
        return difference(one, other, SAME) is None and difference(other, one, SAME) is None
    except TypeError:
        return False


def behaviour(answer: Answer) -> Behaviour:
    """What an answer shows."""
    if answer.run is not None:
        run = answer.run
        sends = [run.sends, run.collectives, run.collective_elements]
        return Behaviour(tuple(run.outcomes), run.results, run.arguments, sends)
    if answer.kind == "raised":
        return Behaviour((str(answer.value.get("type", "")),))
    return Behaviour((answer.kind,), answer.value if answer.kind == "returned" else None, answer.arguments)


def probes(tests: Iterable[Callable[..., None]], reference: Proxy, solution: Proxy) -> list[Call]:
    """Calls that the checks make of the solution, an equal share from each check, without repeats.

    Args:
        tests: The checks of one exercise.
        reference: The solution as checks know it.
        solution: The solution in the student's place.
    """
    found: dict[str, Call] = {}
    for test in tests:
        recorder = _Recorder()
        fixtures = {"student": _watched(solution, recorder.watch), "reference": reference}
        wanted = inspect.signature(test).parameters
        token = current.set(recorder)
        try:
            test(**{name: value for name, value in fixtures.items() if name in wanted})
        except (SearchEnds, Exception):  # the share is full, or the check stumbles; the calls so far are probes
            pass
        finally:
            current.reset(token)
        for call in recorder.calls:
            found.setdefault(f"{call.look_back}{call.rendezvous}{call!r}", call)
    return list(found.values())


def _watched(proxy: Proxy, watch: Callable[[Call], None]) -> Proxy:
    return Proxy(proxy._performer, watch)


class _Recorder:
    """Runs a check's examples and keeps their calls until the check has given its share."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def watch(self, call: Call) -> None:
        share = PROBES_PER_CHECK if call.per_rank is None else RANK_PROBES_PER_CHECK
        if len(self.calls) >= share:
            raise SearchEnds
        self.calls.append(call)

    def run(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        body(**arguments)


class Observed:
    """A submission's behaviours, each call performed once and only when needed."""

    def __init__(self, bench: Bench, calls: Sequence[Call]) -> None:
        """Observe ``bench`` on ``calls``, which are distinct."""
        self._bench, self._calls = bench, list(calls)
        self._seen: list[Behaviour] = []

    def __iter__(self) -> Iterator[tuple[Call, Behaviour]]:
        """Each call with what it shows."""
        for index, call in enumerate(self._calls):
            if index == len(self._seen):
                self._seen.append(behaviour(self._bench.perform(call)))
            yield call, self._seen[index]


def agrees(bench: Bench, observed: Iterable[tuple[Call, Behaviour]]) -> bool:
    """Whether what is on ``bench`` behaves as observed, on every call."""
    return all(behaviour(bench.perform(call)).same_as(shown) for call, shown in observed)


class Diagnosis:
    """The misconceptions of a lesson, ready to be compared with submissions."""

    def __init__(self, solution: Source, known: Sequence[Misconception], bench: Callable[[Source, Limits], Bench]) -> None:
        """Compare with ``known``, each put on a bench of its own when needed."""
        self._solution, self._known, self._bench = solution, list(known), bench

    def name(self, exercise: str, submission: Bench, failing: Sequence[Call], probe: Sequence[Call]) -> Misconception | None:
        """The one misconception of an exercise that agrees with the submission on every call, or None.

        Args:
            exercise: The exercise.
            submission: The submission's bench.
            failing: Calls on which it falls short.
            probe: Further calls.
        """
        submission.renew()
        submission.limits = CANDIDATE_LIMITS
        observed = Observed(submission, _distinct([*failing, *probe]))
        named: list[Misconception] = []
        for one in self._known:
            if one.of == exercise and self._agrees(one, observed):
                named.append(one)
                if len(named) > 1:
                    return None
        return named[0] if named else None

    def _agrees(self, one: Misconception, observed: Observed) -> bool:
        bench = self._bench(apply(one, self._solution), CANDIDATE_LIMITS)
        try:
            return agrees(bench, observed)
        finally:
            bench.renew()


def _distinct(calls: Sequence[Call]) -> list[Call]:
    return list({f"{call.look_back}{call.rendezvous}{call!r}": call for call in calls}.values())

