"""What a lesson's content says about itself: its checks, its examples, and the manifest that follows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.authors.exercises import ExerciseInfo, SolutionError, exercises_in, title_of
from grader.course import Lesson
from grader.errors import UserError
from grader.judge.checks import FIXTURES, CheckFacts
from grader.judge.examples import examples_check, to_json
from grader.judge.local import load_module
from grader.manifest import Example, Manifest, ManifestCheck, ManifestExercise
from grader.worker.threads import on_ranks


@dataclass(frozen=True)
class LessonCheck:
    """A check as its file states it."""

    test: Callable[..., None]
    facts: CheckFacts
    visibility: str

    @property
    def fixtures(self) -> tuple[str, ...]:
        """Which of ``student`` and ``reference`` it asks for."""
        return tuple(name for name in FIXTURES if name in inspect.signature(self.test).parameters)

    @property
    def label(self) -> str:
        """Name and visibility, for one of each may bear a name."""
        return f"{self.facts.name} ({self.visibility})"


@dataclass(frozen=True)
class Contents:
    """A lesson's exercises and checks, and the manifest that they make; that of a private overlay is its own."""

    lesson: Lesson
    solution: ModuleType
    exercises: tuple[ExerciseInfo, ...]
    checks: tuple[LessonCheck, ...]
    manifest: Manifest
    private_manifest: Manifest | None = None

    def checks_of(self, exercise: str) -> list[LessonCheck]:
        """The checks of an exercise, its docstring example first."""
        return [check for check in self.checks if check.facts.exercise == exercise]


def read_contents(lesson: Lesson) -> Contents:
    """Load a lesson's solution and checks.

    Raises:
        UserError: If something does not load, or a check belongs to no exercise.
    """
    text = lesson.solution.read_text(encoding="utf-8")
    infos = exercises_in(text, str(lesson.solution))
    solution = _load(lesson.solution)
    names = [info.name for info in infos]
    examples = {info.name: _examples(info, solution, lesson.solution) for info in infos}
    checks = []
    for info in infos:
        test = examples_check(info.name, names, [(e.source, e.result) for e in examples[info.name]])
        checks.append(LessonCheck(test, test.__check__, "public"))  # type: ignore[attr-defined]
    for path in (lesson.public_checks, lesson.hidden_checks):
        checks += _checks_in(path, names)
    private = _checks_in(lesson.private_checks, names) if lesson.private_checks is not None else []
    title = title_of(text, str(lesson.solution))
    manifest = Manifest(lesson.name, title, tuple(_manifest_exercise(i, examples[i.name], checks) for i in infos))
    own = [_manifest_exercise(i, (), private) for i in infos if any(c.facts.exercise == i.name for c in private)]
    overlay = Manifest(lesson.name, title, tuple(own)) if own else None
    return Contents(lesson, solution, tuple(infos), (*checks, *private), manifest, overlay)


def _load(path: Path) -> ModuleType:
    try:
        return load_module(path)
    except Exception as error:
        raise UserError(f"{path} does not load: {type(error).__name__}: {error}") from error


def _checks_in(path: Path, names: list[str]) -> list[LessonCheck]:
    if not path.exists():
        return []
    found = []
    for test in vars(_load(path)).values():
        facts = getattr(test, "__check__", None)
        if facts is None:
            continue
        if facts.exercise not in names:
            raise UserError(f"{path}: {facts.name} checks {facts.exercise!r}, which is no exercise of the lesson")
        found.append(LessonCheck(test, facts, path.parent.name))
    return found


def _examples(info: ExerciseInfo, solution: ModuleType, path: Path) -> tuple[Example, ...]:
    """The docstring's examples with what the solution gives, which must be what the docstring shows."""
    names: dict[str, Any] = {**vars(solution), "on_ranks": on_ranks}
    examples = []
    for source, want in info.examples:
        source = source.strip()
        if not want:
            exec(source, names)
            examples.append(Example(source, None))
            continue
        value = eval(source, names)
        if " ".join(repr(value).split()) != " ".join(want.split()):
            hint = f"The solution gives {value!r}."
            raise SolutionError(str(path), info.line, f"{info.name}: {source} does not give {want.strip()}", hint)
        examples.append(Example(source, to_json(value)))
    return tuple(examples)


def _manifest_exercise(
    info: ExerciseInfo, examples: tuple[Example, ...], checks: list[LessonCheck]
) -> ManifestExercise:
    listed = tuple(
        ManifestCheck(
            name=check.facts.name,
            visibility=check.visibility,
            points=check.facts.points,
            outcome=check.facts.outcome or info.outcome,
            sentence=check.facts.sentence,
        )
        for check in checks
        if check.facts.exercise == info.name
    )
    return ManifestExercise(
        info.name, info.outcome, info.difficulty, info.minutes, info.core, info.collectives, examples, listed
    )
