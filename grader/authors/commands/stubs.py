"""``grade stubs``: generate the stubs from the solutions."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("stubs", epilog="Example: grade stubs --check")
@click.argument("names", metavar="[LESSON]...", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a stub is not current.")
@click.pass_obj
def command(course_folder: Path | None, names: tuple[str, ...], check: bool) -> None:
    """Write the stubs of lessons (all by default) from their solutions. For authors."""
    from grader.authors.stubs import write_stubs
    from grader.course import Course

    course = Course.find(explicit=course_folder)
    lessons = [course.lesson(name) for name in names] or [each for each in course.lessons() if each.solution.exists()]
    changed = write_stubs(course, lessons, check=check)
    for path in changed:
        click.echo(f"{path.relative_to(course.root)} {'is not current' if check else 'written'}")
    if not changed:
        click.echo("Every stub is current.")
    sys.exit(1 if check and changed else 0)
