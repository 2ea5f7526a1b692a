"""One rank's view of the others: the communicator that a student's function receives.

The calls are named and shaped as mpi4py's lower-case ones. What carries the messages is a ``Network``:
the judge (``serve.py``), threads of one process (``threads.py``), or a real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

WORLD = "world"

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast")


class Event(NamedTuple):
    """One thing that a rank did, in its own order.

    Attributes:
        kind: "send", "recv", "compute", "barrier", "split" or the name of a collective.
        peer: World rank of the other end of a message, or of the root of a broadcast; -1 where there is none.
        elements: Numbers in the message or in this rank's contribution.
        nbytes: Bytes of data in it.
        tag: The message's tag.
        context: The communicator's name; "world" for the whole of it.
        seconds: Virtual seconds, for "compute".
    """

    kind: str
    peer: int = -1
    elements: int = 0
    nbytes: int = 0
    tag: int = 0
    context: str = WORLD
    seconds: float = 0.0


class Network(Protocol):
    """What carries a rank's messages. Ranks are world ranks here."""

    def send(self, context: str, dest: int, tag: int, obj: Any, *, blocking: bool = True) -> None:
        """Send a copy of ``obj``; where a send waits for its receive, only a ``blocking`` one does."""

    def recv(self, context: str, source: int, tag: int) -> Any:
        """Wait for the next message from ``source`` with ``tag``."""

    def collective(self, context: str, kind: str, obj: Any, root: int) -> Any:
        """Contribute to a collective of all members of ``context`` and wait for this rank's share of the result.

        ``root`` is a rank within ``context``.
        """

    def compute(self, seconds: float) -> None:
        """Advance this rank's virtual clock."""


class Request:
    """A message under way, from ``isend`` or ``irecv``."""

    def __init__(self, comm: Comm | None = None, source: int = -1, tag: int = 0) -> None:
        """A request that receives from ``source`` when waited for; without ``comm``, one that is complete."""
        self._comm, self._source, self._tag = comm, source, tag
        self._result: Any = None

    def wait(self) -> Any:
        """The received object (``irecv``) or None (``isend``); waiting twice gives the same."""
        if self._comm is not None:
            comm, self._comm = self._comm, None
            self._result = comm.recv(self._source, self._tag)
        return self._result


class Comm:
    """A group of ranks as one of its members sees it.

    Attributes:
        rank: This process's number, 0 … size - 1.
        size: How many ranks there are.
    """

    def __init__(
        self,
        network: Network,
        members: Sequence[int],
        rank: int,
        *,
        context: str = WORLD,
        allowed: Sequence[str] = COLLECTIVES,
    ) -> None:
        """Made by whatever runs the ranks; ``members`` are the world ranks of this group."""
        self.rank, self.size = rank, len(members)
        self._network, self._members, self._context = network, tuple(members), context
        self._allowed = tuple(allowed)

    def __repr__(self) -> str:
        """The rank and the size."""
        return f"Comm(rank={self.rank}, size={self.size})"

    # --- point to point ---

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send a copy of ``obj`` to rank ``dest``; returns at once.

        Raises:
            ValueError: If there is no such rank.
            TypeError: If ``obj`` is not plain data.
        """
        self._network.send(self._context, self._world("dest", dest), _tag(tag), obj)

    def recv(self, source: int, tag: int = 0) -> Any:
        """Wait for the next message from rank ``source`` with this tag and return it.

        Raises:
            ValueError: If there is no such rank.
        """
        return self._network.recv(self._context, self._world("source", source), _tag(tag))

    def sendrecv(self, obj: Any, dest: int, source: int, tag: int = 0) -> Any:
        """Send ``obj`` to ``dest`` and receive from ``source``, without waiting for one before the other."""
        request = self.isend(obj, dest, tag)
        received = self.recv(source, tag)
        request.wait()
        return received

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        """Start to send; the request is complete when the message is on its way."""
        self._network.send(self._context, self._world("dest", dest), _tag(tag), obj, blocking=False)
        return Request()

    def irecv(self, source: int, tag: int = 0) -> Request:
        """A request whose ``wait()`` receives from ``source``."""
        self._world("source", source)
        return Request(self, source, _tag(tag))

    def compute(self, seconds: float) -> None:
        """Say that this rank computes for so long: advances its virtual clock, takes no real time."""
        if not (np.isfinite(seconds) and seconds >= 0):
            raise ValueError(f"comm.compute({seconds!r}): seconds must be finite and not negative")
        self._network.compute(float(seconds))

    # --- all ranks together ---

    def barrier(self) -> None:
        """Wait until every rank has come here."""
        self._network.collective(self._context, "barrier", None, -1)

    def split(self, color: int, key: int | None = None) -> Comm:
        """Divide the ranks into groups of equal ``color``, ordered by ``key`` (by rank where equal or None).

        Raises:
            ValueError: If ``color`` or ``key`` is not an int.
        """
        choice = _whole("color", color), _whole("key", self.rank if key is None else key)
        context, members = self._network.collective(self._context, "split", choice, -1)
        rank = members.index(self._members[self.rank])
        return Comm(self._network, members, rank, context=context, allowed=self._allowed)

    def all_reduce(self, array: Any) -> Any:
        """The element-wise sum of every rank's array, on every rank."""
        return self._collective("all_reduce", _numbers("all_reduce", array))

    def reduce_scatter(self, array: Any) -> Any:
        """Chunk ``rank`` (of ``numpy.array_split`` into ``size``) of the element-wise sum."""
        return self._collective("reduce_scatter", _numbers("reduce_scatter", array))

    def all_gather(self, obj: Any) -> list[Any]:
        """Every rank's object, as a list by rank."""
        gathered: list[Any] = self._collective("all_gather", obj)
        return gathered

    def all_to_all(self, objs: Sequence[Any]) -> list[Any]:
        """Send ``objs[r]`` to each rank r; returns what every rank sent here, as a list by rank."""
        if len(objs) != self.size:
            raise ValueError(f"comm.all_to_all needs one object per rank: {self.size}, not {len(objs)}")
        exchanged: list[Any] = self._collective("all_to_all", list(objs))
        return exchanged

    def broadcast(self, obj: Any, root: int = 0) -> Any:
        """Rank ``root``'s object, on every rank."""
        self._world("root", root)
        return self._collective("broadcast", obj if self.rank == root else None, int(root))

    def _collective(self, kind: str, obj: Any, root: int = -1) -> Any:
        if kind not in self._allowed:
            raise RuntimeError(f"comm.{kind} is not to be used in this exercise: write it with send and recv")
        return self._network.collective(self._context, kind, obj, root)

    def _world(self, role: str, rank: int) -> int:
        if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or not 0 <= rank < self.size:
            raise ValueError(f"{role}={rank!r}: there is no such rank among {self.size}")
        return self._members[int(rank)]


