"""Public checks of lesson 7: what ZeRO holds and sends, shards, steps on shards, and the choice of a stage."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import check, expect, patterned, positive, rank_counts, sizes

RANKS = st.sampled_from([1, 2, 3, 5, 8])
SHAPES = st.lists(st.sampled_from([(3,), (2, 2), (), (2, 3), (1, 4), (0,), (2, 1, 3)]), min_size=1, max_size=4)


def tensors_of(shapes, seed):
    """Arrays of small integers."""
    return [patterned(math.prod(shape), seed + i).reshape(shape) for i, shape in enumerate(shapes)]


def cut(tensors, ranks):
    """Each rank's shard of some tensors, padded with zeros, flat in C order."""
    flat = np.concatenate([np.ravel(tensor) for tensor in tensors])
    return np.split(np.append(flat, np.zeros(-len(flat) % ranks)), ranks)


# --- zero_state_bytes ---


@check("zero_state_bytes", points=2)
def test_the_published_gigabytes_of_7_5_billion_parameters(student):
    """7.5 billion parameters on 64 ranks take 120, 31.4, 16.6 and 1.9 GB a rank at stages 0 to 3, as published.

    On one rank every stage takes 120 GB.
    """
    for stage, gigabytes in enumerate((120.0, 31.4, 16.6, 1.9)):
        *_, total = student.zero_state_bytes(7.5e9, 64, stage)
        expect(total / 1e9, f"GB at stage {stage}").close(gigabytes, abs=0.05)
        *_, total = student.zero_state_bytes(7.5e9, 1, stage)
        expect(total / 1e9, f"GB at stage {stage} on one rank").close(120.0)


@check("zero_state_bytes", points=2)
@given(
    n=st.integers(1, 10**6),
    dp=rank_counts(1, 64),
    byte_sizes=st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 4.0, 12.0]), min_size=3, max_size=3),
)
def test_each_stage_divides_one_thing_more(student, n, dp, byte_sizes):
    """Stage 0 holds everything; stage 1 divides the optimizer's state by dp, stage 2 the gradients, stage 3 the rest.

    The total is the sum of the three.
    """
    expected = [n * size for size in byte_sizes]
    options = dict(zip(("param_bytes", "grad_bytes", "optim_bytes"), byte_sizes, strict=True))
    for stage in range(4):
        if stage:
            expected[3 - stage] /= dp
        *parts, total = student.zero_state_bytes(n, dp, stage, **options)
        expect(parts, f"bytes of parameters, gradients and optimizer state at stage {stage}").close(expected)
        expect(total, f"bytes in all at stage {stage}").close(sum(expected))


@check("zero_state_bytes", points=1)
def test_stages_and_sizes_that_do_not_exist_are_refused(student):
    """A stage 4, no ranks, a bool for an int, and sizes that are negative or not finite raise ValueError."""
    raises = student.zero_state_bytes.must_raise
    raises(ValueError, 1000, 4, 4)
    raises(ValueError, 1000, 4, -1)
    raises(ValueError, 1000, 4, True)
    raises(ValueError, 1000, 0, 1)
    raises(ValueError, 0, 4, 1)
    raises(ValueError, float("nan"), 4, 1)
    raises(ValueError, 1000, 4, 1, grad_bytes=-2.0)


# --- zero_sent_elements ---


@check("zero_sent_elements", points=2)
@given(n=st.integers(1, 10**6), dp=rank_counts(1, 64))
def test_stages_1_and_2_are_free_and_stage_3_costs_half_as_much_again(student, n, dp):
    """With one micro-step stages 1 and 2 send what an all-reduce sends, 2(p-1)/p of the model, and stage 3 half more.

    One rank sends nothing.
    """
    whole = 2 * (dp - 1) / dp * n
    for stage, expected in enumerate((whole, whole, whole, 1.5 * whole)):
        gathered, reduced, total = student.zero_sent_elements(n, dp, stage)
        expect(total, f"elements sent at stage {stage}").close(expected)
        expect(gathered + reduced, f"gathered and reduced at stage {stage}").close(total)


