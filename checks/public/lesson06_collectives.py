"""Public checks of lesson 6: collectives, their cost, buckets and overlap, and a data-parallel step."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import buffers_for_ranks, check, expect, patterned, positive, rank_counts, sizes

MIB = 2**20


def shards(lengths, features, seed):
    """Samples and targets for each rank, and parameters, all small integers."""
    xs = [patterned(n * features, seed + rank).reshape(n, features) for rank, n in enumerate(lengths)]
    ys = [patterned(n, seed + 50 + rank) for rank, n in enumerate(lengths)]
    return list(zip(xs, ys, strict=True)), patterned(features, seed + 100)


def one_process(parts, params):
    """The gradient of one process that has every rank's samples."""
    x, y = np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])
    return 2 * x.T @ (x @ params - y) / len(y)


# --- bus_bandwidth ---


@check("bus_bandwidth", points=2)
def test_a_published_run_is_reproduced(student):
    """An all-reduce of 33,554,432 bytes on 8 GPUs in 195.40 µs has 171.72 and 300.51 GB/s, as published.

    With two ranks both bandwidths are equal.
    """
    algbw, busbw = student.bus_bandwidth("all_reduce", 33_554_432, 195.40e-6, 8)
    expect(algbw / 1e9, "algorithm bandwidth in GB/s").close(171.72, rel=1e-4)
    expect(busbw / 1e9, "bus bandwidth in GB/s").close(300.51, rel=1e-4)
    algbw, busbw = student.bus_bandwidth("all_reduce", 4096, 1e-5, 2)
    expect(busbw, "bus bandwidth of two ranks").close(algbw)


@check("bus_bandwidth", points=1)
@given(ranks=rank_counts(2, 64), size=sizes(1, 10**6), seconds=positive(1e-6, 10.0))
def test_all_reduce_counts_as_reduce_scatter_and_all_gather(student, ranks, size, seconds):
    """The bus bandwidth of an all-reduce is that of a reduce-scatter plus that of an all-gather of equal size and time.

    A broadcast's is its algorithm bandwidth.
    """
    reduce_scatter, all_gather, all_reduce, all_to_all, broadcast = (
        student.bus_bandwidth(op, size, seconds, ranks)[1]
        for op in ("reduce_scatter", "all_gather", "all_reduce", "all_to_all", "broadcast")
    )
    expect(all_reduce, "bus bandwidth of all_reduce").close(reduce_scatter + all_gather)
    expect(all_to_all, "bus bandwidth of all_to_all").close(all_gather)
    expect(broadcast, "bus bandwidth of broadcast").close(size / seconds)


@check("bus_bandwidth", points=1)
def test_impossible_measurements_are_refused(student):
    """One rank, no bytes, no time, a bool for an int and an unknown operation raise ValueError."""
    student.bus_bandwidth.must_raise(ValueError, "all_reduce", 1000, 0.5, 1)
    student.bus_bandwidth.must_raise(ValueError, "all_reduce", 0, 0.5, 4)
    student.bus_bandwidth.must_raise(ValueError, "all_reduce", 1000, 0.0, 4)
    student.bus_bandwidth.must_raise(ValueError, "all_reduce", 1000, float("nan"), 4)
    student.bus_bandwidth.must_raise(ValueError, "all_reduce", True, 0.5, 4)
    student.bus_bandwidth.must_raise(ValueError, "gather", 1000, 0.5, 4)


# --- collective_time ---


@check("collective_time", points=2)
def test_eight_ranks_at_five_microseconds_and_fifty_gigabytes(student):
    """With p = 8, 5 µs and 50 GB/s, the all-reduces of a gigabyte take 35.07, 35.03, 60.015 and 120.03 ms.

    Those of a kilobyte take 70.035, 30.035, 15.06 and 30.12 µs.
    """
    algorithms = ("ring", "rabenseifner", "recursive_doubling", "tree")
    for size, expected in (
        (10**9, (35.07e-3, 35.03e-3, 60.015e-3, 120.03e-3)),
        (10**3, (70.035e-6, 30.035e-6, 15.06e-6, 30.12e-6)),
    ):
        for algorithm, seconds in zip(algorithms, expected, strict=True):
            found = student.collective_time("all_reduce", algorithm, 8, size, 5e-6, 1 / 50e9)
            expect(found, f"seconds of {algorithm}").close(seconds, rel=1e-9)


