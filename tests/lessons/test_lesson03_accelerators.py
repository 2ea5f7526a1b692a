"""The solutions of lesson 3 against published numbers, and against other ways to compute the same."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import load_solution

lesson = load_solution("lesson03_accelerators")
small = st.integers(1, 6)


# --- peaks: Jouppi et al. 2017, arXiv:1704.04760 ---


def test_the_first_tpu_has_92_tops() -> None:
    """Table 2: 92 TOPS of 8-bit operations, 256 by 256 elements at 700 MHz."""
    assert round(lesson.array_peak(256, 256, 1, 700e6) / 1e12) == 92


def test_a_v5e_has_197_tflops() -> None:
    """Google's page on v5e: 197 TFLOP/s of bf16; four arrays of 128 by 128 at 1.5 GHz."""
    assert round(lesson.array_peak(128, 128, 4, 1.5e9) / 1e12) == 197


def test_the_ridge_of_the_first_tpu() -> None:
    """Figure 5: 1350 operations (which are multiply-accumulates) per byte of weight memory, at 34 GB/s."""
    assert lesson.ridge_mac_per_byte(lesson.array_peak(256, 256, 1, 700e6), 34e9) == pytest.approx(1350, abs=2)


# --- simulators ---


@given(small, small, small, st.integers(0, 99))
def test_output_stationary_is_the_space_time_diagram(rows: int, depth: int, cols: int, seed: int) -> None:
    """Each multiply-accumulate (i, j, k) happens in cycle i + j + k (Kung 1982), and nothing else happens."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-9, 9, (rows, depth)), rng.integers(-9, 9, (depth, cols))
    found = lesson.simulate_os(a, b)
    sums, active = np.zeros((rows, cols)), [0] * found.cycles
    happenings = sorted(itertools.product(range(rows), range(cols), range(depth)), key=sum)
    for cycle, group in itertools.groupby(happenings, key=sum):
        for i, j, k in group:
            sums[i, j] += a[i, k] * b[k, j]
            active[cycle] += 1
        assert np.array_equal(found.sums[cycle], sums)
    assert np.array_equal(found.active, active) and np.array_equal(found.result, a @ b)


@given(small, small, small, st.integers(0, 99))
def test_weight_stationary_is_its_space_time_diagram(count: int, depth: int, cols: int, seed: int) -> None:
    """x[m, k] is multiplied with w[k, j] in stream cycle m + k + j."""
    rng = np.random.default_rng(seed)
    x, w = rng.integers(-9, 9, (count, depth)), rng.integers(-9, 9, (depth, cols))
    found = lesson.simulate_ws(x, w)
    active = [0] * found.cycles
    for happening in itertools.product(range(count), range(depth), range(cols)):
        active[depth + sum(happening)] += 1
    assert np.array_equal(found.active, active) and np.array_equal(found.result, x @ w)
    assert found.leaving.sum() == (x @ w).sum()


def test_cycles_of_known_products() -> None:
    """SCALE-Sim's counts: R + C + T - 2 and 2R + C + T - 2."""
    ones = np.ones
    assert list(lesson.simulate_os(ones((2, 2)), ones((2, 2))).active) == [1, 3, 3, 1]
    assert lesson.simulate_os(ones((4, 7)), ones((7, 3))).cycles == 12
    assert list(lesson.simulate_ws(ones((2, 2)), ones((2, 2))).active) == [0, 0, 1, 3, 3, 1]
    assert lesson.simulate_ws(ones((5, 4)), ones((4, 3))).cycles == 14
    assert lesson.fold_cycles(128, 128, 128, 128, 128, "os")[1:] == (382, pytest.approx(0.3351, abs=5e-5))
    assert lesson.fold_cycles(128, 128, 128, 128, 128, "ws").cycles == 510
    assert lesson.fold_cycles(8, 128, 128, 128, 128, "ws").cycles == 390


# --- folds and traffic ---


@given(small, small, small, small, small)
def test_folds_are_those_that_a_loop_visits(m: int, n: int, k: int, rows: int, cols: int) -> None:
    folds = len(list(itertools.product(range(0, m, rows), range(0, n, cols))))
    assert lesson.fold_cycles(m, n, k, rows, cols, "os").folds == folds


