"""The solutions of lesson 6, against published values and against other ways to compute the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from grader.judge.calls import schedule_rounds
from grader.worker.threads import ThreadRun, on_ranks, run_on_threads
from tests.support import load_solution

lesson = load_solution("lesson06_collectives")

MIB = 2**20
FIVE_MICROSECONDS, FIFTY_GB_PER_S = 5e-6, 1 / 50e9


def run(function: Callable[..., Any], per_rank: Sequence[Any], **keywords: Any) -> ThreadRun:
    """A run in which every rank returned."""
    ran = run_on_threads(function, per_rank, (), keywords)
    assert not ran.errors
    assert not ran.unreceived
    return ran


def sent(ran: ThreadRun) -> list[int]:
    """Elements that each rank sent."""
    return [sum(event.elements for event in trace if event.kind == "send") for trace in ran.traces]


def counting(p: int, n: int) -> list[NDArray[np.float64]]:
    """Buffers whose sums are exact."""
    return [np.arange(n, dtype=np.float64) + 10.0 * rank for rank in range(p)]


# --- cost ---


def test_bus_bandwidth_of_a_published_nccl_tests_run() -> None:
    """33,554,432 B in 195.40 µs on 8 GPUs: 171.72 and 300.51 GB/s (kvcache-ai/Mooncake, pull request 3484)."""
    found = lesson.bus_bandwidth("all_reduce", 33_554_432, 195.40e-6, 8)
    assert found.algbw / 1e9 == pytest.approx(171.72, abs=0.005)
    assert found.busbw / 1e9 == pytest.approx(300.51, abs=0.005)


@pytest.mark.parametrize("p", [2, 4, 5, 8])
@pytest.mark.parametrize("op", ["reduce_scatter", "all_gather", "all_reduce"])
def test_bus_bandwidth_counts_what_a_ring_rank_sends(op: str, p: int) -> None:
    """The factor is the share of the full tensor that each rank really sends."""
    function = lesson.ring_all_reduce if op == "all_reduce" else getattr(lesson, op)
    n = 6 * p
    per_rank = counting(p, n // p if op == "all_gather" else n)
    found = lesson.bus_bandwidth(op, n, 1.0, p)
    assert [found.busbw] * p == pytest.approx(sent(run(function, per_rank)))


@pytest.mark.parametrize(
    ("size", "algorithm", "seconds"),
    [
        (10**9, "ring", 35.07e-3),
        (10**9, "rabenseifner", 35.03e-3),
        (10**9, "recursive_doubling", 60.015e-3),
        (10**9, "tree", 120.03e-3),
        (10**3, "ring", 70.035e-6),
        (10**3, "rabenseifner", 30.035e-6),
        (10**3, "recursive_doubling", 15.06e-6),
        (10**3, "tree", 30.12e-6),
    ],
)
def test_collective_time_on_eight_ranks(size: int, algorithm: str, seconds: float) -> None:
    """Recomputed from the formulas of Thakur et al. with 5 µs and 50 GB/s."""
    found = lesson.collective_time("all_reduce", algorithm, 8, size, FIVE_MICROSECONDS, FIFTY_GB_PER_S)
    assert found == pytest.approx(seconds, rel=1e-9)


def test_ring_and_recursive_doubling_cross_at_2_2_megabytes() -> None:
    """With 8 ranks, 5 µs and 50 GB/s both take equally long at 2.2 MB."""
    ring, doubling = (
        lesson.collective_time("all_reduce", name, 8, 2_200_000, FIVE_MICROSECONDS, FIFTY_GB_PER_S)
        for name in ("ring", "recursive_doubling")
    )
    assert ring == pytest.approx(doubling, rel=1e-9)


@pytest.mark.parametrize(
    ("op", "algorithm", "function"),
    [
        ("all_reduce", "ring", "ring_all_reduce"),
        ("all_reduce", "rabenseifner", "halving_doubling_all_reduce"),
        ("reduce_scatter", "ring", "reduce_scatter"),
        ("all_gather", "ring", "all_gather"),
    ],
)
@pytest.mark.parametrize("p", [1, 2, 4, 8])
def test_collective_time_prices_the_messages_that_are_sent(op: str, algorithm: str, function: str, p: int) -> None:
    """In these algorithms every rank sends one message a round, so the times of its messages add up."""
    n, alpha, beta = 3 * p, 7.0, 0.5
    ran = run(getattr(lesson, function), counting(p, 3 if op == "all_gather" else n))
    sends = [event for event in ran.traces[0] if event.kind == "send"]
    expected = sum(alpha + event.elements * beta for event in sends)
    assert lesson.collective_time(op, algorithm, p, n, alpha, beta) == pytest.approx(expected)


@pytest.mark.parametrize("p", [2, 3, 5, 6, 8])
def test_collective_time_of_a_tree_is_that_of_its_rounds(p: int) -> None:
    """Every round of the tree moves whole buffers."""
    ran = run(lesson.tree_all_reduce, counting(p, 4))
    expected = schedule_rounds(ran.traces) * (7.0 + 4 * 0.5)
    assert lesson.collective_time("all_reduce", "tree", p, 4, 7.0, 0.5) == pytest.approx(expected)


def test_no_all_reduce_beats_the_bandwidth_bound() -> None:
    """Patarasuk and Yuan: no rank gets by with sending less than 2(p-1)/p of the buffer."""
    for p, size in itertools.product((2, 4, 16, 64), (0, 1000, 10**9)):
        bound = 2 * (p - 1) / p * size * FIFTY_GB_PER_S
        for algorithm in ("ring", "rabenseifner", "recursive_doubling", "tree"):
            seconds = lesson.collective_time("all_reduce", algorithm, p, size, 0.0, FIFTY_GB_PER_S)
            assert seconds >= bound * (1 - 1e-12)


def test_all_to_all_pays_each_pair() -> None:
    """4 ranks, 1000 bytes each: three rounds of 250 bytes."""
    assert lesson.collective_time("all_to_all", "pairwise", 4, 1000, 2.0, 0.25) == 3 * (2.0 + 250 * 0.25)


@pytest.mark.parametrize("seed", range(20))
def test_fit_equals_weighted_lstsq(seed: int) -> None:
    """numpy's least squares with rows divided by the time, on medians taken by hand."""
    rng = np.random.default_rng(seed)
    tensors = np.array([1e3, 4e3, 2e4, 1e5, 7e5])
    runs = (2e-5 + tensors * 1e-9) * rng.uniform(0.9, 1.1, (3, 5))
    times = np.sort(runs, axis=0)[1]
    scale = np.array([1.0, 1e6])
    rows = np.column_stack([np.ones(5), tensors / scale[1]]) / times[:, None]
    expected = np.linalg.lstsq(rows, np.ones(5), rcond=None)[0] / scale
    found = lesson.fit_alpha_beta([int(t) for t in tensors] * 3, list(runs.ravel()))
    assert found == pytest.approx(tuple(expected), rel=1e-6)


