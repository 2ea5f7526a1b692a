"""``grade edition student``: what students get, by allow-list."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("edition", epilog="Example: grade edition student --out ai480.zip")
@click.argument("kind", type=click.Choice(["student"]))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new folder, or a .zip file.")
@click.option("--lesson", "names", multiple=True, help="A lesson to include; all by default.")
@click.pass_obj
def command(course_folder: Path | None, kind: str, out: Path, names: tuple[str, ...]) -> None:
    """Write the students' edition: stubs, handouts, public checks, the grader; no solutions. For authors."""
    from grader.authors.edition import student_edition, write_edition
    from grader.course import Course
    from grader.judge.launch import launcher
    from grader.judge.limits import Limits
    from grader.terminal.output import Progress

    del kind  # there is one
    course = Course.find(explicit=course_folder)
    lessons = [course.lesson(name) for name in names] or course.lessons()
    workers = launcher(Limits())
    progress = Progress("fingerprints of")
    try:
        files = student_edition(course, lessons, workers, progress)
    finally:
        progress.done()
        workers.close()
    write_edition(files, out)
    click.echo(f"{out}: {len(files)} files, lessons {', '.join(str(lesson.number) for lesson in lessons)}")
