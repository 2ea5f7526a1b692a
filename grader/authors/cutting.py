"""Cutting a Python text by its syntax tree, so that what is kept stays as its author formatted it."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef

_LINE_LENGTH = 110
_DIRECTIVE = re.compile(r"\s*#.*\b(noqa|type: ignore|fmt:|pragma)\b.*")


class Source:
    """A Python text, cut by the nodes of its tree."""

    def __init__(self, text: str) -> None:
        """Take a text; its line ends become newlines, and a byte order mark goes."""
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._lines = self.text.split("\n")  # as the parser counts them: str.splitlines also splits at form feeds

    def whole(self, node: ast.stmt) -> str:
        """The lines of a statement, decorators included."""
        return self._rows(_first_row(node), _last_row(node))

    def comments_above(self, node: ast.stmt) -> str:
        """The comment lines directly above a statement, each with its line end."""
        first = row = _first_row(node)
        while row > 1 and self._lines[row - 2].startswith("#"):
            row -= 1
        return "".join(line + "\n" for line in self._lines[row - 1 : first - 1])

    def _rows(self, first: int, last: int) -> str:
        return "\n".join(self._lines[first - 1 : last])

    def header(self, body: Sequence[ast.stmt]) -> str:
        """The module's docstring and what stands above it; "" if it has none."""
        if not (body and _is_docstring(body[0])):
            return ""
        return self._rows(1, _last_row(body[0]))

    def head(self, node: Function | ast.ClassDef) -> str:
        """A definition's decorators and signature, and its docstring."""
        row, column = self._colon(node)
        text = self._between((_first_row(node), 0), (row, column)) + self._directive(row, column)
        docstring = node.body[0]
        if not _is_docstring(docstring):
            return text
        row, column = _last_row(docstring), self._column(_last_row(docstring), docstring.end_col_offset or 0)
        first = docstring.lineno, self._column(docstring.lineno, docstring.col_offset)
        indent = " " * (node.col_offset + 4)
        return f"{text}\n{indent}{self._between(first, (row, column))}{self._directive(row, column)}"

    def import_of(self, node: ast.Import | ast.ImportFrom, aliases: Sequence[ast.alias]) -> str:
        """An import of some of the names that a statement imports."""
        names = [f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in aliases]
        if isinstance(node, ast.Import):
            return f"import {', '.join(names)}"
        start = f"from {'.' * node.level}{node.module or ''} import "
        line = start + ", ".join(names)
        if len(line) <= _LINE_LENGTH:
            return line
        return start + "(\n" + "".join(f"    {name},\n" for name in names) + ")"

    def is_blank_between(self, before: ast.stmt, node: ast.stmt) -> bool:
        """Whether there is an empty line between two statements."""
        return any(not line.strip() for line in self._lines[_last_row(before) : _first_row(node) - 1])

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text from one row and column to another; rows count from 1, columns in characters."""
        lines = self._lines[start[0] - 1 : end[0]]
        lines[-1] = lines[-1][: end[1]]  # before the first, for they may be one line
        lines[0] = lines[0][start[1] :]
        return "\n".join(lines)

    def _directive(self, row: int, column: int) -> str:
        """What the rest of a line says to a tool; any other remark there may be about the answer."""
        rest = self._lines[row - 1][column:]
        return rest.rstrip() if _DIRECTIVE.fullmatch(rest) else ""

    def _column(self, row: int, byte: int) -> int:
        """A column in characters; the parser counts bytes."""
        return len(self._lines[row - 1].encode()[:byte].decode())

    def _colon(self, node: Function | ast.ClassDef) -> tuple[int, int]:
        """The row and column after the colon that ends a signature: the first one outside brackets."""
        rest = iter([line + "\n" for line in self._lines[node.lineno - 1 :]])
        depth = 0
        for token in tokenize.generate_tokens(rest.__next__):
            if token.string in ("(", "[", "{"):
                depth += 1
            elif token.string in (")", "]", "}"):
                depth -= 1
            elif token.string == ":" and depth == 0:
                return node.lineno - 1 + token.end[0], token.end[1]
        raise AssertionError(f"{node.name} has a body")


def names_in(node: ast.AST) -> set[str]:
    """The names that are read in a piece of syntax, those in quoted annotations among them."""
    names: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            names.add(each.id)
        elif isinstance(each, ast.arg | ast.AnnAssign) and each.annotation is not None:
            names |= quoted_names(each.annotation)
        elif isinstance(each, Function) and each.returns is not None:
            names |= quoted_names(each.returns)
    return names


def quoted_names(annotation: ast.AST) -> set[str]:
    """The names in the quoted parts of an annotation; what Literal quotes is no name."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return names_in(ast.parse(annotation.value, mode="eval"))
        except SyntaxError:
            return set()
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).endswith("Literal"):
        return set()
    return {name for child in ast.iter_child_nodes(annotation) for name in quoted_names(child)}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _first_row(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _last_row(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
