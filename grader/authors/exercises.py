"""The exercises that a solution states, read from its text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.authors.cutting import Function
from grader.errors import UserError

Definition = Function | ast.ClassDef

_FACTS: dict[str, Callable[[Any], bool]] = {
    "outcome": lambda value: isinstance(value, str) and value != "",
    "minutes": lambda value: type(value) is int and value > 0,
    "core": lambda value: isinstance(value, bool),
    "difficulty": lambda value: type(value) is int and 1 <= value <= 3,
    "collectives": lambda value: isinstance(value, tuple | list) and all(isinstance(name, str) for name in value),
}
_DEFAULTS: dict[str, Any] = {
    "core": True,
    "difficulty": 2,
    "collectives": (),
}  # those of grader.student.exercise


class SolutionError(UserError):
    """A solution that does not state an exercise as it should; names the file and line."""

    def __init__(self, file: str, line: int, problem: str, hint: str = "") -> None:
        """Say what is wrong with a line of a file."""
        super().__init__(f"{file}:{line}: {problem}", hint)
        self.args = (file, line, problem, hint)


@dataclass(frozen=True)
class ExerciseInfo:
    """What a solution states about one exercise.

    Attributes:
        docstring: Without its indentation; for a class, the class's own.
        examples: The docstring's examples, each its source and the printed result ("" for a statement that
            prints nothing); for a class, those of its methods follow.
        line: Where its definition begins.
    """

    name: str
    outcome: str
    minutes: int
    core: bool
    difficulty: int
    collectives: tuple[str, ...]
    docstring: str
    examples: tuple[tuple[str, str], ...]
    line: int


def exercises_in(solution_source: str, file: str = "the solution") -> list[ExerciseInfo]:
    """The exercises of a solution, in the order in which it states them.

    Args:
        solution_source: The solution's text.
        file: What to call it in messages.

    Raises:
        SolutionError: If the text is not Python, or an exercise lacks a docstring or an example, says about
            itself what can only be found by running it, or is stated twice.
    """
    found: dict[str, ExerciseInfo] = {}
    for node in parsed(solution_source, file).body:
        if isinstance(node, Definition) and is_exercise(node):
            if node.name in found:
                raise SolutionError(file, node.lineno, f"{node.name} is stated a second time")
            found[node.name] = _exercise(node, file)
    return list(found.values())


def title_of(solution_source: str, file: str = "the solution") -> str:
    """The lesson's title: the first line of the docstring, without "Lesson 6 ·" before it and the full stop.

    Raises:
        SolutionError: If the text is not Python, or has no docstring.
    """
    docstring = ast.get_docstring(parsed(solution_source, file))
    if not docstring:
        raise SolutionError(file, 1, 'the first line should be a docstring, """Lesson N · title."""')
    first = docstring.splitlines()[0].rstrip(".")
    before, mark, after = first.partition("·")
    return after.strip() if mark and before.casefold().startswith("lesson") else first.strip()


def parsed(source: str, file: str) -> ast.Module:
    """The syntax tree of a solution.

    Raises:
        SolutionError: If the text is not Python.
    """
    try:
        return ast.parse(source.removeprefix("\ufeff"))  # some editors write a byte order mark
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise SolutionError(file, line, f"not Python: {getattr(error, 'msg', error)}") from error


def is_exercise(node: Definition) -> bool:
    """Whether a function or class is marked with ``@exercise``."""
    return any(_is_mark(decorator) for decorator in node.decorator_list)


def _is_mark(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (isinstance(named, ast.Name) and named.id == "exercise") or (
        isinstance(named, ast.Attribute) and named.attr == "exercise"
    )


def _exercise(node: Definition, file: str) -> ExerciseInfo:
    mark = next(decorator for decorator in node.decorator_list if _is_mark(decorator))
    facts = _facts(mark, node.name, file)
    docstring = ast.get_docstring(node)
    if not docstring:
        raise SolutionError(file, node.lineno, f"{node.name} has no docstring", "It is all that a student gets.")
    examples = [example for each in (node, *_public_methods(node)) for example in _examples(each, file)]
    if not any(want for _, want in examples):
        hint = "Add one that can be checked by hand: >>> f(2) and its result."
        raise SolutionError(file, node.lineno, f"the docstring of {node.name} has no example", hint)
    collectives = tuple(facts.pop("collectives"))
    return ExerciseInfo(
        node.name,
        **facts,
        collectives=collectives,
        docstring=docstring,
        examples=tuple(examples),
        line=node.lineno,
    )


def _public_methods(node: Definition) -> list[Function]:
    if not isinstance(node, ast.ClassDef):
        return []
    return [each for each in node.body if isinstance(each, Function) and not each.name.startswith("_")]


def _facts(mark: ast.expr, name: str, file: str) -> dict[str, Any]:
    """What an exercise says about itself in its decorator, checked, with the defaults filled in."""
    if not isinstance(mark, ast.Call) or mark.args:
        hint = '@exercise(outcome="6a", minutes=30)'
        raise SolutionError(file, mark.lineno, f"{name}: give @exercise its arguments by keyword", hint)
    facts = dict(_DEFAULTS)
    for keyword in mark.keywords:
        facts[keyword.arg or ""] = _literal(keyword, name, file)
    for key, fits in _FACTS.items():
        if key not in facts:
            raise SolutionError(file, mark.lineno, f"{name}: @exercise lacks {key}=")
        if not fits(facts[key]):
            raise SolutionError(file, mark.lineno, f"{name}: @exercise cannot have {key}={facts[key]!r}")
    return {key: facts[key] for key in _FACTS}


def _literal(keyword: ast.keyword, name: str, file: str) -> object:
    line = keyword.value.lineno
    if keyword.arg is None:
        raise SolutionError(file, line, f"{name}: write out the arguments of @exercise, without **")
    try:
        return ast.literal_eval(keyword.value)
    except ValueError:
        problem = f"{name}: {keyword.arg}= of @exercise must be a literal, for nothing is run to read it"
        raise SolutionError(file, line, problem) from None


def _examples(node: Definition, file: str) -> list[tuple[str, str]]:
    import doctest  # brings a debugger along: not at import

    docstring, line = ast.get_docstring(node) or "", node.body[0].lineno
    try:
        found = doctest.DocTestParser().get_examples(docstring)
        for example in found:
            ast.parse(example.source)
    except (SyntaxError, ValueError) as error:
        raise SolutionError(file, line, f"an example of {node.name} cannot be read: {error}") from error
    return [(example.source.rstrip("\n"), example.want.rstrip("\n")) for example in found]
