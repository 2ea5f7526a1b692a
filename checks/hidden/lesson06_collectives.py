"""Hidden checks of lesson 6: against the reference solution, and at the edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import buffers_for_ranks, check, expect, patterned, positive, public_checks, rank_counts, sizes

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "reduce")
PAIRS = (
    ("all_reduce", "ring"),
    ("all_reduce", "rabenseifner"),
    ("all_reduce", "recursive_doubling"),
    ("all_reduce", "tree"),
    ("reduce_scatter", "ring"),
    ("all_gather", "ring"),
    ("all_to_all", "pairwise"),
)


shards = public_checks(__file__).shards


# --- bus_bandwidth ---


@check("bus_bandwidth", points=2, examples=20)
@given(size=sizes(1, 10**9), seconds=positive(1e-6, 10.0), ranks=rank_counts(2, 1024))
def test_both_bandwidths_for_every_operation(student, reference, size, seconds, ranks):
    """For every operation both bandwidths are in bytes per second of the full tensor."""
    for op in COLLECTIVES:
        found = student.bus_bandwidth.keeps_arguments(op, size, seconds, ranks)
        expect(found, f"both bandwidths of {op}").close(reference.bus_bandwidth(op, size, seconds, ranks))


# --- collective_time ---


@check("collective_time", points=3, examples=20)
@given(
    levels=st.integers(0, 6),
    size=sizes(0, 10**6),
    alpha=positive(1e-6, 1e-2),
    beta=positive(1e-9, 1e-6),
    gamma=positive(1e-9, 1e-6),
)
def test_every_algorithm_on_powers_of_two(student, reference, levels, size, alpha, beta, gamma):
    """Every listed algorithm takes its rounds, its bytes and its additions, and nothing on one rank."""
    for pair in PAIRS:
        arguments = (*pair, 2**levels, size, alpha, beta, gamma)
        found = student.collective_time.keeps_arguments(*arguments)
        expect(found, f"seconds of {pair[1]} {pair[0]}").close(reference.collective_time(*arguments))


@check("collective_time", points=1, examples=20)
@given(
    ranks=rank_counts(1, 100),
    size=sizes(0, 10**6),
    alpha=positive(1e-6, 1e-2),
    beta=positive(1e-9, 1e-6),
    gamma=positive(1e-9, 1e-6),
)
def test_rings_and_trees_of_any_size(student, reference, ranks, size, alpha, beta, gamma):
    """Rings and trees work for any number of ranks; a tree that is not full is as deep as the next full one."""
    for pair in (PAIRS[0], *PAIRS[3:]):
        arguments = (*pair, ranks, size, alpha, beta, gamma)
        found = student.collective_time(*arguments)
        expect(found, f"seconds of {pair[1]} {pair[0]}").close(reference.collective_time(*arguments))


# --- fit_alpha_beta ---


def noisy(seed, points, alpha, beta, noise, repeats):
    """Sizes and times with repeats, in a random order."""
    rng = np.random.default_rng(seed)
    distinct = np.sort(rng.choice(2000, points, replace=False) + 1) * 500
    tensors = np.repeat(distinct, repeats)
    rng.shuffle(tensors)
    times = (alpha + beta * tensors) * rng.uniform(1 - noise, 1 + noise, len(tensors))
    return [int(size) for size in tensors], [float(seconds) for seconds in times]


@check("fit_alpha_beta", points=2)
@given(seed=st.integers(0, 10_000), points=st.integers(4, 10), repeats=st.integers(1, 4))
def test_noisy_repeats_are_fitted_by_their_medians(student, reference, seed, points, repeats):
    """With noise of thirty per cent and up to four repeats, the fit is the least-squares line of the medians."""
    tensors, times = noisy(seed, points, 2e-4, 1e-9, 0.3, repeats)
    fit = student.fit_alpha_beta.keeps_arguments(tensors, times, max_error=0.9)
    expected = reference.fit_alpha_beta(tensors, times, max_error=0.9)
    expect(fit, "alpha and beta").close(expected, rel=1e-6, abs=1e-18)


@check("fit_alpha_beta", points=2)
@given(seed=st.integers(0, 10_000), points=st.integers(4, 8), latency=st.sampled_from([0.0, 1e-7, 1e-2]))
def test_neither_constant_is_negative(student, reference, seed, points, latency):
    """Where noise would make alpha or beta negative, that one is 0 and the other is fitted alone."""
    tensors, times = noisy(seed, points, latency, 1e-9, 0.4, 1)
    fit = student.fit_alpha_beta(tensors, times, max_error=2.0)
    expected = reference.fit_alpha_beta(tensors, times, max_error=2.0)
    expect(fit, "alpha and beta").close(expected, rel=1e-6, abs=1e-15)
    expect(min(fit), "the smaller constant").at_least(0.0)


@check("fit_alpha_beta", points=1)
@given(seed=st.integers(0, 10_000), small=st.integers(1, 3), limit=st.sampled_from([0.1, 0.25, 0.5]))
def test_sizes_are_dropped_until_the_rest_lies_on_a_line(student, reference, seed, small, limit):
    """Sizes are dropped from the smallest up, one at a time, until every one left is within the limit."""
    tensors, times = noisy(seed, small + 5, 1e-4, 1e-9, 0.05, 1)
    smallest = sorted(tensors)[:small]
    times = [seconds * (3 if size in smallest else 1) for size, seconds in zip(tensors, times, strict=True)]
    fit = student.fit_alpha_beta(tensors, times, max_error=limit)
    expected = reference.fit_alpha_beta(tensors, times, max_error=limit)
    expect(fit, "alpha and beta").close(expected, rel=1e-6, abs=1e-18)


# --- reduce_scatter ---


@check("reduce_scatter", points=2, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=8, max_length=20))
def test_chunks_are_summed_on_their_way_round(student, reference, buffers):
    """Each rank returns its chunk, and sends the chunks that the rule names, in that order."""
    run = student.reduce_scatter.on_ranks(buffers)
    expected = reference.reduce_scatter.on_ranks(buffers)
    expect(run.results, "what each rank returned").equal(expected.results)
    expect(run.sends, "what each rank sent").equal(expected.sends)


@check("reduce_scatter", points=1)
def test_reduce_scatter_takes_one_dimension(student):
    """A buffer with two dimensions raises ValueError on every rank."""
    student.reduce_scatter.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2)
    student.reduce_scatter.on_ranks_must_raise(ValueError, [np.ones((1, 3))])


# --- all_gather ---


@check("all_gather", points=2, examples=20)
@given(ranks=rank_counts(1, 8), longest=st.integers(1, 6), seed=st.integers(0, 1000))
def test_chunks_are_passed_on_in_order(student, reference, ranks, longest, seed):
    """Each rank sends the chunks that the rule names, in that order, and its own stays as it was."""
    chunks = [patterned((seed + 5 * rank) % (longest + 1), seed + rank) for rank in range(ranks)]
    run = student.all_gather.on_ranks_keeps_arguments(chunks)
    expected = reference.all_gather.on_ranks(chunks)
    expect(run.results, "what each rank returned").equal(expected.results)
    expect(run.sends, "what each rank sent").equal(expected.sends)


@check("all_gather", points=1)
def test_all_gather_takes_one_dimension(student):
    """A chunk with two dimensions raises ValueError on every rank."""
    student.all_gather.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2)
    student.all_gather.on_ranks_must_raise(ValueError, [np.ones((1, 3))])


# --- ring_all_reduce ---


@check("ring_all_reduce", points=2, examples=20)
@given(buffers=buffers_for_ranks(max_ranks=8, max_length=20), average=st.booleans())
def test_the_ring_sends_the_chunks_of_the_rule(student, reference, buffers, average):
    """Sum or mean, every rank sends the chunks that the rule names, in that order."""
    run = student.ring_all_reduce.on_ranks(buffers, average=average)
    expected = reference.ring_all_reduce.on_ranks(buffers, average=average)
    expect(run.results, "what each rank returned").all_close(expected.results[0])
    expect(run.sends, "what each rank sent").equal(expected.sends)


@check("ring_all_reduce", points=1, examples=20)
@given(ranks=rank_counts(2, 6), length=sizes(1, 20), seed=st.integers(0, 1000), average=st.booleans())
def test_all_ranks_agree_to_the_last_bit(student, ranks, length, seed, average):
    """Where rounding matters, every rank still ends with the same bits as rank 0, and its buffer is as it was."""
    buffers = list(np.random.default_rng(seed).standard_normal((ranks, length)))
    run = student.ring_all_reduce.on_ranks_keeps_arguments(buffers, average=average)
    expect(run.results, "what each rank returned").all_equal(run.results[0])


@check("ring_all_reduce", points=1)
def test_ring_all_reduce_takes_one_dimension(student):
    """A buffer with two dimensions raises ValueError on every rank."""
    student.ring_all_reduce.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2)
    student.ring_all_reduce.on_ranks_must_raise(ValueError, [np.ones((1, 3))])


# --- tree_all_reduce ---


@check("tree_all_reduce", points=2, examples=20)
@given(ranks=st.integers(1, 8), length=sizes(0, 10), seed=st.integers(0, 1000))
def test_each_rank_talks_to_its_parent_and_children(student, reference, ranks, length, seed):
    """Each rank sends up to its parent first, then down to its children from the farthest to the nearest."""
    buffers = [patterned(length, seed + rank) for rank in range(ranks)]
    run = student.tree_all_reduce.on_ranks(buffers)
    expected = reference.tree_all_reduce.on_ranks(buffers)
    expect(run.results, "what each rank returned").equal(expected.results)
    expect(run.sends, "what each rank sent").equal(expected.sends)


@check("tree_all_reduce", points=1, examples=20)
@given(ranks=rank_counts(1, 6), length=sizes(1, 20), seed=st.integers(0, 1000))
def test_the_tree_gives_the_same_bits_to_all(student, ranks, length, seed):
    """Where rounding matters, every rank still ends with the same bits as rank 0, and its buffer is as it was."""
    buffers = list(np.random.default_rng(seed).standard_normal((ranks, length)))
    run = student.tree_all_reduce.on_ranks_keeps_arguments(buffers)
    expect(run.results, "what each rank returned").all_equal(run.results[0])


@check("tree_all_reduce", points=1)
def test_tree_all_reduce_takes_one_dimension(student):
    """A buffer with two dimensions raises ValueError on every rank."""
    student.tree_all_reduce.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2)
    student.tree_all_reduce.on_ranks_must_raise(ValueError, [np.ones((1, 3))])


# --- halving_doubling_all_reduce ---


@check("halving_doubling_all_reduce", points=2, examples=20)
@given(levels=st.integers(0, 3), each=st.integers(0, 5), seed=st.integers(0, 1000))
def test_halves_go_to_the_farthest_partner_first(student, levels, each, seed):
    """Where chunks are equal, each rank sends n/2, n/4, ... elements to partners at p/2, p/4, ... and back."""
    ranks, length = 2**levels, 2**levels * each
    run = student.halving_doubling_all_reduce.on_ranks([patterned(length, seed + rank) for rank in range(ranks)])
    distances = [2**level for level in range(levels)]
    schedule = [*reversed(distances), *distances]
    expected = [[(rank ^ distance, distance * each, 0) for distance in schedule] for rank in range(ranks)]
    expect(run.sends, "what each rank sent").equal(expected)


@check("halving_doubling_all_reduce", points=1, examples=20)
@given(ranks=st.sampled_from([1, 2, 4, 8]), length=sizes(1, 20), seed=st.integers(0, 1000))
def test_halving_and_doubling_gives_the_same_bits_to_all(student, ranks, length, seed):
    """Where rounding matters, every rank still ends with the same bits as rank 0, and its buffer is as it was."""
    buffers = list(np.random.default_rng(seed).standard_normal((ranks, length)))
    run = student.halving_doubling_all_reduce.on_ranks_keeps_arguments(buffers)
    expect(run.results, "what each rank returned").all_equal(run.results[0])


@check("halving_doubling_all_reduce", points=1)
def test_halving_and_doubling_takes_one_dimension(student):
    """A buffer with two dimensions, and seven ranks, raise ValueError on every rank."""
    student.halving_doubling_all_reduce.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2)
    student.halving_doubling_all_reduce.on_ranks_must_raise(ValueError, [np.ones((1, 3))])
    student.halving_doubling_all_reduce.on_ranks_must_raise(ValueError, [np.ones(7)] * 7)


# --- assign_buckets ---


@check("assign_buckets", points=3)
@given(tensors=st.lists(st.integers(1, 20), max_size=15), cap=sizes(1, 40), first_cap=sizes(1, 40))
def test_the_buckets_of_drawn_tensors(student, reference, tensors, cap, first_cap):
    """The buckets are those of the rule, and the sizes are as they were."""
    found = student.assign_buckets.keeps_arguments(tensors, cap=cap, first_cap=first_cap)
    expect(found, "buckets").equal(reference.assign_buckets(tensors, cap=cap, first_cap=first_cap))


@check("assign_buckets", points=1)
@given(units=st.lists(st.integers(1, 40), max_size=10), unit=st.sampled_from([2**18, 10**6, 2**20]))
def test_the_buckets_of_a_real_model(student, reference, units, unit):
    """With PyTorch's limits, tensors of up to 40 MiB fall into the buckets of the rule."""
    tensors = [count * unit for count in units]
    expect(student.assign_buckets(tensors), "buckets").equal(reference.assign_buckets(tensors))


