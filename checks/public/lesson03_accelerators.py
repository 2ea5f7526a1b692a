"""Public checks of lesson 3: peaks, systolic arrays cycle by cycle, folds, traffic, and platforms from logs."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import check, expect, patterned, positive, sizes

SMALL = st.sampled_from([1, 2, 3, 5, 8])
FLOWS = ("os", "ws", "is")


def matrices(rows, depth, cols, seed):
    """Two matrices of small integers that have a product."""
    return patterned(rows * depth, seed).reshape(rows, depth), patterned(depth * cols, seed + 7).reshape(depth, cols)


def step(seconds, ok=True, host=0.0, run=1):
    """An entry of a log."""
    return {"seconds": seconds, "ok": ok, "host_seconds": host, "run": run}


def platform(name="here", chips=8, price=2.0, measured=1e14, goodput=1.0, ops=("matmul",), port=0.0):
    """A platform."""
    return {
        "name": name,
        "n_chips": chips,
        "price_per_chip_hour": price,
        "peak_flops_per_chip": 1e15,
        "measured_flops_per_chip": measured,
        "goodput": goodput,
        "supported_ops": list(ops),
        "port_days": port,
    }


# --- array_peak ---


@check("array_peak", points=2)
def test_published_peaks(student):
    """The first TPU's 256 by 256 array at 700 MHz has 92 TOPS; four of 128 by 128 at 1.5 GHz have 197 TFLOP/s."""
    expect(student.array_peak(256, 256, 1, 700e6) / 1e12, "TOPS of the first TPU").close(92.0, rel=0.005)
    expect(student.array_peak(128, 128, 4, 1.5e9) / 1e12, "TFLOP/s of a v5e").close(197.0, rel=0.005)


@check("array_peak", points=1)
@given(rows=sizes(1, 300), cols=sizes(1, 300), arrays=sizes(1, 9), clock=positive(1e6, 1e10))
def test_the_peak_grows_with_each_factor(student, rows, cols, arrays, clock):
    """Twice the rows, columns, arrays or clock is twice the peak."""
    peak = student.array_peak(rows, cols, arrays, clock)
    expect(peak, "peak").close(2.0 * rows * cols * arrays * clock)
    expect(student.array_peak(cols, rows, arrays, clock), "peak of the array laid on its side").close(peak)


@check("array_peak", points=1)
def test_arrays_that_do_not_exist_are_refused(student):
    """No rows, no columns, no array, a bool for an int and a clock that stands raise ValueError."""
    raises = student.array_peak.must_raise
    raises(ValueError, 0, 2, 1, 1e9)
    raises(ValueError, 2, 0, 1, 1e9)
    raises(ValueError, 2, 2, 0, 1e9)
    raises(ValueError, True, 2, 1, 1e9)
    raises(ValueError, 2, 2, 1, 0.0)
    raises(ValueError, 2, 2, 1, float("inf"))


# --- ridge_mac_per_byte ---


@check("ridge_mac_per_byte", points=2)
def test_the_published_ridge_of_the_first_tpu(student):
    """With 92 TOPS and 34 GB/s the ridge is near 1350 multiply-accumulates a byte, as published."""
    expect(student.ridge_mac_per_byte(92e12, 34e9), "multiply-accumulates per byte").close(1350.0, rel=0.005)


@check("ridge_mac_per_byte", points=1)
@given(peak=positive(1e9, 1e16), rate=positive(1e9, 1e13))
def test_at_the_ridge_memory_feeds_the_peak(student, peak, rate):
    """So many multiply-accumulates of every byte, two operations each, are the peak."""
    expect(student.ridge_mac_per_byte(peak, rate) * 2 * rate, "operations per second at the ridge").close(peak)


@check("ridge_mac_per_byte", points=1)
def test_peaks_and_rates_out_of_range_are_refused(student):
    """Zero, negative and infinite peaks or rates raise ValueError."""
    raises = student.ridge_mac_per_byte.must_raise
    raises(ValueError, 0.0, 1.0)
    raises(ValueError, 1.0, 0.0)
    raises(ValueError, -1.0, 1.0)
    raises(ValueError, 1.0, float("inf"))


# --- simulate_os ---


