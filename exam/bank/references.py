"""What items refer to and must be there: names in expressions, misconceptions, exercises, the lesson itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from exam.bank.complaints import item_of, nearest
from exam.bank.expressions import FUNCTIONS, BadTemplate, is_expression, is_template, uses
from exam.bank.strict_yaml import Document, Path, Problem
from grader.course import Lesson
from grader.judge.misconceptions import load_misconceptions

_AS_WRITTEN = frozenset(
    ("id", "type", "outcome", "pool", "source", "exercise", "reading", "family", "misconception", "name", "unit")
)


@dataclass(frozen=True)
class Known:
    """What a lesson's items may refer to.

    Attributes:
        lesson: The lesson's number.
        functions: Public functions and classes of the reference solution; None where there is none to look at.
        misconceptions: Those that the lesson's code shows.
        ideas: Those that the bank declares.
    """

    lesson: int
    functions: frozenset[str] | None
    misconceptions: frozenset[str]
    ideas: frozenset[str]


def known_of(lesson: Lesson, ideas: frozenset[str]) -> Known:
    """What the items of a lesson may refer to.

    Raises:
        UserError: If the lesson's misconceptions are not in order.
    """
    names = frozenset(one.name for one in load_misconceptions(lesson.misconceptions))
    functions = None
    if lesson.solution.exists():
        tree = ast.parse(lesson.solution.read_bytes())
        named = [each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
        functions = frozenset(name for name in named if not name.startswith("_"))
    return Known(lesson.number, functions, names, ideas)


def problems(document: Document, known: Known) -> Iterator[Problem]:
    """What the items of a file refer to in vain, also where other parts of it are not in order."""
    items = document.value.get("items") if isinstance(document.value, dict) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            path: Path = ("items", index)
            for place, line, text in _Item(item, known).problems():
                found = document.line((*path, *place)) if line < 0 else _text_line(document, (*path, *place)) + line
                yield Problem(found, item_of(path, document) + text)


def _text_line(document: Document, path: Path) -> int:
    return document.text_lines.get(path, document.line(path))


Finding = tuple[Path, int, str]
_WHOLE = -1  # of a place, as against one line of its text


class _Item:
    """One item as the file has it, which may be anything."""

    def __init__(self, item: dict[str, Any], known: Known) -> None:
        self.item, self.known = item, known
        parameters = item.get("parameters")
        self.parameters: dict[str, Any] = parameters if isinstance(parameters, dict) else {}

    def problems(self) -> Iterator[Finding]:
        yield from self._of_lesson()
        yield from self._of_ideas()
        yield from self._of_parameters()
        yield from self._of_texts()

    def _of_lesson(self) -> Iterator[Finding]:
        number, functions = self.known.lesson, self.known.functions
        begun = re.match(r"l(\d\d)-", str(self.item.get("id")))
        if begun and int(begun[1]) != number:
            yield ("id",), _WHOLE, f"ids of this lesson begin with l{number:02d}-"
        counted = re.fullmatch(r"(\d+)[a-z]", str(self.item.get("outcome")))
        if counted and int(counted[1]) != number:
            yield ("outcome",), _WHOLE, f"outcomes of this lesson are {number}a and so on"
        exercise = self.item.get("exercise")
        if isinstance(exercise, str) and functions is not None and exercise not in functions:
            yield ("exercise",), _WHOLE, f"the lesson has no exercise {exercise!r}" + nearest(exercise, functions)

    def _of_ideas(self) -> Iterator[Finding]:
        for path, name, needs_code in self._ideas():
            code, ideas = self.known.misconceptions, self.known.ideas
            if needs_code and name in ideas and name not in code:
                yield path, _WHOLE, f"the idea {name!r} is shown by no code: give the mistake a value"
            elif name not in code and (needs_code or name not in ideas):
                nor, near = ("", code) if needs_code else (", and no idea of the bank,", code | ideas)
                yield path, _WHOLE, f"no misconception of the lesson{nor} is called {name!r}{nearest(name, near)}"

    def _ideas(self) -> Iterator[tuple[Path, str, bool]]:
        """Names of wrong ideas: where, and whether the value comes from the misconception's code."""
        for place, mistake in enumerate(_list(self.item.get("mistakes"))):
            if isinstance(mistake, str):
                yield ("mistakes", place), mistake, True
            elif isinstance(mistake, dict) and isinstance(mistake.get("name"), str):
                yield ("mistakes", place, "name"), mistake["name"], mistake.get("value") is None
        for key in ("options", "mistakes"):
            for place, each in enumerate(_list(self.item.get(key))):
                if isinstance(each, dict) and isinstance(each.get("misconception"), str) and each["misconception"]:
                    yield (key, place, "misconception"), each["misconception"], False
        if isinstance(self.item.get("misconception"), str):
            yield ("misconception",), self.item["misconception"], False

    def _of_parameters(self) -> Iterator[Finding]:
        taken = FUNCTIONS.keys() | (self.known.functions or frozenset())
        used = {use.name for _, text in self._sources() for use in _uses(text)}
        for name in self.parameters:
            if not name.isidentifier():
                yield ("parameters", name), _WHOLE, f"{name!r} can't be a parameter's name: letters, digits and _"
            elif name in taken:
                yield ("parameters", name), _WHOLE, f"the parameter {name!r} hides the function of this name"
            elif name not in used:
                yield ("parameters", name), _WHOLE, f"the parameter {name!r} is used nowhere"

    def _of_texts(self) -> Iterator[Finding]:
        for path, text in self._sources():
            if _is_value(path) and not is_expression(text):
                yield path, _WHOLE, "an expression is all that stands here, between one pair of double braces or none"
            try:
                found = uses(text)
            except BadTemplate as error:
                yield path, error.line, f"{error}; is a brace or a quote missing?"
                continue
            names = self._names_at(path)
            for use in found:
                if self.known.functions is not None and use.name not in names:
                    hint = nearest(use.name, names) or "; it is no parameter above, and no function of the solution"
                    yield path, use.line, f"unknown name {use.name!r}{hint}"

    def _names_at(self, path: Path) -> set[str]:
        """What may be used there: a parameter may use those above it."""
        parameters = list(self.parameters)
        if path[0] == "parameters":
            parameters = parameters[: parameters.index(str(path[1]))]
        return {*FUNCTIONS, "on_ranks", *(self.known.functions or ()), *parameters}

    def _sources(self) -> Iterator[tuple[Path, str]]:
        """Every text with something to put in, and every expression, the latter between double braces."""
        for path, text in _texts(self.item, ()):
            if path[0] == "parameters" and (path[2:] != ("value",) or not is_expression(text)):
                continue
            if _is_value(path) and not is_template(text):
                yield path, "{{" + text + "}}"
            elif is_template(text):
                yield path, text


def _is_value(path: Path) -> bool:
    """Whether an expression is wanted there, as against a text that may hold some."""
    return path[0] == "where" or path == ("answer",) or any(part in ("value", "range") for part in path)


def _uses(text: str) -> list[Any]:
    try:
        return list(uses(text))
    except BadTemplate:
        return []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """The texts of an item, without names and other words that are taken as they are."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            if key not in _AS_WRITTEN or path == ("parameters",):
                yield from _texts(entry, (*path, key))
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            if not (path == ("mistakes",) and isinstance(entry, str)):
                yield from _texts(entry, (*path, place))
