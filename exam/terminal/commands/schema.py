"""``quiz schema``: the JSON Schemas of the bank and of variants."""

from __future__ import annotations

import sys

import click

from grader.terminal.output import write


@click.command("schema", epilog="Example: quiz schema --check")
@click.option("--check", is_flag=True, help="Only say whether the files in the repository are current.")
def command(check: bool) -> None:
    """Write the JSON Schemas of the bank and of variants beside their models.

    With the bank's, editors complete and check YAML. With --check, exits with 1 if one is not current.
    """
    from exam.terminal.course import require_bank
    from grader.files import write_text

    require_bank()
    from exam.bank.schema import schemas

    stale = 0
    for path, text in schemas().items():
        current = path.exists() and path.read_text("utf-8") == text
        stale += not current
        if current or check:
            write(f"{path.name} is current" if current else f"{path.name} is not current: run quiz schema")
        else:
            write_text(path, text)
            write(f"{path.name} written")
    sys.exit(1 if stale and check else 0)
