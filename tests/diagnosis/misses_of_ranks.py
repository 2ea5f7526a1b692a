"""Near misses of reduce_scatter and all_gather."""

from __future__ import annotations

import numpy as np

from grader.student import Comm, FloatArray
from tests.diagnosis.near_misses import Collection

MISSES = Collection()

# --- reduce_scatter ---

SCATTER = "reduce_scatter"
SPLIT = 'np.array_split(checked_vector("buffer", buffer), p)'
EVEN = 'list(checked_vector("buffer", buffer)[: len(buffer) // p * p].reshape(p, -1))'

MISSES.edit(
    "ends_with_its_own_chunk",
    (
        "outgoing, incoming = (rank - step) % p, (rank - step - 1) % p",
        "outgoing, incoming = (rank - step - 1) % p, (rank - step - 2) % p",
    ),
    ("return chunks[(rank + 1) % p]", "return chunks[rank]"),
    of=SCATTER,
    near="owns_its_own_chunk",
    where="the chunk that comes back is complete",
)
MISSES.edit(
    "own_chunk_for_odd_ranks",
    ("return chunks[(rank + 1) % p]", "return chunks[rank if p % 2 else (rank + 1) % p]"),
    of=SCATTER,
    near="returns_chunk_of_its_rank",
    where="right for even numbers of ranks",
)
MISSES.edit(
    "remainder_dropped_from_p_elements_on",
    (SPLIT, f"({EVEN} if len(buffer) > p else {SPLIT})"),
    of=SCATTER,
    near="reduce_scatter_remainder_dropped",
    where="right where there are fewer elements than ranks",
)
MISSES.edit(
    "remainder_in_the_last_chunk",
    (
        SPLIT,
        '[checked_vector("buffer", buffer)[len(buffer) // p * i : len(buffer) // p * (i + 1) if i < p - 1 else None]'
        " for i in range(p)]",
    ),
    of=SCATTER,
    near="reduce_scatter_remainder_dropped",
    where="no element is lost",
)
MISSES.edit(
    "right_sum_around_the_other_way",
    (
        "outgoing, incoming = (rank - step) % p, (rank - step - 1) % p",
        "outgoing, incoming = (rank + step + 2) % p, (rank + step + 3) % p",
    ),
    ("dest=(rank + 1) % p, source=(rank - 1) % p", "dest=(rank - 1) % p, source=(rank + 1) % p"),
    of=SCATTER,
    near="reduce_scatter_around_the_other_way",
    where="the results are right",
)
MISSES.edit(
    "adds_into_even_buffers",
    (
        'checked_vector("buffer", buffer)',
        '(buffer if np.ndim(buffer) == 1 and len(buffer) % p == 0 else checked_vector("buffer", buffer))',
    ),
    of=SCATTER,
    near="adds_into_the_callers_buffer",
    where="right where p does not divide the length",
)
MISSES.edit(
    "takes_a_matrix_of_one_row",
    ('checked_vector("buffer", buffer)', 'checked_vector("buffer", np.ravel(buffer) if len(buffer) == 1 else buffer)'),
    of=SCATTER,
    near="flattens",
    where="refuses a matrix of two rows",
)
MISSES.edit(
    "tagged_and_incomplete",
    ("source=(rank - 1) % p)", "source=(rank - 1) % p, tag=step)"),
    ("return chunks[(rank + 1) % p]", "return chunks[rank]"),
    of=SCATTER,
    near="returns_chunk_of_its_rank",
    where="messages carry tags",
)

# --- all_gather ---

GATHER = "all_gather"
JOINED = "[chunks[index] for index in range(p)]"

MISSES.edit(
    "order_of_arrival_reversed",
    (JOINED, "list(chunks.values())[::-1]"),
    of=GATHER,
    near="order_of_arrival",
    where="from two ranks on",
)
MISSES.edit(
    "begins_with_chunk_one",
    (JOINED, "[chunks[(index + 1) % p] for index in range(p)]"),
    of=GATHER,
    near="order_of_arrival",
    where="from two ranks on",
)
MISSES.edit(
    "order_of_arrival_from_five_ranks_on",
    (JOINED, "(list(chunks.values()) if p > 4 else [chunks[index] for index in range(p)])"),
    of=GATHER,
    near="order_of_arrival",
    where="right up to four ranks",
)
MISSES.edit(
    "one_step_too_many_from_three_ranks_on",
    ("for step in range(p - 1):", "for step in range(p if p > 2 else p - 1):"),
    of=GATHER,
    near="all_gather_one_step_too_many",
    where="right for one and two ranks",
)
MISSES.edit(
    "cut_to_ones_own_length_unless_empty",
    ("source=(rank - 1) % p)", "source=(rank - 1) % p)[: len(chunk) or None]"),
    of=GATHER,
    near="all_chunks_as_long_as_ones_own",
    where="a rank whose chunk is empty keeps what it gets",
)
MISSES.edit(
    "a_flat_list_of_chunks",
    (f"return np.concatenate({JOINED})", f"return {JOINED}"),
    ('checked_vector("chunk", chunk)', "np.array(chunk, dtype=np.float64).reshape(-1)"),
    of=GATHER,
    near="list_of_chunks",
    where="two listed mistakes at once",
)
MISSES.edit(
    "passes_on_every_second_time",
    ("comm.sendrecv(chunks[outgoing], ", "comm.sendrecv(chunks[outgoing if step % 2 else (rank + 1) % p], "),
    of=GATHER,
    near="never_passes_on",
    where="from four ranks on, where step 1 passes on",
)


@MISSES.function(
    "straight_to_everyone_from_four_ranks_on",
    of=GATHER,
    near="straight_to_everyone",
    where="a ring for up to three ranks",
)
def straight_to_everyone_from_four_ranks_on(comm: Comm, chunk: FloatArray) -> FloatArray:
    p, rank = comm.size, comm.rank
    chunks = {(rank + 1) % p: np.array(chunk, dtype=np.float64)}
    if p < 4:
        for step in range(p - 1):
            passed = chunks[(rank + 1 - step) % p]
            chunks[(rank - step) % p] = comm.sendrecv(passed, (rank + 1) % p, (rank - 1) % p)
    else:
        for distance in range(1, p):
            comm.send(chunk, dest=(rank + distance) % p)
        for distance in range(1, p):
            chunks[(rank - distance + 1) % p] = comm.recv(source=(rank - distance) % p)
    return np.concatenate([chunks[index] for index in range(p)])
