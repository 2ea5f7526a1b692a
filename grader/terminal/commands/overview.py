"""``grade`` alone: how far the student is, from what was saved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.terminal.output import write

if TYPE_CHECKING:
    from grader.course import Course


def tell_what_is_new(course: Course) -> None:
    """In a student's edition: put stubs where students edit them, and say what a newer edition changed."""
    if course.originals.is_dir():
        from grader.starting import begin

        for line in begin(course):
            click.echo(line, err=True)


def show(course_folder: Path | None) -> None:
    """Print progress over all lessons."""
    from grader.course import Course
    from grader.terminal.progress import progress_rows, render_progress
    from grader.terminal.style import Style

    course = Course.find(explicit=course_folder)
    tell_what_is_new(course)
    write(render_progress(progress_rows(course, course.state), Style.of(sys.stdout)))
