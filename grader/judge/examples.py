"""An exercise's docstring examples as its first public check. They are the solution's, never read from a submission."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.judge.checks import check
from grader.judge.expectations import expect
from grader.judge.proxies import Proxy
from grader.manifest import EXAMPLE_CHECK
from grader.worker import wire

SENTENCE = "The example in the docstring gives what it says."
POINTS = 1.0


def to_json(value: Any) -> dict[str, Any]:
    """A value in wire encoding as plain JSON."""
    encoded, buffers = wire.encode(value)
    return {"value": encoded, "buffers": base64.b64encode(b"".join(buffers)).decode()}


def from_json(data: Mapping[str, Any]) -> Any:
    """The value that ``to_json`` wrote."""
    return wire.decode(data["value"], base64.b64decode(data["buffers"]))


def examples_check(
    exercise: str, exercises: Sequence[str], examples: Sequence[tuple[str, dict[str, Any] | None]]
) -> Callable[..., None]:
    """A check of an exercise's examples.

    Args:
        exercise: The exercise.
        exercises: Every name that an example may call.
        examples: Python source and result (as ``to_json`` wrote it; None for a line that shows nothing).
    """

    def test(student: Proxy) -> None:
        names = namespace(student, exercises)
        for source, result in examples:
            if result is None:
                exec(source, names)
            else:
                expect(eval(source, names)).close(from_json(result))

    test.__name__ = EXAMPLE_CHECK
    test.__doc__ = SENTENCE
    return check(exercise, points=POINTS)(test)


def namespace(student: Proxy, exercises: Sequence[str]) -> dict[str, Any]:
    """What the names in an example stand for: the functions of ``student``."""

    def on_ranks(function: Any, per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> list[Any]:
        results: list[Any] = function.on_ranks(per_rank, *shared, **keywords).results
        return results

    functions = {name: getattr(student, name) for name in exercises}
    return {"np": np, "on_ranks": on_ranks, **functions}
