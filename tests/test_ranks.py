"""Ranks on workers: what a run says of ranks that return, fail, hang, cheat or send too much."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from grader.judge import link
from grader.judge.bench import Bench
from grader.judge.calls import Answer, Call
from grader.worker.comm import Event
from tests.support import bench

SUBMISSION = '''
import os, socket, struct, threading, time

def double(comm, x):
    return comm.rank, np.asarray(x) * 2

def ring_all_reduce(comm, buffer):
    p, right, left = comm.size, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    chunks = np.array_split(np.array(buffer), p)
    for step in range(p - 1):
        comm.send(chunks[(comm.rank - step) % p], dest=right)
        chunks[(comm.rank - step - 1) % p] += comm.recv(source=left)
    for step in range(p - 1):
        comm.send(chunks[(comm.rank + 1 - step) % p], dest=right)
        chunks[(comm.rank - step) % p] = comm.recv(source=left)
    return np.concatenate(chunks)

def one_step(comm, x):
    return comm.sendrecv(comm.rank, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)

def prints(comm, x):
    print("rank", comm.rank)

def misbehaves(comm, x, how):
    """Rank 1 misbehaves while the others wait for it."""
    if how == "sends without being asked":
        for rank in range(comm.size):
            if comm.rank == 1 != rank:
                comm.send("here", rank)
        return None
    if comm.rank != 1:
        return comm.recv(1)
    if how == "raises":
        raise ValueError("rank 1")
    if how == "dies":
        os._exit(3)
    if how == "loops":
        while True:
            pass
    if how == "sleeps":
        time.sleep(60)
    if how == "naps":
        while True:
            time.sleep(0.02)
    if how == "computes":
        while True:
            comm.compute(0.0)
    if how == "returns a set":
        return {1}
    if how == "returns":
        return "done"

def holds_on(comm, x):
    """Every rank waits for its right neighbour, and takes no notice of being told that the run is over."""
    while True:
        try:
            comm.recv((comm.rank + 1) % comm.size)
        except BaseException:
            pass

def returns_after_all(comm, x):
    try:
        return comm.recv((comm.rank + 1) % comm.size)
    except BaseException:
        return "I have a result"

def ends_after_returning(comm, x):
    """Rank 0 ends its process when it has returned; rank 1 loops."""
    if comm.rank == 0:
        threading.Thread(target=lambda: (time.sleep(0.1), os._exit(0))).start()
        return None
    while True:
        pass

def floods(comm, what):
    messages = {"small": 1, "arrays": np.zeros(1 << 17), "lists": [1.5] * (1 << 15), "text": "x" * (1 << 20)}
    message = messages.get(what)
    while True:
        if what == "barriers":
            comm.barrier()
        elif what == "splits":
            comm = comm.split(0)
        else:
            comm.send(message, comm.rank)

def asks(comm, x, f):
    return comm.rank, f(comm.rank)

def asks_for_ever(comm, x, f):
    while True:
        f(1)

def sneaks(comm, kind):
    return comm._network.collective(comm._context, kind, np.ones(2), -1)

def forges(comm, fields, value):
    """Rank 0 sends a frame of its own making."""
    if comm.rank == 0:
        worker = comm._network.worker
        worker._send(fields, value)
        worker.channel.flush()
        time.sleep(0.05)
    return comm.rank

def forges_in_a_group(comm, fields, value):
    half = comm.split(comm.rank % 2)
    return forges(comm, {**fields, "in": half._context}, value)

def forges_bytes(comm, data):
    if comm.rank == 0:
        comm._network.worker.channel._socket.sendall(data)
        time.sleep(0.05)
    return comm.rank

def acts_while_waiting(comm, x):
    if comm.rank == 0:
        worker = comm._network.worker
        worker._send({"is": "recv", "from": 1, "tag": 0, "in": "world"})
        worker._send({"is": "recv", "from": 1, "tag": 1, "in": "world"})
        return worker.wait()
    return comm.recv(0)

def does_not_read(comm, x):
    """Rank 0 asks for a large message and lets it lie."""
    if comm.rank:
        comm.send(np.zeros(1 << 21), 0)
        return None
    worker = comm._network.worker
    worker._send({"is": "recv", "from": 1, "tag": 0, "in": "world"})
    worker.channel.flush()
    time.sleep(60)
'''

QUICK = {"cpu_seconds": 0.3, "idle_seconds": 0.8}


@pytest.fixture(scope="module")
def ranks() -> Iterator[Bench]:
    with bench(SUBMISSION, **QUICK) as ready:
        yield ready


def run(ranks: Bench, name: str, size: int, *shared: Any, own: Any = 0, **more: Any) -> Answer:
    return ranks.perform(Call(name, shared, per_rank=(own,) * size, **more))


def still_serves(ranks: Bench) -> bool:
    """Whether the next run is as if nothing had been."""
    answer = run(ranks, "double", 3, own=[1.0])
    return answer.kind == "returned" and [rank for rank, _ in answer.value] == [0, 1, 2] and answer.run is not None


def outcomes(answer: Answer) -> list[str]:
    assert answer.run is not None
    return answer.run.outcomes


# --- runs that work ---


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_a_ring_gives_the_sum_and_a_trace_of_a_ring(ranks: Bench, size: int) -> None:
    buffers = tuple(np.arange(2.0 * size) + 100 * rank for rank in range(size))
    answer = ranks.perform(Call("ring_all_reduce", per_rank=buffers))
    assert answer.kind == "returned"
    assert all(np.array_equal(result, sum(buffers)) for result in answer.value)
    run_ = answer.run
    assert run_ is not None
    assert run_.messages_per_rank == [2 * (size - 1)] * size
    assert run_.elements_per_rank == [4 * (size - 1)] * size
    assert run_.bytes_per_rank == [32 * (size - 1)] * size
    assert run_.peers == {rank: {(rank + 1) % size} if size > 1 else set() for rank in range(size)}
    assert run_.rounds == 2 * (size - 1)
    assert run_.unreceived == []
    if size == 2:
        assert run_.traces[0] == [Event("send", 1, 2, 16), Event("recv", 1, 2, 16)] * 2


def test_sixty_four_ranks_talk(ranks: Bench) -> None:
    answer = run(ranks, "one_step", 64)
    assert answer.kind == "returned" and answer.value == [63, *range(63)]
    assert answer.run is not None and answer.run.sends == [[((rank + 1) % 64, 1, 0)] for rank in range(64)]


@pytest.mark.sweep
def test_sixty_four_ranks_reduce(ranks: Bench) -> None:
    answer = run(ranks, "ring_all_reduce", 64, own=np.ones(64))
    assert answer.kind == "returned"
    assert all(np.array_equal(result, np.full(64, 64.0)) for result in answer.value)
    assert answer.run is not None and answer.run.messages_sent == 64 * 126


def test_no_ranks_have_no_results(ranks: Bench) -> None:
    assert run(ranks, "double", 0).value == []


def test_what_each_rank_prints_is_kept_apart(ranks: Bench) -> None:
    assert run(ranks, "prints", 3).printed == ("rank 0\n", "rank 1\n", "rank 2\n")
    assert ranks.printed == ("rank 0\n", "rank 1\n", "rank 2\n")


def test_every_rank_may_ask_a_function_of_the_judge(ranks: Bench) -> None:
    assert run(ranks, "asks", 3, lambda rank: rank * 10).value == [(0, 0), (1, 10), (2, 20)]


def test_an_error_of_a_function_of_the_judge_is_raised_in_the_rank(ranks: Bench) -> None:
    answer = run(ranks, "asks", 2, lambda rank: 1 // rank)
    assert (answer.kind, answer.rank, answer.value["type"]) == ("raised", 0, "ZeroDivisionError")
    assert outcomes(answer) == ["ZeroDivisionError", "returned"]


# --- runs that fail ---


def test_a_rank_that_raises_is_named_and_the_others_are_let_go(ranks: Bench) -> None:
    answer = run(ranks, "misbehaves", 3, "raises")
    assert (answer.kind, answer.rank, answer.value["text"]) == ("raised", 1, "rank 1")
    assert outcomes(answer) == ["abandoned", "ValueError", "abandoned"]
    assert answer.run is not None and answer.run.results == [None] * 3
    assert still_serves(ranks)


def test_a_rank_that_dies_is_named_with_its_exit_code(ranks: Bench) -> None:
    answer = run(ranks, "misbehaves", 3, "dies")
    assert (answer.kind, answer.rank) == ("died", 1)
    assert answer.value == "the process ended itself with exit code 3"
    assert outcomes(answer) == ["abandoned", "died", "abandoned"]
    assert still_serves(ranks)


@pytest.mark.parametrize(
    ("how", "spent"),
    [
        ("loops", "0.3 s of computing"),
        ("computes", "0.3 s of computing"),
        ("sleeps", "0.8 s of waiting"),
        ("naps", "0.8 s of waiting"),
    ],
)
def test_a_rank_that_does_not_end_is_named_not_those_that_wait_for_it(ranks: Bench, how: str, spent: str) -> None:
    began = time.monotonic()
    answer = run(ranks, "misbehaves", 3, how)
    assert (answer.kind, answer.rank, answer.value) == ("timed_out", 1, spent)
    assert outcomes(answer) == ["abandoned", "timed_out", "abandoned"]
    assert time.monotonic() - began < 30
    assert still_serves(ranks)


def test_a_result_that_is_no_data_is_named(ranks: Bench) -> None:
    answer = run(ranks, "misbehaves", 3, "returns a set")
    assert (answer.kind, answer.rank, answer.value) == ("unsupported", 1, "a set")


def test_a_deadlock_is_told_as_who_waits_for_whom(ranks: Bench) -> None:
    answer = run(ranks, "misbehaves", 3, "returns")
    assert answer.kind == "deadlock"
    assert answer.value == "rank 0 waits for a message from rank 1; rank 2 waits for a message from rank 1"
    assert outcomes(answer) == ["abandoned", "returned", "abandoned"]
    assert still_serves(ranks)


def test_messages_that_nobody_received_are_listed(ranks: Bench) -> None:
    answer = run(ranks, "misbehaves", 3, "sends without being asked")
    assert answer.kind == "returned"
    assert answer.run is not None and answer.run.unreceived == [(1, 0, 1), (1, 2, 1)]


def test_ranks_that_hold_on_after_a_deadlock_are_ended(ranks: Bench) -> None:
    answer = run(ranks, "holds_on", 3)
    assert answer.kind == "deadlock"
    assert "rank 0 waits for a message from rank 1" in answer.value
    assert still_serves(ranks)


def test_a_result_after_a_deadlock_does_not_count(ranks: Bench) -> None:
    answer = run(ranks, "returns_after_all", 2)
    assert answer.kind == "deadlock"
    assert answer.run is not None and answer.run.results == [None, None]
    assert still_serves(ranks)


def test_a_worker_that_ends_after_returning_does_not_stop_the_clock_of_the_others(ranks: Bench) -> None:
    answer = run(ranks, "ends_after_returning", 2)
    assert (answer.kind, answer.rank) == ("timed_out", 1)
    assert still_serves(ranks)


def test_a_rank_that_asks_for_ever_is_ended(ranks: Bench) -> None:
    answer = run(ranks, "asks_for_ever", 1, lambda x: x)
    assert (answer.kind, answer.rank, answer.value) == ("timed_out", 0, "0.3 s of computing")


# --- too much ---


@pytest.fixture(scope="module")
def few_messages() -> Iterator[Bench]:
    with bench(SUBMISSION, messages=500, message_bytes=10_000_000) as ready:
        yield ready


@pytest.mark.parametrize(
    ("what", "spent"),
    [
        ("small", "501 messages"),
        ("barriers", "501 messages"),
        ("arrays", "messages of 1"),
        ("lists", "messages of 1"),
        ("text", "messages of 1"),
    ],
)
def test_a_rank_that_sends_too_much_is_ended(few_messages: Bench, what: str, spent: str) -> None:
    answer = few_messages.perform(Call("floods", (what,), per_rank=((),)))
    assert answer.kind == "timed_out" and answer.value.startswith(spent)
    assert still_serves(few_messages)


def test_splits_of_splits_come_to_an_end(few_messages: Bench) -> None:
    answer = few_messages.perform(Call("floods", ("splits",), per_rank=((),)))
    assert answer.kind == "raised" and "too many times over" in answer.value["text"]


def test_questions_are_counted_too(few_messages: Bench) -> None:
    answer = few_messages.perform(Call("asks_for_ever", (lambda x: x,), per_rank=(0,)))
    assert (answer.kind, answer.value) == ("timed_out", "1,501 messages and questions")


# --- forged frames ---


@pytest.mark.parametrize("kind", ["all_reduce", "all_gather", "no such collective", ["all_reduce"]])
def test_a_collective_that_is_not_allowed_is_not_to_be_had_by_forging(ranks: Bench, kind: Any) -> None:
    answer = run(ranks, "sneaks", 2, own=(kind,))
    assert (answer.kind, answer.rank, answer.value) == ("forged", 0, "a collective that is not to be had")
    assert answer.run is not None and answer.run.collectives == [[], []]
    assert still_serves(ranks)


FORGERIES: dict[str, dict[str, Any]] = {
    "no kind": {},
    "an unknown kind": {"is": "shout"},
    "a kind that is a list": {"is": ["send"]},
    "no destination": {"is": "send", "tag": 0, "in": "world"},
    "a destination that is none": {"is": "send", "to": 99, "tag": 0, "in": "world"},
    "a negative destination": {"is": "send", "to": -1, "tag": 0, "in": "world"},
    "a destination that is a float": {"is": "send", "to": 1.0, "tag": 0, "in": "world"},
    "a destination that is true": {"is": "send", "to": True, "tag": 0, "in": "world"},
    "an unknown communicator": {"is": "send", "to": 1, "tag": 0, "in": "elsewhere"},
    "a communicator that is a list": {"is": "send", "to": 1, "tag": 0, "in": ["world"]},
    "a tag that holds data": {"is": "send", "to": 1, "tag": 1 << 4000, "in": "world"},
    "a tag that is NaN": {"is": "send", "to": 1, "tag": float("nan"), "in": "world"},
    "a source that is none": {"is": "recv", "from": 99, "tag": 0, "in": "world"},
    "a time that is NaN": {"is": "compute", "seconds": float("nan")},
    "a time that is negative": {"is": "compute", "seconds": -1.0},
    "a time that is infinite": {"is": "compute", "seconds": float("inf")},
    "a time beyond all floats": {"is": "compute", "seconds": 10**400},
    "a time that is text": {"is": "compute", "seconds": "1.0"},
    "a root that is none": {"is": "join", "kind": "barrier", "root": 7, "in": "world"},
    "a question to nobody": {"is": "ask", "f": 5},
    "a question of text": {"is": "ask", "f": "0"},
    "an exception that is none": {"is": "raised"},
    "another request's answer": {"is": "returned", "id": "0123456789abcdef"},
    "a number for an answer's name": {"is": "returned", "id": 5},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_frame_fails_its_rank_alone(ranks: Bench, name: str) -> None:
    answer = run(ranks, "forges", 3, own=(FORGERIES[name], None))
    assert (answer.kind, answer.rank) == ("forged", 0)
    assert outcomes(answer) == ["forged", "returned", "returned"]
    assert isinstance(answer.value, str) and answer.value
    assert still_serves(ranks)


def test_a_forged_root_outside_of_a_group_fails_its_rank(ranks: Bench) -> None:
    allowed = {"forges_in_a_group": ("broadcast",)}
    with bench(SUBMISSION, collectives=allowed) as own:
        answer = run(own, "forges_in_a_group", 3, own=({"is": "join", "kind": "broadcast", "root": 2}, None))
        assert (answer.kind, answer.rank) == ("forged", 0)


@pytest.mark.parametrize("data", [b"\xff" * 12, b"\0" * 64, b"GET / HTTP/1.1\r\n\r\n"])
def test_bytes_that_are_no_frame_fail_their_rank(ranks: Bench, data: bytes) -> None:
    answer = run(ranks, "forges_bytes", 2, own=(data,))
    assert (answer.kind, answer.rank) == ("forged", 0)
    assert still_serves(ranks)


def test_a_reply_of_its_own_making_does_not_end_the_run_twice(ranks: Bench) -> None:
    answer = run(ranks, "forges", 2, own=({"is": "returned"}, "forged"))
    assert answer.kind in ("returned", "forged")
    if answer.kind == "returned":  # it is the rank's own result then, and the real one is surplus
        assert answer.value == ["forged", 1]
        assert run(ranks, "double", 2).kind == "forged"
    assert still_serves(ranks)


def test_a_rank_that_waits_can_do_nothing_else(ranks: Bench) -> None:
    answer = run(ranks, "acts_while_waiting", 2)
    assert (answer.kind, answer.rank, answer.value) == ("forged", 0, "a message from a rank that waits")
    assert still_serves(ranks)


def test_a_rank_that_does_not_read_what_it_asked_for_is_ended(ranks: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "SEND_SECONDS", 0.5)
    answer = run(ranks, "does_not_read", 2)
    assert (answer.kind, answer.rank) == ("timed_out", 0)
    assert "without reading" in answer.value
    assert still_serves(ranks)
