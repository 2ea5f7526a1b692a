"""Lesson 6 · Data parallelism and collective communication.

Outcomes:
    6a  write collectives on ranks, with point-to-point messages alone
    6b  cost them: bus bandwidth, the alpha-beta model, and its constants from measurements
    6c  bucket gradients and overlap their reduction with the backward pass
    6d  show when data-parallel training equals training in one process

Reading:
    Thakur, Rabenseifner, Gropp (2005): Optimization of Collective Communication Operations in MPICH.
        International Journal of High Performance Computing Applications 19(1), 49-66.
    Patarasuk, Yuan (2009): Bandwidth optimal all-reduce algorithms for clusters of workstations.
        Journal of Parallel and Distributed Computing 69(2), 117-124.
    Li et al. (2020): PyTorch Distributed: Experiences on Accelerating Data Parallel Training.
        Proceedings of the VLDB Endowment 13(12). arXiv:2006.15704.
    NVIDIA: nccl-tests, doc/PERFORMANCE.md.
    Austin et al. (2025): How to Scale Your Model, the chapter on sharded matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from grader.student import Comm, FloatArray, checked_float, checked_int, checked_vector, exercise


class Bandwidth(NamedTuple):
    """The two bandwidths of a measured collective, in bytes per second.

    Attributes:
        algbw: Algorithm bandwidth: size over time.
        busbw: Bus bandwidth: what every rank's link must have carried to be that fast.
    """

    algbw: float
    busbw: float


class AlphaBeta(NamedTuple):
    """The line ``seconds = alpha + beta * bytes``.

    Attributes:
        alpha: Seconds that a message of no bytes takes.
        beta: Seconds per byte.
    """

    alpha: float
    beta: float


class Timeline(NamedTuple):
    """A backward pass and the communication of its buckets, in seconds from the start of the backward pass.

    Attributes:
        backward_end: When the backward pass is done.
        total: When the backward pass and all communication are done.
        exposed: Communication time that nothing hides: ``total - backward_end``.
        events: ``(start, end)`` of each bucket's communication, in bucket order.
    """

    backward_end: float
    total: float
    exposed: float
    events: list[tuple[float, float]]


class DDPStep(NamedTuple):
    """One rank's outcome of a data-parallel step.

    Attributes:
        params: The parameters after the update, shape (d,).
        grad: The gradient that the update used (averaged, then clipped), shape (d,).
    """

    params: FloatArray
    grad: FloatArray


@exercise(outcome="6b", minutes=15, core=True, difficulty=1)
def bus_bandwidth(op: str, size_bytes: int, seconds: float, ranks: int) -> Bandwidth:
    """Turn the measured time of a collective into algorithm and bus bandwidth.

    Algorithm bandwidth is ``size_bytes / seconds``, whatever the operation. Bus bandwidth is what one
    rank's link (in one direction) must have carried, if no algorithm could have sent less: the algorithm
    bandwidth times the bytes that each rank has to send, as a share of ``size_bytes``. Reduce and broadcast
    have a share of 1, because all data passes through the root's link.

    The size follows nccl-tests: it is the *full* tensor's. That is every rank's buffer in all_reduce,
    broadcast and reduce, the result in all_gather, every rank's input in reduce_scatter, and all that one
    rank holds for the others and itself in all_to_all.

    Args:
        op: "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast" or "reduce".
        size_bytes: Bytes of the full tensor, at least 1.
        seconds: Measured time, positive.
        ranks: How many ranks took part, at least 2.

    Returns:
        Both bandwidths in bytes (not GB, GiB or bits) per second.

    Raises:
        ValueError: If ``op`` is another name; if ``size_bytes`` is not an int of at least 1 or ``ranks``
            not one of at least 2 (a bool is not an int); if ``seconds`` is not finite and positive.

    Example:
        >>> bus_bandwidth("all_reduce", 1000, 0.5, 4)
        Bandwidth(algbw=2000.0, busbw=3000.0)
    """
    size, time, n = checked_int("size_bytes", size_bytes, 1), checked_float("seconds", seconds, positive=True), ranks
    n = checked_int("ranks", n, 2)
    factors = {
        "all_reduce": 2 * (n - 1) / n,
        "reduce_scatter": (n - 1) / n,
        "all_gather": (n - 1) / n,
        "all_to_all": (n - 1) / n,
        "broadcast": 1.0,
        "reduce": 1.0,
    }
    if op not in factors:
        raise ValueError(f"no such operation: {op!r}")
    algbw = size / time
    return Bandwidth(algbw, algbw * factors[op])


@exercise(outcome="6b", minutes=30, core=True, difficulty=2)
def collective_time(
    op: str, algorithm: str, ranks: int, size_bytes: int, alpha: float, beta: float, gamma: float = 0.0
) -> float:
    """Predict the time of a collective in the alpha-beta-gamma model.

    A round in which every rank sends at most one message of m bytes and receives at most one takes
    ``alpha + m * beta`` seconds; adding m received bytes to a buffer takes ``m * gamma`` more.
    With p = ``ranks`` and n = ``size_bytes`` (the full tensor, as in ``bus_bandwidth``), the algorithms run:

    - all_reduce, "ring": 2(p-1) rounds of n/p bytes; those of the first p-1 rounds are added.
    - all_reduce, "rabenseifner": log2 p rounds of n/2, n/4, ..., n/p bytes, which are added, then log2 p
      rounds of n/p, ..., n/4, n/2 bytes, which are not. Only for p a power of two.
    - all_reduce, "recursive_doubling": log2 p rounds of n bytes, all added. Only for p a power of two.
    - all_reduce, "tree": ceil(log2 p) rounds up, of n bytes, which are added, then as many down, which are
      not.
    - reduce_scatter, "ring": p-1 rounds of n/p bytes, all added.
    - all_gather, "ring": p-1 rounds of n/p bytes.
    - all_to_all, "pairwise": p-1 rounds of n/p bytes.

    n/p is real division: no rounding to whole bytes. With one rank every algorithm takes no time.

    Args:
        op: "all_reduce", "reduce_scatter", "all_gather" or "all_to_all".
        algorithm: One that the list above names for ``op``.
        ranks: How many ranks, at least 1.
        size_bytes: Bytes of the full tensor, at least 0.
        alpha: Seconds per round, at least 0.
        beta: Seconds per byte sent (the inverse of a link's bandwidth in one direction), at least 0.
        gamma: Seconds per byte added, at least 0.

    Returns:
        Seconds.

    Raises:
        ValueError: If ``op`` and ``algorithm`` are no pair of the list; if the algorithm needs a power of
            two and ``ranks`` is none; if ``ranks`` or ``size_bytes`` is not an int in its range (a bool is
            not an int); if a constant is negative or not finite.

    Example:
        >>> collective_time("all_reduce", "ring", 4, 1000, alpha=1.0, beta=0.5)
        756.0
    """
    p, n = checked_int("ranks", ranks, 1), checked_int("size_bytes", size_bytes, 0)
    alpha, beta, gamma = checked_float("alpha", alpha), checked_float("beta", beta), checked_float("gamma", gamma)
    if algorithm in ("rabenseifner", "recursive_doubling") and p & (p - 1):
        raise ValueError(f"{algorithm} needs a power of two, not {p} ranks")
    levels = (p - 1).bit_length()  # log2 p, rounded up
    share = (p - 1) / p * n
    match op, algorithm:
        case "all_reduce", "ring":
            return 2 * (p - 1) * alpha + 2 * share * beta + share * gamma
        case "all_reduce", "rabenseifner":
            return 2 * levels * alpha + share * (2 * beta + gamma)
        case "all_reduce", "recursive_doubling":
            return levels * (alpha + n * beta + n * gamma)
        case "all_reduce", "tree":
            return 2 * levels * (alpha + n * beta) + levels * n * gamma
        case "reduce_scatter", "ring":
            return (p - 1) * alpha + share * (beta + gamma)
        case "all_gather", "ring":
            return (p - 1) * (alpha + n / p * beta)
        case "all_to_all", "pairwise":
            return (p - 1) * alpha + share * beta
    raise ValueError(f"no such collective: {op!r} by {algorithm!r}")


@exercise(outcome="6b", minutes=45, core=False, difficulty=3)
def fit_alpha_beta(sizes: Sequence[int], times: Sequence[float], *, max_error: float = 0.25) -> AlphaBeta:
    """Fit ``seconds = alpha + beta * bytes`` to measured times of one collective.

    Measurements come with repeats, with a stalled run among them, and from a library that treats small
    messages in another way than large ones. So:

    1. Repeats. Measurements of equal size are one point: that size and the median of its times (of an even
       number, the mean of the middle two).
    2. Least squares on relative error. Choose alpha and beta to minimise the sum over the points of
       ``((alpha + beta * size) / time - 1) ** 2``, so that a microsecond counts for much where the time is
       short. Neither may be negative: if the minimum has a negative one, that one is 0 and the other alone
       is chosen to minimise the same sum.
    3. Regimes. If ``abs((alpha + beta * size) / time - 1) > max_error`` at any point, the points do not lie
       on one line: drop the point of the smallest size and fit the others again, until every remaining
       point is within ``max_error``. Fewer than three points are no evidence of a line.

    Args:
        sizes: Bytes, one entry for each measurement, in any order; ints of at least 1.
        times: Seconds, in the same order; finite and positive.
        max_error: The relative error that still counts as being on the line; finite and positive.

    Returns:
        alpha in seconds and beta in seconds per byte, to a relative 1e-6.

    Raises:
        ValueError: If there are not as many times as sizes; if an entry is out of its range (a bool is not
            an int); if ``max_error`` is; if there are fewer than three distinct sizes, or no three remain
            that lie on one line.

    Example:
        >>> fit_alpha_beta([1, 3, 3, 3, 7], [2.0, 4.0, 90.0, 4.0, 8.0])
        AlphaBeta(alpha=1.0, beta=1.0)
    """
    if len(sizes) != len(times):
        raise ValueError(f"{len(sizes)} sizes but {len(times)} times")
    tolerance = checked_float("max_error", max_error, positive=True)
    runs: dict[int, list[float]] = {}
    for size, seconds in zip(sizes, times, strict=True):
        runs.setdefault(checked_int("size", size, 1), []).append(checked_float("time", seconds, positive=True))
    points = [(size, float(np.median(runs[size]))) for size in sorted(runs)]
    while len(points) >= 3:
        alpha, beta = _relative_least_squares(points)
        if all(abs((alpha + beta * size) / seconds - 1) <= tolerance for size, seconds in points):
            return AlphaBeta(alpha, beta)
        points = points[1:]
    raise ValueError("no three sizes lie on one line")


def _relative_least_squares(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The normal equations of ``alpha * u + beta * v = 1``, with the rows u = 1/time and v = size/time."""
    uu = math.fsum(1 / seconds**2 for _, seconds in points)
    uv = math.fsum(size / seconds**2 for size, seconds in points)
    vv = math.fsum((size / seconds) ** 2 for size, seconds in points)
    u1 = math.fsum(1 / seconds for _, seconds in points)
    v1 = math.fsum(size / seconds for size, seconds in points)
    determinant = uu * vv - uv * uv
    alpha, beta = (u1 * vv - v1 * uv) / determinant, (uu * v1 - uv * u1) / determinant
    if alpha < 0:
        alpha, beta = 0.0, v1 / vv
    if beta < 0:
        alpha, beta = u1 / uu, 0.0
    return alpha, beta


@exercise(outcome="6a", minutes=35, core=True, difficulty=2)
def reduce_scatter(comm: Comm, buffer: FloatArray) -> FloatArray:
    """Sum a buffer over all ranks around a ring; each rank ends with one chunk of the sum.

    Every rank cuts its buffer into p = ``comm.size`` chunks as ``numpy.array_split`` does (the first ones
    are an element longer where p does not divide; with fewer elements than ranks the last ones are empty).
    At step s = 0 ... p-2 rank r sends its chunk (r - s) mod p, with what it has added so far, to its right
    neighbour, rank (r + 1) mod p, and adds the chunk that it receives from its left neighbour,
    rank (r - 1) mod p, to its own chunk of the same number. An empty chunk is sent like any other.

    Args:
        comm: This rank's communicator. Point-to-point calls alone (send, recv, sendrecv, isend, irecv).
        buffer: One-dimensional, float64, of the same length on every rank; not changed.

    Returns:
        Chunk (r + 1) mod p of the sum, on rank r. With one rank, the whole buffer.

    Raises:
        ValueError: If ``buffer`` is not one-dimensional.

    Example:
        >>> on_ranks(reduce_scatter, [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
        [array([33.]), array([11., 22.])]
    """
    p, rank = comm.size, comm.rank
    chunks = np.array_split(checked_vector("buffer", buffer), p)
    for step in range(p - 1):
        outgoing, incoming = (rank - step) % p, (rank - step - 1) % p
        chunks[incoming] += comm.sendrecv(chunks[outgoing], dest=(rank + 1) % p, source=(rank - 1) % p)
    return chunks[(rank + 1) % p]


@exercise(outcome="6a", minutes=20, core=True, difficulty=2)
def all_gather(comm: Comm, chunk: FloatArray) -> FloatArray:
    """Collect one chunk from each rank around a ring, until every rank has the whole buffer.

    Rank r starts with chunk (r + 1) mod p, as ``reduce_scatter`` leaves it (p = ``comm.size``). At step s =
    0 ... p-2 rank r sends chunk (r + 1 - s) mod p to rank (r + 1) mod p and receives chunk (r - s) mod p
    from rank (r - 1) mod p. Chunks may be of different lengths, and empty; an empty one is sent like any
    other.

    Args:
        comm: This rank's communicator. Point-to-point calls alone (send, recv, sendrecv, isend, irecv).
        chunk: Chunk (r + 1) mod p of the buffer, on rank r: one-dimensional, float64; not changed.

    Returns:
        Chunks 0, 1, ..., p-1, one after the other, the same on every rank. With one rank, its chunk.

    Raises:
        ValueError: If ``chunk`` is not one-dimensional.

    Example:
        >>> on_ranks(all_gather, [[3.0], [1.0, 2.0]])
        [array([1., 2., 3.]), array([1., 2., 3.])]
    """
    p, rank = comm.size, comm.rank
    chunks = {(rank + 1) % p: checked_vector("chunk", chunk)}
    for step in range(p - 1):
        outgoing, incoming = (rank + 1 - step) % p, (rank - step) % p
        chunks[incoming] = comm.sendrecv(chunks[outgoing], dest=(rank + 1) % p, source=(rank - 1) % p)
    return np.concatenate([chunks[index] for index in range(p)])


@exercise(outcome="6a", minutes=30, core=True, difficulty=3)
def ring_all_reduce(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray:
    """Sum a buffer over all ranks with the ring algorithm.

    A reduce-scatter, then an all-gather, of the chunks that ``numpy.array_split`` makes for p =
    ``comm.size``. Reduce-scatter: at step s = 0 ... p-2 rank r sends chunk (r - s) mod p to rank (r + 1)
    mod p and adds what it receives to its own chunk of that number; afterwards it has all of chunk (r + 1)
    mod p. All-gather: at step s = 0 ... p-2 it sends chunk (r + 1 - s) mod p onward, and what it receives
    replaces its own. So each rank sends 2(p-1) messages, all to its right neighbour, empty chunks included.

    The exercise does not use your ``reduce_scatter`` and ``all_gather``: a mistake there must not cost
    points here.

    Args:
        comm: This rank's communicator. Point-to-point calls alone (send, recv, sendrecv, isend, irecv).
        buffer: One-dimensional, float64, of the same length on every rank; not changed.
        average: Divide the sum by the number of ranks: once, by the rank that has the whole chunk, before
            the all-gather.

    Returns:
        The sum (or mean), float64, the same to the last bit on every rank.

    Raises:
        ValueError: If ``buffer`` is not one-dimensional.

    Example:
        >>> on_ranks(ring_all_reduce, [[1.0, 2.0], [10.0, 20.0]])
        [array([11., 22.]), array([11., 22.])]
    """
    p, rank = comm.size, comm.rank
    right, left = (rank + 1) % p, (rank - 1) % p
    chunks = np.array_split(checked_vector("buffer", buffer), p)
    for step in range(p - 1):
        received = comm.sendrecv(chunks[(rank - step) % p], dest=right, source=left)
        chunks[(rank - step - 1) % p] += received
    if average:
        chunks[right] /= p
    for step in range(p - 1):
        gathered = comm.sendrecv(chunks[(rank + 1 - step) % p], dest=right, source=left)
        chunks[(rank - step) % p] = gathered
    return np.concatenate(chunks)


@exercise(outcome="6a", minutes=45, core=False, difficulty=3)
def tree_all_reduce(comm: Comm, buffer: FloatArray) -> FloatArray:
    """Sum a buffer over all ranks: a binomial tree up to rank 0, then the same tree down again.

    For any number of ranks p. Rank r > 0 has the parent r - d, where d is the largest power of two that
    divides r (the lowest set bit of r); so its children are r + d/2, r + d/4, ..., r + 1, and rank 0's are
    1, 2, 4, ..., as far as they are less than p.

    Up: a rank receives from its children, nearest first (r + 1, then r + 2, r + 4, ...), adds what they send
    to its buffer, and sends the sum to its parent. Down: a rank receives the whole sum from its parent and
    sends it to its children, farthest first. Every message is a whole buffer, also an empty one. So each rank
    but 0 sends one message up and gets one message down, and the whole takes 2 ceil(log2 p) rounds.

    Args:
        comm: This rank's communicator. Point-to-point calls alone (send, recv, sendrecv, isend, irecv).
        buffer: One-dimensional, float64, of the same length on every rank; not changed.

    Returns:
        The sum, float64, the same to the last bit on every rank.

    Raises:
        ValueError: If ``buffer`` is not one-dimensional.

    Example:
        >>> on_ranks(tree_all_reduce, [[1.0], [10.0], [100.0]])
        [array([111.]), array([111.]), array([111.])]
    """
    p, rank = comm.size, comm.rank
    total = checked_vector("buffer", buffer)
    distances = [1 << level for level in range((p - 1).bit_length())]
    for distance in distances:
        if rank % (2 * distance) == distance:
            comm.send(total, dest=rank - distance)
            break
        if rank + distance < p:
            total += comm.recv(source=rank + distance)
    for distance in reversed(distances):
        if rank % (2 * distance) == 0 and rank + distance < p:
            comm.send(total, dest=rank + distance)
        if rank % (2 * distance) == distance:
            total = comm.recv(source=rank - distance)
    return total


@exercise(outcome="6a", minutes=60, core=False, difficulty=3)
def halving_doubling_all_reduce(comm: Comm, buffer: FloatArray) -> FloatArray:
    """Sum a buffer over 2^k ranks by recursive halving and doubling (Rabenseifner's algorithm).

    The buffer has p = ``comm.size`` chunks, as ``numpy.array_split`` makes them.

    Halving, for the distances d = p/2, p/4, ..., 1: rank r and its partner, r XOR d, hold partial sums of
    the same 2d chunks. The one with the lower rank keeps the lower d of them, the other keeps the upper d.
    Each sends what it gives away, as one message, and adds what it receives to what it keeps. At the end
    rank r has all of chunk r.

    Doubling, for the distances d = 1, 2, ..., p/2: rank r and its partner, r XOR d, have d finished chunks
    each; they exchange them, as one message each way, and have 2d.

    So each rank sends 2 log2 p messages, and all ranks together send 2(p-1) times the length of the buffer.

    Args:
        comm: This rank's communicator. Point-to-point calls alone (send, recv, sendrecv, isend, irecv).
        buffer: One-dimensional, float64, of the same length on every rank; not changed.

    Returns:
        The sum, float64, the same to the last bit on every rank.

    Raises:
        ValueError: If the number of ranks is no power of two (1 is one), or ``buffer`` is not
            one-dimensional.

    Example:
        >>> on_ranks(halving_doubling_all_reduce, [[1.0, 2.0], [10.0, 20.0]])
        [array([11., 22.]), array([11., 22.])]
    """
    p, rank = comm.size, comm.rank
    if p & (p - 1):
        raise ValueError(f"halving and doubling needs a power of two, not {p} ranks")
    total = checked_vector("buffer", buffer)
    distances = [1 << level for level in range(p.bit_length() - 1)]
    for distance in reversed(distances):
        partner = rank ^ distance
        keep, give = _block(len(total), p, rank, distance), _block(len(total), p, partner, distance)
        total[keep] += comm.sendrecv(total[give], dest=partner, source=partner)
    for distance in distances:
        partner = rank ^ distance
        mine, theirs = _block(len(total), p, rank, distance), _block(len(total), p, partner, distance)
        total[theirs] = comm.sendrecv(total[mine], dest=partner, source=partner)
    return total


def _block(length: int, p: int, rank: int, width: int) -> slice:
    """Where the aligned block of ``width`` chunks that holds chunk ``rank`` lies in the buffer."""
    first = rank // width * width
    quotient, longer = divmod(length, p)
    start, stop = (chunk * quotient + min(chunk, longer) for chunk in (first, first + width))
    return slice(start, stop)


@exercise(outcome="6c", minutes=25, core=True, difficulty=2)
def assign_buckets(sizes: Sequence[int], *, cap: int = 25 * 2**20, first_cap: int = 2**20) -> list[list[int]]:
    """Group parameters into the buckets whose gradients are reduced together, as PyTorch's DDP does.

    The backward pass finishes the last parameter's gradient first. So walk through the parameters from the
    last to the first and put each into the open bucket. Once the bucket holds at least its limit, close it:
    the tensor that reaches the limit is still in it, so a bucket may exceed its limit, and no tensor is
    ever divided. The limit of the first bucket is ``first_cap``, so that communication can start early; all
    others' is ``cap``. The last bucket may hold less.

    Args:
        sizes: Bytes of each parameter's gradient, in the order of the parameters; ints of at least 1.
        cap: Limit in bytes of all buckets but the first; an int of at least 1. PyTorch's 25 MiB by default.
        first_cap: Limit in bytes of the first bucket; an int of at least 1. PyTorch's 1 MiB by default.

    Returns:
        The buckets in the order in which they close; in each, the indices of its parameters in ``sizes``,
        from the last to the first. No bucket is empty; without parameters there is none.

    Raises:
        ValueError: If a size or a limit is not an int of at least 1 (a bool is not an int).

    Example:
        >>> assign_buckets([4, 3, 2, 1], cap=5, first_cap=1)
        [[3], [2, 1], [0]]
    """
    first_limit, later_limit = checked_int("first_cap", first_cap, 1), checked_int("cap", cap, 1)
    counts = [checked_int("size", size, 1) for size in sizes]
    buckets: list[list[int]] = []
    bucket: list[int] = []
    filled = 0
    for index in reversed(range(len(counts))):
        bucket.append(index)
        filled += counts[index]
        limit = later_limit if buckets else first_limit
        if filled >= limit:
            buckets.append(bucket)
            bucket, filled = [], 0
    if bucket:
        buckets.append(bucket)
    return buckets


@exercise(outcome="6c", minutes=25, core=True, difficulty=2)
def overlap_step(backward: Sequence[float], communication: Sequence[float]) -> Timeline:
    """Overlap the reduction of gradient buckets with the backward pass that produces them.

    The backward pass works through the buckets in order and never waits: bucket i is ready at the sum of
    ``backward[0]`` to ``backward[i]``. One communication stream reduces the buckets in the same order, one at
    a time: a bucket's reduction starts as soon as the bucket is ready and the reduction before it has ended.

    Args:
        backward: Seconds of backward computation for each bucket; finite, at least 0.
        communication: Seconds of communication for each bucket; finite, at least 0.

    Returns:
        The timeline. Without buckets, all zero and no events.

    Raises:
        ValueError: If the two differ in length, or an entry is negative or not finite.

    Example:
        >>> overlap_step([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
        Timeline(backward_end=6.0, total=8.0, exposed=2.0, events=[(1.0, 3.0), (3.0, 5.0), (6.0, 8.0)])
    """
    if len(backward) != len(communication):
        raise ValueError(f"{len(backward)} backward times but {len(communication)} communication times")
    ready = end = 0.0
    events: list[tuple[float, float]] = []
    for compute_seconds, comm_seconds in zip(backward, communication, strict=True):
        ready += checked_float("backward", compute_seconds)
        start = max(ready, end)
        end = start + checked_float("communication", comm_seconds)
        events.append((start, end))
    total = max(ready, end)
    return Timeline(ready, total, total - ready, events)


@exercise(outcome="6c", minutes=25, core=False, difficulty=2)
def best_bucket_cap(
    sizes: Sequence[int],
    backward: Sequence[float],
    caps: Sequence[int],
    *,
    assign: Callable[[list[int], int], list[list[int]]],
    comm_seconds: Callable[[int], float],
    step_seconds: Callable[[list[float], list[float]], float],
) -> int:
    """Choose the bucket limit with the shortest step.

    For each limit in ``caps``: ``assign`` makes the buckets; the backward time of a bucket is the sum of
    its parameters' ``backward``; its communication time is ``comm_seconds`` of the sum of its parameters'
    ``sizes``, asked once a bucket, since a bucket is one collective; ``step_seconds`` turns the two lists,
    in the order of the buckets, into the time of the step. The limit with the least time wins, the smallest
    of them where times are equal.

    The pieces come as arguments, so nothing here depends on how you solved the exercises before; with
    those, they are ``assign_buckets(sizes, cap=cap, first_cap=cap)``, ``collective_time(...)`` and
    ``overlap_step(...).total``.

    Args:
        sizes: Bytes of each parameter's gradient, in the order of the parameters; at least one.
        backward: Seconds of backward computation of each parameter, in the same order (not in that of
            buckets).
        caps: The limits to choose from, in any order; ints of at least 1; at least one.
        assign: Called as ``assign(sizes, cap)``; returns buckets of indices into ``sizes``.
        comm_seconds: Called as ``comm_seconds(nbytes)``; returns the seconds of one collective of that
            size.
        step_seconds: Called as ``step_seconds(bucket_backward, bucket_communication)``; returns the seconds
            of the step.

    Returns:
        The chosen entry of ``caps``.

    Raises:
        ValueError: If ``sizes`` or ``caps`` is empty, ``backward`` has not as many entries as ``sizes``, or
            a limit is not an int of at least 1 (a bool is not an int).

    Example:
        >>> best_bucket_cap(
        ...     [4, 4],
        ...     [1.0, 2.0],
        ...     [8, 4],
        ...     assign=lambda sizes, cap: [[1, 0]] if cap == 8 else [[1], [0]],
        ...     comm_seconds=lambda nbytes: 1.0 + nbytes,
        ...     step_seconds=lambda backward, communication: sum(backward) + communication[-1],
        ... )
        4
    """
    if not sizes or not caps or len(sizes) != len(backward):
        raise ValueError("needs at least one size and one limit, and a backward time for every size")
    limits = sorted(checked_int("cap", cap, 1) for cap in caps)
    best, least = limits[0], math.inf
    for cap in limits:
        buckets = assign(list(sizes), cap)
        compute = [sum(backward[index] for index in bucket) for bucket in buckets]
        communication = [comm_seconds(sum(sizes[index] for index in bucket)) for bucket in buckets]
        seconds = step_seconds(compute, communication)
        if seconds < least:
            best, least = cap, seconds
    return best


@exercise(outcome="6d", minutes=50, core=True, difficulty=3, collectives=("all_reduce",))
def ddp_step(
    comm: Comm,
    x: FloatArray,
    y: FloatArray,
    params: FloatArray,
    lr: float,
    *,
    accum: int = 1,
    max_norm: float | None = None,
    weighting: Literal["sample", "rank"] = "sample",
) -> DDPStep:
    """Take one step of data-parallel SGD for linear regression.

    The loss over n samples is ``||x @ params - y||**2 / n``, so its gradient is
    ``2 * x.T @ (x @ params - y) / n``. Each rank has its own samples (its shard); the
    parameters are the same everywhere.

    1. Each rank computes the gradient of its own mean loss, in ``accum`` micro-batches that
       ``numpy.array_split`` makes of its samples. Micro-batches count by their samples, so that ``accum``
       never changes the result; one without samples counts nothing.
    2. The ranks average. Under "sample" a rank counts by its number of samples: the result is the gradient
       of one process that has all samples. Under "rank" every rank counts the same, as in PyTorch's DDP:
       the mean of the p ranks' gradients. A rank without samples has the gradient 0, and under "rank" it
       still counts in p.
    3. The *averaged* gradient is clipped: multiplied by ``min(1, max_norm / norm)``, with the Euclidean
       norm and nothing added to it. A gradient of zero stays zero.
    4. ``params - lr * grad``.

    Ranks communicate with ``comm.all_reduce`` alone, which returns the sum over the ranks; once a step, not
    once a micro-batch: a rank's arguments to all_reduce hold d + 1 numbers in all, the gradient's and one
    for the count.

    Args:
        comm: This rank's communicator.
        x: This rank's samples, shape (n, d); n may be 0, and may differ between ranks; not changed.
        y: This rank's targets, shape (n,); not changed.
        params: Parameters, shape (d,), d at least 1, the same on every rank; not changed.
        lr: Learning rate, finite and positive.
        accum: Micro-batches a step, an int of at least 1; may exceed n.
        max_norm: Largest norm of the averaged gradient, finite and positive; None does not clip.
        weighting: "sample" or "rank".

    Returns:
        The new parameters and the gradient after clipping, the same on every rank.

    Raises:
        ValueError: If ``x``, ``y`` and ``params`` do not fit each other; if ``lr``, ``accum`` or
            ``max_norm`` is out of its range (a bool is not an int); if ``weighting`` is another word; if no
            rank has a sample.

    Example:
        >>> on_ranks(ddp_step, [([[1.0], [1.0]], [1.0, 1.0]), ([[1.0]], [4.0])], np.array([0.0]), 0.25)
        [DDPStep(params=array([1.]), grad=array([-4.])), DDPStep(params=array([1.]), grad=array([-4.]))]
    """
    x, y, params = (np.asarray(array, dtype=np.float64) for array in (x, y, params))
    if params.ndim != 1 or y.ndim != 1 or x.shape != (len(y), len(params)):
        raise ValueError(f"x {x.shape}, y {y.shape} and params {params.shape} do not fit each other")
    if weighting not in ("sample", "rank"):
        raise ValueError(f'weighting must be "sample" or "rank", not {weighting!r}')
    lr, accum = checked_float("lr", lr, positive=True), checked_int("accum", accum, 1)
    limit = math.inf if max_norm is None else checked_float("max_norm", max_norm, positive=True)
    local = np.zeros_like(params)  # the gradient of the summed, not the mean, loss
    for micro_x, micro_y in zip(np.array_split(x, accum), np.array_split(y, accum), strict=True):
        local += 2 * micro_x.T @ (micro_x @ params - micro_y)
    if weighting == "rank":
        local = local / max(len(y), 1)
    reduced = comm.all_reduce(np.append(local, len(y)))
    samples = reduced[-1]
    if samples == 0:
        raise ValueError("no rank has a sample")
    grad = reduced[:-1] / (samples if weighting == "sample" else comm.size)
    norm = float(np.linalg.norm(grad))
    if norm > limit:
        grad = grad * (limit / norm)
    return DDPStep(params - lr * grad, grad)
