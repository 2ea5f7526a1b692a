"""Near misses of best_bucket_cap and ddp_step."""

from __future__ import annotations

from tests.diagnosis.near_misses import Collection

MISSES = Collection()

# --- best_bucket_cap ---

BEST = "best_bucket_cap"
PRICE = "comm_seconds(sum(sizes[index] for index in bucket)) for"
COMPUTE = "sum(backward[index] for index in bucket)"

MISSES.edit(
    "largest_of_nearly_equals",
    ("if seconds < least:", "if seconds < least + 0.5:"),
    of=BEST,
    near="largest_of_equals",
    where="where times differ a little",
)
MISSES.edit(
    "first_of_equals_and_limit_of_nothing",
    (
        'limits = sorted(checked_int("cap", cap, 1) for cap in caps)',
        'limits = [checked_int("cap", cap, 0) for cap in caps]',
    ),
    of=BEST,
    near="first_of_equals",
    where="two listed mistakes at once",
)
MISSES.edit(
    "least_longest_communication",
    ("seconds = step_seconds(compute, communication)", "seconds = max(communication)"),
    of=BEST,
    near="least_communication",
    where="the longest collective counts, not their sum",
)
MISSES.edit(
    "backward_time_of_the_first_parameter",
    (COMPUTE, "backward[bucket[0]]"),
    of=BEST,
    near="one_backward_time_a_bucket",
    where="another parameter of the bucket",
)
MISSES.edit(
    "mean_backward_time",
    (COMPUTE, "sum(backward[index] for index in bucket) / len(bucket)"),
    of=BEST,
    near="one_backward_time_a_bucket",
    where="where the parameters of a bucket differ",
)
MISSES.edit(
    "large_buckets_parameter_by_parameter",
    (
        PRICE,
        "(sum(comm_seconds(sizes[index]) for index in bucket) if len(bucket) > 2 else"
        " comm_seconds(sum(sizes[index] for index in bucket))) for",
    ),
    of=BEST,
    near="one_collective_a_parameter",
    where="buckets of two are one collective",
)
MISSES.edit(
    "price_of_an_average_bucket",
    (PRICE, "comm_seconds(sum(sizes) / len(buckets)) for"),
    of=BEST,
    near="all_bytes_in_equal_parts",
    where="comm_seconds is asked for a part",
)
MISSES.edit(
    "asks_twice_and_takes_the_largest",
    (
        PRICE,
        "(comm_seconds(sum(sizes[index] for index in bucket)) + comm_seconds(sum(sizes[i] for i in bucket))) / 2 for",
    ),
    ("if seconds < least:", "if seconds <= least:"),
    of=BEST,
    near="largest_of_equals",
    where="comm_seconds is asked twice a bucket",
)
MISSES.edit(
    "returns_whole_seconds",
    ("return best", "return int(least)"),
    of=BEST,
    near="returns_the_time",
    where="where the time is a fraction",
)
MISSES.edit(
    "sizes_in_bucket_order_too",
    (COMPUTE, "sum(backward[len(sizes) - 1 - index] for index in bucket)"),
    (PRICE, "comm_seconds(sum(sizes[len(sizes) - 1 - index] for index in bucket)) for"),
    of=BEST,
    near="backward_in_bucket_order",
    where="sizes are read so as well",
)

# --- ddp_step ---

STEP = "ddp_step"
DIVISOR = '/ (samples if weighting == "sample" else comm.size)'
LOCAL = "local += 2 * micro_x.T @ (micro_x @ params - micro_y)"
RETURN = "    return DDPStep(params - lr * grad, grad)"
CLIP = "grad = grad * (limit / norm)"

