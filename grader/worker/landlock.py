"""Landlock: from now on this process can open no file, reach no port, and signal no one outside (pure ctypes).

The ruleset has no rules: everything that it handles is denied. What it handles depends on the kernel (5.13 files,
6.7 TCP, 6.12 signals and abstract UNIX sockets). Landlock does not cover looking at a file's metadata; the seccomp
filter does.
"""

from __future__ import annotations

import ctypes
import struct

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same on every machine
_VERSION_FLAG = 1
_PR_SET_NO_NEW_PRIVS = 38

# How many of the access rights of <linux/landlock.h> each version of the interface knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_RIGHTS = 2  # bind and connect TCP, from version 4
_SCOPES = 2  # abstract UNIX sockets and signals, from version 6


class LandlockUnavailable(OSError):
    """The kernel has no Landlock, or does not let this process use it."""


def version() -> int:
    """The interface's version; 0 where there is none."""
    found = _syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    return max(found, 0)


def restrict() -> None:
    """Deny everything that this kernel's Landlock can deny; can't be undone.

    Raises:
        LandlockUnavailable: If there is no Landlock.
    """
    level = version()
    if level < 1:
        raise LandlockUnavailable(ctypes.get_errno(), "the kernel has no Landlock")
    attributes = _attributes(level)
    ruleset = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise LandlockUnavailable(ctypes.get_errno(), "no Landlock ruleset can be made")
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if _syscall(_RESTRICT_SELF, ruleset, 0) < 0:
        raise LandlockUnavailable(ctypes.get_errno(), "Landlock does not restrict this process")
    ctypes.CDLL(None).close(ruleset)


def _attributes(level: int) -> bytes:
    """``struct landlock_ruleset_attr`` as far as this version knows it."""
    files = (1 << _FILE_RIGHTS.get(level, 16)) - 1
    fields = [files]
    if level >= 4:
        fields.append((1 << _NETWORK_RIGHTS) - 1)
    if level >= 6:
        fields.append((1 << _SCOPES) - 1)
    return struct.pack(f"{len(fields)}Q", *fields)


def _syscall(number: int, *arguments: bytes | int | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return int(libc.syscall(ctypes.c_long(number), *[_word(argument) for argument in arguments]))


def _word(argument: bytes | int | None) -> ctypes.c_long | ctypes.c_char_p:
    return ctypes.c_long(argument) if isinstance(argument, int) else ctypes.c_char_p(argument)
