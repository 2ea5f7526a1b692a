"""What a submission can't do at each level of confinement that this machine has, and what it still can."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.judge.bench import Bench, Source
from grader.judge.calls import Answer, Call
from grader.judge.confinement import Level, candidates
from grader.judge.launch import Strongest
from grader.judge.limits import Limits
from grader.judge.zygote import Zygote
from tests.confinement.hostile import SUBMISSION
from tests.support import ROOT

CONFINED = [Level.UID, Level.LANDLOCK, Level.BUBBLEWRAP]
SECRETS = [
    ROOT / "checks" / "hidden" / "lesson06_collectives.py",
    ROOT / "solutions" / "lesson06_collectives.py",
    ROOT / "misconceptions" / "lesson06_collectives.py",
    Path(__file__),
    Path("/etc/passwd"),
    Path("/proc/self/environ"),
    Path("/proc/1/cmdline"),
]
LIMITS = Limits(cpu_seconds=1.0, idle_seconds=2.0, memory_bytes=1 << 30)


def works(level: Level) -> str:
    """Why a level does not work here; "" if it does."""
    if level not in candidates(Level.PROCESS):
        return f"{level.value} is not on this machine"
    zygote = Zygote(LIMITS, level)
    try:
        return zygote.probe()
    finally:
        zygote.close()


REASONS = {level: works(level) for level in CONFINED}


@pytest.fixture(scope="module", params=CONFINED, ids=str)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    if REASONS[request.param]:
        pytest.skip(REASONS[request.param])
    workers = Strongest(LIMITS, [request.param], request.param)
    yield Bench(workers, Source("hostile.py", SUBMISSION.encode()), collectives={}, limits=LIMITS)
    workers.close()


def tried(bench: Bench, name: str, *arguments: Any) -> Answer:
    assert bench.problem is None
    return bench.perform(Call(name, arguments))


def refused(answer: Answer) -> bool:
    """Whether an attempt failed: an OSError, or a raw call that got nothing."""
    return answer.raised(OSError) or (answer.kind == "returned" and answer.value is None)


def test_ci_has_a_strong_level() -> None:
    strong = [level for level in (Level.LANDLOCK, Level.BUBBLEWRAP) if not REASONS[level]]
    if os.environ.get("CI") and sys.platform.startswith("linux"):
        assert strong, f"no level of Landlock or better could be tried: {REASONS}"


@pytest.mark.parametrize("path", SECRETS, ids=lambda path: path.name)
@pytest.mark.parametrize("attempt", ["read", "read_raw", "look"])
def test_no_file_can_be_read_or_looked_at(bench: Bench, attempt: str, path: Path) -> None:
    assert refused(tried(bench, attempt, str(path)))


@pytest.mark.parametrize("folder", ["/", "/tmp", str(ROOT), str(Path.home())])
def test_no_folder_can_be_listed(bench: Bench, folder: str) -> None:
    assert refused(tried(bench, "list_folder", folder))


@pytest.mark.parametrize("attempt", ["write", "many_files"])
def test_nothing_can_be_written(bench: Bench, attempt: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    target = tmp_path if attempt == "many_files" else tmp_path / "out"
    assert refused(tried(bench, attempt, str(target)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "attempt", ["environment", "memory", "signal_process", "trace", "read_process", "lower_limit", "signal_by_owner"]
)
def test_the_judge_and_other_processes_are_out_of_reach(bench: Bench, attempt: str) -> None:
    limits = Path("/proc/self/limits").read_text()
    assert refused(tried(bench, attempt, os.getpid()))
    assert Path("/proc/self/limits").read_text() == limits


def test_the_network_is_out_of_reach(bench: Bench, tmp_path: Path) -> None:
    heard: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        path = tmp_path / "socket"
        local.bind(str(path))
        local.listen()
        path.chmod(0o777)
        server.settimeout(3)

        def listen() -> None:
            try:
                server.accept()
                heard.append("tcp")
            except OSError:
                pass

        listener = threading.Thread(target=listen)
        listener.start()
        port = server.getsockname()[1]
        for attempt, where in (("tcp", port), ("udp", port), ("unix", str(path))):
            assert refused(tried(bench, attempt, where)), attempt
        listener.join()
    assert heard == []


@pytest.mark.parametrize(
    "attempt", ["fork", "spawn", "new_user", "mount", "become_root", "shared_memory", "shared_segment"]
)
def test_no_process_no_privilege_and_no_shared_memory(bench: Bench, attempt: str) -> None:
    assert refused(tried(bench, attempt))


def test_no_child_outlives_the_run(bench: Bench) -> None:
    assert refused(tried(bench, "daemon", 30))


def test_limits_cannot_be_raised(bench: Bench) -> None:
    answer = tried(bench, "raise_limits")
    assert answer.raised(OSError) or answer.raised(ValueError)


def test_memory_is_bounded(bench: Bench) -> None:
    assert tried(bench, "huge").raised(MemoryError)


def test_a_loop_that_ignores_signals_ends(bench: Bench) -> None:
    began = time.monotonic()
    assert tried(bench, "endless", 60).kind == "timed_out"
    assert time.monotonic() - began < 30


def test_output_is_bounded(bench: Bench) -> None:
    answer = tried(bench, "print_much")
    assert answer.kind == "returned"
    assert len(answer.printed[0]) < 100_000
    assert "300,000,300 bytes were printed" in answer.printed[0]


def test_honest_work_goes_on(bench: Bench) -> None:
    assert tried(bench, "threads").value == [0, 1, 4, 9]
    assert tried(bench, "pool").value == 15
    assert tried(bench, "large").value == 1e7
    assert tried(bench, "algebra").value is True
    assert tried(bench, "library").value == [1.5, "0.3", "[1]", ["a", "b"]]


def test_nothing_is_left_after_the_hostile_run(bench: Bench) -> None:
    before = processes()
    for name, arguments in (("fork", ()), ("daemon", (30,)), ("endless", (30,))):
        tried(bench, name, *arguments)
    bench.renew()
    time.sleep(0.2)
    assert processes() - before == set()


def processes() -> set[int]:
    """The processes that this one has started, and theirs, and orphans that run the worker's program."""
    parents, workers = {}, set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if b"grader/worker/__main__" in (entry / "cmdline").read_bytes():
                    workers.add(int(entry.name))
        except OSError:  # it has ended meanwhile
            continue
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    return own | {pid for pid in workers if parents[pid] == 1}


