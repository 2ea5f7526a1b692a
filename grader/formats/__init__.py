"""The results of grading in the formats of platforms; each a small rendering of the one result model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.formats.gradescope import gradescope
from grader.results import LessonResult


def as_json(result: LessonResult) -> dict[str, Any]:
    """The result model itself."""
    return result.to_json()


FORMATS: dict[str, Callable[[LessonResult], dict[str, Any]]] = {"json": as_json, "gradescope": gradescope}
