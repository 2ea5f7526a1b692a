"""Hidden checks of lesson 7: against the reference solution, and at the edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import check, expect, patterned, positive, public_checks, rank_counts, sizes

public = public_checks(__file__)
RANKS = public.RANKS
SHAPES = st.lists(st.sampled_from([(3,), (2, 2), (), (2, 3), (0, 2), (3, 2, 2)]), min_size=1, max_size=4)
DTYPES = st.sampled_from(["float64", "float32", "int64"])


def tensors_of(shapes, seed, dtype):
    """Arrays of small integers of any type."""
    return [tensor.astype(dtype) for tensor in public.tensors_of(shapes, seed)]


# --- zero_state_bytes ---


@check("zero_state_bytes", points=2, examples=20)
@given(
    n=positive(1.0, 1e12),
    dp=rank_counts(1, 1024),
    param_bytes=sizes(0, 4),
    grad_bytes=sizes(0, 4),
    optim_bytes=sizes(0, 16),
)
def test_every_stage_with_any_sizes(student, reference, n, dp, param_bytes, grad_bytes, optim_bytes):
    """At every stage all four numbers are those of the rule, whatever the sizes, and by default those of Adam."""
    options = {"param_bytes": param_bytes, "grad_bytes": grad_bytes, "optim_bytes": optim_bytes}
    for stage in range(4):
        found = student.zero_state_bytes.keeps_arguments(n, dp, stage, **options)
        expect(found, f"bytes at stage {stage}").close(reference.zero_state_bytes(n, dp, stage, **options))
        found = student.zero_state_bytes(n, dp, stage)
        expect(found, f"bytes of Adam at stage {stage}").close(reference.zero_state_bytes(n, dp, stage))


# --- zero_sent_elements ---


@check("zero_sent_elements", points=2, examples=25)
@given(n=positive(1.0, 1e12), dp=rank_counts(1, 1024), passes=sizes(1, 64), reshard=st.booleans())
def test_every_stage_with_any_number_of_micro_steps(student, reference, n, dp, passes, reshard):
    """At every stage what is gathered, what is reduced and their sum are those of the rule."""
    options = {"micro_steps": passes, "reshard_after_forward": reshard}
    for stage in range(4):
        found = student.zero_sent_elements.keeps_arguments(n, dp, stage, **options)
        expect(found, f"elements at stage {stage}").close(reference.zero_sent_elements(n, dp, stage, **options))


# --- flatten_and_shard ---


@check("flatten_and_shard", points=2)
@given(shapes=SHAPES, ranks=RANKS, seed=st.integers(0, 99), dtype=DTYPES)
def test_shards_of_any_type(student, reference, shapes, ranks, seed, dtype):
    """Shards, shapes, padding and type are those of the rule, and the tensors are as they were."""
    tensors = tensors_of(shapes, seed, dtype)
    found = student.flatten_and_shard.keeps_arguments(tensors, ranks)
    expected = reference.flatten_and_shard(tensors, ranks)
    expect(found, "shards, shapes and padding").equal(expected)
    expect([shard.dtype.name for shard in found[0]], "type of each shard").all_equal(dtype)


# --- unshard ---


@check("unshard", points=1, examples=20)
@given(shapes=SHAPES, ranks=RANKS, seed=st.integers(0, 99), dtype=DTYPES)
def test_tensors_of_any_type(student, reference, shapes, ranks, seed, dtype):
    """Tensors come back in the type of the shards, and the shards are as they were."""
    shards = reference.flatten_and_shard(tensors_of(shapes, seed, dtype), ranks)[0]
    run = student.unshard.on_ranks_keeps_arguments(shards, shapes)
    expect(run.results, "what each rank returned").equal(reference.unshard.on_ranks(shards, shapes).results)
    types = [[tensor.dtype.name for tensor in tensors] for tensors in run.results]
    expect(types, "types of the tensors").all_equal([dtype] * len(shapes))


@check("unshard", points=1)
def test_shards_that_do_not_fit_each_other_are_refused(student):
    """Shards of different lengths or of two dimensions raise ValueError on every rank, though the sum would do."""
    student.unshard.on_ranks_must_raise(ValueError, [np.ones(3), np.ones(2)], [(5,)])
    student.unshard.on_ranks_must_raise(ValueError, [np.ones(3), np.ones(1)], [(4,)])
    student.unshard.on_ranks_must_raise(ValueError, [np.ones((2, 1))] * 2, [(4,)])


# --- zero_adamw_step ---


@check("zero_adamw_step", points=3, examples=20)
@given(
    ranks=RANKS,
    n=sizes(0, 14),
    step=sizes(1, 100),
    beta1=st.sampled_from([0.0, 0.5, 0.9]),
    beta2=st.sampled_from([0.0, 0.75, 0.999]),
    eps=st.sampled_from([1e-8, 0.1]),
    weight_decay=st.sampled_from([0.0, 0.1]),
    max_norm=st.sampled_from([None, 0.25, 4.0, 1e3]),
    seed=st.integers(0, 99),
)
def test_a_step_from_any_state(student, reference, ranks, n, step, beta1, beta2, eps, weight_decay, max_norm, seed):
    """From any state every rank ends with the parameters and chunks of the rule, and its arguments are as they were."""
    grads = [patterned(n, seed + 3 + rank) / 2 for rank in range(ranks)]
    masters, ms, vs = (np.array_split(np.abs(patterned(n, seed + 60 + i)) / 4, ranks) for i in range(3))
    options = {"lr": 0.25, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay, "max_norm": max_norm}
    entries = list(zip(grads, masters, ms, vs, strict=True))
    run = student.zero_adamw_step.on_ranks_keeps_arguments(entries, step=step, **options)
    expected = reference.zero_adamw_step.on_ranks(entries, step=step, **options)
    for part, name in enumerate(("parameters", "master", "m", "v")):
        found, wanted = ([result[part] for result in side.results] for side in (run, expected))
        expect(found, f"{name} on each rank").close(wanted, abs=1e-12)
    expect(run.collective_elements, "elements that each rank gave").equal(expected.collective_elements)


@check("zero_adamw_step", points=1)
def test_gradients_and_constants_out_of_range_are_refused(student):
    """A gradient of two dimensions, moments of another length, and numbers out of range raise ValueError everywhere."""
    fits = [(np.ones(4), np.ones(2), np.zeros(2), np.zeros(2))] * 2
    raises = student.zero_adamw_step.on_ranks_must_raise
    raises(ValueError, [(np.ones((4, 1)), np.ones(2), np.zeros(2), np.zeros(2))] * 2, step=1, lr=0.1)
    raises(ValueError, [(np.ones(4), np.ones(2), np.zeros(2), np.zeros(1))] * 2, step=1, lr=0.1)
    raises(ValueError, [(np.ones(4), np.ones(2), np.zeros(1), np.zeros(2))] * 2, step=1, lr=0.1)
    raises(ValueError, fits, step=1.0, lr=0.1)
    raises(ValueError, fits, step=1, lr=float("nan"))
    raises(ValueError, fits, step=1, lr=0.1, eps=0.0)
    raises(ValueError, fits, step=1, lr=0.1, betas=(-0.1, 0.9))
    raises(ValueError, fits, step=1, lr=0.1, max_norm=float("inf"))


# --- fsdp_step ---


@check("fsdp_step", points=3, examples=15)
@given(
    widths=st.lists(st.integers(1, 5), min_size=2, max_size=6),
    ranks=RANKS,
    samples=st.integers(1, 4),
    reshard=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_passes_through_drawn_networks(student, reference, widths, ranks, samples, reshard, seed):
    """Loss, gradients and what each rank did are those of the rule, and its arguments are as they were."""
    _, shapes, entries = public.network(widths, ranks, samples, seed)
    seconds = [float(i) for i in range(len(shapes))]
    run = student.fsdp_step.on_ranks_keeps_arguments(entries, shapes, seconds, reshard_after_forward=reshard)
    expected = reference.fsdp_step.on_ranks(entries, shapes, seconds, reshard_after_forward=reshard)
    expect(run.results, "loss and gradient shards of each rank").close(expected.results, abs=1e-12)
    expect(run.collectives, "collectives of each rank").equal(expected.collectives)
    expect(run.collective_elements, "elements that each rank gave").equal(expected.collective_elements)


@check("fsdp_step", points=1)
def test_samples_and_targets_that_do_not_fit_are_refused(student):
    """Samples and targets of other numbers or sizes, and shards of one layer too few, raise ValueError everywhere."""
    x, y, shard = np.ones((2, 2)), np.ones((2, 3)), np.ones(3)
    raises = student.fsdp_step.on_ranks_must_raise
    raises(ValueError, [(np.ones((1, 2)), y, (shard,))] * 2, [(2, 3)], [1.0])
    raises(ValueError, [(x, np.ones((1, 3)), (shard,))] * 2, [(2, 3)], [1.0])
    raises(ValueError, [(x, np.ones((2, 2)), (shard,))] * 2, [(2, 3)], [1.0])
    raises(ValueError, [(x, y, (shard,))] * 2, [(2, 3), (3, 3)], [1.0, 1.0])
    raises(ValueError, [(x, y, (np.ones(4),))] * 2, [(2, 3)], [1.0])


# --- fsdp_forward_time ---


@check("fsdp_forward_time", points=3)
@given(
    times=st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)), min_size=1, max_size=10),
    limit=st.integers(1, 12),
)
def test_the_whole_timeline_of_a_pass(student, reference, times, limit):
    """Total, exposed time and events are those of the rule, and the times are as they were."""
    gather, compute = [g / 4 for g, _ in times], [c / 4 for _, c in times]
    found = student.fsdp_forward_time.keeps_arguments(gather, compute, limit=limit)
    expect(found, "the timeline").close(reference.fsdp_forward_time(gather, compute, limit=limit))


# --- hybrid_reduce ---


@check("hybrid_reduce", points=2, examples=20)
@given(
    grouping=st.sampled_from([(1, 1), (1, 5), (2, 3), (3, 2), (5, 1), (2, 4), (4, 2)]),
    n=sizes(0, 12),
    seed=st.integers(0, 1000),
)
def test_chunks_of_drawn_gradients(student, reference, grouping, n, seed):
    """Every rank returns its chunk, gives each collective what the rule says, and keeps its gradient as it was."""
    group, replicas = grouping
    grads = [patterned(n, seed + 3 + rank) / 4 for rank in range(group * replicas)]
    run = student.hybrid_reduce.on_ranks_keeps_arguments(grads, group)
    expected = reference.hybrid_reduce.on_ranks(grads, group)
    expect(run.results, "what each rank returned").close(expected.results, abs=1e-12)
    expect(run.collective_elements, "elements that each rank gave").equal(expected.collective_elements)


# --- choose_sharding ---


@check("choose_sharding", points=3)
@given(
    per_node=st.sampled_from([1, 2, 4, 8]),
    nodes=rank_counts(1, 12),
    per_param=positive(0.5, 20.0),
    ratio=positive(0.5, 50.0),
    passes=st.sampled_from([1, 2, 3, 8]),
)
def test_choices_on_drawn_clusters(student, reference, per_node, nodes, per_param, ratio, passes):
    """Stage, group, replicas and time are those of the rule, or ValueError where nothing fits."""
    n = 1e6 + 3
    memory = n * per_param * 1.0000371  # on no boundary
    arguments = (n, per_node, nodes, memory, ratio * 1.0371e9, 1e9)
    if 16 * n / (per_node * nodes) > memory:
        student.choose_sharding.must_raise(ValueError, *arguments, micro_steps=passes)
        return
    found = student.choose_sharding.keeps_arguments(*arguments, micro_steps=passes)
    expected = reference.choose_sharding(*arguments, micro_steps=passes)
    expect(found[:3], "stage, shard group and replicas").equal(expected[:3])
    expect(found[3], "seconds of a step").close(expected[3])