@check("collective_time", points=2)
@given(
    ranks=rank_counts(1, 64),
    size=sizes(0, 10**6),
    alpha=positive(1e-6, 1.0),
    beta=positive(1e-9, 1.0),
    gamma=positive(1e-9, 1.0),
)
def test_a_ring_all_reduce_is_a_reduce_scatter_and_an_all_gather(student, ranks, size, alpha, beta, gamma):
    """A ring all-reduce takes as long as a ring reduce-scatter and a ring all-gather.

    A pairwise all-to-all takes as long as the all-gather; neither adds anything.
    """
    reduce_scatter = student.collective_time("reduce_scatter", "ring", ranks, size, alpha, beta, gamma)
    all_gather = student.collective_time("all_gather", "ring", ranks, size, alpha, beta, gamma)
    all_reduce = student.collective_time("all_reduce", "ring", ranks, size, alpha, beta, gamma)
    all_to_all = student.collective_time("all_to_all", "pairwise", ranks, size, alpha, beta, gamma)
    expect(all_reduce, "seconds of the all-reduce").close(reduce_scatter + all_gather)
    expect(all_to_all, "seconds of the all-to-all").close(all_gather)
    expect(all_gather, "seconds of the all-gather").close(
        student.collective_time("all_gather", "ring", ranks, size, alpha, beta)
    )


@check("collective_time", points=1)
def test_what_the_model_does_not_cover_is_refused(student):
    """Unlisted pairs, six ranks where it takes a power of two, and arguments out of range raise ValueError."""
    student.collective_time.must_raise(ValueError, "all_gather", "tree", 8, 100, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "broadcast", "tree", 8, 100, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "rabenseifner", 6, 100, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "recursive_doubling", 6, 100, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "ring", 0, 100, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "ring", 4, -1, 1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "ring", 4, 100, -1.0, 1.0)
    student.collective_time.must_raise(ValueError, "all_reduce", "ring", 4, 100, 1.0, float("inf"))
    student.collective_time.must_raise(ValueError, "all_reduce", "ring", True, 100, 1.0, 1.0)


# --- fit_alpha_beta ---


@check("fit_alpha_beta", points=2)
@given(
    alpha=positive(1e-6, 1e-4),
    beta=positive(1e-11, 1e-9),
    points=st.integers(3, 8),
    stalls=st.integers(2, 100),
    backwards=st.booleans(),
)
def test_a_line_is_found_in_spite_of_a_stalled_run(student, alpha, beta, points, stalls, backwards):
    """From exact times of each size, measured three times with one run stalled, alpha and beta come back."""
    clean = [(2**k * 1000, alpha + beta * 2**k * 1000) for k in range(points)]
    runs = [(size, seconds * factor) for size, seconds in clean for factor in (1, stalls, 1)]
    runs = runs[::-1] if backwards else runs
    alpha_found, beta_found = student.fit_alpha_beta([size for size, _ in runs], [seconds for _, seconds in runs])
    expect(alpha_found, "alpha").close(alpha, rel=1e-5)
    expect(beta_found, "beta").close(beta, rel=1e-5)


@check("fit_alpha_beta", points=2)
@given(
    alpha=positive(1e-5, 1e-4),
    beta=positive(1e-10, 1e-9),
    small=st.integers(1, 3),
    factor=st.sampled_from([0.05, 0.2, 8.0, 50.0]),
)
def test_small_messages_of_another_regime_are_left_out(student, alpha, beta, small, factor):
    """Where the smallest sizes are far off the line of the large ones, the line of the large ones comes back."""
    sizes_ = [1000 * 4**k for k in range(small + 5)]
    times = [(alpha + beta * size) * (factor if k < small else 1) for k, size in enumerate(sizes_)]
    alpha_found, beta_found = student.fit_alpha_beta(sizes_, times)
    expect(alpha_found, "alpha").close(alpha, rel=1e-5)
    expect(beta_found, "beta").close(beta, rel=1e-5)