@given(small, small, small, small, small)
def test_traffic_is_what_a_loop_over_folds_moves(m: int, n: int, k: int, rows: int, cols: int) -> None:
    """Weight-stationary, fold by fold."""
    a = b = written = read = 0
    for top, left in itertools.product(range(0, k, rows), range(0, n, cols)):
        high, wide = min(rows, k - top), min(cols, n - left)
        b += high * wide
        a += m * high
        written += m * wide
        read += m * wide if top else 0
    assert lesson.dataflow_traffic(m, n, k, rows, cols, "ws") == (a, b, written, read)


@given(small, small, small, small, small)
def test_keeping_inputs_is_keeping_the_weights_of_the_transposed_product(
    m: int, n: int, k: int, rows: int, cols: int
) -> None:
    one, other = (lesson.dataflow_traffic(*p, k, rows, cols, f) for p, f in (((m, n), "is"), ((n, m), "ws")))
    assert (one.a, one.b, one.out_w, one.out_r) == (other.b, other.a, other.out_w, other.out_r)
    assert lesson.fold_cycles(m, n, k, rows, cols, "is") == lesson.fold_cycles(n, m, k, rows, cols, "ws")


@given(st.integers(1, 5), small, small, st.integers(1, 9))
def test_double_buffering_as_a_schedule(n: int, rows: int, cols: int, t: int) -> None:
    """Loads one after the other, each into the registers that the stream before last has left."""
    loaded, starts = 0, list[int]()
    for tile in range(n):
        begins = max(loaded, starts[tile - 1] if tile else 0)  # the other set is free once the last stream begins
        loaded = begins + rows
        starts.append(max(loaded, starts[-1] + t if starts else 0))
    assert lesson.pipelined_ws_cycles(n, rows, cols, t, double_buffered=True) == starts[-1] + t + rows + cols - 2


def test_padding_of_published_rules() -> None:
    """How to Scale Your Model: dimensions are padded to the size of the array."""
    assert lesson.padding_efficiency(128, 128, 256) == 0.25
    assert math.isclose(lesson.padding_efficiency(129, 128, 128), 129 / 256)


# --- platforms ---


def platform(**entries: Any) -> dict[str, Any]:
    """A platform; what a test does not care about is filled in."""
    common = {"name": "one", "n_chips": 1, "price_per_chip_hour": 2.0, "peak_flops_per_chip": 1e15, "goodput": 1.0}
    return {**common, "measured_flops_per_chip": 4e14, "supported_ops": [], "port_days": 0.0, **entries}


def test_dollars_for_an_exaflop() -> None:
    """A v5e at 1.20 dollars an hour and 120 TFLOP/s, an H100 at 10.80 and 400 (list prices of 2025)."""

    def cost(price: float, rate: float) -> float:
        one = platform(n_chips=1, price_per_chip_hour=price, measured_flops_per_chip=rate)
        return float(lesson.choose_platform(1e18, [one], required_ops=[]).cost)

    found = [round(cost(*each), 2) for each in ((1.2, 120e12), (10.8, 400e12), (2.5, 400e12), (1.2, 197e12))]
    assert found == [2.78, 7.5, 1.74, 1.69]


@given(st.lists(st.floats(0.5, 9.0), min_size=1, max_size=9))
def test_median_and_spread_are_those_of_numpy(times: list[float]) -> None:
    log = [{"seconds": each, "ok": True, "host_seconds": 0.0, "run": 0} for each in times]
    found = lesson.summarise_runs(log, warm_up=0)
    low, middle, high = np.quantile(times, [0.25, 0.5, 0.75])
    assert found.seconds == pytest.approx(middle) == pytest.approx(statistics.median(times))
    assert found.spread == pytest.approx((high - low) / 2 / middle, abs=1e-12) and found.goodput == 1.0


def test_a_platform_that_nobody_measured_changes_nothing_else() -> None:
    one = platform(n_chips=8, goodput=0.9, port_days=1.0)
    two = {**one, "name": "two", "measured_flops_per_chip": None, "price_per_chip_hour": 0.01}
    alone = lesson.choose_platform(1e22, [one], required_ops=[])
    both = lesson.choose_platform(1e22, [two, one], required_ops=[])
    assert both[:3] == alone[:3] and both.rejected == {"two": "unmeasured"}
