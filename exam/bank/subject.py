"""What a lesson's items compute with: its reference solution, and each misconception in it."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.course import Lesson
from grader.errors import UserError
from grader.judge.bench import Source
from grader.judge.calls import Run
from grader.judge.local import Local
from grader.judge.misconceptions import Misconception, apply, load_misconceptions
from grader.judge.proxies import Proxy

Names = dict[str, Any]


@dataclass
class Subject:
    """A lesson as its items see it.

    Attributes:
        lesson: The lesson.
        source: Its reference solution.
        known: Its misconceptions, by name.
    """

    lesson: Lesson
    source: Source
    known: dict[str, Misconception]
    _wrong: dict[str, Names] = field(default_factory=dict)

    @classmethod
    def of(cls, lesson: Lesson) -> Subject:
        """Load what a lesson's items need."""
        if not lesson.solution.exists():
            raise UserError(f"{lesson.name} has no reference solution, from which keys are computed")
        known = {one.name: one for one in load_misconceptions(lesson.misconceptions)}
        return cls(lesson, Source(lesson.file_name, lesson.solution.read_bytes()), known)

    @functools.cached_property
    def right(self) -> Names:
        """The functions and classes of the reference solution."""
        return _names(self.source, f"course_items_{self.lesson.name}")

    def wrong(self, misconception: str) -> Names:
        """The same with a misconception in it.

        Raises:
            UserError: If the lesson knows no such misconception.
        """
        if misconception not in self._wrong:
            if misconception not in self.known:
                raise UserError(f"{self.lesson.misconceptions} has no misconception {misconception!r}")
            changed = apply(self.known[misconception], self.source)
            self._wrong[misconception] = _names(changed, f"course_items_{self.lesson.name}_{misconception}")
        return self._wrong[misconception]


def _names(source: Source, name: str) -> Names:
    """What a solution defines in public; functions remember what they returned."""
    module = types.ModuleType(name)
    module.__file__ = source.file
    sys.modules[name] = module
    exec(compile(source.content, source.file, "exec", dont_inherit=True), vars(module))
    student = Proxy(Local(module))

    def on_ranks(function: Callable[..., Any], per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> Run:
        run: Run = getattr(student, function.__name__).on_ranks(per_rank, *shared, **keywords)
        return run

    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    own = {key: value for key, value in public.items() if getattr(value, "__module__", None) == name}
    found: Names = {key: _remembering(value) if inspect.isfunction(value) else value for key, value in own.items()}
    return {**found, "on_ranks": _remembering(on_ranks)}


def _remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called once for equal arguments: items ask for the same thing thousands of times."""
    results: dict[Hashable, Any] = {}

    @functools.wraps(function)
    def call(*positional: Any, **keywords: Any) -> Any:
        try:
            key = _key((positional, keywords))
        except _NoPlainValue:
            return function(*positional, **keywords)
        if key not in results:
            results[key] = function(*positional, **keywords)
        return results[key]

    return call


class _NoPlainValue(Exception):
    """A value of which nobody can tell whether it equals another."""


def _key(value: Any) -> Hashable:
    """What equal arguments share and others don't: 1, 1.0 and True are three."""
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return kind.__name__, repr(value)
    if isinstance(value, list | tuple):
        return kind.__qualname__, tuple(map(_key, value))
    if isinstance(value, dict):
        return kind.__qualname__, tuple((_key(name), _key(entry)) for name, entry in value.items())
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return value.dtype.str, np.shape(value), value.tobytes()
    if inspect.isfunction(value):
        return "function", id(value)  # which lives as long as the solution
    raise _NoPlainValue
