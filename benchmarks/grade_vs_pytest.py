"""``grade lesson6`` on a right submission against the same checks of the same functions under bare pytest.

    python -m benchmarks.grade_vs_pytest [--runs N] [--json FILE]
    GRADE_BENCHMARK_LESSON=lesson07_zero_fsdp python -m benchmarks.grade_vs_pytest

Both are whole processes, from start to exit, and run every check of lesson 6, public and hidden, and the docstring
examples. Bare pytest calls the solution in its own process, ranks as threads (``benchmarks/bare.py``); ``grade``
starts workers, lets nothing but data cross, and routes every message. Measured for the exercises without ranks, for
those on ranks (of up to 8), and for the whole lesson.

Goals: within 1.25 times bare pytest without ranks, within 2.5 times with ranks.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.lessons import GRADE, NAME, make_course, rank_exercises, solution
from benchmarks.measure import Case, Report, process

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.bare", "-p", "no:cacheprovider")
COLLECTED = (
    "-o",
    "python_files=*.py",
    "-o",
    "doctest_optionflags=NORMALIZE_WHITESPACE",
    "--import-mode=importlib",
    "--doctest-modules",
    "--rootdir",
    ".",
)


def cases(root: Path) -> list[Case]:
    """``grade`` and pytest on the course in ``root``."""
    pytest = (*PYTEST, *COLLECTED, "solutions", "checks/public", "checks/hidden")
    return [
        Case("pytest", lambda: process(pytest, root)),
        Case("grade", lambda: process((*GRADE, NAME), root), "pytest"),
    ]


def main() -> None:
    """Measure and show."""
    report = Report(str(__doc__))
    on_ranks = rank_exercises()
    kinds = {
        "without ranks": (lambda exercise: exercise not in on_ranks, 1.25),
        "on ranks": (lambda exercise: exercise in on_ranks, 2.5),
        "the whole lesson": (lambda exercise: True, 0.0),
    }
    for title, (wanted, goal) in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            pair = cases(make_course(Path(folder) / "course", solution(), wanted))
            pair[1].goal = goal
            report.measure(f"{NAME}, {title}", pair)
    report.close()


if __name__ == "__main__":
    main()
