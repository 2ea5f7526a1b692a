"""Exercises read from solutions."""

from __future__ import annotations

import pytest

from grader.authors.stubs import SolutionError, exercises_in, stub_source, title_of
from tests.stub_samples import SOLUTION, small


def test_exercises_are_read_in_order_with_their_facts() -> None:
    limits, reduce, scaler = exercises_in(SOLUTION)
    assert (limits.name, limits.outcome, limits.minutes, limits.core, limits.difficulty) == (
        "limits",
        "4a",
        15,
        True,
        1,
    )
    assert limits.collectives == () and limits.docstring.startswith("State the limits of a format: \\alpha.")
    assert limits.examples == (("limits(8)", "Limits(largest=1.0, codes=())"), ('H100["peak"]', "989.0"))
    assert (reduce.core, reduce.difficulty, reduce.collectives) == (False, 2, ("all_reduce", "barrier"))
    assert scaler.examples == (("LossScaler(2.0).scale(1.0)", "2.0"), ("LossScaler(4.0).scale(0.5)", "2.0"))
    assert SOLUTION.split("\n")[limits.line - 1].startswith("def limits(")


def test_statements_among_the_examples_are_kept_in_order() -> None:
    text = "Do.\n\n    >>> x = [\n    ...     1,\n    ... ]\n    >>> one()\n    1\n    "
    assert exercises_in(small(docstring=text))[0].examples == (("x = [\n    1,\n]", ""), ("one()", "1"))


@pytest.mark.parametrize(
    ("source", "line", "problem"),
    [
        (small(docstring=""), 9, "one has no docstring"),
        (small(docstring="Return one."), 9, "the docstring of one has no example"),
        (small(docstring="Return.\n\n    >>> x = 1\n    "), 9, "the docstring of one has no example"),
        (small(docstring="Return.\n\n    >>> one(\n    1\n    "), 10, "an example of one cannot be read"),
        (small(docstring="Return.\n\n    >>>one()\n    1\n    "), 10, "an example of one cannot be read"),
        (small(decorator='outcome="1a", minutes=HOUR'), 8, "minutes= of @exercise must be a literal"),
        (
            small(decorator='outcome="1a",\n    minutes=5 * int("1")'),
            9,
            "minutes= of @exercise must be a literal",
        ),
        (small(decorator="**FACTS"), 8, "without **"),
        (small(decorator='"1a", 5'), 8, "give @exercise its arguments by keyword"),
        (small().replace('@exercise(outcome="1a", minutes=5)', "@exercise"), 8, "by keyword"),
        (small(decorator='outcome="1a"'), 8, "@exercise lacks minutes="),
        (small(decorator="minutes=5"), 8, "@exercise lacks outcome="),
        (small(decorator='outcome="1a", minutes="5"'), 8, "cannot have minutes='5'"),
        (small(decorator='outcome="1a", minutes=True'), 8, "cannot have minutes=True"),
        (small(decorator='outcome="1a", minutes=0'), 8, "cannot have minutes=0"),
        (small(decorator='outcome="", minutes=5'), 8, "cannot have outcome=''"),
        (small(decorator='outcome="1a", minutes=5, core=1'), 8, "cannot have core=1"),
        (small(decorator='outcome="1a", minutes=5, difficulty=4'), 8, "cannot have difficulty=4"),
        (small(decorator='outcome="1a", minutes=5, collectives="all_reduce"'), 8, "cannot have collectives="),
        (small() + small(), 25, "one is stated a second time"),
        ("def f(:\n", 1, "not Python"),
        ("\n\nx = '\x00'\n", 1, "not Python"),
    ],
)
def test_badly_stated_exercise_is_refused_with_file_and_line(source: str, line: int, problem: str) -> None:
    for read in (exercises_in, stub_source):
        with pytest.raises(SolutionError) as caught:
            read(source, "solutions/lesson01_scale.py")
        assert caught.value.message.startswith(f"solutions/lesson01_scale.py:{line}: ")
        assert problem in caught.value.message


def test_facts_that_only_the_grader_knows_are_let_through() -> None:
    assert exercises_in(small(decorator='outcome="1a", minutes=5, seconds=2.5'))[0].minutes == 5


@pytest.mark.parametrize(
    ("docstring", "title"),
    [
        ("Lesson 6 · Collective communication.", "Collective communication"),
        ("Lesson 6 · Data · and more.\n\nText.", "Data · and more"),
        ("Collectives", "Collectives"),
    ],
)
def test_title_is_the_first_line(docstring: str, title: str) -> None:
    assert title_of(f'"""{docstring}"""\n') == title
    with pytest.raises(SolutionError):
        title_of("x = 1\n")
