"""The quiz that is taken: one variant of each practice item, from a file or made from the bank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from exam.scoring import score
from exam.take.reply import MOST_OPTIONS
from exam.variants import Pool, Slot, Variant, read_variants
from grader.course import Course, Lesson
from grader.errors import UserError
from grader.names import did_you_mean, matching

if TYPE_CHECKING:
    from exam.bank.compile import Maker


@dataclass(frozen=True)
class Quiz:
    """What is asked.

    Attributes:
        lesson: The lesson's name, "07_zero_fsdp".
        title: For people.
        bank: SHA-256 of the items.
        draw: Which draw of the items' parameters, from 0.
        variants: One of each item, in order.
    """

    lesson: str
    title: str
    bank: str
    draw: int
    variants: tuple[Variant, ...]

    def only(self, wanted: str) -> Quiz:
        """The same with one item, by its id or a part of it.

        Raises:
            UserError: If no item is called so, or several are.
        """
        items = [variant.item for variant in self.variants]
        found = matching(wanted, items)
        if len(found) > 1:
            raise UserError(f"--item {wanted!r} could be any of {', '.join(found)}", "Write more of the id.")
        if not found:
            problem = f"the quiz has no item {wanted!r}{did_you_mean(wanted, items)}"
            raise UserError(problem, f"The items: {', '.join(items)}")
        kept = tuple(variant for variant in self.variants if variant.item == found[0])
        return Quiz(self.lesson, self.title, self.bank, self.draw, kept)


def compiled_path(lesson: Lesson) -> Path:
    """Where a student's edition has a lesson's quiz."""
    return lesson.course.root / "quizzes" / f"{lesson.stub.stem}.json"


def require_a_quiz(lesson: Lesson) -> None:
    """Make sure that there is something to take.

    Raises:
        UserError: If the lesson has neither a compiled quiz nor a bank; names the lessons that have.
    """
    if _has_quiz(lesson):
        return
    others = [str(each.number) for each in lesson.course.lessons() if _has_quiz(each)]
    hint = f"There are quizzes for lesson {', '.join(others)}." if others else "No lesson of this course has one."
    raise UserError(f"lesson {lesson.number} has no quiz yet: there is no {_shown(compiled_path(lesson))}", hint)


def _has_quiz(lesson: Lesson) -> bool:
    path = compiled_path(lesson)
    return path.is_file() or path.with_suffix(".yaml").is_file()


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def from_file(lesson: Lesson, draw: int) -> Quiz | None:
    """The quiz of a student's edition; None if there is no such file.

    Raises:
        UserError: If the file is of another lesson or damaged, or has fewer draws.
    """
    path = compiled_path(lesson)
    if not path.is_file():
        return None
    found = read_variants(path)
    if found.lesson != lesson.name:
        raise UserError(f"{path}: this is the quiz of lesson {found.lesson}, not of {lesson.name}")
    slots = [practice for slot in found.slots if (practice := _practice(slot))]
    most = max(map(len, slots), default=1)
    if draw >= most:
        raise UserError(f"--draw {draw}: the quiz has the draws 0 to {most - 1}")
    variants = tuple(each[draw] if draw < len(each) else each[0] for each in slots)
    return _sound(Quiz(found.lesson, found.title, found.bank, draw, variants), str(path))


def from_bank(lesson: Lesson, maker: Maker, draw: int) -> Quiz:
    """The quiz, made from the bank.

    Raises:
        UserError: If a variant can't be made.
    """
    bank = maker.bank
    items = [item for item in bank.items if Pool(item.pool) is Pool.PRACTICE]
    variants = tuple(maker.variant(item, draw if item.parameters else 0) for item in items)
    return _sound(Quiz(lesson.name, bank.title, bank.sha256, draw, variants), f"the bank of lesson {lesson.number}")


def _practice(slot: Slot) -> list[Variant]:
    return [variant for variant in slot.variants if variant.pool is Pool.PRACTICE]


def _sound(quiz: Quiz, source: str) -> Quiz:
    """The quiz, if every question of it can be asked and answered."""
    if not quiz.variants:
        raise UserError(f"{source}: there is no item for practice in it")
    for variant in quiz.variants:
        if len(variant.options) > MOST_OPTIONS:
            raise UserError(f"{source}: {variant.item} has more than {MOST_OPTIONS} options")
        if not _key_is_right(variant):
            raise UserError(f"{source}: {variant.item}: its key is not right; the file is damaged")
    return quiz


def _key_is_right(variant: Variant) -> bool:
    try:
        return score(variant, variant.key).correct
    except (AssertionError, ArithmeticError, LookupError, StopIteration, ValueError):  # a part of it is missing
        return False


def quiz_state(course: Course, lesson: Lesson) -> Path | None:
    """The file in which answers are saved; None where nothing can be."""
    try:
        return course.state / "quizzes" / f"{lesson.name}.json"
    except UserError:
        return None
