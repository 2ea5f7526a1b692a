"""``quiz targets``: what each target can express."""

from __future__ import annotations

import json

import click

from grader.terminal.output import write


@click.command("targets", epilog="Example: quiz targets --json")
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def command(as_json: bool) -> None:
    """Print what each target expresses exactly, with a loss (and which), or not at all."""
    import sys

    from exam.export.table import rows
    from exam.export.targets import TARGETS
    from grader.terminal.style import Style

    found = rows()
    if as_json:
        write(json.dumps([{"target": name, "kind": kind, "level": c.level, "why": c.why} for name, kind, c in found]))
        return
    style = Style.of(sys.stdout)
    lines: list[str] = []
    for target, (_, what) in TARGETS.items():
        lines += ["", style.paint(f"{target}", "heading") + f"  {what}"]
        mine = [(kind, str(c.level) + (f": {c.why}" if c.why else ""), "") for name, kind, c in found if name == target]
        lines += style.labelled(mine, 2, 2)
    write("\n".join(lines[1:]))
