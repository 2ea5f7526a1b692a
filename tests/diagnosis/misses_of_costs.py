"""Near misses of bus_bandwidth, collective_time and fit_alpha_beta."""

from __future__ import annotations

from tests.diagnosis.near_misses import Collection

MISSES = Collection()

# --- bus_bandwidth ---

BUS = "bus_bandwidth"
ALL_REDUCE = '"all_reduce": 2 * (n - 1) / n'

MISSES.edit(
    "one_pass_for_odd_ranks",
    (ALL_REDUCE, '"all_reduce": (1 if n % 2 else 2) * (n - 1) / n'),
    of=BUS,
    near="all_reduce_passes_once",
    where="right for even numbers of ranks",
)
MISSES.edit(
    "one_pass_for_two_ranks",
    (ALL_REDUCE, '"all_reduce": (2 if n > 2 else 1) * (n - 1) / n'),
    of=BUS,
    near="all_reduce_passes_once",
    where="right from three ranks on",
)
MISSES.edit(
    "two_passes_from_eight_ranks_on",
    (ALL_REDUCE, '"all_reduce": 2.0 if n >= 8 else 2 * (n - 1) / n'),
    of=BUS,
    near="all_reduce_factor_of_infinitely_many_ranks",
    where="right below eight ranks",
)
MISSES.edit(
    "one_shard_of_reduce_scatter_too",
    ("algbw = size / time", 'algbw = size * (n if op in ("all_gather", "reduce_scatter") else 1) / time'),
    of=BUS,
    near="all_gather_sends_one_shard",
    where="reduce_scatter is wrong as well",
)
MISSES.edit(
    "rooted_like_all_gather",
    ('"broadcast": 1.0', '"broadcast": (n - 1) / n'),
    ('"reduce": 1.0', '"reduce": (n - 1) / n'),
    of=BUS,
    near="broadcast_like_all_gather",
    where="reduce is wrong as well",
)
MISSES.edit(
    "gibibytes_per_second",
    ("algbw = size / time", "algbw = size / time / 2**30"),
    of=BUS,
    near="gigabytes_per_second",
    where="another unit",
)
MISSES.edit(
    "bus_alone_in_gigabytes",
    ("algbw * factors[op]", "algbw * factors[op] / 1e9"),
    of=BUS,
    near="gigabytes_per_second",
    where="algbw is right",
)
MISSES.edit(
    "one_rank_and_no_bytes",
    ('checked_int("ranks", n, 2)', 'checked_int("ranks", n, 1)'),
    ('checked_int("size_bytes", size_bytes, 1)', 'checked_int("size_bytes", size_bytes, 0)'),
    of=BUS,
    near="one_rank_is_a_collective",
    where="no bytes are taken as well",
)
MISSES.edit(
    "truth_is_a_number_of_ranks",
    ('n = checked_int("ranks", n, 2)', 'n = checked_int("ranks", int(n), 1)'),
    of=BUS,
    near="one_rank_is_a_collective",
    where="a bool is taken for a number of ranks as well",
)

# --- collective_time ---

TIME = "collective_time"
RING = "return 2 * (p - 1) * alpha + 2 * share * beta + share * gamma"

MISSES.edit(
    "levels_rounded_to_the_nearest",
    ("(p - 1).bit_length()", "round(math.log2(p))"),
    of=TIME,
    near="levels_rounded_down",
    where="right for 3, 6 and 7 ranks",
)
MISSES.edit(
    "ring_of_p_steps_adds_right",
    (RING, "return 2 * p * alpha + 2 * n * beta + share * gamma"),
    of=TIME,
    near="ring_of_p_steps",
    where="gamma has its right factor",
)
MISSES.edit(
    "latency_of_one_phase",
    (RING, "return (p - 1) * alpha + 2 * share * beta + share * gamma"),
    of=TIME,
    near="latency_once",
    where="from three ranks on",
)
MISSES.edit(
    "latency_once_from_nine_ranks_on",
    (RING, "return (2 * (p - 1) if p < 9 else 1) * alpha + 2 * share * beta + share * gamma"),
    of=TIME,
    near="latency_once",
    where="right up to eight ranks",
)
MISSES.edit(
    "rabenseifner_alone_takes_any_number",
    ('algorithm in ("rabenseifner", "recursive_doubling") and', 'algorithm == "recursive_doubling" and'),
    of=TIME,
    near="any_number_of_ranks_halves",
    where="recursive doubling refuses six ranks",
)
MISSES.edit(
    "two_latencies_forgotten",
    ("return 2 * levels * alpha + share * (2 * beta + gamma)", "return levels * alpha + share * (2 * beta + gamma)"),
    ("return 2 * levels * (alpha + n * beta) +", "return levels * (alpha + n * beta) +"),
    of=TIME,
    near="tree_one_way",
    where="two listed mistakes at once",
)
MISSES.edit(
    "whole_buffer_in_the_all_reduce_alone",
    (RING, "return 2 * (p - 1) * (alpha + n * beta) + (p - 1) * n * gamma"),
    of=TIME,
    near="whole_buffer_each_round",
    where="the other algorithms are right",
)
MISSES.edit(
    "whole_bytes_in_a_chunk",
    ("share = (p - 1) / p * n", "share = (p - 1) * (n // p)"),
    of=TIME,
    near="whole_buffer_each_round",
    where="right where p divides n",
)
MISSES.edit(
    "additions_in_the_wrong_phase",
    ("return (p - 1) * alpha + share * (beta + gamma)", "return (p - 1) * alpha + share * beta"),
    ("return (p - 1) * (alpha + n / p * beta)", "return (p - 1) * (alpha + n / p * (beta + gamma))"),
    of=TIME,
    near="all_gather_adds",
    where="two listed mistakes at once",
)
MISSES.edit(
    "negative_latency_taken",
    ('checked_float("alpha", alpha), checked_float("beta", beta)', 'alpha, checked_float("beta", beta)'),
    (RING, "return 2 * (p - 1) * (alpha + n / p * (beta + gamma))"),
    of=TIME,
    near="ring_adds_twice",
    where="a negative alpha is taken as well",
)

