"""The zygote: a process with numpy imported that forks a fresh worker in about two milliseconds.

It answers the judge's orders on a control socket: ``fork`` (one worker for each socket that comes with the order)
and ``end`` (kill workers and tell how they ended). When the judge goes, it kills what is left.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import socket
from typing import Any

from . import serve

PR_SET_PDEATHSIG = 1
MAX_SOCKETS = 64
CPU_BACKSTOP_SECONDS = 600


def run(control: socket.socket) -> None:
    """Obey orders on ``control`` until the judge closes it."""
    gc.collect()
    gc.freeze()
    children: set[int] = set()
    control.send(json.dumps({"ready": 1}).encode())
    while True:
        data, sockets, _, _ = socket.recv_fds(control, 1 << 16, MAX_SOCKETS)
        if not data:
            break
        order = json.loads(data)
        if "fork" in order:
            pids = [_fork(control, fd, sockets, limits) for fd, limits in zip(sockets, order["fork"], strict=True)]
            children.update(pids)
            for fd in sockets:
                os.close(fd)
            control.send(json.dumps({"pids": pids}).encode())
        else:
            ended = {pid: _end(pid) for pid in order["end"] if pid in children}
            children.difference_update(ended)
            control.send(json.dumps({"ended": ended}).encode())
    for pid in children:
        _end(pid)


def _fork(control: socket.socket, own: int, sockets: list[int], limits: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        control.close()
        for fd in sockets:
            if fd != own:
                os.close(fd)
        with socket.socket(fileno=own) as sock:
            limit_resources(limits)
            die_with_parent()
            serve.serve(sock)
    finally:
        os._exit(0)


def _end(pid: int) -> int:
    """Kill a worker and its session and reap it; returns its exit code, or minus the signal that ended it."""
    for kill in (os.killpg, os.kill):  # before reaping: until then the number can't belong to anybody else
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def limit_resources(limits: dict[str, Any]) -> None:
    """Bound what this process may use: memory above what it has now, CPU as a backstop to the judge's own clock."""
    os.setsid()
    if limits.get("cpu") is not None:
        os.sched_setaffinity(0, {limits["cpu"]})
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_BACKSTOP_SECONDS, CPU_BACKSTOP_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    room = address_space_bytes() + int(limits["memory_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (room, room))


def address_space_bytes() -> int:
    """How much address space this process takes now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 31


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends (Linux)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass
