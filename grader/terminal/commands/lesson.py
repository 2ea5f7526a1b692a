"""``grade lesson6``: run the checks of a lesson on a submission."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.terminal.commands.overview import tell_what_is_new
from grader.terminal.output import Progress, write

if TYPE_CHECKING:
    from grader.course import Lesson
    from grader.judge.workers import Launcher
    from grader.results import LessonResult

POLL_SECONDS = 0.3
ALL_RIGHT, FELL_SHORT, OUR_FAULT = 0, 1, 3


@click.command("lesson", epilog="Example: grade lesson6 --exercise ring_all_reduce")
@click.argument("name", metavar="LESSON")
@click.option(
    "--submission",
    type=click.Path(path_type=Path),
    help="The file, or a folder or archive that holds it under the lesson's name; the exercises folder by default.",
)
@click.option("--exercise", help="Grade this exercise alone.")
@click.option("--json", "json_to", metavar="FILE|-", help="Write the result as JSON; - for standard output alone.")
@click.option("--format", "format_", type=click.Choice(["gradescope"]), help="A platform's format, for --out.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it, anew after every check.")
@click.option("--watch", is_flag=True, help="Grade again whenever the file is saved, until you press Ctrl-C.")
@click.option(
    "--feedback",
    type=click.Choice(["full", "counterexample", "sentence"]),
    default="full",
    help="How much to say of a failed hidden check.",
)
@click.option(
    "--confine",
    type=click.Choice(["process", "uid", "landlock", "bubblewrap"]),
    default="process",
    help="The weakest confinement of your code that will do; the strongest that works is used (see grade doctor).",
)
@click.option(
    "--private",
    type=click.Path(path_type=Path),
    help="A folder of the course's layout with more hidden checks, which is not in the repository.",
)
@click.pass_obj
def command(
    course_folder: Path | None,
    name: str,
    submission: Path | None,
    exercise: str | None,
    json_to: str | None,
    format_: str | None,
    out: Path | None,
    watch: bool,
    feedback: str,
    confine: str,
    private: Path | None,
) -> None:
    """Run the checks of LESSON: lesson6, 6, 06_collectives and collectives all name the same one."""
    from grader.course import Course

    if (format_ is None) != (out is None):
        raise click.UsageError("--format and --out belong together")
    course = Course.find(explicit=course_folder).with_overlay(private)
    tell_what_is_new(course)
    lesson = course.lesson(name)
    exercise = _exercise(lesson, exercise)
    wanted = Wanted(lesson, submission, exercise, json_to, feedback, format_, out)
    launcher = _launcher(confine)
    try:
        code = _grade(wanted, launcher)
        while watch:
            _wait_for_change(lesson, submission)
            click.clear()
            code = _grade(wanted, launcher)
    except KeyboardInterrupt:
        code = locals().get("code", FELL_SHORT)
    finally:
        launcher.close()
    sys.exit(code)


def _launcher(confine: str) -> Launcher:
    """Started first, so that the worker imports numpy while the judge imports pytest."""
    from grader.judge.confinement import Level
    from grader.judge.launch import launcher
    from grader.judge.limits import Limits

    return launcher(Limits(), at_least=Level(confine))


def _exercise(lesson: Lesson, wanted: str | None) -> str | None:
    """The exercise that is meant.

    Raises:
        UserError: If the lesson has none, or several, that are called so.
    """
    if wanted is None:
        return None
    from grader.errors import UserError
    from grader.manifest import Manifest
    from grader.names import did_you_mean, matching

    names = [each.name for each in Manifest.load(lesson.manifest_path).exercises]
    found = matching(wanted, names)
    if len(found) != 1:
        several = f"{wanted!r} could be any of {', '.join(found)}"
        problem = several if found else f"lesson {lesson.number} has no {wanted!r}"
        hint = f"Its exercises: {', '.join(names)}." if not found else "Write more of the name."
        raise UserError(problem + ("" if found else did_you_mean(wanted, names)), hint)
    return found[0]


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

    lesson: Lesson
    submission: Path | None
    exercise: str | None
    json_to: str | None
    feedback: str
    format_: str | None
    out: Path | None


def _grade(wanted: Wanted, launcher: Launcher) -> int:
    from grader.errors import UserError
    from grader.judge.bench import Source
    from grader.judge.grading import Options, grade, nothing_to_grade
    from grader.results import Feedback
    from grader.saved import save
    from grader.submissions import read_submission

    lesson = wanted.lesson
    keep = _writer(wanted)
    try:
        handed = read_submission(lesson, wanted.submission)
    except UserError as error:
        if keep is not None:  # a platform shows the student this file, not the terminal
            keep(nothing_to_grade(lesson, str(error)))
        raise
    path, source = handed.path, Source(lesson.file_name, handed.content)
    progress = Progress("checking")
    state = lesson.course.state
    options = Options(
        Feedback(wanted.feedback), wanted.exercise, state, progress=progress, so_far=keep, fault=_say_fault
    )
    try:
        result = grade(lesson, source, launcher, options, path=str(path.resolve()))
    finally:
        progress.done()
    if path.resolve() == lesson.stub.resolve():  # another's submission says nothing of this student's progress
        try:
            save(state, result)
        except OSError as error:
            click.echo(f"The result is not saved: {error}", err=True)
    if keep is not None:
        keep(result)
    _report(result, lesson, wanted.json_to)
    return _exit_code(result)


def _say_fault(error: Exception) -> None:
    """Our own error in the diagnosis: the grade stands, the staff should know."""
    click.echo(
        f"The misconceptions could not be compared ({type(error).__name__}: {error}); the points stand.", err=True
    )


def _writer(wanted: Wanted) -> Callable[[LessonResult], None] | None:
    """What writes a result in a platform's format, whole or not at all."""
    out, format_ = wanted.out, wanted.format_
    if out is None or format_ is None:
        return None
    from grader.files import write_text
    from grader.formats import FORMATS

    out.parent.mkdir(parents=True, exist_ok=True)
    return lambda result: write_text(out, json.dumps(FORMATS[format_](result), indent=1) + "\n")


def _report(result: LessonResult, lesson: Lesson, json_to: str | None) -> None:
    from grader.results import write_json
    from grader.terminal.lesson_report import render
    from grader.terminal.style import Style

    if json_to == "-":
        write(json.dumps(result.to_json(), indent=1))
        return
    if json_to is not None:
        write_json(result, Path(json_to))
    write(render(result, Style.of(sys.stdout), after=_next_lesson(lesson)))


def _next_lesson(lesson: Lesson) -> str:
    later = [each for each in lesson.course.lessons() if each.number > lesson.number]
    return f"grade lesson{later[0].number}" if later else ""


def _exit_code(result: LessonResult) -> int:
    from grader.results import Outcome

    if any(exercise.outcome is Outcome.UNGRADED for exercise in result.exercises):
        return OUR_FAULT
    return ALL_RIGHT if result.full_marks else FELL_SHORT


def _wait_for_change(lesson: Lesson, submission: Path | None) -> None:
    from grader.submissions import find_submission

    path = find_submission(lesson, submission)
    seen = path.stat().st_mtime_ns
    while True:
        time.sleep(POLL_SECONDS)
        try:
            if path.stat().st_mtime_ns != seen:
                return
        except OSError:  # an editor replaces the file; it will be back
            continue
