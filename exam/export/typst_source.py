"""A paper as Typst's source."""

from __future__ import annotations

from exam.export.targets import Capability, degraded
from exam.variants import Variant, VariantSet

SUFFIX = ".typ"
POOLS = False


def capability(variant: Variant) -> Capability:  # noqa: ARG001 - a target has it
    """Everything; people grade it by the key."""
    return degraded()


def write(quiz: VariantSet) -> bytes:
    """The file."""
    from exam.render.paper import source

    return source(quiz).encode()