# --- fit_alpha_beta ---

FIT, HELPER = "fit_alpha_beta", "_relative_least_squares"
MEDIAN = "np.median(runs[size])"
WITHIN = "if all(abs((alpha + beta * size) / seconds - 1) <= tolerance for size, seconds in points):"

MISSES.edit(
    "upper_median",
    (MEDIAN, "sorted(runs[size])[len(runs[size]) // 2]"),
    of=FIT,
    near="mean_of_repeats",
    where="right for odd numbers of repeats",
)
MISSES.edit(
    "mean_of_even_repeats_but_two",
    (MEDIAN, "np.median(runs[size]) if len(runs[size]) != 4 else np.mean(runs[size])"),
    of=FIT,
    near="mean_of_repeats",
    where="right but for four repeats",
)
MISSES.edit(
    "first_of_repeats",
    (MEDIAN, "runs[size][0]"),
    of=FIT,
    near="mean_of_repeats",
    where="wherever a size is measured twice",
)
MISSES.edit(
    "rounded_means",
    (MEDIAN, "round(np.mean(runs[size]), 9)"),
    of=FIT,
    near="mean_of_repeats",
    where="times are rounded to a nanosecond",
)
MISSES.edit(
    "two_points_and_negative_latency",
    ("while len(points) >= 3:", "while len(points) >= 2:"),
    ("if alpha < 0:", "if False:", HELPER),
    of=FIT,
    near="two_points_make_a_line",
    where="two listed mistakes at once",
)
MISSES.edit(
    "drops_the_worse_end",
    (
        "points = points[1:]",
        """errors = [abs((alpha + beta * size) / seconds - 1) for size, seconds in points]
        points = points[1:] if errors[0] >= errors[-1] else points[:-1]""",
    ),
    of=FIT,
    near="drops_the_worst_point",
    where="where the worst point is an inner one",
)
MISSES.edit(
    "drops_every_point_off_the_line",
    (
        "points = points[1:]",
        """points = [
            (size, seconds) for size, seconds in points if abs((alpha + beta * size) / seconds - 1) <= tolerance
        ]""",
    ),
    of=FIT,
    near="drops_the_worst_point",
    where="where several points are off",
)
MISSES.edit(
    "looks_at_the_smallest_alone",
    (WITHIN, "if abs((alpha + beta * points[0][0]) / points[0][1] - 1) <= tolerance:"),
    of=FIT,
    near="one_line_through_all_regimes",
    where="where the smallest point is off",
)
MISSES.edit(
    "both_clamped_without_a_second_fit",
    ("alpha, beta = 0.0, v1 / vv", "alpha = 0.0", HELPER),
    ("alpha, beta = u1 / uu, 0.0", "beta = 0.0", HELPER),
    of=FIT,
    near="clamped_without_a_second_fit",
    where="a negative beta is clamped as well",
)
MISSES.edit(
    "swapped_and_a_bandwidth",
    ("return AlphaBeta(alpha, beta)", "return AlphaBeta(1 / beta if beta else math.inf, alpha)"),
    of=FIT,
    near="constants_swapped",
    where="two listed mistakes at once",
)
MISSES.edit(
    "weights_by_the_root_of_time",
    ("1 / seconds**2 for", "1 / seconds**0.5 for", HELPER),
    ("size / seconds**2 for", "size / seconds**0.5 for", HELPER),
    ("(size / seconds) ** 2 for", "size**2 / seconds**0.5 for", HELPER),
    ("math.fsum(1 / seconds for", "math.fsum(seconds**0.5 for", HELPER),
    ("math.fsum(size / seconds for", "math.fsum(size * seconds**0.5 for", HELPER),
    of=FIT,
    near="weights_by_one_over_time",
    where="another weight",
)
