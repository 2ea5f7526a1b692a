"""What the student sees of a graded lesson. The golden files are rewritten with UPDATE_GOLDEN=1 set."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.results import CheckResult, Counterexample, Feedback, LessonResult, Misconception, Outcome
from grader.terminal.lesson_report import render
from grader.terminal.style import Style, cells
from tests.report_samples import (
    MEAN,
    RING,
    SUM,
    all_passed,
    check,
    crashed,
    exercise,
    hidden_check,
    lesson,
    passed,
    public_only,
    syntax_error,
    timed_out,
    two_mistakes,
    ungraded,
    untouched,
    untouched_stub,
)

GOLDEN = Path(__file__).with_name("golden")
PLAIN = Style(100)
COLOUR = re.compile(r"\x1b\[\d+m")
SAMPLES = {
    "all_passed": all_passed(),
    "two_mistakes": two_mistakes(),
    "untouched_stub": untouched_stub(),
    "crashed": crashed(),
    "timed_out": timed_out(),
    "syntax_error": syntax_error(),
    "hidden_full": hidden_check(Feedback.FULL),
    "hidden_counterexample": hidden_check(Feedback.COUNTEREXAMPLE),
    "hidden_sentence": hidden_check(Feedback.SENTENCE),
    "ungraded": ungraded(),
    "public_only": public_only(two_mistakes()),
    "public_all_passed": public_only(all_passed()),
}
STYLES = {
    **{name: (result, PLAIN) for name, result in SAMPLES.items()},
    "two_mistakes_40_columns": (two_mistakes(), Style(40)),
    "crashed_40_columns": (crashed(), Style(40)),
    "syntax_error_60_columns": (syntax_error(), Style(60)),
    "two_mistakes_ascii": (two_mistakes(), Style(100, encoding="ascii")),
    "two_mistakes_coloured": (two_mistakes(), Style(100, colour=True)),
}


@pytest.mark.parametrize("name", STYLES)
def test_report_is_the_golden_one(name: str) -> None:
    result, style = STYLES[name]
    path = GOLDEN / f"lesson_{name}.txt"
    shown = render(result, style)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown, encoding="utf-8", newline="\n")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 41, 47, 60, 79, 80, 100, 137, 200])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_is_longer_than_the_terminal(name: str, width: int) -> None:
    for line in render(SAMPLES[name], Style(width)).splitlines():
        assert cells(line) <= width
        assert line == line.rstrip()


@pytest.mark.parametrize("name", SAMPLES)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    for width in (40, 100):
        coloured = render(SAMPLES[name], Style(width, colour=True))
        assert COLOUR.search(coloured)
        assert COLOUR.sub("", coloured) == render(SAMPLES[name], Style(width))


@pytest.mark.parametrize("name", SAMPLES)
def test_ascii_will_do(name: str) -> None:
    shown = render(SAMPLES[name], Style(100, encoding="ascii"))
    assert shown.isascii()
    assert "\\x" not in shown
    assert "\\u" not in shown


hostile = st.text(max_size=30) | st.lists(
    st.sampled_from(
        ["\x1b[2J", "\x00", "\r", "\n", "\t", "\x85", "\u202e", "\udcff", "[red]", "</testcase>", "é", "漢"]
    )
).map("".join)


@settings(deadline=None, max_examples=60)
@given(hostile, st.integers(40, 120), st.booleans())
def test_strings_of_a_submission_cannot_drive_the_terminal(text: str, width: int, ascii_only: bool) -> None:
    case = Counterexample(text, text, text, text, "3f2a")
    failed = check("It holds.", Outcome.CRASHED, case=case, message=text, stdout=text)
    result = lesson([exercise("f", [failed], notes=[text])])
    for shown in (result, replace(result, problem=text or "?")):
        report = render(shown, Style(width, encoding="ascii" if ascii_only else "utf-8"))
        assert all(line.isprintable() for line in report.split("\n"))
        report.encode("ascii" if ascii_only else "utf-8")


def test_control_characters_are_spelt_out() -> None:
    case = Counterexample("f()", "returned 'a\x1b[31mb\x00'", "'[bold]c[/bold]'")
    report = render(failing(check(SUM, Outcome.WRONG, case=case, stdout="50 %\r100 %\u202e")), PLAIN)
    assert r"'a\x1b[31mb\x00'" in report
    assert "'[bold]c[/bold]'" in report
    assert r"50 %\r100 %\u202e" in report


def failing(*checks: CheckResult, misconception: Misconception | None = None) -> LessonResult:
    """A lesson of one exercise with these checks."""
    return lesson([exercise("ring_all_reduce", checks, misconception=misconception)])


def test_first_failing_check_is_public_and_the_others_take_a_line_each() -> None:
    case = Counterexample("f(1)", "returned 2", "3")
    report = render(
        failing(
            check(RING, Outcome.WRONG, hidden=True, case=case),
            check(SUM, Outcome.CRASHED, message="IndexError: list index out of range"),
            check(MEAN, Outcome.TIMED_OUT, hidden=True, case=case),
        ),
        Style(120),
    )
    assert report.index(SUM) < report.index("IndexError") < report.index("2 more checks fail:")
    assert f"    ✗ {RING}\n    ✗ {MEAN} (timed out)\n" in report
    assert "f(1)" not in report


def test_message_says_nothing_twice() -> None:
    case = Counterexample("f(1)", "returned 2", "3")
    message = f"{SUM}\nf(1)\nreturned 2\nexpected 3\nThe two calls before it were right."
    report = render(failing(check(SUM, Outcome.WRONG, case=case, message=message)), Style(120))
    assert report.count(SUM) == report.count("f(1)") == report.count("expected") == 1
    assert "    The two calls before it were right.\n" in report


def test_message_that_only_looks_like_the_case_is_kept() -> None:
    case = Counterexample("f(1)", "2", "3")
    message = "Gives different answers to the same call: rank 12"
    assert message in render(failing(check(SUM, Outcome.WRONG, case=case, message=message)), PLAIN)


def test_error_keeps_the_students_line_and_its_own_last_line_when_long() -> None:
    trace = "\n".join(["line 3, in f", "    return g(x)", *(f"  frame {i}" for i in range(500)), "ValueError: no"])
    report = render(failing(check(SUM, Outcome.CRASHED, message=trace)), PLAIN)
    assert "    line 3, in f\n        return g(x)\n" in report
    assert "    ValueError: no\n" in report
    assert "more lines)" in report
    assert len(report.splitlines()) < 60


def test_huge_values_are_cut_in_the_middle_and_that_is_said() -> None:
    call = f"f([{', '.join(['1.0'] * 100_000)}], average=True)"
    report = render(failing(check(SUM, Outcome.WRONG, case=Counterexample(call, "returned " + "9" * 10**6))), PLAIN)
    assert len(report) < 6000
    assert "average=True)" in report
    assert "more lines)" in report


def test_long_call_stays_python_that_can_be_pasted() -> None:
    call = f"f({[[1.0, 2.0]] * 12}, 'two words and a comma, quoted', average=True)"
    report = render(failing(check(SUM, Outcome.WRONG, case=Counterexample(call, "returned 0"))), Style(70))
    pasted = report[report.index("f([[") : report.index("returned")]
    assert pasted.count("\n") > 2
    namespace = {"f": lambda *arguments, **options: (arguments, options)}
    assert eval(pasted.strip(), namespace) == eval(call, namespace)


def test_carets_point_into_their_line_whatever_stands_before_them() -> None:
    problem = "line 2\n\tx = '漢\x07' + (1,, 2)\n\t" + " " * 14 + "^\nSyntaxError: invalid syntax"
    lines = render(replace(untouched_stub(), problem=problem), PLAIN).splitlines()
    code, pointer = next(pair for pair in pairwise(lines) if pair[1].strip() == "^")
    before = code[: code.index(",, 2")]
    assert len(pointer) - 1 == cells(before) + 1


def test_other_signs_than_carets_are_left_alone() -> None:
    report = render(failing(check(SUM, Outcome.WRONG, stdout="^^^\n~~~\n\n   ^\n")), PLAIN)
    assert re.search(r"it printed +\^\^\^\n +~~~\n\n +\^\n", report)


def test_problem_is_told_once_and_instead_of_blocks() -> None:
    report = render(syntax_error(), PLAIN)
    assert report.count("SyntaxError") == 1
    assert "grade hint" not in report
    assert report.endswith("next: correct the file, then grade lesson6\n")


def next_step(result: LessonResult) -> str:
    """What the report's last line says to do."""
    return render(result, PLAIN).rsplit("next: ", 1)[1].strip()


