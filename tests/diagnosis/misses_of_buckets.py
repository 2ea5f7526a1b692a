"""Near misses of assign_buckets and overlap_step."""

from __future__ import annotations

from collections.abc import Sequence

from tests.diagnosis.near_misses import Collection

MISSES = Collection()

# --- assign_buckets ---

ASSIGN = "assign_buckets"
LIMIT = "limit = later_limit if buckets else first_limit"
FULL = "if filled >= limit:"
ORDER = "in reversed(range(len(counts))):"

MISSES.edit(
    "first_limit_to_be_exceeded",
    (FULL, "if filled > limit or (buckets and filled == limit):"),
    of=ASSIGN,
    near="limit_to_be_exceeded",
    where="later buckets close when they hold exactly their limit",
)
MISSES.edit(
    "later_limits_to_be_exceeded",
    (FULL, "if filled > limit or (not buckets and filled == limit):"),
    of=ASSIGN,
    near="limit_to_be_exceeded",
    where="the first bucket closes when it holds exactly its limit",
)
MISSES.edit(
    "smaller_limit_for_all",
    (LIMIT, "limit = min(first_limit, later_limit)"),
    of=ASSIGN,
    near="first_limit_for_all",
    where="where first_cap is above cap",
)
MISSES.edit(
    "first_limit_for_two_buckets",
    (LIMIT, "limit = later_limit if len(buckets) > 1 else first_limit"),
    of=ASSIGN,
    near="first_limit_for_all",
    where="from the third bucket on",
)
MISSES.edit(
    "first_overshoot_carried_over",
    ("bucket, filled = [], 0", "bucket, filled = [], (filled - limit if len(buckets) == 1 else 0)"),
    of=ASSIGN,
    near="overshoot_carried_over",
    where="from the third bucket on",
)
MISSES.edit(
    "small_last_bucket_lost",
    ("    if bucket:\n", "    if 2 * filled >= later_limit:\n"),
    of=ASSIGN,
    near="last_bucket_lost",
    where="a last bucket that is half full is kept",
)
MISSES.edit(
    "numbered_from_the_end_in_rising_order",
    ("bucket.append(index)", "bucket.insert(0, len(counts) - 1 - index)"),
    of=ASSIGN,
    near="positions_in_the_reversed_list",
    where="buckets of several parameters are the other way round",
)
MISSES.edit(
    "largest_of_equals_from_the_end",
    (ORDER, "in sorted(range(len(counts)), key=lambda i: (-counts[i], -i)):"),
    of=ASSIGN,
    near="largest_tensor_first",
    where="of equal tensors the last comes first",
)
MISSES.edit(
    "smallest_tensor_first",
    (ORDER, "in sorted(range(len(counts)), key=lambda i: counts[i]):"),
    of=ASSIGN,
    near="largest_tensor_first",
    where="wherever tensors differ",
)
MISSES.edit(
    "closes_before_the_limit_is_reached",
    (
        """        bucket.append(index)
        filled += counts[index]
        limit = later_limit if buckets else first_limit
        if filled >= limit:
            buckets.append(bucket)
            bucket, filled = [], 0
""",
        """        limit = later_limit if buckets else first_limit
        if bucket and filled + counts[index] >= limit:
            buckets.append(bucket)
            bucket, filled = [], 0
        bucket.append(index)
        filled += counts[index]
""",
    ),
    of=ASSIGN,
    near="never_over_the_limit",
    where="where a tensor brings a bucket exactly to its limit",
)
MISSES.edit(
    "tensors_of_less_than_nothing",
    ('checked_int("size", size, 1)', 'checked_int("size", size, -9)'),
    of=ASSIGN,
    near="tensors_without_bytes",
    where="negative sizes are taken as well",
)
MISSES.edit(
    "tensors_and_limits_without_bytes",
    ('checked_int("size", size, 1)', 'checked_int("size", size, 0)'),
    (
        'checked_int("first_cap", first_cap, 1), checked_int("cap", cap, 1)',
        'checked_int("first_cap", first_cap, 0), checked_int("cap", cap, 0)',
    ),
    of=ASSIGN,
    near="tensors_without_bytes",
    where="limits of zero are taken as well",
)


