"""A call of a student's function as a value: it can be performed by a worker, repeated, compared, and printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from grader.judge import pasting
from grader.worker import wire
from grader.worker.comm import Event
from grader.worker.threads import rank_arguments


@dataclass(frozen=True)
class Call:
    """One call: of a function alone, of a function on ranks, or of a class through a sequence of steps.

    Attributes:
        name: The function or class.
        positional: Arguments; on ranks, those that every rank shares.
        keywords: Keyword arguments.
        per_rank: Each rank's own arguments (see ``on_ranks``); None where there are no ranks.
        steps: For a class, (method, arguments, keywords) in order; None for a function.
        rendezvous: Whether a send waits for its receive.
        look_back: Whether the arguments are asked for after the call.
    """

    name: str
    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    per_rank: tuple[Any, ...] | None = None
    steps: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] | None = None
    rendezvous: bool = False
    look_back: bool = False

    def rank_arguments(self, rank: int) -> tuple[Any, ...]:
        """All positional arguments of one rank, after its communicator."""
        assert self.per_rank is not None
        return (*rank_arguments(self.per_rank[rank]), *self.positional)

    def __str__(self) -> str:
        """The call as a line of Python that a student can paste."""
        given = pasting.arguments(self.positional, self.keywords)
        if self.per_rank is not None:
            own = "[" + ", ".join(map(pasting.rank_entry, self.per_rank)) + "]"
            remark = "  # where a send waits for its receive" if self.rendezvous else ""
            return f"on_ranks({', '.join(part for part in (self.name, own, given) if part)}){remark}"
        if self.steps is None:
            return f"{self.name}({given})"
        steps = [f"it.{name}({pasting.arguments(own, named)})" for name, own, named in self.steps]
        return "; ".join([f"it = {self.name}({given})", *steps])


@dataclass
class Answer:
    """What became of a call.

    Attributes:
        kind: "returned", or why not: "raised", "unsupported", "timed_out", "died", "forged", "deadlock".
        value: What was returned (on ranks a list by rank), the facts of an exception, or a text.
        rank: The rank that ``kind`` speaks of, where it is not "returned".
        printed: What each rank (or the only process) printed.
        run: On ranks, what was done.
        arguments: The arguments after the call as (positional, keywords), where they were asked for (on ranks a list
            of these, by rank).
    """

    kind: str
    value: Any = None
    rank: int | None = None
    printed: tuple[str, ...] = ()
    run: Run | None = None
    arguments: Any = None

    def raised(self, error: type[BaseException]) -> bool:
        """Whether an exception of this type came back."""
        return self.kind == "raised" and is_of_type(self.value, error)


def is_of_type(facts: Mapping[str, Any], error: type[BaseException]) -> bool:
    """Whether an exception, told by its facts, is of this type; they come from a worker and may be anything."""
    bases = facts.get("bases")
    return isinstance(bases, list) and error.__name__ in bases


@dataclass
class Run:
    """What ranks did in one call, as the judge saw it.

    Attributes:
        results: What each rank returned; None for one that did not.
        traces: Each rank's events, in its own order.
        outcomes: For each rank "returned", the name of what it raised, or another kind of ``Answer``.
        unreceived: (source, dest, elements) of messages that were never received.
        arguments: What each rank's arguments were afterwards, as (positional, keywords), where they were asked for.
        errors: The facts of what was raised, by rank.
    """

    results: list[Any]
    traces: list[list[Event]]
    outcomes: list[str]
    unreceived: list[tuple[int, int, int]]
    arguments: list[Any] = field(default_factory=list)
    errors: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.results)

    @property
    def sends(self) -> list[list[tuple[int, int, int]]]:
        """(dest, elements, tag) of what each rank sent, in order."""
        return [[(e.peer, e.elements, e.tag) for e in trace if e.kind == "send"] for trace in self.traces]

    @property
    def messages_per_rank(self) -> list[int]:
        """How many messages each rank sent."""
        return [len(sent) for sent in self.sends]

    @property
    def elements_per_rank(self) -> list[int]:
        """How many elements each rank sent."""
        return [sum(elements for _, elements, _ in sent) for sent in self.sends]

    @property
    def bytes_per_rank(self) -> list[int]:
        """How many bytes each rank sent."""
        return [sum(e.nbytes for e in trace if e.kind == "send") for trace in self.traces]

    @property
    def messages_sent(self) -> int:
        """Messages that all ranks together sent."""
        return sum(self.messages_per_rank)

    @property
    def elements_sent(self) -> int:
        """Elements that all ranks together sent."""
        return sum(self.elements_per_rank)

    @property
    def bytes_sent(self) -> int:
        """Bytes that all ranks together sent."""
        return sum(self.bytes_per_rank)

    @property
    def peers(self) -> dict[int, set[int]]:
        """For each rank, the ranks that it sent to."""
        return {rank: {dest for dest, _, _ in sent} for rank, sent in enumerate(self.sends)}

    @property
    def collectives(self) -> list[list[str]]:
        """The collectives that each rank called, in order."""
        return [[event.kind for event in trace if event.kind not in _POINT_TO_POINT] for trace in self.traces]

    @property
    def collective_elements(self) -> list[list[int]]:
        """What each rank gave to each collective, in elements."""
        return [[event.elements for event in trace if event.kind not in _POINT_TO_POINT] for trace in self.traces]

    @property
    def collective_bytes(self) -> list[list[int]]:
        """What each rank gave to each collective, in bytes."""
        return [[event.nbytes for event in trace if event.kind not in _POINT_TO_POINT] for trace in self.traces]

    @property
    def events(self) -> list[list[tuple[str, int, int]]]:
        """All that each rank did, in its order: (kind, peer, elements)."""
        return [[(event.kind, event.peer, event.elements) for event in trace] for trace in self.traces]

    @property
    def rounds(self) -> int:
        """How many rounds the messages take if a rank can send one and receive one in each; see ``schedule_rounds``."""
        return schedule_rounds(self.traces)


_POINT_TO_POINT = ("send", "recv", "compute", "split")


def schedule_rounds(traces: Sequence[Sequence[Event]]) -> int:
    """Length of the schedule that a run's messages make.

    Every message takes one round, whatever its size; in one round a rank can send one message and receive one.
    A rank's events keep their order. Collectives and computing take no round.
    """
    clock = [0] * len(traces)
    sent_until, received_until = list(clock), list(clock)
    arrivals: dict[tuple[str, int, int, int], list[int]] = {}
    position = list(clock)
    moved = True
    while moved:
        moved = False
        for rank, trace in enumerate(traces):
            while position[rank] < len(trace):
                event = trace[position[rank]]
                if event.kind == "send":
                    sent_until[rank] = max(clock[rank], sent_until[rank]) + 1
                    arrivals.setdefault((event.context, rank, event.peer, event.tag), []).append(sent_until[rank])
                elif event.kind == "recv":
                    waiting = arrivals.get((event.context, event.peer, rank, event.tag))
                    if not waiting:
                        break
                    received_until[rank] = max(clock[rank], waiting.pop(0), received_until[rank] + 1)
                    clock[rank] = received_until[rank]
                position[rank] += 1
                moved = True
    return max([0, *clock, *sent_until])


class Performer(Protocol):
    """Something that performs calls: workers that hold a submission, or a module in this process."""

    def perform(self, call: Call) -> Answer:
        """Make the call and say what became of it."""


MAX_SHOWN_BITS = 10_000  # Python refuses to write out longer ints


def show(value: Any, limit: int = 400) -> str:
    """A value as Python prints it, arrays shortened."""
    with np.printoptions(threshold=24, edgeitems=6, linewidth=10_000, precision=17, floatmode="unique"):
        text = _show(value, limit)
    return text if len(text) <= limit else text[: limit - 2] + " …"


def _show(value: Any, limit: int) -> str:
    """As much of it as can matter for the first ``limit`` characters, and a little more."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, str | bytes):
        return repr(value[: limit + 1])
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        return f"an int of {value.bit_length():,} bits"
    if isinstance(value, list):
        return "[" + _joined((_show(item, limit) for item in value), limit) + "]"
    if isinstance(value, wire.Record):
        fields = zip(value.field_names, value, strict=True)
        return f"{value.record_name}({_joined((f'{name}={_show(item, limit)}' for name, item in fields), limit)})"
    if type(value) is tuple:
        return "(" + _joined((_show(item, limit) for item in value), limit) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + _joined((f"{_show(key, limit)}: {_show(item, limit)}" for key, item in value.items()), limit) + "}"
    return repr(value)


def _joined(parts: Iterable[str], limit: int) -> str:
    """The parts with commas between them, as far as they are needed: a million of them would take a second."""
    taken: list[str] = []
    length = 0
    for part in parts:
        taken.append(part)
        length += len(part)
        if length > limit:
            break
    return ", ".join(taken)
