"""Near misses of ring_all_reduce and tree_all_reduce."""

from __future__ import annotations

import numpy as np

from grader.student import Comm, FloatArray
from tests.diagnosis.near_misses import Collection

MISSES = Collection()

# --- ring_all_reduce ---

RING = "ring_all_reduce"
SPLIT = 'np.array_split(checked_vector("buffer", buffer), p)'
EVEN = 'list(checked_vector("buffer", buffer)[: len(buffer) // p * p].reshape(p, -1))'

MISSES.edit(
    "never_divides_by_odd_numbers",
    ("if average:", "if average and p % 2 == 0:"),
    of=RING,
    near="never_divides",
    where="right for even numbers of ranks",
)
MISSES.edit(
    "divides_twice_from_five_ranks_on",
    ("return np.concatenate(chunks)", "return np.concatenate(chunks) / (p if average and p >= 5 else 1)"),
    of=RING,
    near="divides_twice",
    where="right up to four ranks",
)
MISSES.edit(
    "rounds_the_mean_down",
    ("chunks[right] /= p", "chunks[right] //= p"),
    of=RING,
    near="never_divides",
    where="with average=True",
)
MISSES.edit(
    "drops_the_remainder_of_long_buffers",
    (SPLIT, f"({EVEN} if len(buffer) > 16 else {SPLIT})"),
    of=RING,
    near="drops_the_remainder",
    where="right up to sixteen elements",
)
MISSES.edit(
    "drops_the_remainder_of_means",
    (SPLIT, f"({EVEN} if average else {SPLIT})"),
    of=RING,
    near="drops_the_remainder",
    where="right for sums",
)
MISSES.edit(
    "drops_the_remainder_of_short_buffers",
    (SPLIT, f"({EVEN} if len(buffer) < p else {SPLIT})"),
    of=RING,
    near="drops_the_remainder",
    where="right from p elements on",
)
MISSES.edit(
    "drops_and_never_divides",
    (SPLIT, EVEN),
    ("if average:", "if False:"),
    of=RING,
    near="drops_the_remainder",
    where="two listed mistakes at once",
)
MISSES.edit(
    "sum_of_any_shape",
    ("if average:", "if False:"),
    ('checked_vector("buffer", buffer)', "np.array(buffer, dtype=np.float64).reshape(-1)"),
    of=RING,
    near="never_divides",
    where="takes a matrix",
)
MISSES.edit(
    "gather_phase_of_eight_ranks_adds",
    (
        "chunks[(rank - step) % p] = gathered",
        "chunks[(rank - step) % p] = gathered + (chunks[(rank - step) % p] if p == 8 else 0)",
    ),
    of=RING,
    near="gather_phase_adds",
    where="right up to seven ranks",
)
MISSES.edit(
    "gathers_one_step_less",
    ("for step in range(p - 1):\n        gathered", "for step in range(p - 2):\n        gathered"),
    of=RING,
    near="stops_after_reduce_scatter",
    where="all but one chunk arrive",
)
MISSES.edit(
    "right_sum_left_around",
    ("right, left = (rank + 1) % p, (rank - 1) % p", "right, left, rank = (rank - 1) % p, (rank + 1) % p, -rank % p"),
    ("chunks[right] /= p", "chunks[(rank + 1) % p] /= p"),
    of=RING,
    near="left_for_right",
    where="the results are right",
)
MISSES.edit(
    "adds_into_the_callers_buffer_of_sums",
    (
        'checked_vector("buffer", buffer)',
        'np.asarray(checked_vector("buffer", buffer) if average or np.ndim(buffer) != 1 else buffer)',
    ),
    of=RING,
    near="ring_adds_into_the_callers_buffer",
    where="leaves it as it was with average=True",
)
MISSES.edit(
    "messages_in_single_precision",
    ("sendrecv(chunks[(rank + 1 - step) % p],", "sendrecv(chunks[(rank + 1 - step) % p].astype(np.float32),"),
    of=RING,
    near="stops_after_reduce_scatter",
    where="integers are right; the ranks differ in the last bits of others",
)


