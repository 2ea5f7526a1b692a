"""What the subcommands share: the course and lesson that are meant, and the bank's packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import Course, Lesson
from grader.errors import UserError

if TYPE_CHECKING:
    from exam.bank.compile import Maker
    from exam.bank.model import Item
    from exam.variants import Pool, VariantSet

INSTALL = "Install them with: pip install 'ai480[instructor]'"


def lesson_of(course_folder: Path | None, name: str, private: Path | None = None) -> Lesson:
    """The lesson that a word means."""
    return Course.find(explicit=course_folder).with_overlay(private).lesson(name)


def require_bank() -> None:
    """See to it that the bank's packages are here.

    Raises:
        UserError: If one is missing; says how to install them.
    """
    try:
        import exam.bank.load  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(f"the item bank needs packages that are not here ({error.name})", INSTALL) from error


def maker_of(lesson: Lesson, secret: str = "") -> Maker:
    """What makes variants of a lesson's items.

    Raises:
        UserError: If the instructor's packages are missing, or the bank is not in order.
    """
    require_bank()
    from exam.bank.compile import PRACTICE, Maker
    from exam.bank.load import load_bank
    from exam.bank.subject import Subject

    return Maker(load_bank(lesson), Subject.of(lesson), secret or PRACTICE)


def pool_of(word: str) -> Pool | None:
    """The pool that an option names; None for all."""
    from exam.variants import Pool

    return None if word == "all" else Pool(word)


def compiled(lesson: Lesson, pool: str, draws: int, secret: str = "") -> VariantSet:
    """Variants of a lesson's items."""
    maker_of(lesson)  # which says what is missing
    from exam.bank.compile import PRACTICE, compile_lesson

    return compile_lesson(lesson, pool=pool_of(pool), draws=draws, secret=secret or PRACTICE)


def banked_lessons(course_folder: Path | None, names: Sequence[str], private: Path | None) -> list[Lesson]:
    """The lessons that were named, or all that have a bank."""
    course = Course.find(explicit=course_folder).with_overlay(private)
    if names:
        return [course.lesson(name) for name in names]
    folder = course.root / "quizzes"
    return [lesson for lesson in course.lessons() if (folder / f"{lesson.stub.stem}.yaml").exists()]


def hints_of(lesson: Lesson) -> dict[str, str]:
    """What leads out of each wrong idea that a lesson's items know."""
    maker = maker_of(lesson)
    return {**{name: one.hint for name, one in maker.subject.known.items()}, **maker.bank.ideas}


def item_of(course_folder: Path | None, item: str, private: Path | None, secret: str = "") -> tuple[Maker, Item]:
    """An item by its id, and what makes variants of it: its lesson is in the id."""
    number = item[1:3]
    if not (item.startswith("l") and number.isdigit()):
        raise UserError(f"{item!r} is no item's id", "Ids look like l07-state-bytes; quiz proof shows a lesson's.")
    maker = maker_of(lesson_of(course_folder, str(int(number)), private), secret)
    return maker, maker.bank.item(item)
