"""Messages between ranks, and single calls: through the judge, and without it.

    python -m benchmarks.messages [--runs N] [--json FILE]

A ring all-reduce of 128 float64 for each rank runs on workers, every message routed by the judge, and on threads of
one process, which is the alternative; the time is that of one message. A call of one addition, with two numbers and
with a million float64 there and back, goes to a worker and straight to the function. CPU counts judge and workers.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from benchmarks.measure import Case, Clocks, Report, Sample, calls
from grader.judge.bench import Bench, Source
from grader.judge.calls import Call
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.worker.threads import run_on_threads

SUBMISSION = """
import numpy as np

def add(x, y):
    return x + y

def ring(comm, buffer):
    p, right, left = comm.size, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    chunks = np.array_split(np.array(buffer), p)
    for step in range(p - 1):
        comm.send(chunks[(comm.rank - step) % p], dest=right)
        chunks[(comm.rank - step - 1) % p] += comm.recv(source=left)
    for step in range(p - 1):
        comm.send(chunks[(comm.rank + 1 - step) % p], dest=right)
        chunks[(comm.rank - step) % p] = comm.recv(source=left)
    return np.concatenate(chunks)
"""
RUNS_OF_RANKS = {2: 100, 8: 10, 64: 1}
ELEMENTS = 128


class Subject:
    """The functions, in this process and on a bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.own: dict[str, object] = {}
        exec(SUBMISSION, self.own)

    def call(self, name: str, *arguments: object) -> None:
        """A call in a worker."""
        answer = self.bench.perform(Call(name, arguments))
        assert answer.kind == "returned", answer

    def direct(self, name: str, *arguments: object) -> None:
        """The same call in this process."""
        self.own[name](*arguments)  # type: ignore[operator]

    def ring(self, buffers: Sequence[object]) -> None:
        """A ring of workers."""
        answer = self.bench.perform(Call("ring", per_rank=tuple(buffers)))
        assert answer.kind == "returned", answer

    def threads(self, buffers: Sequence[object]) -> None:
        """A ring of threads."""
        run = run_on_threads(self.own["ring"], buffers)  # type: ignore[arg-type]
        assert not run.errors, run.errors

    def workers(self) -> Clocks:
        """The CPU clocks of the workers."""
        return [link.clock for link in self.bench._links]


@contextmanager
def subject() -> Iterator[Subject]:
    """A bench with the functions above, and its workers' end."""
    limits = Limits()
    workers = launcher(limits)
    try:
        source = Source("submission.py", SUBMISSION.encode())
        yield Subject(Bench(workers, source, collectives={}, limits=limits))
    finally:
        workers.close()


def message_cases(on: Subject, ranks: int) -> list[Case]:
    """The time of one message among so many ranks."""
    buffers = [np.arange(float(ELEMENTS)) + rank for rank in range(ranks)]
    count, messages = RUNS_OF_RANKS[ranks], 2 * ranks * (ranks - 1)

    def through_judge() -> Sample:
        return calls(lambda: on.ring(buffers), count, on.workers).per(messages)

    def threads() -> Sample:
        return calls(lambda: on.threads(buffers), count).per(messages)

    on.ring(buffers)  # starts the workers
    return [
        Case(f"threads, {ranks} ranks", threads),
        Case(f"judge, {ranks} ranks", through_judge, f"threads, {ranks} ranks"),
    ]


def call_cases(on: Subject) -> list[Case]:
    """The time of one call."""
    million = np.ones(10**6)
    return [
        Case("direct, scalars", lambda: calls(lambda: on.direct("add", 1.5, 2.5), 2000)),
        Case("worker, scalars", lambda: calls(lambda: on.call("add", 1.5, 2.5), 500, on.workers), "direct, scalars"),
        Case("direct, a million float64", lambda: calls(lambda: on.direct("add", million, 1.0), 20)),
        Case(
            "worker, a million float64",
            lambda: calls(lambda: on.call("add", million, 1.0), 5, on.workers),
            "direct, a million float64",
        ),
    ]


def main() -> None:
    """Measure and show."""
    report = Report(str(__doc__), runs=7)
    for ranks in RUNS_OF_RANKS:
        with subject() as on:
            cases = message_cases(on, ranks)
            report.measure(f"one message among {ranks} ranks", cases)
            for case in cases:
                rate = 1 / statistics.median(sample.wall for sample in case.samples)
                print(f"  {case.name}: {rate:,.0f} messages a second")
    with subject() as on:
        report.measure("one call", call_cases(on))
    report.close()


if __name__ == "__main__":
    main()