@check("fit_alpha_beta", points=1)
@given(seed=st.integers(0, 1000), points=st.integers(3, 9))
def test_no_other_line_has_smaller_relative_errors(student, seed, points):
    """With noise of ten per cent, no line near the returned one has a smaller sum of squared relative errors."""
    rng = np.random.default_rng(seed)
    sizes_ = 1000.0 * 3 ** np.arange(points)
    times = (2e-5 + 1e-9 * sizes_) * rng.uniform(0.95, 1.05, points)
    alpha_found, beta_found = student.fit_alpha_beta(
        [int(size) for size in sizes_], [float(seconds) for seconds in times]
    )

    def error(alpha, beta):
        return float(np.sum(((alpha + beta * sizes_) / times - 1) ** 2))

    least = error(alpha_found, beta_found)
    others = [error(alpha_found * a, beta_found * b) for a, b in ((1.001, 1), (0.999, 1), (1, 1.001), (1, 0.999))]
    expect(min(others) >= least, "the sum of squared relative errors").is_true("is least at the returned line")


@check("fit_alpha_beta", points=1)
def test_what_determines_no_line_is_refused(student):
    """Two sizes, three that lie on no line, unequal lists, and sizes or times out of range raise ValueError."""
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 2], [1.0, 2.0, 2.0])
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 3], [1.0, 100.0, 1.0])
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 3], [1.0, 2.0])
    student.fit_alpha_beta.must_raise(ValueError, [0, 1, 2], [1.0, 2.0, 3.0])
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 3], [1.0, 0.0, 3.0])
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 3], [1.0, float("nan"), 3.0])
    student.fit_alpha_beta.must_raise(ValueError, [1, 2, 3], [1.0, 2.0, 3.0], max_error=0.0)


# --- reduce_scatter ---


@check("reduce_scatter", points=2, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=6, max_length=40))
def test_each_rank_ends_with_the_next_chunk_of_the_sum(student, buffers):
    """Rank r returns chunk (r + 1) mod p of the sum, cut as numpy.array_split cuts it."""
    run = student.reduce_scatter.on_ranks(buffers)
    chunks = np.array_split(sum(buffers), len(buffers))
    expect(run.results, "what each rank returned").equal(chunks[1:] + chunks[:1])


@check("reduce_scatter", points=2, examples=20)
@given(buffers=buffers_for_ranks(min_ranks=2, max_ranks=8, max_length=40))
def test_a_chunk_goes_to_the_right_neighbour_at_every_step(student, buffers):
    """Each rank sends p-1 messages, all to its right neighbour, and all ranks together send (p-1)n elements."""
    run = student.reduce_scatter.on_ranks(buffers)
    p, n = len(buffers), len(buffers[0])
    expect(run.peers, "ranks that each rank sent to").equal({rank: {(rank + 1) % p} for rank in range(p)})
    expect(run.messages_per_rank, "messages sent by each rank").equal([p - 1] * p)
    expect(run.elements_sent, "elements sent by all ranks").equal((p - 1) * n)


@check("reduce_scatter", points=1, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=4, max_length=8))
def test_reduce_scatter_leaves_the_buffer_as_it_was(student, buffers):
    """The buffer that was passed is the same after the call, on every rank."""
    student.reduce_scatter.on_ranks_keeps_arguments(buffers)


# --- all_gather ---


@check("all_gather", points=2, examples=20)
@given(ranks=rank_counts(1, 8), longest=st.integers(0, 6), seed=st.integers(0, 1000))
def test_every_rank_ends_with_all_chunks_in_order(student, ranks, longest, seed):
    """Where rank r brings chunk (r + 1) mod p, every rank returns chunks 0 to p-1 in order, whatever their lengths."""
    chunks = [patterned((seed + 3 * index) % (longest + 1), seed + index) for index in range(ranks)]
    run = student.all_gather.on_ranks(chunks[1:] + chunks[:1])
    expect(run.results, "what each rank returned").all_equal(np.concatenate(chunks))


@check("all_gather", points=2, examples=20)
@given(ranks=rank_counts(2, 8), longest=st.integers(0, 6), seed=st.integers(0, 1000))
def test_each_chunk_is_sent_on_once_by_all_but_one(student, ranks, longest, seed):
    """Each rank sends p-1 messages, all to its right neighbour, and every chunk is sent p-1 times in all."""
    chunks = [patterned((seed + 3 * index) % (longest + 1), seed + index) for index in range(ranks)]
    run = student.all_gather.on_ranks(chunks[1:] + chunks[:1])
    expect(run.peers, "ranks that each rank sent to").equal({rank: {(rank + 1) % ranks} for rank in range(ranks)})
    expect(run.messages_per_rank, "messages sent by each rank").equal([ranks - 1] * ranks)
    expect(run.elements_sent, "elements sent by all ranks").equal((ranks - 1) * sum(map(len, chunks)))


