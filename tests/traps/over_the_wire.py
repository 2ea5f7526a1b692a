"""Submissions that write to the worker's socket themselves, or replace what the worker does. Lines 9, 10 and 15."""

from __future__ import annotations

from grader.results import Outcome
from tests.traps.harness import Trap

FORGED = "sent what is not an answer"
NAMES = ("transfer_seconds", "first_half", "running_sum", "cheapest", "ring_sum")


def _sends(name: str, of: int, statement: str, says: str = FORGED, outcome: Outcome = Outcome.CRASHED) -> Trap:
    """A function that sends bytes of its own in place of its answer."""
    return Trap(name, NAMES[of], f"def {NAMES[of]}(*a, **k):\n    {statement}\n", says=says, outcome=outcome)


RETURNED = '{"id":"ID","is":"returned"}'

FRAMES = [
    _sends("two_answers_in_one_reply", 0, '_instead(_frame(1.0, **{"is": "returned"}) * 2)', "bytes after the reply"),
    _sends("surplus_bytes", 1, '_instead(_frame(1.0, **{"is": "returned"}) + b"PASSED")', "bytes after the reply"),
    _sends("another_request", 2, """_instead(_header('[{"id":"0000","is":"returned"},1]'))""", "answers no request"),
    _sends("half_a_frame", 3, '_raw(_frame(1.0, **{"is": "returned"})[:-1]); os._exit(0)', "exit code 0"),
    _sends("two_gigabytes", 4, '_instead((100).to_bytes(4, "little") + (1 << 31).to_bytes(8, "little"))', "bytes"),
    _sends("nested_deeply", 0, f"""_instead(_header('[{RETURNED},' + '[' * 100_000 + ']' * 100_000 + ']'))"""),
    _sends("negative_dimension", 1, f"""_instead(_header('[{RETURNED},{{"a":["float64",[-1]]}}]'))"""),
    _sends("array_of_objects", 2, f"""_instead(_header('[{RETURNED},{{"a":["object",[1]]}}]', 8, b"12345678"))"""),
    _sends("items_of_two_gigabytes", 3, f"""_instead(_header('[{RETURNED},{{"a":["V2147483647",[1]]}}]'))"""),
    _sends("long_integer", 4, f"""_instead(_header('[{RETURNED},' + '9' * 5000 + ']'))"""),
    _sends("nan_for_a_size", 0, f"""_instead(_header('[{RETURNED},{{"a":["float64",[NaN]]}}]'))"""),
    _sends("no_frame_at_all", 1, 'print("7 of 7 points"); _instead(b\'{"points": 7, "outcome": "passed"}\' * 9)'),
    _sends("numbers_as_text", 2, f"""_instead(_header('[{RETURNED},{{"s":["float64","1.0"]}}]'))"""),
    _sends("a_function_for_data", 3, f"""_instead(_header('[{RETURNED},{{"f":0}}]'))"""),
    _sends("too_much_time", 4, "a[0]._network.compute(1e999); a[0].recv(0)"),
    _sends(
        "facts_of_no_form",
        0,
        '_instead(_frame({"type": 5, "bases": 7, "frames": 5, "text": [], "syntax": [1, 10**15, ""]}, '
        '**{"is": "raised"}))',
        "raised an exception without a name",
    ),
    _sends(
        "facts_without_end",
        1,
        'n = 1_000_000; _instead(_frame({"type": "T" * n, "bases": ["B" * n], "text": "\\udc80" * n, '
        '"frames": [[1, "f" * n]] * 9}, out="o" * n, **{"is": "raised"}))',
        "raised TTT",
    ),
    _sends("a_kind_without_end", 2, '_instead(_frame("k" * 1_000_000, **{"is": "unsupported"}))', "kkk", Outcome.WRONG),
    _sends("asks_for_another_function", 3, '_instead(_frame(((1,), {}), **{"is": "ask", "f": 10**30}))'),
    _sends("a_collective_that_is_not_allowed", 4, 'return a[0]._network.collective("world", "all_reduce", a[1], -1)'),
    _sends("unhashable_keys", 0, f"""_instead(_header('[{RETURNED},{{"d":[[[1],2]]}}]'))"""),
    _sends(
        "a_split_of_nothing",
        4,
        'return a[0]._network.collective("world", "split", (), -1)',
        "rank 0 raised CollectiveError",
    ),
]

