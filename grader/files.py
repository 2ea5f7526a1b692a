"""Writing files whole, and finding a place for what is remembered between runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from grader.errors import UserError


def write_text(path: Path, text: str) -> None:
    """Write a text, its lines ended as on Linux, whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, so that nobody ever reads half of it."""
    target = path.resolve()  # a link stays a link
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def user_state_folder(environ: Mapping[str, str], platform: str) -> Path:
    """Where this user's programs keep what they remember, by the platform's own convention.

    Raises:
        UserError: If the user has no home folder.
    """
    xdg = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(xdg):  # the XDG specification says to ignore a relative one
        return Path(xdg) / "grade"
    if platform == "win32" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"]) / "grade"
    try:
        return Path.home() / ".local" / "state" / "grade"
    except RuntimeError as error:
        raise UserError("you have no home folder to save anything in", "Set XDG_STATE_HOME.") from error


def make_writable(folder: Path) -> bool:
    """Make a private folder if it is not there, and find out by doing it whether it can be written to."""
    probe = folder / f".probe{os.getpid()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe.touch()
        probe.unlink(missing_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")  # what is remembered is nobody's to commit
    except OSError:
        return False
    return True
