"""Grades Moodle XML as Moodle's question engine does (question/type/*/question.php, question/format/xml)."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

# What Moodle's importer takes for a fraction (question/engine/bank.php); anything else makes it refuse the whole file.
SHARES = {round(100 / n, 5) for n in range(1, 11)} | {90.0, 80.0, 75.0, 70.0, 66.66667, 60.0, 83.33333, 40.0, 30.0, 5.0}
FRACTIONS = {0.0} | SHARES | {-share for share in SHARES}
WIDENING = 1e-14


def questions(data: bytes) -> list[ET.Element]:
    """The questions of a file, categories aside."""
    return [each for each in ET.fromstring(data) if each.get("type") != "category"]


def grade(question: ET.Element, response: Any) -> Fraction:
    """Credit for a response in terms of the file: texts of answers, or what was typed."""
    return _GRADERS[str(question.get("type"))](question, response)


def text_of(element: ET.Element) -> str:
    return element.findtext("text") or ""


def _fraction(answer: ET.Element) -> Fraction:
    value = float(str(answer.get("fraction")))
    assert any(abs(value - known) < 1e-3 for known in FRACTIONS), f"{value} is no fraction of Moodle's"
    for n in range(1, 11):
        if abs(abs(value) - 100 / n) < 1e-3:
            return Fraction(1 if value > 0 else -1, n)
    return Fraction(round(value), 100)


def _multichoice(question: ET.Element, response: Any) -> Fraction:
    chosen = response if isinstance(response, list) else [response]
    assert question.findtext("single") in ("true", "false") and question.findtext("shuffleanswers") in ("true", "false")
    worth = [_fraction(answer) for answer in question.iter("answer") if text_of(answer) in chosen]
    return min(max(sum(worth, Fraction(0)), Fraction(0)), Fraction(1))


def _truefalse(question: ET.Element, response: Any) -> Fraction:
    answers = {text_of(answer): _fraction(answer) for answer in question.iter("answer")}
    assert set(answers) == {"true", "false"}  # with capitals the importer guesses
    return answers[response]


def _numerical(question: ET.Element, response: Any) -> Fraction:
    for answer in question.iter("answer"):
        value, tolerance = float(text_of(answer)), float(str(answer.findtext("tolerance")))
        reach = tolerance + WIDENING * max(1.0, abs(value))
        if value - reach <= float(response) <= value + reach:
            return _fraction(answer)
    return Fraction(0)


def _shortanswer(question: ET.Element, response: Any) -> Fraction:
    flags = 0 if question.findtext("usecase") == "1" else re.IGNORECASE
    for answer in question.iter("answer"):
        parts = re.split(r"(?<!\\)\*", text_of(answer))
        pattern = ".*".join(re.escape(part.replace(r"\*", "*").replace("\\\\", "\\")) for part in parts)
        if re.fullmatch(pattern, response.strip(), flags):
            return _fraction(answer)
    return Fraction(0)


def _matching(question: ET.Element, response: Any) -> Fraction:
    pairs = {text_of(each): each.findtext("answer/text") for each in question.iter("subquestion") if text_of(each)}
    return Fraction(sum(response.get(left) == right for left, right in pairs.items()), len(pairs))


def _ordering(question: ET.Element, response: Any) -> Fraction:
    order = [text_of(answer) for answer in question.iter("answer")]
    assert question.findtext("selecttype") == "ALL" and question.findtext("selectcount") == str(len(order))
    hits = sum(one == other for one, other in zip(response, order, strict=True))
    if question.findtext("gradingtype") == "ABSOLUTE_POSITION":
        return Fraction(hits, len(order))
    assert question.findtext("gradingtype") == "ALL_OR_NOTHING"
    return Fraction(hits == len(order))


_GRADERS = {
    "multichoice": _multichoice,
    "truefalse": _truefalse,
    "numerical": _numerical,
    "shortanswer": _shortanswer,
    "matching": _matching,
    "ordering": _ordering,
}
