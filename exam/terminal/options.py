"""Options that several subcommands have."""

from __future__ import annotations

from pathlib import Path

import click

PRIVATE = click.option(
    "--private",
    type=click.Path(path_type=Path),
    help="A folder of the course's layout with more items, which is not in the repository.",
)
SECRET = click.option(
    "--secret", default="", envvar="QUIZ_SECRET", help="What draws depend on, so that nobody foresees them."
)
LESSON = click.argument("name", metavar="LESSON")
LESSONS = click.argument("names", metavar="[LESSON]...", nargs=-1)
OUT = click.option("--out", type=click.Path(path_type=Path), required=True, help="The file to write.")


POOLS = click.Choice(["practice", "exam", "all"])
POOL = click.option("--pool", type=POOLS, default="practice", show_default=True, help="Which items.")