PATCHED = [
    Trap(
        "allows_itself_everything",
        "ring_sum",
        """
def ring_sum(comm, value):
    comm._allowed = ("all_reduce",)
    return comm.all_reduce(value)
""",
        says=FORGED,
    ),
    Trap(
        "a_communicator_of_its_own",
        "ring_sum",
        """
def ring_sum(comm, value):
    class Alone(Comm):
        def sendrecv(self, obj, dest, source, tag=0): return obj
    return Alone(comm._network, range(comm.size), comm.rank).sendrecv(value, 0, 0) * comm.size
""",
        earns=("test_the_ring_keeps_values",),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "looks_back_at_nothing",
        "running_sum",
        """
def running_sum(values):
    values *= 2
    _worker().call.__func__.__globals__["wire"].without_functions = lambda arguments: "as they were"
    return np.cumsum(values / 2)
""",
        earns=("test_docstring_example", "test_ones", "test_any_sums"),
        says="",
    ),
    Trap(
        "packs_another_answer",
        "cheapest",
        """
def cheapest(cost, candidates):
    wire = _worker().call.__func__.__globals__["wire"]
    wire.pieces = lambda envelope, value, buffers, pieces=wire.pieces: pieces({**envelope, "points": 99}, "right", [])
    return -7
""",
        outcome=Outcome.WRONG,
        says="'right'",
    ),
    Trap(
        "answers_from_a_thread",
        "first_half",
        """
def first_half(length):
    worker = _worker()
    def answer_what_comes(done=worker.request["id"]):
        while worker.request["id"] == done:
            time.sleep(0.0005)
        _raw(_frame(Split(3, 2), **{"is": "returned"}))
    threading.Thread(target=answer_what_comes, daemon=True).start()
    return Split(length - length // 2, length // 2)
""",
        earns=("test_docstring_example", "test_half_of_eight"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "answers_before_it_is_done",
        "transfer_seconds",
        """
def transfer_seconds(size_bytes, gigabytes_per_s, latency=0.0):
    _raw(_frame(2.0, **{"is": "returned"}))
    time.sleep(0.2)
    return latency + size_bytes / (gigabytes_per_s * 1e9)
""",
        earns=("test_docstring_example",),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "a_step_too_many",
        "Meter",
        """
class Meter(Meter):
    def add(self, amount):
        _instead(_frame([["returned", 3.0], ["returned", 6.0], ["returned", 9.0]], **{"is": "returned"}))
""",
        earns=("test_docstring_example",),
        outcome=Outcome.WRONG,
    ),
]

RANKS = [
    Trap(
        "one_rank_does_it_all",
        "ring_sum",
        """
def ring_sum(comm, value):
    if comm.rank:
        comm.send(value, 0)
        return comm.recv(0)
    total = value + sum(comm.recv(rank) for rank in range(1, comm.size))
    for rank in range(1, comm.size):
        comm.send(total, rank)
    return total
""",
        earns=("test_docstring_example", "test_three_ranks", "test_the_ring_keeps_values"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "numbers_travel_as_text",
        "ring_sum",
        """
def ring_sum(comm, value):
    for rank in range(comm.size):
        comm.send(",".join(map(repr, value.tolist())), rank)
    return sum(np.array([float(part) for part in comm.recv(rank).split(",")]) for rank in range(comm.size))
""",
        earns=("test_docstring_example", "test_three_ranks", "test_the_ring_keeps_values"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "numbers_travel_as_one_long_int",
        "ring_sum",
        """
def ring_sum(comm, value):
    packed = int.from_bytes(b"1" + value.tobytes(), "big")
    total = np.array(value)
    for _ in range(comm.size - 1):
        packed = comm.sendrecv(packed, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        total = total + np.frombuffer(packed.to_bytes(8 * len(value) + 1, "big")[1:])
    return total
""",
        earns=("test_docstring_example", "test_three_ranks", "test_the_ring_keeps_values"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "ranks_that_meet_in_a_file",
        "ring_sum",
        """
def ring_sum(comm, value):
    place = f"/tmp/{os.getppid()}-{comm.rank}"
    np.save(place, value)
    comm.barrier()
    return sum(np.load(f"/tmp/{os.getppid()}-{rank}.npy") for rank in range(comm.size))
""",
        says="rank 0 raised",
    ),
]
