"""YAML that means what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("yaml")

from exam.bank.strict_yaml import read


def problems(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in read(text).problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("No", "No"), ("off", "off"), ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("y", "y")),
        *(("true", True), ("false", False), ("True", "True"), ("null", None), ("~", None)),
        *(("1e-3", 1e-3), ("1e3", 1e3), ("1.0e3", 1e3), ("3.10", 3.1), (".5", 0.5), ("-2", -2), ("0", 0)),
        *(("1.", 1.0), ("+.5E-2", 0.005), ("-0", 0), ("0e1", 0.0), ("1.2.3", "1.2.3"), ("00", "00")),
        *(("010", "010"), ("0x1F", "0x1F"), ("1:30", "1:30"), ("12:30:45", "12:30:45"), ("1_000", "1_000")),
        *(("2026-01-31", "2026-01-31"), ("'5'", "5"), ("e5", "e5"), (".", "."), ("nan", "nan"), (".inf", ".inf")),
    ],
)
def test_a_plain_scalar_means_what_it_says(text: str, value: Any) -> None:
    found = read(f"key: {text}").value["key"]
    assert found == value and type(found) is type(value)


def test_keys_are_words() -> None:
    assert read("{true: 1, no: 2, 3: 4}").value == {"true": 1, "no": 2, "3": 4}


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "'a' stands here a second time; first in line 1"),
        ("a: 1\nb: Who said that # really\n", 2, "'# really' is a comment: quote the text"),
        ("a:\n\tb: 1\n", 2, "indent with spaces, not with a tab"),
        ("a: 1\n\n\tb: 1\n", 3, "indent with spaces, not with a tab"),
        ("a: &x 1\n", 1, "&x is an anchor"),
        ("a: 1\nb: *x\n", 2, "*x is an alias: write its value, or quote the text"),
        ("a: !!int '3'\n", 1, "is a tag"),
        ("a: this: that\n", 1, "put a text that holds ': ' between quotes"),
        ("a: {{ dp }}\n", 1, "quote a text that begins with { or ["),
        ("a: 1e999\n", 1, "1e999 is too large a number"),
        ("a: " + "9" * 5000, 1, "is too large a number"),
        ("a: 1\nb: \x07\n", 2, r"the character '\x07' may not stand in YAML"),
        ("a: 1\n---\nb: 2\n", 2, "another document"),
        ("[" * 20_000, 1, "lie too deep in each other"),
    ],
)
def test_what_is_not_strict_is_told_with_its_line(text: str, line: int, told: str) -> None:
    ((found, said),) = problems(text)
    assert found == line and told in said


@pytest.mark.parametrize("name", ["theta", "nabla", "beta", "frac", "right", "alpha", "epsilon", "vec"])
def test_latex_between_double_quotes_is_told(name: str) -> None:
    ((line, said),) = problems(f'a: 1\nb:\n  "one\n   $\\{name}$"\n')
    assert line == 4 and "between double quotes" in said and "single quotes" in said


def test_latex_that_yaml_knows_no_escape_for_is_told_as_well() -> None:
    ((line, said),) = problems('a: "$\\sqrt{2}$"')
    assert line == 1 and "write single quotes" in said


@pytest.mark.parametrize(
    "text",
    [
        "a: '$\\theta$'",
        'a: "$\\\\theta$"',
        "a: |\n  $\\theta$ # no comment\n",
        'a: "one\\n two \\"three\\""',
        "a: 1 # so many",
        "a: 'text' # with quotes",
        "# first\na:\n  # then\n  - b\n",
        "a: C# and F#",
    ],
)
def test_what_loses_nothing_is_no_problem(text: str) -> None:
    assert problems(text) == []


def test_every_value_knows_its_line_and_a_block_that_of_its_text() -> None:
    document = read("a:\n  - b: 1\n    c: |\n      text\n  - d\n")
    assert [document.line(path) for path in [("a",), ("a", 0), ("a", 0, "c"), ("a", 1), ("a", 0, "z")]] == [
        *(1, 2, 3, 5, 2)
    ]
    assert document.text_lines["a", 0, "c"] == 4


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    # what escapes mean is another matter
    | st.text(st.characters(blacklist_categories=["C", "Z"], blacklist_characters="\\")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@given(_JSON)
def test_json_is_read_as_json(value: Any) -> None:
    found = read(json.dumps(value, ensure_ascii=False))
    assert found.value == value and found.problems == []


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=40))
def test_no_text_is_too_odd(text: str) -> None:
    found = read(text)
    assert all(1 <= problem.line <= text.count("\n") + text.count("\r") + 2 for problem in found.problems)
