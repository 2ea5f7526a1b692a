"""Asking one question after the other."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TextIO

from exam.scoring import score
from exam.take import screen
from exam.take.progress import Progress
from exam.take.quiz import Quiz
from exam.take.reply import understood
from exam.take.review import Answered, Review, review
from exam.variants import Variant
from grader.terminal.style import Style

ROOM = 20  # columns for an answer


class Left(Exception):
    """Whoever answers has gone: the input ended, or Ctrl-C was pressed."""


@dataclass
class Terminal:
    """Where answers come from and questions go to.

    Attributes:
        source: Lines that are typed, or that a file or a pipe holds.
        out: Where questions are written.
    """

    source: TextIO
    out: TextIO

    def __post_init__(self) -> None:
        """Bytes that are no text are an answer that can't be understood, not the end."""
        if hasattr(self.source, "reconfigure"):
            self.source.reconfigure(errors="replace")
        self.style = Style.of(self.out)

    def write(self, lines: list[str]) -> None:
        """Write lines."""
        self.out.write("".join(f"{line}\n" for line in lines))
        self.out.flush()

    def ask(self, prompt: str) -> str:
        """The next line of input.

        Raises:
            Left: If there is none.
        """
        self.out.write(self.style.safe(prompt))
        self.out.flush()
        line = self.source.readline()
        if not line:
            raise Left
        if not self.source.isatty():  # nobody has seen it: a transcript shows it
            self.write([self.style.cut(line, self.style.width)])
        return line.strip()


@dataclass
class Session:
    """One sitting.

    Attributes:
        quiz: What is asked.
        progress: What was answered before, and what is saved.
        terminal: Where.
        again: Whether to ask what was answered before, too.
    """

    quiz: Quiz
    progress: Progress
    terminal: Terminal
    again: bool = False

    def run(self) -> Review:
        """Ask what is not answered yet, until all is or nobody answers any more."""
        known = self._review()
        done = set() if self.again else {each.variant.code for each in known.answered}
        self.terminal.write(screen.greeting(self.quiz.title, self.quiz.variants, len(done), self.terminal.style))
        answered_now: set[str] = set()
        try:
            for number, variant in enumerate(self.quiz.variants, start=1):
                if variant.code not in done and self._ask(variant, number):
                    answered_now.add(variant.code)
        except (Left, KeyboardInterrupt):
            self.terminal.write(["", ""])
        counted = done | answered_now
        return review(self.quiz, {code: value for code, value in self.progress.responses.items() if code in counted})

    def _review(self) -> Review:
        return review(self.quiz, self.progress.responses)

    def _ask(self, variant: Variant, number: int) -> bool:
        """Ask one question until the answer can be read; whether it was answered."""
        terminal, style = self.terminal, self.terminal.style
        terminal.write(screen.question(variant, number, len(self.quiz.variants), style))
        while typed := self._typed(variant):
            reply = understood(variant, typed)
            found = score(variant, reply.response)
            if problem := reply.complaint or found.problem:
                terminal.write(screen.complaint(problem, style))
                continue
            self._record(variant, reply.response)
            terminal.write(screen.verdict(Answered(variant, reply.response, found), style))
            return True
        terminal.write(["  Left for later.", ""])
        return False

    def _typed(self, variant: Variant) -> str:
        """What is typed for an answer; where the screen is narrow, on a line of its own."""
        asked, style = screen.prompt(variant), self.terminal.style
        if len(asked) + ROOM <= style.width:
            return self.terminal.ask(f"  {asked} ")
        self.terminal.write(style.prose(asked, 2, 2))
        return self.terminal.ask("  > ")

    def _record(self, variant: Variant, response: Any) -> None:
        """Save an answer; the first time that it can't be, say so."""
        before = self.progress.unsaved
        self.progress.record(variant.code, response)
        if self.progress.unsaved and not before:
            text = f"Answers can't be saved ({self.progress.unsaved}); the quiz goes on without."
            self.terminal.write(screen.complaint(text, self.terminal.style))


def standard_terminal(*, json: bool) -> Terminal:
    """The process's own streams; where standard output is for JSON, questions go to standard error."""
    return Terminal(sys.stdin, sys.stderr if json else sys.stdout)