UNPRIVILEGED = """
import json, sys
from tests.confinement.test_levels import LIMITS, SUBMISSION, SECRETS, refused, tried, works
from grader.judge.bench import Bench, Source
from grader.judge.confinement import Level
from grader.judge.launch import Strongest
import os
level = Level(sys.argv[1])
why = works(level)
if why:
    print(json.dumps({"skip": why})); sys.exit()
workers = Strongest(LIMITS, [level], level)
bench = Bench(workers, Source("hostile.py", SUBMISSION.encode()), collectives={}, limits=LIMITS)
attempts = [("read", str(p)) for p in SECRETS] + [("read_raw", str(p)) for p in SECRETS]
attempts += [("look", str(p)) for p in SECRETS] + [("list_folder", "/"), ("write", "/tmp/grade-hostile")]
on_processes = ("environment", "memory", "signal_process", "trace", "read_process", "lower_limit")
attempts += [(name, os.getpid()) for name in on_processes]
attempts += [("tcp", 9), ("udp", 9), ("fork",), ("spawn",), ("new_user",), ("shared_memory",), ("shared_segment",)]
escaped = [attempt[0] for attempt in attempts if not refused(tried(bench, *attempt))]
honest = [tried(bench, "threads").value, tried(bench, "large").value, tried(bench, "algebra").value]
workers.close()
print(json.dumps({"escaped": escaped, "honest": honest}))
"""


@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP], ids=str)
def test_an_unprivileged_user_is_guarded_too(level: Level) -> None:
    """The same attempts where the judge itself is no root."""
    if not sys.platform.startswith("linux") or os.getuid() != 0:
        pytest.skip("needs root, to become another user; without root the other tests are unprivileged")
    interpreter = Path("/usr/bin/python3.11")
    if sys.version_info[:2] != (3, 11) or not interpreter.exists():
        pytest.skip("needs a system Python of this version, which an unprivileged user can execute")
    import numpy

    packages = Path(numpy.__file__).parents[1]
    environment = {"PYTHONPATH": f"{ROOT}:{packages}", "PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    done = subprocess.run(
        [str(interpreter), "-B", "-c", UNPRIVILEGED, level.value],
        user=65534,
        group=65534,
        extra_groups=[],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if "PermissionError" in done.stderr or "No module named" in done.stderr:
        pytest.skip(f"an unprivileged user can't read the project here: {done.stderr.splitlines()[-1]}")
    told = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {"failed": done.stderr}
    if "skip" in told:
        pytest.skip(f"as an unprivileged user: {told['skip']}")
    assert told == {"escaped": [], "honest": [[0, 1, 4, 9], 1e7, True]}
