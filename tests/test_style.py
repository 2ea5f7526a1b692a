"""Text for a terminal: its colour, width and encoding."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from grader.terminal.style import NARROWEST, PIPED, WIDEST, Style, cells, pad
from grader.terminal.words import amount, duration, plural


class Stream(io.StringIO):
    """A stream that is a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "environment", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_and_for_those_who_ask(
    terminal: bool, environment: Mapping[str, str], colour: bool
) -> None:
    assert Style.of(Stream(terminal), environment).colour is colour


@pytest.mark.parametrize(
    ("columns", "width"),
    [
        ("72", 72),
        ("10", NARROWEST),
        ("5000", WIDEST),
        ("", PIPED),
        ("0", PIPED),
        ("wide", PIPED),
        ("²", PIPED),
    ],
)
def test_width_is_that_of_the_environment_within_reason(columns: str, width: int) -> None:
    assert Style.of(Stream(False), {"COLUMNS": columns}).width == width


def test_encoding_is_that_of_the_stream() -> None:
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    style = Style.of(latin, {})
    latin.write(style.safe("smallest case ✗"))
    assert style.safe("é – ✓ 漢") == "é - \\u2713 \\u6f22"
    assert Style(encoding="no such encoding").safe("a·") == "a-"


def test_wide_and_combining_characters_count_as_they_show() -> None:
    assert cells("漢字") == 4
    assert cells("e\u0301") == 1
    assert all(cells(line) <= 40 for line in Style(40).prose("漢" * 100))
    assert Style().cut("漢字漢字", 5) == "漢字…"


@pytest.mark.parametrize(
    ("points", "shown"), [(6.0, "6"), (2.5, "2.5"), (1 / 3, "0.33"), (0.1 + 0.2, "0.3"), (100, "100")]
)
def test_points_have_no_needless_digits(points: float, shown: str) -> None:
    assert amount(points) == shown


def test_code_breaks_outside_of_quotes_where_it_can() -> None:
    lines = Style(40).verbatim("f('one two three four five six', 'seven eight', 9)", 4)
    assert lines == ["    f('one two three four five six',", "        'seven eight', 9)"]


def test_code_without_spaces_is_broken_all_the_same() -> None:
    lines = Style(40).verbatim("x" * 100)
    assert "".join(line.strip() for line in lines) == "x" * 100
    assert max(map(len, lines)) == 40


def test_verbatim_keeps_lines_and_indentation() -> None:
    text = "a\n  b\n\n\tc\r\nd"
    assert Style(40).verbatim(text, 2) == ["  a", "    b", "", "      c", "  d"]


def test_labels_stand_beside_their_texts_or_above_them() -> None:
    rows = [("got", "1\n2", ""), ("expected", "3", "")]
    assert Style(60).labelled(rows, 2, 1, 10) == ["  got       1", "            2", "  expected  3"]
    assert Style(40).labelled(rows, 2, 1, 16) == ["  got", "    1", "    2", "  expected", "    3"]


def test_counts_and_minutes_in_words() -> None:
    assert plural(1, "check", "checks") == "1 check"
    assert plural(0, "check", "checks") == "0 checks"
    assert [duration(minutes) for minutes in (0, 45, 60, 750)] == ["0 min", "45 min", "1 h", "12 h 30 min"]
    assert pad("漢", 4) == "漢  "
