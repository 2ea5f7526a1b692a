"""Giving up what a worker does not need, after numpy is imported and before anything of a submission is read.

Levels, each stopping all that the weaker ones stop: "process" (limits alone), "uid" (an own user, an empty root
folder, the seccomp filter), "landlock" (Landlock and the filter, and an own user when root), "bubblewrap" (namespaces
around the zygote, and the same inside).
"""

from __future__ import annotations

import ctypes
import importlib
import os
import socket
import sys
from collections.abc import Callable, Sequence

from . import landlock, seccomp

# What the standard library itself imports only when it is used, and what numerical code asks for.
COMMON_MODULES = (
    *("array", "bisect", "cmath", "collections.abc", "concurrent.futures.thread", "copy", "dataclasses", "decimal"),
    *("encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_8_sig", "fractions", "functools"),
    *(
        "heapq",
        "itertools",
        "locale",
        "math",
        "numbers",
        "operator",
        "queue",
        "random",
        "statistics",
        "string",
        "traceback",
        "typing",
    ),
    *("unicodedata", "_strptime"),
)
UIDS = (61480, 65534)  # one that nobody has, and "nobody", where a container knows few users
_PR_SET_DUMPABLE = 4


class ConfinementFailed(OSError):
    """A level that this machine can't have."""


def import_modules(names: Sequence[str]) -> None:
    """Import what a submission will ask for, while files can still be read."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:  # the submission's own import will say so
            continue


def confine(level: str, empty_folder: str | None) -> None:
    """Bring this process to a level; can't be undone.

    Args:
        level: One of the names above.
        empty_folder: An empty folder, to be the root of all that a process of an own user can name.

    Raises:
        ConfinementFailed: If something that the level needs is refused.
    """
    if level == "process":
        return
    try:
        if os.getuid() == 0:
            become_nobody(empty_folder)
        elif level == "uid":
            raise ConfinementFailed("only root can change to another user")
        if level == "landlock":
            landlock.restrict()
        seccomp.install()
    except ConfinementFailed:
        raise
    except OSError as error:
        raise ConfinementFailed(f"{level}: {error}") from error


def become_nobody(empty_folder: str | None) -> None:
    """Go into an empty root folder and become a user that owns nothing."""
    if empty_folder is not None:
        os.chroot(empty_folder)
        os.chdir("/")
    os.setgroups([])
    for uid in UIDS:
        try:
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:
            continue
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        return
    raise ConfinementFailed("no other user can be had here")


def escapes() -> list[str]:
    """What this process can still do that no confined worker may; tried, not assumed."""
    attempts: dict[str, Callable[[], object]] = {
        "read a file": lambda: os.open("/etc/passwd", os.O_RDONLY),
        "list a folder": lambda: os.listdir("/"),
        "look at a file": lambda: os.stat(sys.executable),
        "write a file": lambda: os.open("/tmp/grade-escape", os.O_WRONLY | os.O_CREAT),
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        "open a UNIX socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        "signal another process": lambda: os.kill(os.getppid(), 0),
        "start a process": _start_a_process,
    }
    return [what for what, attempt in attempts.items() if _succeeds(attempt)]


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _start_a_process() -> None:
    if os.fork() == 0:
        os._exit(0)
