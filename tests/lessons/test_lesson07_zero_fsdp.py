"""The solutions of lesson 7, against published values and against other ways to compute the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from grader.worker.threads import ThreadRun, on_ranks, run_on_threads
from tests.support import load_solution

lesson = load_solution("lesson07_zero_fsdp")
collectives = load_solution("lesson06_collectives")

RANKS = [1, 2, 3, 5, 8]


def run(function: Callable[..., Any], per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> ThreadRun:
    """A run in which every rank returned."""
    ran = run_on_threads(function, per_rank, shared, keywords)
    assert not ran.errors
    return ran


def joined(ran: ThreadRun) -> list[list[tuple[str, int]]]:
    """The collectives of each rank, with the elements that it gave."""
    kinds = ("all_gather", "reduce_scatter", "all_reduce")
    return [[(event.kind, event.elements) for event in trace if event.kind in kinds] for trace in ran.traces]


# --- what ranks hold and send ---


@pytest.mark.parametrize(("stage", "gigabytes"), [(0, 120.0), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_model_states_of_7_5_billion_parameters(stage: int, gigabytes: float) -> None:
    """Rajbhandari et al. 2020, figure 1 and sections 5.1 to 5.3: 7.5 B parameters, 64 ranks."""
    assert round(lesson.zero_state_bytes(7.5e9, 64, stage).total / 1e9, 1) == gigabytes


@pytest.mark.parametrize(
    ("dp", "gigabytes"),
    [(4, (52.5, 41.25, 30.0)), (64, (31.40625, 16.640625, 1.875)), (256, (30.3515625, 15.41015625, 0.46875))],
)
def test_model_states_at_other_degrees(dp: int, gigabytes: Sequence[float]) -> None:
    """Recomputed from 4 + 12/N, 2 + 14/N and 16/N bytes a parameter."""
    found = [lesson.zero_state_bytes(7.5e9, dp, stage).total / 1e9 for stage in (1, 2, 3)]
    assert found == pytest.approx(list(gigabytes))


@pytest.mark.parametrize(("stage", "billions"), [(0, "2"), (1, "7.6"), (2, "14.4"), (3, "128")])
def test_largest_model_for_32_gigabytes(stage: int, billions: str) -> None:
    """Rajbhandari et al. 2020, table 2, first row: 64 ranks of 32 GB hold 2, 7.6, 14.4 and 128 B parameters."""
    largest = 32e9 / lesson.zero_state_bytes(1.0, 64, stage).total
    assert largest / 1e9 == pytest.approx(float(billions), abs=0.05)


@pytest.mark.parametrize("dp", [1, 4, 64])
def test_four_byte_gradients_make_megatrons_numbers(dp: int) -> None:
    """Megatron-LM, docs of its distributed optimizer: 18 bytes a parameter, and 6 + 12/d when it is sharded."""
    assert lesson.zero_state_bytes(1, dp, 0, grad_bytes=4).total == 18
    assert lesson.zero_state_bytes(1, dp, 1, grad_bytes=4).total == pytest.approx(6 + 12 / dp)


def test_a_model_of_gpt_2s_size_takes_24_gigabytes() -> None:
    """Rajbhandari et al. 2020, section 3.1: 1.5 B parameters take 3 GB, their training states at least 24 GB."""
    states = lesson.zero_state_bytes(1.5e9, 1, 0)
    assert (states.params, states.total) == (3e9, 24e9)


@pytest.mark.parametrize("dp", [2, 3, 8, 64])
def test_stage_3_sends_half_as_much_again(dp: int) -> None:
    """Rajbhandari et al. 2020, section 7.2: 2, 2 and 3 times the model, 1.5 times the baseline."""
    baseline, first, second, third = (lesson.zero_sent_elements(1e9, dp, stage).total for stage in range(4))
    assert first == second == baseline
    assert third / baseline == pytest.approx(1.5)
    assert baseline == pytest.approx(2e9, rel=1.01 / dp)


@pytest.mark.parametrize(
    ("arguments", "options", "total"),
    [
        ((1e9, 8, 3), {}, 2.625e9),
        ((1000, 4, 3), {"micro_steps": 4}, 9000),
        ((1000, 4, 0), {"micro_steps": 4}, 1500),
        ((1000, 4, 2), {"micro_steps": 4}, 3750),
        ((1000, 4, 3), {"micro_steps": 4, "reshard_after_forward": False}, 6000),
        ((1000, 1, 3), {"micro_steps": 4}, 0),
    ],
)
def test_elements_sent_in_a_step(arguments: tuple[float, int, int], options: dict[str, Any], total: float) -> None:
    """Counted by hand: f = (p-1)/p; 3Af at stage 3, (A+1)f at stage 2, 2f at stage 0."""
    assert lesson.zero_sent_elements(*arguments, **options).total == pytest.approx(total)


@pytest.mark.parametrize("p", [2, 3, 5, 8])
def test_elements_sent_are_those_of_lesson_6s_rings(p: int) -> None:
    """A ring reduce-scatter and a ring all-gather of n elements, where p divides n, send what is counted."""
    n = 4 * p
    buffers = [np.arange(float(n))] * p
    scattered = run(collectives.reduce_scatter, buffers)
    gathered = run(collectives.all_gather, scattered.results)
    sent = [
        [sum(event.elements for event in trace if event.kind == "send") for trace in ran.traces]
        for ran in (gathered, scattered)
    ]
    counted = lesson.zero_sent_elements(n, p, 1)
    assert sent == [[counted.gathered] * p, [counted.reduced] * p]


# --- shards ---


def test_a_linear_layer_on_16_ranks() -> None:
    """Zhao et al. 2023, section 3.2.1 and figure 3: a 4 by 3 nn.Linear (12 + 3 elements), the last rank has padding."""
    found = lesson.flatten_and_shard([np.ones((3, 4)), np.ones(3)], 16)
    assert [list(shard) for shard in found.shards] == [[1.0]] * 15 + [[0.0]]
    assert found.padding == 1


@pytest.mark.parametrize(
    ("shapes", "ranks", "length", "padding"),
    [([(3, 2), (4,)], 4, 3, 2), ([(3, 2), (4,)], 1, 10, 0), ([(5,)], 8, 1, 3), ([(0,)], 3, 0, 0), ([()], 2, 1, 1)],
)
def test_lengths_and_padding(shapes: list[tuple[int, ...]], ranks: int, length: int, padding: int) -> None:
    """By hand."""
    found = lesson.flatten_and_shard([np.ones(shape) for shape in shapes], ranks)
    assert [len(shard) for shard in found.shards] == [length] * ranks
    assert (found.padding, found.shapes) == (padding, shapes)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
@pytest.mark.parametrize("p", RANKS)
def test_round_trip_is_exact(p: int, dtype: str) -> None:
    """Every rank gets every bit back, with less padding than ranks."""
    rng = np.random.default_rng(p)
    shapes: list[tuple[int, ...]] = [(3, 4), (), (5,), (0, 2), (2, 1, 3)]
    tensors = [(100 * rng.standard_normal(shape)).astype(dtype) for shape in shapes]
    sharded = lesson.flatten_and_shard(tensors, p)
    assert 0 <= sharded.padding < p
    for result in on_ranks(lesson.unshard, sharded.shards, sharded.shapes):
        assert all(map(np.array_equal, result, tensors))
        assert {tensor.dtype.name for tensor in result} == {dtype}


def test_shards_of_transposed_tensors_are_in_c_order() -> None:
    """What counts is the order of the indices, not that of the memory."""
    matrix = np.arange(6.0).reshape(2, 3).T
    assert np.concatenate(lesson.flatten_and_shard([matrix], 2).shards).tolist() == [0, 3, 1, 4, 2, 5]


# --- the optimizer ---


def adamw(params: Any, grads: Sequence[Any], *, lr: float, betas: Any, eps: float, weight_decay: float, max_norm: Any):
    """Parameters after each step, element by element, in the order in which PyTorch's documentation of AdamW goes."""
    params, m, v = [float(p) for p in params], [0.0] * len(params), [0.0] * len(params)
    for step, grad in enumerate(grads, start=1):
        norm = math.sqrt(math.fsum(g * g for g in grad))
        scale = max_norm / norm if max_norm is not None and norm > max_norm else 1.0
        for i, raw in enumerate(grad):
            g = scale * raw
            params[i] -= lr * weight_decay * params[i]
            m[i] = betas[0] * m[i] + (1 - betas[0]) * g
            v[i] = betas[1] * v[i] + (1 - betas[1]) * g * g
            m_hat, v_hat = m[i] / (1 - betas[0] ** step), v[i] / (1 - betas[1] ** step)
            params[i] -= lr * m_hat / (math.sqrt(v_hat) + eps)
        yield list(params)


