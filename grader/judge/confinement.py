"""How workers are guarded: the levels, which of them this machine has, and how a zygote is started for each."""

from __future__ import annotations

import enum
import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UserError

WORKER_FOLDER = Path(__file__).parents[1] / "worker"
SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")


class Level(enum.StrEnum):
    """How strongly workers are confined, weakest first."""

    PROCESS = "process"
    UID = "uid"
    LANDLOCK = "landlock"
    BUBBLEWRAP = "bubblewrap"

    @property
    def strength(self) -> int:
        """Its place in the order."""
        return list(Level).index(self)


STRONGEST_FIRST = tuple(reversed(Level))


class ConfinementUnavailable(UserError):
    """A level that was demanded and can't be had."""


@dataclass(frozen=True)
class Facts:
    """What there is to say of a level.

    Attributes:
        what: What it consists of.
        stops: What it stops beyond the weaker ones.
        how: How to get it.
    """

    what: str
    stops: str
    how: str


FACTS = {
    Level.PROCESS: Facts(
        "a separate process with limits on CPU, memory and output",
        "reading expected values or checks from memory, forging results, skipping checks, taking the judge down",
        "always there",
    ),
    Level.UID: Facts(
        "a user of its own, an empty root folder, and a seccomp filter",
        "opening or listing any file, the network, starting processes, signalling or tracing others",
        "run as root (in a container); needs seccomp on x86-64 or aarch64",
    ),
    Level.LANDLOCK: Facts(
        "Landlock and a seccomp filter, and a user of its own when root",
        "the same, twice over, and without root",
        "Linux 5.13 or later with Landlock enabled (look for it in /sys/kernel/security/lsm)",
    ),
    Level.BUBBLEWRAP: Facts(
        "namespaces of its own for files, processes, network and users, and the seccomp filter inside",
        "the same, and neither the course nor any home folder is even there",
        "install bubblewrap (apt-get install bubblewrap); user namespaces must be allowed",
    ),
}


def candidates(at_least: Level) -> list[Level]:
    """The levels that are worth trying here, strongest first; whether one works is found by trying."""
    possible = {
        Level.PROCESS: True,
        Level.UID: sys.platform.startswith("linux") and os.getuid() == 0,
        Level.LANDLOCK: sys.platform.startswith("linux"),
        Level.BUBBLEWRAP: sys.platform.startswith("linux") and shutil.which("bwrap") is not None,
    }
    return [level for level in STRONGEST_FIRST if possible[level] and level.strength >= at_least.strength]


def unavailable(demanded: Level, tried: dict[Level, str]) -> ConfinementUnavailable:
    """The error for a level that can't be had, with what was tried and the way out."""
    why = "".join(f"; {level.value}: {reason}" for level, reason in tried.items())
    return ConfinementUnavailable(
        f"no confinement of level {demanded.value} or stronger works here{why}",
        f"grade doctor tells what this machine has. For {demanded.value}: {FACTS[demanded].how}.",
    )


def zygote_command(level: Level, control: int, environment: dict[str, str]) -> list[str]:
    """The command that starts a zygote for a level."""
    arguments = ["zygote", str(control)]
    return in_bubblewrap(arguments, environment) if level is Level.BUBBLEWRAP else python_command(arguments)


def python_command(arguments: Sequence[str], numpy_parent: str | None = None) -> list[str]:
    """The base interpreter on the worker's folder, without site packages: numpy alone is added by path."""
    interpreter = getattr(sys, "_base_executable", sys.executable) or sys.executable
    start = [interpreter, "-P", "-s", "-S", "-B", str(WORKER_FOLDER / "__main__.py")]
    return [*start, numpy_parent or str(_numpy_folder().parent), *arguments]


def _numpy_folder() -> Path:
    """Where numpy lies, found without importing it."""
    import importlib.util

    spec = importlib.util.find_spec("numpy")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def in_bubblewrap(arguments: Sequence[str], environment: dict[str, str]) -> list[str]:
    """The command that starts the worker's side in namespaces in which there is nothing but Python and numpy."""
    numpy = _numpy_folder()
    libraries = numpy.parent / "numpy.libs"
    shown = {path: path for path in (*SYSTEM_FOLDERS, *_python_folders(), str(WORKER_FOLDER))}
    shown[str(numpy)] = "/packages/numpy"
    if libraries.exists():
        shown[str(libraries)] = "/packages/numpy.libs"
    command = ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "worker"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    for source, place in shown.items():
        command += ["--ro-bind-try", source, place]
    for hidden in _package_folders():
        command += ["--tmpfs", hidden]
    command += ["--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]
    return [*command, *python_command(arguments, "/packages")]


def _python_folders() -> list[str]:
    """The interpreter, its standard library without site packages, and its shared library."""
    interpreter = Path(getattr(sys, "_base_executable", sys.executable) or sys.executable)
    folders = {str(interpreter), str(interpreter.resolve()), sysconfig.get_path("stdlib"), *_shared_libraries()}
    return sorted(folders)


def _shared_libraries() -> list[str]:
    folder, shared = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    if not folder or not shared or not (Path(folder) / shared).exists():
        return []
    return [str(path) for path in Path(folder).glob("libpython*") if path.is_file()]


def _package_folders() -> list[str]:
    """Folders of installed packages that lie in what is shown; they are covered up."""
    standard = Path(sysconfig.get_path("stdlib"))
    within = [standard / "site-packages", standard / "dist-packages", Path("/usr/lib/python3/dist-packages")]
    return [str(path) for path in within if path.is_dir()]
