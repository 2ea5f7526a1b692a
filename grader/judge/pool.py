"""A pool of worker processes that wait: where forking is unsafe or absent."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Sequence

from grader.judge.confinement import Level, python_command
from grader.judge.limits import Limits, cpu_seconds
from grader.judge.workers import Ahead, Started, WorkerUnavailable, environment

SPARE_WORKERS = 3
START_SECONDS = 60.0


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
                env=environment(),
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

    def start_ahead(self, imports: Sequence[str] = ()) -> Ahead | None:  # noqa: ARG002 - a Launcher has it
        """Nothing: workers wait here anyway."""
        return None

    def dismiss(self, pids: list[int]) -> None:
        """Kill every one; that takes no time worth saving."""
        self.end(pids)

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
