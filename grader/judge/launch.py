"""Fresh workers: forked from a zygote where that is safe, else taken from a pool of processes that wait."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from grader.judge.confinement import Level, candidates, unavailable
from grader.judge.limits import Limits
from grader.judge.pool import Pool
from grader.judge.workers import Ahead, Launcher, Started
from grader.judge.zygote import Zygote


def launcher(limits: Limits, *, at_least: Level = Level.PROCESS, pool: bool | None = None) -> Launcher:
    """The launcher for this machine: the strongest confinement that works.

    Args:
        limits: Of the workers.
        at_least: The weakest level that will do.
        pool: Force or forbid the pool of processes, which has no more than limits; GRADE_POOL=1 forces it from outside.

    Raises:
        ConfinementUnavailable: If no level that will do is worth trying here; or, from ``start``, if none works.
    """
    if pool is None:
        pool = not sys.platform.startswith("linux") or os.environ.get("GRADE_POOL") == "1"
    if not pool:
        return Strongest(limits, candidates(at_least), at_least)
    if at_least is not Level.PROCESS:
        raise unavailable(at_least, {})
    return Pool(limits)


class Strongest:
    """Workers at the strongest of several levels, each tried for real when the first worker is wanted."""

    def __init__(self, limits: Limits, levels: Sequence[Level], at_least: Level) -> None:
        """Start the zygote of the strongest level; it imports while the judge does."""
        if not levels:
            raise unavailable(at_least, {})
        self._limits, self._levels, self._at_least = limits, list(levels), at_least
        self._zygote = Zygote(limits, self._levels[0])
        self._settled = False

    @property
    def level(self) -> Level:
        """The level in use."""
        return self._zygote.level

    def _settle(self) -> None:
        """Try the levels in turn until a probe holds."""
        failures: dict[Level, str] = {}
        for level in self._levels:
            if level is not self._zygote.level:
                self._zygote.close()
                self._zygote = Zygote(self._limits, level)
            failures[level] = self._zygote.probe()
            if not failures[level]:
                self._settled = True
                return
        self._zygote.close()
        raise unavailable(self._at_least, failures)

    def start(self, count: int, imports: Sequence[str] = ()) -> list[Started]:
        """Fork workers, each with a socket of its own."""
        if not self._settled:
            self._settle()
        return self._zygote.start(count, imports)

    def start_ahead(self, imports: Sequence[str] = ()) -> Ahead | None:
        """Begin to fork a worker; None before the first has shown that this works here."""
        return self._zygote.start_ahead(imports) if self._settled else None

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill and reap workers."""
        return self._zygote.end(pids)

    def dismiss(self, pids: list[int]) -> None:
        """Kill and reap workers, and don't wait."""
        self._zygote.dismiss(pids)

    def close(self) -> None:
        """End everything."""
        self._zygote.close()