def test_next_step() -> None:
    wrong = exercise("wrong", [check(SUM, Outcome.WRONG)], core=False)
    core, stretch = untouched("core"), untouched("stretch", core=False)
    assert next_step(lesson([stretch, core, passed("done"), wrong])) == "wrong (stretch)"
    assert next_step(lesson([stretch, core, passed("done")])) == "core"
    assert next_step(lesson([stretch, passed("done")])) == "stretch (stretch)"
    assert next_step(all_passed()) == "grade, for all your lessons"
    assert next_step(public_only(all_passed())) == "hand in lesson06_collectives.py"
    assert render(all_passed(), PLAIN, after="lesson 7").endswith("next: lesson 7\n")


def test_core_minutes_left_count_core_exercises_that_do_not_pass() -> None:
    rows = [untouched("a", minutes=1), untouched("b", minutes=9, core=False), passed("c")]
    assert "1 core minute left" in render(lesson(rows), PLAIN)
    assert "the core is done" in render(lesson(rows[1:]), PLAIN)
    assert "core" not in render(ungraded(), PLAIN).split("points", 2)[-1].split("next")[0]


def test_ungraded_costs_nothing_and_shows_no_zero() -> None:
    report = render(ungraded(), PLAIN)
    assert "?  –/4   not graded" in report
    assert "12 could not be graded, which costs you nothing" in report


def test_no_replay_without_an_id() -> None:
    case = Counterexample("f(1)", "returned 2")
    assert "replay" not in render(failing(check(SUM, Outcome.WRONG, case=case)), PLAIN)
    found = replace(case, replay="3f2a")
    assert "grade replay 3f2a --pdb" in render(failing(check(SUM, Outcome.WRONG, case=found)), PLAIN)


def test_commands_stay_whole_on_the_narrowest_terminal() -> None:
    name = "a_function_with_a_very_long_name_indeed"
    result = lesson([exercise(name, [check(SUM, Outcome.WRONG)])])
    assert f"grade hint {name}\n" in render(result, Style(40))


def test_a_check_without_a_sentence_goes_by_its_name() -> None:
    nameless = replace(check(SUM, Outcome.WRONG), sentence="", name="test_sum_is_right")
    assert "  sum is right\n" in render(failing(nameless), PLAIN)


def test_a_lesson_without_exercises_or_number_is_shown() -> None:
    report = render(replace(lesson([]), lesson="warm_up"), PLAIN)
    assert report.startswith("Data parallelism and collective communication     ")
    assert "0 of 0 points" in report


def test_nothing_slow_is_imported() -> None:
    code = "import sys, grader.terminal.lesson_report, grader.terminal.progress, grader.saved\n"
    code += "print(*sorted({'rich', 'click', 'numpy', 'pytest', 'hypothesis', 'jsonschema'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
