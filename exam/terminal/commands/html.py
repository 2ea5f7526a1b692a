"""``quiz html``: a lesson's quiz as one page."""

from __future__ import annotations

from pathlib import Path

import click

from exam.terminal.options import LESSON, OUT, PRIVATE
from grader.terminal.output import write


@click.command("html", epilog="Example: quiz html lesson7 --out quiz7.html")
@LESSON
@OUT
@click.option("--variants", type=click.IntRange(1, 100), default=10, show_default=True, help="Of each item.")
@PRIVATE
@click.pass_obj
def command(course_folder: Path | None, name: str, out: Path, variants: int, private: Path | None) -> None:
    """Write a lesson's practice quiz as one page that works without a network, on a phone too.

    It tells at once what is right and why, and offers new numbers. The keys are in it: for practice alone.
    """
    from exam.render.page import page
    from exam.terminal.course import compiled, hints_of, lesson_of
    from grader.files import write_text

    lesson = lesson_of(course_folder, name, private)
    quiz = compiled(lesson, "practice", variants)
    write_text(out, page(quiz, hints=hints_of(lesson)))
    write(f"{out}: {len(quiz.slots)} questions, {len(quiz.variants)} variants, {out.stat().st_size / 1000:.0f} kB")
