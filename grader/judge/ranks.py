"""Running one function on ranks, one worker each, with the judge as their network."""

from __future__ import annotations

import selectors
from collections.abc import Sequence
from typing import Any

from grader.judge.calls import Answer, Call, Run
from grader.judge.limits import TICK_SECONDS, Limits, Watch
from grader.judge.link import Frame, Gone, Link, Reply
from grader.worker import wire
from grader.worker.comm import describe_deadlock
from grader.worker.exchange import Exchange, Parcel, parcel


def run_on_workers(links: Sequence[Link], call: Call, collectives: Sequence[str], limits: Limits) -> tuple[Answer, bool]:
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
        self.messages = self.message_bytes = 0

    def start(self) -> None:
        for rank, link in enumerate(self.links):
            value = (self.call.rank_arguments(rank), self.call.keywords)
            self.running.add(rank)
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
            except Gone:
                self._finish(rank, Reply("died"))

    def route(self, selector: selectors.BaseSelector) -> None:
        watch: Watch | None = None
        while self.running:
            ready = selector.select(TICK_SECONDS)
            for key, _ in ready:
                if key.data in self.running:
                    self._read(key.data)
            self._abandon_if_stuck()
            if not ready:
                pids = {self.links[rank].pid: rank for rank in self.running}
                watch = watch or Watch([link.pid for link in self.links], self.limits)
                late = watch.expired(pids)
                if late is not None:
                    self._time_out(pids[late])

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
        except Gone:
            self._finish(rank, Reply("died"))
        except (wire.WireError, ValueError, TypeError, KeyError, AttributeError) as error:
            self._finish(rank, Reply("forged", f"{type(error).__name__}: {error}"))
        self._hand_out()

    def _take(self, rank: int, frame: Frame) -> None:
        """One thing that a rank does in its call."""
        if rank in self.abandoned:
            raise wire.WireError("a message after the end of the run")
        envelope, kind = frame.envelope, frame.envelope["is"]
        if kind == "ask":
            self.links[rank].answer_question(frame)
        elif kind == "compute":
            self.exchange.compute(rank, float(envelope["seconds"]))
        elif kind == "recv":
            self.exchange.recv(rank, str(envelope["in"]), _int(envelope["from"]), _int(envelope["tag"]))
        elif kind == "send":
            message = self._count(frame)
            self.exchange.send(rank, str(envelope["in"]), _int(envelope["to"]), _int(envelope["tag"]), message)
        elif kind == "join":
            collective, root = envelope["kind"], _int(envelope["root"])
            if collective not in (*self.collectives, "barrier", "split") or not -1 <= root < len(self.links):
                raise wire.WireError("a collective that is not to be had")
            self.exchange.join(rank, str(envelope["in"]), collective, root, self._count(frame))
        else:
            raise wire.WireError("a message of unknown kind")

    def _count(self, frame: Frame) -> Parcel:
        """Check that a message is what it says, before anything relies on it; many and large ones end the run."""
        wire.check(frame.encoded, frame.buffers)
        message = parcel(frame.encoded, frame.buffers)
        self.messages += 1
        self.message_bytes += len(frame.buffers)
        if self.messages > self.limits.messages or self.message_bytes > self.limits.message_bytes:
            raise wire.WireError(f"too much: {self.messages:,} messages, {self.message_bytes / 1e6:,.0f} MB")
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
            except Gone:
                self._finish(delivery.rank, Reply("died"))

    def _abandon_if_stuck(self) -> None:
        """When every running rank waits, none will ever move: say so to each, once."""
        waits = {rank: what for rank, what in self.exchange.waits.items() if rank in self.running}
        if not self.running or len(waits) < len(self.running):
            return
        if all(reply.kind == "returned" for reply in self.replies.values()):
            self.deadlock = describe_deadlock(waits)
        self.exchange.waits.clear()
        for rank in waits:
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

    def _time_out(self, late: int) -> None:
        self.abandoned.discard(late)
        self._finish(late, Reply("timed_out", f"{self.limits.cpu_seconds:g} s"))
        for rank in list(self.running):
            self.abandoned.add(rank)
            self._finish(rank, Reply("died"))
        self.reusable = False

    def answer(self) -> Answer:
        """What became of the run: the lowest failing rank's failure, a deadlock, or the results."""
        replies = [self.replies[rank] for rank in range(len(self.links))]
        returned = [reply.value if reply.kind == "returned" else None for reply in replies]
        arguments: list[Any] = []
        if self.call.look_back:
            arguments = [pair[1][0] if _is_pair(pair) else None for pair in returned]
            returned = [pair[0] if _is_pair(pair) else None for pair in returned]
        outcomes = [_outcome(reply) for reply in replies]
        run = Run(returned, self.exchange.traces, outcomes, self.exchange.unreceived(), arguments)
        printed = tuple(reply.printed for reply in replies)
        for rank, reply in enumerate(replies):
            if reply.kind not in ("returned", "abandoned"):
                return Answer(reply.kind, reply.value, rank, printed, run)
        if self.abandoned:
            return Answer("deadlock", self.deadlock, None, printed, run)
        return Answer("returned", returned, None, printed, run, arguments)


def _outcome(reply: Reply) -> str:
    return str(reply.value.get("type", "")) if reply.kind == "raised" else reply.kind


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], tuple) and len(value[1]) == 2


def _int(value: Any) -> int:
    if type(value) is not int:
        raise wire.WireError("a number that is none")
    return value