@pytest.mark.parametrize("max_norm", [None, 0.5, 2.0])
@pytest.mark.parametrize("n", [1, 7, 16])
@pytest.mark.parametrize("p", RANKS)
def test_sharded_adamw_is_dense_adamw(p: int, n: int, max_norm: float | None) -> None:
    """Four steps with growing gradients, some of them clipped: the same to 1e-12."""
    rng = np.random.default_rng(n)
    options = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 0.05, "weight_decay": 0.2, "max_norm": max_norm}
    params = rng.standard_normal(n)
    all_grads = [rng.standard_normal((p, n)) * (step + 1) / 2 for step in range(4)]
    chunks = [np.array_split(array, p) for array in (params, np.zeros(n), np.zeros(n))]
    dense = adamw(params, [grads.mean(axis=0) for grads in all_grads], **options)
    for step, (grads, expected) in enumerate(zip(all_grads, dense, strict=True), start=1):
        results = on_ranks(lesson.zero_adamw_step, list(zip(grads, *chunks, strict=True)), step=step, **options)
        for result in results:
            np.testing.assert_allclose(result.params, expected, rtol=1e-12, atol=1e-14)
        chunks = [[result[part] for result in results] for part in (1, 2, 3)]


def test_first_step_is_the_learning_rate_over_one_plus_eps() -> None:
    """A gradient of 1 without decay moves every parameter by lr / (1 + eps)."""
    entries = [(np.ones(3), chunk, 0 * chunk, 0 * chunk) for chunk in np.array_split(np.zeros(3), 2)]
    for result in on_ranks(lesson.zero_adamw_step, entries, step=1, lr=0.5, eps=0.25):
        np.testing.assert_allclose(result.params, -0.5 / 1.25, rtol=1e-14)


