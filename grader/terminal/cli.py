"""The command ``grade``: finds the command or the lesson that was meant, and turns errors into exit codes.

Exit codes: 0 all right, 1 the submission falls short, 2 usage, 3 our fault.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from grader import __version__
from grader.errors import UserError
from grader.terminal.commands import doctor, hint, lesson, overview, replay, run

USAGE, OUR_FAULT = 2, 3


class LessonsAndCommands(click.Group):
    """A group in which a word that is no command is a lesson: ``grade lesson6`` is ``grade lesson lesson6``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, or the one that grades a lesson."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            return "lesson", lesson.command, args
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the person at the keyboard can put right is said in two lines."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise _Mistake(str(error)) from error


class _Mistake(click.ClickException):
    """What the person at the keyboard can put right."""

    exit_code = USAGE


@click.group(
    cls=LessonsAndCommands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: grade lesson6 --exercise ring_all_reduce",
)
@click.option("--course", type=click.Path(path_type=Path), help="The course folder; found from here upward by default.")
@click.version_option(__version__, prog_name="grade")
@click.pass_context
def cli(ctx: click.Context, course: Path | None) -> None:
    r"""Grade your exercises and learn from what it says.

    \b
    grade            how far you are, and what to do next
    grade lesson6    run the checks of a lesson (also: grade 6, grade collectives)
    """
    ctx.obj = course
    if ctx.invoked_subcommand is None:
        overview.show(course)


for _module in (lesson, hint, run, replay, doctor):
    cli.add_command(_module.command)
if importlib.util.find_spec("grader.authors") is not None:  # a student's edition has no authors' commands
    from grader.authors.commands import COMMANDS

    for _command in COMMANDS:
        cli.add_command(_command)


def main() -> None:
    """Run the command; an error of our own ends with its traceback and a code of its own."""
    try:
        cli.main(prog_name="grade", standalone_mode=True)
    except Exception:
        traceback.print_exc()
        click.echo("\nThis is a mistake of the grader's, not yours. Please pass the text above on.", err=True)
        sys.exit(OUR_FAULT)
