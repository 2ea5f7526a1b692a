"""Public checks of lesson 2: peaks, rooflines, memory accesses, occupancy, waves, and a tiled product."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import CheckFailed, check, expect, patterned, positive, sizes

SMALL = st.sampled_from([1, 2, 3, 5, 8])
KIB = 1024
H100 = {
    "max_warps": 64,
    "max_blocks": 32,
    "registers": 65536,
    "register_unit": 256,
    "shared_bytes": 228 * KIB,
    "shared_unit": 128,
    "shared_reserved": KIB,
}
V100 = {**H100, "shared_bytes": 96 * KIB, "shared_unit": 256, "shared_reserved": 0}
ROOM = {**H100, "max_warps": 4096, "max_blocks": 4096, "registers": 2**24, "shared_bytes": 2**30}


# --- tensor_peak ---


@check("tensor_peak", points=2)
def test_published_peaks_of_three_gpus(student):
    """An H100 has 989 TFLOP/s of dense bf16, an A100 312, a V100 125, as their data sheets say."""
    expect(student.tensor_peak(132, 4, 512, 1.83e9) / 1e12, "TFLOP/s of an H100").close(989.4, rel=1e-4)
    expect(student.tensor_peak(108, 4, 256, 1.41e9) / 1e12, "TFLOP/s of an A100").close(312.0, rel=1e-3)
    expect(student.tensor_peak(80, 8, 64, 1.53e9) / 1e12, "TFLOP/s of a V100").close(125.0, rel=5e-3)


@check("tensor_peak", points=1)
@given(n_sm=sizes(1, 150), cores=sizes(1, 8), fma=sizes(1, 1024), clock=positive(1e8, 3e9))
def test_sparse_peaks_are_twice_the_dense_ones(student, n_sm, cores, fma, clock):
    """Each multiply-add counts as two operations; with sparse operands the peak is twice as high."""
    dense = student.tensor_peak(n_sm, cores, fma, clock)
    expect(dense, "dense peak").close(2.0 * n_sm * cores * fma * clock)
    expect(student.tensor_peak(n_sm, cores, fma, clock, sparse=True), "sparse peak").close(2 * dense)


@check("tensor_peak", points=1)
def test_gpus_without_cores_are_refused(student):
    """No SMs, no tensor cores, no multiply-adds, a bool for an int and a clock that stands raise ValueError."""
    raises = student.tensor_peak.must_raise
    raises(ValueError, 0, 4, 512, 1e9)
    raises(ValueError, 132, 0, 512, 1e9)
    raises(ValueError, 132, 4, 0, 1e9)
    raises(ValueError, 132, True, 512, 1e9)
    raises(ValueError, 132, 4, 512, 0.0)
    raises(ValueError, 132, 4, 512, float("nan"))


# --- roofline ---


@check("roofline", points=2)
def test_published_ridges(student):
    """The ridge of an H100 is at 295 FLOP per byte, of an A100 at 153, of a V100 at 139, of a v5e at 240."""
    for peak, rate, ridge in (
        (989e12, 3.35e12, 295.2),
        (312e12, 2.039e12, 153.0),
        (125e12, 0.9e12, 138.9),
        (1.97e14, 8.2e11, 240.2),
    ):
        _, _, found = student.roofline(1.0, peak, rate)
        expect(found, f"ridge at {peak:g} FLOP/s and {rate:g} B/s").close(ridge, abs=0.06)


@check("roofline", points=2)
@given(intensity=positive(0.01, 1e5), peak=positive(1e12, 1e16), rate=positive(1e11, 1e13))
def test_no_kernel_is_above_either_roof(student, intensity, peak, rate):
    """A kernel reaches the lower of the two limits, and the lower one binds."""
    attainable, bound, _ = student.roofline(intensity, peak, rate)
    expect(attainable, "attainable FLOP/s").close(min(peak, intensity * rate))
    expect(bound, "what binds").equal("memory" if intensity < peak / rate else "compute")


@check("roofline", points=1)
def test_at_the_ridge_a_kernel_is_bound_by_compute(student):
    """At the ridge itself, and where nothing is moved, compute binds; where nothing is computed, memory does."""
    for intensity, wanted in (
        (8.0, (128.0, "compute", 8.0)),
        (7.5, (120.0, "memory", 8.0)),
        (math.inf, (128.0, "compute", 8.0)),
        (0.0, (0.0, "memory", 8.0)),
    ):
        expect(student.roofline(intensity, 128.0, 16.0), f"roof at {intensity} FLOP/B").equal(wanted)


@check("roofline", points=1)
def test_intensities_and_rates_out_of_range_are_refused(student):
    """A negative intensity, one that is not a number, and peaks or rates of nothing raise ValueError."""
    raises = student.roofline.must_raise
    raises(ValueError, -1.0, 1.0, 1.0)
    raises(ValueError, float("nan"), 1.0, 1.0)
    raises(ValueError, 1.0, 0.0, 1.0)
    raises(ValueError, 1.0, 1.0, 0.0)
    raises(ValueError, 1.0, float("inf"), 1.0)


# --- kernel_time ---


@check("kernel_time", points=2)
@given(flops=positive(1e6, 1e15), n_bytes=positive(1e3, 1e12), eighths=sizes(0, 8))
def test_the_hidden_share_of_the_shorter_time_is_free(student, flops, n_bytes, eighths):
    """A kernel takes the longer of its two times, and what is not hidden of the shorter one."""
    longer, shorter = max(flops / 1e14, n_bytes / 1e12), min(flops / 1e14, n_bytes / 1e12)
    found = student.kernel_time(flops, n_bytes, 1e14, 1e12, overlap=eighths / 8)
    expect(found, f"seconds with an overlap of {eighths}/8").close(longer + (1 - eighths / 8) * shorter)
    expect(student.kernel_time(flops, n_bytes, 1e14, 1e12), "seconds without a word on overlap").close(longer)


@check("kernel_time", points=1)
def test_kernels_that_do_nothing_take_no_time(student):
    """A kernel without operations only moves data, one without data only computes, one without either takes no time."""
    expect(student.kernel_time(0.0, 64.0, 16.0, 8.0), "seconds without operations").equal(8.0)
    expect(student.kernel_time(64.0, 0.0, 16.0, 8.0), "seconds without data").equal(4.0)
    expect(student.kernel_time(0.0, 0.0, 16.0, 8.0, overlap=0.0), "seconds without either").equal(0.0)


@check("kernel_time", points=1)
def test_kernels_out_of_range_are_refused(student):
    """Negative work, rates of nothing, and an overlap below 0 or above 1 raise ValueError."""
    raises = student.kernel_time.must_raise
    raises(ValueError, -1.0, 1.0, 1.0, 1.0)
    raises(ValueError, 1.0, -1.0, 1.0, 1.0)
    raises(ValueError, 1.0, 1.0, 0.0, 1.0)
    raises(ValueError, 1.0, 1.0, 1.0, float("inf"))
    raises(ValueError, 1.0, 1.0, 1.0, 1.0, overlap=1.5)
    raises(ValueError, 1.0, 1.0, 1.0, 1.0, overlap=-0.5)


# --- gemm_intensity ---


@check("gemm_intensity", points=2)
def test_published_intensities(student):
    """Intensities of NVIDIA's guide: 124 for 8192 by 128 by 8192, 2731 for 8192 three times, 315 and 1 for a layer."""
    expect(student.gemm_intensity(8192, 128, 8192), "8192 by 128, 8192 deep").close(124.1, abs=0.05)
    expect(student.gemm_intensity(8192, 8192, 8192), "8192 three times").close(2730.7, abs=0.05)
    expect(student.gemm_intensity(512, 4096, 1024), "batch 512 of a layer from 1024 to 4096").close(315.1, abs=0.05)
    expect(student.gemm_intensity(1, 4096, 1024), "batch 1 of the same layer").close(0.9988, abs=5e-5)