# --- ring_all_reduce ---


@check("ring_all_reduce", points=3, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=6, max_length=40))
def test_every_rank_ends_with_the_sum(student, buffers):
    """Every rank ends with the element-wise sum, also when the length does not divide by the number of ranks."""
    run = student.ring_all_reduce.on_ranks(buffers)
    expect(run.results, "what each rank returned").all_equal(sum(buffers))


@check("ring_all_reduce", points=3, outcome="6b", examples=20)
@given(buffers=buffers_for_ranks(min_ranks=2, max_ranks=8, max_length=40))
def test_each_rank_sends_what_a_ring_sends(student, buffers):
    """Each rank talks to its right neighbour only, 2(p-1) times, and all ranks together send 2(p-1)n elements."""
    run = student.ring_all_reduce.on_ranks(buffers)
    p, n = len(buffers), len(buffers[0])
    expect(run.peers, "ranks that each rank sent to").equal({rank: {(rank + 1) % p} for rank in range(p)})
    expect(run.messages_per_rank, "messages sent by each rank").equal([2 * (p - 1)] * p)
    expect(run.elements_sent, "elements sent by all ranks").equal(2 * (p - 1) * n)


@check("ring_all_reduce", points=1, examples=15)
@given(buffers=buffers_for_ranks(max_ranks=5, max_length=12))
def test_average_is_the_mean(student, buffers):
    """With average=True every rank ends with the element-wise mean."""
    run = student.ring_all_reduce.on_ranks(buffers, average=True)
    expect(run.results, "what each rank returned").all_close(sum(buffers) / len(buffers))


# --- tree_all_reduce ---


@check("tree_all_reduce", points=3, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=8, max_length=20))
def test_the_tree_gives_every_rank_the_sum(student, buffers):
    """Every rank ends with the element-wise sum, for every number of ranks."""
    run = student.tree_all_reduce.on_ranks(buffers)
    expect(run.results, "what each rank returned").all_equal(sum(buffers))


@check("tree_all_reduce", points=3, outcome="6b", examples=20)
@given(buffers=buffers_for_ranks(min_ranks=2, max_ranks=8, max_length=20))
def test_a_tree_takes_logarithmically_many_rounds(student, buffers):
    """All takes 2 ceil(log2 p) rounds, and each rank but 0 sends one message to a lower rank.

    In all, 2(p-1) messages of n elements are sent.
    """
    run = student.tree_all_reduce.on_ranks(buffers)
    p, n = len(buffers), len(buffers[0])
    upward = [sum(dest < rank for dest, _, _ in sends) for rank, sends in enumerate(run.sends)]
    expect(upward, "messages that each rank sent to lower ranks").equal([0] + [1] * (p - 1))
    expect(run.messages_sent, "messages sent by all ranks").equal(2 * (p - 1))
    expect(run.elements_sent, "elements sent by all ranks").equal(2 * (p - 1) * n)
    expect(run.rounds, "rounds").equal(2 * (p - 1).bit_length())


# --- halving_doubling_all_reduce ---


@check("halving_doubling_all_reduce", points=3, examples=20)
@given(ranks=st.sampled_from([1, 2, 4, 8]), length=sizes(0, 40), seed=st.integers(0, 1000))
def test_halving_and_doubling_gives_every_rank_the_sum(student, ranks, length, seed):
    """Every rank ends with the element-wise sum, for 1, 2, 4 and 8 ranks and any length."""
    buffers = [patterned(length, seed + rank) for rank in range(ranks)]
    run = student.halving_doubling_all_reduce.on_ranks(buffers)
    expect(run.results, "what each rank returned").all_equal(sum(buffers))


