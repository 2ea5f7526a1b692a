"""A lesson's bank from its YAML: all that is wrong with it at once, each with file, line and a suggestion."""

from __future__ import annotations

import difflib
import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pydantic

from exam.bank import model, strict_yaml
from exam.bank.model import BankFile, Item
from grader.course import Lesson
from grader.errors import UserError


class BankErrors(UserError):
    """All that is wrong with a bank.

    Attributes:
        problems: One line each: file:line: what.
    """

    def __init__(self, problems: list[str]) -> None:
        """All problems, in the order of the file."""
        count = f"{len(problems)} errors" if len(problems) > 1 else "an error"
        super().__init__("\n".join([*problems, f"{count} in the bank"]))
        self.problems = problems


@dataclass(frozen=True)
class Bank:
    """A lesson's items.

    Attributes:
        title: For people.
        items: In the order of the files.
        ideas: Hints of the wrong ideas that the bank declares itself.
        sha256: Of the files' contents.
        lines: By item's id, "file:line", for messages.
    """

    title: str
    items: tuple[Item, ...]
    ideas: dict[str, str]
    sha256: str
    lines: dict[str, str]

    def item(self, identifier: str) -> Item:
        """The item of this id.

        Raises:
            UserError: If there is none; names the nearest.
        """
        for item in self.items:
            if item.id == identifier:
                return item
        known = [item.id for item in self.items]
        near = difflib.get_close_matches(identifier, known, 1)
        raise UserError(f"there is no item {identifier!r}" + (f"; is it {near[0]}?" if near else ""))


def bank_path(lesson: Lesson) -> Path:
    """Where a lesson's bank lies."""
    return lesson.course.root / "quizzes" / f"{lesson.stub.stem}.yaml"


def load_bank(lesson: Lesson) -> Bank:
    """The bank of a lesson, with that of its private overlay.

    Raises:
        BankErrors: If anything is wrong with it.
        UserError: If there is none.
    """
    path = bank_path(lesson)
    overlay = lesson.course.overlay
    paths = [path, *([overlay / "quizzes" / path.name] if overlay else [])]
    found = [each for each in paths if each.is_file()]
    if not found:
        raise UserError(f"lesson {lesson.number} has no item bank: there is no file {path}")
    problems: list[str] = []
    files = [(each, _read(each, problems)) for each in found]
    banks = [(each, document, bank) for each, (document, bank) in files if bank is not None]
    lines = _places(banks, problems)
    if problems:
        raise BankErrors(problems)
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in found)).hexdigest()
    items = tuple(item for _, _, bank in banks for item in bank.items)
    ideas = {name: hint for _, _, bank in banks for name, hint in bank.ideas.items()}
    return Bank(banks[0][2].title, items, ideas, digest, lines)


def _read(path: Path, problems: list[str]) -> tuple[strict_yaml.Document, BankFile | None]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(f"{path}: not UTF-8 at byte {error.start}")
        return strict_yaml.Document(None, {}, []), None
    document = strict_yaml.read(text)
    found = [(problem.line, problem.text) for problem in document.problems]
    bank = None
    if document.value is None:
        found = found or [(1, "the file is empty")]
    else:
        try:
            bank = BankFile.model_validate(document.value)
        except pydantic.ValidationError as error:
            found += _complaints(error, document)
    problems += [f"{path}:{line}: {text}" for line, text in sorted(found)]
    return document, bank


def _places(banks: list[tuple[Path, strict_yaml.Document, BankFile]], problems: list[str]) -> dict[str, str]:
    """Where each item stands; an id that stands twice is a problem."""
    places: dict[str, str] = {}
    for path, document, bank in banks:
        for index, item in enumerate(bank.items):
            place = f"{path}:{document.line(('items', index))}"
            if item.id in places:
                problems.append(f"{place}: the id {item.id!r} is taken; it stands at {places[item.id]} too")
            places.setdefault(item.id, place)
    return places


def _complaints(error: pydantic.ValidationError, document: strict_yaml.Document) -> list[tuple[int, str]]:
    """A pydantic error as lines and words, one for each place: of a union the branch that was meant."""
    found: dict[tuple[Any, ...], tuple[int, str]] = {}
    for each in error.errors():
        meant_otherwise = each["loc"][-1:] == ("str",) and isinstance(each.get("input"), dict)
        place = _place(each["loc"])
        if not meant_otherwise and place not in found:
            found[place] = (document.line(place), _item_of(place, document) + _in_words(each, place))
    return list(found.values())


def _place(loc: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where in the file, from pydantic's place, which names branches of unions as well."""
    parts = loc[:2] + loc[3:] if loc[:1] == ("items",) else loc
    return tuple(part for part in parts if not (isinstance(part, str) and (part in _BRANCHES or "[" in part)))


_BRANCHES = ("str", "float", "int", "bool", "NamedMistake", "Step")


def _in_words(error: Any, place: tuple[Any, ...]) -> str:
    name = place[-1] if place else "the file"
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"unknown entry {name!r}" + _nearest(str(name), _fields())
    if kind == "missing":
        return f"{name!r} is missing"
    if kind == "union_tag_not_found":
        return f"'type' is missing: {', '.join(_KINDS)}"
    if kind == "union_tag_invalid":
        wrong = str(error["ctx"]["tag"])
        return f"unknown type {wrong!r}" + (_nearest(wrong, _KINDS) or f"; there are {', '.join(_KINDS)}")
    said, given = error["msg"].removeprefix("Value error, "), error.get("input")
    shown = f", not {given!r}" if isinstance(given, bool | int | float | str) and len(str(given)) < 60 else ""
    return f"{name}: {said[:1].lower()}{said[1:]}{shown}"


_KINDS = [kind for each in get_args(Item) for kind in get_args(each.model_fields["type"].annotation)]


def _nearest(wrong: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(wrong, sorted(known), 1)
    return f"; is it {near[0]!r}?" if near else ""


def _item_of(place: tuple[Any, ...], document: strict_yaml.Document) -> str:
    if len(place) < 2 or place[0] != "items":
        return ""
    try:
        identifier = document.value["items"][place[1]]["id"]
    except (KeyError, TypeError, IndexError):
        return f"item {place[1] + 1}: "
    return f"{identifier}: "


@functools.cache
def _fields() -> frozenset[str]:
    """Every entry that any part of a bank has."""
    models = [each for each in vars(model).values() if isinstance(each, type) and issubclass(each, pydantic.BaseModel)]
    return frozenset(name for each in models for name in each.model_fields)
