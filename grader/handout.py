"""Hints: read from a lesson's handout, and given to a student one at a time."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import latex
from grader.course import Course, Lesson
from grader.errors import UserError
from grader.files import write_text
from grader.names import did_you_mean, matching

_Hints = Mapping[str, Sequence[str]]

_MEMORY = "hints.json"
_FENCE = re.compile(r"\s*(```|~~~)")
_CODE_BLOCK = re.compile(
    r"^[ ]*(?P<fence>```|~~~)[^\n]*\n(?P<code>.*?)(?:^[ ]*(?P=fence)[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"(#{1,3})\s+(.*)")
_NAME = re.compile(r"`([A-Za-z_]\w*)`")
_BARE_NAME = re.compile(r"\b[A-Za-z_]\w*")
_HINT = re.compile(
    r"<details[^>]*>\s*<summary>\s*hint\b[^<]*</summary>(.*?)(?:</details>|(?=<details)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|\$(?=\S)(?P<math>(?:\\.|[^$\\])+?)(?<=\S)\$(?!\d)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+.!$<>|~-])"
    r"|(?<![\w*])\*\*(?=\S)(?P<bold>.+?)(?<=\S)\*\*(?![\w*])"
    r"|(?<![\w*])\*(?=\S)(?P<starred>[^*]+?)(?<=\S)\*(?![\w*])"
    r"|(?<!\w)_(?=\S)(?P<lined>[^_]+?)(?<=\S)_(?!\w)"
    r"|\[(?P<link>[^\]]+)\]\((?P<target>[^)\s]+)\)"
    r"|</?(?:br|code|em|strong|b|i|kbd|sub|sup|p)\s*/?>",
    re.DOTALL,
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+|\|")


class HandoutError(UserError):
    """There is no such exercise or hint, or it cannot be remembered which was given."""


@dataclass(frozen=True)
class Hint:
    """One step of help.

    Attributes:
        text: For a terminal, without markup; paragraphs and list items are one line each.
        number: Which it is, from 1.
        total: How many the exercise has.
    """

    text: str
    number: int
    total: int

    @property
    def is_last(self) -> bool:
        """Whether there is no further one."""
        return self.number == self.total


def hints(markdown_text: str) -> dict[str, list[str]]:
    """The hints of a handout, in order, by exercise: what is folded under the heading that names it.

    They are Markdown still; ``readable`` makes plain text of one.
    """
    found: dict[str, list[str]] = {}
    for name, section in _sections(markdown_text):
        if texts := [textwrap.dedent(match[1].strip("\n")).strip() for match in _HINT.finditer(section)]:
            found.setdefault(name, []).extend(texts)
    return found


def hints_of(course: Course, exercise: str, lesson: Lesson | None = None) -> tuple[Lesson, str, dict[str, list[str]]]:
    """Find the exercise that a person means in the handouts.

    Args:
        course: The course.
        exercise: Its name, or an unambiguous part of it.
        lesson: The only lesson to look in; all by default.

    Returns:
        The lesson, the exercise's own name, and the hints of the lesson's exercises.

    Raises:
        HandoutError: If no exercise with hints is called so, or several are.
    """
    lessons = [lesson] if lesson else course.lessons()
    handouts = {each: _read(each.handout_path) for each in lessons}
    owner = {name: each for each, found in handouts.items() for name in found}
    names = matching(exercise, owner)
    if len(names) > 1:
        raise HandoutError(f"{exercise!r} could be any of {', '.join(names)}", "Write more of the name.")
    if not names:
        where = f"in lesson {lesson.number} " if lesson else ""
        problem = f"there are no hints {where}for an exercise {exercise!r}" + did_you_mean(exercise, owner)
        raise HandoutError(problem, f"There are hints for {', '.join(owner)}." if lesson and owner else "")
    lesson = owner[names[0]]
    return lesson, names[0], handouts[lesson]


def next_hint(state_dir: Path, lesson: str, exercise: str, hints: _Hints, *, restart: bool = False) -> Hint:
    """The hint after the one that was given last; the last one again once there is no other.

    Args:
        state_dir: Where it is remembered; ``course.state``.
        lesson: The lesson's name, "06_collectives".
        exercise: The exercise's name.
        hints: What ``hints`` found in the lesson's handout.
        restart: Begin again with the first.

    Raises:
        HandoutError: If there are no hints for the exercise, or nothing can be saved.
    """
    texts = _texts(exercise, hints)
    given = 0 if restart else _given(_memory(state_dir), lesson, exercise)
    number = min(given + 1, len(texts))
    _remember(state_dir, lesson, exercise, number)
    return Hint(readable(texts[number - 1]), number, len(texts))


def all_hints(state_dir: Path, lesson: str, exercise: str, hints: _Hints) -> list[Hint]:
    """All hints of an exercise at once; each counts as given. Arguments and errors as for ``next_hint``."""
    texts = _texts(exercise, hints)
    _remember(state_dir, lesson, exercise, len(texts))
    return [Hint(readable(text), number, len(texts)) for number, text in enumerate(texts, start=1)]


def readable(markdown: str) -> str:
    """Markdown as plain text: without marks, formulas in Unicode, blocks of code indented."""
    parts, position = [], 0
    markdown = textwrap.dedent(markdown)
    for block in _CODE_BLOCK.finditer(markdown):
        code = textwrap.dedent(block["code"]).rstrip()
        parts += [_prose(markdown[position : block.start()]), textwrap.indent(code, "    ")]
        position = block.end()
    parts.append(_prose(markdown[position:]))
    return "\n\n".join(part for part in parts if part)


def _prose(markdown: str) -> str:
    """Paragraphs and list items, each joined to a line of its own, so that the terminal can wrap it."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", markdown.strip()):
        lines: list[str] = []
        for line in paragraph.split("\n"):
            if lines and not _ITEM.match(line):
                lines[-1] += " " + line.strip()
            else:
                lines.append(line.rstrip())
        paragraphs.append("\n".join(_inline(re.sub(r"^(#+|>)\s+", "", line)) for line in lines))
    return "\n\n".join(paragraphs)


