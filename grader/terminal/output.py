"""Writing to the terminal."""

from __future__ import annotations

import sys
import time


def write(text: str) -> None:
    """Print text whose colours are decided already."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


class Progress:
    """One line on a terminal's stderr that says what is being done; nothing where there is no terminal."""

    def __init__(self, verb: str) -> None:
        """Say "``verb`` …" of whatever comes."""
        self._verb, self._shown = verb, False
        self._began = time.monotonic()

    def __call__(self, what: str) -> None:
        """Say what is being done now."""
        if sys.stderr.isatty() and time.monotonic() - self._began > 0.5:
            sys.stderr.write(f"\r\x1b[K{self._verb} {what} …")
            sys.stderr.flush()
            self._shown = True

    def done(self) -> None:
        """Clear the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