@check("halving_doubling_all_reduce", points=3, outcome="6b", examples=20)
@given(ranks=st.sampled_from([2, 4, 8]), length=sizes(0, 40), seed=st.integers(0, 1000))
def test_few_messages_and_no_more_data_than_a_ring(student, ranks, length, seed):
    """Each rank exchanges with log2 p partners, twice each, in 2 log2 p rounds.

    All ranks together send 2(p-1)n elements, and none sends more than 2(p-1)ceil(n/p).
    """
    run = student.halving_doubling_all_reduce.on_ranks([patterned(length, seed + rank) for rank in range(ranks)])
    levels = ranks.bit_length() - 1
    partners = {rank: {rank ^ (1 << level) for level in range(levels)} for rank in range(ranks)}
    expect(run.peers, "ranks that each rank sent to").equal(partners)
    expect(run.messages_per_rank, "messages sent by each rank").equal([2 * levels] * ranks)
    expect(run.elements_sent, "elements sent by all ranks").equal(2 * (ranks - 1) * length)
    expect(max(run.elements_per_rank), "most elements sent by a rank").at_most(2 * (ranks - 1) * -(-length // ranks))
    expect(run.rounds, "rounds").equal(2 * levels)


@check("halving_doubling_all_reduce", points=1)
def test_three_or_six_ranks_are_refused(student):
    """Three, five and six ranks raise ValueError on every rank."""
    for ranks in (3, 5, 6):
        student.halving_doubling_all_reduce.on_ranks_must_raise(ValueError, [np.ones(4)] * ranks)


# --- assign_buckets ---


@check("assign_buckets", points=2)
@given(sizes_=st.lists(st.integers(1, 12), max_size=12), cap=sizes(1, 30), first_cap=sizes(1, 30))
def test_a_bucket_closes_with_the_tensor_that_reaches_its_limit(student, sizes_, cap, first_cap):
    """The buckets hold every parameter once, from the last to the first.

    Each but the last reaches its limit, and would not without the tensor that it got last.
    """
    buckets = student.assign_buckets(sizes_, cap=cap, first_cap=first_cap)
    order = [index for bucket in buckets for index in bucket]
    expect(order, "the parameters in the order of the buckets").equal(list(range(len(sizes_)))[::-1])
    for number, bucket in enumerate(buckets):
        limit, filled = (cap if number else first_cap), [sizes_[index] for index in bucket]
        expect(sum(filled[:-1]), f"bytes in bucket {number} before its last tensor").at_most(limit - 1)
        if number < len(buckets) - 1:
            expect(sum(filled), f"bytes in bucket {number}").at_least(limit)


@check("assign_buckets", points=1)
def test_the_default_limits_are_one_and_twenty_five_mebibytes(student):
    """Without limits named, tensors of 10, 10, 10, 4, 0.5 and 0.75 MiB make the buckets [5, 4] and [3, 2, 1, 0]."""
    tensors = [int(mib * MIB) for mib in (10, 10, 10, 4, 0.5, 0.75)]
    expect(student.assign_buckets(tensors), "buckets").equal([[5, 4], [3, 2, 1, 0]])
    expect(student.assign_buckets([30 * MIB, MIB]), "buckets of 30 MiB and 1 MiB").equal([[1], [0]])
    exactly = [MIB, 25 * MIB, MIB]
    expect(student.assign_buckets(exactly), "buckets that reach their limits exactly").equal([[2], [1], [0]])


@check("assign_buckets", points=1)
def test_sizes_and_limits_of_nothing_are_refused(student):
    """A size or limit that is zero, negative, a fraction or a bool raises ValueError."""
    student.assign_buckets.must_raise(ValueError, [4, 0])
    student.assign_buckets.must_raise(ValueError, [4, -1])
    student.assign_buckets.must_raise(ValueError, [4, True])
    student.assign_buckets.must_raise(ValueError, [4, 1.5])
    student.assign_buckets.must_raise(ValueError, [4], cap=0)
    student.assign_buckets.must_raise(ValueError, [4], first_cap=0)


# --- overlap_step ---

TIMES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=7)


@check("overlap_step", points=2)
@given(times=TIMES)
def test_one_bucket_at_a_time_and_none_before_it_is_ready(student, times):
    """Each reduction starts as soon as its bucket is ready and the one before it has ended, and not sooner.

    Each lasts as long as it should, and the step ends with the last of them.
    """
    backward, communication = [float(b) for b, _ in times], [float(c) for _, c in times]
    backward_end, total, _, events = student.overlap_step(backward, communication)
    ready = np.cumsum(backward)
    expect(backward_end, "end of the backward pass").equal(sum(backward, 0.0))
    expect([end - start for start, end in events], "length of each reduction").equal(communication)
    for number, (start, _) in enumerate(events):
        before = events[number - 1][1] if number else 0.0
        expect(start, f"start of reduction {number}").at_least(ready[number])
        expect(start, f"start of reduction {number}").at_least(before)
        expect(start in (ready[number], before), f"the start of reduction {number}").is_true("waits for no more")
    expect(total, "end of the step").equal(max([backward_end, *(end for _, end in events)]))


@check("overlap_step", points=2)
def test_what_is_exposed_depends_on_the_order_of_events(student):
    """Five steps whose totals can be drawn on paper end when they should, with as much exposed communication."""
    for backward, communication, total, exposed in (
        ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0], 8.0, 2.0),
        ([3.0, 3.0, 3.0], [1.0, 1.0, 1.0], 10.0, 1.0),
        ([1.0, 1.0, 1.0], [3.0, 3.0, 3.0], 10.0, 7.0),
        ([4.0, 4.0, 4.0, 4.0], [3.0, 3.0, 3.0, 3.0], 19.0, 3.0),
        ([9.0], [6.0], 15.0, 6.0),
    ):
        _, end, sticks_out, _ = student.overlap_step(backward, communication)
        expect(end, "end of the step").close(total)
        expect(sticks_out, "exposed communication").close(exposed)


