"""The view of the whole course. The golden files are rewritten with UPDATE_GOLDEN=1 set."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course import Course
from grader.manifest import Manifest, ManifestCheck, ManifestExercise
from grader.results import ExerciseResult, Outcome, Submission
from grader.saved import save
from grader.terminal.progress import ProgressRow, Standing, progress_rows, render_progress
from grader.terminal.style import Style, cells
from tests.report_samples import check, exercise, lesson, passed, untouched

GOLDEN = Path(__file__).with_name("golden")
PLAIN = Style(100)
TITLES = {
    "01_scale": "Scaling laws and the cost of training",
    "02_gpu_roofline": "GPU architecture and the roofline",
    "05_memory": "Memory",
    "06_collectives": "Data parallelism and collective communication",
    "12_economics": "The economics of training",
}
NAMES = ("bus_bandwidth", "ring_all_reduce", "tree_all_reduce", "bucketed_gradients")


def manifest(name: str, withheld: float = 0.0) -> Manifest:
    """Four exercises of ten points: three of the core, one stretch."""
    checks = (ManifestCheck("test_it", "public", 10 - withheld, "1a", "It holds."),)
    exercises = [ManifestExercise(each, "1a", 2, 30, each != NAMES[-1], (), (), checks, withheld) for each in NAMES]
    return Manifest(name, TITLES[name], tuple(exercises))


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of five lessons that nobody has touched."""
    for folder in ("exercises", "checks"):
        (tmp_path / folder).mkdir()
    for name in TITLES:
        (tmp_path / "exercises" / f"lesson{name}.py").write_text(f"# {name}\n")
        manifest(name).write(tmp_path / "checks" / f"lesson{name}.json")
    return Course(tmp_path)


def grade(course: Course, name: str, exercises: Sequence[ExerciseResult], problem: str = "") -> None:
    """Save a result of the lesson's file as it is now."""
    file = course.exercises / f"lesson{name}.py"
    submission = Submission(file.name, hashlib.sha256(file.read_bytes()).hexdigest())
    result = replace(lesson(exercises, problem), lesson=name, submission=submission)
    save(course.root / "state", result)


def edit(course: Course, name: str) -> None:
    """Change the lesson's file."""
    with (course.exercises / f"lesson{name}.py").open("a") as file:
        file.write("x = 1\n")


def rows(course: Course) -> list[ProgressRow]:
    """The rows, from results saved by ``grade``."""
    return progress_rows(course, course.root / "state")


ALL = [passed(name, 10) for name in NAMES]
SOME = [
    passed(NAMES[0], 10),
    exercise(NAMES[1], [check("It holds.", Outcome.WRONG, points=5), check("Well.", points=5)]),
    exercise(NAMES[2], [check("It holds.", Outcome.UNGRADED, points=10)]),
    untouched(NAMES[3], core=False),
]


def midway(course: Course) -> None:
    """Some lessons done, one half done, one edited since, one untouched."""
    grade(course, "01_scale", ALL)
    grade(course, "02_gpu_roofline", SOME)
    grade(course, "05_memory", [*ALL[:3], SOME[3]])
    grade(course, "06_collectives", SOME)
    edit(course, "06_collectives")


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("100_columns", PLAIN),
        ("40_columns", Style(40)),
        ("ascii", Style(80, encoding="ascii")),
        ("coloured", Style(100, colour=True)),
    ],
)
def test_view_is_the_golden_one(course: Course, name: str, style: Style) -> None:
    midway(course)
    shown = render_progress(rows(course), style)
    path = GOLDEN / f"progress_{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown, encoding="utf-8", newline="\n")
    assert shown == path.read_text(encoding="utf-8")


def test_rows_tell_what_is_known_of_the_file_as_it_is(course: Course) -> None:
    midway(course)
    standings = [row.standing for row in rows(course)]
    assert standings == [Standing.GRADED] * 3 + [Standing.CHANGED, Standing.NEVER]
    second = rows(course)[1]
    assert (second.number, second.title) == (2, TITLES["02_gpu_roofline"])
    assert (second.points, second.max_points) == (15, 40)
    outcomes = [one.outcome for one in second.exercises]
    assert outcomes == [Outcome.PASSED, Outcome.WRONG, Outcome.UNGRADED, Outcome.NOT_STARTED]


def test_undoing_an_edit_brings_the_result_back(course: Course) -> None:
    grade(course, "01_scale", ALL)
    edit(course, "01_scale")
    grade(course, "01_scale", SOME)
    (course.exercises / "lesson01_scale.py").write_text("# 01_scale\n")
    assert rows(course)[0].done


