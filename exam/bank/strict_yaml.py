r"""YAML that means what it says: no implicit booleans, dates, octals or sexagesimals; every value knows its line.

A plain scalar is true, false, null, a decimal number (``1e-3`` too), or text. ``No``, ``2026-01-31``, ``010`` and
``1:30`` are text. Duplicate keys, anchors, aliases, tags and tabs are errors; so is what loses text in silence: a
comment behind text without quotes, and the backslashes of LaTeX in double quotes, where ``\t`` is a tab.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

Path = tuple[str | int, ...]

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_LATEX = re.compile(r"(?<!\\)(?:\\\\)*(\\[abefnrtv][A-Za-z])")
_HINTS = {
    "mapping values are not allowed": "put a text that holds ': ' between quotes",
    "unknown escape character": "between double quotes a backslash starts an escape: write single quotes, or | below",
    "expected <block end>": "look at the indentation, and at quotes within quotes",
}


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
    """A file's value, the line of every part of it, and what is wrong with its YAML.

    Attributes:
        value: What the file says.
        lines: By place, the line in which a part begins: that of its key, where it has one.
        problems: What is wrong.
        text_lines: The line of the first line of each text: in a block below its key.
    """

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    text_lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """The line of a part; of what holds it, where it is not there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def below(self, key: str) -> Document:
        """The same document as the only entry of a mapping."""
        lines = {(key, *path): line for path, line in self.lines.items()}
        text_lines = {(key, *path): line for path, line in self.text_lines.items()}
        return Document({key: self.value}, lines, self.problems, text_lines)


def read(text: str) -> Document:
    """Read one YAML document."""
    document = Document()
    try:
        loader = _Loader(text, document.problems)
        node = loader.get_single_node()
        if node is not None:
            document.value = _Reading(text, document).build(node, ())
    except yaml.YAMLError as error:
        document.problems.append(_not_yaml(error, text))
    except RecursionError:
        document.problems.append(Problem(1, "lists and mappings lie too deep in each other"))
    return document


class _Loader(yaml.SafeLoader):
    """Composes nodes; anchors, aliases and tags are problems."""

    def __init__(self, text: str, problems: list[Problem]) -> None:
        super().__init__(text)
        self.problems = problems

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark: Any = event.start_mark
        line = mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            self.get_event()  # type: ignore[no-untyped-call]
            self.problems.append(Problem(line, f"*{event.anchor} is an alias: write its value, or quote the text"))
            return yaml.ScalarNode("", "", mark, mark)
        if event.anchor:
            self.problems.append(Problem(line, f"&{event.anchor} is an anchor, of which this file has no use"))
            event.anchor = None
        if event.tag:
            self.problems.append(Problem(line, f"{event.tag} is a tag: quote the text, if it is one"))
        return super().compose_node(parent, index)


def _not_yaml(error: yaml.YAMLError, text: str) -> Problem:
    """What the YAML library says, with a hint where authors often go wrong."""
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return Problem(line, f"the character {chr(error.character)!r} may not stand in YAML")
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or str(error)
    lines = text.splitlines()
    there = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    hint = next((hint for known, hint in _HINTS.items() if known in said), "")
    if "\t" in there[: len(there) - len(there.lstrip())] or "'\\t'" in said:
        hint = "indent with spaces, not with a tab"
    return Problem(mark.line + 1 if mark else 1, f"not YAML: {said}" + (f"; {hint}" if hint else ""))


class _Reading:
    """Makes a document's values out of its nodes."""

    def __init__(self, text: str, document: Document) -> None:
        self.text, self.document = text, document

    def problem(self, line: int, text: str) -> None:
        self.document.problems.append(Problem(line, text))

    def build(self, node: yaml.Node, path: Path) -> Any:
        self.document.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        self.document.text_lines[path] = node.start_mark.line + (2 if node.style in ("|", ">") else 1)
        value = self.scalar(node) if node.style is None else node.value
        self.look_for_losses(node, value)
        return value

    def mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.problem(line, "a key must be a word; quote a text that begins with { or [")
            elif key.value in found:
                first = self.document.lines[(*path, key.value)]
                self.problem(line, f"{key.value!r} stands here a second time; first in line {first}")
            else:
                found[key.value] = self.build(value, (*path, key.value))
                self.document.lines[(*path, key.value)] = line
        return found

    def scalar(self, node: yaml.ScalarNode) -> Any:
        text = node.value
        if text in _WORDS:
            return _WORDS[text]
        if _INT.fullmatch(text) and len(text) < 100:
            return int(text)
        if not _FLOAT.fullmatch(text):
            return text
        if math.isinf(float(text)):
            self.problem(node.start_mark.line + 1, f"{text[:20]} is too large a number")
        return float(text)

    def look_for_losses(self, node: yaml.ScalarNode, value: Any) -> None:
        """Text that a comment cuts off, or that escapes change."""
        behind = self.text[node.end_mark.index :].partition("\n")[0].lstrip()
        if node.style is None and isinstance(value, str) and behind.startswith("#"):
            hint = "quote the text, or put the comment in a line above"
            self.problem(node.end_mark.line + 1, f"{behind[:20]!r} is a comment: {hint}")
        source = self.text[node.start_mark.index : node.end_mark.index]
        if node.style == '"' and (escape := _LATEX.search(source)):
            line = node.start_mark.line + 1 + source.count("\n", 0, escape.start())
            hint = "write single quotes, or | and the text below"
            self.problem(line, f"between double quotes {escape[1][:2]} is an escape, and no LaTeX: {hint}")
