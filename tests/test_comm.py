"""One rank's communicator: what it hands to the network, what it refuses, and what collectives give."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.worker.comm import (
    COLLECTIVES,
    CollectiveError,
    Comm,
    combine,
    describe_deadlock,
    describe_message,
    split_groups,
)


class Network:
    """Notes what it is asked for and answers with what it was given."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.answers = list(answers)

    def send(self, context: str, dest: int, tag: int, obj: Any, *, blocking: bool = True) -> None:
        self.asked.append(("send" if blocking else "isend", context, dest, tag, obj))

    def recv(self, context: str, source: int, tag: int) -> Any:
        self.asked.append(("recv", context, source, tag))
        return self.answers.pop(0)

    def collective(self, context: str, kind: str, obj: Any, root: int) -> Any:
        self.asked.append((kind, context, obj, root))
        return self.answers.pop(0)

    def compute(self, seconds: float) -> None:
        self.asked.append(("compute", seconds))


def comm_of(network: Network, rank: int = 1, size: int = 4, **more: Any) -> Comm:
    return Comm(network, range(size), rank, **more)


# --- point to point ---


def test_messages_go_to_world_ranks() -> None:
    network = Network("got")
    group = Comm(network, [3, 5, 7], 1, context="world/0.0")
    group.send("a", 2)
    assert group.recv(0, tag=4) == "got"
    assert network.asked == [("send", "world/0.0", 7, 0, "a"), ("recv", "world/0.0", 3, 4)]


def test_sendrecv_sends_without_blocking_then_receives() -> None:
    network = Network("got")
    assert comm_of(network).sendrecv("a", dest=2, source=0, tag=3) == "got"
    assert network.asked == [("isend", "world", 2, 3, "a"), ("recv", "world", 0, 3)]


def test_a_receive_request_receives_once_when_waited_for() -> None:
    network = Network("got")
    request = comm_of(network).irecv(0, tag=1)
    assert network.asked == []
    assert [request.wait(), request.wait()] == ["got", "got"]
    assert network.asked == [("recv", "world", 0, 1)]


def test_a_send_request_is_under_way_at_once() -> None:
    network = Network()
    request = comm_of(network).isend("a", 0)
    assert network.asked == [("isend", "world", 0, 0, "a")]
    assert request.wait() is None


@pytest.mark.parametrize("rank", [-1, 4, 1.0, "0", None, True, [0]])
@pytest.mark.parametrize(
    "use",
    [
        lambda comm, rank: comm.send(1, rank),
        lambda comm, rank: comm.recv(rank),
        lambda comm, rank: comm.isend(1, rank),
        lambda comm, rank: comm.irecv(rank),
        lambda comm, rank: comm.sendrecv(1, rank, 0),
        lambda comm, rank: comm.broadcast(1, rank),
    ],
)
def test_a_rank_that_is_none_is_refused_before_anything_is_sent(use: Callable[[Comm, Any], Any], rank: Any) -> None:
    network = Network()
    with pytest.raises(ValueError, match="there is no such rank among 4"):
        use(comm_of(network), rank)
    assert network.asked == []


@pytest.mark.parametrize("tag", [-1, 1 << 31, 0.0, "1", None, False])
def test_a_tag_that_is_none_is_refused(tag: Any) -> None:
    network = Network()
    for use in (
        lambda: comm_of(network).send(1, 0, tag),
        lambda: comm_of(network).recv(0, tag),
        lambda: comm_of(network).irecv(0, tag),
    ):
        with pytest.raises(ValueError, match="a tag is an int"):
            use()
    assert network.asked == []


def test_numpy_integers_are_ranks_and_tags() -> None:
    network = Network(None, [])
    comm = comm_of(network)
    comm.send("a", np.int64(2), np.uint8(3))  # type: ignore[arg-type]
    comm.broadcast(None, np.int64(2))  # type: ignore[arg-type]
    assert network.asked == [("send", "world", 2, 3, "a"), ("broadcast", "world", None, 2)]
    assert all(type(part) is int for part in (*network.asked[0][2:4], network.asked[1][3]))


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_time_does_not_stand_still_or_run_backwards(seconds: float) -> None:
    network = Network()
    with pytest.raises(ValueError, match="finite and not negative"):
        comm_of(network).compute(seconds)
    assert network.asked == []


def test_compute_hands_on_seconds() -> None:
    network = Network()
    comm_of(network).compute(np.float32(0.5))  # type: ignore[arg-type]
    assert network.asked == [("compute", 0.5)]
    assert repr(comm_of(network)) == "Comm(rank=1, size=4)"


# --- collectives ---


CALLS: dict[str, Callable[[Comm], Any]] = {
    "all_reduce": lambda comm: comm.all_reduce([1.0]),
    "reduce_scatter": lambda comm: comm.reduce_scatter([1.0]),
    "all_gather": lambda comm: comm.all_gather(1),
    "all_to_all": lambda comm: comm.all_to_all([1, 2, 3, 4]),
    "broadcast": lambda comm: comm.broadcast(1),
}


