"""An exception of student code as plain data: its kind, its text, and the student's own lines."""

from __future__ import annotations

import traceback
from typing import Any

MAX_TEXT = 2000
MAX_FRAMES = 12


def describe(error: BaseException, file_name: str) -> dict[str, Any]:
    """What happened: type, base classes, text, and the lines of ``file_name`` that it passed through, outermost first.

    A syntax error also has line, column and text of the place.
    """
    facts: dict[str, Any] = {
        "type": type(error).__name__,
        "bases": [kind.__name__ for kind in type(error).__mro__][:20],
        "text": _text_of(error),
        "frames": _own_frames(error, file_name),
    }
    if isinstance(error, SyntaxError):
        facts["syntax"] = [error.lineno or 0, error.offset or 0, (error.text or "").rstrip("\n")[:400]]
        facts["text"] = str(error.msg)[:MAX_TEXT]
    return facts


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except BaseException as inner:  # an exception whose __str__ raises is the student's to explain
        return f"(its message could not be made: {type(inner).__name__})"


def _own_frames(error: BaseException, file_name: str) -> list[list[Any]]:
    frames: list[list[Any]] = []
    try:
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename == file_name:
                frames.append([line, frame.f_code.co_name])
    except RecursionError:
        pass
    return frames if len(frames) <= MAX_FRAMES else frames[:4] + frames[-MAX_FRAMES + 4 :]
