"""The one exception for what the person at the keyboard can put right."""

from __future__ import annotations


class UserError(Exception):
    """A mistake of the user's, not of the program: shown without a traceback, with exit code 2.

    Attributes:
        message: What is wrong, naming the file, lesson or option it is about.
        hint: The way out, or "".
    """

    def __init__(self, message: str, hint: str = "") -> None:
        """Say what is wrong and, if there is one, the way out."""
        super().__init__(message, hint)  # both as arguments, so that it survives pickling
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """The message, and the hint on a line of its own."""
        return f"{self.message}\n{self.hint}" if self.hint else self.message
