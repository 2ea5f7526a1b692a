"""Known wrong ways, as edits of the solution or whole functions in its place."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.judge.bench import Source


@dataclass(frozen=True)
class Misconception:
    """One known wrong way to do an exercise.

    Attributes:
        name: A name of its own within the lesson.
        of: The exercise.
        says: Ends the sentence "This behaves like …".
        hint: Leads out of it without giving the code.
        instead_of: The text of the solution that it changes; "" for a whole function.
        wrote: What stands there instead.
        within: The helper that holds the text, where it is not the exercise's function itself.
        also: Further edits of the same kind, (instead_of, wrote).
        function: The source of a whole function that takes the exercise's place, and its name.
    """

    name: str
    of: str
    says: str
    hint: str
    instead_of: str = ""
    wrote: str = ""
    within: str = ""
    also: tuple[tuple[str, str], ...] = ()
    function: tuple[str, str] = ("", "")

    @property
    def edits(self) -> list[tuple[str, str]]:
        """What it changes: (instead_of, wrote); nothing for a whole function."""
        return [(self.instead_of, self.wrote), *self.also] if self.instead_of else []


_collected: ContextVar[list[Misconception] | None] = ContextVar("_collected", default=None)


def misconception(
    name: str,
    *,
    of: str,
    says: str,
    hint: str,
    instead_of: str = "",
    wrote: str = "",
    within: str = "",
    also: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Write down a misconception: as an edit, or as a decorator of a whole function.

    Args:
        name: A name of its own within the lesson.
        of: The exercise.
        says: Ends the sentence "This behaves like …".
        hint: A question or remark that leads out of it.
        instead_of: Text that occurs exactly once in the function's source, docstring aside.
        wrote: What stands there instead.
        within: The helper that holds the text, if it is not the exercise's function.
        also: Further texts, and what stands there instead of each, where the idea shows in several places.
    """
    collected = _collected.get()
    if collected is None:  # the file is imported by somebody else
        collected = []
    place = len(collected)
    collected.append(Misconception(name, of, says, hint, instead_of, wrote, within, tuple((also or {}).items())))

    def take(function: Callable[..., Any]) -> Callable[..., Any]:
        body = _without_decorators(textwrap.dedent(inspect.getsource(function)))
        collected[place] = Misconception(name, of, says, hint, function=(body, function.__name__))
        return function

    return take


def _without_decorators(source: str) -> str:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return "".join(_lines(source)[node.lineno - 1 :])


def _lines(text: str) -> list[str]:
    """The lines as Python counts them: unlike ``splitlines`` it ends none at a form feed or a Unicode separator."""
    return [line + "\n" for line in text.removesuffix("\n").split("\n")]


@contextmanager
def _collecting() -> Iterator[list[Misconception]]:
    found: list[Misconception] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def load_misconceptions(path: Path) -> list[Misconception]:
    """The misconceptions of a lesson, in the order of the file; none if there is no file.

    Raises:
        UserError: If two have one name, or one changes nothing.
    """
    if not path.exists():
        return []
    from grader.judge.local import load_module

    with _collecting() as found:
        load_module(path)
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"{path}: two misconceptions are called {twice[0]!r}")
    for one in found:
        if not one.instead_of and not one.function[0]:
            raise UserError(f"{path}: misconception {one.name!r} has no instead_of and stands above no function")
    return found


def apply(one: Misconception, solution: Source) -> Source:
    """The solution with the misconception in it.

    Raises:
        UserError: If the text to change does not occur exactly once where it should.
    """
    text = solution.content.decode("utf-8")
    if one.function[0]:
        body, name = one.function
        return Source(solution.file, f"{text}\n\n{body}\n\n{one.of} = {name}\n".encode())
    for instead_of, wrote in one.edits:
        text = _edited(text, instead_of, wrote, one, solution.file)
    return Source(solution.file, text.encode())


def _edited(text: str, instead_of: str, wrote: str, one: Misconception, file: str) -> str:
    where = one.within or one.of
    searched = _code_of(text, where, one, file)
    if (count := searched.count(instead_of)) != 1:
        raise UserError(
            f"misconception {one.name!r}: the text {instead_of.strip().splitlines()[0]!r} occurs {count} times "
            f"in {where} ({file}), not once"
        )
    at = searched.index(instead_of)
    return text[:at] + wrote + text[at + len(instead_of) :]


def _code_of(text: str, name: str, one: Misconception, file: str) -> str:
    """The text with all but one function or class blanked out, and its docstrings too; places stay the same."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            shown = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(inner) is not None:
                    shown -= set(range(inner.body[0].lineno, (inner.body[0].end_lineno or 0) + 1))
            return "".join(line if n in shown else "\0" * len(line) for n, line in enumerate(_lines(text), 1))
    raise UserError(f"misconception {one.name!r}: {file} has no function {name!r}")
