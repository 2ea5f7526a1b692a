"""A call and what became of it, for ``grade run`` and ``grade replay``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judge.calls import Answer, Call, Run, show
from grader.judge.proxies import failure_of
from grader.terminal.style import Style
from grader.terminal.words import plural
from grader.worker.comm import Event

EVENTS_PER_RANK, RANKS_IN_FULL = 12, 4


def describe(call: Call, answer: Answer, style: Style, *, trace: bool = False, whole: bool = False) -> str:
    """The call, what each rank printed, what came back, and on request what each rank did.

    Unless the ``whole`` trace is wanted, it is the first events of the first ranks, and a sum for the others.
    """
    lines = [style.paint(style.safe(str(call)), "heading")]
    lines += [f"  {line}" for line in _printed(answer.printed)]
    lines += [f"  {line}" for line in _outcome(answer)]
    if trace and answer.run is not None:
        lines += [f"  {line}" for line in _trace(answer.run, whole)]
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


def _trace(run: Run, whole: bool) -> Iterator[str]:
    yield ""
    most = None if whole else EVENTS_PER_RANK
    for rank, trace in enumerate(run.traces):
        messages, elements = run.messages_per_rank[rank], run.elements_per_rank[rank]
        yield f"rank {rank} sent {_count(messages, 'message')}, {_count(elements, 'element')}"
        if not whole and rank >= RANKS_IN_FULL:
            continue
        for event in trace[:most]:
            yield f"    {_event(event)}"
        if left := len(trace[most:]) if most else 0:
            yield f"    … and {left} more"
    sums = [_count(run.messages_sent, "message"), _count(run.elements_sent, "element"), _count(run.bytes_sent, "byte")]
    yield f"{', '.join(sums)} in {_count(run.rounds, 'round')}"


def _event(event: Event) -> str:
    tag = f", tag {event.tag}" if event.tag else ""
    elements = _count(event.elements, "element")
    if event.kind == "send":
        return f"send {elements} to {event.peer}{tag}"
    if event.kind == "recv":
        return f"recv {elements} from {event.peer}{tag}"
    if event.kind == "compute":
        return f"compute {event.seconds:g} s"
    return f"{event.kind} of {elements}" if event.elements else event.kind


def _count(number: int, noun: str) -> str:
    return plural(number, noun, noun + "s")