@check("simulate_os", points=2)
@given(rows=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_the_array_computes_the_product_in_time(student, rows, depth, cols, seed):
    """The product is that of the matrices, and takes R + C + T - 2 cycles."""
    a, b = matrices(rows, depth, cols, seed)
    result, cycles, *_ = student.simulate_os(a, b)
    expect(result, "product").equal(a @ b)
    expect(cycles, "cycles").equal(rows + cols + depth - 2)


@check("simulate_os", points=3)
@given(rows=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_each_accumulator_grows_when_its_operands_meet(student, rows, depth, cols, seed):
    """After cycle c accumulator (i, j) holds the products up to k = c - i - j, and nothing of what has not met yet."""
    a, b = matrices(rows, depth, cols, seed)
    sums = student.simulate_os(a, b).sums
    for cycle in range(rows + cols + depth - 2):
        met = np.clip(cycle - np.add.outer(np.arange(rows), np.arange(cols)) + 1, 0, depth)
        wanted = [[a[i, : met[i, j]] @ b[: met[i, j], j] for j in range(cols)] for i in range(rows)]
        expect(sums[cycle], f"accumulators after cycle {cycle}").equal(np.array(wanted))


@check("simulate_os", points=2)
@given(rows=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_elements_at_work(student, rows, depth, cols, seed):
    """Elements work R·C·T times in all, begin with one, and are as many in a cycle as that long before the end."""
    active = student.simulate_os(*matrices(rows, depth, cols, seed)).active
    expect(int(sum(active)), "multiply-accumulates in all").equal(rows * cols * depth)
    expect([int(active[0]), int(active[-1])], "elements at work in the first and in the last cycle").equal([1, 1])
    expect(active, "elements at work").equal(np.array(active)[::-1])


@check("simulate_os", points=1)
def test_matrices_without_a_product_are_refused(student):
    """Shapes that do not fit, vectors and empty matrices raise ValueError."""
    raises = student.simulate_os.must_raise
    raises(ValueError, np.ones((2, 3)), np.ones((2, 3)))
    raises(ValueError, np.ones(3), np.ones((3, 1)))
    raises(ValueError, np.ones((1, 3)), np.ones(3))
    raises(ValueError, np.ones((0, 3)), np.ones((3, 2)))
    raises(ValueError, np.ones((2, 0)), np.ones((0, 2)))


# --- simulate_ws ---


@check("simulate_ws", points=2)
@given(count=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_weights_that_stay_give_the_product_in_time(student, count, depth, cols, seed):
    """The product is that of the matrices, and takes K cycles of loading and M + K + N - 2 of streaming."""
    x, w = matrices(count, depth, cols, seed)
    result, cycles, *_ = student.simulate_ws(x, w)
    expect(result, "product").equal(x @ w)
    expect(cycles, "cycles").equal(2 * depth + count + cols - 2)


@check("simulate_ws", points=3)
@given(count=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_each_sum_leaves_when_it_is_finished(student, count, depth, cols, seed):
    """Entry (m, j) leaves column j in stream cycle m + K - 1 + j, after the loading, and nothing leaves otherwise."""
    x, w = matrices(count, depth, cols, seed)
    wanted = np.zeros((2 * depth + count + cols - 2, cols))
    for m in range(count):
        for j in range(cols):
            wanted[depth + m + depth - 1 + j, j] = x[m] @ w[:, j]
    expect(student.simulate_ws(x, w).leaving, "what leaves the array, by cycle and column").equal(wanted)


@check("simulate_ws", points=2)
@given(count=SMALL, depth=SMALL, cols=SMALL, seed=st.integers(0, 99))
def test_nothing_works_while_weights_are_loaded(student, count, depth, cols, seed):
    """No element multiplies in the first K cycles; afterwards they multiply M·K·N times in all."""
    active = np.array(student.simulate_ws(*matrices(count, depth, cols, seed)).active)
    expect(active[:depth], "elements at work while weights are loaded").equal(np.zeros(depth, dtype=int))
    expect(int(active[depth:].sum()), "multiply-accumulates in all").equal(count * depth * cols)
    expect(active[depth:], "elements at work").equal(active[depth:][::-1])


@check("simulate_ws", points=1)
def test_inputs_and_weights_without_a_product_are_refused(student):
    """Shapes that do not fit, vectors and empty matrices raise ValueError."""
    raises = student.simulate_ws.must_raise
    raises(ValueError, np.ones((2, 3)), np.ones((2, 3)))
    raises(ValueError, np.ones(3), np.ones((3, 1)))
    raises(ValueError, np.ones((1, 3)), np.ones(3))
    raises(ValueError, np.ones((1, 3)), np.ones((3, 0)))


# --- fold_cycles ---


@check("fold_cycles", points=2)
def test_a_thousand_by_a_thousand_on_128_by_128(student):
    """A product of 1024 three times has 64 folds: 81,792 cycles output-stationary, 89,984 weight-stationary.

    The utilisations are 80.1 and 72.8 %; of 4096 three times output-stationary it is 94.2 %.
    """
    for flow, cycles, share in (("os", 81_792, 0.801252), ("ws", 89_984, 0.728307), ("is", 89_984, 0.728307)):
        found = student.fold_cycles(1024, 1024, 1024, 128, 128, flow)
        expect([found.folds, found.cycles], f"folds and cycles of {flow}").equal([64, cycles])
        expect(found.utilization, f"utilisation of {flow}").close(share, rel=1e-5)
    found = student.fold_cycles(4096, 4096, 4096, 128, 128, "os")
    expect(found.utilization, "utilisation of the larger product").close(0.941609, rel=1e-5)


@check("fold_cycles", points=2)
@given(m=sizes(1, 30), n=sizes(1, 30), k=sizes(1, 30), rows=SMALL, cols=SMALL)
def test_each_flow_folds_what_it_lays_out(student, m, n, k, rows, cols):
    """Folds are the pieces along rows times those along columns; each costs as much as a full one.

    To keep A in place is to keep the weights of the transposed product in place.
    """
    for flow, (down, across, streams) in zip(FLOWS, ((m, n, k), (k, n, m), (k, m, n)), strict=True):
        folds = math.ceil(down / rows) * math.ceil(across / cols)
        one = rows + cols + streams - 2 + (0 if flow == "os" else rows)
        found = student.fold_cycles(m, n, k, rows, cols, flow)
        expect(found.folds, f"folds of {flow}").equal(folds)
        expect(found.cycles, f"cycles of {flow}").equal(folds * one)
        expect(found.utilization, f"utilisation of {flow}").close(m * n * k / (folds * one * rows * cols))


@check("fold_cycles", points=1)
def test_products_that_do_not_exist_are_refused(student):
    """No rows, no columns, a bool for an int and an unknown flow raise ValueError."""
    raises = student.fold_cycles.must_raise
    raises(ValueError, 0, 2, 2, 2, 2, "os")
    raises(ValueError, 2, 2, 0, 2, 2, "os")
    raises(ValueError, 2, 2, 2, 0, 2, "ws")
    raises(ValueError, 2, 2, 2, 2, True, "ws")
    raises(ValueError, 2, 2, 2, 2, 2, "rs")


# --- pipelined_ws_cycles ---


@check("pipelined_ws_cycles", points=2)
def test_sixty_four_tiles(student):
    """64 tiles of 128 by 128 with 1024 rows each take 65,918 cycles double-buffered, and 89,984 otherwise."""
    expect(student.pipelined_ws_cycles(64, 128, 128, 1024, double_buffered=True), "cycles").equal(65_918)
    expect(student.pipelined_ws_cycles(64, 128, 128, 1024, double_buffered=False), "cycles").equal(89_984)


@check("pipelined_ws_cycles", points=2)
@given(n=sizes(1, 6), rows=SMALL, cols=SMALL, t=sizes(1, 12))
def test_tiles_follow_each_other_as_soon_as_they_can(student, n, rows, cols, t):
    """Double-buffered, a tile starts when it is loaded and the one before has taken its last row.

    Without it, a tile is loaded when the one before has given its last sum.
    """
    loaded = start = 0
    for tile in range(n):
        loaded += rows if tile == 0 else 0
        start = loaded if tile == 0 else max(start + t, start + rows)
    buffered = start + t + rows + cols - 2
    expect(student.pipelined_ws_cycles(n, rows, cols, t, double_buffered=True), "cycles").equal(buffered)
    plain = n * (2 * rows + cols + t - 2)
    expect(student.pipelined_ws_cycles(n, rows, cols, t, double_buffered=False), "cycles unbuffered").equal(plain)


@check("pipelined_ws_cycles", points=1)
def test_tiles_that_do_not_exist_are_refused(student):
    """No tiles, no rows of input, and a bool for an int raise ValueError."""
    raises = student.pipelined_ws_cycles.must_raise
    raises(ValueError, 0, 2, 2, 2, double_buffered=True)
    raises(ValueError, 2, 0, 2, 2, double_buffered=True)
    raises(ValueError, 2, 2, 2, 0, double_buffered=False)
    raises(ValueError, 2, 2, True, 2, double_buffered=False)


# --- padding_efficiency ---


@check("padding_efficiency", points=2)
def test_one_row_too_many(student):
    """129 by 128 weights fill half of two tiles of 128; 128 by 128 fill a quarter of one of 256."""
    expect(student.padding_efficiency(129, 128, 128), "efficiency of 129 by 128").close(0.50390625)
    expect(student.padding_efficiency(129, 129, 128), "efficiency of 129 by 129").close(0.25391, rel=1e-4)
    expect(student.padding_efficiency(128, 128, 256), "efficiency on 256 by 256").close(0.25)
    expect(student.padding_efficiency(256, 384, 128), "efficiency of whole multiples").equal(1.0)


@check("padding_efficiency", points=1)
@given(k=sizes(1, 40), n=sizes(1, 40), mxu=SMALL)
def test_padding_is_all_that_is_lost(student, k, n, mxu):
    """Efficiency is the weights over the padded weights: at most 1, and 1 only without padding."""
    padded = (k + -k % mxu) * (n + -n % mxu)
    expect(student.padding_efficiency(k, n, mxu), "efficiency").close(k * n / padded)


@check("padding_efficiency", points=1)
def test_weights_that_do_not_exist_are_refused(student):
    """No rows, no columns, no array and a bool for an int raise ValueError."""
    raises = student.padding_efficiency.must_raise
    raises(ValueError, 0, 2, 2)
    raises(ValueError, 2, 0, 2)
    raises(ValueError, 2, 2, 0)
    raises(ValueError, 2, 2, True)


# --- dataflow_traffic ---


@check("dataflow_traffic", points=2)
def test_traffic_of_three_flows(student):
    """A 256 by 384 times 384 by 512 product on 128 by 128 moves what each dataflow has to move."""
    for flow, wanted in (
        ("os", [393_216, 393_216, 131_072, 0]),
        ("ws", [393_216, 196_608, 393_216, 262_144]),
        ("is", [98_304, 393_216, 393_216, 262_144]),
    ):
        expect(list(student.dataflow_traffic(256, 512, 384, 128, 128, flow)), f"elements of {flow}").equal(wanted)


@check("dataflow_traffic", points=2)
@given(m=sizes(1, 30), n=sizes(1, 30), k=sizes(1, 30), rows=SMALL, cols=SMALL)
def test_what_stays_is_read_once(student, m, n, k, rows, cols):
    """What stays crosses the edge once, what streams once for each fold that needs it."""
    found = student.dataflow_traffic(m, n, k, rows, cols, "os")
    expect(list(found), "elements of os").equal([m * k * -(-n // cols), k * n * -(-m // rows), m * n, 0])
    pieces = -(-k // rows)
    found = student.dataflow_traffic(m, n, k, rows, cols, "ws")
    wanted = [m * k * -(-n // cols), k * n, m * n * pieces, m * n * (pieces - 1)]
    expect(list(found), "elements of ws").equal(wanted)
    found = student.dataflow_traffic(m, n, k, rows, cols, "is")
    wanted = [m * k, k * n * -(-m // cols), m * n * pieces, m * n * (pieces - 1)]
    expect(list(found), "elements of is").equal(wanted)


@check("dataflow_traffic", points=1)
def test_traffic_of_nothing_is_refused(student):
    """No rows, no array, a bool for an int and an unknown flow raise ValueError."""
    raises = student.dataflow_traffic.must_raise
    raises(ValueError, 0, 2, 2, 2, 2, "os")
    raises(ValueError, 2, 2, 2, 2, 0, "ws")
    raises(ValueError, 2, True, 2, 2, 2, "ws")
    raises(ValueError, 2, 2, 2, 2, 2, "rs")


# --- summarise_runs ---


@check("summarise_runs", points=2)
def test_warm_up_comes_again_with_every_run(student):
    """Of two runs with a slow first step each, those steps cost goodput and do not count as speed."""
    log = [step(30.0), step(1.0), step(1.0), step(30.0, run=2), step(1.0, run=2), step(1.0, run=2)]
    seconds, spread, goodput, fallback = student.summarise_runs(log, warm_up=1)
    expect([seconds, spread, fallback], "median, spread and fallback").close([1.0, 0.0, 0.0])
    expect(goodput, "goodput").close(4 / 64)


@check("summarise_runs", points=2)
@given(
    times=st.lists(st.integers(1, 9), min_size=1, max_size=7),
    failed=st.lists(st.integers(1, 9), max_size=3),
    slow=st.integers(1, 50),
)
def test_failed_steps_and_warm_up_cost_goodput_alone(student, times, failed, slow):
    """Failed steps and warm-up change the goodput; median and the host's share are those of the other steps."""
    log = [step(float(slow))]
    log += [step(float(t), ok=False) for t in failed] + [step(float(t), host=t / 4) for t in times]
    found = student.summarise_runs(log, warm_up=1)
    expect(found.seconds, "median of the steps that count").close(float(np.median(times)))
    expect(found.fallback, "share of the host").close(0.25)
    expect(found.goodput, "goodput").close(sum(times) / (sum(times) + sum(failed) + slow))


@check("summarise_runs", points=1)
@given(times=st.lists(st.integers(1, 20), min_size=2, max_size=8))
def test_the_spread_is_half_the_quartiles_distance_over_the_median(student, times):
    """The spread is half the distance of the quartiles, as a share of the median."""
    low, middle, high = np.quantile(times, [0.25, 0.5, 0.75])
    found = student.summarise_runs([step(float(t)) for t in times], warm_up=0)
    expect(found.spread, "spread").close((high - low) / 2 / middle, abs=1e-12)


@check("summarise_runs", points=1)
def test_logs_that_say_nothing_are_refused(student):
    """No steps, only warm-up, only failures, negative times and too much time on the host raise ValueError."""
    student.summarise_runs.must_raise(ValueError, [], warm_up=0)
    student.summarise_runs.must_raise(ValueError, [step(1.0), step(1.0)], warm_up=2)
    student.summarise_runs.must_raise(ValueError, [step(1.0, ok=False)], warm_up=0)
    student.summarise_runs.must_raise(ValueError, [step(-1.0), step(1.0)], warm_up=0)
    student.summarise_runs.must_raise(ValueError, [step(1.0, host=2.0)], warm_up=0)
    student.summarise_runs.must_raise(ValueError, [step(1.0)], warm_up=-1)


# --- choose_platform ---


@check("choose_platform", points=2)
def test_dollars_per_useful_exaflop(student):
    """A chip at 1.20 dollars an hour and 120 TFLOP/s beats one at 10.80 and 400: 2.78 dollars for 1e18 FLOP, not 7.50.

    At 2.50 dollars an hour the second one wins, with 1.74.
    """
    cheap = platform("v5e", 1, 1.2, 120e12)
    for price, name, cost in ((10.8, "v5e", 2.78), (2.5, "h100", 1.74)):
        other = platform("h100", 1, price, 400e12)
        found = student.choose_platform(1e18, [cheap, other], required_ops=["matmul"])
        expect(found.name, f"choice at {price} dollars an hour").equal(name)
        expect(found.cost, "dollars").close(cost, rel=0.005)


@check("choose_platform", points=2)
@given(
    chips=sizes(1, 64),
    price=positive(0.1, 10.0),
    goodput=st.sampled_from([0.25, 0.5, 1.0]),
    port=st.sampled_from([0.0, 1.0, 10.0]),
    engineer=st.sampled_from([0.0, 1000.0]),
)
def test_days_and_dollars_of_one_platform(student, chips, price, goodput, port, engineer):
    """Chips are paid by the hour while they train, engineers by the day while they port; both take days."""
    one = platform("one", chips, price, 1e14, goodput, port=port)
    found = student.choose_platform(1e21, [one], required_ops=[], engineer_day_cost=engineer)
    hours = 1e21 / (chips * 1e14 * goodput) / 3600
    expect(found.days, "days").close(hours / 24 + port)
    expect(found.cost, "dollars").close(hours * chips * price + port * engineer)


@check("choose_platform", points=2)
def test_the_first_reason_is_named(student):
    """What is unmeasured, lacks an operator or comes too late is rejected, for the first of these that applies."""
    late = platform("late", 1, 1.0, 1e12)
    lacking = platform("lacking", 64, 1.0, 1e14, ops=("conv",))
    unknown = platform("unknown", 64, 0.01, None, ops=("conv",))
    both = platform("both", 1, 1.0, 1e12, ops=("conv",))
    good = platform("good", 64, 9.0, 1e14)
    found = student.choose_platform(
        1e20, [late, lacking, unknown, both, good], required_ops=["matmul"], deadline_days=30.0
    )
    expect(found.name, "choice").equal("good")
    wanted = {"late": "deadline", "lacking": "missing_op", "unknown": "unmeasured", "both": "missing_op"}
    expect(found.rejected, "rejected").equal(wanted)


@check("choose_platform", points=1)
def test_no_platform_is_no_choice(student):
    """Where nothing is left, or there is no work, ValueError is raised."""
    raises = student.choose_platform.must_raise
    raises(ValueError, 1e18, [], required_ops=[])
    raises(ValueError, 1e18, [platform(measured=None)], required_ops=[])
    raises(ValueError, 1e18, [platform()], required_ops=["sort"])
    raises(ValueError, 0.0, [platform()], required_ops=[])
