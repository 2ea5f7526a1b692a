"""What a call may use, and the clocks that say whether it did."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass

TICK_SECONDS = 0.05  # how often a silent worker's clock is read


@dataclass(frozen=True)
class Limits:
    """Limits of one call of student code.

    Attributes:
        cpu_seconds: CPU time of one call, on each rank.
        idle_seconds: Real time in which no worker's CPU clock advances (it sleeps, or waits for what never comes).
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
        return time.clock_gettime((~pid << 3) | 2)  # the clock id of another process, as clock_getcpuclockid(3) makes it
    except OSError:
        return None


class Watch:
    """Says when running workers have used up their limits. Read only when they have been silent for a tick."""

    def __init__(self, pids: Iterable[int], limits: Limits) -> None:
        """Start to measure now."""
        self._limits = limits
        self._start = {pid: cpu_seconds(pid) for pid in pids}
        self._last = dict(self._start)
        self._began = self._moved = time.monotonic()

    def expired(self, running: Iterable[int]) -> int | None:
        """The process among ``running`` that is over a limit, or None."""
        now = time.monotonic()
        running = list(running)
        for pid in running:
            used, start = cpu_seconds(pid), self._start[pid]
            if used is not None and start is not None and used - start > self._limits.cpu_seconds:
                return pid
            if used != self._last[pid]:
                self._moved = now
            self._last[pid] = used
        idle = now - self._moved > self._limits.idle_seconds
        late = now - self._began > self._limits.wall_seconds
        return running[0] if running and (idle or late) else None
