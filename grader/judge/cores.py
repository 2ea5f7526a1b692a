"""Which core the judge and each worker run on."""

from __future__ import annotations

import os
from typing import ClassVar


class CpuPlan:
    """Which core each process runs on.

    Judge and worker take turns, so they are fastest on one core, where the turn needs no waking of another
    (measured: a third of the time). Further ranks are spread over the cores.

    Attributes:
        started: How many workers have been placed since the last ones ended.
    """

    _settled_plans: ClassVar[int] = 0
    _allowed_before: ClassVar[list[int]] = []

    def __init__(self) -> None:
        """Nothing is placed yet; the judge's core is the last of those that it may use."""
        self._allowed = CpuPlan._allowed_before if CpuPlan._settled_plans else sorted(os.sched_getaffinity(0))
        self._settled = False
        self.started = 0

    def settle(self) -> None:
        """Keep the judge on its core from now on."""
        if self._settled:
            return
        self._settled = True
        CpuPlan._settled_plans += 1
        CpuPlan._allowed_before = self._allowed
        os.sched_setaffinity(0, {self._allowed[-1]})

    @property
    def elsewhere(self) -> int:
        """A core that is not the judge's, where there is one: for what is done ahead."""
        return self._allowed[0]

    def next(self) -> int:
        """The core for the next worker."""
        self.started += 1
        return self._allowed[-self.started % len(self._allowed)]

    def restore(self) -> None:
        """Let the judge run anywhere again, once no other plan keeps it."""
        if not self._settled:
            return
        self._settled = False
        CpuPlan._settled_plans -= 1
        if CpuPlan._settled_plans == 0:
            os.sched_setaffinity(0, self._allowed)
