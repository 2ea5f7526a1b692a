"""Ranks as threads: what ``on_ranks`` gives, and that workers do the very same."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from grader.judge.bench import Bench
from grader.judge.calls import Answer, Call
from grader.judge.local import Local, load_module
from grader.worker.comm import COLLECTIVES, Comm
from grader.worker.threads import Abandoned, Deadlock, as_array, on_ranks, rank_arguments, run_on_threads
from tests.rank_programs import NAMES, PROGRAMS, WITH_SHARED
from tests.support import HEADER, bench

LIMITED = "not_for_this_exercise"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("programs") / "submission.py"
    path.write_text(HEADER + PROGRAMS, encoding="utf-8")
    return load_module(path, "rank_programs_on_threads")


@pytest.fixture(scope="module")
def workers() -> Iterator[Bench]:
    allowed = {name: () if name == LIMITED else COLLECTIVES for name in NAMES}
    with bench(PROGRAMS, collectives=allowed) as ready:
        yield ready


def call_of(name: str, size: int, **more: Any) -> Call:
    per_rank = tuple([float(rank), rank * 10.0, 1.0] for rank in range(size))
    if name in WITH_SHARED:
        return Call(name, ([1, 2],), {"options": {"lr": 0.5}}, per_rank, **more)
    return Call(name, per_rank=per_rank, **more)


def shown(answer: Answer) -> dict[str, Any]:
    """Everything that an answer tells, in a form that compares arrays by type and bits."""
    assert answer.run is not None
    facts = {**vars(answer), **vars(answer.run), "printed": (), "run": None}
    return {name: repr(value) for name, value in facts.items()}


# --- threads and workers ---


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_threads_and_workers_do_the_same(programs: ModuleType, workers: Bench, name: str, size: int) -> None:
    call = call_of(name, size, look_back=True)
    assert shown(workers.perform(call)) == shown(Local(programs).perform(call))


@pytest.mark.parametrize(
    "name", ["ring", "both_ways", "requests", "every_collective", "sends_then_raises", "never_received"]
)
def test_threads_and_workers_do_the_same_under_rendezvous(programs: ModuleType, workers: Bench, name: str) -> None:
    call = call_of(name, 3, rendezvous=True)
    assert shown(workers.perform(call)) == shown(Local(programs).perform(call))


def test_rendezvous_finds_the_deadlock_that_buffers_hide(programs: ModuleType, workers: Bench) -> None:
    call = call_of("ring", 3)
    told = (
        "rank 0 waits for rank 1 to receive its message; rank 1 waits for rank 2 to receive its message; "
        "rank 2 waits for rank 0 to receive its message"
    )
    for performer in (Local(programs), workers):
        assert performer.perform(call).kind == "returned"
        answer = performer.perform(replace(call, rendezvous=True))
        assert (answer.kind, answer.value) == ("deadlock", told)
        assert performer.perform(call_of("both_ways", 3, rendezvous=True)).kind == "returned"


def test_results_are_right_where_they_are_the_same(workers: Bench) -> None:
    """Lest threads and workers share one mistake."""
    x = [np.array([rank, rank * 10.0, 1.0]) for rank in range(3)]
    ring = workers.perform(call_of("ring", 3))
    assert np.array_equal(ring.value, [x[2], x[0], x[1]])
    collectives = workers.perform(call_of("every_collective", 3)).value
    for rank, got in enumerate(collectives):
        assert np.array_equal(got["all_reduce"], sum(x))
        assert got["of a number"] == 0.5 + 1.5 + 2.5
        assert np.array_equal(got["reduce_scatter"], np.array_split(sum(x), 3)[rank])
        assert got["all_gather"] == [{"rank": 0}, {"rank": 1}, {"rank": 2}]
        assert got["all_to_all"] == [(other, rank) for other in range(3)]
        assert np.array_equal(got["broadcast"], x[2] * 2)
    groups = workers.perform(call_of("groups", 3)).value
    assert [(rank, size) for rank, size, *_ in groups] == [(1, 2), (0, 1), (0, 2)]
    assert np.array_equal(groups[0][2], x[0] + x[2])
    assert [(neighbour, alone, root) for *_, neighbour, alone, root in groups] == [(2, 1, 0), (None, 1, 1), (0, 1, 0)]
    changed = workers.perform(call_of("changed_after_sending", 3)).value
    message, gathered = changed[1]
    assert np.array_equal(message[0], x[0]) and message[1] == {"n": [1]}
    assert np.array_equal(gathered[2][0], x[2]) and gathered[2][1] == {"n": [1]}
    for rank, (got, shared, first) in enumerate(workers.perform(call_of("changed_after_sending_much", 3)).value):
        assert np.array_equal(got, [(rank - 1) % 3 + 0.5] * 2)
        assert np.array_equal(shared, [rank] * 2) and first == 0.0
    assert workers.perform(call_of("out_of_order", 3)).value[2] == [2, 0, 1]
    assert workers.perform(call_of("shared_lists", 2)).value == [("ndarray", "list", ["lr"])] * 2


def test_arguments_afterwards_are_each_ranks_own(workers: Bench, programs: ModuleType) -> None:
    call = call_of("changes_arguments", 2, look_back=True)
    for performer in (workers, Local(programs)):
        before = [1, 2]
        answer = performer.perform(replace(call, positional=(before,)))
        assert before == [1, 2]
        for rank, ((x, shared), keywords) in enumerate(answer.arguments):
            assert np.array_equal(x, [rank] * 3)
            assert shared == [1, 2, rank]
            assert keywords == {"options": {"lr": 0.5, "seen": True}}


# --- on_ranks ---


def test_on_ranks_returns_results_by_rank() -> None:
    def work(comm: Comm, own: Any, scale: float, *, offset: float) -> Any:
        return own * scale + offset + comm.rank

    found = on_ranks(work, [[1.0], [2.0]], 10.0, offset=0.5)
    assert np.array_equal(found, [[10.5], [21.5]])
    assert on_ranks(work, [], 1, offset=1) == []


def test_on_ranks_raises_what_the_lowest_failing_rank_raised() -> None:
    def work(comm: Comm, own: int) -> int:
        if comm.rank == 0:
            return int(comm.recv(1))
        raise ValueError(f"rank {comm.rank}")

    with pytest.raises(ValueError, match="rank 1") as caught:
        on_ranks(work, [0, 0, 0])
    assert caught.value.__notes__ == ["raised on rank 1 of 3"]


def test_on_ranks_raises_a_deadlock_that_says_who_waits() -> None:
    with pytest.raises(
        Deadlock, match=r"^rank 0 waits for a message from rank 1; rank 1 waits for rank 0 to join its barrier"
    ):
        on_ranks(lambda comm, own: comm.barrier() if comm.rank else comm.recv(1), [0, 0])


def test_ranks_that_wait_for_a_failed_rank_are_abandoned_and_say_nothing() -> None:
    def work(comm: Comm, own: int) -> Any:
        if comm.rank == 1:
            raise ValueError
        try:
            return comm.recv(1)
        except Exception:
            return "caught"

    ran = run_on_threads(work, [0, 0, 0])
    assert [type(ran.errors[rank]) for rank in range(3)] == [Abandoned, ValueError, Abandoned]


def test_arguments_are_copied_for_each_rank() -> None:
    own, shared = np.zeros(2), [0]

    def work(comm: Comm, buffer: Any, common: list[int]) -> tuple[Any, list[int]]:
        buffer += comm.rank + 1
        common.append(comm.rank)
        return buffer, common

    results = on_ranks(work, [own, own], shared)
    assert np.array_equal(own, [0, 0]) and shared == [0]
    assert [common for _, common in results] == [[0, 0], [0, 1]]


def test_an_argument_that_cannot_be_copied_is_an_error_and_no_hang() -> None:
    with pytest.raises(TypeError):
        on_ranks(lambda comm, own: comm.recv(1 - comm.rank), [threading.Lock(), 1])


def test_each_thread_says_when_it_starts() -> None:
    started: dict[int, str] = {}
    run_on_threads(
        lambda comm, own: None, [0, 0], started=lambda rank: started.update({rank: threading.current_thread().name})
    )
    assert started == {0: "rank 0", 1: "rank 1"}


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    ran = run_on_threads(lambda comm, own: comm.recv((comm.rank + 1) % comm.size), [0] * 16)
    assert len(ran.errors) == 16
    assert threading.active_count() == before


def test_sixty_four_threads_reduce() -> None:
    assert on_ranks(lambda comm, own: comm.all_reduce(own), list(range(64))) == [sum(range(64))] * 64


# --- arguments ---


@pytest.mark.parametrize("value", [[1, 2], [1.5, 2], [], [[1, 2], [3, 4]], [np.float32(1), 2], [True, 2.5]])
def test_a_list_of_numbers_becomes_a_float64_array(value: list[Any]) -> None:
    array = as_array(value)
    assert isinstance(array, np.ndarray) and array.dtype == np.float64
    assert np.array_equal(array, value)


@pytest.mark.parametrize(
    "value",
    [
        ["1", "2"],
        [["1"]],
        [None, 1.0],
        [True, False],
        [1j],
        [[1], [1, 2]],
        [{}],
        [1 << 70, "a"],
        {1: 2},
        "ab",
        3,
        None,
    ],
)
def test_anything_else_stays_as_it_is(value: Any) -> None:
    assert as_array(value) is value


def test_lists_of_numbers_within_a_tuple_become_arrays() -> None:
    (inner, text), number = as_array((([1, 2], "a"), 3))
    assert isinstance(inner, np.ndarray) and (text, number) == ("a", 3)


def test_a_tuple_is_several_arguments() -> None:
    first, second = rank_arguments(([1, 2], "a"))
    assert np.array_equal(first, [1.0, 2.0]) and second == "a"
    (only,) = rank_arguments([1, 2])
    assert np.array_equal(only, [1.0, 2.0])
    assert rank_arguments(()) == ()