@pytest.mark.parametrize("kind", COLLECTIVES)
def test_a_collective_that_is_not_allowed_says_so_and_sends_nothing(kind: str) -> None:
    network = Network()
    allowed = [name for name in COLLECTIVES if name != kind]
    with pytest.raises(RuntimeError, match=f"comm.{kind} is not to be used in this exercise"):
        CALLS[kind](comm_of(network, allowed=allowed))
    assert network.asked == []


@pytest.mark.parametrize("kind", COLLECTIVES)
def test_an_allowed_collective_returns_its_share(kind: str) -> None:
    network = Network(["share"])
    assert CALLS[kind](comm_of(network, allowed=[kind])) == ["share"]
    assert network.asked[0][0] == kind


def test_barrier_and_split_are_always_allowed() -> None:
    network = Network(None, ("world/0.7", [1, 3]))
    comm = comm_of(network, rank=3, allowed=())
    comm.barrier()
    group = comm.split(7)
    assert (group.rank, group.size) == (1, 2)
    assert network.asked == [("barrier", "world", None, -1), ("split", "world", (7, 3), -1)]
    with pytest.raises(RuntimeError, match="is not to be used"):
        group.all_reduce(1.0)


@pytest.mark.parametrize(("color", "key"), [("a", None), (1.0, None), (None, None), (True, None), (0, 0.5), (0, "b")])
def test_colors_and_keys_are_ints(color: Any, key: Any) -> None:
    network = Network()
    with pytest.raises(ValueError, match="it must be an int"):
        comm_of(network).split(color, key)
    assert network.asked == []


def test_only_the_root_contributes_to_a_broadcast() -> None:
    network = Network(None, None)
    comm_of(network, rank=1).broadcast("mine", root=1)
    comm_of(network, rank=1).broadcast("mine", root=0)
    assert [asked[2] for asked in network.asked] == ["mine", None]


@pytest.mark.parametrize("value", ["text", None, {}, [None], object()])
def test_only_numbers_are_summed(value: Any) -> None:
    for use in (comm_of(Network()).all_reduce, comm_of(Network()).reduce_scatter):
        with pytest.raises(TypeError, match="takes an array of numbers"):
            use(value)


def test_all_to_all_takes_one_object_for_each_rank() -> None:
    with pytest.raises(ValueError, match="one object per rank: 4, not 3"):
        comm_of(Network()).all_to_all([1, 2, 3])


shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 6), shapes, st.integers(0, 1000), st.sampled_from(["int64", "float64", "float32", "complex128"]))
def test_sums_are_those_of_numpy_in_rank_order(size: int, shape: tuple[int, ...], seed: int, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    given_ = [(rng.standard_normal(shape) * 1000).astype(dtype) for _ in range(size)]
    total = np.asarray(reduce(operator.add, given_))
    summed = combine("all_reduce", given_)
    assert len(summed) == size
    assert all(np.array_equal(share, total) and np.asarray(share).dtype == total.dtype for share in summed)
    if shape:
        chunks = combine("reduce_scatter", given_)
        expected = np.array_split(total, size)
        assert all(np.array_equal(*pair) for pair in zip(chunks, expected, strict=True))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 6).flatmap(
        lambda size: st.lists(st.lists(st.integers(), min_size=size, max_size=size), min_size=size, max_size=size)
    )
)
def test_exchanges_are_a_transposition(rows: list[list[int]]) -> None:
    size = len(rows)
    assert combine("all_to_all", rows) == [list(column) for column in zip(*rows, strict=True)]
    assert combine("all_gather", rows) == [rows] * size
    assert [combine("broadcast", rows, root) for root in range(size)] == [[row] * size for row in rows]
    assert combine("barrier", rows) == [None] * size


def test_numbers_sum_to_a_plain_number() -> None:
    (share, _) = combine("all_reduce", [np.float64(1.5), 2])
    assert share == 3.5 and np.ndim(share) == 0 and not isinstance(share, np.ndarray)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2)), min_size=1, max_size=8))
def test_groups_are_of_one_color_in_order_of_key_and_rank(choices: list[tuple[int, int]]) -> None:
    groups = split_groups(choices)
    for member, group in enumerate(groups):
        assert sorted(group) == [other for other in range(len(choices)) if choices[other][0] == choices[member][0]]
        assert group == sorted(group, key=lambda other: (choices[other][1], other))
        assert all(groups[other] == group for other in group)


@pytest.mark.parametrize("choices", [[None], [(0,)], [(0, 0), [0, 0]], [(True, 0)], [(0, float("nan"))]])
def test_a_choice_of_another_form_is_an_error(choices: list[Any]) -> None:
    with pytest.raises(CollectiveError):
        split_groups(choices)


# --- words ---


def test_a_deadlock_is_told_as_who_waits_for_whom() -> None:
    waits = {3: describe_message(0, 2), 0: describe_message(3, 0)}
    assert (
        describe_deadlock(waits)
        == "rank 0 waits for a message from rank 3; rank 3 waits for a message from rank 0 with tag 2"
    )


def test_a_deadlock_of_many_is_told_in_short() -> None:
    told = describe_deadlock({rank: describe_message((rank + 1) % 64, 0) for rank in range(64)})
    assert told.startswith("rank 0 waits for a message from rank 1; ")
    assert told.endswith("; rank 5 waits for a message from rank 6; and 58 more")
