"""A call and what became of it, for ``grade run`` and ``grade replay``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judge.calls import Answer, Call, Run, show
from grader.judge.proxies import failure_of
from grader.terminal.style import Style
from grader.worker.comm import Event

EVENTS_PER_RANK = 12


def describe(call: Call, answer: Answer, style: Style, *, trace: bool = False) -> str:
    """The call, what each rank printed, what came back, and on request what each rank did."""
    lines = [style.paint(style.safe(str(call)), "heading")]
    lines += [f"  {line}" for line in _printed(answer.printed)]
    lines += [f"  {line}" for line in _outcome(answer)]
    if trace and answer.run is not None:
        lines += [f"  {line}" for line in _trace(answer.run)]
    return "\n".join([lines[0], *map(style.safe, lines[1:])])


def _printed(printed: Sequence[str]) -> Iterator[str]:
    for rank, text in enumerate(printed):
        who = f"rank {rank} " if len(printed) > 1 else ""
        for line in text.splitlines():
            yield f"{who}printed  {line}"


def _outcome(answer: Answer) -> Iterator[str]:
    if answer.kind != "returned":
        failure = failure_of(answer)
        yield failure.returned
        if failure.message:
            yield failure.message
    elif answer.run is None:
        yield f"returned {show(answer.value)}"
    if answer.run is not None and answer.kind == "returned":
        for rank, value in enumerate(answer.run.results):
            yield f"rank {rank} returned {show(value)}"


def _trace(run: Run) -> Iterator[str]:
    yield ""
    for rank, trace in enumerate(run.traces):
        yield f"rank {rank} sent {run.messages_per_rank[rank]} messages, {run.elements_per_rank[rank]} elements"
        for event in trace[:EVENTS_PER_RANK]:
            yield f"    {_event(event)}"
        if len(trace) > EVENTS_PER_RANK:
            yield f"    … and {len(trace) - EVENTS_PER_RANK} more"
    yield f"{run.messages_sent} messages, {run.elements_sent} elements, {run.bytes_sent} bytes in {run.rounds} rounds"


def _event(event: Event) -> str:
    tag = f", tag {event.tag}" if event.tag else ""
    if event.kind == "send":
        return f"send {event.elements} elements to {event.peer}{tag}"
    if event.kind == "recv":
        return f"recv {event.elements} elements from {event.peer}{tag}"
    if event.kind == "compute":
        return f"compute {event.seconds:g} s"
    return f"{event.kind} of {event.elements} elements" if event.elements else event.kind
