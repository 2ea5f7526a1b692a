"""Functions for ranks that do all that a communicator can do, rightly and wrongly; threads and workers run them."""

from __future__ import annotations

PROGRAMS = '''
from typing import NamedTuple

class Pair(NamedTuple):
    own: int
    got: object

def ring(comm, x):
    """A message to the right, one from the left."""
    comm.send(x, (comm.rank + 1) % comm.size)
    return comm.recv((comm.rank - 1) % comm.size)

def both_ways(comm, x):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    return Pair(comm.rank, [comm.sendrecv(x, right, left), comm.sendrecv(x, left, right)])

def requests(comm, x):
    """Receives are posted first and waited for last to first."""
    others = [rank for rank in range(comm.size) if rank != comm.rank]
    receives = [comm.irecv(rank, tag=rank) for rank in others]
    sends = [comm.isend((comm.rank, x), rank, tag=comm.rank) for rank in others]
    got = [receive.wait() for receive in reversed(receives)]
    return got, [send.wait() for send in sends]

def to_itself(comm, x):
    comm.send(x, comm.rank)
    comm.send([x, x], comm.rank, tag=1)
    return comm.recv(comm.rank, tag=1), comm.recv(comm.rank)

def out_of_order(comm, x):
    """Tags tell messages apart that arrive in another order."""
    if comm.rank == 0:
        for tag in range(3):
            comm.send(tag, comm.size - 1, tag)
    if comm.rank == comm.size - 1:
        return [comm.recv(0, tag) for tag in (2, 0, 1)]

def changed_after_sending(comm, x):
    """A message is what it was when it was sent."""
    message = [np.array(x), {"n": [1]}]
    comm.send(message, (comm.rank + 1) % comm.size)
    gathered = comm.all_gather(message)
    message[0][:] = -1.0
    message[1]["n"].append(2)
    return comm.recv((comm.rank - 1) % comm.size), gathered

def changed_after_sending_much(comm, x):
    """The same of an array that is large, and that several ranks get."""
    message = np.full(20_000, float(comm.rank))
    comm.send(message, (comm.rank + 1) % comm.size)
    shared = comm.broadcast(message, root=0)
    message[:] = -1.0
    shared += comm.rank
    got = comm.recv((comm.rank - 1) % comm.size)
    got += 0.5
    return got[[0, -1]], shared[[0, -1]], comm.all_gather(shared)[0][0]

def every_collective(comm, x):
    comm.barrier()
    x = np.asarray(x)
    return {
        "all_reduce": comm.all_reduce(x),
        "of a number": comm.all_reduce(comm.rank + 0.5),
        "reduce_scatter": comm.reduce_scatter(x),
        "all_gather": comm.all_gather({"rank": comm.rank}),
        "all_to_all": comm.all_to_all([(comm.rank, other) for other in range(comm.size)]),
        "broadcast": comm.broadcast(x * 2 if comm.rank == comm.size - 1 else None, root=comm.size - 1),
    }

def groups(comm, x):
    """Even and odd ranks apart, each group backwards; then groups of a group."""
    half = comm.split(comm.rank % 2, key=-comm.rank)
    total = half.all_reduce(np.asarray(x))
    if half.size > 1:
        half.send(comm.rank, (half.rank + 1) % half.size)
        neighbour = half.recv((half.rank - 1) % half.size)
    else:
        neighbour = None
    alone = half.split(half.rank)
    return half.rank, half.size, total, neighbour, alone.size, half.broadcast(comm.rank, root=half.size - 1)

def computing(comm, x):
    comm.compute(0.25 * comm.rank)
    comm.barrier()
    comm.compute(1)

def changes_arguments(comm, x, shared, *, options):
    x[:] = comm.rank
    shared.append(comm.rank)
    options["seen"] = True

def shared_lists(comm, x, shared, *, options):
    """Only what each rank has of its own becomes an array."""
    return type(x).__name__, type(shared).__name__, sorted(options)

def raises_on_one(comm, x):
    if comm.rank == comm.size - 1:
        raise KeyError("the last rank")
    return comm.rank

def raises_on_all(comm, x):
    comm.barrier()
    if comm.rank % 2:
        raise ZeroDivisionError(comm.rank)
    raise ValueError("even")

def raises_while_others_wait(comm, x):
    if comm.rank == 1 % comm.size:
        raise ValueError("here")
    return comm.recv(1 % comm.size)

def sends_then_raises(comm, x):
    """What was sent before still arrives."""
    if comm.rank == 0:
        comm.send(x, comm.size - 1)
        raise RuntimeError("sent")
    if comm.rank == comm.size - 1:
        return comm.recv(0)

def everyone_receives_first(comm, x):
    got = comm.recv((comm.rank - 1) % comm.size, tag=2)
    comm.send(x, (comm.rank + 1) % comm.size, tag=2)
    return got

def one_waits_for_a_finished_rank(comm, x):
    if comm.rank == 0:
        return comm.recv(comm.size - 1)

def one_misses_a_barrier(comm, x):
    if comm.rank:
        comm.barrier()

def different_collectives(comm, x):
    if comm.rank == comm.size - 1:
        return comm.all_gather(x)
    return comm.all_reduce(np.asarray(x))

def different_shapes(comm, x):
    return comm.all_reduce(np.zeros(comm.rank))

def catches_the_mismatch(comm, x):
    """The others' mistake can be caught like any ValueError."""
    try:
        return comm.broadcast(x, root=comm.rank)
    except ValueError as error:
        return str(error)

def never_received(comm, x):
    comm.send(x, (comm.rank + 1) % comm.size, tag=comm.rank)

def returns_a_generator(comm, x):
    return (n for n in range(3)) if comm.rank == comm.size - 1 else None

def sends_a_set(comm, x):
    comm.send({1, 2}, 0)

def no_such_rank(comm, x):
    comm.send(x, comm.size)

def bad_split(comm, x):
    comm.split("red")

def waits_on_a_group(comm, x):
    half = comm.split(comm.rank % 2)
    return half.recv(half.rank)

def not_for_this_exercise(comm, x):
    return comm.all_gather(x)

def hands_on_text(comm, x):
    return comm.all_gather("\\ud83d\\ude00 rank \\0" * comm.rank)

not_for_this_exercise = exercise(outcome="1a", minutes=5)(not_for_this_exercise)
'''

NAMES = tuple(line.removeprefix("def ").partition("(")[0] for line in PROGRAMS.splitlines() if line.startswith("def "))
WITH_SHARED = ("changes_arguments", "shared_lists")
