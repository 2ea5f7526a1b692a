"""``grade run``: one function on sample or given input, with its results and its trace."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.terminal.output import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.course import Lesson
    from grader.judge.calls import Answer, Call, Performer
    from grader.judge.proxies import Proxy
    from grader.manifest import Manifest

SAMPLE_LENGTH = 6


@click.command(
    "run",
    epilog="""\b
Examples:
  grade run lesson6 ring_all_reduce --ranks 4
  grade run lesson6 "on_ranks(ring_all_reduce, [[1, 2], [3, 4]], average=True)"
  grade run lesson6 ring_all_reduce --ranks 2 --threads    (breakpoint() works)""",
)
@click.argument("name", metavar="LESSON")
@click.argument("what", metavar="EXERCISE|CALL")
@click.option("--ranks", type=click.IntRange(1, 64), help="Run on this many ranks, with a sample buffer on each.")
@click.option("--threads", is_flag=True, help="Ranks as threads of one process, for breakpoint() and print().")
@click.option("--rendezvous", is_flag=True, help="A send waits for its receive: finds deadlocks that buffers hide.")
@click.option("--trace", is_flag=True, help="Show all that every rank did; the first ranks' first steps otherwise.")
@click.option("--submission", type=click.Path(path_type=Path), help="The file, or the folder that holds it.")
@click.pass_obj
def command(
    course_folder: Path | None,
    name: str,
    what: str,
    ranks: int | None,
    threads: bool,
    rendezvous: bool,
    trace: bool,
    submission: Path | None,
) -> None:
    """Call a function of yours: its docstring example, a sample on --ranks, or the call that you write."""
    from grader.course import Course
    from grader.manifest import Manifest
    from grader.submissions import find_submission

    lesson = Course.find(explicit=course_folder).lesson(name)
    manifest = Manifest.load(lesson.manifest_path)
    path = find_submission(lesson, submission)
    performer, close = _performer(lesson, manifest, path, threads)
    shown = Shown(performer, rendezvous, whole=trace)
    try:
        _call(manifest, what, ranks, shown)
    finally:
        close()
    sys.exit(0 if shown.all_returned else 1)


def _performer(lesson: Lesson, manifest: Manifest, path: Path, threads: bool) -> tuple[Performer, Callable[[], object]]:
    """What makes the calls: this process with ``threads``, else workers as in grading."""
    from grader.judge.bench import Bench, Source
    from grader.judge.launch import launcher
    from grader.judge.limits import Limits
    from grader.judge.local import Local, load_module

    if threads:
        return Local(load_module(path, path.stem)), lambda: None
    workers = launcher(Limits())
    collectives = {exercise.name: exercise.collectives for exercise in manifest.exercises}
    source = Source(lesson.file_name, path.read_bytes())
    bench = Bench(workers, source, collectives=collectives, limits=Limits())

    def close() -> None:
        bench.renew()
        workers.close()

    return bench, close


class Shown:
    """A performer that prints every call and what became of it."""

    def __init__(
        self, performer: Performer, rendezvous: bool = False, *, trace: bool = True, whole: bool = False
    ) -> None:
        """Show the calls that ``performer`` makes, with a ``trace`` of what ranks did, or the ``whole`` of it."""
        from grader.terminal.style import Style

        self._performer, self._rendezvous, self._trace, self._whole = performer, rendezvous, trace, whole
        self._style = Style.of(sys.stdout)
        self.all_returned = True

    def perform(self, call: Call) -> Answer:
        """Make the call and print it."""
        import dataclasses

        from grader.terminal.calls_shown import describe

        if self._rendezvous and call.per_rank is not None:
            call = dataclasses.replace(call, rendezvous=True)
        answer = self._performer.perform(call)
        self.all_returned = self.all_returned and answer.kind == "returned"
        write(describe(call, answer, self._style, trace=self._trace, whole=self._whole))
        return answer


def _call(manifest: Manifest, what: str, ranks: int | None, shown: Shown) -> None:
    from grader.judge.examples import namespace
    from grader.judge.failures import CheckFailed, Unfinished
    from grader.judge.proxies import Proxy

    student = Proxy(shown)
    names = [exercise.name for exercise in manifest.exercises]
    try:
        if "(" in what:
            _evaluate(what, namespace(student, names))
        elif ranks is not None:
            _sample(student, _named(what, names), ranks)
        else:
            known = namespace(student, names)  # one for all lines: an example may name a value for the next
            for example in manifest.exercise(_named(what, names)).examples:
                _evaluate(example.source, known)
    except (CheckFailed, Unfinished):  # printed already, as what became of the call
        return


def _named(wanted: str, names: list[str]) -> str:
    from grader.errors import UserError
    from grader.names import did_you_mean, matching

    found = matching(wanted, names)
    if len(found) == 1:
        return found[0]
    raise UserError(f"no exercise {wanted!r}{did_you_mean(wanted, names)}", f"There are {', '.join(names)}.")


def _evaluate(source: str, names: dict[str, Any]) -> None:
    """Run what the person at this keyboard wrote, or the course's own example."""
    from grader.errors import UserError
    from grader.judge.failures import CheckFailed

    try:
        exec(source, names)
    except CheckFailed:
        raise
    except Exception as error:
        raise UserError(f"{source!r}: {type(error).__name__}: {error}", "Write a call, as in the docstring.") from error


def _sample(student: Proxy, name: str, ranks: int) -> None:
    import numpy as np

    buffers = [np.arange(1.0, SAMPLE_LENGTH + 1) + 10 * rank for rank in range(ranks)]
    getattr(student, name).on_ranks(buffers)