@check("gemm_intensity", points=2)
@given(m=sizes(1, 500), n=sizes(1, 500), k=sizes(1, 500), a=st.sampled_from([0.5, 1.0, 2.0, 4.0]), b=SMALL, c=SMALL)
def test_every_entry_is_moved_once_at_its_own_size(student, m, n, k, a, b, c):
    """Intensity is two operations for each of m·n·k multiply-adds, over the bytes of A, B and C, each in its type."""
    n_bytes = a * m * k + b * k * n + c * m * n
    found = student.gemm_intensity(m, n, k, bytes_a=a, bytes_b=b, bytes_c=c)
    expect(found, "FLOP per byte").close(2 * m * n * k / n_bytes)


@check("gemm_intensity", points=1)
def test_products_of_nothing_are_refused(student):
    """No rows, no depth, a bool or a float for an int, and entries of no bytes raise ValueError."""
    raises = student.gemm_intensity.must_raise
    raises(ValueError, 0, 2, 2)
    raises(ValueError, 2, 0, 2)
    raises(ValueError, 2, 2, 0)
    raises(ValueError, 2, True, 2)
    raises(ValueError, 2.0, 2, 2)
    raises(ValueError, 2, 2, 2, bytes_b=0.0)


# --- critical_m ---


@check("critical_m", points=2)
@given(
    n=sizes(1, 9000),
    k=sizes(1, 9000),
    ridge=positive(0.1, 2000.0),
    a=st.sampled_from([1.0, 2.0]),
    b=st.sampled_from([0.5, 1.0, 2.0]),
    c=st.sampled_from([2.0, 4.0]),
)
def test_at_the_critical_m_the_layer_is_at_the_ridge(student, n, k, ridge, a, b, c):
    """At the critical m the intensity equals the ridge; it is infinite where A and C alone need too many bytes."""
    slack = 1 / ridge - a / (2 * n) - c / (2 * k)  # bytes that B may take for each operation, as m grows
    if abs(slack) < 1e-6 / ridge:
        return
    found = student.critical_m(n, k, ridge * 1e12, 1e12, bytes_a=a, bytes_b=b, bytes_c=c)
    if slack < 0:
        expect(found, "critical m").equal(math.inf)
        return
    expect(found, "critical m").at_least(1e-12)
    intensity = 2 * found * n * k / (a * found * k + b * k * n + c * found * n)
    expect(intensity, f"intensity at m = {found:g}").close(ridge, rel=1e-8)


