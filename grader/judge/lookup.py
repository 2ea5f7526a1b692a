"""Finding one check by name, to run it by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.course import Lesson
from grader.errors import UserError
from grader.judge.examples import examples_check
from grader.judge.local import load_module
from grader.manifest import EXAMPLE_CHECK, Manifest


def find_check(lesson: Lesson, exercise: str, name: str, visibility: str) -> Callable[..., None]:
    """A check of a lesson.

    Args:
        lesson: The lesson.
        exercise: The exercise that it checks.
        name: The check's name.
        visibility: "public" or "hidden".

    Raises:
        UserError: If it is not there.
    """
    if name == EXAMPLE_CHECK:
        manifest = Manifest.load(lesson.manifest_path)
        names = [each.name for each in manifest.exercises]
        listed = [(example.source, example.result) for example in manifest.exercise(exercise).examples]
        return examples_check(exercise, names, listed)
    paths = [lesson.public_checks] if visibility == "public" else [lesson.hidden_checks, lesson.private_checks]
    modules = [load_module(path) for path in paths if path is not None and path.exists()]
    found = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
    facts = getattr(found, "__check__", None)
    if found is None or facts is None or facts.exercise != exercise:
        gone = f"the check {name} of {exercise} is not there any more"
        raise UserError(gone, f"Run grade lesson{lesson.number} again.")
    check: Callable[..., None] = found
    return check


def body_of(check: Callable[..., None]) -> Callable[..., Any]:
    """The check's own function, which takes drawn arguments: under hypothesis the inner one."""
    handle = getattr(check, "hypothesis", None)
    body: Callable[..., Any] = handle.inner_test if handle is not None else check
    return body
