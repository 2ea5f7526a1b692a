"""Worker processes, as whoever starts them hands them over."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from grader.judge.confinement import Level


class WorkerUnavailable(RuntimeError):
    """No worker could be started: our fault, or the machine's, never the student's."""


class Started(NamedTuple):
    """A worker process, the judge's end of its socket, and its CPU clock (None where there is none to read)."""

    pid: int
    socket: socket.socket
    clock: Callable[[], float | None]


class Ahead(NamedTuple):
    """A worker that is being started ahead of its use: it can be sent its first request already."""

    socket: socket.socket
    take: Callable[[], Started]  # waits for it, and has it run where its calls are answered fastest


class Launcher(Protocol):
    """Starts and ends workers."""

    @property
    def level(self) -> Level:
        """How they are confined; known once the first has started."""

    def start(self, count: int, imports: Sequence[str] = ()) -> list[Started]:
        """Start fresh workers, which import these modules before they are confined."""

    def start_ahead(self, imports: Sequence[str] = ()) -> Ahead | None:
        """Begin to start a worker, and don't wait; None where that gains nothing."""

    def end(self, pids: list[int]) -> dict[int, int]:
        """Kill workers; returns how each ended: its exit code, or minus a signal."""

    def dismiss(self, pids: list[int]) -> None:
        """Kill workers, and don't wait."""

    def close(self) -> None:
        """End everything."""


def environment() -> dict[str, str]:
    """What a worker sees of the environment: nothing of the judge's; hashes and BLAS threads are fixed."""
    fixed = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    needed = ("SYSTEMROOT", "OPENBLAS_CORETYPE")
    return {**{name: os.environ[name] for name in needed if name in os.environ}, **fixed, **threads}
