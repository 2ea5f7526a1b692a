"""What quizzes can be exported to, and what each target can express. Naming the targets loads none of them.

A target is a module with ``capability(variant)`` and ``write(quiz)``; see ``Target``. What it can't express is
refused, and what it expresses with a loss is degraded: both are told, nothing is dropped in silence.
"""

from __future__ import annotations

import enum
import importlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from exam.variants import Slot, Variant, VariantSet
from grader.errors import UserError
from grader.names import did_you_mean

if TYPE_CHECKING:
    from exam.render.paper import Size


class Level(enum.StrEnum):
    """How well a target expresses something."""

    EXACT = "exact"
    DEGRADED = "degraded"
    REFUSED = "refused"


@dataclass(frozen=True)
class Capability:
    """How well a target expresses a variant, and what is lost."""

    level: Level
    why: str = ""


EXACT = Capability(Level.EXACT)


def degraded(*whys: str) -> Capability:
    """Expressed with losses; exactly, if there are none."""
    told = "; ".join(why for why in whys if why)
    return Capability(Level.DEGRADED, told) if told else EXACT


def refused(why: str) -> Capability:
    """Not expressed."""
    return Capability(Level.REFUSED, why)


class Target(Protocol):
    """A format that a platform imports, or a paper."""

    SUFFIX: str
    POOLS: bool  # whether a student gets one variant of each item, drawn by the platform

    def capability(self, variant: Variant) -> Capability:
        """How well it expresses a variant: grades it as ``exam.scoring`` does."""

    def write(self, quiz: VariantSet) -> bytes:
        """The file; every variant in it can be expressed."""


class Paper(Target, Protocol):
    """A target that is printed: it comes in sizes, and its key is a document of its own."""

    def write(self, quiz: VariantSet, size: Size = "a4") -> bytes:
        """The questions."""

    def key(self, quiz: VariantSet, size: Size = "a4") -> bytes:
        """The answers."""


TARGETS = {
    "moodle-xml": ("exam.export.moodle_xml", "Moodle, question bank"),
    "gift": ("exam.export.gift", "Moodle and others, GIFT text"),
    "canvas-qti12": ("exam.export.canvas_qti12", "Canvas, quiz package"),
    "qti21": ("exam.export.qti21", "QTI 2.1 package (TAO, OpenOlat, Blackboard)"),
    "qti30": ("exam.export.qti30", "QTI 3.0 package"),
    "olx": ("exam.export.olx", "Open edX, content library"),
    "json": ("exam.export.plain_json", "JSON without the keys"),
    "typst": ("exam.export.typst_source", "a paper, as Typst's source"),
    "pdf": ("exam.export.pdf", "a paper, as PDF"),
}


def target(name: str) -> Target:
    """Load a target.

    Raises:
        UserError: If there is none of this name.
    """
    if name not in TARGETS:
        raise UserError(f"no target {name!r}{did_you_mean(name, list(TARGETS))}", f"There are {', '.join(TARGETS)}.")
    return cast(Target, importlib.import_module(TARGETS[name][0]))


def as_paper(to: Target) -> Paper | None:
    """The same target, if it is printed."""
    return cast(Paper, to) if hasattr(to, "key") else None


@dataclass(frozen=True)
class Loss:
    """An item that a target expresses with a loss, or not at all."""

    item: str
    capability: Capability


def losses(to: Target, quiz: VariantSet) -> list[Loss]:
    """What is lost on the way, an item at a time."""
    found: dict[tuple[str, Capability], Loss] = {}
    for variant in quiz.variants:
        if (capability := to.capability(variant)).level is not Level.EXACT:
            found.setdefault((variant.item, capability), Loss(variant.item, capability))
    pooled = [slot for slot in quiz.slots if len(slot.variants) > 1]
    if pooled and not to.POOLS:
        why = "this target draws no variants: every student gets the first"
        found |= {(slot.item, degraded(why)): Loss(slot.item, degraded(why)) for slot in pooled}
    return list(found.values())


def expressible(to: Target, quiz: VariantSet) -> VariantSet:
    """The quiz without what the target refuses; without further variants, where it draws none."""
    kept = [variant for variant in quiz.variants if to.capability(variant).level is not Level.REFUSED]
    return replace(quiz, variants=tuple(kept if to.POOLS else _first_of_each(kept)))


def _first_of_each(variants: Iterable[Variant]) -> list[Variant]:
    return list({variant.item: variant for variant in reversed(list(variants))}.values())[::-1]


def stem_of(variant: Variant, slot: Slot | None = None) -> str:
    """The stem, with the variant's code where responses could not be told apart otherwise."""
    return variant.stem if slot is None or len(slot.variants) < 2 else f"{variant.stem}\n\n({variant.code})"
