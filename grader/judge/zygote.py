"""The judge's side of a zygote: a process that forks confined workers (Linux)."""

from __future__ import annotations

import contextlib
import functools
import json
import shutil
import socket
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from grader.judge.confinement import Level, zygote_command
from grader.judge.cores import CpuPlan
from grader.judge.limits import Limits
from grader.judge.workers import Ahead, Started, WorkerUnavailable, environment

START_SECONDS = 60.0
FORKS_PER_ORDER = 64  # sockets that go to the zygote at a time
PROBE_FAILURES = {
    0: "",
    1: "a worker could still do what it must not",
    2: "the kernel refuses it",
    3: "a worker can't do its work",
}


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
            zygote_command(level, theirs.fileno(), environment()),
            pass_fds=[theirs.fileno()],
            env=environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        theirs.close()
        self._ready = False
        self._last_words = ""
        self._unread: deque[tuple[str, Callable[[Any], object]]] = deque()

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

    def start_ahead(self, imports: Sequence[str] = ()) -> Ahead | None:
        """Order a worker; it gets ready on another core, while the judge goes on."""
        self._wait_until_ready()
        ours, theirs = socket.socketpair()
        pids: list[int] = []
        order = json.dumps({"fork": [self._plan(imports, self._cpus.elsewhere)]}).encode()
        self._send(order, [theirs.fileno()])
        self._unread.append(("fork", pids.extend))
        theirs.close()

        def take() -> Started:
            if not pids:
                self._read_all()
            (pid,) = pids
            self._order_later("place", [pid, self._cpus.next()])
            return Started(pid, ours, functools.partial(self._clock, pid))

        return Ahead(ours, take)

    def _fork(self, count: int, imports: Sequence[str]) -> list[Started]:
        pairs = [socket.socketpair() for _ in range(count)]
        plans = [self._plan(imports, self._cpus.next()) for _ in pairs]
        theirs_all = [theirs.fileno() for _, theirs in pairs]
        self._send(json.dumps({"fork": plans}).encode(), theirs_all)
        for _, theirs in pairs:
            theirs.close()
        try:
            self._read_all()
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

    def dismiss(self, pids: list[int]) -> None:
        """Have the zygote kill and reap workers, and don't wait."""
        self._cpus.started = 0
        self._order_later("end", pids)

    def _clock(self, pid: int) -> float | None:
        """CPU time of a worker; the zygote is asked, since its process numbers may be its own."""
        used: float | None = self._order("clock", [pid]).get(str(pid))
        return used

    def _order(self, order: str, details: Any) -> Any:
        self._send(json.dumps({order: details}).encode())
        self._read_all()
        return self._answer(order)

    def _order_later(self, order: str, details: Any) -> None:
        """Give an order whose answer is of no interest; it is read before the next one that is."""
        self._send(json.dumps({order: details}).encode())
        self._unread.append((order, lambda answer: None))

    def _send(self, order: bytes, fds: Sequence[int] = ()) -> None:
        with contextlib.suppress(OSError):  # the answer does not come then either
            if fds:
                socket.send_fds(self._control, [order], fds)
            else:
                self._control.send(order)

    def _read_all(self) -> None:
        while self._unread:
            order, hear = self._unread.popleft()
            hear(self._answer(order))

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
