"""A paper as Typst's source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exam.export.targets import Capability, degraded
from exam.variants import Variant, VariantSet

if TYPE_CHECKING:
    from exam.render.paper import Size

SUFFIX = ".typ"
POOLS = False


def capability(variant: Variant) -> Capability:  # noqa: ARG001 - a target has it
    """Everything; people grade it by the key."""
    return degraded()


def write(quiz: VariantSet, size: Size = "a4") -> bytes:
    """The questions."""
    from exam.render.paper import source

    return source(quiz, size=size).encode()


def key(quiz: VariantSet, size: Size = "a4") -> bytes:
    """The answers."""
    from exam.render.paper import key_source

    return key_source(quiz, size=size).encode()
