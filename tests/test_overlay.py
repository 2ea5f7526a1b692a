"""A private overlay: hidden checks that are not in the repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.authors.prove import prove
from grader.course import Course, CourseError, Lesson
from grader.judge.bench import Source
from grader.judge.grading import Options, grade
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.judge.workers import Launcher
from grader.manifest import Manifest, ManifestError
from grader.results import LessonResult, Outcome
from tests.traps.small_course import write_course

CHECKS = '''
from grader.authoring import check, expect

@check("transfer_seconds", points=5)
def test_a_secret_size(student):
    """A secret size takes its time."""
    expect(student.transfer_seconds(10**9, 4.0)).close(0.25)
'''


@pytest.fixture(scope="module")
def workers() -> Iterator[Launcher]:
    started = launcher(Limits())
    yield started
    started.close()


@pytest.fixture
def lesson(tmp_path: Path, workers: Launcher) -> Lesson:
    """A lesson whose overlay has been proved."""
    plain = write_course(tmp_path / "course")
    overlay = tmp_path / "private"
    (overlay / "checks" / "hidden").mkdir(parents=True)
    (overlay / "checks" / "hidden" / plain.file_name).write_text(CHECKS)
    lesson = plain.course.with_overlay(overlay).lesson("42")
    prove(lesson, workers, update=True)
    return lesson


def graded(lesson: Lesson, workers: Launcher, text: str | None = None) -> LessonResult:
    content = (text or lesson.solution.read_text()).encode()
    return grade(lesson, Source(lesson.file_name, content), workers, Options())


def test_its_checks_count_where_it_is_named(lesson: Lesson, workers: Launcher) -> None:
    without = graded(Course(lesson.course.root).lesson("42"), workers)
    result = graded(lesson, workers)
    assert result.full_marks
    assert result.max_points == without.max_points + 5
    assert "test_a_secret_size" in [check.name for check in result.exercises[0].checks]
    assert "test_a_secret_size" not in [check.name for check in without.exercises[0].checks]


def test_its_checks_bite(lesson: Lesson, workers: Launcher) -> None:
    wrong = lesson.solution.read_text().replace("size_bytes / (gigabytes_per_s * 1e9)", "size_bytes / 2e9")
    checks = {check.name: check for check in graded(lesson, workers, wrong).exercises[0].checks}
    assert checks["test_a_secret_size"].outcome is Outcome.WRONG
    assert checks["test_a_secret_size"].visibility == "hidden"


def test_its_manifest_lies_in_it_and_not_in_the_course(lesson: Lesson) -> None:
    assert lesson.private_manifest_path is not None
    names = [
        check.name for exercise in Manifest.load(lesson.private_manifest_path).exercises for check in exercise.checks
    ]
    assert names == ["test_a_secret_size"]
    assert "secret" not in lesson.manifest_path.read_text()


def test_a_private_check_that_does_not_run_is_not_a_pass(lesson: Lesson, workers: Launcher) -> None:
    assert lesson.private_checks is not None
    lesson.private_checks.write_text("")
    result = graded(lesson, workers)
    assert not result.full_marks
    assert result.exercises[0].outcome is Outcome.UNGRADED


def test_a_check_that_the_course_has_already_is_refused(lesson: Lesson) -> None:
    manifest = Manifest.load(lesson.manifest_path)
    with pytest.raises(ManifestError, match="with its private checks"):
        manifest.merged_with(manifest)


def test_a_folder_that_is_not_there_is_said() -> None:
    with pytest.raises(CourseError, match="--private: there is no folder"):
        Course(Path()).with_overlay(Path("nowhere"))
