"""What was answered, saved after every answer: ``quizzes/<lesson>.json`` in the course's state folder.

Responses only: they are scored anew when they are read, so that nothing that is saved can contradict the scorer.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.files import write_text

SCHEMA = 1


@dataclass
class Progress:
    """The responses to one draw of a lesson's quiz.

    Attributes:
        path: The file; None where nothing can be saved.
        bank: The SHA-256 of the items; responses to other items are not looked at.
        draw: Which draw.
        responses: By the variant's code.
        unsaved: Why the last answer could not be saved, or "".
    """

    path: Path | None
    bank: str
    draw: int
    responses: dict[str, Any] = field(default_factory=dict)
    unsaved: str = ""

    @classmethod
    def load(cls, path: Path | None, bank: str, draw: int) -> Progress:
        """What is on record; nothing if there is no file, or it is damaged, or is of other items."""
        progress = cls(path, bank, draw)
        progress.responses = dict(progress._saved().get(str(draw), {}))
        return progress

    def record(self, code: str, response: Any) -> None:
        """Save one response; what another window has saved meanwhile is kept."""
        self.responses = {**self._saved().get(str(self.draw), {}), **self.responses, code: response}
        self._write()

    def forget(self, codes: Collection[str]) -> None:
        """Forget the responses to some variants."""
        if any(code in self.responses for code in codes):
            self.responses = {code: response for code, response in self.responses.items() if code not in codes}
            self._write()

    def _write(self) -> None:
        if self.path is None:
            self.unsaved = "there is no folder that can be written to"
            return
        draws = {**self._saved(), str(self.draw): self.responses}
        data = {"schema": SCHEMA, "bank": self.bank, "draws": draws}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text(self.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
            self.unsaved = ""
        except OSError as error:
            self.unsaved = f"{self.path}: {error.strerror}"

    def _saved(self) -> dict[str, dict[str, Any]]:
        """The saved responses by draw and code."""
        data: Any = None
        if self.path is not None:
            with contextlib.suppress(OSError, ValueError, RecursionError):
                data = json.loads(self.path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or (data.get("schema"), data.get("bank")) != (SCHEMA, self.bank):
            return {}
        draws = data.get("draws")
        if not isinstance(draws, dict):
            return {}
        return {draw: responses for draw, responses in draws.items() if isinstance(responses, dict)}
