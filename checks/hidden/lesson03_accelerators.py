"""Hidden checks of lesson 3: against the reference solution, and at the edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import check, expect, positive, public_checks, sizes

public = public_checks(__file__)
SMALL, FLOWS = public.SMALL, public.FLOWS
OPS = ("matmul", "conv", "sort")


# --- array_peak ---


@check("array_peak", points=1, examples=20)
@given(rows=sizes(1, 999), cols=sizes(1, 999), arrays=sizes(1, 99), clock=positive(1.0, 1e11))
def test_any_array(student, reference, rows, cols, arrays, clock):
    """The peak of any array is that of the rule."""
    found = student.array_peak.keeps_arguments(rows, cols, arrays, clock)
    expect(found, "peak").close(reference.array_peak(rows, cols, arrays, clock))


# --- ridge_mac_per_byte ---


@check("ridge_mac_per_byte", points=1, examples=20)
@given(peak=positive(1.0, 1e18), rate=positive(1.0, 1e15))
def test_any_ridge(student, reference, peak, rate):
    """The ridge of any machine is that of the rule."""
    found = student.ridge_mac_per_byte.keeps_arguments(peak, rate)
    expect(found, "multiply-accumulates per byte").close(reference.ridge_mac_per_byte(peak, rate))


# --- simulate_os ---


@check("simulate_os", points=2, examples=25)
@given(rows=sizes(1, 6), depth=sizes(1, 6), cols=sizes(1, 6), seed=st.integers(0, 999))
def test_every_cycle_of_an_output_stationary_array(student, reference, rows, depth, cols, seed):
    """Product, cycles, activity and accumulators are those of the rule, and the matrices are as they were."""
    a, b = public.matrices(rows, depth, cols, seed)
    found = student.simulate_os.keeps_arguments(a / 4, b / 4)
    expect(found, "what the array did").close(reference.simulate_os(a / 4, b / 4), abs=1e-12)


@check("simulate_os", points=1)
def test_what_has_not_arrived_spoils_nothing(student):
    """A last column of A that is not a number spoils the product, but no accumulator before it arrives."""
    a, b = np.array([[1.0, np.nan], [2.0, np.nan]]), np.ones((2, 2))
    sums = np.array(student.simulate_os(a, b).sums)
    expect([bool(np.isnan(sums[0]).any()), bool(np.isnan(sums[1, 1]).any())], "whether NaN is there too early").equal(
        [False, False]
    )
    expect(bool(np.isnan(sums[-1]).all()), "whether NaN is everywhere at the end").equal(True)


# --- simulate_ws ---


@check("simulate_ws", points=2, examples=25)
@given(count=sizes(1, 6), depth=sizes(1, 6), cols=sizes(1, 6), seed=st.integers(0, 999))
def test_every_cycle_of_a_weight_stationary_array(student, reference, count, depth, cols, seed):
    """Product, cycles, activity and what leaves are those of the rule, and the matrices are as they were."""
    x, w = public.matrices(count, depth, cols, seed)
    found = student.simulate_ws.keeps_arguments(x / 4, w / 4)
    expect(found, "what the array did").close(reference.simulate_ws(x / 4, w / 4), abs=1e-12)


# --- fold_cycles ---


@check("fold_cycles", points=2, examples=25)
@given(m=sizes(1, 5000), n=sizes(1, 5000), k=sizes(1, 5000), rows=sizes(1, 300), cols=sizes(1, 300))
def test_folds_of_any_product(student, reference, m, n, k, rows, cols):
    """Folds, cycles and utilisation of any product are those of the rule."""
    for flow in FLOWS:
        found = student.fold_cycles.keeps_arguments(m, n, k, rows, cols, flow)
        expect(found, f"folds, cycles and utilisation of {flow}").close(
            reference.fold_cycles(m, n, k, rows, cols, flow)
        )


# --- pipelined_ws_cycles ---


@check("pipelined_ws_cycles", points=1, examples=25)
@given(n=sizes(1, 99), rows=sizes(1, 300), cols=sizes(1, 300), t=sizes(1, 3000), buffered=st.booleans())
def test_any_tiles(student, reference, n, rows, cols, t, buffered):
    """Cycles of any tiles are those of the rule."""
    found = student.pipelined_ws_cycles.keeps_arguments(n, rows, cols, t, double_buffered=buffered)
    expect(found, "cycles").equal(reference.pipelined_ws_cycles(n, rows, cols, t, double_buffered=buffered))


# --- padding_efficiency ---


@check("padding_efficiency", points=1, examples=25)
@given(k=sizes(1, 9999), n=sizes(1, 9999), mxu=sizes(1, 512))
def test_any_weights(student, reference, k, n, mxu):
    """The efficiency of any weights is that of the rule."""
    found = student.padding_efficiency.keeps_arguments(k, n, mxu)
    expect(found, "efficiency").close(reference.padding_efficiency(k, n, mxu))


# --- dataflow_traffic ---


@check("dataflow_traffic", points=2, examples=25)
@given(m=sizes(1, 5000), n=sizes(1, 5000), k=sizes(1, 5000), rows=sizes(1, 300), cols=sizes(1, 300))
def test_traffic_of_any_product(student, reference, m, n, k, rows, cols):
    """The elements of any product are those of the rule."""
    for flow in FLOWS:
        found = student.dataflow_traffic.keeps_arguments(m, n, k, rows, cols, flow)
        expect(found, f"elements of {flow}").equal(reference.dataflow_traffic(m, n, k, rows, cols, flow))


# --- summarise_runs ---


@check("summarise_runs", points=2, examples=30)
@given(
    steps=st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.integers(0, 4)), min_size=1, max_size=9),
    restarts=st.sets(st.integers(1, 8), max_size=2),
    warm_up=st.integers(0, 2),
)
def test_any_log(student, reference, steps, restarts, warm_up):
    """Median, spread, goodput and the host's share of any log are those of the rule."""
    log, run = [], 1
    for place, (seconds, ok, quarters) in enumerate(steps):
        run += place in restarts
        log.append(public.step(float(seconds), ok, seconds * quarters / 4, run))
    try:
        wanted = reference.summarise_runs(log, warm_up=warm_up)
    except AssertionError:
        student.summarise_runs.must_raise(ValueError, log, warm_up=warm_up)
        return
    expect(student.summarise_runs.keeps_arguments(log, warm_up=warm_up), "what the log says").close(wanted, abs=1e-12)


