"""``quiz compile``: items become variants."""

from __future__ import annotations

from pathlib import Path

import click

from exam.terminal.options import LESSON, OUT, POOL, PRIVATE, SECRET
from grader.terminal.output import write


@click.command("compile", epilog="Example: quiz compile lesson7 --draws 5 --out quiz7.json")
@LESSON
@OUT
@click.option("--draws", type=click.IntRange(1, 1000), default=1, show_default=True, help="Variants of each item.")
@POOL
@SECRET
@PRIVATE
@click.pass_obj
def command(
    course_folder: Path | None, name: str, out: Path, draws: int, pool: str, secret: str, private: Path | None
) -> None:
    """Draw variants of a lesson's items and write them as JSON, from which everything else is made.

    The keys are in it.
    """
    from exam.terminal.course import compiled, lesson_of
    from exam.variants import write_variants

    variants = compiled(lesson_of(course_folder, name, private), pool, draws, secret)
    write_variants(out, variants)
    write(f"{out}: {len(variants.variants)} variants of {len(variants.slots)} items")
