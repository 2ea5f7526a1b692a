"""Fresh workers: forked from a zygote where that is safe, else taken from a pool of processes that wait."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from grader.judge.confinement import Level, candidates, python_command, unavailable, zygote_command
from grader.judge.limits import Limits, cpu_seconds

SPARE_WORKERS = 3
START_SECONDS = 60.0
FORKS_PER_ORDER = 64  # sockets that go to the zygote at a time
PROBE_FAILURES = {
    0: "",
    1: "a worker could still do what it must not",
    2: "the kernel refuses it",
    3: "a worker can't do its work",
}


class WorkerUnavailable(RuntimeError):
    """No worker could be started: our fault, or the machine's, never the student's."""


class Started(NamedTuple):
    """A worker process, the judge's end of its socket, and its CPU clock (None where there is none to read)."""

    pid: int
    socket: socket.socket
    clock: Callable[[], float | None]


class Launcher(Protocol):
    """Starts and ends workers."""

    @property
    def level(self) -> Level:
        """How they are confined; known once the first has started."""

    def start(self, count: int, imports: Sequence[str] = ()) -> list[Started]:
        """Start fresh workers, which import these modules before they are confined."""

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill workers; returns how each ended: its exit code, or minus a signal."""

    def close(self) -> None:
        """End everything."""


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


def _environment() -> dict[str, str]:
    """What a worker sees of the environment: nothing of the judge's; hashes and BLAS threads are fixed."""
    fixed = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    needed = ("SYSTEMROOT", "OPENBLAS_CORETYPE")
    return {**{name: os.environ[name] for name in needed if name in os.environ}, **fixed, **threads}


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

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill and reap workers."""
        return self._zygote.end(pids)

    def close(self) -> None:
        """End everything."""
        self._zygote.close()


class Zygote:
    """Forks workers of one level from one process that has numpy imported (Linux)."""

    def __init__(self, limits: Limits, level: Level) -> None:
        """Start the zygote; it imports while the judge does."""
        self.level = level
        self._memory_bytes = limits.memory_bytes
        self._cpus = CpuPlan()
        self._folder = tempfile.mkdtemp(prefix="grade-empty-")
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(START_SECONDS)
        self._process = subprocess.Popen(
            zygote_command(level, theirs.fileno(), _environment()),
            pass_fds=[theirs.fileno()],
            env=_environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        theirs.close()
        self._ready = False
        self._last_words = ""

    def probe(self) -> str:
        """Why this level does not hold here; "" if it does."""
        try:
            self._wait_until_ready()
            code = 0 if self.level is Level.PROCESS else self._order("probe", self._plan(()))
        except WorkerUnavailable as error:
            return str(error)
        return PROBE_FAILURES.get(code, f"its probe ended with {code}")

    def _wait_until_ready(self) -> None:
        if not self._ready:
            self._answer("ready")  # once numpy is imported
            self._ready = True

    def _plan(self, imports: Sequence[str], cpu: int | None = None) -> dict[str, Any]:
        """What a worker is told before it serves."""
        folder = None if self.level is Level.BUBBLEWRAP else self._folder
        facts = {"memory_bytes": self._memory_bytes, "cpu": cpu, "level": self.level.value}
        return {**facts, "folder": folder, "imports": list(imports)}

    def start(self, count: int, imports: Sequence[str] = ()) -> list[Started]:
        """Fork workers, each with a socket of its own."""
        self._wait_until_ready()
        self._cpus.settle()
        started: list[Started] = []
        while len(started) < count:
            started += self._fork(min(count - len(started), FORKS_PER_ORDER), imports)
        return started

    def _fork(self, count: int, imports: Sequence[str]) -> list[Started]:
        pairs = [socket.socketpair() for _ in range(count)]
        plans = [self._plan(imports, self._cpus.next()) for _ in pairs]
        theirs_all = [theirs.fileno() for _, theirs in pairs]
        with contextlib.suppress(OSError):  # the answer does not come then either
            socket.send_fds(self._control, [json.dumps({"fork": plans}).encode()], theirs_all)
        for _, theirs in pairs:
            theirs.close()
        try:
            pids = self._answer("fork")
        except WorkerUnavailable:
            for ours, _ in pairs:
                ours.close()
            raise
        return [
            Started(pid, ours, functools.partial(self._clock, pid)) for pid, (ours, _) in zip(pids, pairs, strict=True)
        ]

    def end(self, pids: list[int]) -> dict[int, int]:
        """Have the zygote kill and reap workers."""
        self._cpus.started = 0
        return {int(pid): status for pid, status in self._order("end", pids).items()}

    def _clock(self, pid: int) -> float | None:
        """CPU time of a worker; the zygote is asked, since its process numbers may be its own."""
        used: float | None = self._order("clock", [pid]).get(str(pid))
        return used

    def _order(self, order: str, details: Any) -> Any:
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({order: details}).encode())
        return self._answer(order)

    def _answer(self, order: str) -> Any:
        try:
            data = self._control.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._process.kill()
            self._last_words = self._last_words or self._reap()
            raise WorkerUnavailable("the worker process has ended: " + self._last_words)
        return json.loads(data)[order]

    def close(self) -> None:
        """Close the control socket, upon which the zygote ends what is left and itself."""
        self._cpus.restore()
        self._control.close()
        self._reap()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _reap(self) -> str:
        """Wait for the zygote's end and return what it said of it."""
        assert self._process.stderr is not None
        if self._process.stderr.closed:
            return ""
        try:
            _, errors = self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, errors = self._process.communicate()
        return errors.decode(errors="replace")[-500:]


