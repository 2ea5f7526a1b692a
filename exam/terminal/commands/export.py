"""``quiz export``: a lesson's quiz for a platform, or as a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exam.terminal.options import LESSON, OUT, POOL, PRIVATE, SECRET
from grader.terminal.output import write

if TYPE_CHECKING:
    from exam.render.paper import Size


@click.command("export", epilog="Example: quiz export lesson7 --to moodle-xml --variants 5 --out quiz7.xml")
@LESSON
@click.option("--to", "target_name", metavar="TARGET", required=True, help="quiz targets lists them.")
@click.option(
    "--variants", type=click.IntRange(1, 100), default=1, show_default=True, help="Of each item with numbers."
)
@OUT
@POOL
@click.option("--allow-loss", is_flag=True, help="Write the file though something is refused, without that.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), help="The size of a paper (typst, pdf).  [default: a4]")
@SECRET
@PRIVATE
@click.pass_obj
def command(
    course_folder: Path | None,
    name: str,
    target_name: str,
    variants: int,
    out: Path,
    pool: str,
    allow_loss: bool,
    paper: str | None,
    secret: str,
    private: Path | None,
) -> None:
    """Write a lesson's quiz for Moodle, Canvas, Open edX and others, or as a paper.

    Where the platform can draw, each student gets one of --variants of every item. What the target can't express
    exactly is listed; with what it refuses nothing is written, unless you --allow-loss. The key of a paper is a file
    of its own beside it: quiz7.key.pdf belongs to quiz7.pdf.
    """
    from exam.export.targets import Level, as_paper, expressible, losses, target
    from exam.terminal.course import compiled, lesson_of
    from grader.files import write_bytes

    to = target(target_name)
    printed = as_paper(to)
    if paper and printed is None:
        raise click.UsageError(f"--paper is for what is printed: --to pdf or --to typst, not {target_name}.")
    quiz = compiled(lesson_of(course_folder, name, private), pool, variants, secret)
    lost = losses(to, quiz)
    for loss in lost:
        write(f"{loss.capability.level}: {loss.item}: {loss.capability.why}")
    if any(loss.capability.level is Level.REFUSED for loss in lost) and not allow_loss:
        write(f"Nothing is written, because {target_name} refuses some items; --allow-loss leaves them out.")
        sys.exit(1)
    kept = expressible(to, quiz)
    if printed is None:
        write_bytes(out, to.write(kept))
    else:
        size: Size = "us-letter" if paper == "letter" else "a4"
        key = out.with_suffix(f".key{out.suffix}")
        write_bytes(out, printed.write(kept, size))
        write_bytes(key, printed.key(kept, size))
        write(f"{key}: the key")
    write(f"{out}: {len(kept.slots)} of {len(quiz.slots)} items, {len(kept.variants)} variants")
