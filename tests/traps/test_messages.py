"""What students read whose file does not load, or stumbles: each message as the one who caused it would want it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grader.judge import bench
from grader.results import ExerciseResult, LessonResult, Outcome
from grader.terminal.lesson_report import render
from grader.terminal.style import Style
from tests.traps.harness import Grader, exercise, told, with_solution
from tests.traps.small_course import FILE_NAME, SOLUTION

IMPORTS = "import numpy as np\nfrom grader.student import Comm, exercise\n"


def outcomes(result: LessonResult) -> set[Outcome]:
    return {each.outcome for each in result.exercises}


def seen(result: LessonResult) -> str:
    """The report as a student sees it."""
    return render(result, Style(width=200))


def does_not_load(grader: Grader, text: str | bytes) -> str:
    """The message about a file that does not load."""
    result = grader.graded(text)
    assert outcomes(result) == {Outcome.CRASHED}
    assert result.points == 0
    assert sum(check.calls for each in result.exercises for check in each.checks) == 0
    assert seen(result).count(result.problem.splitlines()[0]) == 1
    return result.problem


# --- names and parameters ---


def test_a_misspelt_function_is_named_once(grader: Grader) -> None:
    result = grader.graded(SOLUTION.replace("def running_sum(", "def runing_sum("))
    found = exercise(result, "running_sum")
    assert found.notes == (f"{FILE_NAME} defines no function running_sum; is it runing_sum?",)
    assert found.outcome is Outcome.CRASHED
    assert seen(result).count("runing_sum") == 1
    assert [each.name for each in result.exercises if each.outcome is not Outcome.PASSED] == ["running_sum"]


def test_a_missing_function_is_not_started(grader: Grader) -> None:
    result = grader.graded(SOLUTION.replace("def ring_sum(", "def entirely_different("))
    found = exercise(result, "ring_sum")
    assert (found.outcome, found.points) == (Outcome.NOT_STARTED, 0)
    assert found.notes == (f"{FILE_NAME} defines no function ring_sum",)
    assert [each.name for each in result.exercises if each.outcome is not Outcome.PASSED] == ["ring_sum"]


def test_a_name_that_is_no_function(grader: Grader) -> None:
    result = grader.graded(with_solution("first_half = 2.5\n"))
    assert exercise(result, "first_half").notes == (f"{FILE_NAME} defines no function first_half",)


def test_a_renamed_parameter(grader: Grader) -> None:
    result = grader.graded(SOLUTION.replace("latency", "delay"))
    found = told(exercise(result, "transfer_seconds"), "hidden")
    assert "transfer_seconds() got an unexpected keyword argument 'latency'" in found
    assert "keep their names and order as the stub has them" in found


def test_a_missing_parameter(grader: Grader) -> None:
    result = grader.graded(with_solution("def chunk_sizes(length): return (length,)\n"))
    found = told(exercise(result, "chunk_sizes"))
    assert "chunk_sizes() takes 1 positional argument but 2 were given" in found
    assert "The call does not fit the function's parameters" in found


def test_input_in_a_function(grader: Grader) -> None:
    result = grader.graded(with_solution('def chunk_sizes(length, parts): return int(input("How many? "))\n'))
    found = exercise(result, "chunk_sizes")
    assert found.outcome is Outcome.CRASHED
    assert 'return int(input("How many? "))' in told(found)
    assert "raised EOFError: EOF when reading a line" in told(found)
    assert "a function gets what it needs as arguments, not from input()" in told(found)


# --- files that run on import ---


def test_a_script_at_module_level_is_no_harm(grader: Grader) -> None:
    script = """
print("my own tests", transfer_seconds(10, 1.0), cheapest(abs, [3, -1]))
from grader.student import on_ranks
print(on_ranks(ring_sum, [[1.0], [2.0]]))
if __name__ == "__main__":
    raise SystemExit(1)
