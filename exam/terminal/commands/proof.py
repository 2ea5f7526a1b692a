"""``quiz proof``: a page for authors."""

from __future__ import annotations

from pathlib import Path

import click

from exam.terminal.options import LESSON, OUT, PRIVATE, SECRET
from grader.terminal.output import write


@click.command("proof", epilog="Example: quiz proof lesson7 --out proof7.html")
@LESSON
@OUT
@click.option("--draws", type=click.IntRange(1, 50), default=3, show_default=True, help="Variants of each item.")
@SECRET
@PRIVATE
@click.pass_obj
def command(course_folder: Path | None, name: str, out: Path, draws: int, secret: str, private: Path | None) -> None:
    """Write a page for authors: every item in several variants, with key, feedback and what the lint says."""
    from exam.terminal.course import compiled, lesson_of, maker_of, require_bank

    require_bank()
    from exam.bank.lint import lint
    from exam.render.proof import proof
    from grader.files import write_text

    lesson = lesson_of(course_folder, name, private)
    quiz = compiled(lesson, "all", draws, secret)
    findings = [(each.item, f"{each.severity}: {each.text} [{each.rule}]") for each in lint(maker_of(lesson))]
    write_text(out, proof(quiz, findings))
    write(f"{out}: {len(quiz.slots)} items, {len(quiz.variants)} variants, {len(findings)} findings of the lint")
