"""How long the checks of one exercise may take, all together: calls that end just in time must not add up for ever."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

CPU_SECONDS = 60.0  # of the workers and the judge: thirty limits of a call
WALL_SECONDS = 240.0  # for calls that sleep; whatever else the machine does, no right answer takes so long
NEGLIGIBLE_SECONDS = 1.0  # a check this short is not worth reading clocks for


class Budget:
    """What the checks of each exercise have used, and whether it is too much."""

    def __init__(self, workers: Callable[[], float]) -> None:
        """Nothing is used yet; ``workers`` reads the CPU time of the workers that are there."""
        self._workers = workers
        self._cpu: dict[str, float] = defaultdict(float)
        self._wall: dict[str, float] = defaultdict(float)
        self.begin("")

    def begin(self, exercise: str) -> None:
        """A check of an exercise begins, with fresh workers."""
        self._exercise, self._began, self._judge = exercise, time.monotonic(), time.process_time()

    def end(self) -> None:
        """It has ended."""
        wall = time.monotonic() - self._began
        self._wall[self._exercise] += wall
        self._cpu[self._exercise] += wall if wall < NEGLIGIBLE_SECONDS else self._cpu_now()

    def _cpu_now(self) -> float:
        return time.process_time() - self._judge + self._workers()

    def used_up(self) -> bool:
        """Whether the check that is running, with those before it, has used too much."""
        wall = self._wall[self._exercise] + time.monotonic() - self._began
        if wall < CPU_SECONDS:
            return False
        return wall > WALL_SECONDS or self._cpu[self._exercise] + self._cpu_now() > CPU_SECONDS

    def was_used_up(self, exercise: str) -> bool:
        """Whether an exercise's checks have used too much before."""
        return self._wall[exercise] > WALL_SECONDS or self._cpu[exercise] > CPU_SECONDS
