"""Grades Open edX problems as capa does (xmodule/capa/responsetypes.py)."""

from __future__ import annotations

import io
import re
import tarfile
import xml.etree.ElementTree as ET
from decimal import Decimal
from fractions import Fraction
from typing import Any


def problems(data: bytes) -> dict[str, ET.Element]:
    """The problems of a library by name; each that it lists is there, and no other."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        read = {name: archive.extractfile(name).read() for name in archive.getnames()}  # type: ignore[union-attr]
    library = ET.fromstring(read.pop("library/library.xml"))
    listed = [str(each.get("url_name")) for each in library.iter("problem")]
    assert [f"library/problem/{name}.xml" for name in listed] == list(read)
    found = [ET.fromstring(content) for content in read.values()]
    return {str(problem.get("display_name")): problem for problem in found}


def grade(problem: ET.Element, response: Any) -> Fraction:
    """Credit for a response: texts of choices, or what was typed."""
    if (choices := problem.find("multiplechoiceresponse/choicegroup")) is not None:
        (right,) = [place for place, each in enumerate(choices) if each.get("correct") == "true"]
        return Fraction(response == right)
    if (boxes := problem.find("choiceresponse/checkboxgroup")) is not None:
        right = {place for place, each in enumerate(boxes) if each.get("correct") == "true"}
        return Fraction(set(response) == right and bool(response))
    if (number := problem.find("numericalresponse")) is not None:
        found = re.fullmatch(r"\[(.+),(.+)\]", str(number.get("answer")))
        assert found is not None
        return Fraction(Decimal(found[1]) <= Decimal(response) <= Decimal(found[2]))
    if (text := problem.find("stringresponse")) is not None:
        right_texts = [text.get("answer"), *(each.get("answer") for each in text.findall("additional_answer"))]
        fold = str.casefold if text.get("type") == "ci" else str
        return Fraction(fold(response.strip()) in [fold(str(each)) for each in right_texts])
    raise AssertionError("another kind of problem")