def test_exercises_that_were_not_run_count_as_not_started(course: Course) -> None:
    grade(course, "01_scale", ALL[:1])
    row = rows(course)[0]
    assert [one.outcome for one in row.exercises] == [Outcome.PASSED] + [Outcome.NOT_STARTED] * 3
    assert (row.points, row.max_points) == (10, 40)


def test_file_that_does_not_load_is_next(course: Course) -> None:
    grade(course, "01_scale", SOME)
    grade(course, "05_memory", [], problem="line 1: SyntaxError")
    assert rows(course)[2].standing is Standing.BROKEN
    assert next_step(course) == "grade lesson5   (exercises/lesson05_memory.py does not load)"


def test_lesson_without_a_manifest_or_stub_does_not_hide_the_others(course: Course) -> None:
    (course.root / "checks" / "lesson01_scale.json").write_text("{")
    (course.exercises / "lesson02_gpu_roofline.py").unlink()
    (course.root / "solutions").mkdir()
    (course.root / "solutions" / "lesson02_gpu_roofline.py").touch()
    found = rows(course)
    assert [row.standing for row in found][:2] == [Standing.NO_MANIFEST, Standing.NEVER]
    assert "01_scale" in render_progress(found, PLAIN)
    assert next_step(course).startswith("grade lesson2")


def next_step(course: Course) -> str:
    """What the view says to type."""
    return render_progress(rows(course), Style(140)).rsplit("next: ", 1)[1].strip()


def test_next_step(course: Course) -> None:
    assert next_step(course) == "grade lesson1   (bus_bandwidth in exercises/lesson01_scale.py: core, 30 min)"
    grade(course, "05_memory", SOME)
    assert next_step(course) == "grade lesson5   (ring_all_reduce: wrong)"
    grade(course, "06_collectives", ALL)
    edit(course, "06_collectives")
    assert next_step(course) == "grade lesson6   (exercises/lesson06_collectives.py changed since it was graded)"


def test_stretch_work_comes_last_and_then_nothing(course: Course) -> None:
    for name in TITLES:
        grade(course, name, ALL)
    grade(course, "01_scale", [*ALL[:3], untouched(NAMES[3], core=False)])
    assert next_step(course) == "grade lesson1   (bucketed_gradients in exercises/lesson01_scale.py: stretch, 30 min)"
    grade(course, "01_scale", [*ALL[:3], replace(SOME[2], name=NAMES[3])])
    assert next_step(course) == "grade lesson1   (not all of it could be graded)"
    grade(course, "01_scale", ALL)
    assert render_progress(rows(course), PLAIN).endswith("\nEvery exercise passes.\n")


def test_student_edition_counts_the_points_that_can_be_earned_there(course: Course) -> None:
    for name in TITLES:
        manifest(name, withheld=4).write(course.root / "checks" / f"lesson{name}.json")
    shown = render_progress(rows(course), PLAIN)
    assert "0/24" in shown
    assert "0 of 120 public points · 80 more are decided on submission" in shown


def test_bar_is_full_for_full_marks_alone(course: Course) -> None:
    nearly = replace(SOME[3], points=9.99)
    grade(course, "01_scale", [*ALL[:3], nearly])
    grade(course, "02_gpu_roofline", [replace(SOME[3], name=NAMES[0], points=0.1)])
    shown = render_progress(rows(course), PLAIN)
    assert [line.count("█") for line in shown.splitlines() if "░" in line] == [9, 1, 0, 0, 0]


@pytest.mark.parametrize("width", range(40, 201, 7))
def test_no_line_is_longer_than_the_terminal(course: Course, width: int) -> None:
    midway(course)
    shown = render_progress(rows(course), Style(width))
    assert all(cells(line) <= width and line == line.rstrip() for line in shown.splitlines())
    coloured = render_progress(rows(course), Style(width, colour=True))
    assert re.sub(r"\x1b\[\d+m", "", coloured) == shown


def test_course_without_lessons() -> None:
    assert render_progress([], PLAIN) == "This course has no lessons yet.\n"


def test_view_is_quick(course: Course) -> None:
    many = [replace(passed(name, 10), checks=passed(name, 10).checks * 4) for name in NAMES]
    for name in TITLES:
        for _ in range(4):
            grade(course, name, many)
            edit(course, name)
        grade(course, name, many)

    def seconds() -> float:
        start = time.process_time()
        render_progress(rows(course), PLAIN)
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.05 * len(TITLES) / 12
