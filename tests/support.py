"""What several tests need: the course's content by path, and submissions made of text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.course import Course
from grader.judge.bench import Bench, Source
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.judge.local import load_module
from grader.judge.workers import Launcher

ROOT = Path(__file__).parents[1]
HEADER = "import numpy as np\nfrom grader.student import Comm, FloatArray, exercise, on_ranks\n"


def course() -> Course:
    """The course of this repository."""
    return Course.find(explicit=ROOT)


def load_solution(name: str) -> ModuleType:
    """The reference solution of a lesson, by file name without ``.py``."""
    return load_module(ROOT / "solutions" / f"{name}.py")


@contextmanager
def bench(text: str | bytes, *, pool: bool | None = None, **options: Any) -> Iterator[Bench]:
    """A submission of this text on a bench; options are those of ``Limits``, and ``collectives``."""
    content = (HEADER + text).encode() if isinstance(text, str) else text
    collectives = options.pop("collectives", {})
    limits = Limits(**options)
    workers: Launcher = launcher(limits, pool=pool)
    try:
        ready = Bench(workers, Source("submission.py", content), collectives=collectives, limits=limits)
        try:
            yield ready
        finally:
            ready.renew()
    finally:
        workers.close()