# --- overlap_step ---


@check("overlap_step", points=3)
@given(times=st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)), max_size=10))
def test_the_whole_timeline(student, reference, times):
    """Ends, exposed time and events are those of the rule, and the times are as they were."""
    backward, communication = [b / 4 for b, _ in times], [c / 4 for _, c in times]
    found = student.overlap_step.keeps_arguments(backward, communication)
    expect(found, "the timeline").close(reference.overlap_step(backward, communication))


# --- best_bucket_cap ---


@check("best_bucket_cap", points=3, examples=25)
@given(
    layers=st.lists(st.tuples(st.integers(1, 16), st.integers(0, 8)), min_size=1, max_size=7),
    caps=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    alpha=st.integers(0, 8),
    beta=st.sampled_from([0.0, 0.25, 1.0, 2.0]),
)
def test_the_best_limit_under_overlap(student, reference, layers, caps, alpha, beta):
    """With DDP's buckets, the alpha-beta model and overlap, the limit with the shortest step is found.

    The lists are as they were.
    """
    tensors, backward = [size for size, _ in layers], [float(seconds) for _, seconds in layers]
    pieces = {
        "assign": lambda sizes_, cap: reference.assign_buckets(sizes_, cap=cap, first_cap=cap),
        "comm_seconds": lambda nbytes: alpha + nbytes * beta,
        "step_seconds": lambda compute, comm: reference.overlap_step(compute, comm).total,
    }
    found = student.best_bucket_cap.keeps_arguments(tensors, backward, caps, **pieces)
    expect(found, "the best limit").equal(reference.best_bucket_cap(tensors, backward, caps, **pieces))


