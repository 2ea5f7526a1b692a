"""Fresh workers: forked from a zygote where that is safe, else taken from a pool of processes that wait."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

from grader.judge.limits import Limits

WORKER = Path(__file__).parents[1] / "worker" / "__main__.py"
SPARE_WORKERS = 3
START_SECONDS = 60.0


class WorkerUnavailable(RuntimeError):
    """No worker could be started: our fault, or the machine's, never the student's."""


class Started(NamedTuple):
    """A worker process and the judge's end of its socket."""

    pid: int
    socket: socket.socket


class Launcher(Protocol):
    """Starts and ends workers."""

    def start(self, count: int) -> list[Started]:
        """Start fresh workers."""

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill workers; returns how each ended: its exit code, or minus a signal."""

    def close(self) -> None:
        """End everything."""


def launcher(limits: Limits, *, pool: bool | None = None) -> Launcher:
    """The launcher for this machine; ``pool`` forces or forbids the pool (GRADE_POOL=1 does so from outside)."""
    if pool is None:
        pool = not sys.platform.startswith("linux") or os.environ.get("GRADE_POOL") == "1"
    return Pool(limits) if pool else Zygote(limits)


def _command(mode: str, where: int) -> list[str]:
    return [sys.executable, "-P", "-s", "-B", str(WORKER), mode, str(where)]


def _environment() -> dict[str, str]:
    """What a worker sees of the environment: nothing of the judge's; hashes and BLAS threads are fixed."""
    fixed = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    needed = ("SYSTEMROOT", "PATH", "OPENBLAS_CORETYPE")
    return {**{name: os.environ[name] for name in needed if name in os.environ}, **fixed, **threads}


class CpuPlan:
    """Which core each process runs on.

    Judge and worker take turns, so they are fastest on one core, where the turn needs no waking of another
    (measured: a third of the time). Further ranks are spread over the cores.

    Attributes:
        started: How many workers have been placed since the last ones ended.
    """

    def __init__(self) -> None:
        """Nothing is placed yet; the judge's core is the last of those that it may use."""
        self._allowed = sorted(os.sched_getaffinity(0))
        self.started = 0

    def settle(self) -> None:
        """Keep the judge on its core from now on."""
        os.sched_setaffinity(0, {self._allowed[-1]})

    def next(self) -> int:
        """The core for the next worker."""
        self.started += 1
        return self._allowed[-self.started % len(self._allowed)]

    def restore(self) -> None:
        """Let the judge run anywhere again."""
        os.sched_setaffinity(0, self._allowed)


class Zygote:
    """Forks workers from one process that has numpy imported (Linux)."""

    def __init__(self, limits: Limits) -> None:
        """Start the zygote; it imports while the judge does."""
        self._memory_bytes = limits.memory_bytes
        self._cpus = CpuPlan()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(START_SECONDS)
        self._process = subprocess.Popen(
            _command("zygote", theirs.fileno()),
            pass_fds=[theirs.fileno()],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        theirs.close()
        self._ready = False

    def start(self, count: int) -> list[Started]:
        """Fork workers, each with a socket of its own."""
        if not self._ready:
            self._answer()  # "ready", once numpy is imported
            self._ready = True
            self._cpus.settle()
        pairs = [socket.socketpair() for _ in range(count)]
        limits = [{"memory_bytes": self._memory_bytes, "cpu": self._cpus.next()} for _ in pairs]
        theirs_all = [theirs.fileno() for _, theirs in pairs]
        socket.send_fds(self._control, [json.dumps({"fork": limits}).encode()], theirs_all)
        for _, theirs in pairs:
            theirs.close()
        pids = self._answer()["pids"]
        return [Started(pid, ours) for pid, (ours, _) in zip(pids, pairs, strict=True)]

    def end(self, pids: list[int]) -> dict[int, int]:
        """Have the zygote kill and reap workers."""
        self._cpus.started = 0
        self._control.send(json.dumps({"end": pids}).encode())
        return {int(pid): status for pid, status in self._answer()["ended"].items()}

    def _answer(self) -> dict[str, dict[str, int]] | dict[str, list[int]]:
        try:
            data = self._control.recv(1 << 16)
        except TimeoutError:
            data = b""
        if not data:
            self._process.kill()
            _, errors = self._process.communicate()
            raise WorkerUnavailable("the worker process did not start: " + errors.decode(errors="replace")[-500:])
        answer: dict[str, dict[str, int]] = json.loads(data)
        return answer

    def close(self) -> None:
        """Close the control socket, upon which the zygote ends what is left and itself."""
        self._cpus.restore()
        self._control.close()
        try:
            self._process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


class Pool:
    """Keeps a few started processes waiting; each serves one submission's check and is then thrown away."""

    def __init__(self, limits: Limits) -> None:
        """Listen on the loopback interface and start spare workers, which call back with a secret of their own."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(START_SECONDS)
        self._limits = limits
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._expected: dict[bytes, int] = {}
        self._called: dict[int, socket.socket] = {}
        self._spare: list[int] = []
        self._refill(SPARE_WORKERS)

    def _refill(self, count: int) -> None:
        while len(self._spare) < count:
            process = subprocess.Popen(
                _command("pool", self._listener.getsockname()[1]),
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            token = secrets.token_hex(16).encode()
            assert process.stdin is not None
            process.stdin.write(token + b"\n")
            process.stdin.close()
            self._processes[process.pid], self._expected[token] = process, process.pid
            self._spare.append(process.pid)

    def start(self, count: int) -> list[Started]:
        """Take waiting workers; new ones take their place."""
        self._refill(count)
        taken, self._spare = self._spare[:count], self._spare[count:]
        started = [Started(pid, self._connection(pid)) for pid in taken]
        self._refill(SPARE_WORKERS)
        return started

    def _connection(self, pid: int) -> socket.socket:
        while pid not in self._called:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
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
            process.kill()
            ended[pid] = process.wait()
        return ended

    def close(self) -> None:
        """Kill every process."""
        self.end(list(self._processes))
        for connection in self._called.values():
            connection.close()
        self._listener.close()
