"""Failing cases that are kept, so that ``grade replay ID`` can make that very call again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.files import write_text
from grader.judge.examples import from_json, to_json
from grader.worker import wire

KEPT = 200


@dataclass(frozen=True)
class Replay:
    """One failing case.

    Attributes:
        lesson: The lesson's name.
        exercise: The exercise.
        check: The check that fails.
        visibility: Where the check lies.
        submission: The file that was graded.
        arguments: What the check drew.
    """

    lesson: str
    exercise: str
    check: str
    visibility: str
    submission: str
    arguments: dict[str, Any]


def keep(state: Path, replay: Replay) -> str | None:
    """Save a failing case and return its id; None if its arguments are not plain data or there is no place for it."""
    try:
        arguments = to_json(replay.arguments)
    except wire.Unsupported:
        return None
    data = {**replay.__dict__, "arguments": arguments}
    text = json.dumps(data)
    # Not of the file's place: the same submission gets the same result wherever it lies.
    name = hashlib.sha256(json.dumps({**data, "submission": ""}).encode()).hexdigest()[:6]
    folder = state / "replays"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / f"{name}.json", text)
        for old in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            old.unlink()
    except OSError:
        return None
    return name


def find(state: Path, name: str) -> Replay:
    """The failing case with this id, or the only one whose id begins so.

    Raises:
        UserError: If there is none, or its file is damaged.
    """
    found = sorted((state / "replays").glob(f"{name}*.json")) if name.isalnum() else []
    if len(found) != 1:
        known = "several cases begin so" if found else "there is no such case"
        raise UserError(f"replay {name!r}: {known}", "grade lessonN prints an id with every failure.")
    try:
        data = json.loads(found[0].read_text(encoding="utf-8"))
        return Replay(**{**data, "arguments": from_json(data["arguments"])})
    except (ValueError, KeyError, TypeError, wire.WireError):
        raise UserError(f"replay {name!r}: {found[0]} is damaged", "Run grade lessonN again.") from None
