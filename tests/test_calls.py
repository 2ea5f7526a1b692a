"""Calls as text that can be pasted, and what a run's traces add up to."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.calls import Answer, Call, Run, schedule_rounds, show
from grader.worker import wire
from grader.worker.comm import Comm, Event
from grader.worker.threads import rank_arguments, run_on_threads


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Plan:
    steps: Any


def bits(value: Any) -> bytes:
    """What a value is, type and bits included, as the wire has it; for an array of no usual dtype, that too."""
    return wire.pack({}, value)


def evaluated(text: str) -> Any:
    """The arguments of ``f(...)`` or ``on_ranks(f, ...)``, as Python reads them."""
    got: list[Any] = []

    def f(*positional: Any, **keywords: Any) -> None:
        got.append((positional, keywords))

    def on_ranks(function: Any, per_rank: Any, *shared: Any, **keywords: Any) -> None:
        assert function is f
        got.append(([rank_arguments(entry) for entry in per_rank], shared, keywords))

    exec(text, {"np": np, "f": f, "on_ranks": on_ranks, "Point": Point, "Plan": Plan})
    (found,) = got
    return found


floats = st.floats(allow_nan=False) | st.just(math.nan)  # of one sign, since the printed form has only one
complexes = st.complex_numbers(allow_nan=False) | st.sampled_from([complex(math.nan, -0.0), complex(-0.0, -1.0)])
numbers = st.one_of(st.integers(), floats, complexes, st.booleans(), st.none())
small_arrays = st.one_of(
    st.builds(np.zeros, st.sampled_from([(0,), (0, 3), (3, 0), (), (2, 2)])),
    st.lists(floats, max_size=5).map(lambda values: np.array(values, dtype=np.float64)),
    st.lists(st.integers(0, 100), max_size=5).flatmap(
        lambda values: st.sampled_from(sorted(wire.DTYPES)).map(lambda name: np.array(values).astype(name))
    ),
    st.sampled_from([np.array([[True], [False]]), np.array(math.nan), np.array([complex(math.nan, -math.inf)])]),
)
scalars = st.sampled_from(
    [np.float32(0.1), np.float64(2.5), np.int8(-3), np.bool_(True), np.float64("nan"), np.complex64(1j)]
)
leaves = numbers | small_arrays | scalars | st.text(max_size=5) | st.binary(max_size=5)
arguments = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=2),
        st.builds(Point, inner, inner),
        st.builds(Plan, inner),
    ),
    max_leaves=4,
)


def usual(value: Any) -> Any:
    """The value with numpy scalars of usual kinds as plain numbers, which is how they are printed."""
    if isinstance(value, np.generic):
        return value.item() if value.dtype in (np.float64, np.int64, np.complex128, np.bool_) else value
    if isinstance(value, Point):
        return Point(*map(usual, value))
    if isinstance(value, Plan):
        return Plan(usual(value.steps))
    if isinstance(value, list | tuple):
        return type(value)([usual(item) for item in value])
    if isinstance(value, dict):
        return {key: usual(item) for key, item in value.items()}
    return value


@settings(deadline=None, max_examples=150)
@given(st.lists(arguments, max_size=2), st.dictionaries(st.sampled_from(["lr", "seed"]), arguments, max_size=2))
def test_a_printed_call_is_python_that_makes_the_same_call(positional: list[Any], keywords: dict[str, Any]) -> None:
    text = str(Call("f", tuple(positional), keywords))
    assert "\n" not in text
    if "…" not in text:
        assert bits(evaluated(text)) == bits((tuple(map(usual, positional)), usual(keywords)))


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.lists(arguments, max_size=2).map(tuple) | small_arrays, min_size=1, max_size=3),
    st.lists(arguments, max_size=1),
)
def test_a_printed_call_on_ranks_makes_the_same_call(per_rank: list[Any], shared: list[Any]) -> None:
    call = Call("f", tuple(shared), per_rank=tuple(per_rank))
    text = str(call)
    assert "\n" not in text
    if "…" not in text:
        own, shared_again, _ = evaluated(text)
        ranks = range(len(per_rank))
        assert bits([(*own[rank], *shared_again) for rank in ranks]) == bits(
            [usual(call.rank_arguments(rank)) for rank in ranks]
        )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call("f"), "f()"),
        (Call("f", (1, "a"), {"lr": 0.5}), "f(1, 'a', lr=0.5)"),
        (Call("f", (math.nan, -math.inf, complex(math.inf, 0))), "f(np.nan, -np.inf, complex(np.inf, 0.0))"),
        (Call("f", (np.array([1.0, 2.0]),)), "f(np.array([1.0, 2.0]))"),
        (Call("f", (np.array([1, 2], np.int32),)), "f(np.array([1, 2], dtype=np.int32))"),
        (Call("f", (np.zeros((0, 3)),)), "f(np.zeros((0, 3)))"),
        (Call("f", ([np.array([1.0])], {"a": (np.array(2.0),)})), "f([np.array([1.0])], {'a': (np.array(2.0),)})"),
        (Call("f", (Point(1, np.array([2.0])),)), "f(Point(x=1, y=np.array([2.0])))"),
        (Call("f", (wire.Record("Point", ["x", "y"], [1, math.nan]),)), "f(Point(x=1, y=np.nan))"),
        (Call("f", (len, [max], lambda x: x)), "f(len, [max], function)"),
        (Call("f", (True,), per_rank=(np.array([1.0, 2.0]), [3, 4])), "on_ranks(f, [[1.0, 2.0], [3, 4]], True)"),
        (
            Call("f", per_rank=((np.array([1.0]), 2), (np.array([3]), 4))),
            "on_ranks(f, [([1.0], 2), (np.array([3]), 4)])",
        ),
        (Call("f", per_rank=((np.array([1.0]),),)), "on_ranks(f, [([1.0],)])"),
        (Call("f", per_rank=(((np.array([1.0]),),),)), "on_ranks(f, [((np.array([1.0]),),)])"),
        (Call("f", per_rank=(np.array([math.nan]),), keywords={"k": 1}), "on_ranks(f, [[np.nan]], k=1)"),
        (Call("f", per_rank=(1, 2), rendezvous=True), "on_ranks(f, [1, 2])  # where a send waits for its receive"),
        (
            Call("C", (1,), {"k": 2}, steps=(("add", (3,), {}), ("read", (), {}))),
            "it = C(1, k=2); it.add(3); it.read()",
        ),
    ],
)
def test_calls_read_like_python(call: Call, text: str) -> None:
    assert str(call) == text
    compile(text, "call", "exec")


def test_long_arguments_are_cut() -> None:
    text = str(Call("f", (list(range(1000)), np.arange(1000.0))))
    assert len(text) < 900 and "…" in text
    assert "np.array([" in text and "4., 5., ..., 994., 995., 996., 997., 998., 999.]" in text


def test_sequences_are_runnable() -> None:
    class C:
        def __init__(self, start: int) -> None:
            self.value = start

        def add(self, step: int) -> None:
            self.value += step

    names: dict[str, Any] = {"C": C}
    exec(str(Call("C", (1,), steps=(("add", (2,), {}), ("add", (), {"step": 3})))), names)
    assert names["it"].value == 6


# --- values ---


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(2.5), "2.5"),
        ([np.int64(1), (np.float32(0.5),)], "[1, (0.5,)]"),
        (np.array([1.0, 2.0]), "array([1., 2.])"),
        ({"a": np.array([1])}, "{'a': array([1])}"),
        (wire.Record("Point", ["x", "y"], [1, np.float64(2)]), "Point(x=1, y=2.0)"),
        ("\ud800\x1b", "'\\ud800\\x1b'"),
        (1 << 20_000, "an int of 20,001 bits"),
        (-(1 << 20_000), "an int of 20,001 bits"),
        (None, "None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_shown_as_python_prints_them(value: Any, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    "value",
    [list(range(10**6)), "x" * 10**7, {n: n for n in range(10**5)}, np.zeros(10**6), [[0] * 1000] * 1000],
    ids=lambda value: type(value).__name__,
)
def test_a_long_value_is_cut_in_no_time(value: Any) -> None:
    text = show(value, 100)
    assert len(text) <= 100


# --- answers and runs ---


def test_an_answer_knows_what_was_raised() -> None:
    raised = Answer("raised", {"type": "KeyError", "bases": ["KeyError", "LookupError", "Exception"]})
    assert raised.raised(KeyError) and raised.raised(LookupError) and not raised.raised(ValueError)
    assert not Answer("returned", {"bases": ["KeyError"]}).raised(KeyError)
    for bases in (None, 5, "KeyError", {"KeyError": 1}):
        assert not Answer("raised", {"bases": bases}).raised(KeyError)


def test_a_run_adds_up_what_was_sent() -> None:
    traces = [
        [Event("send", 1, 3, 12), Event("send", 2, 2, 16, 7), Event("recv", 1, 5, 40), Event("compute", seconds=1.0)],
        [Event("send", 0, 5, 40), Event("all_reduce", -1, 4, 32), Event("barrier"), Event("split", -1, 2, 16)],
        [],
    ]
    run = Run([None] * 3, traces, ["returned"] * 3, [])
    assert run.size == 3
    assert run.sends == [[(1, 3, 0), (2, 2, 7)], [(0, 5, 0)], []]
    assert (run.messages_per_rank, run.elements_per_rank, run.bytes_per_rank) == ([2, 1, 0], [5, 5, 0], [28, 40, 0])
    assert (run.messages_sent, run.elements_sent, run.bytes_sent) == (3, 10, 68)
    assert run.peers == {0: {1, 2}, 1: {0}, 2: set()}
    assert run.collectives == [[], ["all_reduce", "barrier"], []]
    assert run.collective_elements == [[], [4, 0], []]


# --- rounds ---


def ring(comm: Comm, _: int) -> None:
    """Reduce-scatter and all-gather around a ring."""
    for _step in range(2 * (comm.size - 1)):
        comm.send(0, (comm.rank + 1) % comm.size)
        comm.recv((comm.rank - 1) % comm.size)


def ring_received_first(comm: Comm, _: int) -> None:
    """The same with requests that are posted before sending."""
    for _step in range(2 * (comm.size - 1)):
        request = comm.irecv((comm.rank - 1) % comm.size)
        comm.send(0, (comm.rank + 1) % comm.size)
        request.wait()


def up_tree(comm: Comm) -> None:
    distance = 1
    while distance < comm.size:
        if comm.rank % (2 * distance):
            comm.send(0, comm.rank - distance)
            return
        if comm.rank + distance < comm.size:
            comm.recv(comm.rank + distance)
        distance *= 2


def down_tree(comm: Comm) -> None:
    distance = 1 << (comm.size - 1).bit_length() >> 1
    while distance:
        if comm.rank % (2 * distance) == 0 and comm.rank + distance < comm.size:
            comm.send(0, comm.rank + distance)
        elif comm.rank % (2 * distance) == distance:
            comm.recv(comm.rank - distance)
        distance //= 2


def tree(comm: Comm, _: int) -> None:
    up_tree(comm)
    down_tree(comm)


def only_down(comm: Comm, _: int) -> None:
    down_tree(comm)


def star_in(comm: Comm, _: int) -> None:
    if comm.rank:
        comm.send(0, 0)
    else:
        for rank in range(1, comm.size):
            comm.recv(rank)


def star_out(comm: Comm, _: int) -> None:
    if comm.rank:
        comm.recv(0)
    else:
        for rank in range(1, comm.size):
            comm.send(0, rank)


def all_pairs(comm: Comm, _: int) -> None:
    """At step s everyone sends to the rank s further on."""
    for step in range(1, comm.size):
        comm.sendrecv(0, (comm.rank + step) % comm.size, (comm.rank - step) % comm.size)


def doubling(comm: Comm, _: int) -> None:
    for bit in range((comm.size - 1).bit_length()):
        comm.sendrecv(0, comm.rank ^ (1 << bit), comm.rank ^ (1 << bit))


def chain(comm: Comm, _: int) -> None:
    if comm.rank:
        comm.recv(comm.rank - 1)
    if comm.rank + 1 < comm.size:
        comm.send(0, comm.rank + 1)


def in_a_group(comm: Comm, _: int) -> None:
    """Two rings of half the ranks, side by side."""
    ring(comm.split(comm.rank % 2), 0)


def without_messages(comm: Comm, _: int) -> None:
    comm.barrier()
    comm.compute(1.0)
    comm.all_reduce(1.0)


ROUNDS: list[tuple[Callable[[Comm, int], None], Callable[[int], int], tuple[int, ...]]] = [
    (ring, lambda p: 2 * (p - 1), (1, 2, 3, 5, 8)),
    (ring_received_first, lambda p: 2 * (p - 1), (1, 2, 3, 5, 8)),
    (tree, lambda p: 2 * math.ceil(math.log2(p)), (1, 2, 3, 4, 5, 6, 7, 8, 9, 16)),
    (only_down, lambda p: math.ceil(math.log2(p)), (1, 2, 3, 5, 8, 9)),
    (star_in, lambda p: p - 1, (1, 2, 5, 8)),
    (star_out, lambda p: p - 1, (1, 2, 5, 8)),
    (all_pairs, lambda p: p - 1, (1, 2, 5, 8)),
    (doubling, lambda p: p.bit_length() - 1, (1, 2, 4, 8, 16)),
    (chain, lambda p: p - 1, (1, 2, 5, 8)),
    (in_a_group, lambda p: 2 * (p // 2 - 1), (2, 4, 8)),
    (without_messages, lambda p: 0, (1, 4)),
]


@pytest.mark.parametrize(
    ("schedule", "rounds", "p"), [(schedule, rounds, p) for schedule, rounds, sizes in ROUNDS for p in sizes]
)
def test_schedules_take_their_rounds(
    schedule: Callable[[Comm, int], None], rounds: Callable[[int], int], p: int
) -> None:
    ran = run_on_threads(schedule, [0] * p)
    assert not ran.errors and not ran.unreceived
    assert schedule_rounds(ran.traces) == rounds(p)


@pytest.mark.parametrize("schedule", [tree, all_pairs, star_in])
def test_rounds_depend_on_no_timing(schedule: Callable[[Comm, int], None]) -> None:
    assert len({schedule_rounds(run_on_threads(schedule, [0] * 8).traces) for _ in range(5)}) == 1


def test_rounds_of_a_run_that_broke_off_are_those_of_what_happened() -> None:
    traces = [[Event("send", 1), Event("send", 1)], [Event("recv", 0)]]
    assert schedule_rounds(traces) == 2
    assert schedule_rounds([[Event("recv", 1)], []]) == 0
    assert schedule_rounds([]) == 0
