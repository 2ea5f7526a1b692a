"""Running one function on ranks, one worker each, with the judge as their network."""

from __future__ import annotations

import math
import selectors
import time
from collections.abc import Sequence
from typing import Any, TypeGuard

from grader.judge.calls import Answer, Call, Run
from grader.judge.limits import TICK_SECONDS, Limits, Watch
from grader.judge.link import SEND_SECONDS, Frame, Gone, Link, Reply, Stalled
from grader.worker import wire
from grader.worker.comm import describe_deadlock
from grader.worker.exchange import Exchange, Parcel, parcel

HEADER_WEIGHT = 8  # memory that parsed JSON takes, for each byte of its text
FRAMES_PER_MESSAGE = 3  # besides sending, a rank receives and asks


class _TooMuch(Exception):
    """Ranks that have sent more than a run may, in words."""


def run_on_workers(
    links: Sequence[Link], call: Call, collectives: Sequence[str], limits: Limits
) -> tuple[Answer, bool]:
    """Perform a call on ranks.

    Args:
        links: One loaded worker for each rank.
        call: The call; ``per_rank`` is set.
        collectives: Those that the exercise may use.
        limits: Of each rank.

    Returns:
        The answer, and whether the workers can be used again.
    """
    judge = _RankJudge(links, call, collectives, limits)
    with selectors.DefaultSelector() as selector:
        for rank, link in enumerate(links):
            selector.register(link.socket, selectors.EVENT_READ, rank)
        judge.start()
        judge.route(selector)
    return judge.answer(), judge.reusable