MISSES.edit(
    "sum_of_equal_ranks",
    (DIVISOR, '/ (samples if weighting == "sample" else 1)'),
    of=STEP,
    near="sum_over_ranks",
    where="right by sample",
)
MISSES.edit(
    "divided_twice_by_sample",
    (DIVISOR, '/ (samples * comm.size if weighting == "sample" else comm.size)'),
    of=STEP,
    near="divided_by_ranks_twice",
    where="right by rank",
)
MISSES.edit(
    "a_larger_epsilon",
    ("grad * (limit / norm)", "grad * (limit / (norm + 1e-5))"),
    of=STEP,
    near="epsilon_in_the_clip",
    where="another number is added",
)
MISSES.edit(
    "epsilon_wherever_it_clips",
    (
        "    if norm > limit:\n        grad = grad * (limit / norm)",
        "    grad = grad * min(1.0, limit / (norm + 1e-6))",
    ),
    ('lr, accum = checked_float("lr", lr, positive=True), ', 'lr, accum = checked_float("lr", lr), '),
    of=STEP,
    near="epsilon_in_the_clip",
    where="a learning rate of 0 is taken",
)
MISSES.edit(
    "clips_each_rank_by_rank",
    (
        "    reduced = comm.all_reduce(np.append(local, len(y)))",
        """    length = np.linalg.norm(local)
    if weighting == "rank" and length > limit:
        local = local * (limit / length)
    reduced = comm.all_reduce(np.append(local, len(y)))""",
    ),
    of=STEP,
    near="clips_each_rank",
    where="right by sample",
)
MISSES.edit(
    "clips_positive_elements",
    (CLIP, "grad = np.minimum(grad, limit)"),
    of=STEP,
    near="clips_each_element",
    where="negative elements stay",
)
MISSES.edit(
    "lengthens_gradients_above_one",
    ("if norm > limit:", "if norm > min(limit, 1.0) and limit < math.inf:"),
    of=STEP,
    near="always_as_long_as_max_norm",
    where="gradients of length one and less stay",
)
MISSES.edit(
    "three_micro_batches_of_equal_weight",
    (
        LOCAL,
        "local += 2 * micro_x.T @ (micro_x @ params - micro_y)"
        " * (len(y) / accum / max(len(micro_y), 1) if accum > 2 else 1)",
    ),
    of=STEP,
    near="micro_batches_of_equal_weight",
    where="right for one and two micro-batches",
)
MISSES.edit(
    "equal_weight_of_those_with_samples",
    (
        LOCAL,
        "local += 2 * micro_x.T @ (micro_x @ params - micro_y)"
        " / max(len(micro_y), 1) * len(y) / max(min(accum, len(y)), 1)",
    ),
    of=STEP,
    near="micro_batches_of_equal_weight",
    where="where there are more micro-batches than samples",
)
MISSES.edit(
    "left_out_and_half",
    (LOCAL, "local += micro_x.T @ (micro_x @ params - micro_y)"),
    (
        'reduced[:-1] / (samples if weighting == "sample" else comm.size)',
        """reduced[:-1] / (
        samples if weighting == "sample" else comm.all_reduce(np.array([float(len(y) > 0)]))[0]
    )""",
    ),
    of=STEP,
    near="half_the_squared_error",
    where="two listed mistakes at once",
)
MISSES.edit(
    "stays_without_samples",
    (
        '        raise ValueError("no rank has a sample")',
        "        return DDPStep(params, np.zeros_like(params))",
    ),
    of=STEP,
    near="steps_without_samples",
    where="the gradient is zero, not NaN",
)
MISSES.edit(
    "steps_without_samples_by_rank",
    ("if samples == 0:", 'if samples == 0 and weighting == "sample":'),
    of=STEP,
    near="steps_without_samples",
    where="refused by sample",
)
MISSES.edit(
    "learning_rate_times_ranks_by_rank",
    (
        "params - lr * grad",
        'params - lr * (comm.size if weighting == "rank" else 1) * grad',
    ),
    of=STEP,
    near="learning_rate_times_ranks",
    where="right by sample",
)
MISSES.edit(
    "own_gradient_where_it_clips",
    (
        RETURN,
        '    own = local / (max(len(y), 1) if weighting == "sample" else 1) if norm > limit else grad\n'
        "    return DDPStep(params - lr * own, grad)",
    ),
    of=STEP,
    near="own_gradient_applied",
    where="right where nothing is clipped",
)
MISSES.edit(
    "updates_in_place_by_sample",
    (
        RETURN,
        '    if weighting == "sample":\n        params -= lr * grad\n        return DDPStep(params, grad)\n' + RETURN,
    ),
    of=STEP,
    near="updates_in_place",
    where="right by rank",
)
MISSES.edit(
    "gradient_before_the_clip_on_rank_zero",
    (
        RETURN,
        '    unclipped = reduced[:-1] / (samples if weighting == "sample" else float(comm.size))\n'
        "    return DDPStep(params - lr * grad, grad if comm.rank else unclipped)",
    ),
    of=STEP,
    near="gradient_before_the_clip",
    where="right on the other ranks",
)
MISSES.edit(
    "nothing_divided_by_nothing_by_sample",
    (
        '    if weighting == "rank":\n        local',
        '    local = np.divide(local, len(y)) * len(y)\n    if weighting == "rank":\n        local',
    ),
    of=STEP,
    near="nothing_divided_by_nothing",
    where="by sample, where the right one has no NaN",
)
MISSES.edit(
    "by_rank_with_accumulation",
    ('    if weighting == "rank":', '    weighting = "rank" if accum > 1 else weighting\n    if weighting == "rank":'),
    of=STEP,
    near="always_by_rank",
    where="right for one micro-batch",
)
