"""Lesson 2 · GPUs and the roofline.

Outcomes:
    2a  derive a peak from cores and clock
    2b  say by a roofline what limits a kernel, and how long it takes
    2c  say what accesses to memory move, and schedule a tiled product that moves little
    2d  compute the occupancy of an SM and what limits it, and whether it hides the latency of memory
    2e  predict what tiles and waves lose, and follow blocks from launch to end

Reading:
    Williams, Waterman, Patterson (2009): Roofline: An Insightful Visual Performance Model for Multicore
        Architectures. Communications of the ACM 52(4), 65-76.
    NVIDIA: GPU Performance Background and Matrix Multiplication Background, two user's guides.
        docs.nvidia.com/deeplearning/performance.
    NVIDIA: CUDA C++ Best Practices Guide, the chapters on memory and on the execution configuration.
    Volkov (2016): Understanding Latency Hiding on GPUs. Dissertation, UC Berkeley, UCB/EECS-2016-143.
    Austin et al. (2025): How to Scale Your Model, the chapter on rooflines. jax-ml.github.io/scaling-book.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypedDict

from grader.student import checked_float, checked_int, exercise


class Roof(NamedTuple):
    """Where a kernel stands under a roofline.

    Attributes:
        attainable: The most FLOP per second that it can reach.
        bound: "memory" or "compute".
        ridge: The intensity at which the two limits meet, in FLOP per byte.
    """

    attainable: float
    bound: str
    ridge: float


class Sectors(NamedTuple):
    """What one memory instruction of a warp moves.

    Attributes:
        sectors: Sectors that are moved.
        efficiency: The share of the bytes moved that some lane asked for; 0.0 where nothing is moved.
    """

    sectors: int
    efficiency: float


class SMLimits(TypedDict):
    """What a streaming multiprocessor (SM) has: a dict of these entries.

    Attributes:
        max_warps: Warps that can be resident.
        max_blocks: Blocks that can be resident.
        registers: 32-bit registers, over all four partitions of the SM.
        register_unit: Registers are given to a warp in multiples of this many.
        shared_bytes: Bytes of shared memory.
        shared_unit: Shared memory is given to a block in multiples of this many bytes.
        shared_reserved: Bytes that the system takes for every block.
    """

    max_warps: int
    max_blocks: int
    registers: int
    register_unit: int
    shared_bytes: int
    shared_unit: int
    shared_reserved: int


class Occupancy(NamedTuple):
    """What of a kernel is resident on one SM.

    Attributes:
        blocks: Resident blocks.
        warps: Resident warps.
        fraction: Resident warps as a share of the most that there can be.
        limiters: What allows no more blocks, of "warps", "blocks", "registers", "shared_memory", in this order.
    """

    blocks: int
    warps: int
    fraction: float
    limiters: list[str]


class Hiding(NamedTuple):
    """What it takes to keep memory busy in spite of its latency.

    Attributes:
        bytes_in_flight: Bytes that have to be on their way at any time, on the whole chip.
        warps_needed: The fewest warps on each SM that keep so many on their way.
        reached: The share of the bandwidth that the resident warps reach.
    """

    bytes_in_flight: float
    warps_needed: int
    reached: float


class Quantization(NamedTuple):
    """What whole tiles and whole waves leave of a chip.

    Attributes:
        tiles: Tiles of the result.
        waves: How often the chip is filled.
        tile_efficiency: The share of the tiles' area that lies in the result.
        wave_efficiency: The share of the waves' places that hold a tile.
        efficiency: Both together.
    """

    tiles: int
    waves: int
    tile_efficiency: float
    wave_efficiency: float
    efficiency: float


class Launch(NamedTuple):
    """What became of the blocks of a launch.

    Attributes:
        makespan: When the last block ends.
        starts: When each block starts, in the order of the launch.
        slots: In which slot each block runs, in the order of the launch.
    """

    makespan: float
    starts: list[float]
    slots: list[int]


class Op(NamedTuple):
    """One step of a tiled product, with the number of the tile along each dimension, from 0.

    Attributes:
        kind: "load_a", "load_b", "multiply", "store", "evict_a" or "evict_b".
        m: Along the rows of A and C; 0 in "load_b" and "evict_b".
        n: Along the columns of B and C; 0 in "load_a" and "evict_a".
        k: Along the columns of A, which are the rows of B; 0 in "store".
    """

    kind: Literal["load_a", "load_b", "multiply", "store", "evict_a", "evict_b"]
    m: int
    n: int
    k: int


@exercise(outcome="2a", minutes=10, core=True, difficulty=1)
def tensor_peak(n_sm: int, tensor_cores: int, fma_per_cycle: int, clock_hz: float, *, sparse: bool = False) -> float:
    """Compute the peak of a GPU's tensor cores.

    A fused multiply-add counts as two operations. Data sheets often print the peak for sparse operands, of which
    two in every four entries are zero: it is twice the dense one.

    Args:
        n_sm: Streaming multiprocessors (SMs) that work, at least 1: 132 of an H100, though its die has 144.
        tensor_cores: Tensor cores of one SM, at least 1.
        fma_per_cycle: Fused multiply-adds of one tensor core in one cycle, dense, at least 1.
        clock_hz: Cycles per second, positive.
        sparse: Whether the peak for sparse operands is asked for.

    Returns:
        FLOP per second.

    Raises:
        ValueError: If a count is not an int of at least 1 (a bool is not an int), or the clock is not finite
            and positive.

    Example:
        >>> tensor_peak(2, 4, 8, 10.0)
        1280.0
    """
    counts = (("n_sm", n_sm), ("tensor_cores", tensor_cores), ("fma_per_cycle", fma_per_cycle))
    fma = math.prod(checked_int(name, value, 1) for name, value in counts)
    dense = 2 * fma * checked_float("clock_hz", clock_hz, positive=True)
    return 2 * dense if sparse else dense


@exercise(outcome="2b", minutes=10, core=True, difficulty=1)
def roofline(intensity: float, peak_flops: float, bytes_per_s: float) -> Roof:
    """Say by the roofline model how fast a kernel can be, and what limits it.

    A kernel that does I operations for each byte that it moves can't be faster than the peak, nor than I times
    the bandwidth. The two limits meet at the ridge. A kernel below the ridge is bound by memory, one at the ridge
    or above it by compute.

    Args:
        intensity: FLOP per byte moved between memory and chip, at least 0; infinite if nothing is moved.
        peak_flops: Peak in FLOP per second, positive.
        bytes_per_s: Memory bandwidth in bytes per second, positive.

    Returns:
        The attainable FLOP per second, what binds, and the ridge.

    Raises:
        ValueError: If the intensity is negative or not a number, or another argument is not finite and positive.

    Example:
        >>> roofline(2.0, 100.0, 10.0)
        Roof(attainable=20.0, bound='memory', ridge=10.0)
    """
    if not intensity >= 0:
        raise ValueError(f"intensity must be at least 0, not {intensity!r}")
    peak = checked_float("peak_flops", peak_flops, positive=True)
    rate = checked_float("bytes_per_s", bytes_per_s, positive=True)
    ridge = peak / rate
    return Roof(min(peak, intensity * rate), "memory" if intensity < ridge else "compute", ridge)


@exercise(outcome="2b", minutes=10, core=True, difficulty=1)
def kernel_time(flops: float, n_bytes: float, peak_flops: float, bytes_per_s: float, *, overlap: float = 1.0) -> float:
    """Compute how long a kernel takes at best.

    It computes for ``flops / peak_flops`` seconds and moves data for ``n_bytes / bytes_per_s``. With an overlap of
    1 the shorter of the two is hidden behind the longer; with 0 they follow one another; in between, that share of
    the shorter one is hidden.

    Args:
        flops: Operations, at least 0.
        n_bytes: Bytes moved between memory and chip, at least 0.
        peak_flops: Peak in FLOP per second, positive.
        bytes_per_s: Memory bandwidth in bytes per second, positive.
        overlap: The share of the shorter time that is hidden, from 0 to 1.

    Returns:
        Seconds.

    Raises:
        ValueError: If an argument is not finite or out of its range.

    Example:
        >>> kernel_time(300.0, 20.0, 100.0, 10.0, overlap=0.25)
        4.5
    """
    computing = checked_float("flops", flops) / checked_float("peak_flops", peak_flops, positive=True)
    moving = checked_float("n_bytes", n_bytes) / checked_float("bytes_per_s", bytes_per_s, positive=True)
    hidden = checked_float("overlap", overlap, most=1.0)
    return max(computing, moving) + (1 - hidden) * min(computing, moving)


@exercise(outcome="2b", minutes=15, core=True, difficulty=1)
def gemm_intensity(
    m: int, n: int, k: int, *, bytes_a: float = 2.0, bytes_b: float = 2.0, bytes_c: float = 2.0
) -> float:
    """Compute the arithmetic intensity of a matrix product that moves every entry once.

    C (m by n) is the product of A (m by k) and B (k by n): m·n·k multiply-adds of two operations each. A and B are
    read once, C is written once. In a linear layer m is the batch, A holds the activations and B the weights.

    Args:
        m: Rows of A and C, at least 1.
        n: Columns of B and C, at least 1.
        k: Columns of A, rows of B, at least 1.
        bytes_a: Bytes of an entry of A, positive; 0.5 for 4 bits.
        bytes_b: Bytes of an entry of B, positive.
        bytes_c: Bytes of an entry of C, positive.

    Returns:
        FLOP per byte.

    Raises:
        ValueError: If a dimension is not an int of at least 1 (a bool is not an int), or a size in bytes is not
            finite and positive.

    Example:
        >>> gemm_intensity(2, 3, 4, bytes_b=1.0)
        1.2
    """
    m, n, k = (checked_int(name, value, 1) for name, value in (("m", m), ("n", n), ("k", k)))
    size_a, size_b, size_c = _entry_sizes(bytes_a, bytes_b, bytes_c)
    return 2 * m * n * k / (size_a * m * k + size_b * k * n + size_c * m * n)


def _entry_sizes(bytes_a: float, bytes_b: float, bytes_c: float) -> tuple[float, float, float]:
    size_a, size_b, size_c = (
        checked_float(name, size, positive=True)
        for name, size in (("bytes_a", bytes_a), ("bytes_b", bytes_b), ("bytes_c", bytes_c))
    )
    return size_a, size_b, size_c


@exercise(outcome="2b", minutes=25, core=False, difficulty=2)
def critical_m(
    n: int,
    k: int,
    peak_flops: float,
    bytes_per_s: float,
    *,
    bytes_a: float = 2.0,
    bytes_b: float = 2.0,
    bytes_c: float = 2.0,
) -> float:
    """Find the batch from which on a linear layer is bound by compute.

    The layer is the product of ``gemm_intensity``; its intensity grows with m. The critical m is where it equals
    the ridge, ``peak_flops / bytes_per_s``, with m taken as a real number: exactly, also where n and k are not
    much larger than m. Where A and C alone need too many bytes, no m is large enough.

    Args:
        n: Columns of B and C (outputs of the layer), at least 1.
        k: Rows of B (inputs of the layer), at least 1.
        peak_flops: Peak in FLOP per second, positive.
        bytes_per_s: Memory bandwidth in bytes per second, positive.
        bytes_a: Bytes of an entry of A, positive.
        bytes_b: Bytes of an entry of B, positive.
        bytes_c: Bytes of an entry of C, positive.

    Returns:
        The critical m, not rounded; infinity if no m reaches the ridge.

    Raises:
        ValueError: If a dimension is not an int of at least 1 (a bool is not an int), or another argument is not
            finite and positive.

    Example:
        >>> critical_m(4, 4, 2.0, 2.0)
        2.0
    """
    n, k = checked_int("n", n, 1), checked_int("k", k, 1)
    size_a, size_b, size_c = _entry_sizes(bytes_a, bytes_b, bytes_c)
    ridge = checked_float("peak_flops", peak_flops, positive=True)
    ridge /= checked_float("bytes_per_s", bytes_per_s, positive=True)
    gained_per_row = 2 * n * k - ridge * (size_a * k + size_c * n)
    return ridge * size_b * k * n / gained_per_row if gained_per_row > 0 else math.inf


def _lanes(name: str, values: Sequence[int]) -> list[int]:
    """One number, at least 0, for each active lane of a warp."""
    if len(values) > 32:
        raise ValueError(f"{name} must be of at most 32 lanes, not {len(values)}")
    return [checked_int(name, value) for value in values]


@exercise(outcome="2c", minutes=25, core=True, difficulty=2)
def warp_sectors(addresses: Sequence[int], access_bytes: int, *, sector_bytes: int = 32) -> Sectors:
    """Count the sectors of memory that one load or store of a warp moves.

    Memory is moved in sectors: bytes 0 to 31, 32 to 63, and so on. Lane i of the warp accesses ``access_bytes``
    bytes from ``addresses[i]`` on; lanes that take no part have no entry. Every sector that holds a byte of any
    lane is moved once, whole. Bytes that several lanes ask for count once.

    Args:
        addresses: First byte of each active lane's access, at least 0 and a multiple of ``access_bytes``; at most
            32 of them, in any order, repeated or not.
        access_bytes: 1, 2, 4, 8 or 16.
        sector_bytes: Bytes of a sector, at least 1; 32 on NVIDIA's GPUs. May be smaller than an access.

    Returns:
        The sectors that are moved, and which share of their bytes was asked for.

    Raises:
        ValueError: If there are more than 32 addresses, if one is not an int of at least 0 or not a multiple of
            ``access_bytes``, or if a size is not an int as above (a bool is not an int).

    Example:
        >>> warp_sectors([24, 28, 32, 32], 4)
        Sectors(sectors=2, efficiency=0.1875)
    """
    if checked_int("access_bytes", access_bytes, 1, 16) not in (1, 2, 4, 8, 16):
        raise ValueError(f"access_bytes must be 1, 2, 4, 8 or 16, not {access_bytes}")
    sector_bytes = checked_int("sector_bytes", sector_bytes, 1)
    starts = _lanes("addresses", addresses)
    if any(start % access_bytes for start in starts):
        raise ValueError(f"addresses must be multiples of {access_bytes}")
    asked = {byte for start in starts for byte in range(start, start + access_bytes)}
    sectors = {byte // sector_bytes for byte in asked}
    return Sectors(len(sectors), len(asked) / (len(sectors) * sector_bytes) if asked else 0.0)


@exercise(outcome="2c", minutes=15, core=False, difficulty=2)
def bank_conflict_degree(words: Sequence[int], *, banks: int = 32) -> int:
    """Say how many passes one access of a warp to shared memory takes.

    Shared memory is cut into 4-byte words, and word w lies in bank w mod ``banks``. In one pass each bank serves one
    word, to as many lanes as want it. So the passes are the most *different* words that any one bank has to serve;
    with 1 there is no conflict.

    Args:
        words: The number of the word that each active lane accesses, at least 0; at most 32 of them.
        banks: How many banks there are, at least 1.

    Returns:
        Passes; 0 if no lane takes part.

    Raises:
        ValueError: If there are more than 32 words, or a number is not an int as above (a bool is not an int).

    Example:
        >>> bank_conflict_degree([0, 4, 4, 8, 1], banks=4)
        3
    """
    banks = checked_int("banks", banks, 1)
    different = set(_lanes("words", words))
    in_bank = [word % banks for word in different]
    return max((in_bank.count(bank) for bank in set(in_bank)), default=0)


def _ceil(amount: int, size: int) -> int:
    return -(-amount // size)


@exercise(outcome="2d", minutes=40, core=True, difficulty=3)
def occupancy(threads: int, registers: int, shared_bytes: int, sm: SMLimits) -> Occupancy:
    """Compute how many blocks of a kernel fit on an SM, and what allows no more.

    Blocks are resident whole or not at all. The blocks that fit are the least of four numbers:

    - "warps": a block has ceil(threads / 32) warps, and an SM room for ``max_warps``.
    - "blocks": ``max_blocks``.
    - "registers": a warp takes 32 · ``registers`` of them, rounded up to a multiple of ``register_unit``. An SM has
      four partitions with a quarter of the registers each, and a warp lives in one of them: count the warps that fit
      a partition, take four times as many, and see how many blocks they make.
    - "shared_memory": a block takes ``shared_bytes`` and the ``shared_reserved`` of the system, together rounded up to
      a multiple of ``shared_unit``. A block that takes nothing is not limited by it.

    Args:
        threads: Threads of a block, from 1 to 1024.
        registers: Registers of a thread, from 1 to 255.
        shared_bytes: Bytes of shared memory that a block asks for, at least 0.
        sm: What the SM has.

    Returns:
        Resident blocks and warps, the occupancy, and every limit that is the least. Blocks that don't fit at all are 0
        blocks.

    Raises:
        ValueError: If an argument other than ``sm`` is not an int in its range (a bool is not an int).

    Example:
        >>> small = dict(max_warps=16, max_blocks=8, registers=12288, register_unit=256)
        >>> small.update(shared_bytes=6144, shared_unit=128, shared_reserved=0)
        >>> occupancy(96, 20, 1000, small)
        Occupancy(blocks=5, warps=15, fraction=0.9375, limiters=['warps', 'registers'])
    """
    warps = _ceil(checked_int("threads", threads, 1, 1024), 32)
    per_warp = _rounded_up(32 * checked_int("registers", registers, 1, 255), sm["register_unit"])
    per_block = _rounded_up(checked_int("shared_bytes", shared_bytes) + sm["shared_reserved"], sm["shared_unit"])
    limits: dict[str, float] = {
        "warps": sm["max_warps"] // warps,
        "blocks": sm["max_blocks"],
        "registers": sm["registers"] // 4 // per_warp * 4 // warps,
        "shared_memory": sm["shared_bytes"] // per_block if per_block else math.inf,
    }
    blocks = int(min(limits.values()))
    limiters = [name for name, limit in limits.items() if limit == blocks]
    return Occupancy(blocks, blocks * warps, blocks * warps / sm["max_warps"], limiters)


def _rounded_up(amount: int, unit: int) -> int:
    return _ceil(amount, unit) * unit


@exercise(outcome="2d", minutes=25, core=True, difficulty=2)
def latency_hiding(
    latency_s: float,
    bytes_per_s: float,
    n_sm: int,
    resident_warps: int,
    *,
    loads_per_warp: int = 1,
    bytes_per_load: int = 128,
    share: float = 1.0,
) -> Hiding:
    """Say how much must be in flight to keep memory busy, and whether the resident warps manage it.

    Little's law: what is in flight on average is the rate times the latency. A warp has ``loads_per_warp``
    independent loads of ``bytes_per_load`` bytes on their way at any time, and waits for them. All SMs hold equally
    many warps. With fewer bytes in flight than the full bandwidth needs, the bandwidth falls in proportion.

    Args:
        latency_s: From a load to its data, in seconds, positive.
        bytes_per_s: Memory bandwidth of the whole chip, positive.
        n_sm: Streaming multiprocessors, at least 1.
        resident_warps: Warps that are resident on each SM, at least 0.
        loads_per_warp: Loads of one warp in flight, at least 1.
        bytes_per_load: Bytes of one load, for all lanes of the warp, at least 1.
        share: Which share of the bandwidth is wanted, above 0 and at most 1.

    Returns:
        Bytes in flight and warps on each SM that the wanted share needs, whether or not so many fit; and the share,
        at most 1, that the resident warps reach.

    Raises:
        ValueError: If a count is not an int in its range (a bool is not an int), or another argument is not finite or
            out of its range.

    Example:
        >>> latency_hiding(2.0, 1024.0, 2, 2, loads_per_warp=2, share=0.75)
        Hiding(bytes_in_flight=1536.0, warps_needed=3, reached=0.5)
    """
    rate = checked_float("bytes_per_s", bytes_per_s, positive=True)
    full = rate * checked_float("latency_s", latency_s, positive=True)
    needed = full * checked_float("share", share, most=1.0, positive=True)
    of_warp = checked_int("loads_per_warp", loads_per_warp, 1) * checked_int("bytes_per_load", bytes_per_load, 1)
    of_all_sms = checked_int("n_sm", n_sm, 1) * of_warp
    in_flight = checked_int("resident_warps", resident_warps) * of_all_sms
    return Hiding(needed, math.ceil(needed / of_all_sms), min(1.0, in_flight / full))


@exercise(outcome="2e", minutes=20, core=True, difficulty=2)
def gemm_quantization(m: int, n: int, tile_m: int, tile_n: int, n_sm: int, *, blocks_per_sm: int = 1) -> Quantization:
    """Count the tiles and waves of a matrix product, and what they leave of the chip.

    The m by n result is covered with tiles of tile_m by tile_n, whole ones, which overhang at the edges. Each tile is
    a block, and all blocks take equally long. The chip runs ``n_sm · blocks_per_sm`` blocks at a time: that is a
    wave, and the last wave takes as long as the others, however few blocks it has.

    - The tiles' efficiency is the result's area as a share of the tiles'.
    - The waves' efficiency is the tiles as a share of the places in all waves.
    - The efficiency is their product: the useful work as a share of what the chip could do in the time.

    Args:
        m: Rows of the result, at least 1.
        n: Columns of the result, at least 1.
        tile_m: Rows of a tile, at least 1.
        tile_n: Columns of a tile, at least 1.
        n_sm: Streaming multiprocessors, at least 1.
        blocks_per_sm: Blocks that one of them runs at a time, at least 1.

    Returns:
        Tiles, waves, and the three efficiencies.

    Raises:
        ValueError: If an argument is not an int of at least 1 (a bool is not an int).

    Example:
        >>> gemm_quantization(6, 3, 4, 2, 3)
        Quantization(tiles=4, waves=2, tile_efficiency=0.5625, wave_efficiency=0.6666666666666666, efficiency=0.375)
    """
    named = (("m", m), ("n", n), ("tile_m", tile_m), ("tile_n", tile_n))
    m, n, tile_m, tile_n = (checked_int(name, value, 1) for name, value in named)
    places = checked_int("n_sm", n_sm, 1) * checked_int("blocks_per_sm", blocks_per_sm, 1)
    tiles = _ceil(m, tile_m) * _ceil(n, tile_n)
    waves = _ceil(tiles, places)
    area = tile_m * tile_n
    return Quantization(tiles, waves, m * n / (tiles * area), tiles / (waves * places), m * n / (waves * places * area))


@exercise(outcome="2e", minutes=30, core=True, difficulty=3)
def schedule_blocks(durations: Sequence[float], n_sm: int, *, blocks_per_sm: int = 1) -> Launch:
    """Follow the blocks of a launch through the chip.

    The chip has ``n_sm · blocks_per_sm`` slots, numbered from 0, all free at time 0. Blocks start in the order of the
    launch. Each one takes the slot that becomes free first, as soon as it does; of slots that become free at the same
    time, the one with the lowest number. It keeps the slot for as long as it lasts. A block is never held back for
    others, and never overtaken.

    Args:
        durations: Seconds of each block, in the order of the launch, at least 0; not changed.
        n_sm: Streaming multiprocessors, at least 1.
        blocks_per_sm: Blocks that one of them runs at a time, at least 1.

    Returns:
        When the last block ends, and each block's start and slot. Without blocks the makespan is 0.

    Raises:
        ValueError: If a count is not an int of at least 1 (a bool is not an int), or a duration is negative or not
            finite.

    Example:
        >>> schedule_blocks([3.0, 1.0, 1.0, 2.0], 2)
        Launch(makespan=4.0, starts=[0.0, 0.0, 1.0, 2.0], slots=[0, 1, 1, 1])
    """
    slots = checked_int("n_sm", n_sm, 1) * checked_int("blocks_per_sm", blocks_per_sm, 1)
    free = [(0.0, slot) for slot in range(slots)]
    starts, taken, makespan = [], [], 0.0
    for seconds in durations:
        start, slot = free[0]
        end = start + checked_float("durations", seconds)
        heapq.heapreplace(free, (end, slot))
        starts.append(start)
        taken.append(slot)
        makespan = max(makespan, end)
    return Launch(makespan, starts, taken)


@exercise(outcome="2c", minutes=60, core=True, difficulty=3)
def tiled_gemm(
    m: int, n: int, k: int, tile_m: int, tile_n: int, tile_k: int, shared_bytes: int, dtype_bytes: int
) -> list[Op]:
    """Write the schedule of a tiled matrix product, step by step.

    C (m by n) is the product of A (m by k) and B (k by n), which lie in HBM. A is cut into tiles of tile_m by tile_k,
    B of tile_k by tile_n, C of tile_m by tile_n; tiles at the edges are smaller where the sizes don't divide. One
    thread block works through all of C. Its steps are ``Op(kind, m, n, k)``, with numbers of tiles:

    - ``load_a`` (m, 0, k) and ``load_b`` (0, n, k) copy a tile from HBM to shared memory, where it was not before.
      It takes its entries times ``dtype_bytes`` there. Shared memory begins empty and never holds more than
      ``shared_bytes``.
    - ``multiply`` (m, n, k) multiplies tile (m, k) of A and tile (k, n) of B, which are both in shared memory, and adds
      the product to tile (m, n) of C, which is in registers. There is room for one tile of C. It begins as zeros when
      it is multiplied for the first time; until it is stored, no other tile is multiplied.
    - ``store`` (m, n, 0) writes the tile from the registers to C in HBM: once, when it is finished.
    - ``evict_a`` (m, 0, k) and ``evict_b`` (0, n, k) drop a tile from shared memory. At the end it is empty again.

    HBM is slow, so tiles are loaded no more often than needed:

    - No tile of A is loaded more often than C has columns of tiles, and no tile of B more often than C has rows of
      tiles: once for each tile of C that needs it.
    - Moreover, where a strip of A, tile_m by k, fits into shared memory beside one tile of B, no tile of A is loaded
      twice.

    For what fits, take full tiles: tile_m · tile_k entries for a tile of A, tile_k · tile_n for one of B, tile_m · k
    for a strip. As much as ``shared_bytes`` fits. Any schedule that keeps these rules will do.

    Args:
        m: Rows of A and C, at least 1.
        n: Columns of B and C, at least 1.
        k: Columns of A, rows of B, at least 1.
        tile_m: Size of tiles along m, at least 1.
        tile_n: Size of tiles along n, at least 1.
        tile_k: Size of tiles along k, at least 1.
        shared_bytes: Bytes of shared memory, at least 1.
        dtype_bytes: Bytes of an entry of A and B, at least 1.

    Returns:
        The steps in order.

    Raises:
        ValueError: If an argument is not an int of at least 1 (a bool is not an int), or a tile of A and one of B don't
            fit into shared memory together.

    Example:
        >>> sorted(op[0] for op in tiled_gemm(2, 2, 3, 2, 2, 3, 24, 2))
        ['evict_a', 'evict_b', 'load_a', 'load_b', 'multiply', 'store']
    """
    named = (("m", m), ("n", n), ("k", k), ("tile_m", tile_m), ("tile_n", tile_n), ("tile_k", tile_k))
    m, n, k, tile_m, tile_n, tile_k = (checked_int(name, value, 1) for name, value in named)
    room = checked_int("shared_bytes", shared_bytes, 1) // checked_int("dtype_bytes", dtype_bytes, 1)
    if (tile_m + tile_n) * tile_k > room:
        raise ValueError(f"a tile of A and one of B don't fit into {shared_bytes} bytes")
    counts = _ceil(m, tile_m), _ceil(n, tile_n), _ceil(k, tile_k)
    if tile_m * k + tile_k * tile_n <= room:
        return [op for row in range(counts[0]) for op in _strip_kept(row, counts[1], counts[2])]
    return [op for row in range(counts[0]) for col in range(counts[1]) for op in _pair_by_pair(row, col, counts[2])]


def _pair_by_pair(row: int, col: int, depths: int) -> Iterator[Op]:
    """One tile of C, with one tile of A and one of B in shared memory at a time."""
    for depth in range(depths):
        yield Op("load_a", row, 0, depth)
        yield Op("load_b", 0, col, depth)
        yield Op("multiply", row, col, depth)
        yield Op("evict_a", row, 0, depth)
        yield Op("evict_b", 0, col, depth)
    yield Op("store", row, col, 0)


def _strip_kept(row: int, cols: int, depths: int) -> Iterator[Op]:
    """One row of tiles of C, with a strip of A that stays."""
    for col in range(cols):
        for depth in range(depths):
            if col == 0:
                yield Op("load_a", row, 0, depth)
            yield Op("load_b", 0, col, depth)
            yield Op("multiply", row, col, depth)
            yield Op("evict_b", 0, col, depth)
        yield Op("store", row, col, 0)
    for depth in range(depths):
        yield Op("evict_a", row, 0, depth)
