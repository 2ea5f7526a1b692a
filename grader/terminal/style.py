"""Text for a terminal: colour or none, the characters that its encoding has, lines of its width.

Rich would do this too, but takes longer to import than a result takes to show.

Strings that come from a submission go through ``Style.safe`` (``wrap`` and ``cut`` do it themselves)
before any colour is added: what is printed holds no control characters but ours.
"""

from __future__ import annotations

import functools
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

NARROWEST, WIDEST = 40, 200
PIPED = 100  # columns where there is no terminal to ask
PROSE = 110  # longer lines of prose are hard to read

_LOOKS = {"good": "32", "bad": "31", "odd": "33", "command": "36", "heading": "1", "quiet": "2"}
_SPELT = str.maketrans(
    {"·": "-", "…": "...", "–": "-", "—": "--", "−": "-", "×": "x", "‘": "'", "’": "'", "“": '"', "”": '"'}
    | {"≤": "<=", "≥": ">=", "→": "->", "α": "alpha", "β": "beta", "π": "pi", "µ": "u", "μ": "u", "²": "^2"}
)
_WORDS = re.compile(r"\S+\s*")
# Code may break after a space, but not within quotes: what is pasted from the terminal must still run.
_CODE = re.compile(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S)+\s*""")


@dataclass(frozen=True)
class Style:
    """How to write for one terminal, file or pipe.

    Attributes:
        width: Columns of a line.
        colour: Whether to write colours.
        encoding: The encoding that the text must survive.
    """

    width: int = PIPED
    colour: bool = False
    encoding: str = "utf-8"

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str] = os.environ) -> Style:
        """The style for what will be written to ``stream``; obeys NO_COLOR, FORCE_COLOR, TERM and COLUMNS."""
        return cls(_width(stream, environment), _coloured(stream, environment), stream.encoding or "utf-8")

    @functools.cached_property
    def unicode(self) -> bool:
        """Whether the encoding has the marks and bars; otherwise all of them are written in ASCII."""
        return self._has("✓✗·█░…")

    def pick(self, character: str, ascii_character: str) -> str:
        """The one that the encoding can write."""
        return character if self.unicode else ascii_character

    def paint(self, text: str, look: str) -> str:
        """Colour text that is safe: "good", "bad", "odd", "command", "heading" or "quiet"."""
        return f"\x1b[{_LOOKS[look]}m{text}\x1b[0m" if self.colour and text and look else text

    def safe(self, text: str) -> str:
        """The text with control characters spelt out, and in characters that the encoding has."""
        if text.isascii() and text.isprintable():
            return text
        visible = "".join(map(_visible, text))
        if self._has(visible):
            return visible
        return "".join(c if self._has(c) else _escaped(c.translate(_SPELT)) for c in visible)

    def _has(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def cut(self, text: str, width: int) -> str:
        """The text on one line of at most ``width`` columns."""
        text = self.safe(" ".join(text.split()))
        dots = self.pick("…", "...")
        return text if cells(text) <= width else _head(text, max(1, width - len(dots))).rstrip() + dots

    def prose(self, text: str, indent: int = 0, hanging: int = 0) -> list[str]:
        """Prose, its white space closed up, in lines indented by ``indent``; later ones ``hanging`` more."""
        start, rest = " " * indent, " " * (indent + hanging)
        words = _WORDS.findall(self.safe(" ".join(text.split())))
        return _fill(words, start, rest, min(self.width, PROSE))

    def verbatim(self, text: str, indent: int = 0, *, most_lines: int = 30) -> list[str]:
        """Code or output, its own lines and indentation kept; too long a line goes on with a hanging indent.

        Carets that point into the line above (a syntax error) still point there. Where there is too much, the
        middle is left out, and that is said.
        """
        lines: list[str] = []
        found = _shorter(text.replace("\r\n", "\n")).rstrip("\n").split("\n")
        while found:
            line = found.pop(0)
            if found and line.strip() and _is_pointer(found[0]) and not _is_pointer(line):
                lines += self._pointed(line, found.pop(0), indent)
            else:
                lines += self._code(line, indent)
        return _without_middle(lines, most_lines, " " * indent + self.pick("…", "..."))

    def _code(self, line: str, indent: int) -> list[str]:
        line = self.safe(line).rstrip()
        body = line.lstrip(" ")
        start = " " * (indent + min(len(line) - len(body), (self.width - indent) // 3))
        return _fill(_CODE.findall(body), start, start + "    ", self.width) or [""]

    def _pointed(self, line: str, pointer: str, indent: int) -> list[str]:
        """A line of code and the carets under it, as a window around the carets if it is too long."""
        offset = len(pointer) - len(pointer.lstrip())
        carets = pointer.strip()
        before, at = self.safe(line[:offset]), self.safe(line[offset : offset + len(carets)])
        after, start = self.safe(line[offset + len(carets) :]), cells(before)
        marks = carets[:1] * max(cells(at), 1) if len(set(carets)) == 1 else carets
        room, dots = self.width - indent, self.pick("…", "...")
        shown = before + at + after
        if max(cells(shown), start + len(marks)) > room:
            left = room - min(max(cells(at + after), len(marks)), room // 2)
            before = before if start <= left else dots + _tail(before, left - len(dots))
            start, shown = cells(before), before + at + after
            shown = shown if cells(shown) <= room else _head(shown, room - len(dots)) + dots
            marks = marks[: room - start]
        return [" " * indent + shown.rstrip(), " " * (indent + start) + marks]

    def labelled(self, rows: Sequence[tuple[str, str, str]], indent: int, gap: int, least: int = 0) -> list[str]:
        """Rows of (label, text, look), the texts aligned; under their labels where the terminal is narrow.

        Args:
            rows: A look of "command" is never broken, so that it can be copied.
            indent: Columns before the labels.
            gap: Columns between the longest label and the texts.
            least: Columns that labels take at least.
        """
        column = max([least, *(cells(self.safe(label)) + gap for label, _, _ in rows)])
        stacked = self.width - indent - column < 24
        lines: list[str] = []
        for label, text, look in rows:
            label, inset = self.safe(label), indent + (2 if stacked else column)
            command = look == "command"
            found = [" " * inset + self.safe(text)] if command else self.verbatim(text, inset, most_lines=12)
            texts = [self.paint(line[inset:], look) for line in found]
            head = " " * indent + self.paint(label, "quiet")
            if stacked:
                lines.append(head)
            else:
                lines.append(head + " " * (column - cells(label)) + texts.pop(0))
            lines += [" " * inset + line if line else "" for line in texts]
        return lines


def cells(text: str) -> int:
    """Columns that safe text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def pad(text: str, width: int) -> str:
    """Safe text filled with spaces to ``width`` columns."""
    return text + " " * (width - cells(text))


