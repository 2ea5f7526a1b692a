"""Near misses of halving_doubling_all_reduce."""

from __future__ import annotations

import numpy as np

from grader.student import Comm, FloatArray
from tests.diagnosis.near_misses import Collection

MISSES = Collection()

HALVING = "halving_doubling_all_reduce"
EDGE = "chunk * quotient + min(chunk, longer)"

MISSES.edit(
    "refuses_odd_numbers_alone",
    ("if p & (p - 1):", "if p > 1 and p % 2:"),
    of=HALVING,
    near="any_number_of_ranks",
    where="three and five ranks are refused, six are not",
)
MISSES.edit(
    "refuses_three_alone",
    ("if p & (p - 1):", "if p == 3:"),
    of=HALVING,
    near="any_number_of_ranks",
    where="three ranks are refused",
)
MISSES.edit(
    "chunks_rounded_down_for_long_buffers",
    (EDGE, "chunk * quotient + (min(chunk, longer) if length <= 16 else 0)", "_block"),
    of=HALVING,
    near="chunks_rounded_down",
    where="right up to sixteen elements",
)
MISSES.edit(
    "replaces_at_distance_one",
    (
        "total[keep] += comm.sendrecv(total[give], dest=partner, source=partner)",
        "total[keep] = comm.sendrecv(total[give], dest=partner, source=partner) + (total[keep] if distance > 1 else 0)",
    ),
    of=HALVING,
    near="halving_replaces",
    where="from four ranks on, where larger distances add",
)
MISSES.edit(
    "keeps_what_it_gives_away_at_distance_one",
    (
        "        total[keep] += comm.sendrecv(total[give]",
        "        keep, give = (give, keep) if distance == 1 else (keep, give)\n"
        "        total[keep] += comm.sendrecv(total[give]",
    ),
    of=HALVING,
    near="keeps_what_it_gives_away",
    where="from four ranks on, where larger distances are right",
)
MISSES.edit(
    "doubles_once_less",
    ("    for distance in distances:", "    for distance in distances[:-1]:"),
    of=HALVING,
    near="halving_without_doubling",
    where="only the last exchange is left out, and sends nothing",
)
MISSES.edit(
    "keeps_its_partial_sums_at_distance_four",
    ("total[theirs] = comm", "total[theirs if distance < 4 else slice(0, 0)] = comm"),
    (
        "comm.sendrecv(total[mine], dest=partner, source=partner)",
        "comm.sendrecv(total[mine], dest=partner, source=partner)[: None if distance < 4 else 0]",
    ),
    of=HALVING,
    near="halving_without_doubling",
    where="right up to four ranks",
)
MISSES.edit(
    "sends_both_halves_the_first_time",
    (
        "comm.sendrecv(total[give], dest=partner, source=partner)",
        "(comm.sendrecv(total, partner, partner)[keep] if 2 * distance == p else"
        " comm.sendrecv(total[give], dest=partner, source=partner))",
    ),
    of=HALVING,
    near="sends_both_halves",
    where="from four ranks on, where later messages are halves",
)
MISSES.edit(
    "adds_into_the_callers_longer_buffer",
    (
        'checked_vector("buffer", buffer)',
        '(buffer if np.ndim(buffer) == 1 and len(buffer) > p else checked_vector("buffer", buffer))',
    ),
    of=HALVING,
    near="halving_adds_into_the_callers_buffer",
    where="right up to p elements",
)
MISSES.edit(
    "partner_by_addition_from_eight_ranks_on",
    (
        "partner = rank ^ distance\n        keep",
        "partner = rank ^ distance if p < 8 else (rank + distance) % p\n        keep",
    ),
    of=HALVING,
    near="partner_by_addition",
    where="right up to four ranks",
)


@MISSES.function(
    "whole_buffers_of_any_number_of_ranks",
    of=HALVING,
    near="exchanges_whole_buffers",
    where="three ranks are not refused",
)
def whole_buffers_of_any_number_of_ranks(comm: Comm, buffer: FloatArray) -> FloatArray:
    total, distance = np.array(buffer, dtype=np.float64), 1
    while distance < comm.size:
        partner = comm.rank ^ distance
        if partner < comm.size:
            total = total + comm.sendrecv(total, partner, partner)
        distance *= 2
    return total


@MISSES.function(
    "whole_buffers_farthest_first",
    of=HALVING,
    near="exchanges_whole_buffers",
    where="from four ranks on the partners come in another order",
)
def whole_buffers_farthest_first(comm: Comm, buffer: FloatArray) -> FloatArray:
    if comm.size & (comm.size - 1):
        raise ValueError("not a power of two")
    total, distance = np.array(buffer, dtype=np.float64), comm.size // 2
    while distance:
        total = total + comm.sendrecv(total, comm.rank ^ distance, comm.rank ^ distance)
        distance //= 2
    return total