class _RankJudge:
    """One run: who is still running, what has come back, and who waits for whom."""

    def __init__(self, links: Sequence[Link], call: Call, collectives: Sequence[str], limits: Limits) -> None:
        self.links, self.call, self.limits = links, call, limits
        self.collectives = tuple(collectives)
        self.exchange = Exchange(len(links), rendezvous=call.rendezvous)
        self.replies: dict[int, Reply] = {}
        self.running: set[int] = set()
        self.abandoned: set[int] = set()
        self.deadlock = ""
        self.reusable = True
        self.messages = self.message_bytes = self.frames = 0

    def start(self) -> None:
        """Ask every rank to make its call."""
        self.running = set(range(len(self.links)))
        for rank, link in enumerate(self.links):
            if rank not in self.running:
                continue
            value = (self.call.rank_arguments(rank), self.call.keywords)
            try:
                link.request(
                    "call",
                    value,
                    f=self.call.name,
                    rank=rank,
                    size=len(self.links),
                    collectives=self.collectives,
                    rendezvous=self.call.rendezvous,
                    back=self.call.look_back,
                )
            except Gone as gone:
                self._lose(rank, gone)

    def route(self, selector: selectors.BaseSelector) -> None:
        """Serve the ranks until each has ended its call."""
        watch: Watch | None = None
        look = time.monotonic() + TICK_SECONDS
        while self.running:
            for key, _ in selector.select(TICK_SECONDS):
                if key.data in self.running:
                    self._read(key.data)
                if key.data not in self.running:
                    selector.unregister(key.fileobj)
            self._abandon_if_stuck()
            if time.monotonic() >= look:
                look = time.monotonic() + TICK_SECONDS
                watch = watch or Watch({link.pid: link.clock for link in self.links}, self.limits)
                self._end_if_late(watch)

    def _end_if_late(self, watch: Watch) -> None:
        ranks = {self.links[rank].pid: rank for rank in sorted(self.running)}
        waiting = {pid for pid, rank in ranks.items() if rank in self.exchange.waits}
        expired = watch.expired(ranks, waiting)
        if expired is not None:
            self._time_out(ranks[expired.pid], expired.spent)

    def _read(self, rank: int) -> None:
        link = self.links[rank]
        try:
            link.fill()
            while rank in self.running and (frame := link.next_frame()) is not None:
                reply = link.finished(frame)
                if reply is not None:
                    self._finish(rank, reply)
                else:
                    self._take(rank, frame)
        except TimeoutError:
            return
        except Gone as gone:
            self._lose(rank, gone)
        except _TooMuch as much:
            self._time_out(rank, str(much))
        except wire.WireError as error:
            self._finish(rank, Reply("forged", str(error)))
        self._hand_out()

    def _take(self, rank: int, frame: Frame) -> None:
        """One thing that a rank does in its call."""
        if rank in self.abandoned:
            raise wire.WireError("a message after the end of the run")
        if rank in self.exchange.waits:
            raise wire.WireError("a message from a rank that waits")
        self.frames += 1
        if self.frames > FRAMES_PER_MESSAGE * self.limits.messages:
            raise _TooMuch(f"{self.frames:,} messages and questions")
        try:
            self._do(rank, frame)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise wire.WireError(f"{type(error).__name__}: {error}") from None

    def _do(self, rank: int, frame: Frame) -> None:
        envelope, kind = frame.envelope, frame.envelope["is"]
        if kind == "ask":
            self.links[rank].answer_question(frame)
        elif kind == "compute":
            self.exchange.compute(rank, _seconds(envelope["seconds"]))
        elif kind == "recv":
            self.exchange.recv(rank, str(envelope["in"]), _int(envelope["from"]), _tag(envelope["tag"]))
        elif kind == "send":
            place = str(envelope["in"]), _int(envelope["to"]), _tag(envelope["tag"])
            self.exchange.send(rank, *place, self._count(rank, frame), blocking=envelope.get("wait") == 1)
        elif kind == "join":
            collective, root = envelope["kind"], _int(envelope["root"])
            if collective not in (*self.collectives, "barrier", "split"):
                raise wire.WireError("a collective that is not to be had")
            self.exchange.join(rank, str(envelope["in"]), collective, root, self._count(rank, frame))
        else:
            raise wire.WireError("a message of unknown kind")

    def _count(self, rank: int, frame: Frame) -> Parcel:
        """Check that a message is what it says, before anything relies on it; many and large ones end the run."""
        wire.check(frame.encoded, frame.buffers)
        message = parcel(frame.encoded, frame.buffers)
        self.messages += 1
        self.message_bytes += len(frame.buffers) + HEADER_WEIGHT * self.links[rank].header_bytes
        if self.messages > self.limits.messages:
            raise _TooMuch(f"{self.messages:,} messages")
        if self.message_bytes > self.limits.message_bytes:
            raise _TooMuch(f"messages of {self.message_bytes / 1e6:,.0f} MB")
        return message

    def _hand_out(self) -> None:
        for delivery in self.exchange.take_ready():
            if delivery.rank not in self.running:
                continue
            link = self.links[delivery.rank]
            try:
                if delivery.error:
                    link.interrupt("error", delivery.error)
                else:
                    link.deliver(delivery.encoded, delivery.buffers)
            except Gone as gone:
                self._lose(delivery.rank, gone)

    def _lose(self, rank: int, gone: Gone) -> None:
        if isinstance(gone, Stalled):  # each may take long, so that the first one is enough
            self._time_out(rank, f"{SEND_SECONDS:g} s without reading what it was sent")
        else:
            self._finish(rank, Reply("died"))

    def _abandon_if_stuck(self) -> None:
        """When every running rank waits, none will ever move: say so to each, once."""
        waits = self.exchange.waits.keys() & self.running
        if not self.running or len(waits) < len(self.running):
            return
        if all(reply.kind == "returned" for reply in self.replies.values()):
            self.deadlock = describe_deadlock(self.exchange.reasons(waits))
        self.exchange.waits.clear()
        for rank in sorted(waits):
            self.abandoned.add(rank)
            try:
                self.links[rank].interrupt("abandon", self.deadlock)
            except Gone:
                self._finish(rank, Reply("died"))

    def _finish(self, rank: int, reply: Reply) -> None:
        if rank in self.abandoned:
            self.reusable = self.reusable and reply.kind == "raised"
            reply = Reply("abandoned", "", reply.printed)
        elif reply.kind in ("died", "forged", "timed_out"):
            self.reusable = False
        self.running.discard(rank)
        self.exchange.waits.pop(rank, None)
        self.replies[rank] = reply

    def _time_out(self, late: int, spent: str) -> None:
        """End the run for all, since one rank does not end its call."""
        self.abandoned.discard(late)
        self._finish(late, Reply("timed_out", spent))
        for rank in list(self.running):
            self.abandoned.add(rank)
            self._finish(rank, Reply("died"))
        self.reusable = False

    def answer(self) -> Answer:
        """What became of the run: a rank out of time, the lowest failing rank's failure, a deadlock, or the results."""
        replies = [self.replies[rank] for rank in range(len(self.links))]
        returned: list[Any] = [reply.value if reply.kind == "returned" else None for reply in replies]
        arguments: list[Any] = []
        if self.call.look_back:
            pairs: list[tuple[Any, Any]] = [value if is_look_back(value) else (None, None) for value in returned]
            returned, arguments = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        outcomes = [_outcome(reply) for reply in replies]
        errors = {rank: reply.value for rank, reply in enumerate(replies) if reply.kind == "raised"}
        run = Run(returned, self.exchange.traces, outcomes, self.exchange.unreceived(), arguments, errors)
        printed = tuple(reply.printed for reply in replies)
        for rank, reply in sorted(enumerate(replies), key=lambda each: each[1].kind != "timed_out"):
            if reply.kind not in ("returned", "abandoned"):  # a late one first: two such calls are enough
                return Answer(reply.kind, reply.value, rank, printed, run)
        if self.abandoned:
            return Answer("deadlock", self.deadlock, None, printed, run)
        return Answer("returned", returned, None, printed, run, arguments)


def _outcome(reply: Reply) -> str:
    return str(reply.value.get("type", "")) if reply.kind == "raised" else reply.kind


def is_look_back(value: Any) -> TypeGuard[tuple[Any, Any]]:
    """Whether it is a result and the arguments after the call, as a worker returns them when asked to look back."""
    return type(value) is tuple and len(value) == 2 and type(value[1]) is tuple and len(value[1]) == 2


def _int(value: Any) -> int:
    if type(value) is not int:
        raise wire.WireError("a number that is none")
    return value


def _tag(value: Any) -> int:
    if not 0 <= _int(value) < 1 << 31:
        raise wire.WireError("a tag that is none")
    return _int(value)


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise wire.WireError("a time that is none")
    return float(value)
