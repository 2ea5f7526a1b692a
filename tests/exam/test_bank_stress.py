"""Thousands of draws: what is found in one, and that the banks of the course stand them."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pydantic")

from exam.bank.compile import Maker
from exam.bank.load import load_bank
from exam.bank.stress import flaws, stress
from exam.bank.subject import Subject
from exam.terminal.course import banked_lessons
from exam.variants import Kind, Mistake, Number, Option, Text
from grader.course import Lesson
from tests.exam import samples
from tests.exam.bank_samples import ITEM, common, maker
from tests.support import ROOT

BANKED = banked_lessons(ROOT, (), None)


def test_a_good_item_is_clean(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    found = stress(make, make.bank.items[0], 200)
    assert found.problems == [] and found.draws == 200 and found.different == 5 and found.idle == []


def test_a_mistake_that_never_makes_a_difference_is_named(lesson: Lesson) -> None:
    make = maker(lesson, ITEM.replace("stage: {choice: [1, 2]}", "stage: {choice: [2]}"))
    assert stress(make, make.bank.items[0], 50).problems == [
        "l07-state-bytes: the mistake 'gradients_divided_from_stage_1_on' never leads to an answer of its own"
    ]


def test_an_error_that_shows_in_few_draws_is_found_with_its_draw(lesson: Lesson) -> None:
    rare = ITEM.replace("choice: [8, 16, 64]", "integer: [8, 60]").replace(
        "{{ dp }} ranks", "{{ 1 // (dp - 23) }} ranks"
    )
    make = maker(lesson, rare)
    (problem,) = stress(make, make.bank.items[0], 3000).problems
    assert "l07-state-bytes, draw " in problem and "ZeroDivisionError" in problem


def test_draws_that_are_mostly_thrown_away_are_told(lesson: Lesson) -> None:
    near = '{name: an_idea, value: "{{ zero_state_bytes(1e9, dp, stage).total / 1e9 * (2 if dp == 8 else 1.001) }}"}'
    make = maker(lesson, ITEM.replace("choice: [8, 16, 64]", "integer: [8, 24]").replace("no_master_copy", near))
    problems = stress(make, make.bank.items[0], 20).problems
    assert len(problems) == 1 and problems[0].endswith(" draws were thrown away for 20")


def test_options_that_coincide_in_some_draws_are_found(lesson: Lesson) -> None:
    rest = """
    parameters: {n: {integer: [1, 4]}}
    options:
      - {text: "{{ n * n }}", correct: true}
      - {text: "{{ 2 * n }}", misconception: an_idea}
      - {text: "{{ n + 9 }}", misconception: an_idea}
    """
    make = maker(lesson, common("single", rest))
    problems = stress(make, make.bank.items[0], 100).problems
    assert problems and all("two options read alike: ['11', '4', '4']" in problem for problem in problems)


@pytest.mark.parametrize("left", ["{{ x", "{% if", "nan", "None", "inf", "1 + inf"])
def test_what_is_left_over_of_a_template_is_found_wherever_it_is_read(left: str) -> None:
    text = f"What is {left} here?"
    first, *others = samples.SINGLE.options
    assert left_over(replace(samples.SINGLE, stem=text)) and left_over(replace(samples.SINGLE, explanation=text))
    assert left_over(replace(samples.SINGLE, options=(replace(first, feedback=text), *others)))
    pair, *pairs = samples.MATCHING.pairs
    assert left_over(replace(samples.MATCHING, pairs=(replace(pair, left=text), *pairs)))
    mistake = Mistake("tree", "idea", text)
    assert left_over(replace(samples.TEXT, text=Text(("ring",), mistakes=(mistake,))))


def left_over(variant: object) -> bool:
    return any("is left over" in flaw for flaw in flaws(variant))  # type: ignore[arg-type]


@pytest.mark.parametrize("fine", [r"$\frac{1}{2^{10}}$", "infinite", r"$\inf$", "banana", "{x}", "Nonetheless"])
def test_formulas_and_words_are_not_taken_for_remains(fine: str) -> None:
    assert list(flaws(replace(samples.SINGLE, stem=f"What is {fine} here?"))) == []


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_the_samples_are_clean(variant: object) -> None:
    assert list(flaws(variant)) == []  # type: ignore[arg-type]


def numbered(**parts: object) -> object:
    return replace(samples.NUMERIC, number=Number(**{"value": "5", "low": "4", "high": "6", **parts}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        (numbered(value="7"), "the key 7 is not within its bounds 4 and 6"),
        (numbered(mistakes=(Mistake("6.5", "a", "", "6", "7"),)), "the mistake 'a' (6.5) overlaps the key"),
        (
            numbered(mistakes=(Mistake("8", "a", "", "7", "9"), Mistake("9", "b", "", "8.5", "9.5"))),
            "the mistake 'b' (9) overlaps 'a'",
        ),
        (
            replace(samples.TEXT, text=Text(("ring",), mistakes=(Mistake("Ring", "a", "Why?"),))),
            "the mistake 'a', Ring, is graded as right",
        ),
        (
            replace(samples.TRUE_FALSE, options=(Option("true", "True", True), Option("false", "False", True))),
            "not exactly one option is correct",
        ),
        (replace(samples.SHUFFLE_OFF, stem=""), "the stem or an option is empty"),
        (
            replace(samples.CANVAS, options=(*samples.CANVAS.options, replace(samples.CANVAS.options[0], text="new"))),
            "two options have one id",
        ),
        (
            replace(samples.ORDERING, options=tuple(Option(f"o{k}", text) for k, text in enumerate(("A", "a  ", "b")))),
            "two options read alike: ['a', 'a', 'b']",
        ),
    ],
)
def test_flaws_of_a_variant_are_found(variant: object, told: str) -> None:
    found = []
    for flaw in flaws(variant):  # type: ignore[arg-type]
        found.append(flaw)
        if told in flaw:
            break
    assert any(told in flaw for flaw in found)


@pytest.mark.parametrize("banked", BANKED, ids=lambda each: each.name)
def test_the_banks_of_the_course_stand_some_draws(banked: Lesson) -> None:
    make = Maker(load_bank(banked), Subject.of(banked))
    assert [
        problem
        for item in make.bank.items
        for problem in stress(make, item, 25).problems
        if "never leads" not in problem
    ] == []


@pytest.mark.sweep
@pytest.mark.parametrize("banked", BANKED, ids=lambda each: each.name)
def test_the_banks_of_the_course_stand_thousands_of_draws(banked: Lesson) -> None:
    make = Maker(load_bank(banked), Subject.of(banked))
    assert [problem for item in make.bank.items for problem in stress(make, item, 5000).problems] == []


def test_every_kind_is_used_in_the_banks() -> None:
    kinds = {item.type for banked in BANKED for item in load_bank(banked).items}
    assert kinds == {kind.value for kind in Kind}
