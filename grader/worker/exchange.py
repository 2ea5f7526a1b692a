"""The post office of a group of ranks: mailboxes, collectives and who waits for whom.

Both networks use it: the judge's, where each rank is a process, and the one of threads. It moves encoded
values (so every message is a copy), writes each rank's trace, and never blocks: an operation either
completes now or is left waiting, and ``take_ready`` tells what has become ready since.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from . import comm, wire
from .comm import Event


class Parcel(NamedTuple):
    """An encoded value under way, with its size."""

    encoded: Any
    buffers: wire.Buffer
    elements: int
    nbytes: int


def parcel(encoded: Any, buffers: wire.Buffer) -> Parcel:
    """Wrap an encoded value, measured."""
    return Parcel(encoded, buffers, *wire.measure(encoded))


class Delivery(NamedTuple):
    """What a waiting rank gets: a value, or an error to raise there."""

    rank: int
    encoded: Any = None
    buffers: wire.Buffer = b""
    error: str = ""


class _Arrival(NamedTuple):
    """A member that has come to a collective of its communicator."""

    kind: str
    root: int
    contribution: Parcel

    @property
    def calls(self) -> str:
        return self.kind + (f" from root {self.root}" if self.kind == "broadcast" else "")


class _InMeeting(NamedTuple):
    """What a rank waits for that has come to a collective before others."""

    context: str


MAX_CONTEXT_NAME = 1000  # a split of a split of a split …: names grow, and every event holds one


class Exchange:
    """Routes the messages of ``size`` ranks.

    Attributes:
        traces: Each rank's own events, in its own order.
        waits: The blocked ranks, each with what it waits for in words, or with the communicator in whose collective
            it is; see ``reasons``.
    """

    def __init__(self, size: int, *, rendezvous: bool = False) -> None:
        """An empty exchange; with ``rendezvous`` a send waits until its message is received."""
        self.size, self.rendezvous = size, rendezvous
        self.traces: list[list[Event]] = [[] for _ in range(size)]
        self.waits: dict[int, str | _InMeeting] = {}
        self._contexts: dict[str, tuple[int, ...]] = {comm.WORLD: tuple(range(size))}
        self._boxes: dict[tuple[str, int, int, int], deque[Parcel]] = defaultdict(deque)
        self._receivers: dict[tuple[str, int, int, int], int] = {}
        self._senders: dict[tuple[str, int, int, int], deque[int | None]] = defaultdict(deque)
        self._meetings: dict[str, dict[int, _Arrival]] = defaultdict(dict)
        self._splits: dict[str, int] = defaultdict(int)
        self._ready: list[Delivery] = []

    def take_ready(self) -> list[Delivery]:
        """What can be handed to waiting ranks now."""
        ready, self._ready = self._ready, []
        for delivery in ready:
            self.waits.pop(delivery.rank, None)
        return ready

    def reasons(self, ranks: Iterable[int]) -> dict[int, str]:
        """What each of these ranks waits for, in words; ranks that do not wait are left out."""
        waits = {rank: self.waits[rank] for rank in ranks if rank in self.waits}
        return {
            rank: self._who_is_missing(rank, why.context) if isinstance(why, _InMeeting) else why
            for rank, why in waits.items()
        }

    def _who_is_missing(self, rank: int, context: str) -> str:
        arrived = self._meetings[context]
        own = arrived[rank]
        missing = [member for member in self._contexts[context] if arrived.get(member, own).calls != own.calls]
        missing += [member for member in self._contexts[context] if member not in arrived]
        named = ", ".join(map(str, sorted(missing)[:4])) + (", …" if len(missing) > 4 else "")
        return f"rank{'s' if len(missing) > 1 else ''} {named} to join its {own.kind}"

    def compute(self, rank: int, seconds: float) -> None:
        """Note that a rank computes."""
        self.traces[rank].append(Event("compute", seconds=seconds))

    def send(self, rank: int, context: str, dest: int, tag: int, message: Parcel, *, blocking: bool = True) -> bool:
        """Take a message from ``rank``; returns whether the rank must wait for a delivery (under rendezvous).

        Raises:
            ValueError: If the communicator or the destination is not the rank's to use.
        """
        self._member(context, rank)
        self._member(context, dest)
        event = Event("send", dest, message.elements, message.nbytes, tag, context)
        self.traces[rank].append(event)
        key = (context, rank, dest, tag)
        self._boxes[key].append(message)
        waits = self.rendezvous and blocking and dest != rank
        if self.rendezvous:
            self._senders[key].append(rank if waits else None)
        if waits:
            self.waits[rank] = f"rank {dest} to receive its message"
        self._deliver(key)
        return waits

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
        sender = self._senders[key].popleft() if self.rendezvous else None
        if sender is not None:
            self._ready.append(Delivery(sender))

    def join(self, rank: int, context: str, kind: str, root: int, contribution: Parcel) -> None:
        """Bring ``rank`` to a collective; it completes, or fails, when the last member comes.

        That ranks do not agree is said only then, so that what is said does not depend on who came first.

        Raises:
            ValueError: If the communicator is not the rank's to use, or ``root`` is none of its ranks.
        """
        members = self._member(context, rank)
        if not -1 <= root < len(members):
            raise ValueError(f"there is no rank {root} among {len(members)}")
        peer = members[root] if root >= 0 else -1
        self.traces[rank].append(Event(kind, peer, contribution.elements, contribution.nbytes, 0, context))
        arrived = self._meetings[context]
        arrived[rank] = _Arrival(kind, root, contribution)
        self.waits[rank] = _InMeeting(context)
        if len(arrived) == len(members):
            del self._meetings[context]
            self._complete(context, members, [arrived[member] for member in members])

    def _complete(self, context: str, members: tuple[int, ...], arrived: Sequence[_Arrival]) -> None:
        try:
            shares = self._shares(context, members, arrived)
        except (ValueError, TypeError, wire.WireError, wire.Unsupported) as error:
            self._ready += [Delivery(member, error=str(error)) for member in members]
            return
        self._ready += [
            Delivery(member, encoded, buffers) for member, (encoded, buffers) in zip(members, shares, strict=True)
        ]

    def _shares(self, context: str, members: tuple[int, ...], arrived: Sequence[_Arrival]) -> list[tuple[Any, bytes]]:
        """Each member's share of a collective, encoded; what is the same for all is encoded once."""
        first = arrived[0]
        for member, other in zip(members, arrived, strict=True):
            if other.calls != first.calls:
                told = f"rank {member} calls {other.calls} while rank {members[0]} calls {first.calls}"
                raise comm.CollectiveError(told)
        values = [wire.decode(one.contribution.encoded, one.contribution.buffers) for one in arrived]
        if first.kind == "split":
            results = self._split(context, members, values)
        else:
            results = comm.combine(first.kind, values, first.root)
        encoded: dict[int, tuple[Any, bytes]] = {}
        for result in results:
            if id(result) not in encoded:
                plain, buffers = wire.encode(result)
                encoded[id(result)] = plain, b"".join(buffers)
        return [encoded[id(result)] for result in results]

    def _split(self, context: str, members: tuple[int, ...], choices: list[Any]) -> list[Any]:
        groups = comm.split_groups(choices)
        number, self._splits[context] = self._splits[context], self._splits[context] + 1
        results = []
        for (color, _), group in zip(choices, groups, strict=True):
            name = f"{context}/{number}.{color}"
            if len(name) > MAX_CONTEXT_NAME:
                raise comm.CollectiveError("split: a split of a split of a split, too many times over")
            self._contexts[name] = tuple(members[member] for member in group)
            results.append((name, list(self._contexts[name])))
        return results

    def _member(self, context: str, rank: int) -> tuple[int, ...]:
        members = self._contexts.get(context, ())
        if rank not in members:
            raise ValueError(f"rank {rank} is not a member of the communicator")
        return members

    def unreceived(self) -> list[tuple[int, int, int]]:
        """(source, dest, elements) of every message that nobody received, by source and dest."""
        left = [(key[1], key[2], item.elements) for key, box in self._boxes.items() for item in box]
        return sorted(left)
