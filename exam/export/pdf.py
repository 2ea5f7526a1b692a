"""A paper as PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exam.export import typst_source
from exam.export.typst_source import capability
from exam.variants import VariantSet

if TYPE_CHECKING:
    from exam.render.paper import Size

__all__ = ["POOLS", "SUFFIX", "capability", "key", "write"]

SUFFIX = ".pdf"
POOLS = False


def write(quiz: VariantSet, size: Size = "a4") -> bytes:
    """The questions."""
    return _set(typst_source.write(quiz, size))


def key(quiz: VariantSet, size: Size = "a4") -> bytes:
    """The answers."""
    return _set(typst_source.key(quiz, size))


def _set(source: bytes) -> bytes:
    from exam.render.paper import pdf

    return pdf(source)