class Pool:
    """Keeps a few started processes waiting; each serves one submission's check and is then thrown away."""

    def __init__(self, limits: Limits) -> None:
        """Listen on the loopback interface and start spare workers, which call back with a secret of their own."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(1.0)
        self._limits = limits
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._expected: dict[bytes, int] = {}
        self._called: dict[int, socket.socket] = {}
        self._spare: list[int] = []
        self._refill(SPARE_WORKERS)

    @property
    def level(self) -> Level:
        """No more than limits."""
        return Level.PROCESS

    def _refill(self, count: int) -> None:
        while len(self._spare) < count:
            process = subprocess.Popen(
                python_command(["pool", str(self._listener.getsockname()[1])]),
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            token = secrets.token_hex(16).encode()
            assert process.stdin is not None
            process.stdin.write(b"%s %d\n" % (token, self._limits.memory_bytes))
            process.stdin.close()
            self._processes[process.pid], self._expected[token] = process, process.pid
            self._spare.append(process.pid)

    def start(self, count: int, imports: Sequence[str] = ()) -> list[Started]:  # noqa: ARG002 - a Launcher has it
        """Take waiting workers; new ones take their place. They can still import what they like."""
        self._refill(count)
        taken, self._spare = self._spare[:count], self._spare[count:]
        started = [Started(pid, self._connection(pid), functools.partial(cpu_seconds, pid)) for pid in taken]
        self._refill(SPARE_WORKERS)
        return started

    def _connection(self, pid: int) -> socket.socket:
        deadline = time.monotonic() + START_SECONDS
        while pid not in self._called:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                if self._processes[pid].poll() is None and time.monotonic() < deadline:
                    continue
                raise WorkerUnavailable("a worker process did not start") from None
            connection.settimeout(START_SECONDS)
            token = connection.recv(32, socket.MSG_WAITALL)
            caller = self._expected.pop(token, None)
            if caller is None:
                connection.close()
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._called[caller] = connection
        return self._called.pop(pid)

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill workers and collect how they ended."""
        ended = {}
        for pid in pids:
            process = self._processes.pop(pid)
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)  # what it has started, too
            process.kill()
            ended[pid] = process.wait()
        return ended

    def close(self) -> None:
        """Kill every process."""
        self.end(list(self._processes))
        for connection in self._called.values():
            connection.close()
        self._listener.close()
