"""Submissions that use up the judge's time. Line 11, and what else there is to wait for."""

from __future__ import annotations

from grader.results import Outcome
from tests.traps.harness import Trap


def _never(name: str, of: str, code: str, says: str = "returned nothing, after", earns: tuple[str, ...] = ()) -> Trap:
    return Trap(name, of, code, earns, Outcome.TIMED_OUT, says, quick=True)


NEVER = [
    _never(
        "catches_everything",
        "first_half",
        """
def first_half(length):
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
""",
        "of computing",
    ),
    _never(
        "loops_inside_numpy",
        "running_sum",
        "def running_sum(values): return np.ones((2500, 2500), int) @ np.ones((2500, 2500), int)\n",
        "of computing",
    ),
    _never("asks_for_ever", "cheapest", "def cheapest(cost, them):\n    while True: cost(them[0])\n", "of computing"),
    _never(
        "sleeps_with_one_eye_open",
        "Meter",
        "class Meter(Meter):\n    def add(self, amount):\n        while True: time.sleep(0.02)\n",
        "of waiting",
        ("test_docstring_example",),
    ),
    _never(
        "one_died_and_one_sleeps",
        "ring_sum",
        """
def ring_sum(comm, value):
    if comm.rank == 0:
        os._exit(0)
    time.sleep(1000)
""",
        "of waiting",
    ),
    _never(
        "one_raised_and_one_sleeps",
        "ring_sum",
        """
def ring_sum(comm, value):
    if comm.rank == 0:
        raise ValueError("first")
    time.sleep(1000)
""",
        "rank 0 raised ValueError",
    ),
    _never(
        "drips",
        "running_sum",
        """
def running_sum(values):
    _raw((1 << 24).to_bytes(4, "little") + bytes(8))
    while True:
        _raw(b"x")
        time.sleep(0.01)
""",
    ),
    _never("computes_in_name_only", "ring_sum", "def ring_sum(comm, value):\n    while True: comm.compute(0.0)\n"),
    _never(
        "ignores_the_end",
        "ring_sum",
        """
def ring_sum(comm, value):
    while True:
        try:
            comm.recv((comm.rank + 1) % comm.size)
        except BaseException:
            time.sleep(1000)
""",
        "",
    ),
]

HUGE = [
    Trap(
        "a_list_of_many_numbers",
        "running_sum",
        "def running_sum(values): return [0.5] * 100_000\n",
        earns=("test_values_stay",),
        outcome=Outcome.WRONG,
        says="it has shape (100000,), not (4,)",
    ),
    Trap(
        "keys_that_collide",
        "first_half",
        """
def first_half(length):
    pairs = ",".join('[{"i":"%x"},0]' % (key * (2**61 - 1)) for key in range(20_000))
    _instead(_header('[{"id":"ID","is":"returned"},{"d":[' + pairs + "]}]"))
""",
        says="too many keys of one hash",
    ),
    Trap(
        "a_text_of_many_megabytes",
        "transfer_seconds",
        'def transfer_seconds(*a, **k): return "\\x1b]0;" * 200_000\n',
        outcome=Outcome.WRONG,
    ),
    Trap(
        "an_int_too_long_to_print",
        "cheapest",
        "def cheapest(cost, candidates): return 1 << 16_000\n",
        outcome=Outcome.WRONG,
        says="an int of 16,001 bits",
    ),
    Trap(
        "lists_in_lists",
        "ring_sum",
        """
def ring_sum(comm, value):
    for step in range(40):
        value = [value, value] if step < 9 else [value]
    return value
""",
        earns=("test_the_ring_keeps_values",),
        outcome=Outcome.WRONG,
    ),
]
