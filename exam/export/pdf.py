"""A paper as PDF."""

from __future__ import annotations

from exam.export.typst_source import capability
from exam.variants import VariantSet

__all__ = ["POOLS", "SUFFIX", "capability", "write"]

SUFFIX = ".pdf"
POOLS = False


def write(quiz: VariantSet) -> bytes:
    """The file."""
    from exam.render.paper import pdf

    return pdf(quiz)
