"""From a variant and a response to credit and feedback."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from exam.scoring import numbers, policies
from exam.scoring.policies import EVERYTHING, NOTHING
from exam.variants import Kind, Mistake, Number, Option, Text, Variant


@dataclass(frozen=True)
class Score:
    """What a response is worth.

    Attributes:
        credit: From 0 to 1, exact.
        feedback: What to tell about this response; Markdown.
        misconceptions: The wrong ideas that it shows.
        problem: Why it could not be read, in a sentence; "" if it could. Then ask again, or give nothing.
    """

    credit: Fraction = NOTHING
    feedback: tuple[str, ...] = ()
    misconceptions: tuple[str, ...] = ()
    problem: str = ""

    @property
    def correct(self) -> bool:
        """Whether it is all right."""
        return self.credit == 1


def score(variant: Variant, response: Any) -> Score:
    """What a response is worth; see ``exam.variants`` for its form. ``None`` is no answer, worth nothing."""
    if response is None:
        return Score()
    return _SCORERS[variant.kind](variant, response)


def _selection(variant: Variant, response: Any) -> Score:
    """Single, multiple and true/false."""
    chosen = response if isinstance(response, list) else [response]
    known = {option.id: option for option in variant.options}
    if not all(_is_one_of(known, each) for each in chosen):
        return Score(problem="Choose among the options that are there.")
    if variant.kind is not Kind.MULTIPLE and (isinstance(response, list) or len(chosen) != 1):
        return Score(problem="Choose one option.")
    right = [option.id for option in variant.options if option.correct]
    wrong = [option.id for option in variant.options if not option.correct]
    credit = policies.of_selection(variant.policy, chosen, right, wrong)
    return Score(credit, _feedback(to_tell(variant, response)), _ideas(to_tell(variant, response)))


def to_tell(variant: Variant, response: Any) -> list[Option]:
    """The options of a response that was scored about which there may be something to tell.

    That is what was chosen of options of which one is right; what was chosen wrongly and then what was missed
    of a multiple answer; what was matched wrongly; the steps that stand in a wrong place.
    """
    if variant.kind is Kind.MATCHING:
        wrong = {response[left] for left, right in variant.key.items() if response.get(left) not in (None, right)}
        return [option for option in variant.options if option.id in wrong]
    if variant.kind is Kind.ORDERING:
        pairs = zip(response, variant.order, strict=True)
        return [variant.option(one) for one, right in pairs if one != right]
    chosen = response if isinstance(response, list) else [response]
    if variant.kind is not Kind.MULTIPLE:
        return [option for option in variant.options if option.id in chosen]
    slips = [option for option in variant.options if not option.correct and option.id in chosen]
    return [*slips, *(option for option in variant.options if option.correct and option.id not in chosen)]


def _is_one_of(known: Container[str], value: object) -> bool:
    return isinstance(value, str) and value in known


def _feedback(options: Iterable[Option]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(option.feedback for option in options if option.feedback))


def _ideas(options: Iterable[Option]) -> tuple[str, ...]:
    """The wrong ideas of the options that were chosen; one that was missed is right, and shows none."""
    return tuple(dict.fromkeys(each.misconception for each in options if each.misconception and not each.correct))


def _numeric(variant: Variant, response: Any) -> Score:
    key = variant.number
    assert key is not None
    typed = None
    if isinstance(response, str):
        typed = numbers.read(response, decimal_comma=key.decimal_comma, unit=key.unit)
    if typed is None or (typed.unit and not key.unit):
        return Score(problem=_expected(key))
    if typed.unit and not numbers.same_unit(typed.unit, key.unit):
        return Score(feedback=(_other_unit(typed.unit, key.unit),))
    if _within(typed.value, key.low, key.high):
        return Score(EVERYTHING)
    return _mistaken(next((each for each in key.mistakes if _within(typed.value, each.low, each.high)), None))


def _expected(key: Number) -> str:
    example = "3,14" if key.decimal_comma else "3.14"
    unit = f", in {key.unit} (the unit may stand behind it)" if key.unit else ""
    return f"A number is asked for{unit}, such as {example} or 2e-3."


def _other_unit(typed: str, unit: str) -> str:
    """A wrong unit makes a wrong answer, also where the number is right: nothing is converted."""
    capitals = " Capital letters count in units." if typed.casefold() == unit.casefold() else ""
    return f"The answer is asked for in {unit}, not in {typed}.{capitals}"


def _within(value: Decimal, low: str, high: str) -> bool:
    return Decimal(low) <= value <= Decimal(high)


def _mistaken(mistake: Mistake | None) -> Score:
    if mistake is None:
        return Score()
    ideas = (mistake.misconception,) if mistake.misconception else ()
    return Score(feedback=(mistake.feedback,) if mistake.feedback else (), misconceptions=ideas)


def _text(variant: Variant, response: Any) -> Score:
    key = variant.text
    assert key is not None
    if not isinstance(response, str) or not response.strip():
        return Score(problem="A word or a few are asked for.")
    given = normal(response, key)
    if any(given == normal(accepted, key) for accepted in key.accept):
        return Score(EVERYTHING)
    return _mistaken(next((each for each in key.mistakes if given == normal(each.value, key)), None))


def normal(text: str, key: Text) -> str:
    """A text as it is compared: composed, white space closed up, capitals as declared."""
    closed = " ".join(unicodedata.normalize("NFC", text).split())
    return closed if key.case_sensitive else closed.casefold()


def _matching(variant: Variant, response: Any) -> Score:
    known, lefts = {option.id for option in variant.options}, {pair.id: pair for pair in variant.pairs}
    if not isinstance(response, dict) or not response.keys() <= lefts.keys():
        return Score(problem="Give each left side one of the options.")
    if not all(value is None or _is_one_of(known, value) for value in response.values()):
        return Score(problem="Give each left side one of the options.")
    told = to_tell(variant, response)
    return Score(policies.of_matching(variant.policy, response, variant.key), _feedback(told), _ideas(told))


def _ordering(variant: Variant, response: Any) -> Score:
    known = sorted(option.id for option in variant.options)
    if (
        not isinstance(response, list)
        or not all(isinstance(each, str) for each in response)
        or sorted(response) != known
    ):
        return Score(problem="Put all of the options in order, each once.")
    credit = policies.of_ordering(variant.policy, response, variant.order)
    return Score(credit, _feedback(to_tell(variant, response)))


_SCORERS = {
    Kind.SINGLE: _selection,
    Kind.TRUE_FALSE: _selection,
    Kind.MULTIPLE: _selection,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
