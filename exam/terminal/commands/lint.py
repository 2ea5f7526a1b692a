"""``quiz lint``: flaws in items and in the bank."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from exam.terminal.options import LESSONS, PRIVATE
from grader.terminal.output import write


@click.command("lint", epilog="Example: quiz lint lesson7")
@LESSONS
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
@PRIVATE
@click.pass_obj
def command(
    course_folder: Path | None, names: tuple[str, ...], strict: bool, as_json: bool, private: Path | None
) -> None:
    """Look for what helps who knows nothing, or hinders who knows: in each item, and in the bank as a whole.

    Among others: right options that are longer, negative questions, stems that give another item's answer away,
    outcomes without items; and bots that know only tricks, which must score at chance. Exits with 1 on errors.
    """
    from exam.terminal.course import banked_lessons, maker_of, require_bank

    require_bank()
    from exam.bank.lint import Severity, lint

    bad = 0
    told = []
    for lesson in banked_lessons(course_folder, names, private):
        maker = maker_of(lesson)
        found = lint(maker)
        told += [{"lesson": lesson.name, **vars(each)} for each in found]
        errors = sum(each.severity is Severity.ERROR for each in found)
        bad += len(found) if strict else errors
        if as_json:
            continue
        for each in found:
            place = maker.bank.lines.get(each.item, lesson.name)
            write(f"{place}: {each.severity}: {each.item + ': ' if each.item else ''}{each.text} [{each.rule}]")
        verdict = f"{errors} errors, {len(found) - errors} warnings" if found else "clean"
        write(f"{lesson.name}: {verdict}; {len(maker.bank.items)} items")
    if as_json:
        write(json.dumps(told, ensure_ascii=False, indent=1))
    sys.exit(1 if bad else 0)
