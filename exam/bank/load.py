"""A lesson's bank from its YAML: all that is wrong with it at once, each with file, line and a suggestion."""

from __future__ import annotations

import difflib
import hashlib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pydantic

from exam.bank import references, strict_yaml
from exam.bank.complaints import complaints
from exam.bank.model import BankFile, Item
from exam.bank.strict_yaml import Problem
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
    files = [_read(each) for each in paths if each.is_file()]
    if not files:
        raise UserError(f"lesson {lesson.number} has no item bank: there is no file {path}")
    ideas = {name: hint for file in files for name, hint in file.ideas.items()}
    known = references.known_of(lesson, frozenset(ideas))
    for file in files:
        file.document.problems.extend(references.problems(file.document, known))
    lines = _places(files)
    if problems := [problem for file in files for problem in file.problems()]:
        raise BankErrors(problems)
    banks = [file.bank for file in files if file.bank is not None]
    digest = hashlib.sha256(b"".join(hashlib.sha256(file.content).digest() for file in files)).hexdigest()
    title = next((bank.title for bank in banks if bank.title), f"Lesson {lesson.number}")
    return Bank(title, tuple(item for bank in banks for item in bank.items), ideas, digest, lines)


@dataclass(frozen=True)
class _File:
    """One file of a bank: what it says, and the model of it if it has the right shape."""

    path: Path
    content: bytes
    document: strict_yaml.Document
    bank: BankFile | None

    @property
    def ideas(self) -> dict[str, str]:
        """The ideas that it declares, also where other parts of it are not in order."""
        said = self.document.value.get("ideas") if isinstance(self.document.value, dict) else None
        return said if isinstance(said, dict) else {}

    def problems(self) -> list[str]:
        """What is wrong, from top to bottom, each thing once."""
        found = sorted({(problem.line, problem.text) for problem in self.document.problems})
        return [f"{self.path}:{line}: {text}" for line, text in found]


def _read(path: Path) -> _File:
    content = path.read_bytes()
    try:
        text = unicodedata.normalize("NFC", content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return _File(path, content, strict_yaml.Document(problems=[Problem(line, "not UTF-8")]), None)
    document = strict_yaml.read(text)
    if isinstance(document.value, list):  # items alone
        document = document.below("items")
    bank = None
    if document.value is None:
        document.problems.extend([] if document.problems else [Problem(1, "the file is empty")])
    else:
        try:
            bank = BankFile.model_validate(document.value)
        except pydantic.ValidationError as error:
            document.problems.extend(complaints(error, document))
    return _File(path, content, document, bank)


def _places(files: list[_File]) -> dict[str, str]:
    """Where each item stands; an id that stands twice is a problem."""
    places: dict[str, str] = {}
    for file in files:
        for index, item in enumerate(file.bank.items if file.bank else ()):
            line = file.document.line(("items", index))
            if item.id in places:
                said = f"{item.id}: this id is taken; it stands at {places[item.id]} too"
                file.document.problems.append(Problem(line, said))
            places.setdefault(item.id, f"{file.path}:{line}")
    return places
