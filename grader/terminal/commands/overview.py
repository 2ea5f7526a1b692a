"""``grade`` alone: how far the student is, from what was saved."""

from __future__ import annotations

import sys
from pathlib import Path

from grader.terminal.output import write


def show(course_folder: Path | None) -> None:
    """Print progress over all lessons."""
    from grader.course import Course
    from grader.terminal.progress import progress_rows, render_progress
    from grader.terminal.style import Style

    course = Course.find(explicit=course_folder)
    write(render_progress(progress_rows(course, course.state), Style.of(sys.stdout)))
