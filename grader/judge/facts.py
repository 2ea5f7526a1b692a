"""What a worker says of an exception, as far as the judge may rely on it.

``worker/failure.py`` makes the facts, but a submission can make them too: here each has its type and a bounded length.
"""

from __future__ import annotations

from typing import Any

from grader.worker.failure import MAX_FRAMES, MAX_TEXT

MAX_NAME = 100
MAX_BASES = 20
MAX_LINE = 400


def plain_text(value: Any, most: int) -> str:
    """A text cut to ``most`` characters, without halves of characters that no file or terminal takes; else ""."""
    return value[:most].encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""


def trusted(value: Any) -> dict[str, Any]:
    """The facts of an exception; what is not of the form that it should be is left out."""
    said = value if isinstance(value, dict) else {}
    facts: dict[str, Any] = {
        "type": plain_text(said.get("type"), MAX_NAME) or "an exception without a name",
        "bases": [plain_text(name, MAX_NAME) for name in _list(said.get("bases"))[:MAX_BASES]],
        "text": plain_text(said.get("text"), MAX_TEXT),
        "frames": [frame for frame in map(_frame, _list(said.get("frames"))[-MAX_FRAMES:]) if frame],
    }
    match said.get("syntax"):
        case [int(line), int(column), str(text)]:
            facts["syntax"] = [line, min(max(column, 0), MAX_LINE), plain_text(text, MAX_LINE)]
    return facts


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _frame(value: Any) -> list[Any] | None:
    match value:
        case [int(line), str(name)]:
            return [line, plain_text(name, MAX_NAME)]
    return None
