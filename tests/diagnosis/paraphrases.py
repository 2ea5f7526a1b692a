"""Listed misconceptions of lesson 6 written as somebody else would write them; each must be named.

They show that a diagnosis asks for the same behaviour, not for the same text, the same roundings or the same calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.student import Comm, FloatArray
from tests.diagnosis.near_misses import Collection

PARAPHRASES = Collection()  # ``near`` is the misconception that it is


@PARAPHRASES.function("with_if_and_else", of="bus_bandwidth", near="all_reduce_passes_once", where="nowhere")
def bandwidth_with_if_and_else(op: str, size_bytes: int, seconds: float, ranks: int) -> tuple[float, float]:
    if type(size_bytes) is not int or size_bytes < 1 or type(ranks) is not int or ranks < 2:
        raise ValueError("counts")
    if isinstance(seconds, bool) or not 0 < seconds < float("inf"):
        raise ValueError("seconds")
    rate = size_bytes / seconds
    if op in ("all_reduce", "reduce_scatter", "all_gather", "all_to_all"):
        return rate, rate - rate / ranks
    if op in ("broadcast", "reduce"):
        return rate, rate
    raise ValueError(op)


@PARAPHRASES.function("round_by_round", of="collective_time", near="tree_one_way", where="nowhere")
def time_round_by_round(
    op: str, algorithm: str, ranks: int, size_bytes: int, alpha: float, beta: float, gamma: float = 0.0
) -> float:
    for count, least in ((ranks, 1), (size_bytes, 0)):
        if type(count) is not int or count < least:
            raise ValueError("counts")
    for constant in (alpha, beta, gamma):
        if isinstance(constant, bool) or not math.isfinite(constant) or constant < 0:
            raise ValueError("constants")
    levels = 0
    while 2**levels < ranks:
        levels += 1
    if algorithm in ("rabenseifner", "recursive_doubling") and 2**levels != ranks:
        raise ValueError("a power of two")
    chunk = [size_bytes / ranks] * (ranks - 1)
    halves = [size_bytes / 2 ** (level + 1) for level in range(levels)]
    whole = [float(size_bytes)] * levels
    schedules = {  # (rounds that are added, rounds that are not)
        ("all_reduce", "ring"): (chunk, chunk),
        ("all_reduce", "rabenseifner"): (halves, halves[::-1]),
        ("all_reduce", "recursive_doubling"): (whole, []),
        ("all_reduce", "tree"): (whole, []),
        ("reduce_scatter", "ring"): (chunk, []),
        ("all_gather", "ring"): ([], chunk),
        ("all_to_all", "pairwise"): ([], chunk),
    }
    if (op, algorithm) not in schedules:
        raise ValueError("no such pair")
    added, copied = schedules[op, algorithm]
    return sum(alpha + m * beta + m * gamma for m in added) + sum(alpha + m * beta for m in copied)


@PARAPHRASES.function("with_lstsq", of="fit_alpha_beta", near="mean_of_repeats", where="nowhere")
def fit_with_lstsq(sizes: Sequence[int], times: Sequence[float], *, max_error: float = 0.25) -> tuple[float, float]:
    if len(sizes) != len(times):
        raise ValueError("lengths")
    for number in (*times, max_error):
        if isinstance(number, bool) or not math.isfinite(number) or number <= 0:
            raise ValueError("times")
    if any(type(size) is not int or size < 1 for size in sizes):
        raise ValueError("sizes")
    s = np.unique(np.array(sizes, dtype=float))
    t = np.array([np.mean([time for size, time in zip(sizes, times, strict=True) if size == one]) for one in s])
    while len(s) >= 3:
        rows = np.column_stack([1 / t, s / t])
        scale = np.linalg.norm(rows, axis=0)
        fit = np.linalg.lstsq(rows / scale, np.ones(len(s)), rcond=None)[0] / scale
        for low, other in ((0, 1), (1, 0)):
            if fit[low] < 0:
                column = rows[:, other]
                fit = np.zeros(2)
                fit[other] = column.sum() / (column @ column)
        if np.all(np.abs(rows @ fit - 1) <= max_error):
            return float(fit[0]), float(fit[1])
        s, t = s[1:], t[1:]
    raise ValueError("no line")


@PARAPHRASES.function("in_a_matrix", of="reduce_scatter", near="reduce_scatter_remainder_dropped", where="nowhere")
def scatter_in_a_matrix(comm: Comm, buffer: FloatArray) -> FloatArray:
    if np.ndim(buffer) != 1:
        raise ValueError("one dimension")
    each = len(buffer) // comm.size
    parts = {index: buffer[index * each : (index + 1) * each].copy() for index in range(comm.size)}
    place = comm.rank
    for _ in range(comm.size - 1):
        comm.send(parts[place], (comm.rank + 1) % comm.size)
        place = (place - 1) % comm.size
        parts[place] = comm.recv((comm.rank - 1) % comm.size) + parts[place]
    return parts[place]


@PARAPHRASES.function("in_a_list", of="all_gather", near="order_of_arrival", where="nowhere")
def gather_in_a_list(comm: Comm, chunk: FloatArray) -> FloatArray:
    if chunk.ndim != 1:
        raise ValueError("one dimension")
    found = [chunk]
    for _ in range(comm.size - 1):
        request = comm.irecv((comm.rank - 1) % comm.size)
        comm.send(found[-1], (comm.rank + 1) % comm.size)
        found.append(request.wait())
    return np.hstack(found)


@PARAPHRASES.function("by_index", of="ring_all_reduce", near="gather_phase_adds", where="nowhere")
def ring_by_index(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray:
    if np.ndim(buffer) != 1:
        raise ValueError("one dimension")
    p, total = comm.size, np.array(buffer, dtype=np.float64)
    quotient, longer = divmod(len(total), p)
    edges = [i * quotient + min(i, longer) for i in range(p + 1)]
    place = comm.rank
    for step in range(2 * (p - 1)):
        comm.send(total[edges[place] : edges[place + 1]], (comm.rank + 1) % p)
        place = (place - 1) % p
        total[edges[place] : edges[place + 1]] += comm.recv((comm.rank - 1) % p)
        if step == p - 2 and average:
            total[edges[place] : edges[place + 1]] *= 1 / p
    return total


@PARAPHRASES.function("by_recursion", of="tree_all_reduce", near="only_the_root_has_the_sum", where="nowhere")
def tree_by_recursion(comm: Comm, buffer: FloatArray) -> FloatArray:
    if np.ndim(buffer) != 1:
        raise ValueError("one dimension")
    rank, total = comm.rank, buffer + 0.0
    lowest = rank & -rank or comm.size
    children = [rank + 2**k for k in range(20) if 2**k < lowest and rank + 2**k < comm.size]
    for child in children:
        total = comm.recv(child) + total
    if rank:
        comm.send(total, rank - lowest)
        comm.recv(rank - lowest)
    for child in children[::-1]:
        comm.send(total, child)
    return total


@PARAPHRASES.function("in_lists", of="halving_doubling_all_reduce", near="halving_replaces", where="nowhere")
def halving_in_lists(comm: Comm, buffer: FloatArray) -> FloatArray:
    p, rank = comm.size, comm.rank
    if p not in (1, 2, 4, 8, 16, 32, 64) or np.ndim(buffer) != 1:
        raise ValueError("a power of two, one dimension")
    chunks, low, high, d = np.array_split(buffer, p), 0, p, p // 2
    while d:
        middle = (low + high) // 2
        mine, theirs = ((low, middle), (middle, high)) if rank < middle else ((middle, high), (low, middle))
        sent = np.concatenate(chunks[theirs[0] : theirs[1]])
        received, sizes = comm.sendrecv(sent, rank ^ d, rank ^ d), [len(c) for c in chunks[mine[0] : mine[1]]]
        chunks[mine[0] : mine[1]] = np.split(received, np.cumsum(sizes)[:-1])
        (low, high), d = mine, d // 2
    d = 1
    while d < p:
        first = rank // d * d
        other = (rank ^ d) // d * d
        received = comm.sendrecv(np.concatenate(chunks[first : first + d]), rank ^ d, rank ^ d)
        chunks[other : other + d] = np.split(received, np.cumsum([len(c) for c in chunks[other : other + d]])[:-1])
        d *= 2
    return np.concatenate(chunks)


@PARAPHRASES.function("with_a_deque", of="assign_buckets", near="limit_to_be_exceeded", where="nowhere")
def buckets_with_a_deque(
    sizes: Sequence[int], *, cap: int = 26_214_400, first_cap: int = 1_048_576
) -> list[tuple[int, ...]]:
    if any(type(n) is not int or n < 1 for n in (*sizes, cap, first_cap)):
        raise ValueError("at least 1")
    made: list[list[int]] = [[]]
    for index in range(len(sizes) - 1, -1, -1):
        made[-1].append(index)
        if sum(sizes[i] for i in made[-1]) > (first_cap, cap)[len(made) > 1]:
            made.append([])
    return [tuple(bucket) for bucket in made if bucket]


@PARAPHRASES.function("with_cumsum", of="overlap_step", near="exposed_is_the_excess", where="nowhere")
def timeline_with_cumsum(backward: Sequence[float], communication: Sequence[float]) -> Any:
    if len(backward) != len(communication):
        raise ValueError("lengths")
    if any(isinstance(x, bool) or not math.isfinite(x) or x < 0 for x in (*backward, *communication)):
        raise ValueError("times")
    events: list[list[float]] = []
    for ready, length in zip(np.cumsum(backward), communication, strict=True):
        start = max(float(ready), events[-1][1]) if events else float(ready)
        events.append([start, start + length])
    end = float(np.sum(backward))
    total = max([end] + [stop for _, stop in events])
    excess = float(np.sum(communication)) - end
    return end, total, excess if excess > 0 else 0.0, events


@PARAPHRASES.function("with_min", of="best_bucket_cap", near="largest_of_equals", where="nowhere")
def cap_with_min(
    sizes: Sequence[int],
    backward: Sequence[float],
    caps: Sequence[int],
    *,
    assign: Callable[..., Any],
    comm_seconds: Callable[..., float],
    step_seconds: Callable[..., float],
) -> int:
    if len(sizes) == 0 or len(caps) == 0 or len(sizes) != len(backward):
        raise ValueError("lists")
    if any(type(cap) is not int or cap < 1 for cap in caps):
        raise ValueError("caps")

    def seconds(cap: int) -> float:
        compute, communication = [], []
        for bucket in assign(sizes, cap):
            compute.append(sum([backward[i] for i in bucket]))
            communication.append(comm_seconds(sum([sizes[i] for i in bucket])))
        return step_seconds(compute, communication)

    return min(sorted(caps, reverse=True), key=seconds)


@PARAPHRASES.function("sample_by_sample", of="ddp_step", near="half_the_squared_error", where="nowhere")
def step_sample_by_sample(
    comm: Comm,
    x: FloatArray,
    y: FloatArray,
    params: FloatArray,
    lr: float,
    *,
    accum: int = 1,
    max_norm: float | None = None,
    weighting: str = "sample",
) -> tuple[FloatArray, FloatArray]:
    if np.ndim(params) != 1 or np.ndim(y) != 1 or np.shape(x) != (len(y), len(params)):
        raise ValueError("shapes")
    for number in (lr, 1.0 if max_norm is None else max_norm):
        if isinstance(number, bool) or not math.isfinite(number) or number <= 0:
            raise ValueError("numbers")
    if type(accum) is not int or accum < 1 or weighting not in ("sample", "rank"):
        raise ValueError("options")
    gradient = np.zeros(len(params))
    for row, target in zip(x, y, strict=True):
        gradient = gradient + row * (np.dot(row, params) - target)
    share = gradient if weighting == "sample" or len(y) == 0 else gradient / len(y)
    everything = comm.all_reduce(np.concatenate([share, [float(len(y))]]))
    if everything[-1] < 0.5:
        raise ValueError("no samples")
    mean = everything[:-1] / (everything[-1] if weighting == "sample" else comm.size)
    length = math.sqrt(sum(mean**2))
    if max_norm is not None and length > max_norm:
        mean = mean / length * max_norm
    return params - mean * lr, mean
