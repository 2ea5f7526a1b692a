"""``grade hint ring_all_reduce``: one step of help more each time."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.terminal.output import write


@click.command("hint", epilog="Example: grade hint ring_all_reduce")
@click.argument("exercise")
@click.option("--lesson", "lesson_name", help="The lesson, where exercises of two lessons could be meant.")
@click.option("--all", "everything", is_flag=True, help="Every hint at once.")
@click.option("--restart", is_flag=True, help="Begin again with the first.")
@click.pass_obj
def command(
    course_folder: Path | None, exercise: str, lesson_name: str | None, everything: bool, restart: bool
) -> None:
    """One hint for EXERCISE, and one step more each time you ask."""
    from grader.course import Course
    from grader.handout import all_hints, hints_of, next_hint
    from grader.terminal.style import Style

    course = Course.find(explicit=course_folder)
    lesson, name, hints = hints_of(course, exercise, course.lesson(lesson_name) if lesson_name else None)
    style = Style.of(sys.stdout)
    if everything:
        shown = all_hints(course.state, lesson.name, name, hints)
    else:
        shown = [next_hint(course.state, lesson.name, name, hints, restart=restart)]
    for hint in shown:
        write(style.paint(f"{name}, hint {hint.number} of {hint.total}", "heading"))
        write("\n".join(f"  {line}" for line in style.prose(hint.text)))
    if shown[-1].is_last:
        write(f"\nThat was the last one; the handout has them all: {lesson.handout_path.name}")