def test_fit_recovers_what_collective_time_predicts() -> None:
    """Times of a ring on 8 ranks give 14 latencies and 1.75 times beta."""
    tensors = [2**k for k in range(10, 24)]
    times = [lesson.collective_time("all_reduce", "ring", 8, n, 5e-6, FIFTY_GB_PER_S) for n in tensors]
    found = lesson.fit_alpha_beta(tensors, times)
    assert found == pytest.approx((14 * 5e-6, 1.75 * FIFTY_GB_PER_S), rel=1e-6)


def test_fit_with_a_negative_minimum_is_refitted() -> None:
    """Sizes 1, 2, 4 and times 1, 4, 8: the plain minimum has alpha < 0, so beta = (sum of s/t) / (sum of (s/t)^2)."""
    found = lesson.fit_alpha_beta([1, 2, 4], [1.0, 4.0, 8.0], max_error=1.0)
    assert found == pytest.approx((0.0, (1 + 0.5 + 0.5) / (1 + 0.25 + 0.25)))


# --- collectives on ranks ---


@pytest.mark.parametrize("p", range(1, 10))
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, 13])
def test_all_reduces_agree_with_the_sum(p: int, n: int) -> None:
    """Ring, tree and (for powers of two) halving and doubling: exact sums, and 2(p-1)n elements sent in all."""
    buffers = counting(p, n)
    functions = [lesson.ring_all_reduce, lesson.tree_all_reduce]
    if p & (p - 1) == 0:
        functions.append(lesson.halving_doubling_all_reduce)
    for function in functions:
        ran = run(function, buffers)
        assert all(np.array_equal(result, sum(buffers)) for result in ran.results)
        assert sum(sent(ran)) == 2 * (p - 1) * n


