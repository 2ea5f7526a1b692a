"""A seccomp filter that leaves a worker what computing needs: memory, time, threads, and its open socket.

An allow-list. Nothing on it takes a path, starts a process, opens a socket, or reaches another process, so a
confined worker can't open, list or even look at a file. What is not on it fails with EPERM, which student code
sees as a PermissionError at its own line. Pure ctypes; x86-64 and aarch64.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

# Numbers by machine, from the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
_X86_64 = {
    "read": 0,
    "write": 1,
    "close": 3,
    "fstat": 5,
    "poll": 7,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "ioctl": 16,
    "readv": 19,
    "writev": 20,
    "select": 23,
    "sched_yield": 24,
    "mremap": 25,
    "mincore": 27,
    "madvise": 28,
    "dup": 32,
    "nanosleep": 35,
    "getpid": 39,
    "sendto": 44,
    "recvfrom": 45,
    "shutdown": 48,
    "clone": 56,
    "exit": 60,
    "uname": 63,
    "fcntl": 72,
    "gettimeofday": 96,
    "getrlimit": 97,
    "getrusage": 98,
    "sysinfo": 99,
    "times": 100,
    "getuid": 102,
    "getgid": 104,
    "geteuid": 107,
    "getegid": 108,
    "getppid": 110,
    "sigaltstack": 131,
    "sched_getparam": 143,
    "sched_getscheduler": 145,
    "prctl": 157,
    "gettid": 186,
    "time": 201,
    "futex": 202,
    "sched_getaffinity": 204,
    "set_tid_address": 218,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "pselect6": 270,
    "ppoll": 271,
    "set_robust_list": 273,
    "get_robust_list": 274,
    "prlimit64": 302,
    "getrandom": 318,
    "membarrier": 324,
    "rseq": 334,
    "clone3": 435,
}
_AARCH64 = {
    "dup": 23,
    "fcntl": 25,
    "ioctl": 29,
    "close": 57,
    "lseek": 62,
    "read": 63,
    "write": 64,
    "readv": 65,
    "writev": 66,
    "pselect6": 72,
    "ppoll": 73,
    "fstat": 80,
    "exit": 93,
    "exit_group": 94,
    "set_tid_address": 96,
    "futex": 98,
    "set_robust_list": 99,
    "get_robust_list": 100,
    "nanosleep": 101,
    "clock_gettime": 113,
    "clock_getres": 114,
    "clock_nanosleep": 115,
    "sched_getscheduler": 120,
    "sched_getparam": 121,
    "sched_getaffinity": 123,
    "sched_yield": 124,
    "restart_syscall": 128,
    "sigaltstack": 132,
    "rt_sigaction": 134,
    "rt_sigprocmask": 135,
    "rt_sigreturn": 139,
    "times": 153,
    "uname": 160,
    "getrlimit": 163,
    "getrusage": 165,
    "prctl": 167,
    "gettimeofday": 169,
    "getpid": 172,
    "getppid": 173,
    "getuid": 174,
    "geteuid": 175,
    "getgid": 176,
    "getegid": 177,
    "gettid": 178,
    "sysinfo": 179,
    "sendto": 206,
    "recvfrom": 207,
    "shutdown": 210,
    "brk": 214,
    "munmap": 215,
    "mremap": 216,
    "clone": 220,
    "mmap": 222,
    "mprotect": 226,
    "mincore": 232,
    "madvise": 233,
    "prlimit64": 261,
    "getrandom": 278,
    "membarrier": 283,
    "rseq": 293,
    "clone3": 435,
}
_MACHINES = {
    "x86_64": (0xC000003E, _X86_64),  # AUDIT_ARCH_X86_64
    "aarch64": (0xC00000B7, _AARCH64),  # AUDIT_ARCH_AARCH64
}

_X32_BIT = 0x40000000  # another system call table under the same architecture
_CLONE_THREAD = 0x10000
_TERMINAL_QUERIES = (0x5401, 0x5421, 0x5451, 0x541B)  # TCGETS, FIONBIO, FIOCLEX, FIONREAD: none acts on a terminal
_DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD … F_SETFL, F_DUPFD_CLOEXEC; not F_SETOWN, which can signal
_PR_SET_NAME = 15  # what naming a thread does

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET = 0, 4

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


class SeccompUnavailable(OSError):
    """This machine or kernel has no seccomp filter for us."""


def supported() -> bool:
    """Whether there is a table for this machine."""
    return platform.machine() in _MACHINES


def install() -> None:
    """Confine this process and all threads that it will start; can't be undone.

    Raises:
        SeccompUnavailable: If the machine is not known or the kernel refuses.
    """
    filter_ = program(platform.machine())
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(filter_, len(filter_))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(filter_) // 8, ctypes.addressof(code)))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(header), 0, 0
    ):
        raise SeccompUnavailable(ctypes.get_errno(), "the kernel accepts no seccomp filter")


def program(machine: str) -> bytes:
    """The filter for a machine, as the kernel's ``struct sock_filter`` array.

    Raises:
        SeccompUnavailable: If the machine is not known.
    """
    if machine not in _MACHINES:
        raise SeccompUnavailable(errno.ENOSYS, f"no table of system calls for {machine}")
    architecture, numbers = _MACHINES[machine]
    special = _special()
    lines: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL_PROCESS),
    ]
    for name, number in numbers.items():
        block = special.get(name, [(_RETURN, 0, 0, _ALLOW)])
        lines += [(_JUMP_EQUAL, 0, len(block), number), *block]
    lines.append(_refuse(errno.EPERM))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _special() -> dict[str, list[_Instruction]]:
    """System calls of which only some uses are allowed, by their arguments."""
    return {
        "clone": [
            (_LOAD, 0, 0, _argument(0)),
            (_JUMP_SET, 0, 1, _CLONE_THREAD),
            (_RETURN, 0, 0, _ALLOW),
            _refuse(errno.EPERM),
        ],
        "clone3": [_refuse(errno.ENOSYS)],  # its flags are in memory; the C library falls back to clone
        "ioctl": _one_of(1, _TERMINAL_QUERIES),
        "fcntl": _one_of(1, _DESCRIPTOR_COMMANDS),
        "prctl": _one_of(0, (_PR_SET_NAME,)),
        "prlimit64": _one_of(0, (0,)),  # its own limits only; they can't be raised again
    }


def _one_of(argument: int, values: Iterable[int]) -> list[_Instruction]:
    """Allow a call whose argument is one of these, else refuse it."""
    listed = list(values)
    lines: list[_Instruction] = [(_LOAD, 0, 0, _argument(argument))]
    lines += [(_JUMP_EQUAL, len(listed) - index, 0, value) for index, value in enumerate(listed)]
    return [*lines, _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]


def _argument(index: int) -> int:
    """Where the low half of an argument lies in ``struct seccomp_data`` (both machines are little-endian)."""
    return 16 + 8 * index


def _refuse(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)
