"""The course: a folder of lessons, found from the working directory upward, and the files of each lesson.

A lesson is one file of the same name in each content folder. There is no registry, and nothing here imports
content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.errors import UserError
from grader.files import make_writable, user_state_folder
from grader.names import key, matching, nearest

_LESSON_FILE = re.compile(r"lesson([0-9]{2})_([a-z0-9_]+)\.py")
_NUMBER_AND_SLUG = re.compile(r"(?:lesson_?)?0*([0-9]{1,4})(?:_(.+))?")
COURSE_VARIABLE = "GRADE_COURSE"


class CourseError(UserError):
    """There is no course where one was looked for, or it cannot be used."""


class LessonError(UserError):
    """A name that is no lesson's, or that of several."""


@dataclass(frozen=True)
class Lesson:
    """One lesson and where its files are (or would be)."""

    course: Course
    number: int
    slug: str

    @property
    def name(self) -> str:
        """The lesson's name, as in "06_collectives"."""
        return f"{self.number:02d}_{self.slug}"

    @property
    def file_name(self) -> str:
        """What the lesson's Python files are called in every content folder."""
        return f"lesson{self.name}.py"

    @property
    def stub(self) -> Path:
        """The file that a student edits."""
        return self.course.exercises / self.file_name

    @property
    def original(self) -> Path:
        """The stub as it came, in a student's edition: what the file that the student edits is copied from."""
        return self.course.originals / self.file_name

    @property
    def solution(self) -> Path:
        """The reference solution."""
        return self.course.solutions / self.file_name

    @property
    def public_checks(self) -> Path:
        """The checks that students get."""
        return self.course.public_checks / self.file_name

    @property
    def hidden_checks(self) -> Path:
        """The checks against the reference solution."""
        return self.course.hidden_checks / self.file_name

    @property
    def private_checks(self) -> Path | None:
        """The overlay's checks, where there is an overlay that has some."""
        return self._in_overlay("checks", "hidden", self.file_name)

    @property
    def private_manifest_path(self) -> Path | None:
        """The contract of the overlay's checks."""
        overlay = self.course.overlay
        return overlay / "checks" / f"lesson{self.name}.json" if overlay is not None else None

    def _in_overlay(self, *parts: str) -> Path | None:
        path = self.course.overlay.joinpath(*parts) if self.course.overlay is not None else None
        return path if path is not None and path.exists() else None

    @property
    def misconceptions(self) -> Path:
        """The known wrong ways."""
        return self.course.misconceptions / self.file_name

    @property
    def manifest_path(self) -> Path:
        """The contract of exercises, checks and points."""
        return self.course.root / "checks" / f"lesson{self.name}.json"

    @property
    def handout_path(self) -> Path:
        """The handout, with the hints."""
        return self.stub.with_suffix(".md")


