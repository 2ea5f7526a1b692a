"""Starting and ending workers: from a zygote at any level, from the pool, and what is left of them: nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.judge.bench import Bench, Source
from grader.judge.calls import Call
from grader.judge.confinement import ConfinementUnavailable, Level
from grader.judge.launch import Strongest, launcher
from grader.judge.limits import Limits
from grader.judge.link import Gone, Link
from grader.judge.pool import SPARE_WORKERS, Pool
from grader.judge.workers import Launcher, WorkerUnavailable, environment
from grader.judge.zygote import Zygote
from tests.support import ROOT

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="zygotes are for Linux")
pytestmark = linux

KINDS: dict[str, Callable[[], Launcher]] = {
    "strongest": lambda: launcher(Limits(), pool=False),
    "process": lambda: Zygote(Limits(), Level.PROCESS),
    "pool": lambda: launcher(Limits(), pool=True),
}


MARK = f"GRADE_TEST_{os.getpid()}"


@pytest.fixture(autouse=True)
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every zygote and worker of these tests has a mark in its environment, by which it is found."""
    marked = {**environment(), MARK: "1"}
    for module in ("zygote", "pool"):
        monkeypatch.setattr(f"grader.judge.{module}.environment", lambda: marked)


def running() -> set[int]:
    """The marked processes."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and f"\0{MARK}=1\0".encode() in b"\0" + (folder / "environ").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture(params=KINDS)
def workers(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    made = KINDS[request.param]()
    yield made
    assert running(), "the mark is lost"
    made.close()
    assert eventually(lambda: not running()), "processes are left"


def serves(link: Link) -> bool:
    reply = link.ask("compile", b"x = 1", Limits(), file="submission.py")
    return reply.kind == "returned"


def test_workers_serve_and_end_and_leave_nothing(workers: Launcher) -> None:
    links = [Link(started) for started in workers.start(3)]
    assert len({link.pid for link in links}) == 3
    assert all(map(serves, links))
    assert workers.end([link.pid for link in links]) == {link.pid: -signal.SIGKILL for link in links}
    for link in links:
        with pytest.raises(Gone):
            link.fill()
        link.close()


def test_workers_that_nobody_ended_are_ended_at_the_close(workers: Launcher) -> None:
    for started in workers.start(2):
        started.socket.close()


def test_every_worker_is_fresh(workers: Launcher) -> None:
    first = [Link(started) for started in workers.start(2)]
    workers.end([link.pid for link in first])
    second = [Link(started) for started in workers.start(2)]
    assert all(map(serves, second))
    for link in (*first, *second):
        link.close()


def test_the_clock_of_a_worker_tells_its_cpu_time(workers: Launcher) -> None:
    (link,) = [Link(started) for started in workers.start(1)]
    before = link.clock()
    assert serves(link)
    after = link.clock()
    assert before is not None and after is not None and after > before
    link.close()


@pytest.mark.parametrize("count", [70, pytest.param(64, marks=pytest.mark.sweep)])
def test_many_workers_start_at_once(count: int) -> None:
    workers = Zygote(Limits(), Level.PROCESS)
    try:
        links = [Link(started) for started in workers.start(count)]
        assert len({link.pid for link in links}) == count
        assert serves(links[0]) and serves(links[-1])
        assert len(workers.end([link.pid for link in links])) == count
        for link in links:
            link.close()
    finally:
        workers.close()


def test_an_ended_zygote_is_our_fault_each_time() -> None:
    workers = Zygote(Limits(), Level.PROCESS)
    (started,) = workers.start(1)
    os.kill(workers._process.pid, signal.SIGKILL)
    for use in (lambda: workers.start(1), lambda: workers.end([started.pid]), started.clock, lambda: workers.start(65)):
        with pytest.raises(WorkerUnavailable, match="the worker process has ended"):
            use()
    started.socket.close()
    workers.close()


def test_a_zygote_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "grader.judge.zygote.zygote_command", lambda *_: [sys.executable, "-c", "raise SystemExit('no numpy')"]
    )
    workers = Zygote(Limits(), Level.PROCESS)
    with pytest.raises(WorkerUnavailable, match="no numpy"):
        workers.start(1)
    workers.close()


def test_a_pool_whose_processes_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.judge.pool.python_command", lambda *_: [sys.executable, "-c", "pass"])
    workers = Pool(Limits())
    with pytest.raises((WorkerUnavailable, BrokenPipeError)):
        workers.start(1)
    workers.close()


def test_a_pool_keeps_spare_processes() -> None:
    workers = Pool(Limits())
    try:
        taken = workers.start(SPARE_WORKERS + 1)
        assert len(workers._spare) == SPARE_WORKERS
        workers.end([started.pid for started in taken])
        assert len(workers._processes) == SPARE_WORKERS
        for started in taken:
            started.socket.close()
    finally:
        workers.close()


def test_a_stranger_who_calls_the_pool_is_turned_away() -> None:
    workers = Pool(Limits())
    try:
        with socket.create_connection(workers._listener.getsockname()) as stranger:
            stranger.sendall(b"0" * 32)
            (started,) = workers.start(1)
            link = Link(started)
            assert serves(link)
            assert stranger.recv(1) == b""
            link.close()
    finally:
        workers.close()


def test_the_environment_can_ask_for_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADE_POOL", "1")
    for kind, made in ((Pool, launcher(Limits())), (Strongest, launcher(Limits(), pool=False))):
        assert isinstance(made, kind)
        made.close()


def test_a_pool_is_no_confinement() -> None:
    with pytest.raises(ConfinementUnavailable):
        launcher(Limits(), at_least=Level.UID, pool=True)


# --- cores ---


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_the_judge_gets_its_cores_back_whichever_launcher_closes_first(order: tuple[int, ...]) -> None:
    before = os.sched_getaffinity(0)
    made = [Zygote(Limits(), Level.PROCESS) for _ in range(3)]
    try:
        for workers in made[:2]:
            for started in workers.start(1):
                started.socket.close()
            assert os.sched_getaffinity(0) == {max(before)}
    finally:
        for index in order:
            made[index].close()
    assert os.sched_getaffinity(0) == before


def test_workers_of_a_second_launcher_are_spread_too() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core alone")
    first, second = (Zygote(Limits(), Level.PROCESS) for _ in range(2))
    try:
        started = [*first.start(1), *second.start(2)]
        homes = [os.sched_getaffinity(one.pid) for one in started[1:]]
        assert eventually(lambda: len(set.union(*[os.sched_getaffinity(one.pid) for one in started[1:]])) == 2), homes
        for one in started:
            one.socket.close()
    finally:
        first.close()
        second.close()


# --- ahead ---


def test_a_worker_that_is_started_ahead_takes_its_first_request_before_it_is_there() -> None:
    workers = Zygote(Limits(), Level.PROCESS)
    try:
        (first,) = workers.start(1)
        ahead = workers.start_ahead()
        assert ahead is not None
        link = Link.ahead(ahead)
        link.request("compile", b"x = 1", file="s.py")
        workers.dismiss([first.pid])
        first.socket.close()
        link.take()
        assert link.pid not in (0, first.pid) and link.converse(Limits()).kind == "returned"
        link.close()
        assert list(workers.end([link.pid])) == [link.pid]
    finally:
        workers.close()
    assert eventually(lambda: not running())


def test_a_worker_that_is_started_ahead_and_never_used_does_not_stay() -> None:
    workers = launcher(Limits(), pool=False)
    (first,) = workers.start(1)
    ahead = workers.start_ahead()
    workers.close()
    assert ahead is not None
    for left in (first, ahead):
        left.socket.close()
    assert eventually(lambda: not running())


def test_a_bench_that_starts_ahead_has_fresh_workers_each_round() -> None:
    workers = launcher(Limits(), pool=False)
    source = Source("s.py", b"calls = []\ndef f(x):\n    calls.append(x)\n    return calls\n")
    bench = Bench(workers, source, collectives={}, limits=Limits(), ahead=True)
    try:
        for _ in range(3):
            for expected in ([1], [1, 1]):
                assert bench.perform(Call("f", (1,), {})).value == expected
            bench.renew()
        # bubblewrap's two processes, the zygote, and the worker that was started ahead
        assert eventually(lambda: len(running()) <= 4)
    finally:
        bench.close()
        workers.close()
    assert eventually(lambda: not running())


# --- the judge dies ---


JUDGE = """
import sys, time
from grader.judge import zygote
from grader.judge.launch import launcher
from grader.judge.confinement import Level
from grader.judge.limits import Limits
from grader.judge.link import Link
marked = {**zygote.environment(), sys.argv[2]: "1"}
zygote.environment = lambda: marked
workers = launcher(Limits(), pool=False) if sys.argv[1] == "strongest" else zygote.Zygote(Limits(), Level.PROCESS)
links = [Link(started) for started in workers.start(3)]
code = links[0].ask("compile", b"while True: pass", Limits(), file="s.py").value[0]
links[0].request("load", code, file="s.py")
print("started", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["strongest", "process"])
def test_nothing_survives_a_judge_that_is_killed(kind: str) -> None:
    with subprocess.Popen([sys.executable, "-c", JUDGE, kind, MARK], stdout=subprocess.PIPE, cwd=ROOT) as judge:
        assert judge.stdout is not None and judge.stdout.readline() == b"started\n"
        assert len(running()) >= 4
        judge.kill()
    assert eventually(lambda: not running())
