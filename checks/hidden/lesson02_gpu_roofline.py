"""Hidden checks of lesson 2: against the reference solution, and at the edges."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import check, expect, positive, public_checks, sizes

public = public_checks(__file__)
KIB, SMALL = public.KIB, public.SMALL
ENTRY = st.sampled_from([0.5, 1.0, 2.0, 4.0, 8.0])


# --- tensor_peak ---


@check("tensor_peak", points=1, examples=25)
@given(n_sm=sizes(1, 999), cores=sizes(1, 64), fma=sizes(1, 9999), clock=positive(1.0, 1e11), sparse=st.booleans())
def test_any_gpu(student, reference, n_sm, cores, fma, clock, sparse):
    """The peak of any GPU is that of the rule."""
    found = student.tensor_peak.keeps_arguments(n_sm, cores, fma, clock, sparse=sparse)
    expect(found, "peak").close(reference.tensor_peak(n_sm, cores, fma, clock, sparse=sparse))


# --- roofline ---


@check("roofline", points=1, examples=30)
@given(
    intensity=st.one_of(positive(1e-3, 1e6), st.sampled_from([0.0, 0.25, 1.0, 2.0, 4.0, 8.0, 16.0, math.inf])),
    log_peak=sizes(0, 12),
    log_rate=sizes(0, 6),
)
def test_any_roof(student, reference, intensity, log_peak, log_rate):
    """Under any roof, the ridge itself included, the result is that of the rule."""
    peak, rate = 2.0**log_peak, 2.0**log_rate
    found = student.roofline.keeps_arguments(intensity, peak, rate)
    expect(found, "the roof").close(reference.roofline(intensity, peak, rate))


# --- kernel_time ---


@check("kernel_time", points=1, examples=30)
@given(
    flops=st.one_of(positive(1.0, 1e15), st.just(0.0)),
    n_bytes=st.one_of(positive(1.0, 1e12), st.just(0.0)),
    peak=positive(1e9, 1e16),
    rate=positive(1e9, 1e13),
    eighths=sizes(0, 8),
)
def test_any_kernel(student, reference, flops, n_bytes, peak, rate, eighths):
    """The time of any kernel is that of the rule."""
    found = student.kernel_time.keeps_arguments(flops, n_bytes, peak, rate, overlap=eighths / 8)
    expect(found, "seconds").close(reference.kernel_time(flops, n_bytes, peak, rate, overlap=eighths / 8))


# --- gemm_intensity ---


@check("gemm_intensity", points=1, examples=30)
@given(m=sizes(1, 99999), n=sizes(1, 99999), k=sizes(1, 99999), a=ENTRY, b=ENTRY, c=ENTRY)
def test_any_product(student, reference, m, n, k, a, b, c):
    """The intensity of any product is that of the rule."""
    found = student.gemm_intensity.keeps_arguments(m, n, k, bytes_a=a, bytes_b=b, bytes_c=c)
    expect(found, "FLOP per byte").close(reference.gemm_intensity(m, n, k, bytes_a=a, bytes_b=b, bytes_c=c))
    expect(student.gemm_intensity(m, n, k), "FLOP per byte in bf16").close(reference.gemm_intensity(m, n, k))


# --- critical_m ---


@check("critical_m", points=1, examples=30)
@given(n=sizes(1, 999), k=sizes(1, 999), ridge=positive(0.5, 300.0), a=ENTRY, b=ENTRY, c=ENTRY)
def test_any_layer(student, reference, n, k, ridge, a, b, c):
    """The critical m of any layer is that of the rule, whether or not there is one."""
    ridge *= 1.00037  # so that no layer reaches it only in the limit
    options = {"bytes_a": a, "bytes_b": b, "bytes_c": c}
    found = student.critical_m.keeps_arguments(n, k, ridge * 1024, 1024.0, **options)
    expect(found, "critical m").close(reference.critical_m(n, k, ridge * 1024, 1024.0, **options), rel=1e-7)
    found, wanted = (side.critical_m(n, k, ridge, 1.0) for side in (student, reference))
    expect(found, "critical m in bf16").close(wanted, rel=1e-7)


# --- warp_sectors ---


@check("warp_sectors", points=2, examples=40)
@given(
    base=sizes(0, 70),
    stride=sizes(0, 20),
    lanes=sizes(0, 32),
    access=public.ACCESSES,
    sector=st.sampled_from([2, 12, 32, 128]),
)
def test_any_pattern(student, reference, base, stride, lanes, access, sector):
    """Sectors and efficiency of any pattern are those of the rule, also where accesses are wider than sectors."""
    addresses = [(base + stride * lane) * access for lane in range(lanes)]
    found = student.warp_sectors.keeps_arguments(addresses, access, sector_bytes=sector)
    wanted = reference.warp_sectors(addresses, access, sector_bytes=sector)
    expect(found, "sectors and efficiency").close(wanted)
    expect(student.warp_sectors(addresses, access), "with sectors of 32 bytes").close(
        reference.warp_sectors(addresses, access)
    )


# --- bank_conflict_degree ---


@check("bank_conflict_degree", points=2, examples=40)
@given(words=st.lists(st.integers(0, 200), max_size=32), banks=st.sampled_from([1, 2, 5, 16, 32]))
def test_any_words(student, reference, words, banks):
    """The passes of any words are those of the rule."""
    found = student.bank_conflict_degree.keeps_arguments(words, banks=banks)
    expect(found, "passes").equal(reference.bank_conflict_degree(words, banks=banks))
    expect(student.bank_conflict_degree(words), "passes on 32 banks").equal(reference.bank_conflict_degree(words))


# --- occupancy ---


@check("occupancy", points=4, examples=60)
@given(
    threads=st.one_of(sizes(1, 1024), st.sampled_from([32, 64, 96, 128, 160, 256, 512])),
    registers=st.one_of(sizes(1, 255), st.sampled_from([32, 33, 40, 64, 128])),
    shared=st.one_of(sizes(0, 228 * KIB), st.sampled_from([0, 1, 15 * KIB, 56 * KIB, 113 * KIB, 227 * KIB])),
    sm=st.sampled_from([public.H100, public.V100, {**public.H100, "shared_bytes": 164 * KIB}]),
)
def test_any_kernel_on_real_sms(student, reference, threads, registers, shared, sm):
    """Blocks, warps, occupancy and every limit of any kernel on three SMs are those of the rule."""
    found = student.occupancy.keeps_arguments(threads, registers, shared, sm)
    expect(found, "occupancy").close(reference.occupancy(threads, registers, shared, sm))


@check("occupancy", points=1)
def test_blocks_that_miss_by_a_few_bytes(student, reference):
    """A block that fits five times to the byte, but not in whole units of shared memory, fits four times."""
    for sm, shared in ((public.H100, 45_670), (public.V100, 19_660)):
        found = student.occupancy(64, 32, shared, sm)
        expect(found, f"occupancy with {shared} bytes").close(reference.occupancy(64, 32, shared, sm))


# --- latency_hiding ---


@check("latency_hiding", points=2, examples=40)
@given(
    latency=positive(1e-7, 1e-5),
    rate=positive(1e11, 1e13),
    n_sm=sizes(1, 200),
    warps=sizes(0, 64),
    loads=sizes(1, 8),
    n_bytes=sizes(1, 600),
    share=st.sampled_from([0.125, 0.75, 1.0]),
)
def test_any_latency(student, reference, latency, rate, n_sm, warps, loads, n_bytes, share):
    """Bytes in flight, warps and the share that is reached are those of the rule."""
    latency *= 1.00037  # so that nothing comes out even
    options = {"loads_per_warp": loads, "bytes_per_load": n_bytes, "share": share}
    found = student.latency_hiding.keeps_arguments(latency, rate, n_sm, warps, **options)
    expect(found, "what hides the latency").close(reference.latency_hiding(latency, rate, n_sm, warps, **options))
    found, wanted = (side.latency_hiding(latency, rate, n_sm, warps) for side in (student, reference))
    expect(found, "with one load of 128 bytes for the whole bandwidth").close(wanted)


# --- gemm_quantization ---


@check("gemm_quantization", points=2, examples=40)
@given(
    m=sizes(1, 9999),
    n=sizes(1, 9999),
    tile_m=sizes(1, 300),
    tile_n=sizes(1, 300),
    n_sm=sizes(1, 150),
    per_sm=sizes(1, 4),
)
def test_any_tiles(student, reference, m, n, tile_m, tile_n, n_sm, per_sm):
    """Tiles, waves and efficiencies of any product are those of the rule."""
    found = student.gemm_quantization.keeps_arguments(m, n, tile_m, tile_n, n_sm, blocks_per_sm=per_sm)
    expect(found, "what is left").close(reference.gemm_quantization(m, n, tile_m, tile_n, n_sm, blocks_per_sm=per_sm))
    found, wanted = (side.gemm_quantization(m, n, tile_m, tile_n, n_sm) for side in (student, reference))
    expect(found, "what is left with one block on each SM").close(wanted)


# --- schedule_blocks ---


@check("schedule_blocks", points=3, examples=50)
@given(durations=st.lists(st.integers(0, 12), max_size=20), n_sm=sizes(1, 6), per_sm=sizes(1, 3))
def test_any_launch(student, reference, durations, n_sm, per_sm):
    """Makespan, starts and slots of any launch are those of the rule, with blocks that last no time among them."""
    seconds = [duration / 4 for duration in durations]
    found = student.schedule_blocks.keeps_arguments(seconds, n_sm, blocks_per_sm=per_sm)
    expect(found, "the launch").close(reference.schedule_blocks(seconds, n_sm, blocks_per_sm=per_sm))
    found, wanted = (side.schedule_blocks(seconds, n_sm) for side in (student, reference))
    expect(found, "the launch with one block on each SM").close(wanted)


# --- tiled_gemm ---


@check("tiled_gemm", points=3, examples=40)
@given(size=public.DIMS, tile=public.TILES, dtype_bytes=public.BYTES, room=sizes(0, 120))
def test_any_memory(student, size, tile, dtype_bytes, room):
    """In any shared memory the product is right, and HBM is read no more than the rules allow; or it is refused."""
    (m, n, k), (tile_m, tile_n, tile_k) = size, tile
    if (tile_m + tile_n) * tile_k * dtype_bytes > room:
        student.tiled_gemm.must_raise(ValueError, *size, *tile, max(room, 1), dtype_bytes)
        return
    machine = public.carried_out(student, size, tile, room, dtype_bytes)
    expect(machine.c, "C in HBM after the last step").equal(machine.a @ machine.b)
    strip_fits = (tile_m * k + tile_k * tile_n) * dtype_bytes <= room
    rows, cols = math.ceil(m / tile_m), 1 if strip_fits else math.ceil(n / tile_n)
    expect(machine.bytes_loaded(), "bytes from HBM").at_most((cols * m * k + rows * k * n) * dtype_bytes)


@check("tiled_gemm", points=2, examples=20)
@given(size=public.DIMS, tile=public.TILES, short=sizes(1, 9))
def test_a_strip_that_just_does_not_fit(student, size, tile, short):
    """With a few bytes too few for a strip of A beside a tile of B, the schedule fits and computes the product."""
    (_, _, k), (tile_m, tile_n, tile_k) = size, tile
    shared_bytes = (tile_m * k + tile_k * tile_n) * 2 - short
    if (tile_m + tile_n) * tile_k * 2 > shared_bytes:
        return
    machine = public.carried_out(student, size, tile, shared_bytes, 2)
    expect(machine.c, "C in HBM after the last step").equal(machine.a @ machine.b)
