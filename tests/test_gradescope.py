"""Gradescope's result file, rule by rule, and its bundle, run as the platform would run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.authors.bundle import collect_wheels, gradescope_bundle, write_zip
from grader.formats import FORMATS
from grader.formats.gradescope import gradescope
from grader.results import Feedback, LessonResult, Outcome
from tests.report_samples import all_passed, two_mistakes, untouched_stub
from tests.support import ROOT, course

VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}
TEXT_FORMATS = {"text", "simple_format", "html", "md", "ansi"}
TOP = {
    *("score", "execution_time", "output", "output_format", "test_output_format", "test_name_format"),
    *("visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"),
}
TEST = {
    *("score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags"),
    *("visibility", "extra_data"),
}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def assert_accepted(data: dict[str, Any]) -> None:
    """Gradescope's rules for a result file, each an assertion."""
    assert set(data) <= TOP
    assert is_number(data["score"])
    assert is_number(data["execution_time"])
    assert isinstance(data["output"], str)
    assert {data[name] for name in ("output_format", "test_output_format", "test_name_format")} <= TEXT_FORMATS
    assert data["visibility"] in VISIBILITIES
    assert data["stdout_visibility"] in VISIBILITIES - {"visible"}, "a student must not read our stdout"
    for test in data["tests"]:
        assert set(test) <= TEST
        assert isinstance(test["number"], str)
        assert isinstance(test["name"], str)
        assert isinstance(test["output"], str)
        assert all(isinstance(tag, str) for tag in test["tags"])
        assert test["visibility"] == "visible", "a hidden test would withhold the total score"
        if "score" in test:
            assert is_number(test["score"])
            assert is_number(test["max_score"])
            assert test["status"] == ("passed" if test["score"] == test["max_score"] else "failed")
    scored = [test["score"] for test in data["tests"] if "score" in test]
    assert sum(scored) == pytest.approx(data["score"]) or not data["tests"]
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize(
    "result", [all_passed(), two_mistakes(), untouched_stub()], ids=["passed", "mistakes", "untouched"]
)
def test_results_follow_the_rules(result: LessonResult) -> None:
    assert_accepted(gradescope(result))


def test_the_score_is_the_results_points() -> None:
    result = two_mistakes()
    data = gradescope(result)
    assert data["score"] == result.points
    assert len(data["tests"]) == sum(len(exercise.checks) for exercise in result.exercises)


def test_the_first_failing_check_says_what_the_submission_behaves_like() -> None:
    data = gradescope(two_mistakes())
    told = [test["output"] for test in data["tests"] if "This behaves like" in test["output"]]
    assert len(told) == 2
    assert all(text.startswith("wrong\n") for text in told)


def test_a_check_that_could_not_run_has_no_score_and_costs_nothing() -> None:
    result = all_passed()
    data = result.to_json()
    data["exercises"][0]["checks"][0] |= {"outcome": Outcome.UNGRADED.value, "points": 0.0, "message": "ours"}
    rendered = gradescope(LessonResult.from_json(data))
    assert "score" not in rendered["tests"][0]
    assert "could not be run" in rendered["output"]


def test_control_characters_of_a_submission_are_spelt_out() -> None:
    data = two_mistakes().to_json()
    data["exercises"][0]["checks"][0] |= {"message": "a\x1b[31mred\x00</testcase>"}
    text = json.dumps(gradescope(LessonResult.from_json(data)))
    assert "\\u001b" not in text
    assert "\\\\x1b[31mred\\\\x00" in text


def grade(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "grader",
        "lesson6",
        *words,
        "--format",
        "gradescope",
        "--out",
        str(folder / "results.json"),
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_writes_the_file_and_says_what_it_says_on_the_terminal(tmp_path: Path) -> None:
    done = grade(tmp_path, "--submission", "examples/student", "--exercise", "bus_bandwidth", "--feedback", "sentence")
    data = json.loads((tmp_path / "results.json").read_text())
    assert done.returncode == 1
    assert_accepted(data)
    assert data["extra_data"]["confinement"] in ("process", "uid", "landlock", "bubblewrap")
    hidden = [test["output"] for test in data["tests"] if "hidden" in test["tags"]]
    assert hidden
    assert not any("smallest case" in text or "expected" in text for text in hidden)


def test_a_submission_without_the_lessons_file_gets_a_file_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "lesson6.py").write_text("")
    done = grade(tmp_path, "--submission", str(tmp_path / "handed"))
    data = json.loads((tmp_path / "results.json").read_text())
    assert done.returncode == 2
    assert_accepted(data)
    assert data["score"] == 0
    assert "there is no lesson06_collectives.py" in data["output"]


def test_a_run_that_is_killed_leaves_a_valid_file(tmp_path: Path) -> None:
    """Results are written after every check; what has not run yet has no score."""
    command = [
        sys.executable,
        "-m",
        "grader",
        "lesson6",
        "--submission",
        "solutions",
        "--format",
        "gradescope",
        "--out",
    ]
    out = tmp_path / "results.json"
    with subprocess.Popen(
        [*command, str(out)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while not out.exists() and process.poll() is None:
            pass
        process.kill()
    data = json.loads(out.read_text())
    assert_accepted(data)
    assert any("has not run yet" in test["output"] for test in data["tests"] if "score" not in test)


def test_formats_are_named() -> None:
    assert set(FORMATS) == {"json", "gradescope"}
    assert FORMATS["json"](all_passed())["schema"] == 1
    assert Feedback.COUNTEREXAMPLE == "counterexample"


@pytest.mark.sweep
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="the platform runs its autograder as root")
@pytest.mark.skipif(Path("/autograder").exists(), reason="/autograder is there already")
@pytest.mark.skipif(shutil.which("python3.11") is None, reason="set-up would install Python 3.11")
def test_the_bundle_grades_as_the_platform_runs_it(tmp_path: Path) -> None:
    """Same paths, a fresh environment, the same result file."""
    place = Path("/autograder")
    archive = tmp_path / "bundle.zip"
    lesson = course().lesson("7")
    write_zip(gradescope_bundle(lesson, feedback="counterexample", wheels=collect_wheels(ROOT, "3.11")), archive)
    try:
        for name in ("source", "submission", "results"):
            (place / name).mkdir(parents=True)
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                path = Path(packed.extract(info, place / "source"))
                path.chmod(info.external_attr >> 16)  # as unzip does
        shutil.copy(lesson.solution, place / "submission")
        environment = {"PATH": os.environ["PATH"], "HOME": "/root"}
        for script in ("setup.sh", "run_autograder"):
            done = subprocess.run(
                [str(place / "source" / script)], cwd="/", env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
        data = json.loads((place / "results" / "results.json").read_text())
    finally:
        shutil.rmtree(place)
    assert_accepted(data)
    assert data["score"] == data["extra_data"]["max_points"] > 0
    assert data["extra_data"]["confinement"] in ("uid", "landlock", "bubblewrap")