def test_permuting_the_ranks_gradients_changes_nothing() -> None:
    """Only their mean counts."""
    rng = np.random.default_rng(7)
    grads, masters = list(rng.standard_normal((3, 8))), np.array_split(rng.standard_normal(8), 3)
    results = []
    for order in ((0, 1, 2), (2, 0, 1)):
        entries = [(grads[i], part, 0 * part, 0 * part) for i, part in zip(order, masters, strict=True)]
        results.append(on_ranks(lesson.zero_adamw_step, entries, step=1, lr=0.1, max_norm=1.0)[0].params)
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12)


def test_adamw_sends_what_stage_1_sends() -> None:
    """Reduce-scatter of 8, one number for the norm, all-gather of 2 on each of 4 ranks."""
    entries = [(np.ones(8), np.ones(2), np.zeros(2), np.zeros(2))] * 4
    ran = run(lesson.zero_adamw_step, entries, step=1, lr=0.1, max_norm=100.0)
    assert joined(ran) == [[("reduce_scatter", 8), ("all_reduce", 1), ("all_gather", 2)]] * 4


# --- FSDP ---


def network(widths: Sequence[int], p: int, samples: int) -> tuple[list[NDArray[np.float64]], list[Any], list[Any]]:
    """Matrices, their shapes, and what each rank gets."""
    rng = np.random.default_rng(sum(widths))
    matrices = [rng.standard_normal(shape) / 2 for shape in pairwise(widths)]
    sharded = [lesson.flatten_and_shard([matrix], p).shards for matrix in matrices]
    xs, ys = (rng.standard_normal((p, samples, width)) for width in (widths[0], widths[-1]))
    entries = [(xs[rank], ys[rank], tuple(shards[rank] for shards in sharded)) for rank in range(p)]
    return matrices, [matrix.shape for matrix in matrices], entries


