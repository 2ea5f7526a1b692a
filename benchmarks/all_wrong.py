"""``grade lesson6`` on submissions that are wrong everywhere, diagnosis included, against the right one.

    python -m benchmarks.all_wrong [--runs N] [--json FILE]

In the wrong ones every exercise answers in time, with a value that is wrong in a plausible way: by its first known
misconception, by its second, or by one that nobody has written down (what the solution returns, a little off), for
which every misconception of the exercise has to be compared. All run every check, search the smallest failing case,
make it again in a fresh worker, and look for misconceptions.

Goal: within 3 times the right one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.lessons import GRADE, LESSON, make_course, solution
from benchmarks.measure import ROOT, Case, Report, process
from grader.judge.bench import Source
from grader.judge.misconceptions import apply, load_misconceptions

FELL_SHORT = 1
A_LITTLE_OFF = """

import functools as _functools


def _off(value):
    if isinstance(value, tuple):
        return type(value)._make(map(_off, value)) if hasattr(value, "_fields") else tuple(map(_off, value))
    if isinstance(value, list):
        return [*map(_off, value[:-1]), *map(_off, value[-1:])]
    return value + 1 if isinstance(value, int) else value * 1.001 + 1e-3 if value is not None else value


def _wrong(function):
    @_functools.wraps(function)
    def wrong(*positional, **keywords):
        return _off(function(*positional, **keywords))

    return wrong


for _name, _value in list(globals().items()):
    if hasattr(_value, "__exercise__"):
        globals()[_name] = _wrong(_value)
"""


def by_misconception(which: int) -> bytes:
    """The solution with one misconception in each exercise: its first (0), its second (1) ..."""
    by_exercise: dict[str, list[int]] = {}
    known = load_misconceptions(ROOT / "misconceptions" / f"{LESSON}.py")
    for index, one in enumerate(known):
        by_exercise.setdefault(one.of, []).append(index)
    source = Source(f"{LESSON}.py", solution())
    for indices in by_exercise.values():
        source = apply(known[indices[which]], source)
    return source.content


def main() -> None:
    """Measure and show."""
    report = Report(str(__doc__))
    submissions = {
        "right": solution(),
        "first misconceptions": by_misconception(0),
        "second misconceptions": by_misconception(1),
        "a little off": solution() + A_LITTLE_OFF.encode(),
    }
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for name, submission in submissions.items():
            root = make_course(Path(folder) / name.replace(" ", "_"), submission)
            case = Case(
                name, lambda root=root, code=FELL_SHORT * (name != "right"): process((*GRADE, "6"), root, status=code)
            )
            if name != "right":
                case.yardstick, case.goal = "right", 3.0
            cases.append(case)
        report.measure("an all-wrong submission of lesson 6", cases)
    report.close()


if __name__ == "__main__":
    main()
