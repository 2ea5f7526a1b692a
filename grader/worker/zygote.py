"""The zygote: a process with numpy imported that forks a fresh worker in a few milliseconds.

It answers the judge's orders on a control socket: ``fork`` (one worker for each socket that comes with the order),
``end`` (kill workers and tell how they ended), ``place`` (have one run on another core), ``clock`` (how much CPU time
they have used) and ``probe`` (whether a level of confinement holds here). When the judge goes, it kills what is left.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import mmap
import os
import random
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import confine, serve

PR_SET_PDEATHSIG = 1
MAX_SOCKETS = 64
CPU_BACKSTOP_SECONDS = 600
HOLDS, ESCAPES, UNAVAILABLE, TOO_TIGHT = 0, 1, 2, 3  # exit codes of a probe

Plan = dict[str, Any]  # of one worker: memory_bytes, cpu, level, folder, imports


def run(control: socket.socket) -> None:
    """Obey orders on ``control`` until the judge closes it."""
    confine.import_modules(confine.COMMON_MODULES)
    gc.collect()
    gc.freeze()
    children: set[int] = set()
    control.send(json.dumps({"ready": 1}).encode())
    while True:
        data, sockets, _, _ = socket.recv_fds(control, 1 << 16, MAX_SOCKETS)
        if not data:
            break
        ((order, details),) = json.loads(data).items()
        if order == "fork":
            confine.import_modules(details[0]["imports"])
            answer: Any = [_fork_worker(control, fd, sockets, plan) for fd, plan in zip(sockets, details, strict=True)]
            children.update(answer)
            for fd in sockets:
                os.close(fd)
        elif order == "end":
            answer = {pid: _end(pid) for pid in details if pid in children}
            children.difference_update(answer)
        elif order == "place":
            answer = _place(*details) if details[0] in children else False
        elif order == "clock":
            answer = {pid: _clock(pid) for pid in details if pid in children}
        else:
            answer = _probe(details)
        control.send(json.dumps({order: answer}).encode())
    for pid in children:
        _end(pid)


def _fork_worker(control: socket.socket, own: int, sockets: list[int], plan: Plan) -> int:
    def work() -> None:
        control.close()
        for fd in sockets:
            if fd != own:
                os.close(fd)
        with socket.socket(fileno=own) as sock:
            _settle(plan)
            serve.serve(sock)

    return _fork(work)


def _fork(work: Callable[[], int | None]) -> int:
    pid = os.fork()
    if pid == 0:
        code = UNAVAILABLE
        try:
            code = work() or 0
        finally:
            os._exit(code)
    return pid


def _settle(plan: Plan) -> None:
    """Give up what a worker does not need."""
    random.seed(0)  # forking seeds it anew, from the system's entropy
    limit_resources(plan)
    confine.confine(plan["level"], plan["folder"])
    die_with_parent()


def _probe(plan: Plan) -> int:
    """Whether a worker at this level can do its work and nothing else, by letting one try."""

    def work() -> int:
        _settle(plan)
        if confine.escapes():
            return ESCAPES
        done: list[float] = []
        thread = threading.Thread(target=lambda: done.append(float((np.ones((9, 9)) @ np.ones((9, 9))).sum())))
        thread.start()
        thread.join()
        return HOLDS if done == [729.0] else TOO_TIGHT

    _, status = os.waitpid(_fork(work), 0)
    return os.waitstatus_to_exitcode(status)


def _place(pid: int, cpu: int) -> bool:
    """Have a worker run on this core from now on; whether it does."""
    try:
        os.sched_setaffinity(pid, {cpu})
    except OSError:  # it has ended
        return False
    return True


def _clock(pid: int) -> float | None:
    """CPU time that a worker has used."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # another process's clock, as clock_getcpuclockid(3) makes its id
    except OSError:
        return None


def _end(pid: int) -> int:
    """Kill a worker and its session and reap it; returns its exit code, or minus the signal that ended it."""
    for kill in (os.killpg, os.kill):  # before reaping: until then the number can't belong to anybody else
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def limit_resources(plan: Plan) -> None:
    """Bound what this process may use: memory above what it has now, CPU as a backstop to the judge's own clock."""
    os.setsid()
    if plan["cpu"] is not None:
        os.sched_setaffinity(0, {plan["cpu"]})
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_BACKSTOP_SECONDS, CPU_BACKSTOP_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    room = address_space_bytes() + int(plan["memory_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (room, room))


def address_space_bytes() -> int:
    """How much address space this process takes now; without /proc it is found by trying limits."""
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
    low, high = 0, 1 << 40
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    while high - low > 1 << 20:
        middle = (low + high) // 2
        low, high = (low, middle) if _can_map_below(middle, hard) else (middle, high)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    return high


def _can_map_below(limit: int, hard: int) -> bool:
    """Whether a page more fits into an address space of ``limit`` bytes."""
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        mmap.mmap(-1, mmap.PAGESIZE).close()
    except (OSError, MemoryError):
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    return True


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends (Linux); a change of user has undone it before."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