@MISSES.function("last_rank_is_the_server", of=RING, near="parameter_server", where="another rank collects")
def last_rank_is_the_server(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray:
    root = comm.size - 1
    if comm.rank < root:
        comm.send(buffer, dest=root)
        return comm.recv(source=root)
    total = np.array(buffer, dtype=np.float64)
    for other in range(root):
        total += comm.recv(source=other)
    total = total / comm.size if average else total
    for other in range(root):
        comm.send(total, dest=other)
    return total


@MISSES.function(
    "whole_buffers_around_the_ring",
    of=RING,
    near="whole_buffers_to_everyone",
    where="every rank sends to one neighbour alone",
)
def whole_buffers_around_the_ring(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray:
    passing = total = np.array(buffer, dtype=np.float64)
    for _ in range(comm.size - 1):
        passing = comm.sendrecv(passing, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        total = total + passing
    return total / comm.size if average else total


@MISSES.function(
    "numbers_chunks_two_ahead",
    of=RING,
    near="numbers_chunks_one_ahead",
    where="right for two ranks, and other chunks from three on",
)
def numbers_chunks_two_ahead(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray:
    p, rank = comm.size, comm.rank
    right, left = (rank + 1) % p, (rank - 1) % p
    chunks = np.array_split(np.array(buffer, dtype=np.float64), p)
    for step in range(p - 1):
        chunks[(rank - step - 3) % p] += comm.sendrecv(chunks[(rank - step - 2) % p], dest=right, source=left)
    if average:
        chunks[(rank - 1) % p] /= p
    for step in range(p - 1):
        chunks[(rank - step - 2) % p] = comm.sendrecv(chunks[(rank - step - 1) % p], dest=right, source=left)
    return np.concatenate(chunks)


# --- tree_all_reduce ---

TREE = "tree_all_reduce"

MISSES.edit(
    "depth_rounded_to_the_nearest",
    ("range((p - 1).bit_length())", "range(round(np.log2(p)))"),
    of=TREE,
    near="depth_rounded_down",
    where="right for 3, 6 and 7 ranks",
)
MISSES.edit(
    "counts_again_from_the_second_child_on",
    (
        "total += comm.recv(source=rank + distance)",
        "total = total + (buffer if distance > 1 else 0) + comm.recv(source=rank + distance)",
    ),
    of=TREE,
    near="inner_ranks_count_twice",
    where="one child is added rightly",
)
MISSES.edit(
    "rank_four_sends_its_own_buffer_up",
    ("comm.send(total, dest=rank - distance)", "comm.send(buffer if rank == 4 else total, dest=rank - distance)"),
    of=TREE,
    near="sends_its_own_buffer_up",
    where="right up to five ranks",
)
MISSES.edit(
    "odd_ranks_keep_what_they_have",
    (
        "total = comm.recv(source=rank - distance)",
        "received = comm.recv(source=rank - distance)\n            total = total if rank % 2 else received",
    ),
    of=TREE,
    near="only_the_root_has_the_sum",
    where="even ranks have the sum",
)
MISSES.edit(
    "children_count_twice",
    ("total += comm.recv(source=rank + distance)", "total += 2 * comm.recv(source=rank + distance)"),
    of=TREE,
    near="inner_ranks_count_twice",
    where="it is the child's part that counts twice",
)
MISSES.edit(
    "flattens_into_the_callers_buffer",
    ('checked_vector("buffer", buffer)', "np.asarray(buffer).reshape(-1)"),
    of=TREE,
    near="tree_flattens",
    where="two listed mistakes at once",
)


@MISSES.function(
    "farthest_then_nearest_child",
    of=TREE,
    near="nearest_child_first",
    where="three children are served in another order",
)
def farthest_then_nearest_child(comm: Comm, buffer: FloatArray) -> FloatArray:
    p, rank = comm.size, comm.rank
    total = np.array(buffer, dtype=np.float64)
    children, distance = [], 1
    while distance < p and rank % (2 * distance) == 0:
        if rank + distance < p:
            children.append(rank + distance)
        distance *= 2
    for child in children:
        total += comm.recv(source=child)
    if rank:
        comm.send(total, dest=rank - distance)
        total = comm.recv(source=rank - distance)
    for child in children[-1:] + children[:-1]:
        comm.send(total, dest=child)
    return total


@MISSES.function(
    "nearest_child_first_down_and_last_up",
    of=TREE,
    near="nearest_child_first",
    where="ranks also receive in another order on the way up, which takes other numbers of rounds",
)
def nearest_child_first_down_and_last_up(comm: Comm, buffer: FloatArray) -> FloatArray:
    p, rank = comm.size, comm.rank
    total = np.array(buffer, dtype=np.float64)
    children, distance = [], 1
    while distance < p and rank % (2 * distance) == 0:
        if rank + distance < p:
            children.append(rank + distance)
        distance *= 2
    for child in reversed(children):
        total += comm.recv(source=child)
    if rank:
        comm.send(total, dest=rank - distance)
        total = comm.recv(source=rank - distance)
    for child in children:
        comm.send(total, dest=child)
    return total


@MISSES.function("pairs_exchange_or_refuse", of=TREE, near="pairs_exchange", where="refuses three ranks")
def pairs_exchange_or_refuse(comm: Comm, buffer: FloatArray) -> FloatArray:
    if comm.size & (comm.size - 1):
        raise ValueError("not a power of two")
    total, distance = np.array(buffer, dtype=np.float64), 1
    while distance < comm.size:
        partner = comm.rank ^ distance
        total = total + comm.sendrecv(total, dest=partner, source=partner)
        distance *= 2
    return total


@MISSES.function(
    "star_down_from_six_ranks_on",
    of=TREE,
    near="tree_up_and_star_down",
    where="the tree of the rule up to five ranks",
)
def star_down_from_six_ranks_on(comm: Comm, buffer: FloatArray) -> FloatArray:
    p, rank = comm.size, comm.rank
    total = np.array(buffer, dtype=np.float64)
    children, distance = [], 1
    while distance < p and rank % (2 * distance) == 0:
        if rank + distance < p:
            total += comm.recv(source=rank + distance)
            children.append(rank + distance)
        distance *= 2
    if rank:
        comm.send(total, dest=rank - distance)
        total = comm.recv(source=rank - distance if p < 6 else 0)
    served = children[::-1] if p < 6 else range(1, p) if rank == 0 else ()
    for child in served:
        comm.send(total, dest=child)
    return total
