"""What the benchmarks share: timing of processes and of calls, interleaved runs, and a table of medians.

The cases of a benchmark take turns, so that whatever else the machine does falls on all of them alike. CPU time is
that of a process with all its children, from wait4(2); those that it leaves behind are adopted and counted too.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PR_SET_CHILD_SUBREAPER = 36


class Sample(NamedTuple):
    """Seconds that one measurement took.

    Attributes:
        wall: On the clock.
        cpu: Of the processors, children included.
        others: How many processors other programs kept busy meanwhile; 0 where the system does not tell.
    """

    wall: float
    cpu: float
    others: float = 0.0

    def per(self, count: int) -> Sample:
        """The share of one of ``count`` equal parts."""
        return Sample(self.wall / count, self.cpu / count, self.others)


@dataclass
class Case:
    """One thing to measure.

    Attributes:
        name: What the table calls it.
        measure: Does it once and says how long it took.
        yardstick: The name of the case that it is compared with; "" where it is compared with none.
        goal: The largest ratio of wall time to the yardstick that is good enough; 0 where there is none.
        samples: What was measured.
    """

    name: str
    measure: Callable[[], Sample]
    yardstick: str = ""
    goal: float = 0.0
    samples: list[Sample] = field(default_factory=list)

    @property
    def wall(self) -> float:
        """The median of the wall times."""
        return statistics.median(sample.wall for sample in self.samples)

    @property
    def cpu(self) -> float:
        """The median of the CPU times."""
        return statistics.median(sample.cpu for sample in self.samples)

    @property
    def walls(self) -> tuple[float, float]:
        """The least and the largest wall time."""
        return min(self.samples).wall, max(self.samples).wall


def environment() -> dict[str, str]:
    """What measured processes see: as a user's machine, bytecode caches included."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS", "FORCE_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH", ""))))
    return {**kept, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def process(command: Sequence[str], folder: Path, *, status: int = 0) -> Sample:
    """Run a command from its start to its exit.

    Raises:
        RuntimeError: If it ends with another status, since what was measured is then something else.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryFile() as said:
        busy, began = _busy(), time.perf_counter()
        child = subprocess.Popen(
            command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
        _, ended, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        cpu = usage.ru_utime + usage.ru_stime + _cpu_of_orphans()
        busy = _busy() - busy
        child.returncode = os.waitstatus_to_exitcode(ended)
        if child.returncode != status:
            said.seek(0)
            text = said.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}, not {status}:\n{text}")
    return _sample(wall, cpu, busy)


def _cpu_of_orphans() -> float:
    """CPU time of the processes that a measured one has left behind, once they have ended."""
    cpu = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return cpu
        cpu += usage.ru_utime + usage.ru_stime


Clocks = Sequence[Callable[[], float | None]]  # of workers, whose process numbers may be their own


def calls(act: Callable[[], object], count: int, workers: Callable[[], Clocks] = tuple) -> Sample:
    """Seconds of one of ``count`` calls in this process; ``workers`` gives the clocks of those that work for it."""
    busy, cpu, began = _busy(), _cpu(workers()), time.perf_counter()
    for _ in range(count):
        act()
    wall = time.perf_counter() - began
    return _sample(wall, _cpu(workers()) - cpu, _busy() - busy).per(count)


def _cpu(clocks: Clocks) -> float:
    return time.process_time() + sum(clock() or 0.0 for clock in clocks)


def _busy() -> float:
    """Seconds that the processors have worked since the machine started, together."""
    try:
        user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    except (OSError, ValueError):
        return 0.0
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def _sample(wall: float, cpu: float, busy: float) -> Sample:
    return Sample(wall, cpu, max(0.0, busy - cpu) / wall)


def interleave(cases: Sequence[Case], runs: int) -> None:
    """Measure every case ``runs`` times in turn, each turn beginning with another, after one turn that warms up."""
    for case in cases:
        case.measure()
    for run in range(runs):
        at = run % len(cases)
        for case in (*cases[at:], *cases[:at]):
            case.samples.append(case.measure())


# --- showing ---


def show(title: str, cases: Sequence[Case]) -> None:
    """Print a table of medians, the spread of the wall times, and ratios to the yardsticks."""
    by_name = {case.name: case for case in cases}
    unit, scale = _unit(min(case.wall for case in cases))
    rows = [("", f"wall {unit}", "least", "largest", f"CPU {unit}", "wall ratio", "CPU ratio", "goal")]
    for case in cases:
        numbers = [f"{value * scale:.4g}" for value in (case.wall, *case.walls, case.cpu)]
        ratios = ["", ""]
        if case.yardstick:
            other = by_name[case.yardstick]
            ratios = [f"{case.wall / other.wall:.2f}", f"{case.cpu / max(other.cpu, 1e-9):.2f}"]
        rows.append((case.name, *numbers, *ratios, f"{case.goal:g}" if case.goal else ""))
    print(f"\n{title}")
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print(
            "  " + row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        )


def _unit(seconds: float) -> tuple[str, float]:
    """A unit in which a time of this size reads well, and how many of it a second has."""
    return ("s", 1.0) if seconds > 0.5 else ("ms", 1e3) if seconds > 0.5e-3 else ("µs", 1e6)


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": len(os.sched_getaffinity(0)),
        "load": [round(part, 2) for part in os.getloadavg()],
    }


class Report:
    """The tables of one benchmark, on the terminal and, with ``--json``, in a file."""

    def __init__(self, description: str, *, runs: int = 5) -> None:
        """Read the command line; ``runs`` is the default of ``--runs``."""
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--runs", type=int, default=runs, help=f"turns of each case (default {runs})")
        parser.add_argument("--json", type=Path, help="write the samples to this file")
        self._arguments = parser.parse_args()
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._before = machine()

    def measure(self, title: str, cases: Sequence[Case]) -> None:
        """Measure cases in turn and show them."""
        interleave(cases, self._arguments.runs)
        show(title, cases)
        sys.stdout.flush()
        self._tables[title] = [
            {"name": case.name, "yardstick": case.yardstick, "goal": case.goal, "samples": case.samples}
            for case in cases
        ]

    def close(self) -> None:
        """Say what the machine was doing, and write the file that was asked for."""
        after = machine()
        others = statistics.median(
            sample.others for cases in self._tables.values() for case in cases for sample in case["samples"]
        )
        print(
            f"\n{self._arguments.runs} runs in turn, medians. Python {after['python']}, {after['cores']} cores, "
            f"of which other programs kept {others:.1f} busy; load {after['load'][0]}."
        )
        if self._arguments.json is not None:
            document = {"before": self._before, "after": after, "tables": self._tables}
            self._arguments.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
