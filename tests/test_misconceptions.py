"""Misconceptions: how they are written down, and how they become a wrong solution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.authoring import misconception
from grader.errors import UserError
from grader.judge.bench import Source
from grader.judge.misconceptions import Misconception, apply, load_misconceptions
from tests.support import ROOT

SOLUTION = '''"""The mean: total / len(values)."""

SCALE = 2


def _total(values):
    """Add total / 1 by one."""
    total = 0
    for value in values:
        total += value
    return total


def mean(values):
    """Return total / len(values).

    >>> mean([1, 3])
    2.0
    """
    separator = "\\x0c\x0c\u2028"
    total = _total(values)
    return total / len(values)


def spread(values):
    """The range."""
    return max(values) - min(values)


class Meter:
    """Counts: self.count + 1."""

    def __init__(self):
        """Start: self.count = 0."""
        self.count = 0

    def tick(self):
        """self.count + 1"""
        self.count = self.count + 1
        return self.count
'''
SOURCE = Source("lesson01_mean.py", SOLUTION.encode())


def edit(of: str, instead_of: str, wrote: str, within: str = "") -> Misconception:
    return Misconception("one", of, "it", "hint", instead_of, wrote, within)


def defined(source: Source) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(source.content, source.file, "exec"), names)
    return names


def written(folder: Path, text: str) -> Path:
    path = folder / "lesson01_mean.py"
    path.write_text("from grader.authoring import misconception\n" + text, encoding="utf-8")
    return path


# --- edits ---


def test_an_edit_changes_the_function_and_nothing_else() -> None:
    changed = apply(edit("mean", "total / len(values)", "total / SCALE"), SOURCE)
    assert changed.file == "lesson01_mean.py"
    assert changed.content.decode() == SOLUTION.replace(
        "return total / len(values)\n\n\ndef spread", "return total / SCALE\n\n\ndef spread"
    )
    assert defined(changed)["mean"]([1, 2, 6]) == 4.5


def test_an_edit_may_be_within_a_helper() -> None:
    changed = apply(edit("mean", "total += value", "total = value", within="_total"), SOURCE)
    assert defined(changed)["mean"]([1, 3]) == 1.5


def test_an_edit_of_a_class_reaches_its_methods_but_not_their_docstrings() -> None:
    changed = apply(edit("Meter", "self.count + 1", "self.count + 2"), SOURCE)
    assert defined(changed)["Meter"]().tick() == 2
    assert '"""self.count + 1"""' in changed.content.decode()


def test_an_edit_may_span_lines() -> None:
    changed = apply(
        edit("_total", "    total = 0\n    for value in values:\n", "    total = 1\n    for value in values:\n"), SOURCE
    )
    assert defined(changed)["mean"]([1, 3]) == 2.5


def test_an_edit_may_change_whole_methods_of_files_with_windows_line_ends() -> None:
    source = Source("lesson01_mean.py", SOLUTION.replace("\n", "\r\n").encode())
    changed = apply(edit("mean", "total / len(values)", "0"), source)
    assert defined(changed)["mean"]([1]) == 0


@pytest.mark.parametrize(
    ("of", "instead_of", "within", "told"),
    [
        ("mean", "no such text", "", "occurs 0 times in mean"),
        ("mean", "total", "", "occurs 3 times in mean"),
        ("mean", "max(values)", "", "occurs 0 times in mean"),
        ("mean", ">>> mean", "", "occurs 0 times in mean"),
        ("mean", "SCALE = 2", "", "occurs 0 times in mean"),
        ("mean", "total += value", "", "occurs 0 times in mean"),
        ("Meter", "self.count", "", "occurs 4 times in Meter"),
        ("median", "total", "", "has no function 'median'"),
        ("mean", "total", "_helper", "has no function '_helper'"),
        ("tick", "self.count + 1", "", "has no function 'tick'"),
    ],
)
def test_a_text_that_does_not_occur_exactly_once_is_an_error_with_its_place(
    of: str, instead_of: str, within: str, told: str
) -> None:
    with pytest.raises(UserError, match="misconception 'one'") as caught:
        apply(edit(of, instead_of, "x", within), SOURCE)
    assert told in str(caught.value) and "lesson01_mean.py" in str(caught.value)


def test_an_idea_may_show_in_several_places() -> None:
    one = Misconception(
        "one", "mean", "it", "hint", "total = _total(values)", "total = -_total(values)", also=(("/ len(values)", ""),)
    )
    assert defined(apply(one, SOURCE))["mean"]([1, 2]) == -3


def test_a_further_text_must_occur_once_too() -> None:
    one = Misconception("one", "mean", "it", "hint", "_total(values)", "0", also=(("median", ""),))
    with pytest.raises(UserError, match="the text 'median' occurs 0 times"):
        apply(one, SOURCE)


# --- whole functions ---


def test_a_whole_function_takes_the_place_of_the_exercise(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
@misconception(
    "median",
    of="mean",
    says="a def of the median",
    hint="class or def ?",
)
def middle(values):
    return sorted(values)[len(values) // 2] * SCALE + _total([])
""",
    )
    (one,) = load_misconceptions(path)
    assert (one.name, one.of, one.says) == ("median", "mean", "a def of the median")
    assert one.function[1] == "middle" and one.function[0].startswith("def middle(values):\n")
    changed = defined(apply(one, SOURCE))
    assert changed["mean"]([1, 5, 100]) == 10
    assert changed["spread"]([1, 5]) == 4


