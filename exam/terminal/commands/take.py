"""``quiz take lesson7``: a lesson's quiz in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from exam.take.quiz import Quiz
    from grader.course import Lesson

NOT_FINISHED = 1


@click.command("take", epilog="Example: quiz take lesson7")
@click.argument("name", metavar="LESSON")
@click.option("--item", metavar="ID", default="", help="Ask this item alone, also if it is answered already.")
@click.option("--draw", type=click.IntRange(0), default=0, show_default=True, help="Other numbers: another draw.")
@click.option("--restart", is_flag=True, help="Forget the earlier answers to what is asked.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON; questions go to standard error.")
@click.pass_context
def command(ctx: click.Context, name: str, item: str, draw: int, restart: bool, as_json: bool) -> None:
    """Take the quiz of LESSON: the items for practice, each answer explained at once.

    Answers are saved as you go, and the quiz goes on where you left it. Type the letters of options ("b", or
    "a c" for several), "1b 2a" to match, "c a b" to put in order; numbers may have their unit behind them.

    The exit code is 0 once every question is answered, otherwise 1.
    """
    from exam.take.progress import Progress
    from exam.take.quiz import quiz_state
    from exam.take.screen import ending
    from exam.take.session import Session, standard_terminal
    from grader.course import Course

    course_folder: Path | None = ctx.obj
    lesson = Course.find(explicit=course_folder).lesson(name)
    quiz = _quiz(lesson, draw)
    progress = Progress.load(quiz_state(lesson.course, lesson), quiz.bank, draw)
    quiz = quiz.only(item) if item else quiz
    if restart:
        progress.forget([variant.code for variant in quiz.variants])
    terminal = standard_terminal(json=as_json)
    review = Session(quiz, progress, terminal, again=bool(item)).run()
    if as_json:
        click.echo(json.dumps(review.to_json(), ensure_ascii=False, indent=1))
    else:
        options = (f" --draw {draw}" if draw else "") + (f" --item {item}" if item else "")
        terminal.write(ending(review, f"quiz take {name}{options}", terminal.style))
    if not review.finished:
        ctx.exit(NOT_FINISHED)


def _quiz(lesson: Lesson, draw: int) -> Quiz:
    """The lesson's compiled quiz, or one that is made from its bank."""
    from exam.take.quiz import from_bank, from_file, require_a_quiz

    require_a_quiz(lesson)
    found = from_file(lesson, draw)
    if found is None:
        from exam.terminal.course import maker_of

        found = from_bank(lesson, maker_of(lesson), draw)
    return found
