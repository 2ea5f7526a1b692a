"""A student's edition: beginning, and a newer edition over an older one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course
from grader.starting import begin

STUB = '''"""Lesson 42 · Small."""


def one() -> int:
    """One."""
    raise NotImplementedError("one: not written yet")


def two() -> int:
    """Two."""
    raise NotImplementedError("two: not written yet")
'''


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs" / "lesson42_small.py").write_text(STUB)
    return Course(tmp_path)


def own(course: Course) -> Path:
    return course.lessons()[0].stub


def test_a_stub_is_copied_to_where_students_edit(course: Course) -> None:
    assert begin(course) == ["exercises/lesson42_small.py is new: write your answers there."]
    assert own(course).read_text() == STUB


def test_nothing_is_told_twice(course: Course) -> None:
    begin(course)
    assert begin(course) == []


def test_a_newer_edition_keeps_the_students_file_and_names_what_changed(course: Course) -> None:
    begin(course)
    own(course).write_text("mine = 1\n")
    newer = STUB.replace('"""Two."""', '"""Twice one."""').replace("def one", "def uno").replace("one:", "uno:")
    (course.originals / "lesson42_small.py").write_text(newer)
    (told,) = begin(course)
    assert told.startswith("Lesson 42 has changed: uno, two, one (gone). Your exercises/lesson42_small.py is kept")
    assert own(course).read_text() == "mine = 1\n"
    assert begin(course) == []


def test_a_change_of_layout_alone_is_no_change(course: Course) -> None:
    begin(course)
    (course.originals / "lesson42_small.py").write_text(STUB.replace("\n\n\n", "\n\n\n\n"))
    assert begin(course) == []


def test_a_new_lesson_in_a_newer_edition_is_begun(course: Course) -> None:
    begin(course)
    (course.originals / "lesson43_more.py").write_text(STUB)
    assert begin(course) == ["exercises/lesson43_more.py is new: write your answers there."]


def test_a_course_without_stubs_to_copy_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "lesson42_small.py").write_text(STUB)
    assert begin(Course(tmp_path)) == []
