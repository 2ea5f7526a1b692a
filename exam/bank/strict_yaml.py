"""YAML that means what it says: no implicit booleans, dates, octals or sexagesimals; every value knows its line.

A plain scalar is true, false, null, a decimal number (``1e-3`` too), or text. ``No``, ``2026-01-31``, ``010`` and
``1:30`` are text. Duplicate keys, aliases, tags and merge keys are errors, and all of a file's are reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

Path = tuple[str | int, ...]

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)?\.?[0-9]*([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True)
class Problem:
    """What is wrong in a file, and where.

    Attributes:
        line: From 1.
        text: What is wrong and, where it can be said, what to write instead.
    """

    line: int
    text: str


@dataclass
class Document:
    """A file's value, the line of every part of it, and what is wrong with its YAML."""

    value: Any
    lines: dict[Path, int]
    problems: list[Problem]

    def line(self, path: Path) -> int:
        """The line of a part; of what holds it, where it is not there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read(text: str) -> Document:
    """Read one YAML document."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or str(error)
        return Document(None, {}, [Problem(mark.line + 1 if mark else 1, f"not YAML: {said}{_tab_hint(text, mark)}")])
    document = Document(None, {}, [])
    if node is not None:
        document.value = _build(node, (), document)
    return document


def _tab_hint(text: str, mark: Any) -> str:
    lines = text.splitlines()
    there = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    return "; indent with spaces, not with a tab" if "\t" in there[: len(there) - len(there.lstrip())] else ""


def _build(node: yaml.Node, path: Path, document: Document) -> Any:
    document.lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*path, index), document) for index, item in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node.value) if node.style is None else node.value


def _mapping(node: yaml.MappingNode, path: Path, document: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            document.problems.append(Problem(line, "a key must be a word"))
        elif key.value in found:
            first = document.lines[(*path, key.value)]
            document.problems.append(Problem(line, f"{key.value!r} stands here a second time; first in line {first}"))
        else:
            found[key.value] = _build(value, (*path, key.value), document)
            document.lines[(*path, key.value)] = line
    return found


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and any(character.isdigit() for character in text.lower().partition("e")[0]):
        return float(text)
    return text