@check("critical_m", points=1)
def test_weights_of_one_byte_halve_the_batch(student):
    """For a v5e and large layers the critical batch is near 240 with weights in bf16, and near 120 in int8."""
    wide = 2**30
    expect(student.critical_m(wide, wide, 1.97e14, 8.2e11), "critical m with bf16").close(240.2, abs=0.05)
    found = student.critical_m(wide, wide, 1.97e14, 8.2e11, bytes_b=1.0)
    expect(found, "critical m with int8 weights").close(120.1, abs=0.05)
    found = student.critical_m(16384, 4096, 1.97e14, 8.2e11, bytes_b=1.0)
    expect(found, "critical m of a layer from 4096 to 16384").close(129.63, abs=0.005)


@check("critical_m", points=1)
def test_a_layer_that_just_misses_the_ridge_never_reaches_it(student):
    """Where the ridge is reached only in the limit, and where it is not reached at all, the critical m is infinite."""
    expect(student.critical_m(4, 4, 4.0, 2.0), "critical m at a ridge of 2").equal(math.inf)
    expect(student.critical_m(4, 4, 100.0, 2.0), "critical m at a ridge of 50").equal(math.inf)
    expect(student.critical_m(8, 4, 4.0, 2.0), "critical m of a larger layer at a ridge of 2").close(8.0)


@check("critical_m", points=1)
def test_layers_of_nothing_are_refused(student):
    """No outputs, no inputs, a bool for an int, and rates or sizes out of range raise ValueError."""
    raises = student.critical_m.must_raise
    raises(ValueError, 0, 4, 1.0, 1.0)
    raises(ValueError, 4, 0, 1.0, 1.0)
    raises(ValueError, True, 4, 1.0, 1.0)
    raises(ValueError, 4, 4, 0.0, 1.0)
    raises(ValueError, 4, 4, 1.0, float("inf"))
    raises(ValueError, 4, 4, 1.0, 1.0, bytes_a=0.0)


# --- warp_sectors ---

ACCESSES = st.sampled_from([1, 2, 4, 8, 16])


@check("warp_sectors", points=2)
def test_strides_and_offsets_of_a_full_warp(student):
    """32 floats in a row take 4 sectors, shifted by one float 5; with a stride of 2 they take 8, of 8 and more 32."""
    for start, stride, sectors, share in (
        (0, 1, 4, 1.0),
        (64, 1, 4, 1.0),
        (4, 1, 5, 0.8),
        (0, 2, 8, 0.5),
        (0, 8, 32, 0.125),
        (0, 33, 32, 0.125),
    ):
        addresses = [start + 4 * stride * lane for lane in range(32)]
        found = student.warp_sectors(addresses, 4)
        expect(found, f"sectors and efficiency from byte {start}, every {4 * stride} bytes").close((sectors, share))


