"""Grades QTI 2.1 and 3.0 items by their response processing, as the specification says."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from decimal import Decimal
from fractions import Fraction
from typing import Any

NAMESPACE = re.compile(r"\{[^}]*\}")
IDENTIFIER = re.compile(r"[A-Za-z_][\w-]*")


def items(data: bytes) -> dict[str, ET.Element]:
    """The items of a package by title; each is reached from the test and named in the manifest."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    manifest, test = _parse(archive, "imsmanifest.xml"), _parse(archive, "test.xml")
    listed = {each.get("href") for each in manifest.iter("resource")}
    found = {}
    for ref in test.iter("assessmentitemref"):
        name = str(ref.get("href"))
        assert name in listed and IDENTIFIER.fullmatch(str(ref.get("identifier")))
        item = _parse(archive, name)
        assert item.get("identifier") == ref.get("identifier")
        found[str(item.get("title"))] = item
    assert set(archive.namelist()) == {"imsmanifest.xml", *listed}
    return found


def _parse(archive: zipfile.ZipFile, name: str) -> ET.Element:
    """With one spelling for both versions: no namespace, no prefix, no hyphens, no capitals."""
    root = ET.fromstring(archive.read(name))
    for each in root.iter():
        each.tag = NAMESPACE.sub("", each.tag).removeprefix("qti-").replace("-", "").lower()
        for key in list(each.attrib):
            each.attrib[key.replace("-", "").lower()] = each.attrib.pop(key)
    return root


def grade(item: ET.Element, response: Any) -> Fraction:
    """Credit for a response: a value, a list of values, or None."""
    declaration, processing = item.find("responsedeclaration"), item.find("responseprocessing")
    assert declaration is not None and processing is not None
    template = (processing.get("template") or "").removesuffix(".xml").rpartition("/")[2]
    if template == "map_response":
        return _mapped(declaration, response)
    if template == "match_correct":
        return Fraction(_matches(declaration, response))
    return _processed(processing, response)


def _matches(declaration: ET.Element, response: Any) -> bool:
    key = [value.text for value in declaration.findall("correctresponse/value")]
    given = response if isinstance(response, list) else [response]
    return given == key if declaration.get("cardinality") == "ordered" else sorted(given) == sorted(map(str, key))


def _mapped(declaration: ET.Element, response: Any) -> Fraction:
    mapping = declaration.find("mapping")
    assert mapping is not None
    given = response if isinstance(response, list) else [response]
    total = sum((_entry(mapping, each) for each in dict.fromkeys(given)), Fraction(0))
    low, high = (Fraction(str(mapping.get(name))) for name in ("lowerbound", "upperbound"))
    return min(max(total, low), high)


def _entry(mapping: ET.Element, value: str) -> Fraction:
    for entry in mapping.findall("mapentry"):
        key = str(entry.get("mapkey"))
        if key == value or (entry.get("casesensitive") == "false" and key.casefold() == value.casefold()):
            return Fraction(str(entry.get("mappedvalue")))
    return Fraction(str(mapping.get("defaultvalue")))


def _processed(processing: ET.Element, response: Any) -> Fraction:
    rule = processing.find("responsecondition/responseif")
    assert rule is not None
    test, outcome = list(rule)
    value = outcome.find("basevalue")
    assert value is not None and value.text
    return Fraction(value.text) if _true(test, response) else Fraction(0)


def _true(test: ET.Element, response: Any) -> bool:
    parts = list(test)
    if test.tag in ("and", "not"):
        inner = [_true(each, response) for each in parts]
        return all(inner) if test.tag == "and" else not inner[0]
    if test.tag == "isnull":
        return response is None
    bound = Decimal(str(parts[1].text))
    assert parts[0].tag == "variable" and test.tag in ("gte", "lte")
    return Decimal(response) >= bound if test.tag == "gte" else Decimal(response) <= bound
