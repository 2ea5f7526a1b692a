"""What changed between two manifests, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.manifest import Example, Manifest, ManifestExercise


def difference(old: Manifest, new: Manifest) -> list[str]:
    """What changed, in words; empty exactly when both manifests have the same text."""
    lines = _changes(_own_values(old), _own_values(new), "")
    before, after = _by_name(old.exercises), _by_name(new.exercises)
    lines += _came_and_went(before, after, "{}: exercise")
    for name in [name for name in after if name in before]:
        lines += _exercise_difference(before[name], after[name])
    return lines + _order(before, after, "exercises")


def _exercise_difference(old: ManifestExercise, new: ManifestExercise) -> list[str]:
    where = f"{new.name}: "
    lines = _changes(_own_values(old), _own_values(new), where)
    before, after = _by_name(old.checks), _by_name(new.checks)
    lines += _came_and_went(before, after, where + "check {}")
    for name in [name for name in after if name in before]:
        lines += _changes(vars(before[name]), vars(after[name]), f"{where}check {name}: ")
    return lines + _example_difference(old.examples, new.examples, where)


def _example_difference(old: tuple[Example, ...], new: tuple[Example, ...], where: str) -> list[str]:
    before, after = [example.source for example in old], [example.source for example in new]
    if before != after:
        gone = [f"{where}example {source} is gone" for source in before if source not in after]
        added = [f"{where}example {source} is new" for source in after if source not in before]
        return gone + added or [f"{where}the examples are in another order, or repeated"]
    pairs = zip(old, new, strict=True)
    return [f"{where}example {b.source} has another result" for a, b in pairs if _text(a.result) != _text(b.result)]


def _came_and_went(before: Mapping[str, object], after: Mapping[str, object], what: str) -> list[str]:
    gone = [f"{what.format(name)} is gone" for name in before if name not in after]
    return gone + [f"{what.format(name)} is new" for name in after if name not in before]


def _order(before: Iterable[str], after: Iterable[str], what: str) -> list[str]:
    old, new = list(before), list(after)
    common = set(old) & set(new)
    if [name for name in old if name in common] == [name for name in new if name in common]:
        return []
    return [f"the {what} are in another order: {', '.join(new)}"]


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], where: str) -> list[str]:
    changed = [name for name in new if _text(old[name]) != _text(new[name])]
    return [f"{where}{name} was {_shown(old[name])}, is now {_shown(new[name])}" for name in changed]


def _own_values(part: Manifest | ManifestExercise) -> dict[str, Any]:
    """The values of a part of the manifest, without the parts that it is made of."""
    return {name: value for name, value in vars(part).items() if name not in ("exercises", "examples", "checks")}


def _by_name(parts: Iterable[Any]) -> dict[str, Any]:
    return {part.name: part for part in parts}


def _text(value: object) -> str:
    """A text by which 1, 1.0 and True differ, and one not-a-number is like another."""
    return json.dumps(value)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else repr(value)
