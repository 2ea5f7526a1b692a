"""Markdown for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam.take.plain import inline, lines
from grader.terminal.style import Style, cells

WIDE, NARROW = Style(width=100), Style(width=40)

TABLE = r"""
| stage | bytes a *parameter* | what |
|:------|--------------------:|------|
| 1     | $4 + 12/N$          | `P_os` |
| 2     | $2 + 14/N$          | a \| b |
"""


def test_paragraphs_are_joined_and_marks_and_formulas_become_text() -> None:
    text = "A **model** of $7.5 \\times 10^9$\nparameters, `n // p` *each*.\n\nThen $\\frac{a}{b}$."
    assert lines(text, WIDE) == ["A model of 7.5 × 10⁹ parameters, n // p each.", "", "Then a/b."]


def test_code_keeps_its_lines_and_its_characters() -> None:
    text = "Run:\n```python\nfor i in range(3):\n    print(i)  # $x$ | *b*\n\n```\nDone."
    assert lines(text, WIDE, 2) == [
        "  Run:",
        "",
        "    for i in range(3):",
        "        print(i)  # $x$ | *b*",
        "",
        "  Done.",
    ]


def test_code_that_is_never_closed_is_shown_to_the_end() -> None:
    assert lines("~~~\nx = 1\n", WIDE) == ["  x = 1"]


def test_lists_stand_together_and_later_lines_hang() -> None:
    text = "Two:\n\n- one that\n  goes on\n- " + "long " * 12 + "\n    1. nested"
    assert lines(text, NARROW) == [
        "Two:",
        "",
        "• one that goes on",
        "• long long long long long long long",
        "  long long long long long",
        "    1. nested",
    ]


def test_a_formula_on_its_own_has_a_line_for_each_row() -> None:
    text = "So\n$$\n\\begin{aligned}\nT &= 2(p-1)\\alpha \\\\\n&\\approx n\\beta\n\\end{aligned}\n$$\nand $$x$$"
    assert lines(text, WIDE) == ["So", "", "  T = 2(p-1)α", "  ≈ nβ", "", "and x"]


def test_a_table_has_columns() -> None:
    assert lines(TABLE, WIDE, 1) == [
        " stage  bytes a parameter  what",
        " ─────  ─────────────────  ─────",
        " 1      4 + 12/N           P_os",
        " 2      2 + 14/N           a | b",
    ]


def test_a_table_that_does_not_fit_becomes_rows_with_labels() -> None:
    text = "| what it is called | what it holds |\n|--|--|\n| optimizer state | momentum, variance, copies |\n| b | c |"
    shown = lines(text, NARROW)
    assert shown[0].startswith("what it is called") and "" in shown
    assert all(cells(line) <= 40 for line in shown)
    assert " ".join(" ".join(shown).split()).count("what it holds") == 2


def test_headings_quotes_and_pictures() -> None:
    assert lines("## A *heading*\n> said\n> so\n\n![a ring of ranks](ring.svg)", WIDE) == [
        "A heading",
        "",
        "said so",
        "",
        "[picture: a ring of ranks]",
    ]


def test_a_heading_is_painted_where_there_is_colour() -> None:
    assert lines("# Now", Style(colour=True)) == ["\x1b[1mNow\x1b[0m"]


def test_inline_is_one_line() -> None:
    assert inline("see\n*section* $5$") == "see section 5"


@pytest.mark.parametrize("text", ["", " \n\n", "\n"])
def test_nothing_is_no_lines(text: str) -> None:
    assert lines(text, WIDE) == []


@given(st.text(alphabet=st.sampled_from(list("ab $`*|-#>~\n\\[]!(){}1.\x1b\x07\u202e")), max_size=60))
def test_no_text_breaks_the_screen(text: str) -> None:
    for line in lines(text, NARROW, 2):
        assert line.isprintable() and cells(line) <= 40