@check("warp_sectors", points=3)
@given(
    places=st.lists(st.integers(0, 40), max_size=8),
    far=st.lists(st.integers(0, 10**6), max_size=2),
    access=ACCESSES,
    sector=st.sampled_from([4, 8, 32, 64]),
)
def test_sectors_are_those_that_hold_a_byte_of_some_lane(student, places, far, access, sector):
    """The sectors are those in which some lane's bytes lie; the efficiency is the share of different bytes in them."""
    addresses = [place * access for place in places + far]
    sectors, efficiency = student.warp_sectors(addresses, access, sector_bytes=sector)
    touched, different = [], sorted(set(addresses))
    for address in different:
        touched += range(address // sector, (address + access - 1) // sector + 1)
    count = len(set(touched))
    expect(sectors, "sectors").equal(count)
    expect(efficiency, "efficiency").close(len(different) * access / (count * sector) if count else 0.0)


@check("warp_sectors", points=1)
def test_lanes_that_share_bytes_ask_for_them_once(student):
    """A warp whose lanes all read one float moves one sector and uses an eighth of it, in whatever order they come."""
    expect(student.warp_sectors([64] * 32, 4), "one float for all lanes").close((1, 0.125))
    mixed = [4 * (lane * 13 % 32) for lane in range(32)]
    expect(student.warp_sectors(mixed, 4), "32 floats in a row, in another order").close((4, 1.0))
    expect(student.warp_sectors([], 4), "no lane at all").close((0, 0.0))


@check("warp_sectors", points=1)
def test_accesses_that_can_not_be_are_refused(student):
    """33 lanes, misaligned or negative addresses, accesses of 3 bytes and sectors of none raise ValueError."""
    raises = student.warp_sectors.must_raise
    raises(ValueError, [0] * 33, 4)
    raises(ValueError, [0, 6], 4)
    raises(ValueError, [-4], 4)
    raises(ValueError, [True], 1)
    raises(ValueError, [0], 3)
    raises(ValueError, [0], 32)
    raises(ValueError, [0], 4, sector_bytes=0)


# --- bank_conflict_degree ---


@check("bank_conflict_degree", points=2)
def test_strides_of_a_full_warp(student):
    """Strides of 1, 2, 3, 4, 8, 16, 32 and 33 words take 1, 2, 1, 4, 8, 16, 32 and 1 passes."""
    for stride, passes in ((1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1)):
        words = [stride * lane for lane in range(32)]
        expect(student.bank_conflict_degree(words), f"passes with a stride of {stride}").equal(passes)


@check("bank_conflict_degree", points=2)
@given(words=st.lists(st.integers(0, 30), max_size=10), shift=sizes(0, 3), banks=st.sampled_from([1, 2, 3, 4, 8]))
def test_the_busiest_bank_decides(student, words, shift, banks):
    """The passes are the most different words in one bank: the same for words that are all shifted by all banks."""
    per_bank = [len({word for word in words if word % banks == bank}) for bank in range(banks)]
    found = student.bank_conflict_degree([word + shift * banks for word in words], banks=banks)
    expect(found, "passes").equal(max(per_bank))


@check("bank_conflict_degree", points=1)
def test_one_word_for_all_lanes_is_no_conflict(student):
    """All lanes may read one word in one pass, or two words in two banks; without lanes there is no pass."""
    expect(student.bank_conflict_degree([7] * 32), "passes for one word").equal(1)
    expect(student.bank_conflict_degree([7, 8] * 16), "passes for two words side by side").equal(1)
    expect(student.bank_conflict_degree([7, 39] * 16), "passes for two words in one bank").equal(2)
    expect(student.bank_conflict_degree([]), "passes without lanes").equal(0)


@check("bank_conflict_degree", points=1)
def test_words_that_can_not_be_are_refused(student):
    """33 words, a negative word, a bool for an int and no banks raise ValueError."""
    raises = student.bank_conflict_degree.must_raise
    raises(ValueError, [0] * 33)
    raises(ValueError, [-1])
    raises(ValueError, [True])
    raises(ValueError, [0], banks=0)


# --- occupancy ---


@check("occupancy", points=3)
def test_kernels_of_the_guides(student):
    """Kernels on a V100 and an H100 have the occupancy that NVIDIA's rules give them, and the limits that they name."""
    for sm, threads, registers, shared, wanted in (
        (V100, 128, 37, 0, (12, 48, 0.75, ["registers"])),
        (H100, 256, 32, 0, (8, 64, 1.0, ["warps", "registers"])),
        (H100, 256, 33, 0, (6, 48, 0.75, ["registers"])),
        (H100, 256, 64, 0, (4, 32, 0.5, ["registers"])),
        (H100, 128, 32, 48 * KIB, (4, 16, 0.25, ["shared_memory"])),
        (H100, 128, 32, 113 * KIB, (2, 8, 0.125, ["shared_memory"])),
        (H100, 32, 32, 0, (32, 32, 0.5, ["blocks"])),
        (H100, 1024, 65, 0, (0, 0, 0.0, ["registers"])),
    ):
        found = student.occupancy(threads, registers, shared, sm)
        name = "V100" if sm is V100 else "H100"
        expect(found, f"{threads} threads, {registers} registers, {shared} bytes on a {name}").close(wanted)


@check("occupancy", points=2)
@given(threads=sizes(1, 1024), max_warps=sizes(32, 64), max_blocks=sizes(1, 40))
def test_blocks_have_whole_warps(student, threads, max_warps, max_blocks):
    """With registers and memory to spare, as many blocks fit as there is room for their whole warps, or for blocks."""
    warps = math.ceil(threads / 32)
    limits = {"warps": max_warps // warps, "blocks": max_blocks}
    blocks = min(limits.values())
    found = student.occupancy(threads, 8, 0, {**ROOM, "max_warps": max_warps, "max_blocks": max_blocks})
    limiters = [name for name, limit in limits.items() if limit == blocks]
    expect(found, "occupancy").close((blocks, blocks * warps, blocks * warps / max_warps, limiters))


@check("occupancy", points=2)
@given(warps=sizes(1, 12), registers=sizes(1, 255), unit=st.sampled_from([64, 256, 512]), kilo=sizes(8, 64))
def test_registers_come_in_units_and_partitions(student, warps, registers, unit, kilo):
    """A warp takes whole units of registers, from one of four partitions."""
    of_warp = next(amount for amount in range(unit, 99999, unit) if amount >= 32 * registers)
    in_partition = (kilo * KIB // 4) // of_warp
    sm = {**ROOM, "register_unit": unit, "registers": kilo * KIB}
    blocks, _, _, limiters = student.occupancy(32 * warps, registers, 0, sm)
    expect([blocks, limiters], "blocks and what limits them").equal([4 * in_partition // warps, ["registers"]])


@check("occupancy", points=2)
@given(asked=sizes(0, 5000), reserved=st.sampled_from([0, 100, 1024]), unit=st.sampled_from([1, 128, 256]))
def test_shared_memory_comes_in_units_and_with_a_reserve(student, asked, reserved, unit):
    """A block takes its shared memory and the reserve, in whole units; one that takes none is not limited by it."""
    takes = -(-(asked + reserved) // unit) * unit
    wanted = [50_000 // takes, ["shared_memory"]] if takes > 12 else [4096, ["warps", "blocks"]]
    sm = {**ROOM, "shared_bytes": 50_000, "shared_unit": unit, "shared_reserved": reserved}
    blocks, _, _, limiters = student.occupancy(32, 8, asked, sm)
    expect([blocks, limiters], "blocks and what limits them").equal(wanted)


@check("occupancy", points=1)
def test_blocks_that_ask_for_little_shared_memory(student):
    """A block that takes no shared memory is not limited by it; one that takes a byte, or a reserve, takes a unit."""
    for asked, reserved, blocks, limiters in (
        (0, 0, 4096, ["warps", "blocks"]),
        (1, 0, 16, ["shared_memory"]),
        (0, 100, 16, ["shared_memory"]),
        (156, 100, 16, ["shared_memory"]),
        (157, 100, 8, ["shared_memory"]),
    ):
        sm = {**ROOM, "shared_bytes": 4096, "shared_unit": 256, "shared_reserved": reserved}
        found, _, _, limits = student.occupancy(32, 8, asked, sm)
        what = f"blocks with {asked} bytes and a reserve of {reserved}, in units of 256"
        expect([found, limits], what).equal([blocks, limiters])


@check("occupancy", points=1)
def test_blocks_that_can_not_be_are_refused(student):
    """No threads, 1025 threads, no registers, 256 registers, negative memory and bools for ints raise ValueError."""
    raises = student.occupancy.must_raise
    raises(ValueError, 0, 32, 0, H100)
    raises(ValueError, 1025, 32, 0, H100)
    raises(ValueError, 128, 0, 0, H100)
    raises(ValueError, 128, 256, 0, H100)
    raises(ValueError, 128, 32, -1, H100)
    raises(ValueError, True, 32, 0, H100)
    raises(ValueError, 128, 32, False, H100)


# --- latency_hiding ---


@check("latency_hiding", points=2)
@given(
    latency=positive(1e-7, 1e-5),
    rate=positive(1e11, 1e13),
    n_sm=sizes(1, 150),
    loads=sizes(1, 8),
    n_bytes=st.sampled_from([32, 128, 256, 512]),
    share=st.sampled_from([0.25, 0.5, 0.9, 1.0]),
)
def test_the_needed_warps_are_the_fewest_that_do(student, latency, rate, n_sm, loads, n_bytes, share):
    """As many bytes must be in flight as the wanted rate brings in one latency; one warp fewer is too few for it."""
    latency *= 1.00037  # so that nothing comes out even
    options = {"loads_per_warp": loads, "bytes_per_load": n_bytes, "share": share}
    in_flight, warps, _ = student.latency_hiding(latency, rate, n_sm, 1, **options)
    needed = latency * rate * share
    expect(in_flight, "bytes in flight").close(needed)
    per_warp = n_sm * loads * n_bytes
    expect(warps * per_warp, "bytes in flight of the needed warps").at_least(needed)
    expect((warps - 1) * per_warp, "bytes in flight of one warp fewer").at_most(needed)


@check("latency_hiding", points=2)
@given(warps=sizes(0, 64), loads=sizes(1, 8), n_sm=sizes(1, 150), share=st.sampled_from([0.25, 1.0]))
def test_bandwidth_grows_with_what_is_in_flight_until_it_is_full(student, warps, loads, n_sm, share):
    """The resident warps reach as much of the bandwidth as their bytes are of what it takes, and at most all of it."""
    _, _, reached = student.latency_hiding(2e-6, 1e12, n_sm, warps, loads_per_warp=loads, share=share)
    expect(reached, "share that is reached").close(min(1.0, warps * loads * n_sm * 128 / 2e6))


@check("latency_hiding", points=1)
def test_warps_that_are_just_enough(student):
    """Where the bytes in flight come out even, not one warp more is needed, and they reach the whole bandwidth."""
    expect(student.latency_hiding(2.0, 4096.0, 4, 16), "with loads of 128 bytes").equal((8192.0, 16, 1.0))
    expect(student.latency_hiding(2.0, 4096.0, 4, 15), "with one warp fewer").equal((8192.0, 16, 0.9375))
    found = student.latency_hiding(2.0, 4096.0, 4, 4, loads_per_warp=2, bytes_per_load=512, share=0.5)
    expect(found, "with two larger loads and half the bandwidth").equal((4096.0, 1, 1.0))


@check("latency_hiding", points=1)
def test_latencies_and_shares_out_of_range_are_refused(student):
    """No latency, no bandwidth, no SMs, no loads, negative warps and shares of 0 or above 1 raise ValueError."""
    raises = student.latency_hiding.must_raise
    raises(ValueError, 0.0, 1e12, 8, 8)
    raises(ValueError, 1e-6, float("inf"), 8, 8)
    raises(ValueError, 1e-6, 1e12, 0, 8)
    raises(ValueError, 1e-6, 1e12, 8, -1)
    raises(ValueError, 1e-6, 1e12, 8, True)
    raises(ValueError, 1e-6, 1e12, 8, 8, loads_per_warp=0)
    raises(ValueError, 1e-6, 1e12, 8, 8, bytes_per_load=0)
    raises(ValueError, 1e-6, 1e12, 8, 8, share=0.0)
    raises(ValueError, 1e-6, 1e12, 8, 8, share=1.5)


# --- gemm_quantization ---


@check("gemm_quantization", points=2)
def test_one_column_too_many(student):
    """On 108 SMs 2304 by 1536 is one full wave of 256 by 128 tiles; with one column more it is two, half of it idle."""
    for m, n, wanted in ((2304, 1536, (108, 1, 1.0)), (2304, 1537, (117, 2, 0.50033)), (1792, 1792, (98, 1, 0.90741))):
        tiles, waves, _, _, efficiency = student.gemm_quantization(m, n, 256, 128, 108)
        expect((tiles, waves, efficiency), f"tiles, waves and efficiency of {m} by {n}").close(wanted, rel=1e-5)
    tiles, waves, _, _, efficiency = student.gemm_quantization(4096, 4096, 128, 256, 132)
    expect((tiles, waves, efficiency), "of 4096 by 4096 on 132 SMs").close((512, 4, 0.9697), rel=1e-4)


@check("gemm_quantization", points=2)
@given(m=sizes(1, 40), n=sizes(1, 40), tile_m=SMALL, tile_n=SMALL, n_sm=sizes(1, 12), per_sm=SMALL)
def test_overhang_and_the_last_wave_are_lost(student, m, n, tile_m, tile_n, n_sm, per_sm):
    """Tiles cover the result, waves hold the tiles, and the two efficiencies make the third."""
    tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n)
    waves = math.ceil(tiles / (n_sm * per_sm))
    found = student.gemm_quantization(m, n, tile_m, tile_n, n_sm, blocks_per_sm=per_sm)
    expect(found[:2], "tiles and waves").equal((tiles, waves))
    expect(found[2], "efficiency of the tiles").close(m * n / (tiles * tile_m * tile_n))
    expect(found[3], "efficiency of the waves").close(tiles / (waves * n_sm * per_sm))
    expect(found[4], "efficiency").close(m * n / (waves * n_sm * per_sm * tile_m * tile_n))


@check("gemm_quantization", points=1)
def test_results_without_tiles_are_refused(student):
    """No rows, no columns, tiles without an area, no SMs, no blocks and a bool for an int raise ValueError."""
    raises = student.gemm_quantization.must_raise
    raises(ValueError, 0, 2, 2, 2, 2)
    raises(ValueError, 2, 0, 2, 2, 2)
    raises(ValueError, 2, 2, 0, 2, 2)
    raises(ValueError, 2, 2, 2, True, 2)
    raises(ValueError, 2, 2, 2, 2, 0)
    raises(ValueError, 2, 2, 2, 2, 2, blocks_per_sm=0)


# --- schedule_blocks ---

BLOCKS = st.lists(st.integers(1, 6), max_size=12)


@check("schedule_blocks", points=2)
def test_launches_that_can_be_drawn_on_paper(student):
    """A long block at the end of a launch costs more than one at the start; one block too many costs a wave."""
    for durations, n_sm, makespan in (
        ([1.0] * 98, 108, 1.0),
        ([1.0] * 133, 132, 2.0),
        ([3.0, 1.0, 1.0, 1.0, 1.0, 1.0], 2, 4.0),
        ([1.0, 1.0, 1.0, 1.0, 1.0, 3.0], 2, 5.0),
        ([], 4, 0.0),
    ):
        found, _, _ = student.schedule_blocks(durations, n_sm)
        expect(found, f"end of {len(durations)} blocks on {n_sm} SMs").equal(makespan)


@check("schedule_blocks", points=3)
@given(durations=BLOCKS, n_sm=sizes(1, 4), per_sm=sizes(1, 3))
def test_each_block_takes_the_slot_that_is_free_first(student, durations, n_sm, per_sm):
    """Each block starts when and where a slot becomes free first, the lowest of those that do at the same time."""
    end, found_starts, found_slots = student.schedule_blocks([float(d) for d in durations], n_sm, blocks_per_sm=per_sm)
    free = [0.0] * (n_sm * per_sm)
    starts, slots = [], []
    for seconds in durations:
        slot = free.index(min(free))
        starts.append(free[slot])
        slots.append(slot)
        free[slot] += seconds
    expect(found_starts, "start of each block").equal(starts)
    expect(found_slots, "slot of each block").equal(slots)
    expect(end, "end of the last block").equal(max(free))


@check("schedule_blocks", points=1)
@given(durations=st.lists(st.integers(0, 6), min_size=1, max_size=12), slots=sizes(1, 5))
def test_no_launch_is_far_from_the_best(student, durations, slots):
    """A launch lasts at least as long as its longest block and its share of the work, and at most Graham's bound."""
    end, starts, places = student.schedule_blocks([float(d) for d in durations], slots)
    longest, share = max(durations), Fraction(sum(durations), slots)
    expect(end, "end of the last block").between(
        float(max(longest, share)), float(share + Fraction(slots - 1, slots) * longest)
    )
    running = sorted(zip(places, starts, durations, strict=True))
    for (slot, start, seconds), (next_slot, next_start, _) in pairwise(running):
        if slot == next_slot:
            expect(next_start, f"start of the next block in slot {slot}").at_least(start + seconds)


@check("schedule_blocks", points=1)
def test_launches_that_can_not_be_are_refused(student):
    """No SMs, no blocks for each, a bool for an int, and durations that are negative or infinite raise ValueError."""
    raises = student.schedule_blocks.must_raise
    raises(ValueError, [1.0], 0)
    raises(ValueError, [1.0], True)
    raises(ValueError, [1.0], 2, blocks_per_sm=0)
    raises(ValueError, [1.0, -1.0], 2)
    raises(ValueError, [float("inf")], 2)


# --- tiled_gemm ---


KINDS = ("load_a", "load_b", "multiply", "store", "evict_a", "evict_b")


class Machine:
    """Carries out a schedule on real numbers: HBM, shared memory that counts, and registers for one tile."""

    def __init__(self, a, b, tile, shared_bytes, dtype_bytes):
        """A machine with A and B in HBM, and nothing else anywhere."""
        self.a, self.b, self.tile = a, b, tile
        self.capacity, self.dtype_bytes = shared_bytes, dtype_bytes
        self.c = np.full((a.shape[0], b.shape[1]), np.nan)
        self.shared, self.loads = {}, {}
        self.tile_of_c, self.sum = None, None

    def run(self, ops):
        """Carry out every step."""
        for number, op in enumerate(ops):
            self.step = f"step {number}, {show(op)}"
            well_formed = isinstance(op, tuple | list) and len(op) == 4 and op[0] in KINDS
            if not well_formed or not all(type(index) is int for index in op[1:]):
                self._refuse("no step of the docstring", "one of six kinds and three ints")
            self._carry_out(*op)
        self.step = "the end"
        if self.shared:
            self._refuse(
                f"shared memory holds {named(next(iter(self.shared)))}", "every tile that is loaded is evicted"
            )
        if self.tile_of_c is not None:
            self._refuse(f"tile {self.tile_of_c} of C is in the registers", "every tile of C is stored")

    def bytes_loaded(self):
        """Bytes that have come from HBM."""
        return sum(count * self._cut(tile).size for tile, count in self.loads.items()) * self.dtype_bytes

    def _refuse(self, found, rule):
        raise CheckFailed(f"at {self.step}: {found}", rule, what="the schedule")

    def _carry_out(self, kind, m, n, k):
        tile = ("a", m, k) if kind.endswith("_a") else ("b", k, n)
        if kind in ("load_a", "load_b"):
            self._load(tile)
        elif kind in ("evict_a", "evict_b"):
            self._evict(tile)
        elif kind == "multiply":
            self._multiply(m, n, k)
        else:
            self._store(m, n)

    def _cut(self, tile):
        matrix, row, col = tile
        source = self.a if matrix == "a" else self.b
        height, width = (self.tile[0], self.tile[2]) if matrix == "a" else (self.tile[2], self.tile[1])
        return source[row * height : (row + 1) * height, col * width : (col + 1) * width]

    def _load(self, tile):
        if min(tile[1:]) < 0 or self._cut(tile).size == 0:
            self._refuse(f"there is no {named(tile)}", "only tiles that lie in the matrix are loaded")
        if tile in self.shared:
            self._refuse(f"{named(tile)} is in shared memory already", "what is there is not loaded again")
        self.shared[tile] = self._cut(tile)
        self.loads[tile] = self.loads.get(tile, 0) + 1
        held = sum(part.size for part in self.shared.values()) * self.dtype_bytes
        if held > self.capacity:
            self._refuse(f"shared memory holds {held} bytes", f"it holds at most {self.capacity}")

    def _evict(self, tile):
        if tile not in self.shared:
            self._refuse(f"{named(tile)} is not in shared memory", "only what is there is evicted")
        del self.shared[tile]

    def _multiply(self, m, n, k):
        for tile in (("a", m, k), ("b", k, n)):
            if tile not in self.shared:
                self._refuse(f"{named(tile)} is not in shared memory", "both factors are there")
        if self.tile_of_c not in (None, (m, n)):
            self._refuse(f"tile {self.tile_of_c} of C is in the registers", "it is stored before another is begun")
        product = self.shared["a", m, k] @ self.shared["b", k, n]
        self.sum = product if self.tile_of_c is None else self.sum + product
        self.tile_of_c = (m, n)

    def _store(self, m, n):
        if self.tile_of_c != (m, n):
            self._refuse(f"tile ({m}, {n}) of C is not in the registers", "only what is there is stored")
        place = self.c[m * self.tile[0] : (m + 1) * self.tile[0], n * self.tile[1] : (n + 1) * self.tile[1]]
        if not np.isnan(place).all():
            self._refuse(f"tile ({m}, {n}) of C has been stored before", "each tile of C is stored once")
        place[:] = self.sum
        self.tile_of_c = None


def show(op):
    """A step as its tuple."""
    return repr(tuple(op))[:60] if isinstance(op, tuple | list) else repr(op)[:60]


def named(tile):
    """A tile in words."""
    return f"tile {tile[1:]} of {tile[0].upper()}"


def carried_out(student, size, tile, shared_bytes, dtype_bytes):
    """The student's schedule for a product of small integers, carried out."""
    (m, n, k), (tile_m, tile_n, tile_k) = size, tile
    a, b = patterned(m * k, 7).reshape(m, k), patterned(k * n, 8).reshape(k, n)
    ops = student.tiled_gemm(m, n, k, tile_m, tile_n, tile_k, shared_bytes, dtype_bytes)
    machine = Machine(a, b, tile, shared_bytes, dtype_bytes)
    machine.run(ops)
    return machine


DIMS = st.tuples(sizes(1, 7), sizes(1, 7), sizes(1, 7))
TILES = st.tuples(*[st.sampled_from([1, 2, 3, 5])] * 3)
BYTES = st.sampled_from([1, 2, 4])


@check("tiled_gemm", points=4, examples=60)
@given(size=DIMS, tile=TILES, dtype_bytes=BYTES, spare=sizes(0, 40))
def test_the_schedule_computes_the_product(student, size, tile, dtype_bytes, spare):
    """Carried out step by step, the schedule computes every tile of C, and never overfills shared memory."""
    shared_bytes = (tile[0] + tile[1]) * tile[2] * dtype_bytes + spare
    machine = carried_out(student, size, tile, shared_bytes, dtype_bytes)
    expect(machine.c, "C in HBM after the last step").equal(machine.a @ machine.b)


@check("tiled_gemm", points=3, examples=60)
@given(size=DIMS, tile=TILES, dtype_bytes=BYTES)
def test_tiles_are_loaded_once_for_each_tile_of_c(student, size, tile, dtype_bytes):
    """In the least of shared memory, what comes from HBM is at most A for each column of tiles, and B for each row."""
    (m, n, k), (tile_m, tile_n, tile_k) = size, tile
    machine = carried_out(student, size, tile, (tile_m + tile_n) * tile_k * dtype_bytes, dtype_bytes)
    rows, cols = math.ceil(m / tile_m), math.ceil(n / tile_n)
    expect(machine.bytes_loaded(), "bytes from HBM").at_most((cols * m * k + rows * k * n) * dtype_bytes)
    most = max(count for (matrix, *_), count in machine.loads.items() if matrix == "b")
    expect(most, "loads of one tile of B").at_most(rows)


@check("tiled_gemm", points=3, examples=60)
@given(size=DIMS, tile=TILES, dtype_bytes=BYTES, spare=sizes(0, 9))
def test_a_strip_that_fits_is_loaded_once(student, size, tile, dtype_bytes, spare):
    """Where a strip of A fits beside a tile of B, if only just, every tile of A comes from HBM once."""
    (m, n, k), (tile_m, tile_n, tile_k) = size, tile
    shared_bytes = (tile_m * max(k, tile_k) + tile_k * tile_n) * dtype_bytes + spare
    machine = carried_out(student, size, tile, shared_bytes, dtype_bytes)
    rows = math.ceil(m / tile_m)
    expect(machine.bytes_loaded(), "bytes from HBM").at_most((m * k + rows * k * n) * dtype_bytes)
    most = max(count for (matrix, *_), count in machine.loads.items() if matrix == "a")
    expect(most, "loads of one tile of A").at_most(1)


@check("tiled_gemm", points=1)
def test_tiles_that_do_not_fit_are_refused(student):
    """Two tiles that are a byte too large, no rows, no tiles, no memory and a bool for an int raise ValueError."""
    raises = student.tiled_gemm.must_raise
    raises(ValueError, 8, 8, 8, 2, 3, 4, 39, 2)
    raises(ValueError, 8, 8, 8, 2, 3, 4, 20, 2)
    raises(ValueError, 0, 8, 8, 2, 2, 2, 999, 2)
    raises(ValueError, 8, 8, 8, 2, 0, 2, 999, 2)
    raises(ValueError, 8, 8, 0, 2, 2, 2, 999, 2)
    raises(ValueError, 8, 8, 8, 2, 2, 2, 0, 2)
    raises(ValueError, 8, 8, 8, 2, 2, 2, 999, 0)
    raises(ValueError, 8, True, 8, 2, 2, 2, 999, 2)