def test_ring_on_four_ranks_with_ten_elements() -> None:
    """The case of the lesson's notes: results 60, 64, ..., 96 and 15, 16, 15, 14 elements sent."""
    ran = run(lesson.ring_all_reduce, counting(4, 10))
    assert all(np.array_equal(result, np.arange(60.0, 100.0, 4.0)) for result in ran.results)
    assert sent(ran) == [15, 16, 15, 14]


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_all_gather_after_reduce_scatter_is_an_all_reduce(p: int) -> None:
    """The two halves fit each other, and send what the ring sends."""
    buffers = counting(p, 11)
    scattered = run(lesson.reduce_scatter, buffers)
    gathered = run(lesson.all_gather, scattered.results)
    ring = run(lesson.ring_all_reduce, buffers)
    assert all(map(np.array_equal, gathered.results, ring.results))
    assert [a + b for a, b in zip(sent(scattered), sent(gathered), strict=True)] == sent(ring)


def test_ring_average_divides_once() -> None:
    """The mean of three ranks."""
    buffers = counting(3, 7)
    for result in on_ranks(lesson.ring_all_reduce, buffers, average=True):
        np.testing.assert_allclose(result, np.mean(buffers, axis=0), rtol=1e-15)


@pytest.mark.parametrize(("p", "rounds"), [(1, 0), (2, 2), (3, 4), (5, 6), (8, 6), (12, 8)])
def test_rounds_of_a_tree(p: int, rounds: int) -> None:
    """2 ceil(log2 p) rounds, and one message up from every rank but the root."""
    ran = run(lesson.tree_all_reduce, counting(p, 3))
    assert schedule_rounds(ran.traces) == rounds
    upward = [sum(e.kind == "send" and e.peer < rank for e in trace) for rank, trace in enumerate(ran.traces)]
    assert upward == [0] + [1] * (p - 1)


def test_halving_and_doubling_of_nine_elements_on_four_ranks() -> None:
    """Uneven chunks: 14, 14, 13 and 13 elements; with eight, 12 each, the bandwidth bound."""
    assert sent(run(lesson.halving_doubling_all_reduce, counting(4, 9))) == [14, 14, 13, 13]
    ran = run(lesson.halving_doubling_all_reduce, counting(4, 8))
    assert sent(ran) == [12] * 4
    assert schedule_rounds(ran.traces) == 4


@pytest.mark.parametrize("name", ["ring_all_reduce", "tree_all_reduce", "halving_doubling_all_reduce"])
def test_all_ranks_have_the_same_bits(name: str) -> None:
    """Where rounding matters, replicas must not drift apart."""
    results = on_ranks(getattr(lesson, name), list(np.random.default_rng(0).standard_normal((8, 33))))
    assert all(np.array_equal(result, results[0]) for result in results)


# --- buckets and overlap ---


