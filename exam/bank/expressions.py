"""Expressions and texts of items: Jinja2 in a sandbox, with numbers rounded in decimal arithmetic."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from exam.bank import numbers

FUNCTIONS: dict[str, Any] = {
    **{name: getattr(math, name) for name in ("sqrt", "log", "log2", "log10", "exp", "ceil", "floor", "pi", "inf")},
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "sum": sum,
    "len": len,
    "int": int,
    "float": float,
    "list": list,
    "sorted": sorted,
    "bool": bool,
}
"""What every expression may call, beside what it is given."""


class ExpressionError(ValueError):
    """An expression that can't be evaluated; says which, and why."""


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        comment_start_string="{##",
        comment_end_string="##}",
        keep_trailing_newline=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("range", "dict", "namespace"):
        FUNCTIONS[name] = environment.globals[name]
    environment.globals.clear()  # they would be copied for each of millions of evaluations
    environment.filters.update(
        sig=lambda value, figures: numbers.spelt(numbers.to_figures(value, figures)),
        fixed=lambda value, places: numbers.spelt(numbers.to_decimals(value, places)),
        thousands=numbers.with_thousands,
        sci=numbers.scientific,
        si=numbers.with_prefix,
        plain=lambda value: numbers.spelt(numbers.decimal(value).normalize() + 0),
    )
    return environment


_ENVIRONMENT = _environment()


MEMORY = 10_000  # values that a text remembers: parameters are often drawn from a few choices


@dataclass
class _Compiled:
    """A text that is ready, and the names that it needs; it has one value for equal ones."""

    run: Callable[[dict[str, Any]], Any]
    needs: frozenset[str]
    _known: dict[Hashable, Any] = field(default_factory=dict)

    def __call__(self, names: Mapping[str, Any]) -> Any:
        given = {name: _found(name, names) for name in self.needs if name in names or name in FUNCTIONS}
        try:
            key = tuple((type(value), value) for value in given.values())
            if key in self._known:
                return self._known[key]
        except TypeError:  # a list, which has no hash
            return self.run(given)
        value = self.run(given)
        if len(self._known) >= MEMORY:
            self._known.clear()
        self._known[key] = value
        return value


def _found(name: str, names: Mapping[str, Any]) -> Any:
    return names[name] if name in names else FUNCTIONS[name]


@functools.cache
def _expression(source: str) -> _Compiled:
    needs = find_undeclared_variables(_ENVIRONMENT.parse("{{" + source + "}}"))
    return _Compiled(_ENVIRONMENT.compile_expression(source, undefined_to_none=False), frozenset(needs))


@functools.cache
def _template(source: str) -> _Compiled:
    needs = find_undeclared_variables(_ENVIRONMENT.parse(source))
    return _Compiled(_ENVIRONMENT.from_string(source).render, frozenset(needs))


def is_expression(source: object) -> bool:
    """Whether a text is one expression between double braces, and nothing else."""
    if not isinstance(source, str):
        return False
    text = source.strip()
    return text.startswith("{{") and text.endswith("}}") and text.count("{{") == 1


def is_template(source: str) -> bool:
    """Whether a text has anything to put in."""
    return "{{" in source or "{%" in source


@functools.cache
def _bare(source: str) -> str:
    text = source.strip()
    return text[2:-2].strip() if is_expression(text) else text


def evaluate(source: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression, with or without its double braces.

    Raises:
        ExpressionError: If it can't be evaluated.
    """
    text = _bare(source)
    try:
        value = _expression(text)(names)
        if isinstance(value, StrictUndefined):
            str(value)
    except Exception as error:  # whatever the reference function or the expression raises
        raise ExpressionError(f"{text!r}: {_said(error)}") from error
    return value


def render(source: str, names: Mapping[str, Any]) -> str:
    """A text with its expressions put in.

    Raises:
        ExpressionError: If one of them can't be evaluated.
    """
    if not is_template(source):
        return source
    try:
        text: str = _template(source)(names)
    except Exception as error:
        raise ExpressionError(f"{source.strip()[:60]!r}: {_said(error)}") from error
    return text


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class Use:
    """A name in a text, and its line there, from 0."""

    name: str
    line: int


def uses(source: str) -> list[Use]:
    """The names that a text needs from outside.

    Raises:
        BadTemplate: If it is not written as Jinja2 wants it.
    """
    try:
        _ENVIRONMENT.compile(source, raw=True)  # which looks at filters as well
        tree = _ENVIRONMENT.parse(source)
        needs = find_undeclared_variables(tree)
    except TemplateSyntaxError as error:
        raise BadTemplate(error.message or "not a template", error.lineno - 1) from error
    found = [each for each in tree.find_all(nodes.Name) if each.ctx == "load" and each.name in needs]
    return [Use(each.name, each.lineno - 1) for each in found]


class BadTemplate(ValueError):
    """A text that Jinja2 can't read.

    Attributes:
        line: Where in the text, from 0.
    """

    def __init__(self, message: str, line: int) -> None:
        """What is wrong and where."""
        super().__init__(message)
        self.line = line