@check("zero_sent_elements", points=2)
@given(n=st.integers(1, 10**6), dp=rank_counts(2, 64), passes=st.integers(2, 16))
def test_what_every_micro_step_sends(student, n, dp, passes):
    """With A micro-steps stages 0 and 1 send what they send with one; stage 2 reduces, and stage 3 does all, A times.

    Without resharding stage 3 gathers half as much, and nothing changes elsewhere.
    """
    for stage, (gathers, reduces) in enumerate(((1, 1), (1, 1), (1, passes), (passes, passes))):
        one = student.zero_sent_elements(n, dp, stage)
        many = student.zero_sent_elements(n, dp, stage, micro_steps=passes)
        kept = student.zero_sent_elements(n, dp, stage, micro_steps=passes, reshard_after_forward=False)
        expected = one[0] * gathers, one[1] * reduces
        expect(many[:2], f"gathered and reduced at stage {stage} in {passes} micro-steps").close(expected)
        expected = expected[0] / (2 if stage == 3 else 1), expected[1]
        expect(kept[:2], f"gathered and reduced at stage {stage} without resharding").close(expected)


@check("zero_sent_elements", points=1)
def test_steps_that_cannot_be_are_refused(student):
    """A stage 4, no ranks, no micro-steps, no parameters and a bool for an int raise ValueError."""
    student.zero_sent_elements.must_raise(ValueError, 1000, 4, 4)
    student.zero_sent_elements.must_raise(ValueError, 1000, 0, 1)
    student.zero_sent_elements.must_raise(ValueError, 1000, 4, 1, micro_steps=0)
    student.zero_sent_elements.must_raise(ValueError, 1000, 4, 1, micro_steps=True)
    student.zero_sent_elements.must_raise(ValueError, 0, 4, 1)


# --- flatten_and_shard ---


@check("flatten_and_shard", points=2)
def test_a_published_layer_and_two_by_hand(student):
    """A 4 by 3 linear layer with its bias has 15 elements: of 16 shards of one element, the last is padding.

    Shapes (3, 2) and (4,) make 4 shards of 3 with a padding of 2; on 5 ranks there is none.
    """
    weight, bias = np.arange(1.0, 13.0).reshape(3, 4), np.array([13.0, 14.0, 15.0])
    shards, shapes, padding = student.flatten_and_shard([weight, bias], 16)
    expect(shards, "shards").equal([[float(i)] for i in range(1, 16)] + [[0.0]])
    expect((shapes, padding), "shapes and padding").equal(([(3, 4), (3,)], 1))
    tensors = [np.arange(1.0, 7.0).reshape(3, 2), np.array([7.0, 8.0, 9.0, 10.0])]
    shards, _, padding = student.flatten_and_shard(tensors, 4)
    expect(shards, "shards").equal([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 0.0, 0.0]])
    expect(padding, "padding").equal(2)
    shards, _, padding = student.flatten_and_shard(tensors, 5)
    expect((len(shards), padding), "number of shards, and padding").equal((5, 0))


