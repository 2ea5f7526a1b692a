"""Grading submissions of the small lesson: warm in this process, or through the command line in one of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.course import Lesson
from grader.judge.bench import Source
from grader.judge.confinement import Level
from grader.judge.grading import Options, grade
from grader.judge.launch import Strongest, launcher
from grader.judge.limits import Limits
from grader.judge.workers import Launcher
from grader.results import CheckResult, ExerciseResult, Feedback, LessonResult, Outcome
from grader.worker.confine import UIDS
from tests.support import ROOT
from tests.traps.small_course import FILE_NAME, SOLUTION

CAP_SECONDS = 240.0  # for one grading on a machine that does other things too; most take one

# How a submission gets at the worker that runs it.
TOOLS = """

import ctypes, gc, os, random, signal, sys, threading, time, unittest


def _worker():
    frame = sys._getframe()
    while frame:
        if type(frame.f_locals.get("self")).__name__ == "Worker":
            return frame.f_locals["self"]
        frame = frame.f_back
    return next(each for each in gc.get_objects() if type(each).__name__ == "Worker")


def _raw(data):
    _worker().channel._socket.sendall(data)


def _instead(data):
    channel = _worker().channel
    def once(own, post=channel.post):
        channel.post = post
        post(data)
    channel.post = once


def _frame(value, **envelope):
    from grader.worker import wire
    return wire.pack({"id": _worker().request["id"], **envelope}, value)


def _header(text, size=0, buffers=b""):
    header = text.replace("ID", _worker().request["id"]).encode()
    return len(header).to_bytes(4, "little") + size.to_bytes(8, "little") + header + buffers
"""


@dataclass(frozen=True)
class Trap:
    """A wrong or hostile way to write one exercise.

    Attributes:
        name: What it does, as a test's name.
        of: The exercise.
        code: What stands in the file after the solution and ``TOOLS``.
        earns: The checks that it passes all the same, for what it does right.
        outcome: What becomes of the exercise.
        says: What a public check tells the student, in part.
        quick: Whether it is graded with low limits, so that what never ends ends soon.
    """

    name: str
    of: str
    code: str
    earns: tuple[str, ...] = ()
    outcome: Outcome = Outcome.CRASHED
    says: str = ""
    quick: bool = False


@dataclass
class Grader:
    """A warm launcher and the lesson that it grades."""

    lesson: Lesson
    launcher: Launcher
    seconds: dict[str, float] = field(default_factory=dict)

    def graded(
        self, submission: str | bytes, *, feedback: Feedback = Feedback.FULL, only: str | None = None
    ) -> LessonResult:
        """The result of a submission; fails if it took too long, or left a process behind."""
        content = submission.encode() if isinstance(submission, str) else submission
        began = time.monotonic()
        result = grade(self.lesson, Source(FILE_NAME, content), self.launcher, Options(feedback, only))
        assert time.monotonic() - began < CAP_SECONDS
        assert not workers_of(self.launcher), "a worker is left"
        return result


@contextmanager
def grader_at(lesson: Lesson, level: Level | None = None) -> Iterator[Grader]:
    """A grader at one level of confinement, or at the strongest that works."""
    limits = Limits()
    workers = launcher(limits) if level is None else Strongest(limits, [level], level)
    before = files_at(lesson)
    try:
        yield Grader(lesson, workers)
    finally:
        workers.close()
    assert workers._zygote._process.returncode is not None  # type: ignore[attr-defined]
    if workers.level is not Level.PROCESS:  # which promises nothing about files
        assert files_at(lesson) == before, "a file has changed"


def files_at(lesson: Lesson) -> dict[str, tuple[int, int]]:
    """Size and time of what a submission might change or leave: the course, and what is its own where all may write."""
    found = [
        path
        for path in lesson.course.root.rglob("*")
        if "__pycache__" not in path.parts and "replays" not in path.parts
    ]
    for shared in ("/tmp", "/var/tmp", "/dev/shm"):
        with contextlib.suppress(OSError):
            found += [path for path in Path(shared).iterdir() if path.lstat().st_uid in UIDS]
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in found}


def workers_of(workers: Launcher) -> list[int]:
    """The processes below a launcher's zygote."""
    zygotes = _offspring([workers._zygote._process.pid])  # type: ignore[attr-defined]
    return [pid for pid in zygotes if b"zygote" in _read(f"/proc/{pid}/cmdline") and _parent_is_zygote(pid)]


def _offspring(pids: Sequence[int]) -> list[int]:
    """All processes below these."""
    parents: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        stat = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
        if len(stat) > 1 and stat[0] != b"Z":
            parents.setdefault(int(stat[1]), []).append(int(name))
    found, left = [], list(pids)
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def _parent_is_zygote(pid: int) -> bool:
    """A worker's parent is a python that runs the zygote, not the bubblewrap around it or the judge."""
    parent = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1:2]
    words = _read(f"/proc/{int(parent[0])}/cmdline").split(b"\0") if parent else [b""]
    return b"python" in words[0] and b"zygote" in words


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def batches(traps: Iterable[Trap]) -> list[list[Trap]]:
    """The traps in as few groups as have no exercise twice; those with low limits apart."""
    groups: list[list[Trap]] = []
    for trap in traps:
        for group in groups:
            if group[0].quick == trap.quick and trap.of not in {other.of for other in group}:
                group.append(trap)
                break
        else:
            groups.append([trap])
    return groups


def exercise(result: LessonResult, name: str) -> ExerciseResult:
    """One exercise of a result."""
    return next(each for each in result.exercises if each.name == name)


def passed(result: ExerciseResult) -> set[str]:
    """The checks that an exercise passes."""
    return {check.name for check in result.checks if check.outcome is Outcome.PASSED}


def told(result: ExerciseResult, visibility: str = "public") -> str:
    """All that its student reads of checks of one kind."""
    return "\n".join(_told(check) for check in result.checks if check.visibility == visibility)


def _told(check: CheckResult) -> str:
    case = check.counterexample
    shown = [case.call, case.what, case.returned, case.expected or ""] if case else []
    return "\n".join([check.name, *shown, check.message, check.stdout])


def with_solution(code: str) -> str:
    """The solution with other definitions after it."""
    return SOLUTION + TOOLS + code


def command_line(
    arguments: Sequence[str], folder: Path, *, module: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """``grade`` in a process of its own, from a folder."""
    command = [sys.executable, "-m", "grader"] if module else [sys.executable, "-P", "-m", "grader"]
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=CAP_SECONDS,
        check=False,
    )


def result_of(run: subprocess.CompletedProcess[str]) -> LessonResult:
    """The result that ``--json -`` printed."""
    data: Any = json.loads(run.stdout)
    return LessonResult.from_json(data)
