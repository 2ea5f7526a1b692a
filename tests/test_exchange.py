"""The post office of ranks: what is delivered, what waits, and what each rank's trace says."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.worker import wire
from grader.worker.comm import WORLD, Event, describe_deadlock
from grader.worker.exchange import MAX_CONTEXT_NAME, Delivery, Exchange, Parcel, parcel


def packed(value: Any) -> Parcel:
    encoded, buffers = wire.encode(value)
    return parcel(encoded, b"".join(buffers))


def opened(delivery: Delivery) -> Any:
    assert delivery.error == ""
    return wire.decode(delivery.encoded, delivery.buffers)


def delivered(exchange: Exchange) -> dict[int, Any]:
    """What each waiting rank gets now."""
    ready = exchange.take_ready()
    assert len({delivery.rank for delivery in ready}) == len(ready)
    return {delivery.rank: opened(delivery) for delivery in ready}


def joined(exchange: Exchange, *calls: tuple[int, str, Any], root: int = -1, context: str = WORLD) -> list[Delivery]:
    for rank, kind, value in calls:
        exchange.join(rank, context, kind, root, packed(value))
    return sorted(exchange.take_ready(), key=lambda delivery: delivery.rank)


def groups(
    exchange: Exchange, colors: list[int], context: str = WORLD, members: list[int] | None = None
) -> dict[int, Any]:
    """Split a communicator; returns for each rank the name and the members of its group."""
    ranks = members or list(range(len(colors)))
    for rank, color in zip(ranks, colors, strict=True):
        exchange.join(rank, context, "split", -1, packed((color, rank)))
    return delivered(exchange)


# --- messages ---


def test_a_message_waits_for_its_receiver() -> None:
    exchange = Exchange(2)
    exchange.send(0, WORLD, 1, 0, packed("hello"))
    assert exchange.take_ready() == [] and exchange.waits == {}
    exchange.recv(1, WORLD, 0, 0)
    assert delivered(exchange) == {1: "hello"}
    assert exchange.waits == {}


def test_a_receiver_waits_for_its_message() -> None:
    exchange = Exchange(2)
    exchange.recv(1, WORLD, 0, 0)
    assert exchange.take_ready() == []
    assert exchange.reasons([0, 1]) == {1: "a message from rank 0"}
    exchange.send(0, WORLD, 1, 0, packed("hello"))
    assert delivered(exchange) == {1: "hello"}


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=12), st.randoms(use_true_random=False))
def test_messages_of_one_source_and_tag_keep_their_order(sent: list[tuple[int, int]], random: Any) -> None:
    exchange = Exchange(3)
    for number, (source, tag) in enumerate(sent):
        exchange.send(source, WORLD, 2, tag, packed(number))
    wanted = sent.copy()
    random.shuffle(wanted)
    got: dict[tuple[int, int], list[int]] = {}
    for source, tag in wanted:
        exchange.recv(2, WORLD, source, tag)
        got.setdefault((source, tag), []).append(delivered(exchange)[2])
    for key, numbers in got.items():
        assert numbers == [number for number, other in enumerate(sent) if other == key]
    assert exchange.unreceived() == []


def test_a_message_with_another_tag_or_source_is_not_taken() -> None:
    exchange = Exchange(3)
    exchange.send(0, WORLD, 2, 1, packed("tag 1"))
    exchange.send(1, WORLD, 2, 0, packed("rank 1"))
    exchange.recv(2, WORLD, 0, 0)
    assert exchange.take_ready() == []
    assert exchange.unreceived() == [(0, 2, 1), (1, 2, 1)]


def test_what_nobody_received_is_listed_by_source_and_destination() -> None:
    exchange = Exchange(3)
    for source, dest, length in [(2, 0, 1), (0, 2, 4), (0, 1, 3), (0, 1, 2)]:
        exchange.send(source, WORLD, dest, 0, packed(np.zeros(length)))
    assert exchange.unreceived() == [(0, 1, 2), (0, 1, 3), (0, 2, 4), (2, 0, 1)]


def test_each_trace_is_what_that_rank_did_in_its_order() -> None:
    exchange = Exchange(2)
    exchange.compute(0, 0.5)
    exchange.send(0, WORLD, 1, 7, packed(np.zeros(3, np.float32)))
    exchange.recv(1, WORLD, 0, 7)
    exchange.recv(1, WORLD, 0, 7)  # never comes, so that nothing has happened
    joined(exchange, (0, "barrier", None))
    assert exchange.traces == [
        [Event("compute", seconds=0.5), Event("send", 1, 3, 12, 7), Event("barrier")],
        [Event("recv", 0, 3, 12, 7)],
    ]


@pytest.mark.parametrize(
    ("rank", "context", "other"), [(0, WORLD, 2), (0, WORLD, -1), (0, "world/0.0", 1), (0, "", 1), (5, WORLD, 0)]
)
def test_only_members_of_a_communicator_use_it(rank: int, context: str, other: int) -> None:
    exchange = Exchange(2)
    for use in (
        lambda: exchange.send(rank, context, other, 0, packed(1)),
        lambda: exchange.recv(rank, context, other, 0),
    ):
        with pytest.raises(ValueError, match="is not a member of the communicator"):
            use()
    assert exchange.unreceived() == [] and exchange.waits == {}


# --- rendezvous ---


def test_under_rendezvous_a_sender_waits_until_it_is_received() -> None:
    exchange = Exchange(2, rendezvous=True)
    assert exchange.send(0, WORLD, 1, 0, packed("hello"))
    assert exchange.reasons([0, 1]) == {0: "rank 1 to receive its message"}
    exchange.recv(1, WORLD, 0, 0)
    assert delivered(exchange) == {0: None, 1: "hello"}
    assert exchange.waits == {}


def test_under_rendezvous_a_message_to_oneself_or_without_blocking_waits_for_nobody() -> None:
    exchange = Exchange(2, rendezvous=True)
    assert not exchange.send(0, WORLD, 0, 0, packed("to myself"))
    assert not exchange.send(0, WORLD, 1, 0, packed("isend"), blocking=False)
    assert exchange.send(0, WORLD, 1, 0, packed("send"))
    exchange.recv(1, WORLD, 0, 0)
    assert delivered(exchange) == {1: "isend"}
    assert exchange.reasons([0]) == {0: "rank 1 to receive its message"}
    exchange.recv(1, WORLD, 0, 0)
    assert delivered(exchange) == {0: None, 1: "send"}


def test_without_rendezvous_no_sender_waits() -> None:
    assert not Exchange(2).send(0, WORLD, 1, 0, packed("hello"))


# --- collectives ---


def test_a_collective_completes_when_the_last_rank_comes() -> None:
    exchange = Exchange(3)
    assert joined(exchange, (2, "all_gather", "c"), (0, "all_gather", "a")) == []
    assert exchange.reasons(range(3)) == {0: "rank 1 to join its all_gather", 2: "rank 1 to join its all_gather"}
    assert [opened(delivery) for delivery in joined(exchange, (1, "all_gather", "b"))] == [["a", "b", "c"]] * 3
    assert exchange.waits == {}


def test_what_is_the_same_for_all_is_encoded_once() -> None:
    for kind, value in (("all_gather", np.ones(4)), ("all_reduce", np.ones(4)), ("broadcast", np.ones(4))):
        exchange = Exchange(4)
        ready = joined(exchange, *[(rank, kind, value) for rank in range(4)], root=0)
        assert len({id(delivery.buffers) for delivery in ready}) == 1


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_mismatch_is_told_the_same_whoever_came_first(order: tuple[int, ...]) -> None:
    exchange = Exchange(3)
    calls = {0: ("all_reduce", np.ones(2)), 1: ("all_reduce", np.ones(2)), 2: ("barrier", None)}
    ready = joined(exchange, *[(rank, *calls[rank]) for rank in order])
    assert [delivery.error for delivery in ready] == ["rank 2 calls barrier while rank 0 calls all_reduce"] * 3
    again = joined(exchange, *[(rank, "barrier", None) for rank in range(3)])
    assert [delivery.error for delivery in again] == [""] * 3


def test_broadcasts_from_two_roots_are_a_mismatch() -> None:
    exchange = Exchange(2)
    exchange.join(0, WORLD, "broadcast", 0, packed(1))
    exchange.join(1, WORLD, "broadcast", 1, packed(2))
    errors = {delivery.error for delivery in exchange.take_ready()}
    assert errors == {"rank 1 calls broadcast from root 1 while rank 0 calls broadcast from root 0"}


def test_who_is_missing_from_a_mismatched_collective_is_told_to_each() -> None:
    exchange = Exchange(4)
    joined(exchange, (0, "all_reduce", 1.0), (2, "barrier", None))
    exchange.recv(3, WORLD, 0, 0)
    told = describe_deadlock(exchange.reasons(range(4)))
    assert told == (
        "rank 0 waits for ranks 1, 2, 3 to join its all_reduce; rank 2 waits for ranks 0, 1, 3 to join its barrier; "
        "rank 3 waits for a message from rank 0"
    )


def test_many_missing_ranks_are_not_all_listed() -> None:
    exchange = Exchange(9)
    joined(exchange, (0, "barrier", None))
    assert exchange.reasons([0]) == {0: "ranks 1, 2, 3, 4, … to join its barrier"}


@pytest.mark.parametrize(
    ("kind", "given_", "error"),
    [
        ("all_reduce", (np.ones(2), np.ones(3)), "rank 0 gives shape (2,), rank 1 (3,)"),
        ("reduce_scatter", (1.0, 2.0), "a single number has no chunks"),
        ("all_to_all", ([1, 2], [1]), "every rank gives a list of 2 objects"),
        ("all_to_all", ("ab", "cd"), "every rank gives a list of 2 objects"),
        ("split", ((0, 0), "x"), "a color and a key must be ints"),
        ("split", ((0, 0), (0.0, 1)), "a color and a key must be ints"),
        ("all_reduce", (None, None), ""),
        ("all_reduce", ({}, {}), ""),
        ("all_reduce", ([[1], [1, 2]], [[1], [1, 2]]), ""),
    ],
)
def test_contributions_that_do_not_fit_are_an_error_on_every_rank(kind: str, given_: Any, error: str) -> None:
    exchange = Exchange(2)
    ready = joined(exchange, *[(rank, kind, value) for rank, value in enumerate(given_)])
    assert len(ready) == 2
    assert all(delivery.error and error in delivery.error for delivery in ready)


def test_a_sum_that_overflows_is_infinite_without_a_warning() -> None:
    exchange = Exchange(2)
    ready = joined(exchange, (0, "all_reduce", np.array([1e308])), (1, "all_reduce", np.array([1e308])))
    assert np.isposinf(opened(ready[0])).all()


@pytest.mark.parametrize("root", [-2, 2, 1 << 70])
def test_a_root_outside_of_the_communicator_is_refused(root: int) -> None:
    exchange = Exchange(2)
    with pytest.raises(ValueError, match="there is no rank"):
        exchange.join(0, WORLD, "broadcast", root, packed(1))
    assert exchange.waits == {} and exchange.traces[0] == []


def test_the_trace_names_the_world_rank_of_a_root() -> None:
    exchange = Exchange(4)
    context, members = groups(exchange, [0, 1, 0, 1])[1]
    assert members == [1, 3]
    joined(exchange, (1, "broadcast", None), (3, "broadcast", 5.0), root=1, context=context)
    assert exchange.traces[1][-1] == Event("broadcast", 3, 0, 0, 0, context)
    assert exchange.traces[3][-1] == Event("broadcast", 3, 1, 8, 0, context)


# --- split ---


def test_a_split_makes_communicators_that_do_not_hear_each_other() -> None:
    exchange = Exchange(4)
    first = groups(exchange, [0, 0, 1, 1])
    assert first == {
        0: ("world/0.0", [0, 1]),
        1: ("world/0.0", [0, 1]),
        2: ("world/0.1", [2, 3]),
        3: ("world/0.1", [2, 3]),
    }
    exchange.send(0, "world/0.0", 1, 0, packed("in the group"))
    exchange.recv(1, WORLD, 0, 0)
    assert exchange.take_ready() == []
    with pytest.raises(ValueError, match="rank 2 is not a member"):
        exchange.send(0, "world/0.0", 2, 0, packed(1))
    with pytest.raises(ValueError, match="rank 0 is not a member"):
        exchange.recv(0, "world/0.1", 2, 0)


def test_splits_of_the_same_communicator_differ() -> None:
    exchange = Exchange(2)
    names = [groups(exchange, [0, 0])[0][0] for _ in range(3)]
    assert names == ["world/0.0", "world/1.0", "world/2.0"]


def test_a_group_can_be_split_again() -> None:
    exchange = Exchange(4)
    name, members = groups(exchange, [0, 0, 0, 1])[0]
    assert members == [0, 1, 2]
    again = groups(exchange, [5, 6, 5], name, members)
    assert again == {0: ("world/0.0/0.5", [0, 2]), 1: ("world/0.0/0.6", [1]), 2: ("world/0.0/0.5", [0, 2])}


def test_splitting_without_end_is_an_error() -> None:
    exchange, name = Exchange(1), WORLD
    for _ in range(MAX_CONTEXT_NAME):
        exchange.join(0, name, "split", -1, packed((0, 0)))
        (delivery,) = exchange.take_ready()
        if delivery.error:
            assert "too many times over" in delivery.error
            return
        name = opened(delivery)[0]
    pytest.fail("no end")
