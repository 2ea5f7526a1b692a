"""The small course, and a grader that is warm for the tests of one module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.course import Lesson
from tests.traps.harness import Grader, grader_at
from tests.traps.small_course import write_course


@pytest.fixture(scope="session")
def small_lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    """The one lesson of a small course."""
    return write_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def grader(small_lesson: Lesson) -> Iterator[Grader]:
    """Grades the small lesson at the strongest confinement that works here."""
    with grader_at(small_lesson) as warm:
        yield warm