"""
    assert grader.graded(with_solution(script)).full_marks


def test_a_script_that_asks(grader: Grader) -> None:
    problem = does_not_load(grader, SOLUTION + 'count = int(input("How many? "))\n')
    number = len(SOLUTION.splitlines()) + 1
    assert problem.startswith(f"{FILE_NAME}, line {number}: EOFError: EOF when reading a line")
    assert '    count = int(input("How many? "))' in problem
    assert "input() finds nothing to read" in problem


def test_a_script_that_exits(grader: Grader) -> None:
    problem = does_not_load(grader, SOLUTION + "exit()\n")
    assert "The file ends the program while it is loaded." in problem


def test_a_script_that_calls_what_is_not_written(grader: Grader) -> None:
    text = grader.lesson.stub.read_text(encoding="utf-8") + "\nprint(first_half(4))\n"
    problem = does_not_load(grader, text)
    assert "NotImplementedError: first_half: not written yet" in problem
    assert 'put such lines under if __name__ == "__main__"' in problem


def test_a_script_that_does_not_end(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "LOAD_CPU_SECONDS", 0.3)
    problem = does_not_load(grader, SOLUTION + "while True: pass\n")
    assert problem.endswith("It does not finish loading: is there a loop, or a long script, at its top level?")


def test_a_script_that_ends_the_process(grader: Grader) -> None:
    problem = does_not_load(grader, "import os\nos._exit(3)\n")
    assert problem.endswith("The process ended while loading it: the process ended itself with exit code 3.")


def test_a_package_that_is_not_there(grader: Grader) -> None:
    problem = does_not_load(grader, "import torch.nn as nn\n" + SOLUTION)
    assert problem.splitlines() == [
        f"{FILE_NAME}, line 1: ModuleNotFoundError: No module named 'torch'",
        "    import torch.nn as nn",
        "The grader has numpy and the standard library; nothing else is needed.",
    ]


def test_a_package_that_is_not_there_in_a_function(grader: Grader) -> None:
    result = grader.graded(with_solution("def chunk_sizes(length, parts):\n    import pandas\n"))
    found = told(exercise(result, "chunk_sizes"))
    assert "raised ModuleNotFoundError: No module named 'pandas'" in found
    assert "The grader has numpy and the standard library" in found


# --- files that are no Python ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x)\n    return x\n", ["line 1: SyntaxError: expected ':'", "    def f(x)", "            ^"]),
        ("x = [1,\ny = 2\n", ["line 1: SyntaxError: '[' was never closed", "    x = [1,", "        ^"]),
        (
            "\nprint('a\n",
            ["line 2: SyntaxError: unterminated string literal (detected at line 2)", "    print('a", "          ^"],
        ),
        ("return 5\n", ["line 1: SyntaxError: 'return' outside function", "    return 5", "    ^"]),
        (
            "if True:\n        x = 1\n\ty = 2\n",
            ["line 3: TabError: inconsistent use of tabs and spaces in indentation"],
        ),
        (
            "def f():\n\tx = 1\n        y = 2\n",
            ["line 3: TabError: inconsistent use of tabs and spaces in indentation"],
        ),
        (
            "def f():\nreturn 1\n",
            ["line 2: IndentationError: expected an indented block after function definition on line 1"],
        ),
        ("if True:\n\tx = = 2\n", ["line 2: SyntaxError: invalid syntax", "    \tx = = 2", "    \t    ^"]),
    ],
    ids=["colon", "bracket", "quote", "return", "tabs", "spaces", "indent", "caret_after_a_tab"],
)
def test_a_syntax_error_shows_line_and_caret(grader: Grader, text: str, expected: Sequence[str]) -> None:
    lines = does_not_load(grader, text).splitlines()
    assert lines[: len(expected)] == [f"{FILE_NAME}, {expected[0]}", *expected[1:]]
    assert lines[-1].strip() == "^"


def test_a_syntax_error_in_the_middle_of_real_work(grader: Grader) -> None:
    text = SOLUTION.replace("    if size_bytes < 0:\n", "    if size_bytes < 0\n")
    problem = does_not_load(grader, text)
    assert problem.splitlines()[1:] == ["        if size_bytes < 0", "                         ^"]


def test_a_syntax_error_of_a_text_that_the_file_runs(grader: Grader) -> None:
    problem = does_not_load(grader, 'import numpy\n\nexec("1 +")\n')
    assert problem.splitlines()[:2] == [
        f"{FILE_NAME}, line 3: SyntaxError: invalid syntax (<string>, line 1)",
        '    exec("1 +")',
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8"])
def test_a_byte_order_mark_is_no_harm(grader: Grader, encoding: str) -> None:
    assert grader.graded(SOLUTION.replace("\n", "\r\n").encode(encoding)).full_marks


@pytest.mark.parametrize("content", [SOLUTION.encode("utf-16"), b"name = '\xe9t\xe9'\n"], ids=["utf-16", "latin-1"])
def test_another_encoding_is_named(grader: Grader, content: bytes) -> None:
    assert does_not_load(grader, content).endswith("Is the file saved as UTF-8?")


# --- nothing written ---


def commented_out(text: str) -> str:
    return "".join(f"# {line}" for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("text", ["stub", "comments", "", "\n\n"], ids=["stub", "comments", "empty", "blank"])
def test_nothing_written_is_not_started(grader: Grader, text: str) -> None:
    stub = grader.lesson.stub.read_text(encoding="utf-8")
    result = grader.graded({"stub": stub, "comments": commented_out(SOLUTION)}.get(text, text))
    assert outcomes(result) == {Outcome.NOT_STARTED}
    assert (result.points, result.problem, result.full_marks) == (0, "", False)
    assert seen(result).count("not started") == len(result.exercises)
    notes = [] if text == "stub" else [f"{FILE_NAME} defines none of the lesson's functions"]
    assert [note for each in result.exercises for note in each.notes] == notes


# --- errors at run time ---


def crash(grader: Grader, code: str, of: str = "chunk_sizes") -> ExerciseResult:
    return exercise(grader.graded(with_solution(code), only=of), of)


def test_a_name_error_points_at_the_students_own_line(grader: Grader) -> None:
    found = crash(grader, "def chunk_sizes(length, parts):\n    sizes = []\n    return tuple(size)\n")
    message = found.checks[0].message
    assert found.outcome is Outcome.CRASHED
    assert message.splitlines()[0].startswith("line ")
    assert message.splitlines()[0].endswith(", in chunk_sizes:")
    assert message.splitlines()[1] == "    return tuple(size)"
    assert found.checks[0].counterexample is not None
    assert found.checks[0].counterexample.returned.startswith("raised NameError: name 'size' is not defined")


def test_an_error_inside_numpy_points_at_the_students_own_line(grader: Grader) -> None:
    found = crash(
        grader, "def _cut(n, p):\n    return np.zeros(n).reshape(p, -1)\ndef chunk_sizes(n, p): return _cut(n, p)\n"
    )
    assert "in _cut:\n    return np.zeros(n).reshape(p, -1)" in told(found)
    assert "raised ValueError: cannot reshape array of size 5 into shape (2,newaxis)" in told(found)


def test_an_error_where_another_is_asked_for_shows_the_line_too(grader: Grader) -> None:
    code = "def transfer_seconds(size_bytes, rate, latency=0.0):\n    assert size_bytes >= 0\n    return 1.0\n"
    found = crash(grader, code, "transfer_seconds")
    assert "raised AssertionError\nValueError is raised\nline " in told(found, "hidden")
    assert "    assert size_bytes >= 0" in told(found, "hidden")


def test_an_exception_that_only_bears_the_name(grader: Grader) -> None:
    code = "class ValueError(Exception): pass\n" + SOLUTION[SOLUTION.index("@exercise") :]
    result = grader.graded(with_solution(code))
    found = exercise(result, "transfer_seconds")
    assert found.points == found.max_points - 1
    assert "raised lesson42_traps.ValueError: size_bytes must not be negative" in told(found, "hidden")


def test_recursion_without_end(grader: Grader) -> None:
    found = crash(grader, "def chunk_sizes(length, parts):\n    return chunk_sizes(length, parts)\n")
    assert "raised RecursionError: maximum recursion depth exceeded" in told(found)
    assert "    return chunk_sizes(length, parts)" in told(found)


def test_a_generator_and_a_set_are_named(grader: Grader) -> None:
    assert "returned a generator" in told(crash(grader, "def chunk_sizes(n, p): yield n\n"))
    assert "returned a set" in told(crash(grader, "def chunk_sizes(n, p): return {n, p}\n"))
    assert "returned a function" in told(crash(grader, "def chunk_sizes(n, p): return chunk_sizes\n"))


def test_one_result_where_two_are_asked_for(grader: Grader) -> None:
    found = crash(grader, "def first_half(length): return length - length // 2, length // 2\n", "first_half")
    assert "looking at it: AttributeError: 'tuple' object has no attribute 'first'" in told(found, "hidden")


def test_what_a_failing_case_printed_is_shown_and_cut(grader: Grader) -> None:
    code = 'def chunk_sizes(n, p):\n    print("\\0\\x1b[31m</testcase>" + "." * 100_000)\n    return 5\n'
    found = crash(grader, code)
    assert found.checks[0].stdout.startswith("\0\x1b[31m</testcase>...")
    assert found.checks[0].stdout.endswith("… cut: 100,018 bytes were printed")
    assert len(found.checks[0].stdout) < 70_000


def test_nothing_that_is_printed_reaches_the_terminal_raw(grader: Grader) -> None:
    code = (
        'def chunk_sizes(n, p):\n    print("\\x1b[2J\\x07")\n    raise RuntimeError("\\x1b]0;title\\x07 \\ud800 \\0")\n'
    )
    result = grader.graded(with_solution(code))
    text = seen(result)
    assert "\\x1b[2J" in text
    assert "RuntimeError: \\x1b]0;title\\x07 \\ud800 \\x00" in text
    text.encode("utf-8")
    assert {character for character in text if not character.isprintable()} == {"\n"}
