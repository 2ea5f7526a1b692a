"""An exception of student code as plain data: its kind, its text, and the student's own lines."""

from __future__ import annotations

import builtins
import traceback
from typing import Any

MAX_TEXT = 2000
MAX_FRAMES = 12
_BUILT_IN = {
    name: kind for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
}


def describe(error: BaseException, file_name: str) -> dict[str, Any]:
    """What happened: type, base classes, text, and the lines of ``file_name`` that it passed through, outermost first.

    A syntax error of that file also has line, column and text of the place.
    """
    facts: dict[str, Any] = {
        "type": _name_of(type(error)),
        "bases": [_name_of(kind) for kind in type(error).__mro__][:20],
        "text": _text_of(error),
        "frames": _own_frames(error, file_name),
    }
    if isinstance(error, SyntaxError) and error.filename == file_name and type(error.lineno) is int:
        column = error.offset if type(error.offset) is int else 0
        facts["syntax"] = [error.lineno, column, str(error.text or "").rstrip("\n")[:400]]
        facts["text"] = str(error.msg)[:MAX_TEXT]
    return facts


def _name_of(kind: type) -> str:
    """A class's name, with its module where the name alone would be that of a built-in exception that it is not."""
    name = str(kind.__name__)
    return name if _BUILT_IN.get(name, kind) is kind else f"{kind.__module__}.{name}"


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
