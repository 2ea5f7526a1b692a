"""The command ``quiz`` as an instructor types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click.testing
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("pypandoc")

from exam.terminal.cli import COMMANDS, cli
from exam.variants import read_variants
from tests.support import ROOT


def quiz(*arguments: str) -> click.testing.Result:
    return click.testing.CliRunner().invoke(cli, ["--course", str(ROOT), *arguments])


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom exam.terminal.cli import cli\n"
        "try: cli(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'pydantic', 'yaml', 'jinja2', 'pypandoc', 'typst', 'pytest', 'hypothesis'}\n"
        "sys.exit(1 if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and all(f"  {name} " in done.stdout for name in COMMANDS)


def test_an_unknown_lesson_or_item_is_a_usage_error_with_the_nearest() -> None:
    told = quiz("compile", "lesson99", "--out", "x.json")
    assert told.exit_code == 2 and "99" in told.output
    told = quiz("show", "l07-padd")
    assert told.exit_code == 2 and "is it l07-padding?" in told.output
    assert "Ids look like l07-state-bytes" in quiz("show", "padding").output


def test_compile_writes_variants(tmp_path: Path) -> None:
    out = tmp_path / "quiz.json"
    told = quiz("compile", "lesson7", "--draws", "2", "--out", str(out))
    found = read_variants(out)
    assert told.exit_code == 0 and told.output == f"{out}: {len(found.variants)} variants of {len(found.slots)} items\n"
    assert {variant.pool.value for variant in found.variants} == {"practice"}


def test_show_prints_the_question_and_what_students_do_not_see() -> None:
    told = quiz("show", "l07-padding", "--seed", "3").output
    assert told.startswith("l07-padding · draw 3") and "  key " in told and "  source " in told and "  mistake " in told


def test_show_and_proof_write_pages(tmp_path: Path) -> None:
    assert quiz("show", "l07-padding", "--html", str(tmp_path / "one.html")).exit_code == 0
    told = quiz("proof", "lesson7", "--draws", "2", "--out", str(tmp_path / "all.html"))
    assert told.exit_code == 0 and "findings of the lint" in told.output
    for name in ("one.html", "all.html"):
        text = (tmp_path / name).read_text("utf-8")
        assert (
            'id="l07-padding"' in text and 'class="key"' in text and "http" not in text.replace("http://www.w3.org", "")
        )


def test_html_writes_one_page(tmp_path: Path) -> None:
    told = quiz("html", "lesson6", "--variants", "2", "--out", str(tmp_path / "quiz.html"))
    assert told.exit_code == 0 and (tmp_path / "quiz.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_an_export_lists_what_is_lost_and_writes_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "quiz.xml"
    told = quiz("export", "lesson6", "--to", "moodle-xml", "--variants", "2", "--out", str(out))
    assert told.exit_code == 0 and out.read_bytes().startswith(b"<?xml") and f"{out}: " in told.output


def test_what_is_refused_stops_an_export_unless_loss_is_allowed(tmp_path: Path) -> None:
    out = tmp_path / "quiz.tar.gz"
    told = quiz("export", "lesson7", "--to", "olx", "--out", str(out))
    assert told.exit_code == 1 and not out.exists()
    assert "refused: l07-" in told.output and "Nothing is written, because olx refuses some items" in told.output
    told = quiz("export", "lesson7", "--to", "olx", "--allow-loss", "--out", str(out))
    assert told.exit_code == 0 and out.exists() and " of 19 items" in told.output


def test_targets_is_a_table_for_people_and_for_machines() -> None:
    told = quiz("targets").output
    assert "moodle-xml  Moodle, question bank\n" in told and "refused: Open edX has no problem of this type" in told
    rows = json.loads(quiz("targets", "--json").output)
    assert {row["level"] for row in rows} == {"exact", "degraded", "refused"}
    assert all(row["why"] for row in rows if row["level"] != "exact")


def test_lint_and_stress_exit_with_their_verdict() -> None:
    assert quiz("lint", "lesson7").output.endswith("07_zero_fsdp: clean; 37 items\n")
    told = quiz("stress", "lesson7", "--draws", "60")
    assert told.exit_code == 0 and told.output.startswith("07_zero_fsdp: clean; 37 items, 14 of them fixed")
