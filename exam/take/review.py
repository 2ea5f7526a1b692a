"""What came of a quiz, and what to revisit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exam.scoring import Score, score
from exam.take.plain import inline
from exam.take.quiz import Quiz
from exam.variants import Mistake, Option, Variant

SCHEMA = 1


@dataclass(frozen=True)
class Answered:
    """A question that was answered."""

    variant: Variant
    response: Any
    score: Score

    @property
    def points(self) -> Fraction:
        """What the answer is worth."""
        return self.score.credit * self.variant.points


@dataclass(frozen=True)
class Idea:
    """A wrong idea that answers showed.

    Attributes:
        name: Its name.
        hint: What leads out of it, plain text; "" where the item says nothing.
        count: In how many answers it showed.
    """

    name: str
    hint: str
    count: int


@dataclass(frozen=True)
class Review:
    """The answers to a quiz, in the order of its questions."""

    quiz: Quiz
    answered: tuple[Answered, ...]

    @property
    def finished(self) -> bool:
        """Whether every question has an answer."""
        return len(self.answered) == len(self.quiz.variants)

    @property
    def points(self) -> Fraction:
        """Of the questions that were answered."""
        return sum((each.points for each in self.answered), Fraction(0))

    @property
    def right(self) -> int:
        """How many answers are right altogether."""
        return sum(each.score.correct for each in self.answered)

    @property
    def ideas(self) -> list[Idea]:
        """The wrong ideas, the most frequent first."""
        found: dict[str, list[str]] = {}
        for each in self.answered:
            for name in each.score.misconceptions:
                found.setdefault(name, []).append(_hint(each.variant, name))
        ideas = [Idea(name, next(filter(None, hints), ""), len(hints)) for name, hints in found.items()]
        return sorted(ideas, key=lambda idea: -idea.count)

    @property
    def exercises(self) -> list[str]:
        """The exercises that practise what was not right."""
        return self._of_wrong(lambda variant: variant.exercise)

    @property
    def reading(self) -> list[str]:
        """What to read about what was not right."""
        return self._of_wrong(lambda variant: inline(variant.reading))

    def _of_wrong(self, of: Callable[[Variant], str]) -> list[str]:
        wrong = (of(each.variant) for each in self.answered if not each.score.correct)
        return list(dict.fromkeys(filter(None, wrong)))

    def to_json(self) -> dict[str, Any]:
        """The summary that ``quiz take --json`` prints."""
        return {
            "schema": SCHEMA,
            "lesson": self.quiz.lesson,
            "draw": self.quiz.draw,
            "finished": self.finished,
            "questions": len(self.quiz.variants),
            "answered": len(self.answered),
            "right": self.right,
            "points": float(self.points),
            "max_points": sum(variant.points for variant in self.quiz.variants),
            "items": [_item(each) for each in self.answered],
            "revisit": {
                "misconceptions": [vars(idea) for idea in self.ideas],
                "exercises": self.exercises,
                "reading": self.reading,
            },
        }


def review(quiz: Quiz, responses: Mapping[str, Any]) -> Review:
    """The quiz with those of the responses, by the variants' codes, that can be scored."""
    found = [_answered(variant, responses[variant.code]) for variant in quiz.variants if variant.code in responses]
    return Review(quiz, tuple(each for each in found if each.response is not None and not each.score.problem))


def _answered(variant: Variant, response: Any) -> Answered:
    return Answered(variant, response, score(variant, response))


def _hint(variant: Variant, name: str) -> str:
    """What the item says to who has this wrong idea."""
    key = variant.number or variant.text
    told: list[Option | Mistake] = [*variant.options, *(key.mistakes if key is not None else ())]
    return next((inline(each.feedback) for each in told if each.misconception == name), "")


def _item(each: Answered) -> dict[str, Any]:
    variant = each.variant
    return {
        "item": variant.item,
        "code": variant.code,
        "outcome": variant.outcome,
        "response": each.response,
        "credit": float(each.score.credit),
        "correct": each.score.correct,
        "points": float(each.points),
        "max_points": variant.points,
        "misconceptions": list(each.score.misconceptions),
    }
