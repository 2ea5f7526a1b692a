"""From Enter to the first line on the terminal, and what a fresh worker takes.

    python -m benchmarks.startup [--runs N] [--json FILE]

Each command runs on a terminal of its own; the time is that from its start to the first thing that it shows. Python
that does nothing and ``pytest --help`` are the yardsticks. A fresh worker, forked from the zygote or taken from the
pool, loads a submission and answers one call; its yardstick is a new Python process that imports numpy. CPU is
counted for the whole command, and for the judge alone where workers are started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.lessons import GRADE, make_course, solution
from benchmarks.measure import Case, Report, Sample, calls, environment, process
from grader.judge.bench import Bench, Source
from grader.judge.calls import Call
from grader.judge.confinement import Level, candidates
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.judge.workers import Launcher
from grader.judge.zygote import Zygote

YARDSTICK = "pytest --help"
SUBMISSION = b"import numpy as np\n\ndef add(x, y):\n    return x + y\n"
IMPORTS_NUMPY = (sys.executable, "-c", "import numpy")


def first_line(command: Sequence[str], folder: Path) -> Sample:
    """Run a command on a terminal until it shows something; what follows is read and not timed."""
    ours, theirs = os.openpty()
    began = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = os.read(ours, 1)
    wall = time.perf_counter() - began
    try:
        while os.read(ours, 1 << 16):
            pass
    except OSError:  # how Linux says that nobody writes to a terminal any more
        pass
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    os.close(ours)
    assert shown, f"{command} shows nothing"
    return Sample(wall, usage.ru_utime + usage.ru_stime)


def command_cases(root: Path) -> list[Case]:
    """Commands, from Enter to their first line."""
    python = (sys.executable, "-c", "print()")
    return [
        Case("python that prints a line", lambda: first_line(python, root), YARDSTICK),
        Case(YARDSTICK, lambda: first_line((sys.executable, "-m", "pytest", "--help"), root)),
        Case("grade --help", lambda: first_line((*GRADE, "--help"), root), YARDSTICK),
        Case("grade", lambda: first_line(GRADE, root), YARDSTICK),
        Case("grade lesson6", lambda: first_line((*GRADE, "lesson6"), root), YARDSTICK),
    ]


NEW_PROCESS = "a process that imports numpy"


def fresh_worker(bench: Bench) -> Callable[[], Sample]:
    """Ends the worker of a bench and makes a call of a new one."""

    def act() -> None:
        bench.renew()
        answer = bench.perform(Call("add", (1, 2)))
        assert answer.value == 3, answer

    return lambda: calls(act, 10)


def measure_workers(report: Report) -> None:
    """Fresh workers from a zygote of each level that works here, from the pool, and a new process."""
    limits = Limits()
    zygotes = {level: Zygote(limits, level) for level in candidates(Level.PROCESS)}
    sources: dict[str, Launcher] = {f"from the zygote, {level}": z for level, z in zygotes.items() if not z.probe()}
    sources["from the pool, process"] = launcher(limits, pool=True)
    try:
        source = Source("submission.py", SUBMISSION)
        cases = [Case(NEW_PROCESS, lambda: _child(IMPORTS_NUMPY))]
        for name, one in sources.items():
            cases.append(Case(name, fresh_worker(Bench(one, source, collectives={}, limits=limits)), NEW_PROCESS))
        report.measure("a fresh worker and its first call", cases)
    finally:
        for opened in (*zygotes.values(), sources["from the pool, process"]):
            opened.close()


def _child(command: Sequence[str]) -> Sample:
    began = time.perf_counter()
    subprocess.run(command, check=True, env=environment())
    return Sample(time.perf_counter() - began, 0.0)


def main() -> None:
    """Measure and show."""
    report = Report(str(__doc__))
    with tempfile.TemporaryDirectory() as folder:
        root = make_course(Path(folder) / "course", solution())
        process((*GRADE, "lesson6"), root)  # there is progress to show then
        report.measure("from Enter to the first line", command_cases(root))
    measure_workers(report)
    report.close()


if __name__ == "__main__":
    main()