def test_a_whole_class_takes_the_place_of_a_class(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
@misconception("stuck", of="Meter", says="a meter that is stuck", hint="?")
class Stuck:
    def tick(self):
        return 0
""",
    )
    (one,) = load_misconceptions(path)
    assert defined(apply(one, SOURCE))["Meter"]().tick() == 0


# --- files ---


def test_misconceptions_keep_the_order_of_their_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
misconception("b", of="mean", instead_of="len(values)", wrote="2", says="s", hint="h")

@misconception("c", of="mean", says="s", hint="h")
def wrong(values):
    return 0

misconception("a", of="mean", within="_total", instead_of="total = 0", wrote="total = 1", says="s", hint="h")
""",
    )
    found = load_misconceptions(path)
    assert [one.name for one in found] == ["b", "c", "a"]
    assert (found[2].within, found[2].instead_of, found[2].wrote) == ("_total", "total = 0", "total = 1")
    assert load_misconceptions(path) == found


def test_a_lesson_may_have_none(tmp_path: Path) -> None:
    assert load_misconceptions(tmp_path / "lesson01_mean.py") == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'misconception("a", of="f", instead_of="x", wrote="y", says="s", hint="h")\n' * 2,
            "two misconceptions are called 'a'",
        ),
        (
            'misconception("a", of="f", says="s", hint="h")\n',
            "misconception 'a' has no instead_of and stands above no function",
        ),
        ('misconception("a", of="f", wrote="y", says="s", hint="h")\n', "misconception 'a' has no instead_of"),
    ],
)
def test_what_cannot_be_meant_is_an_error(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        load_misconceptions(written(tmp_path, text))


def test_an_import_by_somebody_else_collects_nothing() -> None:
    @misconception("a", of="f", says="s", hint="h")
    def wrong() -> None:
        """Stays as it is."""

    misconception("b", of="f", instead_of="x", wrote="y", says="s", hint="h")
    assert wrong() is None


@pytest.mark.sweep
@pytest.mark.parametrize("path", sorted((ROOT / "misconceptions").glob("lesson*.py")), ids=lambda path: path.stem)
def test_every_misconception_of_the_course_changes_its_solution(path: Path) -> None:
    solution = ROOT / "solutions" / path.name
    source = Source(solution.name, solution.read_bytes())
    found = load_misconceptions(path)
    assert found
    for one in found:
        changed = apply(one, source)
        assert changed.content != source.content
        compile(changed.content, changed.file, "exec")
        assert one.says and one.hint and not one.says.endswith(".")
