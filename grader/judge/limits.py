"""What a call may use, and the clocks that say whether it did."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

TICK_SECONDS = 0.05  # how often the clocks of running workers are read
BUSY_SHARE = 0.01  # of real time, on all workers together: with less they sleep, whatever wakes them now and then


@dataclass(frozen=True)
class Limits:
    """Limits of one call of student code.

    Attributes:
        cpu_seconds: CPU time of one call, on each rank.
        idle_seconds: Real time in which the workers' CPU clocks hardly advance (they sleep, or wait for what never
            comes).
        wall_seconds: Real time in all, whatever else the machine is doing; only where nothing else ends the call.
        memory_bytes: Memory above what the interpreter and numpy take.
        messages: Messages in one run of ranks.
        message_bytes: Their data, together.
    """

    cpu_seconds: float = 2.0
    idle_seconds: float = 4.0
    wall_seconds: float = 120.0
    memory_bytes: int = 1 << 30
    messages: int = 200_000
    message_bytes: int = 1 << 29


def cpu_seconds(pid: int) -> float | None:
    """CPU time that a process has used; None where the system does not tell (macOS, Windows), or it has ended."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the id of its clock, as clock_getcpuclockid(3) makes it
    except OSError:
        return None


class Expired(NamedTuple):
    """That a process is over a limit.

    Attributes:
        pid: The process.
        spent: What it has spent, in words: "2 s of computing".
    """

    pid: int
    spent: str


class Watch:
    """Says when running workers have used up their limits. Read every tick, and only of calls longer than one."""

    def __init__(self, clocks: Mapping[int, Callable[[], float | None]], limits: Limits) -> None:
        """Start to measure now; ``clocks`` reads each process's CPU time."""
        self._limits, self._clocks = limits, clocks
        self._start = {pid: clock() for pid, clock in clocks.items()}
        self._last = dict(self._start)
        self._began = self._moved = time.monotonic()
        self._progress = 0.0

    def expired(self, running: Iterable[int], waiting: Collection[int] = ()) -> Expired | None:
        """A process among ``running`` that is over a limit, or None.

        Args:
            running: Those that have not ended their call.
            waiting: Those among them that wait for another: when nothing moves, they are not to blame.
        """
        now, running = time.monotonic(), list(running)
        for pid in running:
            used, start, last = self._clocks[pid](), self._start[pid], self._last[pid]
            if used is None or start is None or last is None:
                continue
            if used - start > self._limits.cpu_seconds:
                return Expired(pid, f"{self._limits.cpu_seconds:g} s of computing")
            self._progress += used - last
            self._last[pid] = used
        if self._progress > BUSY_SHARE * (now - self._moved):
            self._moved, self._progress = now, 0.0
        suspects = [pid for pid in running if pid not in waiting] or running
        if suspects and now - self._moved > self._limits.idle_seconds:
            return Expired(suspects[0], f"{self._limits.idle_seconds:g} s of waiting")
        if suspects and now - self._began > self._limits.wall_seconds:
            return Expired(suspects[0], f"{self._limits.wall_seconds:g} s")
        return None
