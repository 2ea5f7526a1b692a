"""``grade run`` and ``grade replay``, as a student calls them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click.testing
import pytest

from grader.terminal.cli import cli
from tests.support import ROOT

STUDENT = ROOT / "examples" / "student" / "lesson06_collectives.py"


def grade(*arguments: str, typed: str = "") -> click.testing.Result:
    return click.testing.CliRunner().invoke(cli, ["--course", str(ROOT), *arguments], input=typed)


def case_of(submission: Path) -> dict[str, str]:
    """The counterexample of the first check of bus_bandwidth that fails."""
    told = grade("lesson6", "--submission", str(submission), "--exercise", "bus_bandwidth", "--json", "-")
    (exercise,) = json.loads(told.stdout)["exercises"]
    found: dict[str, str] = next(check["counterexample"] for check in exercise["checks"] if check["counterexample"])
    return found


@pytest.fixture(scope="module")
def replay() -> str:
    return case_of(STUDENT)["replay"]


def test_the_same_submission_has_the_same_replay_wherever_it_lies(tmp_path: Path, replay: str) -> None:
    copy = tmp_path / STUDENT.name
    shutil.copy(STUDENT, copy)
    assert case_of(copy)["replay"] == replay


def test_a_replay_makes_the_failing_call_again(replay: str) -> None:
    told = grade("replay", replay, "--submission", str(STUDENT))
    assert told.exit_code == 1
    assert "bus_bandwidth('all_reduce', 1000, 0.5, 4)\n  returned Bandwidth(algbw=2000.0, busbw=1500.0)" in told.output
    assert "expected: Bandwidth(algbw=2000.0, busbw=3000.0)" in told.output


def test_a_replay_on_a_file_that_is_right_passes(replay: str) -> None:
    told = grade("replay", replay, "--submission", str(ROOT / "solutions"))
    assert told.exit_code == 0 and told.output.endswith("This case passes now.\n")


def test_who_leaves_the_debugger_has_not_returned_none(replay: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdb.Pdb.interaction", lambda self, *_: self.set_quit())
    told = grade("replay", replay, "--pdb", "--submission", str(STUDENT))
    assert told.exit_code == 1
    assert told.output.endswith("You left the debugger before the call returned.\n") and "None" not in told.output


def test_a_trace_is_short_unless_the_whole_is_wanted() -> None:
    call = ("run", "lesson6", "ring_all_reduce", "--ranks", "6", "--submission", str(ROOT / "solutions"))
    short, whole = grade(*call).output, grade(*call, "--trace").output
    assert "    … and 8 more\n" in short and "rank 5 sent 10 messages, 10 elements\n" in short
    assert short.count("send 1 element to 0") == 0 and whole.count("send 1 element to 0") == 10
    assert whole.endswith("  60 messages, 60 elements, 480 bytes in 10 rounds\n")
