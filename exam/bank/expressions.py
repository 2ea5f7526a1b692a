"""Expressions and texts of items: Jinja2 in a sandbox, with numbers rounded in decimal arithmetic."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from exam.bank import numbers

_FUNCTIONS: dict[str, Any] = {
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


class ExpressionError(ValueError):
    """An expression that can't be evaluated; says which, and why."""


def _environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        comment_start_string="{##",
        comment_end_string="##}",
        keep_trailing_newline=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(_FUNCTIONS)
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


@functools.cache
def _compiled(source: str) -> Any:
    return _ENVIRONMENT.compile_expression(source, undefined_to_none=False)


@functools.cache
def _template(source: str) -> Any:
    return _ENVIRONMENT.from_string(source)


def is_expression(source: object) -> bool:
    """Whether a text is one expression between double braces, and nothing else."""
    if not isinstance(source, str):
        return False
    text = source.strip()
    return text.startswith("{{") and text.endswith("}}") and text.count("{{") == 1


def evaluate(source: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression, with or without its double braces.

    Raises:
        ExpressionError: If it can't be evaluated.
    """
    text = source.strip()
    text = text[2:-2].strip() if is_expression(text) else text
    try:
        value = _compiled(text)(**names)
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
    if "{{" not in source and "{%" not in source:
        return source
    try:
        text: str = _template(source).render(**names)
    except Exception as error:
        raise ExpressionError(f"{source.strip()[:60]!r}: {_said(error)}") from error
    return text


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