def test_buckets_with_the_limits_of_pytorch() -> None:
    """Limits of 1 and 25 MiB, as in torch/csrc/distributed/c10d/reducer.hpp."""
    tensors = [int(mib * MIB) for mib in (10, 10, 10, 4, 0.5, 0.75)]
    assert lesson.assign_buckets(tensors) == [[5, 4], [3, 2, 1, 0]]
    assert lesson.assign_buckets([30 * MIB, MIB]) == [[1], [0]]
    assert lesson.assign_buckets([]) == []


def test_buckets_do_not_depend_on_the_unit() -> None:
    """Sizes and limits in other units make the same buckets; without a limit there are two."""
    tensors = [7, 3, 9, 1, 4, 4, 12]
    plain = lesson.assign_buckets(tensors, cap=10, first_cap=3)
    assert lesson.assign_buckets([8 * n for n in tensors], cap=80, first_cap=24) == plain
    assert lesson.assign_buckets(tensors, cap=10**9, first_cap=1) == [[6], [5, 4, 3, 2, 1, 0]]


@pytest.mark.parametrize(
    ("backward", "communication", "total", "exposed"),
    [
        ([1, 2, 3], [2, 2, 2], 8, 2),
        ([3, 3, 3], [1, 1, 1], 10, 1),
        ([1, 1, 1], [3, 3, 3], 10, 7),
        ([4, 4, 4, 4], [3, 3, 3, 3], 19, 3),
        ([9], [6], 15, 6),
        ([], [], 0, 0),
    ],
)
def test_overlap_of_hand_drawn_steps(
    backward: list[float], communication: list[float], total: float, exposed: float
) -> None:
    """Totals drawn on paper."""
    line = lesson.overlap_step(backward, communication)
    assert (line.backward_end, line.total, line.exposed) == (sum(backward), total, exposed)


def latest_path(backward: Sequence[float], communication: Sequence[float]) -> float:
    """The longest chain: compute up to some bucket, then reduce it and all after it."""
    chains = [sum(backward[: i + 1]) + sum(communication[i:]) for i in range(len(backward))]
    return max([0.0, *chains])


@pytest.mark.parametrize("seed", range(30))
def test_overlap_is_the_longest_chain(seed: int) -> None:
    """Another formula for the same total; merging two buckets never shortens it when latency is free."""
    rng = np.random.default_rng(seed)
    backward, communication = ([float(x) for x in rng.integers(0, 9, 5)] for _ in range(2))
    total = lesson.overlap_step(backward, communication).total
    assert total == latest_path(backward, communication)
    for i in range(4):
        merged = [[*t[:i], t[i] + t[i + 1], *t[i + 2 :]] for t in (backward, communication)]
        assert lesson.overlap_step(*merged).total >= total


@pytest.mark.parametrize("seed", range(20))
def test_best_bucket_cap_by_exhaustion(seed: int) -> None:
    """Every limit tried, with the longest chain in place of the timeline."""
    rng = np.random.default_rng(seed)
    tensors, backward = [int(n) for n in rng.integers(1, 20, 6)], [float(s) for s in rng.integers(0, 9, 6)]
    caps = [int(n) for n in rng.integers(1, 60, 5)]

    def assign(sizes: list[int], cap: int) -> list[list[int]]:
        buckets: list[list[int]] = lesson.assign_buckets(sizes, cap=cap, first_cap=cap)
        return buckets

    def price(cap: int) -> float:
        buckets = assign(tensors, cap)
        return latest_path(
            [sum(backward[i] for i in bucket) for bucket in buckets],
            [2.0 + sum(tensors[i] for i in bucket) / 4 for bucket in buckets],
        )

    found = lesson.best_bucket_cap(
        tensors,
        backward,
        caps,
        assign=assign,
        comm_seconds=lambda nbytes: 2.0 + nbytes / 4,
        step_seconds=lambda compute, comm: lesson.overlap_step(compute, comm).total,
    )
    assert found == min(caps, key=lambda cap: (price(cap), cap))