@check("overlap_step", points=1)
def test_times_that_make_no_timeline_are_refused(student):
    """Lists of different lengths, and negative or infinite times, raise ValueError."""
    student.overlap_step.must_raise(ValueError, [1.0, 2.0], [1.0])
    student.overlap_step.must_raise(ValueError, [1.0, -1.0], [1.0, 1.0])
    student.overlap_step.must_raise(ValueError, [1.0], [-1.0])
    student.overlap_step.must_raise(ValueError, [float("inf")], [1.0])


# --- best_bucket_cap ---


def by_count(sizes_, cap):
    """Buckets of ``cap`` parameters each, from the last to the first."""
    order = list(range(len(sizes_)))[::-1]
    return [order[start : start + cap] for start in range(0, len(order), cap)]


@check("best_bucket_cap", points=3)
def test_the_limit_with_the_shortest_step_wins(student):
    """With two simple rules for the length of a step, the best limit is the one found on paper."""

    def exposed_at_the_end(backward, communication):
        return sum(backward) + communication[-1]

    def bound_by_communication(backward, communication):
        return backward[0] + sum(communication)

    def cost(nbytes):
        return 1.0 + nbytes / 8

    for rule, tensors, backward, caps, best in (
        (exposed_at_the_end, [8, 8, 8, 8], [1.0, 1.0, 1.0, 1.0], [4, 2, 1], 1),
        (exposed_at_the_end, [8, 32, 8, 8], [1.0, 1.0, 1.0, 1.0], [2, 3, 4], 3),
        (bound_by_communication, [8, 8, 8, 8], [0.0, 0.0, 0.0, 0.0], [1, 2, 4], 4),
        (bound_by_communication, [8, 8, 8, 8], [1.5, 0.5, 0.5, 0.5], [1, 2, 4, 3], 2),
        (bound_by_communication, [8, 8, 8], [0.0, 4.0, 0.5], [3, 2, 1], 1),
        (bound_by_communication, [8, 8, 8, 8], [9.0, 9.0, 0.5, 0.25], [4, 1, 2], 2),
    ):
        found = student.best_bucket_cap(tensors, backward, caps, assign=by_count, comm_seconds=cost, step_seconds=rule)
        expect(found, "the best limit").equal(best)


@check("best_bucket_cap", points=1)
def test_of_equal_limits_the_smallest_wins(student):
    """Where all steps take the same time, the smallest limit is chosen, wherever it stands in the list."""
    for caps in ([3, 1, 2], [1, 2, 3], [2, 3, 1], [7]):
        found = student.best_bucket_cap(
            [4, 4, 4],
            [1.0, 1.0, 1.0],
            caps,
            assign=by_count,
            comm_seconds=lambda _nbytes: 1.0,
            step_seconds=lambda _backward, _communication: 5.0,
        )
        expect(found, "the best limit").equal(min(caps))


