"""``grade bundle gradescope lesson7``: what a platform installs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("bundle", epilog="Example: grade bundle gradescope lesson7 --out lesson7.zip")
@click.argument("platform", type=click.Choice(["gradescope"]))
@click.argument("name", metavar="LESSON")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The zip file to write.")
@click.option(
    "--feedback",
    type=click.Choice(["full", "counterexample", "sentence"]),
    default="counterexample",
    help="How much students see of a failed hidden check.",
)
@click.option("--python", "python_version", default="3.11", help="The platform's Python.")
@click.pass_obj
def command(
    course_folder: Path | None, platform: str, name: str, out: Path, feedback: str, python_version: str
) -> None:
    """Write what PLATFORM installs to grade LESSON: scripts, the lesson, the grader and its wheels. For instructors."""
    from grader.authors.bundle import collect_wheels, gradescope_bundle, write_zip
    from grader.course import Course

    course = Course.find(explicit=course_folder)
    lesson = course.lesson(name)
    files = gradescope_bundle(lesson, feedback=feedback, wheels=collect_wheels(course.root, python_version))
    write_zip(files, out)
    click.echo(f"{out}: lesson {lesson.number} for {platform}, {out.stat().st_size / 1e6:.0f} MB")
