"""``grade doctor``: what this machine has to confine submissions, and how to get more."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING

import click

from grader.terminal.output import write

if TYPE_CHECKING:
    from grader.judge.confinement import Level
    from grader.terminal.style import Style

# Which level a platform's machines can be expected to have; what was not seen is said to be so.
PLATFORMS = (
    ("your own Linux machine", "landlock, or bubblewrap where it is installed"),
    ("macOS and Windows", "process (untested)"),
    ("a container, as root", "uid at least; landlock where the host's kernel has it"),
    ("gVisor, as root", "uid (expected, untested)"),
)


@click.command("doctor", epilog="Example: grade doctor")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(as_json: bool) -> None:
    """Say which confinements of submissions work here, what each stops, and how to get a stronger one."""
    from grader.judge.confinement import FACTS, STRONGEST_FIRST, candidates
    from grader.judge.confinement import Level as Levels
    from grader.judge.limits import Limits
    from grader.judge.zygote import Zygote
    from grader.terminal.style import Style

    worth_trying = candidates(Levels.PROCESS)
    found: dict[Level, str] = {}
    for level in STRONGEST_FIRST:
        if level not in worth_trying:
            found[level] = "not on this machine"
        elif not sys.platform.startswith("linux"):
            found[level] = ""
        else:
            zygote = Zygote(Limits(), level)
            found[level] = zygote.probe()
            zygote.close()
    if as_json:
        write(json.dumps({level.value: {"works": not why, "why": why} for level, why in found.items()}, indent=1))
        return
    style = Style.of(sys.stdout)
    write(f"Python {platform.python_version()} on {platform.system()} {platform.release()}, {platform.machine()}\n")
    for level, why in found.items():
        write(_level(level, why, style))
        if why:
            write("\n".join(style.prose(f"to get it: {FACTS[level].how}", indent=4)))
    write("\nWhat to expect elsewhere")
    for place, expected in PLATFORMS:
        write("\n".join(style.prose(f"{place}: {expected}", indent=2, hanging=2)))


def _level(level: Level, why: str, style: Style) -> str:
    from grader.judge.confinement import FACTS

    mark = style.pick("✗", "x") if why else style.pick("✓", "+")
    head = f"{mark} {level.value}" + (f": {why}" if why else "")
    lines = [style.paint(head, "quiet" if why else "good")]
    lines += style.prose(FACTS[level].what, indent=4)
    lines += style.prose(f"stops {FACTS[level].stops}", indent=4, hanging=2)
    return "\n".join(lines)
