"""Lesson 3 · Accelerators and systolic arrays.

Outcomes:
    3a  time a matrix product on a systolic array, cycle by cycle
    3b  say what each dataflow keeps in place and what it has to move
    3c  count folds, fill and padding, and the utilisation that they leave
    3d  choose a platform from what was measured, not from its data sheet

Reading:
    Kung (1982): Why Systolic Architectures? IEEE Computer 15(1), 37-46.
    Jouppi et al. (2017): In-Datacenter Performance Analysis of a Tensor Processing Unit. ISCA. arXiv:1704.04760.
    Samajdar et al. (2018): SCALE-Sim: Systolic CNN Accelerator Simulator. arXiv:1811.02883.
    Austin et al. (2025): How to Scale Your Model, the chapter on TPUs. jax-ml.github.io/scaling-book.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np

from grader.student import FloatArray, IntArray, checked_float, checked_int, exercise

Dataflow = Literal["os", "ws", "is"]


class OutputStationary(NamedTuple):
    """What an output-stationary array did.

    Attributes:
        result: The product, of shape (R, C).
        cycles: Cycles up to and with the last multiply-accumulate.
        active: How many processing elements multiplied in each cycle, of shape (cycles,).
        sums: The accumulators after each cycle, of shape (cycles, R, C).
    """

    result: FloatArray
    cycles: int
    active: IntArray
    sums: FloatArray


class WeightStationary(NamedTuple):
    """What a weight-stationary array did.

    Attributes:
        result: The product, of shape (M, N).
        cycles: Cycles from the first weight row that is loaded to the last sum that leaves.
        active: How many processing elements multiplied in each cycle, of shape (cycles,).
        leaving: What left the bottom of each column in each cycle, of shape (cycles, N); 0 where nothing did.
    """

    result: FloatArray
    cycles: int
    active: IntArray
    leaving: FloatArray


class Folds(NamedTuple):
    """A product that does not fit the array, cut into folds.

    Attributes:
        folds: How often the array is filled.
        cycles: In all.
        utilization: The share of its multiply-accumulates that the array does.
    """

    folds: int
    cycles: int
    utilization: float


class Traffic(NamedTuple):
    """Elements that cross the edge of the array.

    Attributes:
        a: Of A, read.
        b: Of B, read.
        out_w: Of the product, finished or not, written.
        out_r: Of unfinished sums, read back.
    """

    a: int
    b: int
    out_w: int
    out_r: int


class Measured(NamedTuple):
    """What a log of runs says.

    Attributes:
        seconds: Median time of a step.
        spread: Half the range between the quartiles, as a share of the median.
        goodput: The share of the time that went into steps that count.
        fallback: The share of the step time that operators on the host took.
    """

    seconds: float
    spread: float
    goodput: float
    fallback: float


class Platform(TypedDict):
    """What is known of a platform: a dict of these entries.

    Attributes:
        name: Its name; no two platforms share one.
        n_chips: How many chips there are.
        price_per_chip_hour: In dollars.
        peak_flops_per_chip: What the data sheet says, in FLOP per second.
        measured_flops_per_chip: What the benchmark reached, in FLOP per second; None where nobody has measured.
        goodput: The share of the time that is useful, in (0, 1].
        supported_ops: The operators that run on the chip, in any order.
        port_days: Days to bring the model there.
    """

    name: str
    n_chips: int
    price_per_chip_hour: float
    peak_flops_per_chip: float
    measured_flops_per_chip: float | None
    goodput: float
    supported_ops: tuple[str, ...]
    port_days: float


class Decision(NamedTuple):
    """A choice of platform.

    Attributes:
        name: The platform.
        cost: In dollars, the engineers included.
        days: From the start of porting to the end of training.
        rejected: Why platforms were out of the question: "unmeasured", "missing_op" or "deadline", by name.
    """

    name: str
    cost: float
    days: float
    rejected: dict[str, str]


@exercise(outcome="3a", minutes=10, core=True, difficulty=1)
def array_peak(rows: int, cols: int, n_arrays: int, clock_hz: float) -> float:
    """Compute the peak of systolic arrays.

    Every processing element does one multiply-accumulate a cycle, and that counts as two operations: a
    multiplication and an addition.

    Args:
        rows: Rows of an array, at least 1.
        cols: Columns of an array, at least 1.
        n_arrays: How many arrays the chip has, at least 1.
        clock_hz: Cycles per second, positive.

    Returns:
        Operations per second.

    Raises:
        ValueError: If a count is not an int of at least 1 (a bool is not an int), or the clock is not finite
            and positive.

    Example:
        >>> array_peak(2, 3, 4, 10.0)
        480.0
    """
    raise NotImplementedError("array_peak: not written yet")


@exercise(outcome="3a", minutes=10, core=True, difficulty=1)
def ridge_mac_per_byte(peak_ops: float, bytes_per_s: float) -> float:
    """Compute how many multiply-accumulates a byte must feed, or the memory is the limit.

    Below the ridge a kernel waits for memory, above it for the arrays. The peak counts a multiply-accumulate
    as two operations; the ridge asked for counts it as one, as Jouppi et al. do (their Figure 5).

    Args:
        peak_ops: Peak in operations per second, positive.
        bytes_per_s: Memory bandwidth in bytes per second, positive.

    Returns:
        Multiply-accumulates per byte.

    Raises:
        ValueError: If either is not finite and positive.

    Example:
        >>> ridge_mac_per_byte(1000.0, 100.0)
        5.0
    """
    raise NotImplementedError("ridge_mac_per_byte: not written yet")


@exercise(outcome="3a", minutes=60, core=True, difficulty=3)
def simulate_os(a: FloatArray, b: FloatArray) -> OutputStationary:
    """Run a product on an output-stationary systolic array, register by register.

    The array has a processing element for each entry of the product, R rows of C. Row i of A enters row i of
    the array at its left edge, delayed by i cycles; column j of B enters column j at the top, delayed by j
    cycles. In each cycle every operand hops one element on, A's to the right and B's down, and an element that
    holds one of each multiplies them and adds the product to its accumulator, which stays. So element (i, j)
    does its k-th multiply-accumulate in cycle i + j + k, all counted from 0.

    Args:
        a: Of shape (R, T); not changed.
        b: Of shape (T, C); not changed.

    Returns:
        The product, the cycles R + C + T - 2, the elements at work and the accumulators in each of them.

    Raises:
        ValueError: If either has not two dimensions, is empty, or they have no product.

    Example:
        >>> simulate_os([[2.0]], [[3.0]])
        OutputStationary(result=array([[6.]]), cycles=1, active=array([1]), sums=array([[[6.]]]))
    """
    raise NotImplementedError("simulate_os: not written yet")


@exercise(outcome="3a", minutes=60, core=False, difficulty=3)
def simulate_ws(x: FloatArray, w: FloatArray) -> WeightStationary:
    """Run a product on a weight-stationary systolic array, register by register.

    The array has an element for each weight, K rows of N. First the weights are loaded, a row a cycle: K cycles
    in which nothing is multiplied. Then column k of X streams into row k of the array from the left, delayed by
    k cycles, and hops one element to the right each cycle. Partial sums flow down: an element multiplies its
    weight with the x that it holds, adds the sum that comes from above (0 in the top row), and hands the result
    to the element below for the next cycle. Entry (m, j) of the product leaves the bottom of column j in stream
    cycle m + (K - 1) + j, counted from 0 after the loading.

    Args:
        x: Of shape (M, K); not changed.
        w: Of shape (K, N); not changed.

    Returns:
        The product; K + (M + K + N - 2) cycles; the elements at work and what left the array in each of them,
        the cycles of loading included.

    Raises:
        ValueError: If either has not two dimensions, is empty, or they have no product.

    Example:
        >>> simulate_ws([[2.0]], [[3.0]])
        WeightStationary(result=array([[6.]]), cycles=2, active=array([0, 1]), leaving=array([[0.],
               [6.]]))
    """
    raise NotImplementedError("simulate_ws: not written yet")


@exercise(outcome="3c", minutes=30, core=True, difficulty=2)
def fold_cycles(m: int, n: int, k: int, rows: int, cols: int, dataflow: Dataflow) -> Folds:
    """Count the cycles of a product that is larger than the array.

    A dataflow lays two dimensions of the product A (m by k) times B (k by n) over rows and columns of the array
    and streams the third through it:

    ====  ====  =======  =======  ==================
    flow  rows  columns  streams  stays in place
    ====  ====  =======  =======  ==================
    os    m     n        k        sums
    ws    k     n        m        weights (B)
    is    k     m        n        inputs (A)
    ====  ====  =======  =======  ==================

    What does not fit is cut into ceil(dimension / array) pieces along each side, and every pair of pieces is a
    fold. A fold costs as much as a full one, however little of it is used: with T steps that stream, R rows and
    C columns, R + C + T - 2 cycles for "os", and R more for "ws" and "is", which have to load what stays.
    Folds run one after the other.

    Args:
        m: Rows of A, at least 1.
        n: Columns of B, at least 1.
        k: Columns of A, at least 1.
        rows: Rows of the array, at least 1.
        cols: Columns of the array, at least 1.
        dataflow: "os", "ws" or "is".

    Returns:
        Folds, cycles, and m·n·k multiply-accumulates as a share of what rows·cols elements could do in them.

    Raises:
        ValueError: If a size is not an int of at least 1 (a bool is not an int), or the dataflow is another word.

    Example:
        >>> fold_cycles(3, 2, 4, 2, 2, "os")
        Folds(folds=2, cycles=12, utilization=0.5)
    """
    raise NotImplementedError("fold_cycles: not written yet")


@exercise(outcome="3c", minutes=25, core=False, difficulty=2)
def pipelined_ws_cycles(n_tiles: int, rows: int, cols: int, t: int, *, double_buffered: bool) -> int:
    """Count the cycles of weight tiles that are used one after the other.

    A tile is loaded in R = rows cycles. Then t rows of input stream through it: a new one can enter each cycle,
    and the last leaves R + C - 2 cycles after it has entered. Without a second set of weight registers the next
    tile is loaded only when the last sum of the tile before has left: n·(2R + C + t - 2). With one, the next
    tile is loaded while the present one streams, and its inputs follow those of the tile before without a gap,
    or as soon as it is loaded, if that is later. Only one tile is loaded at a time, and the first load is
    hidden by nothing.

    Args:
        n_tiles: Weight tiles, at least 1.
        rows: Rows R of the array, at least 1.
        cols: Columns C of the array, at least 1.
        t: Rows of input that stream through each tile, at least 1.
        double_buffered: Whether there is a second set of weight registers.

    Returns:
        Cycles from the start of the first load to the last sum that leaves.

    Raises:
        ValueError: If a count is not an int of at least 1 (a bool is not an int).

    Example:
        >>> pipelined_ws_cycles(3, 2, 2, 5, double_buffered=True)
        19
    """
    raise NotImplementedError("pipelined_ws_cycles: not written yet")


@exercise(outcome="3c", minutes=10, core=True, difficulty=1)
def padding_efficiency(k: int, n: int, mxu: int) -> float:
    """Compute which share of padded weights is no padding.

    Both dimensions of a k by n matrix of weights are padded with zeros to the next multiple of the array's
    size, and the array works on zeros as long as on anything else.

    Args:
        k: Rows of weights, at least 1.
        n: Columns of weights, at least 1.
        mxu: The array has mxu by mxu elements, at least 1.

    Returns:
        Weights as a share of the elements that they take with padding.

    Raises:
        ValueError: If a size is not an int of at least 1 (a bool is not an int).

    Example:
        >>> padding_efficiency(3, 2, 2)
        0.75
    """
    raise NotImplementedError("padding_efficiency: not written yet")


@exercise(outcome="3b", minutes=35, core=True, difficulty=2)
def dataflow_traffic(m: int, n: int, k: int, rows: int, cols: int, dataflow: Dataflow) -> Traffic:
    """Count the elements that cross the edge of the array.

    The product A (m by k) times B (k by n) is cut into folds as in ``fold_cycles``: "os" lays m over rows and n
    over columns, "ws" k and n, "is" k and m. What stays in place is read once. What streams is read anew for
    every fold that needs it. Sums that stay ("os") are written once, when they are finished. Where k lies over
    the rows, each piece of k gives unfinished sums for all of the product: they are written, and read back as
    the start of the next piece; only the first piece starts from nothing.

    Args:
        m: Rows of A, at least 1.
        n: Columns of B, at least 1.
        k: Columns of A, at least 1.
        rows: Rows of the array, at least 1.
        cols: Columns of the array, at least 1.
        dataflow: "os", "ws" or "is".

    Returns:
        Elements (not bytes), by what they are.

    Raises:
        ValueError: If a size is not an int of at least 1 (a bool is not an int), or the dataflow is another word.

    Example:
        >>> dataflow_traffic(2, 3, 4, 2, 2, "ws")
        Traffic(a=16, b=12, out_w=12, out_r=6)
    """
    raise NotImplementedError("dataflow_traffic: not written yet")


@exercise(outcome="3d", minutes=35, core=True, difficulty=2)
def summarise_runs(log: Sequence[dict[str, Any]], *, warm_up: int) -> Measured:
    """Say from a log what a platform does.

    An entry of the log is one step: ``seconds`` it took, ``ok`` (whether it finished), ``host_seconds`` of them
    that operators spent on the host because the chip does not have them, and ``run``, a number that changes
    when the job was started anew. The first ``warm_up`` steps of *every* run compile and fill caches: they take
    time, but say nothing about speed. Neither do steps that failed.

    - ``seconds`` and ``spread`` are over the steps that count: finished, and not warm-up. The spread is half
      the distance of the quartiles over the median; quartiles as ``statistics.quantiles(…, n=4,
      method="inclusive")`` gives them, and 0 for a single step.
    - ``goodput`` is the time of steps that count over the time of all steps.
    - ``fallback`` is the host's share of the time of steps that count.

    Args:
        log: The steps in order. Steps of one run stand together.
        warm_up: How many steps at the start of each run don't count, at least 0; failed ones among them are
            warm-up too.

    Returns:
        Median, spread, goodput and fallback.

    Raises:
        ValueError: If no step counts, if a time is negative or not finite, if the host's time is longer than
            its step, or if ``warm_up`` is not an int of at least 0 (a bool is not an int).

    Example:
        >>> steps = [(9.0, True, 1), (2.0, True, 1), (4.0, True, 1), (1.0, False, 1)]
        >>> summarise_runs([dict(seconds=s, ok=o, host_seconds=s / 2, run=r) for s, o, r in steps], warm_up=1)
        Measured(seconds=3.0, spread=0.16666666666666666, goodput=0.375, fallback=0.5)
    """
    raise NotImplementedError("summarise_runs: not written yet")


@exercise(outcome="3d", minutes=45, core=True, difficulty=3)
def choose_platform(
    work_flops: float,
    platforms: Sequence[Platform],
    *,
    required_ops: Sequence[str],
    deadline_days: float = math.inf,
    engineer_day_cost: float = 0.0,
) -> Decision:
    """Choose the cheapest platform that can do the work in time.

    Training takes ``work_flops / (n_chips · measured · goodput)`` seconds, and starts when the port is done:
    ``days`` is that in days plus the port's. The cost is what the chips cost while they train, by the hour, and
    what the engineers cost while they port. Peaks don't enter: nobody trains at the peak.

    A platform is rejected for the first of these that applies: "unmeasured" (there is no measurement),
    "missing_op" (it lacks an operator that is required), "deadline" (it takes more days than there are; as many
    is in time). Among the others the lowest cost wins; of equal costs the fewest days, then the name.

    Args:
        work_flops: FLOP that the training takes, positive.
        platforms: What there is to choose from.
        required_ops: Operators that must run on the chip, in any order.
        deadline_days: Days from now.
        engineer_day_cost: Dollars for a day of porting, at least 0.

    Returns:
        The choice, and why others were rejected; those that were only dearer are not listed.

    Raises:
        ValueError: If no platform is left, or ``work_flops`` is not finite and positive.

    Example:
        >>> one = dict(name="one", n_chips=10, price_per_chip_hour=2.0, peak_flops_per_chip=9e12, goodput=0.5)
        >>> one = dict(one, measured_flops_per_chip=1e12, supported_ops=["matmul"], port_days=1.0)
        >>> two = dict(one, name="two", measured_flops_per_chip=None)
        >>> choose_platform(4.32e17, [one, two], required_ops=["matmul"], engineer_day_cost=100.0)
        Decision(name='one', cost=580.0, days=2.0, rejected={'two': 'unmeasured'})
    """
    raise NotImplementedError("choose_platform: not written yet")