def _inline(markdown: str) -> str:
    return html.unescape(_INLINE.sub(_plain, markdown))


def _plain(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    content = match[kind] if kind else ""
    if kind in ("code", "escaped"):
        return content
    if kind in ("display", "math"):
        return latex.plain(content)
    if kind == "target":
        return f"{_inline(match['link'])} ({content})"
    return _inline(content)


def _sections(markdown: str) -> list[tuple[str, str]]:
    """The third-level sections whose headings hold a name, and their texts."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    for line in markdown.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            name = _NAME.search(heading[2]) or _BARE_NAME.search(heading[2])
            sections.append((name[name.lastindex or 0] if name and len(heading[1]) == 3 else "", []))
        sections[-1][1].append(line)
    return [(name, "\n".join(lines)) for name, lines in sections if name]


def _read(handout: Path) -> dict[str, list[str]]:
    try:
        return hints(handout.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise HandoutError(f"{handout} cannot be read: {error}") from error


def _texts(exercise: str, hints: _Hints) -> Sequence[str]:
    texts = hints.get(exercise)
    if not texts:
        raise HandoutError(f"there are no hints for an exercise {exercise!r}" + did_you_mean(exercise, hints))
    return texts


def _memory(state_dir: Path) -> dict[str, Any]:
    """What was given, by lesson and exercise; nothing if the file is not there or damaged."""
    try:
        memory = json.loads((state_dir / _MEMORY).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return memory if isinstance(memory, dict) else {}


def _given(memory: dict[str, Any], lesson: str, exercise: str) -> int:
    of_lesson = memory.get(lesson)
    number = of_lesson.get(exercise) if isinstance(of_lesson, dict) else 0
    return number if type(number) is int and number > 0 else 0


def _remember(state_dir: Path, lesson: str, exercise: str, number: int) -> None:
    memory = _memory(state_dir)
    of_lesson = memory.get(lesson)
    memory[lesson] = {**(of_lesson if isinstance(of_lesson, dict) else {}), exercise: number}
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        write_text(state_dir / _MEMORY, json.dumps(memory, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        problem = f"cannot save which hint was given: {state_dir / _MEMORY}: {error.strerror}"
        raise HandoutError(problem, f"Correct that, or read the hints in exercises/lesson{lesson}.md.") from error