@dataclass(frozen=True)
class Course:
    """A folder that holds lessons.

    Attributes:
        root: The folder.
        overlay: A folder of the same layout that is not in the repository, with more hidden checks; or None.
    """

    root: Path
    overlay: Path | None = None

    def with_overlay(self, folder: Path | None) -> Course:
        """The same course with a private overlay.

        Raises:
            CourseError: If there is no such folder.
        """
        if folder is not None and not folder.is_dir():
            raise CourseError(f"--private: there is no folder {folder}", "Name a folder that holds checks/hidden/.")
        return Course(self.root, folder.resolve() if folder is not None else None)

    @classmethod
    def find(cls, start: Path | None = None, explicit: Path | None = None) -> Course:
        """Find the course folder.

        Args:
            start: Where to begin the walk upward; the working directory by default.
            explicit: The folder that the user named with ``--course``; nothing else is then looked at.

        Raises:
            CourseError: If the named folder is no course, or none is found and GRADE_COURSE names none.
        """
        if explicit is not None:
            return cls._named(explicit, "--course")
        here = _starting_folder(start)
        if found := _course_above(here):
            return cls(found)
        if fallback := os.environ.get(COURSE_VARIABLE):
            return cls._named(Path(fallback), COURSE_VARIABLE)
        raise CourseError(
            f"no course here: neither {here} nor a folder above it has exercises/lessonNN_*.py",
            f"Go to the course folder, name it with --course DIR, or set {COURSE_VARIABLE}.",
        )

    @classmethod
    def _named(cls, folder: Path, option: str) -> Course:
        root = folder.expanduser().resolve()
        if _is_course(root):
            return cls(root)
        if not root.is_dir():
            raise CourseError(f"{option}: there is no folder {root}", f"Name the course folder with {option}.")
        above = _course_above(root)
        hint = f"Did you mean {above}?" if above else "A course folder has exercises/lessonNN_*.py in it."
        raise CourseError(f"{option}: {root} is not a course folder", hint)

    @property
    def exercises(self) -> Path:
        """Stubs and handouts."""
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        """Reference solutions."""
        return self.root / "solutions"

    @property
    def originals(self) -> Path:
        """Stubs as they came, in a student's edition, where newer ones may replace them."""
        return self.root / "stubs"

    @property
    def public_checks(self) -> Path:
        """Checks that students get."""
        return self.root / "checks" / "public"

    @property
    def hidden_checks(self) -> Path:
        """Checks against the reference solutions."""
        return self.root / "checks" / "hidden"

    @property
    def misconceptions(self) -> Path:
        """Known wrong ways."""
        return self.root / "misconceptions"

    @cached_property
    def state(self) -> Path:
        """The folder for what is remembered between runs: in the course, or in the user's own place.

        Raises:
            CourseError: If neither can be written to.
        """
        mark = hashlib.sha256(str(self.root.resolve()).encode()).hexdigest()[:16]
        here, own = self.root / ".grade", user_state_folder(os.environ, sys.platform) / mark
        for folder in (here, own):
            if make_writable(folder):
                return folder
        problem = f"can save nothing: neither {here} nor {own} can be written to"
        raise CourseError(problem, "Set XDG_STATE_HOME to a folder of yours.")

    def lessons(self) -> list[Lesson]:
        """The lessons by number: each that has a stub or a solution.

        A student's copy, ``lesson06_collectives_old.py``, makes no lesson of its own: of several with one
        number, those count that the course has more of than a stub.
        """
        found = {match.groups() for match in _lesson_files(self.exercises, self.solutions, self.originals)}
        lessons = [Lesson(self, int(number), slug) for number, slug in sorted(found)]
        known = [lesson for lesson in lessons if _is_known(lesson)]
        settled = {lesson.number for lesson in known}
        return [lesson for lesson in lessons if lesson in known or lesson.number not in settled]

    def lesson(self, name: str) -> Lesson:
        """The lesson that a person means by a number, a name, a part of one, or a file's path.

        Raises:
            LessonError: If it is the name of no lesson, or of several.
        """
        lessons, wanted = self.lessons(), key(name)
        found = _meant(wanted, lessons)
        if len(found) == 1:
            return found[0]
        if found:
            raise LessonError(f"{name!r} could be any of {_names(found)}", "Write the number, or more of the name.")
        problem = f"there is no lesson {name!r}{_guess(wanted, lessons)}"
        raise LessonError(problem, f"The lessons: {_names(lessons)}")


def _starting_folder(start: Path | None) -> Path:
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError as error:
        raise CourseError("the working directory is gone", "Go to the course folder.") from error
    return here.parent if here.is_file() else here


def _course_above(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if _is_course(each)), None)


def _is_course(folder: Path) -> bool:
    return any(_lesson_files(folder / "exercises", folder / "solutions", folder / "stubs"))


def _lesson_files(*folders: Path) -> Iterator[re.Match[str]]:
    """The lesson files of some folders, as number and slug; none of a folder that cannot be read."""
    for folder in folders:
        with contextlib.suppress(OSError):
            yield from filter(None, map(_LESSON_FILE.fullmatch, os.listdir(folder)))


def _is_known(lesson: Lesson) -> bool:
    """Whether the course has more of a lesson than a stub."""
    others = (lesson.solution, lesson.original, lesson.public_checks, lesson.manifest_path, lesson.handout_path)
    return any(path.exists() for path in others)


def _meant(wanted: str, lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons that a key may mean, by number, by number and slug, or by slug."""
    numbered = _NUMBER_AND_SLUG.fullmatch(wanted)
    slug: str | None = wanted.removeprefix("lesson_")
    if numbered:
        lessons = [lesson for lesson in lessons if lesson.number == int(numbered[1])]
        slug = numbered[2]
    if slug is None:
        return list(lessons)
    slugs = matching(slug, (lesson.slug for lesson in lessons))
    if not slugs and numbered:  # "lesson06_collectives (1).py": a copy, as browsers and people name them
        slugs = [lesson.slug for lesson in lessons if slug.startswith(lesson.slug)]
    return [lesson for lesson in lessons if lesson.slug in slugs]


def _names(lessons: Sequence[Lesson]) -> str:
    return ", ".join(lesson.name for lesson in lessons)


def _guess(wanted: str, lessons: Sequence[Lesson]) -> str:
    spellings: dict[str, str] = {}
    for lesson in lessons:
        keys = (f"lesson{lesson.name}", lesson.name, lesson.slug, *lesson.slug.split("_"))
        spellings |= dict.fromkeys(keys, lesson.name)
    spelling = nearest(wanted, spellings)
    return f"; did you mean {spellings[spelling]}?" if spelling else ""
