"""``quiz stress``: thousands of draws of every item."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from exam.terminal.options import LESSONS, PRIVATE
from grader.terminal.output import Progress, write


@click.command("stress", epilog="Example: quiz stress lesson7 --draws 500")
@LESSONS
@click.option("--draws", type=click.IntRange(1), default=5000, show_default=True, help="Draws of each item.")
@PRIVATE
@click.pass_obj
def command(course_folder: Path | None, names: tuple[str, ...], draws: int, private: Path | None) -> None:
    """Draw thousands of variants of each item (of all lessons by default) and check every one.

    Options differ once they are rounded, exactly one is right, mistakes keep two tolerances away from the key, the
    key is graded as right, nothing of a template is left over. Exits with 1 if anything is wrong.
    """
    from exam.terminal.course import banked_lessons, maker_of, require_bank

    require_bank()
    from exam.bank.stress import stress

    wrong = 0
    for lesson in banked_lessons(course_folder, names, private):
        maker, progress = maker_of(lesson), Progress(f"lesson {lesson.number}:")
        found = [stress(maker, item, draws, progress) for item in maker.bank.items]
        progress.done()
        problems = [problem for each in found for problem in each.problems]
        fixed = sum(each.draws == 1 for each in found)
        drawn = sum(each.draws for each in found)
        verdict = f"{len(problems)} problems" if problems else "clean"
        write(
            "\n".join(
                [*problems, f"{lesson.name}: {verdict}; {len(found)} items, {fixed} of them fixed, {drawn} draws"]
            )
        )
        wrong += len(problems)
    sys.exit(1 if wrong else 0)
