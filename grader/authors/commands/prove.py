"""``grade prove``: solution, checks and misconceptions of a lesson hold each other up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.terminal.output import Progress, write

if TYPE_CHECKING:
    from grader.authors.prove import Proof


@click.command("prove", epilog="Example: grade prove lesson6 --matrix")
@click.argument("names", metavar="[LESSON]...", nargs=-1)
@click.option("--exercise", "exercises", multiple=True, help="Only this exercise's misconceptions; may be repeated.")
@click.option("--update", is_flag=True, help="Write manifest and stub anew where they are not current.")
@click.option("--matrix", is_flag=True, help="Print which check catches which misconception.")
@click.option(
    "--private",
    type=click.Path(path_type=Path),
    help="A folder of the course's layout with more hidden checks, which is not in the repository.",
)
@click.pass_obj
def command(
    course_folder: Path | None,
    names: tuple[str, ...],
    exercises: tuple[str, ...],
    update: bool,
    matrix: bool,
    private: Path | None,
) -> None:
    """Prove lessons (all by default): solution, checks and misconceptions hold each other up. For authors."""
    from grader.authors.prove import prove
    from grader.course import Course
    from grader.judge.launch import launcher
    from grader.judge.limits import Limits

    course = Course.find(explicit=course_folder).with_overlay(private)
    lessons = [course.lesson(name) for name in names] or [each for each in course.lessons() if each.solution.exists()]
    workers = launcher(Limits())
    gaps = 0
    try:
        for lesson in lessons:
            progress = Progress(f"lesson {lesson.number}:")
            proof = prove(lesson, workers, update=update, only=exercises, say=progress)
            progress.done()
            if matrix:
                write(_matrix(proof))
            write(_summary(proof))
            gaps += len(proof.gaps)
    finally:
        workers.close()
    sys.exit(1 if gaps else 0)


def _summary(proof: Proof) -> str:
    lines = [f"  gap: {gap}" for gap in proof.gaps]
    caught = sum(bool(checks) for checks in proof.matrix.values())
    public = sum(any(label.endswith("(public)") for label in checks) for checks in proof.matrix.values())
    count = sum(len(labels) for labels in proof.checks.values())
    facts = f"{count} checks catch {caught} of {len(proof.matrix)} misconceptions, public ones {public}"
    verdict = f"{len(proof.gaps)} gaps" if proof.gaps else "clean"
    return "\n".join([*lines, f"{proof.lesson}: {verdict}; {facts}"])


def _matrix(proof: Proof) -> str:
    """For each exercise, its checks as columns and its misconceptions as rows."""
    lines = []
    for exercise, labels in proof.checks.items():
        lines.append(exercise)
        lines += [f"  {chr(ord('A') + column)}  {label}" for column, label in enumerate(labels)]
        for one in proof.known:
            if one.of == exercise:
                caught = proof.matrix[one.name]
                marks = "".join(chr(ord("A") + c) if label in caught else "." for c, label in enumerate(labels))
                lines.append(f"    {marks}  {one.name}")
    return "\n".join(lines)
