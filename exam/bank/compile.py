"""From items to variants: parameters drawn, keys and mistakes computed, tolerances lowered, options shuffled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from exam.bank import answers, model
from exam.bank.draws import Draws
from exam.bank.expressions import ExpressionError, evaluate, render
from exam.bank.load import Bank, load_bank
from exam.bank.parameters import drawn, shown
from exam.bank.pictures import with_pictures
from exam.bank.subject import Names, Subject
from exam.variants import Kind, Mistake, Option, Pair, Policy, Pool, Text, Variant, VariantSet
from grader.course import Lesson
from grader.errors import UserError

REDRAWS = 100
PRACTICE = "practice"  # the secret of what is no secret
ID_LETTERS = "abcdefghjkmnpqrstuvwxyz"
CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # none that is mistaken for another
CODE_LENGTH = 5
CODE_BITS = 5  # that each letter tells


class ItemError(UserError):
    """An item from which no variant can be made in some draw; names it."""


def compile_lesson(lesson: Lesson, *, pool: Pool | None = None, draws: int = 1, secret: str = PRACTICE) -> VariantSet:
    """Variants of a lesson's items.

    Args:
        lesson: The lesson; its course may have a private overlay.
        pool: Which items, or None for all.
        draws: How many variants of each item that has parameters.
        secret: What the draws depend on; with another one they can't be foreseen.

    Raises:
        BankErrors: If the bank is not in order.
        ItemError: If a variant can't be made.
    """
    bank = load_bank(lesson)
    maker = Maker(bank, Subject.of(lesson), secret)
    items = [item for item in bank.items if pool in (None, item.pool)]
    folders = [each / "quizzes" for each in (lesson.course.root, lesson.course.overlay) if each]
    variants = [maker.variant(item, draw, folders) for item in items for draw in range(draws if item.parameters else 1)]
    return VariantSet(lesson.name, bank.title, bank.sha256, tuple(_told_apart(variants)))


def _told_apart(variants: Iterable[Variant]) -> Iterator[Variant]:
    """The variants, each with a code that no other has; of two with one the second gets another."""
    taken: set[str] = set()
    for variant in variants:
        code, more = variant.code, 0
        while code in taken:
            more += 1
            code = _code(variant.code, variant.item, variant.draw, more)
        taken.add(code)
        yield variant if code == variant.code else replace(variant, code=code)


def _code(*names: str | int) -> str:
    number = Draws(*names, "code").word()
    return "".join(CODE_LETTERS[number >> CODE_BITS * place & 31] for place in range(CODE_LENGTH))


@dataclass
class Maker:
    """Makes variants of a bank's items.

    Attributes:
        bank: The bank.
        subject: What its items compute with.
        secret: What the draws depend on.
        redrawn: How many draws were thrown away because the item did not work in them.
    """

    bank: Bank
    subject: Subject
    secret: str = PRACTICE
    redrawn: int = 0

    def variant(self, item: model.Item, draw: int, pictures: Sequence[Path] = ()) -> Variant:
        """One variant of an item.

        Args:
            item: The item.
            draw: Which draw of its parameters.
            pictures: Folders of pictures, which then become part of its texts.

        Raises:
            ItemError: If it can't be made; names the item, its place and the draw.
        """
        try:
            made = _Drawing(self, item, draw).variant()
            return with_pictures(made, pictures) if pictures else made
        except (ExpressionError, ValueError, ArithmeticError) as error:
            raise ItemError(f"{self.bank.lines[item.id]}: {item.id}, draw {draw}: {error}") from error

    def hint(self, idea: str) -> str:
        """What leads out of a wrong idea.

        Raises:
            ValueError: If neither the bank nor the lesson's misconceptions know it.
        """
        if idea in self.bank.ideas:
            return self.bank.ideas[idea]
        if idea in self.subject.known:
            return self.subject.known[idea].hint
        raise ValueError(f"no misconception of the lesson, and no idea of the bank, is called {idea!r}")


class _Drawing:
    """One item while one variant of it is made."""

    def __init__(self, maker: Maker, item: model.Item, draw: int) -> None:
        self.maker, self.item, self.draw = maker, item, draw
        self.names: Names = {}
        self.parameters: dict[str, Any] = {}

    def draws(self, purpose: str) -> Draws:
        return Draws(self.maker.secret, self.item.id, self.draw, purpose)

    def variant(self) -> Variant:
        made = self._suitable()
        item = self.item
        return Variant(
            item=item.id,
            draw=self.draw,
            code=_code(self.maker.secret, item.id, self.draw),
            kind=Kind(item.type),
            pool=Pool(item.pool),
            lesson=self.maker.subject.lesson.name,
            outcome=item.outcome,
            difficulty=item.difficulty,
            minutes=item.minutes,
            points=item.points,
            stem=self.text(item.stem).strip(),
            explanation=self.text(item.explanation).strip(),
            parameters={name: shown(value) for name, value in self.parameters.items()},
            exercise=item.exercise,
            reading=item.reading,
            source=item.source,
            family=item.family,
            **made,
        )

    def _suitable(self) -> dict[str, Any]:
        """What the first draw of parameters in which the item works has of its own kind."""
        draws, right = self.draws("parameters"), self.maker.subject.right
        for left in reversed(range(REDRAWS)):
            self.parameters = drawn(self.item, draws, right)
            self.names = {**right, **self.parameters}
            try:
                return self._made()
            except answers.Unsuitable:
                self.maker.redrawn += 1
                if not left or not self.parameters:
                    raise
        raise AssertionError("the last draw returns or raises")

    def text(self, source: str) -> str:
        return render(source, self.names)

    def _made(self) -> dict[str, Any]:
        """What a variant has of its own kind."""
        item = self.item
        if isinstance(item, model.NumericItem):
            return {"number": answers.number(item.answer, self._values(item.mistakes), self.names)}
        if isinstance(item, model.SingleItem) and item.answer is not None:
            return {"options": self._computed(item.answer, item.mistakes), "shuffle": False}
        if isinstance(item, model.SingleItem | model.MultipleItem):
            policy = item.policy if isinstance(item, model.MultipleItem) else Policy.ALL_OR_NOTHING
            return {"options": self._written(item), "policy": Policy(policy), "shuffle": item.shuffle}
        if isinstance(item, model.TrueFalseItem):
            return {"options": self._true_false(item), "shuffle": False}
        if isinstance(item, model.TextItem):
            return {"text": self._text(item)}
        return self._matching(item) if isinstance(item, model.MatchingItem) else self._ordering(item)

    def _ids(self, count: int) -> list[str]:
        """Ids that say nothing: neither the place nor the key."""
        draws, found = self.draws("ids"), dict[str, None]()
        while len(found) < count:
            found["".join(draws.choice(ID_LETTERS) for _ in range(4))] = None
        return list(found)

    def _shuffled(self, options: Sequence[Option], shuffle: bool = True) -> tuple[Option, ...]:
        free = [option for option in options if not option.pinned]
        free = self.draws("order").shuffled(free) if shuffle else free
        return (*free, *(option for option in options if option.pinned))

    def _values(self, mistakes: Sequence[str | model.NamedMistake]) -> list[answers.Wrong]:
        """Each mistake with the value that it leads to; those that lead to none in this draw are left out."""
        assert isinstance(self.item, model.NumericItem | model.SingleItem) and self.item.answer is not None
        found = []
        for each in mistakes:
            mistake = model.NamedMistake(name=each) if isinstance(each, str) else each
            feedback = self.text(mistake.feedback) or self.maker.hint(mistake.name)
            value = self._wrong_value(mistake, self.item.answer)
            if value is not None:
                found.append(answers.Wrong(mistake.name, value, feedback))
        return found

    def _wrong_value(self, mistake: model.NamedMistake, answer: model.NumberAnswer) -> Any:
        if mistake.value is not None:
            return answers.value_of(mistake.value, self.names)
        names = {**self.maker.subject.wrong(mistake.name), **self.parameters}
        try:
            return answers.value_of(answer.value, names)
        except ExpressionError:  # the wrong way raises in this draw
            return None

    def _computed(self, answer: model.NumberAnswer, mistakes: Sequence[str | model.NamedMistake]) -> tuple[Option, ...]:
        """Options that are numbers, in their order."""
        choices = answers.choices(answer, self._values(mistakes), self.names)
        ids = self._ids(len(choices))
        return tuple(
            Option(identifier, each.text, each.correct, each.feedback, each.misconception)
            for identifier, each in zip(ids, choices, strict=True)
        )

    def _written(self, item: model.SingleItem | model.MultipleItem) -> tuple[Option, ...]:
        options = []
        for identifier, each in zip(self._ids(len(item.options)), item.options, strict=True):
            hint = self.maker.hint(each.misconception) if each.misconception else ""
            feedback = self.text(each.feedback) or hint
            text = self.text(each.text).strip()
            options.append(Option(identifier, text, each.correct, feedback, each.misconception, each.pinned))
        return self._shuffled(options, item.shuffle)

    def _true_false(self, item: model.TrueFalseItem) -> tuple[Option, ...]:
        key = item.answer if isinstance(item.answer, bool) else evaluate(item.answer, self.names)
        if not isinstance(key, bool):
            raise ValueError(f"the answer must be true or false, not {key!r}")
        hint = self.maker.hint(item.misconception)
        options = []
        for value, word in ((True, "true"), (False, "false")):
            right = value is key
            feedback = self.text(item.feedback.get(word, "")) or ("" if right else hint)  # type: ignore[call-overload]
            options.append(Option(word, word.capitalize(), right, feedback, "" if right else item.misconception))
        return tuple(options)

    def _text(self, item: model.TextItem) -> Text:
        mistakes = tuple(
            Mistake(
                self.text(each.text),
                each.misconception,
                self.text(each.feedback) or self.maker.hint(each.misconception),
            )
            for each in item.mistakes
        )
        accept = tuple(self.text(each) for each in item.answer.accept)
        return Text(accept, item.answer.case_sensitive, mistakes)

    def _matching(self, item: model.MatchingItem) -> dict[str, Any]:
        rights = dict.fromkeys(self.text(each) for each in (*(pair.right for pair in item.pairs), *item.distractors))
        ids = self._ids(len(rights) + len(item.pairs))
        options = {text: Option(identifier, text) for text, identifier in zip(rights, ids, strict=False)}
        lefts = ids[len(rights) :]
        pairs = [
            Pair(identifier, self.text(pair.left), options[self.text(pair.right)].id)
            for identifier, pair in zip(lefts, item.pairs, strict=True)
        ]
        order = self.draws("left order").shuffled(pairs)
        return {"pairs": tuple(order), "options": self._shuffled(list(options.values())), "policy": Policy(item.policy)}

    def _ordering(self, item: model.OrderingItem) -> dict[str, Any]:
        steps = [model.Step(text=each) if isinstance(each, str) else each for each in item.order]
        ids = self._ids(len(steps))
        options = [
            Option(identifier, self.text(step.text), feedback=self.text(step.feedback))
            for identifier, step in zip(ids, steps, strict=True)
        ]
        shown_first = self._shuffled(options)
        if [option.id for option in shown_first] == ids:  # the right order must not stand there already
            shown_first = (*shown_first[1:], shown_first[0])
        return {"options": shown_first, "order": tuple(ids), "policy": Policy(item.policy)}