# --- data parallelism ---


def regression(n: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Samples, targets and parameters."""
    rng = np.random.default_rng(6)
    return rng.standard_normal((n, d)), rng.standard_normal(n), rng.standard_normal(d)


@pytest.mark.parametrize("accum", [1, 3, 8, 100])
@pytest.mark.parametrize("cuts", [(), (32,), (16, 32, 48), (1, 5, 5, 60), (64,)])
def test_ddp_step_does_not_depend_on_the_shards(cuts: tuple[int, ...], accum: int) -> None:
    """64 samples on one to five ranks, one of them empty: the same step to 1e-12."""
    x, y, params = regression(64, 3)
    shards = list(zip(np.split(x, cuts), np.split(y, cuts), strict=True))
    grad = 2 * x.T @ (x @ params - y) / 64
    for step in on_ranks(lesson.ddp_step, shards, params, 0.1, accum=accum):
        np.testing.assert_allclose(step.grad, grad, rtol=1e-12)
        np.testing.assert_allclose(step.params, params - 0.1 * grad, rtol=1e-12)


def test_ddp_gradient_by_finite_differences() -> None:
    """The derivative of the mean squared error over all ranks' samples."""
    x, y, params = regression(10, 3)
    shards = [(x[:7], y[:7]), (x[7:], y[7:])]
    grad = on_ranks(lesson.ddp_step, shards, params, 0.1)[0].grad
    for i, unit in enumerate(np.eye(3) * 1e-6):
        up, down = (np.mean((x @ (params + sign * unit) - y) ** 2) for sign in (1, -1))
        assert grad[i] == pytest.approx((up - down) / 2e-6, rel=1e-6)


def test_plain_mean_of_ranks_differs_where_shards_do() -> None:
    """Sample gradients 1, 2, 3 on one rank and 10 on the other: 6 by rank, 4 by sample."""
    shards = [(np.ones((3, 1)), np.array([-0.5, -1.0, -1.5])), (np.ones((1, 1)), np.array([-5.0]))]
    for weighting, mean in (("rank", 6.0), ("sample", 4.0)):
        for step in on_ranks(lesson.ddp_step, shards, np.zeros(1), 1.0, weighting=weighting):
            assert step.grad == pytest.approx([mean])


def test_clipping_keeps_the_direction() -> None:
    """A long gradient is cut to max_norm, a short one is left alone."""
    x, y, params = regression(12, 4)
    shards = [(x[:4], y[:4]), (x[4:], y[4:])]
    grad = on_ranks(lesson.ddp_step, shards, params, 0.1)[0].grad
    norm = float(np.linalg.norm(grad))
    clipped = on_ranks(lesson.ddp_step, shards, params, 0.1, max_norm=norm / 3)[1].grad
    np.testing.assert_allclose(clipped, grad / 3, rtol=1e-12)
    np.testing.assert_array_equal(on_ranks(lesson.ddp_step, shards, params, 0.1, max_norm=2 * norm)[0].grad, grad)


def test_a_step_without_samples_is_refused_everywhere() -> None:
    """No rank waits for another for ever."""
    ran = run_on_threads(lesson.ddp_step, [(np.ones((0, 2)), np.ones(0))] * 3, (np.ones(2), 0.1), {})
    assert [type(ran.errors[rank]) for rank in range(3)] == [ValueError] * 3


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, 0.0])
def test_numbers_out_of_range_are_refused(bad: float) -> None:
    """Not finite, negative, or zero where there must be something."""
    with pytest.raises(ValueError, match="seconds"):
        lesson.bus_bandwidth("all_reduce", 1, bad, 2)
    with pytest.raises(ValueError, match="max_error"):
        lesson.fit_alpha_beta([1, 2, 3], [1.0, 2.0, 3.0], max_error=bad)
