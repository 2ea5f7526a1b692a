"""Ranks as threads of one process: for a debugger, for docstring examples, and for the reference solution."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import wire
from .comm import COLLECTIVES, WORLD, CollectiveError, Comm, Event, describe_deadlock
from .exchange import Exchange, parcel


class Deadlock(RuntimeError):
    """No rank can move: the message says who waits for whom."""


class Abandoned(BaseException):
    """Raised in ranks that would wait for ever after another has failed; not an Exception, so that none catches it."""


@dataclass
class ThreadRun:
    """What became of a run: for each rank its result or error, what it did, and its own arguments afterwards."""

    results: list[Any]
    arguments: list[Any] = field(default_factory=list)
    errors: dict[int, BaseException] = field(default_factory=dict)
    traces: list[list[Event]] = field(default_factory=list)
    unreceived: list[tuple[int, int, int]] = field(default_factory=list)


class _ThreadNetwork:
    """The network of one rank among threads; all share one exchange and one lock."""

    def __init__(self, world: _World, rank: int) -> None:
        self.world, self.rank = world, rank

    def send(self, context: str, dest: int, tag: int, obj: Any, *, blocking: bool = True) -> None:
        message = parcel(*_encode(obj))
        with self.world.changed:
            if self.world.exchange.send(self.rank, context, dest, tag, message, blocking=blocking):
                self.world.wait(self.rank)
            else:
                self.world.hand_out()

    def recv(self, context: str, source: int, tag: int) -> Any:
        with self.world.changed:
            self.world.exchange.recv(self.rank, context, source, tag)
            return self.world.wait(self.rank)

    def collective(self, context: str, kind: str, obj: Any, root: int) -> Any:
        encoded, buffers = _encode(obj)
        with self.world.changed:
            self.world.exchange.join(self.rank, context, kind, root, parcel(encoded, buffers))
            return self.world.wait(self.rank)

    def compute(self, seconds: float) -> None:
        with self.world.changed:
            self.world.exchange.compute(self.rank, seconds)


def _encode(obj: Any) -> tuple[Any, bytes]:
    try:
        encoded, buffers = wire.encode(obj)
    except wire.Unsupported as error:
        raise TypeError(f"a message holds {error}, which is not plain data") from None
    return encoded, b"".join(buffers)


class _World:
    """The state that the threads share."""

    def __init__(self, size: int, rendezvous: bool) -> None:
        self.exchange = Exchange(size, rendezvous=rendezvous)
        self.changed = threading.Condition()
        self.delivered: dict[int, Any] = {}
        self.live = size
        self.failed = False

    def hand_out(self) -> None:
        for delivery in self.exchange.take_ready():
            self.delivered[delivery.rank] = delivery
            self.changed.notify_all()

    def wait(self, rank: int) -> Any:
        """Block until this rank's delivery is there; the last rank to block finds the deadlock."""
        self.hand_out()
        while rank not in self.delivered:
            self._look_for_deadlock()
            if rank in self.exchange.waits:
                self.changed.wait()
        delivery = self.delivered.pop(rank)
        if isinstance(delivery, BaseException):
            raise delivery
        if delivery.error:
            raise CollectiveError(delivery.error)
        return wire.decode(delivery.encoded, delivery.buffers)

    def leave(self, failed: bool) -> None:
        with self.changed:
            self.live -= 1
            self.failed = self.failed or failed
            self._look_for_deadlock()

    def _look_for_deadlock(self) -> None:
        waits = self.exchange.waits
        if not waits or len(waits) < self.live:
            return
        message = describe_deadlock(self.exchange.reasons(waits))
        for rank in list(waits):
            self.delivered[rank] = Abandoned() if self.failed else Deadlock(message)
        waits.clear()
        self.changed.notify_all()


def run_on_threads(
    function: Callable[..., Any],
    per_rank: Sequence[Any],
    shared: Sequence[Any] = (),
    keywords: dict[str, Any] | None = None,
    *,
    rendezvous: bool = False,
    started: Callable[[int], None] | None = None,
) -> ThreadRun:
    """Run ``function(comm, *arguments, *shared, **keywords)`` as ranks on threads.

    Args:
        function: What every rank runs.
        per_rank: One entry per rank, see ``rank_arguments``.
        shared: Positional arguments that follow, the same on every rank.
        keywords: Keyword arguments, the same on every rank.
        rendezvous: Whether a send waits for its receive.
        started: Called with the rank in each thread before the function.
    """
    size = len(per_rank)
    world = _World(size, rendezvous)
    run = ThreadRun([None] * size, [None] * size, traces=world.exchange.traces)
    allowed = allowed_collectives(function)

    def work(rank: int) -> None:
        network = _ThreadNetwork(world, rank)
        comm = Comm(network, range(size), rank, context=WORLD, allowed=allowed)
        try:
            own = (*rank_arguments(per_rank[rank]), *shared)
            arguments, named = run.arguments[rank] = copy.deepcopy((own, keywords or {}))
            if started is not None:
                started(rank)
            run.results[rank] = function(comm, *arguments, **named)
        except BaseException as error:  # whatever it is, the other ranks must not wait for ever
            run.errors[rank] = error
        world.leave(failed=rank in run.errors)

    threads = [threading.Thread(target=work, args=(rank,), name=f"rank {rank}", daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.unreceived = world.exchange.unreceived()
    return run


def on_ranks(function: Callable[..., Any], per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> list[Any]:
    """Run a function on ``len(per_rank)`` ranks and return their results, by rank.

    Args:
        function: Called on each rank as ``function(comm, *own, *shared, **keywords)``.
        per_rank: Each rank's own argument: a tuple is several arguments, a list of numbers an array.
        shared: Further arguments, the same on every rank.
        keywords: Keyword arguments, the same on every rank.

    Raises:
        BaseException: What the lowest failing rank raised.
        Deadlock: If every rank waits.
    """
    run = run_on_threads(function, per_rank, shared, keywords)
    for rank in sorted(run.errors):
        error = run.errors[rank]
        if not isinstance(error, Abandoned):
            error.add_note(f"raised on rank {rank} of {len(per_rank)}")
            raise error
    return run.results


def rank_arguments(entry: Any) -> tuple[Any, ...]:
    """One rank's own arguments: a tuple is several, anything else one; lists of numbers become float64 arrays."""
    return tuple(map(as_array, entry)) if type(entry) is tuple else (as_array(entry),)


def as_array(value: Any) -> Any:
    """A list of numbers (or of equally long lists of numbers) as a float64 array, within tuples too; else as it is."""
    if type(value) is tuple:
        return tuple(map(as_array, value))
    if not isinstance(value, list):
        return value
    try:
        array = np.array(value)
    except (TypeError, ValueError):
        return value
    return array.astype(np.float64) if array.dtype.kind in "iuf" else value


def allowed_collectives(function: Callable[..., Any]) -> Sequence[str]:
    """The collectives that an exercise may use; all of them for a function that is no exercise."""
    facts = getattr(function, "__exercise__", None)
    return COLLECTIVES if facts is None else tuple(facts["collectives"])
