"""``quiz show``: one item with drawn numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from exam.terminal.options import PRIVATE, SECRET
from grader.terminal.output import write


@click.command("show", epilog="Example: quiz show l07-state-bytes --seed 3")
@click.argument("item", metavar="ITEM")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which draw of its parameters.")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write it as a page instead.")
@SECRET
@PRIVATE
@click.pass_obj
def command(
    course_folder: Path | None, item: str, seed: int, page: Path | None, secret: str, private: Path | None
) -> None:
    """Show one item as a student gets it, with its key, its mistakes and its explanation below."""
    from exam.render.proof import proof
    from exam.render.terminal import shown
    from exam.terminal.course import item_of
    from exam.variants import VariantSet
    from grader.files import write_text
    from grader.terminal.style import Style

    maker, found = item_of(course_folder, item, private, secret)
    variant = maker.variant(found, seed)
    if page is None:
        write("\n".join(shown(variant, Style.of(sys.stdout))))
        return
    lesson = maker.subject.lesson
    write_text(page, proof(VariantSet(lesson.name, maker.bank.title, maker.bank.sha256, (variant,)), []))
    write(f"{page} written")