def _tag(tag: int) -> int:
    if isinstance(tag, bool) or not isinstance(tag, int | np.integer) or not 0 <= tag < 1 << 31:
        raise ValueError(f"tag={tag!r}: a tag is an int from 0 to 2**31 - 1")
    return int(tag)


def _whole(role: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{role}={value!r}: it must be an int")
    return int(value)


def _numbers(kind: str, array: Any) -> NDArray[Any]:
    numbers = np.asarray(array)
    if numbers.dtype.kind not in "biufc":
        raise TypeError(f"comm.{kind} takes an array of numbers, not {type(array).__name__}")
    return numbers


class CollectiveError(ValueError):
    """Ranks that do not agree on a collective."""


def combine(kind: str, contributions: Sequence[Any], root: int = -1) -> list[Any]:
    """What each member of a group gets from a collective, from what each contributed (both by group rank).

    Sums are taken in rank order, so that they do not depend on timing. What is the same for several is one object.

    Raises:
        CollectiveError: If the contributions do not fit each other.
    """
    size = len(contributions)
    if kind == "barrier":
        return [None] * size
    if kind == "broadcast":
        return [contributions[root]] * size
    if kind == "all_gather":
        return [list(contributions)] * size
    if kind == "all_to_all":
        if any(not isinstance(row, list) or len(row) != size for row in contributions):
            raise CollectiveError(f"all_to_all: every rank gives a list of {size} objects")
        return [[row[rank] for row in contributions] for rank in range(size)]
    total = _sum(kind, contributions)
    if kind == "all_reduce":
        return [total[()]] * size  # a plain number for numbers
    if total.ndim == 0:
        raise CollectiveError("reduce_scatter: a single number has no chunks")
    return list(np.array_split(total, size))


def _sum(kind: str, arrays: Sequence[Any]) -> NDArray[Any]:
    shapes = [np.shape(array) for array in arrays]
    for rank, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise CollectiveError(f"{kind}: rank 0 gives shape {shapes[0]}, rank {rank} {shape}")
    total = np.array(arrays[0])
    with np.errstate(all="ignore"):  # an overflow is for the rank that looks at the sum
        for array in arrays[1:]:
            total = total + np.asarray(array)
    return np.asarray(total)


def split_groups(choices: Sequence[Any]) -> list[list[int]]:
    """For each member, the members of its group in their new order, from everyone's (color, key).

    Raises:
        CollectiveError: If a color or a key is not an int.
    """
    for choice in choices:
        if not isinstance(choice, tuple) or len(choice) != 2 or any(type(part) is not int for part in choice):
            raise CollectiveError("split: a color and a key must be ints")
    order = sorted(range(len(choices)), key=lambda member: (choices[member][1], member))
    return [[other for other in order if choices[other][0] == color] for color, _ in choices]


def describe_deadlock(waits: dict[int, str]) -> str:
    """Who waits for whom, as a sentence: "rank 0 waits for a message from rank 3; …"."""
    shown = [f"rank {rank} waits for {what}" for rank, what in sorted(waits.items())]
    rest = f"; and {len(shown) - 6} more" if len(shown) > 6 else ""
    return "; ".join(shown[:6]) + rest


def describe_message(source: int, tag: int) -> str:
    """What a rank waits for in ``recv``."""
    return f"a message from rank {source}" + (f" with tag {tag}" if tag else "")
