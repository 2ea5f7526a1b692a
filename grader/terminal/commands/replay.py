"""``grade replay 3f2a``: make the very call again that a check failed on."""

from __future__ import annotations

import pdb
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.terminal.output import write

if TYPE_CHECKING:
    from grader.course import Lesson
    from grader.judge.calls import Performer
    from grader.judge.proxies import Proxy


class _Quit(BaseException):
    """The person at the keyboard left the debugger."""


@click.command("replay", epilog="Example: grade replay 3f2a --pdb")
@click.argument("case", metavar="ID")
@click.option("--pdb", "debugger", is_flag=True, help="Step through your function in a debugger.")
@click.option("--rank", type=click.IntRange(0, 63), default=0, help="The rank to debug; the others run along.")
@click.option("--trace", is_flag=True, help="Show what each rank sent and received.")
@click.option("--submission", type=click.Path(path_type=Path), help="Another file than the one that was graded.")
@click.pass_obj
def command(
    course_folder: Path | None, case: str, debugger: bool, rank: int, trace: bool, submission: Path | None
) -> None:
    """Repeat the failing case ID on the file as it is now: the call, what it prints, what comes back."""
    from grader.course import Course
    from grader.judge.checks import Search
    from grader.judge.failures import CheckFailed, Unfinished
    from grader.judge.lookup import body_of, find_check
    from grader.judge.proxies import Proxy
    from grader.judge.replays import find
    from grader.manifest import Manifest
    from grader.submissions import find_submission
    from grader.terminal.commands.run import Shown, _performer

    course = Course.find(explicit=course_folder)
    replay = find(course.state, case)
    lesson = course.lesson(replay.lesson)
    path = find_submission(lesson, submission or Path(replay.submission))
    performer: Performer
    close: Callable[[], object]
    if debugger:
        performer, close = _debugged(path, rank), int
    else:
        performer, close = _performer(lesson, Manifest.load(lesson.manifest_path), path, threads=False)
    body = body_of(find_check(lesson, replay.exercise, replay.check, replay.visibility))
    student = Proxy(Shown(performer, trace=trace))
    try:
        Search().example(body, {**_fixtures(lesson, body, student), **replay.arguments})
    except (CheckFailed, Unfinished) as failed:
        _say_failure(failed.failure if isinstance(failed, Unfinished) else failed)
        sys.exit(1)
    except _Quit:
        write("You left the debugger before the call returned.")
        sys.exit(1)
    finally:
        close()
    write("This case passes now.")


def _fixtures(lesson: Lesson, body: Callable[..., Any], student: Proxy) -> dict[str, Any]:
    """The fixtures that a check asks for."""
    import inspect

    from grader.judge.local import Local, load_module
    from grader.judge.proxies import Proxy

    wanted = inspect.signature(body).parameters
    fixtures = {"student": student} if "student" in wanted else {}
    if "reference" in wanted:
        fixtures["reference"] = Proxy(Local(load_module(lesson.solution)))
    return fixtures


def _debugged(path: Path, rank: int) -> Performer:
    """The submission in this process; the function of one rank runs under pdb."""
    from grader.judge.local import Local, load_module

    def under_pdb(function: Callable[..., Any], at: int | None) -> Callable[..., Any]:
        if at not in (None, rank):
            return function

        def stepped(*positional: Any, **keywords: Any) -> Any:
            debugger = pdb.Pdb()
            result = debugger.runcall(function, *positional, **keywords)
            if debugger.quitting:  # pdb makes None of what did not return
                raise _Quit
            return result

        return stepped

    return Local(load_module(path, path.stem), around=under_pdb)


def _say_failure(failure: Any) -> None:
    from grader.terminal.style import Style

    style = Style.of(sys.stdout)
    lines = ["", f"{failure.what or 'got'}: {failure.returned}"]
    lines += [f"expected: {failure.expected}"] if failure.expected else []
    lines += failure.message.splitlines()
    write("\n".join(style.safe(line) for line in lines))