# --- choose_platform ---


@check("choose_platform", points=3, examples=40)
@given(
    drawn=st.lists(
        st.tuples(
            st.sampled_from([1, 8, 64]),
            st.sampled_from([1.0, 2.0, 8.0]),
            st.sampled_from([None, 1e13, 1e14]),
            st.sampled_from([0.5, 1.0]),
            st.sets(st.sampled_from(OPS)),
            st.sampled_from([0.0, 2.0]),
        ),
        min_size=1,
        max_size=5,
    ),
    required=st.sets(st.sampled_from(OPS), max_size=2),
    deadline=st.sampled_from([float("inf"), 100.0, 4.0]),
)
def test_any_platforms(student, reference, drawn, required, deadline):
    """The choice among any platforms is that of the rule, ties included, whatever their order."""
    platforms = [
        public.platform(f"p{place}", chips, price, measured, goodput, sorted(ops), port)
        for place, (chips, price, measured, goodput, ops, port) in enumerate(drawn)
    ]
    options = {"required_ops": sorted(required), "deadline_days": deadline, "engineer_day_cost": 500.0}
    for order in (platforms, platforms[::-1]):
        try:
            wanted = reference.choose_platform(1e20, order, **options)
        except AssertionError:
            student.choose_platform.must_raise(ValueError, 1e20, order, **options)
        else:
            expect(student.choose_platform.keeps_arguments(1e20, order, **options), "decision").close(wanted)


@check("choose_platform", points=1)
def test_as_many_days_as_there_are_is_in_time(student):
    """A platform that takes exactly the days that there are is not too late."""
    one = public.platform("one", 1, 1.0, 1e14, port=1.0)
    found = student.choose_platform(8.64e18, [one], required_ops=[], deadline_days=2.0)
    expect(found.days, "days").close(2.0)


@check("choose_platform", points=1)
def test_equal_costs_are_decided_by_days_and_then_by_name(student):
    """Of equally cheap platforms the faster one is chosen, and of equally fast ones the first by name, in any order."""
    slow, fast = public.platform("a", 1, 2.0, 1e14), public.platform("c", 2, 2.0, 1e14)
    same = public.platform("b", 2, 2.0, 1e14)
    for order, name in (([slow, fast], "c"), ([fast, slow], "c"), ([fast, same], "b"), ([same, fast], "b")):
        found = student.choose_platform(8.64e18, order, required_ops=[])
        expect(found.name, "choice").equal(name)
