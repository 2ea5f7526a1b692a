"""``quiz schema``: the bank's JSON Schema, for editors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from grader.terminal.output import write


@click.command("schema", epilog="Example: quiz schema --check")
@click.option("--check", is_flag=True, help="Only say whether the file in the repository is current.")
def command(check: bool) -> None:
    """Write the JSON Schema of the bank beside its model; editors complete and check YAML with it."""
    import exam
    from exam.bank.model import BankFile
    from grader.files import write_text

    path = Path(exam.__file__).with_name("bank.schema.json")
    text = json.dumps({"$id": path.name, **BankFile.model_json_schema()}, indent=2, ensure_ascii=False) + "\n"
    current = path.exists() and path.read_text("utf-8") == text
    if not check:
        write_text(path, text)
    write(f"{path.name} is current" if current else f"{path.name} is not current" if check else f"{path} written")
    sys.exit(0 if current or not check else 1)
