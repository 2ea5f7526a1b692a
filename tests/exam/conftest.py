"""A course in which tests write the bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course, Lesson
from tests.support import ROOT


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """Lesson 7 of a course without items."""
    for name in ("exercises", "solutions", "misconceptions", "checks"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "quizzes").mkdir()
    return Course.find(explicit=tmp_path).lesson("7")