@check("flatten_and_shard", points=2)
@given(shapes=SHAPES, ranks=RANKS, seed=st.integers(0, 99))
def test_shards_are_equal_pieces_of_everything_in_order(student, shapes, ranks, seed):
    """One after the other the shards hold all tensors in order, and then as few zeros as make them equally long."""
    tensors = tensors_of(shapes, seed)
    shards, found_shapes, padding = student.flatten_and_shard(tensors, ranks)
    n = sum(math.prod(shape) for shape in shapes)
    expect(padding, "padding").equal(-n % ranks)
    expect([len(shard) for shard in shards], "length of each shard").equal([-(-n // ranks)] * ranks)
    expect(shards, "shards").equal(cut(tensors, ranks))
    expect(found_shapes, "shapes").equal(shapes)


@check("flatten_and_shard", points=1)
def test_shards_keep_the_type_of_the_tensors(student):
    """Shards of float32 tensors are float32, those of int64 tensors int64, whether there is padding or not."""
    for dtype in ("float32", "int64"):
        for ranks in (2, 3):
            shards, _, _ = student.flatten_and_shard([np.ones((2, 2), dtype), np.ones(2, dtype)], ranks + 1)
            expect([shard.dtype.name for shard in shards], "type of each shard").all_equal(dtype)


@check("flatten_and_shard", points=1)
def test_mixed_types_and_no_tensors_are_refused(student):
    """No tensors, tensors of two types, no ranks, and a bool for an int raise ValueError."""
    student.flatten_and_shard.must_raise(ValueError, [], 2)
    student.flatten_and_shard.must_raise(ValueError, [np.ones(2), np.ones(2, np.float32)], 2)
    student.flatten_and_shard.must_raise(ValueError, [np.ones(2)], 0)
    student.flatten_and_shard.must_raise(ValueError, [np.ones(2)], True)


# --- unshard ---


@check("unshard", points=3, examples=20)
@given(shapes=SHAPES, ranks=RANKS, seed=st.integers(0, 99))
def test_every_rank_gets_the_tensors_back(student, shapes, ranks, seed):
    """Every rank ends with the tensors that were sharded, in order and in shape, and without the padding."""
    tensors = tensors_of(shapes, seed)
    run = student.unshard.on_ranks(cut(tensors, ranks), shapes)
    expect([[np.shape(tensor) for tensor in result] for result in run.results], "shapes").all_equal(shapes)
    expect(run.results, "what each rank returned").all_equal(tensors)


@check("unshard", points=2, examples=20)
@given(shapes=SHAPES, ranks=RANKS, seed=st.integers(0, 99))
def test_one_all_gather_of_whole_shards(student, shapes, ranks, seed):
    """Each rank joins one all-gather, to which it gives its whole shard, padding and all."""
    shards = cut(tensors_of(shapes, seed), ranks)
    run = student.unshard.on_ranks(shards, shapes)
    expect(run.collectives, "collectives of each rank").all_equal(["all_gather"])
    expect(run.collective_elements, "elements that each rank gave").all_equal([len(shards[0])])


@check("unshard", points=1)
def test_shapes_that_do_not_fit_the_shards_are_refused(student):
    """Shards that are too short or too long for the shapes raise ValueError on every rank."""
    student.unshard.on_ranks_must_raise(ValueError, [np.ones(3)] * 2, [(7,)])
    student.unshard.on_ranks_must_raise(ValueError, [np.ones(3)] * 2, [(2, 2)])
    student.unshard.on_ranks_must_raise(ValueError, [np.ones(2)], [(1,)])


# --- zero_adamw_step ---


def adamw(params, m, v, grads, step, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, max_norm=math.inf):
    """A step of one process with the mean of all gradients."""
    g = np.mean(grads, axis=0)
    g = g * min(1.0, max_norm / max(float(np.sqrt(np.sum(g * g))), 1e-300))
    m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g
    update = (m / (1 - betas[0] ** step)) / (np.sqrt(v / (1 - betas[1] ** step)) + eps)
    return params - lr * update - lr * weight_decay * params, m, v


def train(student, ranks, params, all_grads, **options):
    """Steps on ranks and in one process, compared after each."""
    n = len(params)
    m, v = np.zeros(n), np.zeros(n)
    chunks = [np.array_split(array, ranks) for array in (params, m, v)]
    for step, grads in enumerate(all_grads, start=1):
        run = student.zero_adamw_step.on_ranks(list(zip(grads, *chunks, strict=True)), step=step, **options)
        params, m, v = adamw(params, m, v, grads, step, **options)
        expect([result[0] for result in run.results], f"parameters on each rank after step {step}").all_close(
            params, abs=1e-12
        )
        chunks = [[result[part] for result in run.results] for part in (1, 2, 3)]
        for name, found, whole in zip(("master", "m", "v"), chunks, (params, m, v), strict=True):
            wanted = np.array_split(whole, ranks)
            expect(found, f"{name} of each rank after step {step}").close(wanted, abs=1e-12)


@check("zero_adamw_step", points=3, examples=20)
@given(
    ranks=RANKS,
    n=sizes(0, 12),
    betas=st.sampled_from([(0.9, 0.999), (0.5, 0.75), (0.0, 0.9)]),
    eps=st.sampled_from([1e-8, 0.1]),
    weight_decay=st.sampled_from([0.0, 0.1]),
    seed=st.integers(0, 99),
)
def test_ranks_step_as_one_process_does_with_the_mean_gradient(student, ranks, n, betas, eps, weight_decay, seed):
    """Over two steps every rank has the parameters of one process with the mean gradient, and its chunks of m and v."""
    all_grads = [[patterned(n, seed + 10 * step + rank) for rank in range(ranks)] for step in range(2)]
    options = {"betas": betas, "eps": eps, "weight_decay": weight_decay}
    train(student, ranks, patterned(n, seed + 50), all_grads, lr=0.25, **options)


@check("zero_adamw_step", points=2, examples=20)
@given(ranks=RANKS, n=sizes(0, 12), seed=st.integers(0, 99), scale=st.sampled_from([0.05, 0.6, 1.0, 3.0]))
def test_the_norm_that_clips_is_that_of_the_whole_mean_gradient(student, ranks, n, seed, scale):
    """The gradient is clipped by the norm of all of it, on all ranks alike, and only where it is above the limit."""
    all_grads = [[patterned(n, seed + 10 * step + rank) * (step + 1) for rank in range(ranks)] for step in range(2)]
    norm = float(np.linalg.norm(np.mean(all_grads[0], axis=0)))
    train(student, ranks, patterned(n, seed + 50), all_grads, lr=0.25, eps=0.1, max_norm=max(norm, 1.0) * scale)


@check("zero_adamw_step", points=2, outcome="7b", examples=20)
@given(ranks=RANKS, n=sizes(0, 20), clips=st.booleans(), seed=st.integers(0, 99))
def test_gradients_are_scattered_and_parameters_gathered(student, ranks, n, clips, seed):
    """Each rank gives n elements to a reduce-scatter, its chunk to an all-gather, and between them one for the norm.

    The one for the norm is given if and only if max_norm is, whether or not it clips.
    """
    chunks = np.array_split(patterned(n, seed), ranks)
    entries = [(patterned(n, seed + rank), chunk, 0 * chunk, 0 * chunk) for rank, chunk in enumerate(chunks)]
    run = student.zero_adamw_step.on_ranks(entries, step=1, lr=0.5, max_norm=1e6 if clips else None)
    norm_calls, norm_elements = (["all_reduce"], [1]) if clips else ([], [])
    names = ["reduce_scatter", *norm_calls, "all_gather"]
    expect(run.collectives, "collectives of each rank").all_equal(names)
    elements = [[n, *norm_elements, len(chunk)] for chunk in chunks]
    expect(run.collective_elements, "elements that each rank gave").equal(elements)


@check("zero_adamw_step", points=1)
def test_the_first_step_is_as_long_as_the_learning_rate(student):
    """At the first step every parameter moves by lr against the sign of its mean gradient, whatever that is."""
    grads = [[3.0, -0.5, 0.25, 0.0], [1.0, -0.5, 0.25, 100.0]]
    entries = [(grad, [1.0, 2.0], [0.0, 0.0], [0.0, 0.0]) for grad in grads]
    run = student.zero_adamw_step.on_ranks(entries, step=1, lr=0.5, eps=1e-12)
    expect([result[0] for result in run.results], "parameters on each rank").all_close([0.5, 2.5, 0.5, 1.5])


@check("zero_adamw_step", points=1)
def test_steps_that_make_no_sense_are_refused(student):
    """A step 0, chunks of another length, and numbers out of range raise ValueError on every rank."""
    fits, three = [(np.ones(4), np.ones(2), np.zeros(2), np.zeros(2))] * 2, np.ones(3)
    raises = student.zero_adamw_step.on_ranks_must_raise
    raises(ValueError, fits, step=0, lr=0.1)
    raises(ValueError, fits, step=True, lr=0.1)
    raises(ValueError, [(np.ones(4), three, three, three)] * 2, step=1, lr=0.1)
    raises(ValueError, [(np.ones(4), np.ones(4), np.zeros(4), np.zeros(4))] * 2, step=1, lr=0.1)
    raises(ValueError, fits, step=1, lr=0.0)
    raises(ValueError, fits, step=1, lr=0.1, betas=(0.9, 1.0))
    raises(ValueError, fits, step=1, lr=0.1, weight_decay=-0.1)
    raises(ValueError, fits, step=1, lr=0.1, max_norm=0.0)


# --- fsdp_step ---

WIDTHS = st.lists(st.integers(1, 4), min_size=2, max_size=5)


def network(widths, ranks, samples, seed):
    """Matrices, and each rank's samples, targets and shards; the numbers are small, so that tanh still bends."""
    shapes = list(pairwise(widths))
    matrices = [patterned(a * b, seed + i).clip(-9, 9).reshape(a, b) / 16 for i, (a, b) in enumerate(shapes)]
    shards = [cut([matrix], ranks) for matrix in matrices]
    entries = [
        (
            patterned(samples * widths[0], seed + 20 + rank).clip(-9, 9).reshape(samples, -1) / 4,
            patterned(samples * widths[-1], seed + 40 + rank).clip(-9, 9).reshape(samples, -1) / 4,
            tuple(layer[rank] for layer in shards),
        )
        for rank in range(ranks)
    ]
    return matrices, shapes, entries


def one_process(matrices, entries):
    """The loss, and the gradient of every matrix, of one process with every rank's samples."""
    x, y = (np.concatenate([entry[part] for entry in entries]) for part in (0, 1))
    outputs = [x]
    for i, matrix in enumerate(matrices):
        output = outputs[-1] @ matrix
        outputs.append(np.tanh(output) if i < len(matrices) - 1 else output)
    error = outputs[-1] - y
    grads, flow = [], 2 * error / error.size
    for i in reversed(range(len(matrices))):
        grads.insert(0, outputs[i].T @ flow)
        flow = (flow @ matrices[i].T) * (1 - outputs[i] ** 2)
    return float(np.mean(error**2)), grads


@check("fsdp_step", points=3, examples=20)
@given(widths=WIDTHS, ranks=RANKS, samples=st.integers(1, 3), reshard=st.booleans(), seed=st.integers(0, 99))
def test_loss_and_gradients_are_those_of_one_process(student, widths, ranks, samples, reshard, seed):
    """Loss and gradients are those of one process with all samples; each rank has its shards of the gradients."""
    matrices, shapes, entries = network(widths, ranks, samples, seed)
    loss, grads = one_process(matrices, entries)
    run = student.fsdp_step.on_ranks(entries, shapes, [1.0] * len(shapes), reshard_after_forward=reshard)
    expect([result[0] for result in run.results], "loss on each rank").all_close(loss, abs=1e-12)
    shards = [cut([grad], ranks) for grad in grads]
    wanted = [[layer[rank] for layer in shards] for rank in range(ranks)]
    expect([result[1] for result in run.results], "gradient shards of each rank").close(wanted, abs=1e-12)


@check("fsdp_step", points=3, outcome="7b", examples=20)
@given(widths=WIDTHS, ranks=RANKS, seed=st.integers(0, 99))
def test_each_layer_is_gathered_twice_and_reduced_once(student, widths, ranks, seed):
    """Each rank all-gathers the layers in order; then, from the last, all-gathers each again and reduce-scatters it.

    It gives its shard to each all-gather and the padded gradient to each reduce-scatter, and one number at the end.
    """
    _, shapes, entries = network(widths, ranks, 2, seed)
    run = student.fsdp_step.on_ranks(entries, shapes, [1.0] * len(shapes))
    lengths = [len(shard) for shard in entries[0][2]]
    names = ["all_gather"] * len(shapes) + ["all_gather", "reduce_scatter"] * len(shapes) + ["all_reduce"]
    backward = [count for length in reversed(lengths) for count in (length, ranks * length)]
    expect(run.collectives, "collectives of each rank").all_equal(names)
    expect(run.collective_elements, "elements that each rank gave").all_equal([*lengths, *backward, 1])


@check("fsdp_step", points=2, examples=20)
@given(widths=WIDTHS, ranks=RANKS, reshard=st.booleans(), seed=st.integers(0, 99))
def test_a_layer_is_computed_before_the_next_is_gathered(student, widths, ranks, reshard, seed):
    """Each rank computes a layer right after gathering it, and reduces its gradient right after computing that.

    Without resharding it does the same, but for the second all-gathers.
    """
    _, shapes, entries = network(widths, ranks, 1, seed)
    seconds = [float(i + 1) for i in range(len(shapes))]
    run = student.fsdp_step.on_ranks(entries, shapes, seconds, reshard_after_forward=reshard)
    forward = [step for i in seconds for step in ("all_gather", i)]
    again = ["all_gather"] if reshard else []
    backward = [step for i in reversed(seconds) for step in (*again, 2 * i, "reduce_scatter")]
    did = [[e.seconds if e.kind == "compute" else e.kind for e in trace] for trace in run.traces]
    expect(did, "what each rank did (numbers are seconds of computing)").all_equal([*forward, *backward, "all_reduce"])


@check("fsdp_step", points=1)
def test_layers_that_do_not_fit_are_refused(student):
    """No layers, no samples, layers that do not fit each other, and shards of another length raise ValueError."""
    raises = student.fsdp_step.on_ranks_must_raise
    x, y, shard = np.ones((1, 2)), np.ones((1, 3)), np.ones(3)
    raises(ValueError, [(x, y, ())] * 2, [], [])
    raises(ValueError, [(np.ones((0, 2)), np.ones((0, 3)), (shard,))] * 2, [(2, 3)], [1.0])
    raises(ValueError, [(x, y, (shard,))] * 2, [(3, 2)], [1.0])
    raises(ValueError, [(x, y, (shard, shard))] * 2, [(2, 3), (2, 3)], [1.0, 1.0])
    raises(ValueError, [(x, y, (np.ones(2),))] * 2, [(2, 3)], [1.0])
    raises(ValueError, [(x, y, (shard,))] * 2, [(2, 3)], [1.0, 1.0])


# --- fsdp_forward_time ---

TIMES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=7)


@check("fsdp_forward_time", points=2)
def test_forward_passes_that_can_be_drawn_on_paper(student):
    """Five forward passes end when they should, with as much exposed communication."""
    for gather, compute, limit, total, exposed in (
        ([1.0] * 4, [2.0] * 4, 1, 12.0, 4.0),
        ([1.0] * 4, [2.0] * 4, 2, 9.0, 1.0),
        ([3.0] * 4, [1.0] * 4, 1, 16.0, 12.0),
        ([3.0] * 4, [1.0] * 4, 2, 13.0, 9.0),
        ([1.0, 1.0, 8.0], [10.0, 1.0, 1.0], 2, 20.0, 8.0),
        ([1.0, 1.0, 8.0], [10.0, 1.0, 1.0], 3, 13.0, 1.0),
    ):
        end, sticks_out, _, _ = student.fsdp_forward_time(gather, compute, limit=limit)
        expect(end, f"end of the pass with {limit} whole layers at most").close(total)
        expect(sticks_out, f"exposed with {limit} whole layers at most").close(exposed)


@check("fsdp_forward_time", points=2)
@given(times=TIMES, limit=st.integers(1, 4))
def test_every_event_starts_when_the_last_thing_it_waits_for_ends(student, times, limit):
    """An all-gather waits for the one before it and for the layer that has to be freed; a computation for its layer.

    Each event starts at the moment at which the last of these ends, and lasts as long as it should.
    """
    gather, compute = [float(g) for g, _ in times], [float(c) for _, c in times]
    total, exposed, gathers, computes = student.fsdp_forward_time(gather, compute, limit=limit)
    expect([end - start for start, end in gathers], "length of each all-gather").equal(gather)
    expect([end - start for start, end in computes], "length of each computation").equal(compute)
    for i in range(len(times)):
        waits = [0.0, *([gathers[i - 1][1]] if i else []), *([computes[i - limit][1]] if i >= limit else [])]
        expect(gathers[i][0], f"start of all-gather {i}").equal(max(waits))
        waits = [gathers[i][1], *([computes[i - 1][1]] if i else [])]
        expect(computes[i][0], f"start of computation {i}").equal(max(waits))
    expect(total, "end of the pass").equal(computes[-1][1])
    expect(exposed, "exposed communication").equal(total - sum(compute))


@check("fsdp_forward_time", points=1)
def test_two_layers_at_a_time_unless_told_otherwise(student):
    """Without a limit named, a forward pass is that of two whole layers at a time."""
    gather, compute = [1.0, 1.0, 8.0, 1.0], [10.0, 1.0, 1.0, 4.0]
    found = student.fsdp_forward_time(gather, compute)
    expect(found, "the timeline").close(student.fsdp_forward_time(gather, compute, limit=2))
    expect(found[0], "end of the pass").close(24.0)


@check("fsdp_forward_time", points=1)
def test_passes_without_layers_are_refused(student):
    """No layers, lists of different lengths, times out of range and a limit of zero raise ValueError."""
    student.fsdp_forward_time.must_raise(ValueError, [], [])
    student.fsdp_forward_time.must_raise(ValueError, [1.0, 1.0], [1.0])
    student.fsdp_forward_time.must_raise(ValueError, [-1.0], [1.0])
    student.fsdp_forward_time.must_raise(ValueError, [1.0], [float("inf")])
    student.fsdp_forward_time.must_raise(ValueError, [1.0], [1.0], limit=0)


# --- hybrid_reduce ---

GROUPS = st.sampled_from([(1, 1), (1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (2, 3), (4, 2), (1, 8), (2, 4)])


@check("hybrid_reduce", points=3, examples=20)
@given(grouping=GROUPS, n=sizes(0, 12), seed=st.integers(0, 99))
def test_every_rank_has_its_chunk_of_the_mean_over_all(student, grouping, n, seed):
    """The rank in place k of its group returns chunk k of the mean over all ranks, also where chunks are uneven."""
    group, replicas = grouping
    grads = [patterned(n, seed + rank) for rank in range(group * replicas)]
    chunks = np.array_split(np.mean(grads, axis=0), group)
    run = student.hybrid_reduce.on_ranks(grads, group)
    expect(run.results, "what each rank returned").close(chunks * replicas, abs=1e-12)


@check("hybrid_reduce", points=2, outcome="7b", examples=20)
@given(grouping=GROUPS, n=sizes(0, 12), seed=st.integers(0, 99))
def test_only_chunks_travel_between_groups(student, grouping, n, seed):
    """Each rank gives n elements to a reduce-scatter, and then its chunk to an all-reduce."""
    group, replicas = grouping
    run = student.hybrid_reduce.on_ranks([patterned(n, seed + rank) for rank in range(group * replicas)], group)
    chunks = [len(chunk) for chunk in np.array_split(np.zeros(n), group)]
    expect(run.collectives, "collectives of each rank").all_equal(["reduce_scatter", "all_reduce"])
    expect(run.collective_elements, "elements that each rank gave").equal([[n, length] for length in chunks * replicas])


@check("hybrid_reduce", points=1)
def test_groups_that_do_not_divide_the_ranks_are_refused(student):
    """Groups of two among three ranks, groups of none, and a gradient of two dimensions raise ValueError everywhere."""
    student.hybrid_reduce.on_ranks_must_raise(ValueError, [np.ones(4)] * 3, 2)
    student.hybrid_reduce.on_ranks_must_raise(ValueError, [np.ones(4)] * 2, 4)
    student.hybrid_reduce.on_ranks_must_raise(ValueError, [np.ones(4)] * 2, 0)
    student.hybrid_reduce.on_ranks_must_raise(ValueError, [np.ones((2, 2))] * 2, 2)


# --- choose_sharding ---


@check("choose_sharding", points=3)
def test_eight_cases_worked_out_by_hand(student):
    """On nodes of 8 GPUs with 450 GB/s within and 50 GB/s between nodes, eight choices are those made by hand.

    A node's group is fast; so stage 3 within nodes can beat stage 2 across them.
    """
    for billions, nodes, gigabytes, passes, expected in (
        (7, 1, 120, 1, (0, 1, 8, 0.0544444444)),
        (7, 4, 60, 1, (1, 8, 4, 0.1069444444)),
        (7, 4, 30, 4, (2, 8, 4, 0.1886111111)),
        (7, 4, 32, 4, (2, 8, 4, 0.1886111111)),
        (13, 4, 48, 1, (3, 8, 4, 0.2491666667)),
        (30, 4, 40, 1, (3, 16, 2, 3.45)),
        (30, 4, 62, 8, (3, 8, 4, 3.025)),
        (70, 8, 60, 2, (3, 32, 2, 16.3625)),
    ):
        found = student.choose_sharding(billions * 1e9, 8, nodes, gigabytes * 1e9, 450e9, 50e9, micro_steps=passes)
        what = f"{billions} billion parameters, {nodes} nodes, {gigabytes} GB, {passes} micro-steps"
        expect(found[:3], f"stage, shard group and replicas: {what}").equal(expected[:3])
        expect(found[3], f"seconds of a step: {what}").close(expected[3], rel=1e-6)


@check("choose_sharding", points=2)
@given(per_node=rank_counts(1, 8), nodes=rank_counts(1, 12), mem=positive(2.0, 20.0), passes=st.integers(1, 4))
def test_the_choice_fits_and_divides_the_cluster(student, per_node, nodes, mem, passes):
    """With enough bytes a parameter there is a choice: it fits, and its groups are of whole nodes and fill the cluster.

    Where links within and between nodes are alike, it never takes longer than plain ZeRO at the same stage would.
    """
    n, world, memory = 1000.0, per_node * nodes, 1000.0 * mem
    if 16 * n / world > memory:
        student.choose_sharding.must_raise(ValueError, n, per_node, nodes, memory, 1.0, 1.0, micro_steps=passes)
        return
    stage, group, replicas, seconds = student.choose_sharding(n, per_node, nodes, memory, 1.0, 1.0, micro_steps=passes)
    held = 2 * n / (group if stage > 2 else 1) + 2 * n / (group if stage > 1 else 1) + 12 * n / group
    expect(held, "bytes that the choice takes on each rank").at_most(memory * (1 + 1e-12))
    expect(group * replicas, "ranks in all groups").equal(world)
    expect(group == 1 if stage == 0 else group % per_node == 0, "the shard group").is_true("consists of whole nodes")
    plain = (2, 2, passes + 1, 3 * passes)[stage] * (world - 1) / world * 2 * n
    expect(seconds, "seconds of a step").at_most(plain * (1 + 1e-9))


@check("choose_sharding", points=1)
def test_of_equal_times_the_lowest_stage_and_the_smallest_group_win(student):
    """On one node stages 0 to 2 take equally long, and on nodes of one GPU so do all groups at stage 1."""
    for memory, expected in ((16000, (0, 1, 4)), (15999, (1, 4, 1)), (6999, (2, 4, 1)), (4000, (3, 4, 1))):
        found = student.choose_sharding(1000, 4, 1, float(memory), 30.0, 10.0)
        expect(found[:3], f"stage, shard group and replicas with {memory} bytes").equal(expected)
    found = student.choose_sharding(1000, 1, 12, 9000.0, 30.0, 10.0)
    expect(found[:3], "stage, shard group and replicas").equal((1, 3, 4))


@check("choose_sharding", points=1)
def test_clusters_that_cannot_be_are_refused(student):
    """A model that fits nowhere, no nodes, a bool for an int, and numbers out of range raise ValueError."""
    student.choose_sharding.must_raise(ValueError, 1000, 4, 2, 1999.0, 30.0, 10.0)
    student.choose_sharding.must_raise(ValueError, 1000, 4, 0, 1e6, 30.0, 10.0)
    student.choose_sharding.must_raise(ValueError, 1000, True, 2, 1e6, 30.0, 10.0)
    student.choose_sharding.must_raise(ValueError, 1000, 4, 2, 1e6, 0.0, 10.0)
    student.choose_sharding.must_raise(ValueError, 1000, 4, 2, 1e6, 30.0, float("inf"))
    student.choose_sharding.must_raise(ValueError, 1000, 4, 2, 1e6, 30.0, 10.0, micro_steps=0)