@check("best_bucket_cap", points=1)
def test_every_bucket_is_priced_as_one_collective(student):
    """comm_seconds is asked for the bytes of each bucket, and step_seconds gets one entry a bucket, in their order."""
    asked, timed = [], []

    def cost(nbytes):
        asked.append(nbytes)
        return nbytes / 2

    def step(backward, communication):
        timed.append((list(backward), list(communication)))
        return 1.0

    student.best_bucket_cap(
        [1, 2, 4, 8],
        [16.0, 32.0, 64.0, 128.0],
        [5],
        assign=lambda _sizes, _cap: [[3], [2, 0], [1]],
        comm_seconds=cost,
        step_seconds=step,
    )
    expect(sorted(asked), "sizes that comm_seconds was asked for").equal([2, 5, 8])
    expect(timed, "what step_seconds got").equal([([128.0, 80.0, 32.0], [4.0, 2.5, 1.0])])


# --- ddp_step ---


@check("ddp_step", points=3, examples=25)
@given(
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any),
    features=st.integers(1, 4),
    accum=st.integers(1, 8),
    max_norm=st.sampled_from([None, 0.5, 20.0]),
    weighting=st.sampled_from(["sample", "rank"]),
    seed=st.integers(0, 1000),
)
def test_steps_on_drawn_shards(student, reference, lengths, features, accum, max_norm, weighting, seed):
    """On every rank gradient and parameters are those of the rule, and the arguments are as they were."""
    parts, params = shards(lengths, features, seed)
    options = {"accum": accum, "max_norm": max_norm, "weighting": weighting}
    run = student.ddp_step.on_ranks_keeps_arguments(parts, params, 0.125, **options)
    expected = reference.ddp_step.on_ranks(parts, params, 0.125, **options)
    expect([grad for _, grad in run.results], "gradient on each rank").all_close(expected.results[0].grad, abs=1e-9)
    expect([new_params for new_params, _ in run.results], "parameters on each rank").all_close(
        expected.results[0].params, abs=1e-9
    )


@check("ddp_step", points=1)
def test_steps_that_make_no_sense_are_refused(student):
    """Shapes that do not fit, no samples, and options out of range raise ValueError on every rank."""
    fits = [(np.ones((2, 2)), np.ones(2))] * 2
    two, three = np.ones(2), np.ones(3)
    raises = student.ddp_step.on_ranks_must_raise
    raises(ValueError, fits, three, 0.1)
    raises(ValueError, [(np.ones((2, 2)), three)] * 2, two, 0.1)
    raises(ValueError, [(np.ones((0, 2)), np.ones(0))] * 2, two, 0.1)
    raises(ValueError, [(np.ones((0, 2)), np.ones(0))] * 2, two, 0.1, weighting="rank")
    raises(ValueError, fits, two, 0.0)
    raises(ValueError, fits, two, float("nan"))
    raises(ValueError, fits, two, 0.1, accum=0)
    raises(ValueError, fits, two, 0.1, accum=True)
    raises(ValueError, fits, two, 0.1, max_norm=-1.0)
    raises(ValueError, fits, two, 0.1, weighting="mean")
