"""Grades a Canvas package: QTI 1.2's response processing, and Canvas's own rule for multiple answers."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from decimal import Decimal
from fractions import Fraction

NAMESPACE = re.compile(r"\{[^}]*\}")
KNOWN = {
    "multiple_choice_question",
    "true_false_question",
    "multiple_answers_question",
    "numerical_question",
    "short_answer_question",
    "matching_question",
}


def items(data: bytes) -> dict[str, ET.Element]:
    """The items of a package by title, after the checks that an import makes."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    manifest = _parse(archive, "imsmanifest.xml")
    quiz = next(each for each in manifest.iter("resource") if each.get("type") == "imsqti_xmlv1p2")
    name = str(quiz.get("identifier"))
    meta = _parse(archive, f"{name}/assessment_meta.xml")
    assessment = _parse(archive, f"{name}/{name}.xml").find("assessment")
    assert assessment is not None and assessment.get("ident") == meta.get("identifier") == name
    needed = quiz.find("dependency")
    assert needed is not None
    kinds = {each.get("identifier"): each.get("type") for each in manifest.iter("resource")}
    assert kinds[needed.get("identifierref")] == "associatedcontent/imscc_xmlv1p1/learning-application-resource"
    return {str(item.get("title")): item for item in assessment.iter("item")}


def _parse(archive: zipfile.ZipFile, name: str) -> ET.Element:
    root = ET.fromstring(archive.read(name))
    for each in root.iter():
        each.tag = NAMESPACE.sub("", each.tag)
    return root


def field(item: ET.Element, label: str) -> str:
    """An entry of an item's metadata."""
    for each in item.iter("qtimetadatafield"):
        if each.findtext("fieldlabel") == label:
            return each.findtext("fieldentry") or ""
    raise AssertionError(f"no {label}")


def grade(item: ET.Element, responses: dict[str, list[str]]) -> Fraction:
    """Credit for responses by the ident of their interaction."""
    kind = field(item, "question_type")
    assert kind in KNOWN
    if kind == "multiple_answers_question":
        return _multiple(item, responses["response1"])
    score = Fraction(0)
    for condition in item.iter("respcondition"):
        tests, value = condition.find("conditionvar"), condition.find("setvar")
        assert tests is not None and value is not None
        hold = [_holds(test, responses) for test in tests]
        if any(hold) if kind == "short_answer_question" else all(hold):
            worth = Fraction(str(value.text)) / 100
            score = score + worth if value.get("action") == "Add" else worth
    return score


def _multiple(item: ET.Element, chosen: list[str]) -> Fraction:
    """(right - wrong) / how many are right, and at least nothing (Canvas's multiple answers)."""
    both = item.find(".//conditionvar/and")
    assert both is not None
    right = {each.text for each in both.findall("varequal")}
    hits = len(right & set(chosen))
    return max(Fraction(0), Fraction(hits - (len(chosen) - hits), len(right)))


def _holds(test: ET.Element, responses: dict[str, list[str]]) -> bool:
    if test.tag in ("and", "or", "not"):
        inner = [_holds(each, responses) for each in test]
        return all(inner) if test.tag == "and" else any(inner) if test.tag == "or" else not all(inner)
    given = responses.get(str(test.get("respident")), [])
    if test.tag == "varequal":
        return (test.text or "").casefold() in [each.strip().casefold() for each in given]
    value = Decimal(given[0])
    bound = Decimal(str(test.text))
    return value >= bound if test.tag == "vargte" else value <= bound