def loss_of(matrices: Sequence[Any], entries: Sequence[Any]) -> float:
    """The mean squared error over all ranks' samples."""
    hidden, y = (np.concatenate([entry[part] for entry in entries]) for part in (0, 1))
    for matrix in matrices[:-1]:
        hidden = np.tanh(hidden @ matrix)
    return float(np.mean((hidden @ matrices[-1] - y) ** 2))


@pytest.mark.parametrize("reshard", [True, False])
@pytest.mark.parametrize("widths", [(3, 2), (2, 5, 1), (4, 3, 3, 2)])
@pytest.mark.parametrize("p", RANKS)
def test_fsdp_gradients_by_finite_differences(p: int, widths: Sequence[int], reshard: bool) -> None:
    """The derivative of the loss over all ranks' samples with respect to every weight."""
    matrices, shapes, entries = network(widths, p, 2)
    results = on_ranks(lesson.fsdp_step, entries, shapes, [0.0] * len(shapes), reshard_after_forward=reshard)
    assert [result.loss for result in results] == pytest.approx([loss_of(matrices, entries)] * p)
    for i, matrix in enumerate(matrices):
        grad = np.concatenate([result.grads[i] for result in results])
        assert not grad[matrix.size :].any()
        for place in range(matrix.size):
            nudge = np.zeros(matrix.size)
            nudge[place] = 1e-6
            up, down = (
                loss_of([*matrices[:i], matrix + sign * nudge.reshape(matrix.shape), *matrices[i + 1 :]], entries)
                for sign in (1, -1)
            )
            assert grad[place] == pytest.approx((up - down) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("p", RANKS)
def test_fsdp_does_not_depend_on_the_number_of_ranks(p: int) -> None:
    """120 samples on 1 to 8 ranks: the same loss and gradients."""
    matrices, shapes, entries = network((3, 4, 2), 1, 120)
    x, y = entries[0][:2]
    alone = on_ranks(lesson.fsdp_step, entries, shapes, [1.0, 1.0])[0]
    sharded = [lesson.flatten_and_shard([matrix], p).shards for matrix in matrices]
    split = [
        (xs, ys, tuple(shards[rank] for shards in sharded))
        for rank, (xs, ys) in enumerate(zip(np.split(x, p), np.split(y, p), strict=True))
    ]
    results = on_ranks(lesson.fsdp_step, split, shapes, [1.0, 1.0])
    for i, whole in enumerate(alone.grads):
        grad = np.concatenate([result.grads[i] for result in results])[: len(whole)]
        np.testing.assert_allclose(grad, whole, rtol=1e-11, atol=1e-14)
    assert results[-1].loss == pytest.approx(alone.loss)


def test_fsdp_gathers_twice_and_reduces_once() -> None:
    """Zhao et al. 2023, section 3: layers of 6, 12 and 4 elements on 4 ranks, gathered again from the last."""
    _, shapes, entries = network((3, 2, 6, 1), 4, 1)
    forward = [("all_gather", 2), ("all_gather", 3), ("all_gather", 2)]
    backward = [("all_gather", 2), ("reduce_scatter", 8), ("all_gather", 3), ("reduce_scatter", 12)]
    backward += [("all_gather", 2), ("reduce_scatter", 8), ("all_reduce", 1)]
    assert joined(run(lesson.fsdp_step, entries, shapes, [1.0] * 3)) == [[*forward, *backward]] * 4


@pytest.mark.parametrize("reshard", [True, False])
def test_fsdp_sends_what_stage_3_sends(reshard: bool) -> None:
    """In a ring an all-gather of shards of s sends (p-1)s, a reduce-scatter of ps as much: 3 or 2 times (p-1)/p."""
    p = 4
    matrices, shapes, entries = network((4, 2, 6), p, 1)
    counted = lesson.zero_sent_elements(sum(m.size for m in matrices), p, 3, reshard_after_forward=reshard)
    for events in joined(run(lesson.fsdp_step, entries, shapes, [1.0] * 2, reshard_after_forward=reshard)):
        assert sum((p - 1) * n for kind, n in events if kind == "all_gather") == counted.gathered
        assert sum((p - 1) * n / p for kind, n in events if kind == "reduce_scatter") == counted.reduced


# --- time ---


@pytest.mark.parametrize(
    ("layers", "gather", "compute", "limit", "total"),
    [(4, 1, 2, 1, 12), (4, 1, 2, 2, 9), (4, 3, 1, 1, 16), (4, 3, 1, 2, 13), (7, 2, 2, 2, 16), (1, 5, 3, 2, 8)],
)
def test_uniform_layers(layers: int, gather: float, compute: float, limit: int, total: float) -> None:
    """L(g + c) without prefetching, g + (L-1) max(g, c) + c with it."""
    line = lesson.fsdp_forward_time([float(gather)] * layers, [float(compute)] * layers, limit=limit)
    assert (line.total, line.exposed) == (total, total - layers * compute)
    formula = layers * (gather + compute) if limit == 1 else gather + (layers - 1) * max(gather, compute) + compute
    assert line.total == formula


def test_a_long_first_layer_shows_the_limit() -> None:
    """All-gathers of 1, 1, 8 and computations of 10, 1, 1: 20 s with two whole layers, 13 s with three."""
    totals = [lesson.fsdp_forward_time([1.0, 1.0, 8.0], [10.0, 1.0, 1.0], limit=limit).total for limit in (2, 3)]
    assert totals == [20.0, 13.0]


def longest_chain(gather: Sequence[float], compute: Sequence[float], limit: int) -> float:
    """The longest path through the graph of what waits for what, found without a timeline."""
    count = len(gather)
    finish: dict[tuple[str, int], float] = {}

    def end(kind: str, i: int) -> float:
        if i < 0:
            return 0.0
        if (kind, i) not in finish:
            if kind == "gather":
                finish[kind, i] = max(end("gather", i - 1), end("compute", i - limit)) + gather[i]
            else:
                finish[kind, i] = max(end("gather", i), end("compute", i - 1)) + compute[i]
        return finish[kind, i]

    return end("compute", count - 1)


@pytest.mark.parametrize("seed", range(30))
def test_forward_time_is_the_longest_chain(seed: int) -> None:
    """And it never gets longer when more layers may be whole, nor shorter than its bounds."""
    rng = np.random.default_rng(seed)
    gather, compute = ([float(x) for x in rng.integers(0, 9, 6)] for _ in range(2))
    totals = [lesson.fsdp_forward_time(gather, compute, limit=limit).total for limit in range(1, 8)]
    assert totals == [longest_chain(gather, compute, limit) for limit in range(1, 8)]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == sum(gather) + sum(compute)
    assert totals[-1] >= max(gather[0] + sum(compute), sum(gather) + compute[-1])


# --- hybrid sharding and the choice ---


@pytest.mark.parametrize(("group", "replicas"), [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (4, 2)])
def test_hybrid_reduction_is_one_reduction_over_all(group: int, replicas: int) -> None:
    """Zhao et al. 2023, equation 1: scattering within groups and summing across them gives the sum over all ranks."""
    grads = list(np.random.default_rng(group).standard_normal((group * replicas, 7)))
    chunks = np.array_split(np.mean(grads, axis=0), group)
    for rank, result in enumerate(on_ranks(lesson.hybrid_reduce, grads, group)):
        np.testing.assert_allclose(result, chunks[rank % group], rtol=1e-12, atol=1e-15)


def test_traffic_between_nodes_under_hybrid_sharding() -> None:
    """Zhao et al. 2023, section 3.2.2: about 2M(W-1)/(GW) per GPU; exactly, with W/G replicas, 2M(W-G)/(GW)."""
    model, per_node, nodes = 8000, 8, 16
    world = per_node * nodes
    sharding = lesson.choose_sharding(model, per_node, nodes, 1e9, intra=1e30, inter=2.0)
    assert sharding[:3] == (1, per_node, nodes)
    assert sharding.seconds == pytest.approx(2 * model * (world - per_node) / (per_node * world))
    assert sharding.seconds == pytest.approx(2 * model * (world - 1) / (per_node * world), rel=per_node / world)


@pytest.mark.parametrize(
    ("stage", "group", "gigabytes", "seconds"),
    [
        (0, 1, 208.0, 1.008),
        (2, 32, 31.7, 1.008),
        (3, 32, 6.5, 1.511),
        (2, 8, 48.8, 0.199),
        (3, 8, 26.0, 0.249),
    ],
)
def test_the_table_of_the_handout(stage: int, group: int, gigabytes: float, seconds: float) -> None:
    """13 billion parameters on 4 nodes of 8 GPUs, 450 and 50 GB/s: worked out from rings and bytes."""
    held = lesson.zero_state_bytes(13e9, group, stage).total
    assert held / 1e9 == pytest.approx(gigabytes, abs=0.051)
    found = {choice[:2]: choice[3] for choice, _ in candidates(13 * 10**9, 8, 4, 450 * 10**9, 50 * 10**9, 1)}
    assert float(found[stage, group]) == pytest.approx(seconds, abs=0.00051)


def candidates(n: int, per_node: int, nodes: int, intra: int, inter: int, passes: int) -> list[Any]:
    """Every candidate and its bytes, exactly, from the other solutions of the lesson and lesson 6's cost of a ring."""
    world, found = per_node * nodes, []
    for stage in range(4):
        for group in [1] if stage == 0 else [per_node * k for k in range(1, nodes + 1) if nodes % k == 0]:
            replicas = world // group
            sent = lesson.zero_sent_elements(n, group, stage, micro_steps=passes).total if stage else 0.0
            seconds = 2 * Fraction(sent) / (intra if group <= per_node else inter)
            shard = Fraction(2 * n, group)
            seconds += 2 * Fraction(replicas - 1, replicas) * shard / (intra if nodes == 1 else inter)
            held = lesson.zero_state_bytes(n, group, stage).total
            found.append(((stage, group, replicas, seconds), held))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_choice_by_exhaustion(seed: int) -> None:
    """Every candidate tried; seconds that agree to nine digits are equal."""
    rng = np.random.default_rng(seed)
    n, per_node, nodes = 12000, int(rng.choice([1, 2, 4, 8])), int(rng.choice([1, 2, 3, 4, 6, 8, 12]))
    memory, intra, inter = n * float(rng.uniform(0.3, 17.0)), int(rng.integers(1, 60)), int(rng.integers(1, 20))
    passes = int(rng.integers(1, 6))
    fitting = [choice for choice, held in candidates(n, per_node, nodes, intra, inter, passes) if held <= memory]
    arguments = (n, per_node, nodes, memory, float(intra), float(inter))
    if not fitting:
        with pytest.raises(ValueError, match="fits"):
            lesson.choose_sharding(*arguments, micro_steps=passes)
        return
    expected = min(fitting, key=lambda choice: (round(float(choice[3]) / 1e-6), choice[0], choice[1]))
    found = lesson.choose_sharding(*arguments, micro_steps=passes)
    assert found[:3] == expected[:3]
    assert found.seconds == pytest.approx(float(expected[3]))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_numbers_out_of_range_are_refused(bad: float) -> None:
    """Not finite, or negative."""
    with pytest.raises(ValueError, match="n_params"):
        lesson.zero_state_bytes(bad, 2, 1)
    with pytest.raises(ValueError, match="intra"):
        lesson.choose_sharding(1000, 2, 2, 1e6, bad, 1.0)
    with pytest.raises(ValueError, match="gather"):
        lesson.fsdp_forward_time([bad], [1.0])


def test_a_step_that_cannot_be_is_refused_everywhere() -> None:
    """No rank waits for another for ever."""
    entries = [(np.ones(4), np.ones(3), np.ones(3), np.ones(3))] * 2
    ran = run_on_threads(lesson.zero_adamw_step, entries, (), {"step": 1, "lr": 0.1})
    assert [type(ran.errors[rank]) for rank in range(2)] == [ValueError] * 2
