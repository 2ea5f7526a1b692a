"""Clocks: which call is over its limit, and who is not to blame."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from grader.judge import limits
from grader.judge.limits import Expired, Limits, Watch, cpu_seconds

LIMITS = Limits(cpu_seconds=2.0, idle_seconds=4.0, wall_seconds=100.0)


class World:
    """A clock on the wall and one for each process, all moved by hand."""

    def __init__(self, *pids: int) -> None:
        self.now = 1000.0
        self.used: dict[int, float | None] = dict.fromkeys(pids, 7.0)

    def clocks(self) -> dict[int, Callable[[], float | None]]:
        return {pid: lambda pid=pid: self.used[pid] for pid in self.used}  # type: ignore[misc]

    def passes(self, seconds: float, **spent: float) -> None:
        """Time passes, of which process 1 computes for ``p1``, and so on."""
        self.now += seconds
        for name, amount in spent.items():
            pid = int(name[1:])
            self.used[pid] = (self.used[pid] or 0.0) + amount


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(1, 2)
    monkeypatch.setattr(limits.time, "monotonic", lambda: made.now)
    return made


def test_computing_too_long_is_over_the_limit_however_slow_the_machine(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    for _ in range(19):
        world.passes(4.0, p2=0.1)  # a fortieth of a core
        assert watch.expired([1, 2]) is None
    world.passes(4.0, p2=0.2)
    assert watch.expired([1, 2]) == Expired(2, "2 s of computing")


def test_time_before_the_watch_does_not_count(world: World) -> None:
    world.passes(1.0, p1=50.0)
    watch = Watch(world.clocks(), LIMITS)
    world.passes(1.0, p1=1.9)
    assert watch.expired([1]) is None


def test_sleeping_is_over_the_limit_when_nothing_moves(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    for _ in range(19):
        world.passes(0.2)
        assert watch.expired([1]) is None
    world.passes(0.4)
    assert watch.expired([1]) == Expired(1, "4 s of waiting")


def test_napping_is_sleeping(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    found = None
    for _ in range(100):
        world.passes(0.05, p1=0.0002)
        found = found or watch.expired([1])
    assert found == Expired(1, "4 s of waiting")


def test_a_process_that_gets_a_fiftieth_of_a_core_in_bursts_is_not_asleep(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    for tick in range(1500):
        world.passes(0.05, p1=0.02 if tick % 20 == 0 else 0.0)
        assert watch.expired([1]) is None


def test_as_long_as_one_rank_computes_none_is_idle(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    for _ in range(30):
        world.passes(1.0, p2=0.05)
        assert watch.expired([1, 2]) is None


def test_a_rank_that_waits_for_another_is_not_to_blame(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    world.passes(5.0)
    assert watch.expired([1, 2], waiting={1}) == Expired(2, "4 s of waiting")


def test_there_is_an_end_even_to_slow_progress(world: World) -> None:
    watch = Watch(world.clocks(), Limits(cpu_seconds=1000.0))
    for _ in range(120):
        world.passes(1.0, p1=0.5)
        assert watch.expired([1]) is None
    world.passes(1.0, p1=0.5)
    assert watch.expired([1]) == Expired(1, "120 s")


def test_nobody_is_late_when_nobody_runs(world: World) -> None:
    watch = Watch(world.clocks(), LIMITS)
    world.passes(1000.0)
    assert watch.expired([]) is None


def test_without_clocks_the_wall_decides(world: World) -> None:
    world.used = {1: None}
    watch = Watch(world.clocks(), LIMITS)
    world.passes(3.9)
    assert watch.expired([1]) is None
    world.passes(0.2)
    assert watch.expired([1]) == Expired(1, "4 s of waiting")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell")
def test_the_clock_of_another_process_is_its_cpu_time() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        first = cpu_seconds(busy.pid)
        while (used := cpu_seconds(busy.pid) or 0.0) < 0.2:
            pass
        assert first is not None and first < used
        own = cpu_seconds(os.getpid())
        assert own is not None and own > 0
    finally:
        busy.kill()
        busy.wait()
    assert cpu_seconds(busy.pid) is None