@MISSES.function("decimal_cap", of=ASSIGN, near="decimal_megabytes", where="first_cap is right")
def decimal_cap(sizes: Sequence[int], *, cap: int = 25 * 10**6, first_cap: int = 2**20) -> list[list[int]]:
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in [*sizes, cap, first_cap]):
        raise ValueError("a size or limit is no int of at least 1")
    buckets, bucket, filled = [], [], 0
    for index in reversed(range(len(sizes))):
        bucket.append(index)
        filled += sizes[index]
        if filled >= (cap if buckets else first_cap):
            buckets.append(bucket)
            bucket, filled = [], 0
    return [*buckets, bucket] if bucket else buckets


# --- overlap_step ---

OVERLAP = "overlap_step"
START = "start = max(ready, end)"

MISSES.edit(
    "two_reductions_at_a_time",
    (START, "start = max(ready, events[-2][1] if len(events) > 1 else 0.0)"),
    of=OVERLAP,
    near="reductions_in_parallel",
    where="a third reduction waits",
)
MISSES.edit(
    "total_without_what_is_exposed",
    ("return Timeline(ready, total, total - ready, events)", "return Timeline(ready, ready, total - ready, events)"),
    of=OVERLAP,
    near="everything_hidden",
    where="the exposed time is right",
)
MISSES.edit(
    "backward_waits_for_the_reduction_before_the_last",
    (
        'ready += checked_float("backward", compute_seconds)',
        'ready = max(ready, events[-2][1] if len(events) > 1 else 0.0) + checked_float("backward", compute_seconds)',
    ),
    of=OVERLAP,
    near="backward_waits",
    where="one reduction is hidden",
)
MISSES.edit(
    "last_reduction_first",
    ("in zip(backward, communication, strict=True):", "in zip(backward, communication[::-1], strict=True):"),
    of=OVERLAP,
    near="last_bucket_first",
    where="the backward pass is in order",
)
MISSES.edit(
    "events_from_when_they_are_ready",
    ("events.append((start, end))", "events.append((ready, end))"),
    of=OVERLAP,
    near="events_with_lengths",
    where="where a bucket waits for the one before",
)
MISSES.edit(
    "magnitude_of_a_negative_time",
    ('checked_float("communication", comm_seconds)', 'checked_float("communication", abs(comm_seconds))'),
    of=OVERLAP,
    near="negative_time_for_none",
    where="for a negative time",
)
MISSES.edit(
    "no_negative_times_at_all",
    ('checked_float("communication", comm_seconds)', "max(0.0, comm_seconds)"),
    ('checked_float("backward", compute_seconds)', "max(0.0, compute_seconds)"),
    of=OVERLAP,
    near="negative_time_for_none",
    where="for a negative backward time",
)
MISSES.edit(
    "first_starts_with_its_bucket",
    (START, "start = max(ready, end) if events else 0.0"),
    of=OVERLAP,
    near="starts_with_the_bucket",
    where="later buckets wait until they are ready",
)
MISSES.edit(
    "never_waits_and_all_is_exposed",
    (START, "start = end if events else ready"),
    ("total - ready, events", "float(sum(communication)), events"),
    of=OVERLAP,
    near="never_waits_for_gradients",
    where="two listed mistakes at once",
)
MISSES.edit(
    "reduces_many_buckets_after_the_backward_pass",
    (START, "start = max(sum(backward) if len(backward) > 5 else ready, end)"),
    of=OVERLAP,
    near="reduces_after_the_backward_pass",
    where="right up to five buckets",
)
MISSES.edit(
    "excess_may_be_negative",
    ("total - ready, events", "sum(communication) - ready, events"),
    of=OVERLAP,
    near="exposed_is_the_excess",
    where="where the backward pass is longer than all communication",
)