def _cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _width(stream: TextIO, environment: Mapping[str, str]) -> int:
    columns = environment.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return min(max(int(columns), NARROWEST), WIDEST)
    try:
        return min(max(os.get_terminal_size(stream.fileno()).columns or PIPED, NARROWEST), WIDEST)
    except (OSError, ValueError, AttributeError):
        return PIPED


def _coloured(stream: TextIO, environment: Mapping[str, str]) -> bool:
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def _visible(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    if character == "\t":
        return "    "
    return " " if unicodedata.category(character) == "Zs" else _spelt_out(character)


def _spelt_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _escaped(text: str) -> str:
    return text if text.isascii() else _spelt_out(text)


def _is_pointer(line: str) -> bool:
    return bool(line.strip()) and not line.strip().strip("^~")


def _head(text: str, width: int) -> str:
    """As much of the start of ``text`` as fits."""
    if text.isascii():
        return text[:width]
    used = 0
    for place, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            return text[:place]
    return text


def _tail(text: str, width: int) -> str:
    return _head(text[::-1], width)[::-1]


def _fill(chunks: Sequence[str], start: str, rest: str, width: int) -> list[str]:
    """Lines of the chunks; a chunk that is longer than a line is broken where it must be."""
    lines: list[str] = []
    line, room = "", width - len(start)
    for chunk in chunks:
        if line and cells(line + chunk.rstrip()) > room:
            lines.append(line)
            line, room = "", width - len(rest)
        while cells(chunk.rstrip()) > room:
            part = _head(chunk, room) or chunk[:1]
            lines.append(part)
            chunk, room = chunk[len(part) :], width - len(rest)
        line += chunk
    if line:
        lines.append(line)
    return [(rest if place else start) + line.rstrip() for place, line in enumerate(lines)]


def _shorter(text: str, head: int = 3000, tail: int = 1000) -> str:
    left_out = len(text) - head - tail
    return f"{text[:head]} ... ({left_out} characters left out) ... {text[-tail:]}" if left_out > 0 else text


def _without_middle(lines: list[str], most: int, dots: str) -> list[str]:
    if len(lines) <= most:
        return lines
    head, tail = most // 2, most - most // 2 - 1
    return [*lines[:head], f"{dots} ({len(lines) - head - tail} more lines)", *lines[-tail:]]
