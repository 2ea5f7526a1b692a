"""The command ``quiz``: subcommands are loaded when they are called, so that help answers at once.

Exit codes: 0 all right, 1 something falls short (lint, stress, a quiz that was not finished), 2 usage, 3 our fault.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from grader import __version__
from grader.errors import UserError

USAGE, OUR_FAULT = 2, 3

COMMANDS = {
    "take": "Take a lesson's quiz in the terminal.",
    "html": "Write a lesson's quiz as one page that works without a network.",
    "export": "Write a lesson's quiz for Moodle, Canvas, Open edX and others, or as a paper.",
    "targets": "What each target of export can express.",
    "show": "Show one item with drawn numbers.",
    "proof": "Write a page for authors: every item, variants, keys, feedback and lint.",
    "compile": "Draw variants of a lesson's items and write them as JSON.",
    "lint": "Look for flaws in items and in the bank.",
    "stress": "Draw thousands of variants of each item and check every one.",
    "schema": "Write the JSON Schema of the bank for editors.",
}


class _Mistake(click.ClickException):
    """What the person at the keyboard can put right."""

    exit_code = USAGE


class Commands(click.Group):
    """Subcommands by name; a module is imported when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands of this installation, in the order of use."""
        return [name for name in COMMANDS if _there(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load a command."""
        if cmd_name not in COMMANDS or not _there(cmd_name):
            return None
        module = importlib.import_module(_module(cmd_name))
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, without loading anything."""
        if rows := [(name, COMMANDS[name]) for name in self.list_commands(ctx)]:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the person at the keyboard can put right is said in two lines."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise _Mistake(str(error)) from error


def _module(name: str) -> str:
    return f"exam.terminal.commands.{name}"


def _there(name: str) -> bool:
    """Whether this installation has the command: a student's edition lacks those for authors."""
    return importlib.util.find_spec(_module(name)) is not None


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: quiz take lesson7",
)
@click.option("--course", type=click.Path(path_type=Path), help="The course folder; found from here upward by default.")
@click.version_option(__version__, prog_name="quiz")
@click.pass_context
def cli(ctx: click.Context, course: Path | None) -> None:
    """Take lesson quizzes; and, for instructors, compile, check and export the bank."""
    ctx.obj = course


def main() -> None:
    """Run the command; an error of our own ends with its traceback and a code of its own."""
    try:
        cli.main(prog_name="quiz", standalone_mode=True)
    except Exception:
        traceback.print_exc()
        click.echo("\nThis is a mistake of the program's, not yours. Please pass the text above on.", err=True)
        sys.exit(OUR_FAULT)