@check("best_bucket_cap", points=1)
def test_a_choice_among_nothing_is_refused(student):
    """No limits, no parameters, lists that do not match, and a limit of zero raise ValueError."""
    pieces = {
        "assign": lambda tensors, cap: by_count(tensors, max(cap, 1)),
        "comm_seconds": lambda _nbytes: 1.0,
        "step_seconds": lambda backward, communication: sum(backward) + sum(communication),
    }
    student.best_bucket_cap.must_raise(ValueError, [4], [1.0], [], **pieces)
    student.best_bucket_cap.must_raise(ValueError, [], [], [1], **pieces)
    student.best_bucket_cap.must_raise(ValueError, [4, 4], [1.0], [1], **pieces)
    student.best_bucket_cap.must_raise(ValueError, [4], [1.0], [1, 0], **pieces)


# --- ddp_step ---


@check("ddp_step", points=3, examples=20)
@given(
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any),
    features=st.integers(1, 3),
    accum=st.integers(1, 4),
    seed=st.integers(0, 1000),
)
def test_a_step_equals_one_process_with_all_samples(student, lengths, features, accum, seed):
    """However the samples are shared out, every rank ends with the gradient and parameters of one process with all.

    The number of micro-batches does not change them.
    """
    parts, params = shards(lengths, features, seed)
    run = student.ddp_step.on_ranks(parts, params, 0.125, accum=accum)
    grad = one_process(parts, params)
    expect([grad for _, grad in run.results], "gradient on each rank").all_close(grad, abs=1e-9)
    expect([new_params for new_params, _ in run.results], "parameters on each rank").all_close(
        params - 0.125 * grad, abs=1e-9
    )


@check("ddp_step", points=2, examples=15)
@given(
    lengths=st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(any),
    accum=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_ranks_of_equal_weight_give_the_mean_of_their_gradients(student, lengths, accum, seed):
    """With weighting="rank" the gradient is the plain mean over the ranks, one without samples counting as 0.

    Sample gradients 1, 2, 3 on one rank and 10 on another make 6 then, and 4 by sample.
    """
    parts, params = shards(lengths, 2, seed)
    run = student.ddp_step.on_ranks(parts, params, 0.5, accum=accum, weighting="rank")
    local = [one_process([part], params) if len(part[1]) else np.zeros(2) for part in parts]
    expect([grad for _, grad in run.results], "gradient on each rank").all_close(sum(local) / len(local), abs=1e-9)
    example = [(np.ones((3, 1)), np.array([-0.5, -1.0, -1.5])), (np.ones((1, 1)), np.array([-5.0]))]
    for weighting, mean in (("rank", 6.0), ("sample", 4.0)):
        found = student.ddp_step.on_ranks(example, np.zeros(1), 1.0, weighting=weighting)
        expect(found.results[0][1], f"gradient under {weighting}").close([mean])


@check("ddp_step", points=1, examples=15)
@given(lengths=st.lists(st.integers(1, 3), min_size=2, max_size=4), norm=st.sampled_from([0.5, 3.0, 1e9]))
def test_the_averaged_gradient_is_clipped(student, lengths, norm):
    """The averaged gradient is scaled down to max_norm where it is longer, and returned as it was used."""
    parts, params = shards(lengths, 2, sum(lengths))
    grad = one_process(parts, params)
    clipped = grad * min(1.0, norm / np.linalg.norm(grad)) if np.any(grad) else grad
    run = student.ddp_step.on_ranks(parts, params, 0.25, max_norm=norm)
    expect([grad for _, grad in run.results], "gradient on each rank").all_close(clipped, abs=1e-12)
    expect([new_params for new_params, _ in run.results], "parameters on each rank").all_close(
        params - 0.25 * clipped, abs=1e-9
    )


@check("ddp_step", points=1, outcome="6c", examples=10)
@given(ranks=st.integers(1, 4), accum=st.integers(1, 4), weighting=st.sampled_from(["sample", "rank"]))
def test_gradients_travel_once_a_step(student, ranks, accum, weighting):
    """Each rank passes d + 1 numbers to all_reduce in all, whatever accum is, and sends nothing else."""
    parts, params = shards([4] * ranks, 3, accum)
    run = student.ddp_step.on_ranks(parts, params, 0.1, accum=accum, weighting=weighting)
    expect([sum(numbers) for numbers in run.collective_elements], "numbers each rank reduced").equal([4] * ranks)
    expect(run.messages_sent, "messages sent besides").equal(0)
