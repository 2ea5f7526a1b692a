"""The post office of a group of ranks: mailboxes, collectives and who waits for whom.

Both networks use it: the judge's, where each rank is a process, and the one of threads. It moves encoded
values (so every message is a copy), writes each rank's trace, and never blocks: an operation either
completes now or is left waiting, and ``take_ready`` tells what has become ready since.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import comm, wire
from .comm import Event


class Parcel(NamedTuple):
    """An encoded value under way, with its size."""

    encoded: Any
    buffers: bytes
    elements: int
    nbytes: int


def parcel(encoded: Any, buffers: bytes) -> Parcel:
    """Wrap an encoded value, measured."""
    return Parcel(encoded, buffers, *wire.measure(encoded))


class Delivery(NamedTuple):
    """What a waiting rank gets: a value, or an error to raise there."""

    rank: int
    encoded: Any = None
    buffers: bytes = b""
    error: str = ""


@dataclass
class _Meeting:
    """A collective that some members of a communicator have come to."""

    kind: str
    root: int
    contributions: dict[int, Parcel] = field(default_factory=dict)


class Exchange:
    """Routes the messages of ``size`` ranks.

    Attributes:
        traces: Each rank's own events, in its own order.
        waits: What each blocked rank waits for, in words.
    """

    def __init__(self, size: int, *, rendezvous: bool = False) -> None:
        """An empty exchange; with ``rendezvous`` a send waits until its message is received."""
        self.size, self.rendezvous = size, rendezvous
        self.traces: list[list[Event]] = [[] for _ in range(size)]
        self.waits: dict[int, str] = {}
        self._contexts: dict[str, tuple[int, ...]] = {comm.WORLD: tuple(range(size))}
        self._boxes: dict[tuple[str, int, int, int], deque[Parcel]] = defaultdict(deque)
        self._receivers: dict[tuple[str, int, int, int], int] = {}
        self._senders: dict[tuple[str, int, int, int], deque[int]] = defaultdict(deque)
        self._meetings: dict[str, _Meeting] = {}
        self._splits: dict[str, int] = defaultdict(int)
        self._ready: list[Delivery] = []

    def take_ready(self) -> list[Delivery]:
        """What can be handed to waiting ranks now."""
        ready, self._ready = self._ready, []
        for delivery in ready:
            self.waits.pop(delivery.rank, None)
        return ready

    def compute(self, rank: int, seconds: float) -> None:
        """Note that a rank computes."""
        self.traces[rank].append(Event("compute", seconds=seconds))

    def send(self, rank: int, context: str, dest: int, tag: int, message: Parcel) -> None:
        """Take a message from ``rank``; under rendezvous the rank then waits.

        Raises:
            ValueError: If the communicator or the destination is not the rank's to use.
        """
        self._member(context, rank)
        self._member(context, dest)
        event = Event("send", dest, message.elements, message.nbytes, tag, context)
        self.traces[rank].append(event)
        key = (context, rank, dest, tag)
        self._boxes[key].append(message)
        if self.rendezvous and dest != rank:
            self.waits[rank] = f"rank {dest} to receive its message"
            self._senders[key].append(rank)
        self._deliver(key)

    def recv(self, rank: int, context: str, source: int, tag: int) -> None:
        """Leave ``rank`` waiting for a message, which may be there already.

        Raises:
            ValueError: If the communicator or the source is not the rank's to use.
        """
        self._member(context, rank)
        self._member(context, source)
        key = (context, source, rank, tag)
        self._receivers[key] = rank
        self.waits[rank] = comm.describe_message(source, tag)
        self._deliver(key)

    def _deliver(self, key: tuple[str, int, int, int]) -> None:
        box = self._boxes[key]
        if not box or key not in self._receivers:
            return
        receiver, message = self._receivers.pop(key), box.popleft()
        context, source, _, tag = key
        self.traces[receiver].append(Event("recv", source, message.elements, message.nbytes, tag, context))
        self._ready.append(Delivery(receiver, message.encoded, message.buffers))
        if self._senders[key]:
            self._ready.append(Delivery(self._senders[key].popleft()))

    def join(self, rank: int, context: str, kind: str, root: int, contribution: Parcel) -> None:
        """Bring ``rank`` to a collective; it completes when the last member comes.

        Raises:
            ValueError: If the communicator is not the rank's to use.
        """
        members = self._member(context, rank)
        event = Event(kind, root, contribution.elements, contribution.nbytes, 0, context)
        self.traces[rank].append(event)
        meeting = self._meetings.setdefault(context, _Meeting(kind, root))
        meeting.contributions[rank] = contribution
        if (meeting.kind, meeting.root) != (kind, root):
            first = next(iter(meeting.contributions))
            self._fail(context, f"rank {rank} calls {kind} while rank {first} is in {meeting.kind}")
        elif len(meeting.contributions) == len(members):
            self._complete(context, members, meeting)
        else:
            missing = [other for other in members if other not in meeting.contributions]
            for waiting in meeting.contributions:
                named = ", ".join(map(str, missing[:4])) + (", …" if len(missing) > 4 else "")
                self.waits[waiting] = f"rank{'s' if len(missing) > 1 else ''} {named} to join its {kind}"

    def _complete(self, context: str, members: tuple[int, ...], meeting: _Meeting) -> None:
        parcels = [meeting.contributions[member] for member in members]
        try:
            values = [wire.decode(item.encoded, item.buffers) for item in parcels]
            results = self._split(context, members, values) if meeting.kind == "split" else None
            if results is None:
                results = comm.combine(meeting.kind, values, meeting.root)
            shares = [wire.encode(result) for result in results]
        except (ValueError, TypeError, wire.WireError, wire.Unsupported) as error:
            self._fail(context, str(error))
            return
        del self._meetings[context]
        for member, (encoded, buffers) in zip(members, shares, strict=True):
            self._ready.append(Delivery(member, encoded, b"".join(buffers)))

    def _split(self, context: str, members: tuple[int, ...], colors: list[Any]) -> list[Any]:
        number, self._splits[context] = self._splits[context], self._splits[context] + 1
        results = []
        for (color, _), group in zip(colors, comm.split_groups(colors), strict=True):
            name = f"{context}/{number}.{color}"
            self._contexts[name] = tuple(members[member] for member in group)
            results.append((name, list(self._contexts[name])))
        return results

    def _fail(self, context: str, error: str) -> None:
        for rank in self._meetings.pop(context).contributions:
            self._ready.append(Delivery(rank, error=error))

    def _member(self, context: str, rank: int) -> tuple[int, ...]:
        members = self._contexts.get(context, ())
        if rank not in members:
            raise ValueError(f"rank {rank} is not a member of the communicator")
        return members

    def unreceived(self) -> list[tuple[int, int, int]]:
        """(source, dest, elements) of every message that nobody received, by source and dest."""
        left = [(key[1], key[2], item.elements) for key, box in self._boxes.items() for item in box]
        return sorted(left)
