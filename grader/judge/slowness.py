"""Whether a right answer computes much longer than the solution does: that is said, and costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.judge.bench import Bench
from grader.judge.calls import Call

FACTOR = 10
NOTICED_SECONDS = 0.02  # for each call; what is faster nobody has to wait for
START_SECONDS = 0.2  # what starting workers may take
CALLS = 4
NOTE = f"right, but it computes more than {FACTOR} times as long as the solution does"


def may_be_slow(seconds: float, calls: int) -> bool:
    """Whether calls took so long, by the clock on the wall, that it is worth looking into."""
    return seconds > START_SECONDS + NOTICED_SECONDS * calls


def is_slow(submission: Bench, solution: Callable[[], Bench], calls: Sequence[Call]) -> bool:
    """Whether calls take a submission more than ``FACTOR`` times the CPU time that they take the solution."""
    some = calls[-CALLS:]
    own = _cpu_seconds(submission, some)
    return own > NOTICED_SECONDS * len(some) and own > FACTOR * _cpu_seconds(solution(), some)


def _cpu_seconds(bench: Bench, calls: Sequence[Call]) -> float:
    """CPU time that calls take fresh workers, once they have loaded."""
    bench.renew()
    bench.perform(calls[0])
    before = bench.cpu_seconds()
    for call in calls:
        bench.perform(call)
    used = bench.cpu_seconds() - before
    bench.renew()
    return used
