"""What README.md shows is what happens: its commands run, and its transcripts are those of real runs.

The transcripts are written anew with UPDATE_GOLDEN=1 set. A replay's id belongs to the run that printed it, so
transcripts are compared without ids.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

import exam.terminal.cli
from grader.manifest import Manifest
from grader.terminal.cli import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
CONTENT = ("exercises", "solutions", "checks", "misconceptions", "quizzes", "examples")
TRANSCRIPT = re.compile(r"(?:<!-- exit code (?P<code>\d) -->\n)?```console\n\$ (?P<command>.+)\n(?P<shown>[^`]*?)```\n")
SHELL_LINES = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.S)
    for line in block.splitlines()
]
PROGRAMS = {"grade": "grader", "quiz": "exam"}
GROUPS = {"grade": cli, "quiz": exam.terminal.cli.cli}
SET_UP = [line for line in SHELL_LINES if not line.startswith(tuple(PROGRAMS))]
TYPED_LINES = [line for line in SHELL_LINES if line.startswith(tuple(PROGRAMS))]
REPLAY = re.compile(r"(?<=grade replay )[0-9a-f]{4,}")
NOT_THE_TREE = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist")
FAILING = "grade lesson6 --submission examples/student --exercise ring_all_reduce"


@dataclass
class Reader:
    """Somebody who types commands in a copy of the course folder.

    Attributes:
        folder: The course folder.
        case: The id of a replay that was printed last.
    """

    folder: Path
    case: str = "none-yet"

    def meant(self, command: str) -> str:
        """The command with the id that was printed last, where it has an id."""
        return REPLAY.sub(self.case, command)

    def types(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command line that begins with ``grade`` or ``quiz``."""
        first, *arguments = shlex.split(self.meant(command))
        done = subprocess.run(
            [sys.executable, "-m", PROGRAMS[first], *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
            input="continue\n",
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
        if printed := REPLAY.findall(done.stdout):
            self.case = printed[-1]
        return done


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    for name in CONTENT:
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    return Reader(tmp_path)


def shown(output: str) -> str:
    """A command's output as the README shows it: no spaces at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


def without_ids(output: str) -> str:
    return REPLAY.sub("an id", output)


def examples(command: click.Command) -> list[str]:
    """The example lines at the end of a command's help."""
    _, _, epilog = (command.epilog or "").partition("Example")
    return [line for part in epilog.splitlines() if (line := part.lstrip("s: \b").partition("  ")[0])]


OF_HELP = [example for command in (cli, *cli.commands.values()) for example in examples(command)]
COMMANDS = list(dict.fromkeys([*TYPED_LINES, *OF_HELP]))
RUN_ELSEWHERE = ("grade prove", "grade edition", "grade bundle")  # minutes each; CI and tests of their own run them


def kept_transcripts() -> Iterator[re.Match[str]]:
    return TRANSCRIPT.finditer(TEXT)


@pytest.mark.sweep
def test_transcripts_are_what_happens(reader: Reader) -> None:
    text = TEXT
    for kept in kept_transcripts():
        command = reader.meant(kept["command"])
        done = reader.types(command)
        assert done.returncode == int(kept["code"] or 0), command + done.stderr
        if os.environ.get("UPDATE_GOLDEN"):
            text = text.replace(f"$ {kept['command']}\n{kept['shown']}", f"$ {command}\n{shown(done.stdout)}")
        else:
            assert without_ids(shown(done.stdout)) == without_ids(kept["shown"]), "UPDATE_GOLDEN=1 writes them anew"
    if without_ids(text) != without_ids(TEXT):
        README.write_text(text, encoding="utf-8")


def test_the_sample_has_two_mistakes_and_both_are_named() -> None:
    failing, passing = [kept["shown"] for kept in kept_transcripts() if "lesson6 --sub" in kept["command"]]
    assert failing.count("This behaves like ") == 2
    assert len(re.findall(r"^  \w+ +✗", failing, re.M)) == 2
    assert "every exercise passes" in passing


@pytest.mark.sweep
@pytest.mark.parametrize("line", [line for line in COMMANDS if not line.startswith(RUN_ELSEWHERE)])
def test_commands_run(reader: Reader, line: str) -> None:
    """Each ends with 0 or 1: neither a misunderstanding (2) nor our fault (3)."""
    if "replay" in line:
        reader.types(FAILING)
    done = reader.types(line)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_understood(line: str) -> None:
    program, *words = shlex.split(line)
    group = GROUPS[program]
    with click.Context(group) as context:
        if words:
            name, command, arguments = group.resolve_command(context, words)
            assert command is not None
            command.make_context(name, arguments, parent=context)


@pytest.mark.parametrize("name", sorted({*exam.terminal.cli.COMMANDS} - {"schema"}))  # which is for CONTRIBUTING
def test_every_quiz_command_is_documented_and_has_an_example(name: str) -> None:
    command = GROUPS["quiz"].get_command(click.Context(cli), name)
    assert command is not None
    for lines in (TYPED_LINES, examples(command)):
        assert any(line.startswith(f"quiz {name}") for line in lines)


@pytest.mark.parametrize("name", cli.commands)
def test_every_command_is_documented_and_has_an_example(name: str) -> None:
    typed = "grade lesson6" if name == "lesson" else f"grade {name}"
    assert any(line.startswith(typed) for line in TYPED_LINES)
    assert any(line.startswith(typed) for line in examples(cli.commands[name]))


def test_every_option_is_that_of_a_command() -> None:
    """An option that the README names exists: a renamed one leaves no trace here."""
    quiz = [GROUPS["quiz"].get_command(click.Context(cli), name) for name in exam.terminal.cli.COMMANDS]
    commands = [*GROUPS.values(), *cli.commands.values(), *(each for each in quiz if each is not None)]
    known = {option for each in commands for one in each.params for option in one.opts}
    named = set(re.findall(r"(?<=[ `])--[a-z]+", TEXT))
    assert named <= known | {"--help"}


def test_the_lessons_that_exist_are_listed() -> None:
    manifests = [Manifest.load(path) for path in sorted((ROOT / "checks").glob("*.json"))]
    known = [
        (str(int(each.lesson[:2])), each.title, str(len(each.exercises)), _items(each.lesson)) for each in manifests
    ]
    assert re.findall(r"^\| (\d+) \| ([^|]+) \| (\d+) \| (\d*) \|$", TEXT, re.M) == known


def _items(lesson: str) -> str:
    path = ROOT / "quizzes" / f"lesson{lesson}.yaml"
    return str(len(re.findall(r"^  - id: ", path.read_text("utf-8"), re.M))) if path.exists() else ""


def test_every_file_that_is_named_is_there() -> None:
    named = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT) + re.findall(r"^\| `([a-z]\w*(?:/\w+)*/)`", TEXT, re.M)
    assert {"LICENSE", "checks/"} <= set(named)
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a Unix shell")
@pytest.mark.parametrize("line", SET_UP, ids=["sample", "tests", "instructor"][: len(SET_UP)])
def test_a_fresh_copy_is_set_up_by_one_command(tmp_path: Path, line: str) -> None:
    """The tests themselves run elsewhere: here it is enough that the suite is found."""
    tree = shutil.copytree(ROOT, tmp_path / "tree", ignore=NOT_THE_TREE)
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    kept["PATH"] = os.pathsep.join([str(Path(sys.base_prefix, "bin")), kept["PATH"]])
    line = line.replace("pytest -q", "pytest -q --collect-only")
    done = subprocess.run(line, shell=True, cwd=tree, env=kept, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    if "examples/student" in line:
        assert done.stdout.endswith("next: bus_bandwidth\nexit code 1\n")
    else:
        assert "test_readme.py" in done.stdout
