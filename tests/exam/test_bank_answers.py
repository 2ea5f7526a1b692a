"""Numbers that are asked for: keys, bounds of every kind of tolerance, mistakes and computed options."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")

from exam.bank.answers import Unsuitable, Wrong, choices, number
from exam.bank.compile import ItemError
from exam.bank.model import NumberAnswer
from exam.bank.stress import flaws
from exam.scoring import score
from exam.variants import Number
from grader.course import Lesson
from tests.exam.bank_samples import ITEM, first, maker, numeric


def answer(value: float | str, **entries: object) -> NumberAnswer:
    return NumberAnswer.model_validate({"value": value, **entries})


def bounds(value: float, **entries: object) -> tuple[str, str, str]:
    found = number(answer(value, **entries), [], {})
    return found.low, found.value, found.high


@pytest.mark.parametrize(
    ("value", "entries", "expected"),
    [
        (14.5454545, {"figures": 3, "tolerance": {"relative": 0.01}}, ("14.399999955", "14.5", "14.690909045")),
        (45.8, {"tolerance": {"absolute": 0.2}}, ("45.6", "45.8", "46")),
        (-11.7, {"tolerance": {"absolute": 0.02}}, ("-11.72", "-11.7", "-11.68")),
        (-200, {"tolerance": {"relative": 0.01}}, ("-202", "-200", "-198")),
        (200, {"tolerance": {"relative": 0.01, "absolute": 5}}, ("195", "200", "205")),
        (200, {"tolerance": {"relative": 0.05, "absolute": 5}}, ("190", "200", "210")),
        (3.14159, {"tolerance": {"figures": 3}}, ("3.13659", "3.14159", "3.14659")),
        (3.14159, {"figures": 3}, ("3.135", "3.14", "3.145")),
        (0.0999, {"figures": 2}, ("0.095", "0.10", "0.105")),
        (3.14159, {"decimals": 1}, ("3.05", "3.1", "3.15")),
        (0, {"decimals": 1}, ("-0.05", "0.0", "0.05")),
        (0, {"tolerance": {"absolute": 0.1}}, ("-0.1", "0", "0.1")),
        (2.2e-10, {"figures": 2}, ("2.15e-10", "2.2e-10", "2.25e-10")),
        (2.5, {"tolerance": {"range": [2, "{{ 2 + 2 }}"]}}, ("2", "2.5", "4")),
        (
            123456789012345,
            {"tolerance": {"absolute": 0.5}},
            ("123456789012344.5", *(("123456789012345",)), *(("123456789012345.5",))),
        ),
        (3.4499999999999997, {"figures": 2}, ("3.45", "3.5", "3.55")),  # 3 * 1.15 in float64
        (1 / 3, {"figures": 2, "tolerance": {"relative": 0.02}}, ("0.326666666667", "0.33", "0.34")),
    ],
)
def test_every_tolerance_becomes_bounds(value: float, entries: dict[str, object], expected: tuple[str, ...]) -> None:
    assert bounds(value, **entries) == expected


@pytest.mark.parametrize(
    ("value", "entries", "told"),
    [
        (0, {"tolerance": {"relative": 0.01}}, "a relative tolerance of zero takes nothing else"),
        (2.2e-11, {"tolerance": {"absolute": 0.5}}, "it would take zero as well"),
        (1.45, {"figures": 2, "tolerance": {"relative": 0.01}}, "rounded as asked for to 1.5, is not within"),
        (1, {"tolerance": {"range": [2, 3]}}, "is not within its tolerance, 2 to 3"),
        ("{{ 10 ** 400 * 1.0 }}", {"figures": 2}, "OverflowError"),
        ("{{ inf }}", {"figures": 2}, "inf is not a finite number"),
        ("{{ inf - inf }}", {"figures": 2}, "nan is not a finite number"),
        ("{{ 1 < 2 }}", {"figures": 2}, "True is not a number"),
        ("{{ 'many' }}", {"figures": 2}, "'many' is not a number"),
    ],
)
def test_keys_that_cannot_be_graded_are_errors(value: float | str, entries: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        number(answer(value, **entries), [], {})


_VALUES = st.floats(-1e12, 1e12).filter(lambda value: abs(value) > 1e-9)
_TOLERANCES = st.one_of(
    st.floats(0.005, 0.4).map(lambda part: {"tolerance": {"relative": part}}),
    st.integers(1, 6).map(lambda figures: {"tolerance": {"figures": figures}}),
    st.integers(1, 6).map(lambda figures: {"figures": figures}),
)


@given(_VALUES, _TOLERANCES)
def test_the_key_and_both_bounds_are_right_and_what_lies_beyond_is_not(
    value: float, entries: dict[str, object]
) -> None:
    found = number(answer(value, **entries), [], {})
    low, key, high = Decimal(found.low), Decimal(found.value), Decimal(found.high)
    assert low <= key <= high and low < high and not low <= 0 <= high
    assert abs(Fraction(key) - Fraction(value)) <= Fraction(high - low) / 2 + abs(Fraction(value)) / 10**11


@given(_VALUES, _VALUES, _TOLERANCES)
def test_a_mistake_keeps_away_from_the_key_or_the_draw_is_unsuitable(
    value: float, there: float, entries: dict[str, object]
) -> None:
    try:
        found = number(answer(value, **entries), [Wrong("idea", there, "Why?")], {})
    except Unsuitable:
        return
    for mistake in found.mistakes:
        low, high = Decimal(found.low), Decimal(found.high)
        assert Decimal(mistake.high) < low or Decimal(mistake.low) > high
        assert Decimal(mistake.low) <= Decimal(mistake.value) <= Decimal(mistake.high)
        assert abs(Fraction(there) - Fraction(value)) > Fraction(high - low) * Fraction(999, 1000)


def mistakes(found: Number) -> list[tuple[str, str]]:
    return [(mistake.misconception, mistake.value) for mistake in found.mistakes]


def test_of_mistakes_that_overlap_the_first_counts_and_one_that_equals_the_key_none() -> None:
    wrong = [Wrong("a", 10.0, ""), Wrong("b", 10.02, ""), Wrong("c", 5.0 + 1e-12, ""), Wrong("d", 20, "")]
    found = number(answer(5.0, figures=3, tolerance={"relative": 0.01}), wrong, {})
    assert mistakes(found) == [("a", "10.0"), ("d", "20.0")]


@pytest.mark.parametrize("there", [5.08, 4.92, 5.1])
def test_a_mistake_within_twice_the_tolerance_makes_a_draw_unsuitable(there: float) -> None:
    with pytest.raises(Unsuitable, match="the mistake 'a' gives"):
        number(answer(5.0, tolerance={"absolute": 0.05}), [Wrong("a", there, "")], {})


def test_a_mistake_whose_bounds_grow_into_the_key_makes_a_draw_unsuitable() -> None:
    with pytest.raises(Unsuitable, match="overlaps the key"):  # 102.01 - 1 % is 100.99, and the key goes to 101
        number(answer(100.0, tolerance={"relative": 0.01}), [Wrong("a", 102.01, "")], {})


def test_mistakes_of_a_range_are_as_wide_as_the_range() -> None:
    found = number(answer(3, tolerance={"range": [2, 4]}), [Wrong("a", 30, "")], {})
    assert (found.mistakes[0].low, found.mistakes[0].high) == ("29", "31")


def options(value: float, *wrong: float, **entries: object) -> list[str]:
    made = choices(answer(value, **entries), [Wrong(f"m{w}", w, "") for w in wrong], {})
    return [("*" if choice.correct else "") + choice.text for choice in made]


def test_options_are_printed_alike_from_the_smallest_to_the_largest() -> None:
    assert options(2, 10.4, 0.5, figures=2, unit="GB") == ["0.50 GB", "*2.0 GB", "10 GB"]
    assert options(6, 7, 5, decimals=0) == ["5", "*6", "7"]
    assert options(-1.25, 1.25, 0, decimals=1) == ["*-1.3", "0.0", "1.3"]
    assert options(2e20, 1e20, 5e-9, figures=2) == [
        r"$5.0 \times 10^{-9}$",
        r"$1.0 \times 10^{20}$",
        r"*$2.0 \times 10^{20}$",
    ]


def test_options_that_are_printed_alike_are_one_and_three_must_be_left() -> None:
    assert options(2, 9, 9.001, 5, decimals=1) == ["*2.0", "5.0", "9.0"]
    with pytest.raises(Unsuitable, match=r"only 2 options differ: 2\.0, 9\.0"):
        options(2, 9, 9.001, decimals=1)


@pytest.mark.parametrize(
    ("value", "near", "entries", "told"),
    [
        (2.04, 2.0, {"decimals": 1}, "is printed like the key"),
        (2.04, 2.11, {"decimals": 1}, "within twice the tolerance of the key"),
        (2.0, 2.1, {"decimals": 1, "tolerance": {"relative": 0.05}}, "within twice the tolerance of the key"),
    ],
)
def test_an_option_that_comes_too_near_makes_a_draw_unsuitable(
    value: float, near: float, entries: dict[str, object], told: str
) -> None:
    with pytest.raises(Unsuitable, match=told):
        options(value, near, 50, 90, **entries)


# --- as items ---


def test_a_key_is_computed_by_the_solution_and_its_bounds_from_the_tolerance(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    for draw in range(20):
        variant = make.variant(make.bank.items[0], draw)
        dp, stage = int(variant.parameters["dp"]), int(variant.parameters["stage"])
        exact = Fraction(2) + (2 if stage == 1 else Fraction(2, dp)) + Fraction(12, dp)
        found = variant.number
        assert found is not None and found.unit == "GB"
        assert abs(Fraction(found.value) - exact) <= exact / 200  # three figures
        assert abs(Fraction(found.low) - exact * Fraction(99, 100)) < Fraction(1, 10**9)
        assert abs(Fraction(found.high) - exact * Fraction(101, 100)) < Fraction(1, 10**9)
        assert not list(flaws(variant))


def test_a_mistake_is_what_the_same_expression_gives_with_the_misconception_in_the_solution(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    for draw in range(20):
        variant = make.variant(make.bank.items[0], draw)
        dp, stage = int(variant.parameters["dp"]), int(variant.parameters["stage"])
        assert variant.number is not None
        found = dict(mistakes(variant.number))
        without_copy = Fraction(2) + (2 if stage == 1 else Fraction(2, dp)) + Fraction(8, dp)
        assert abs(Fraction(found["no_master_copy"]) - without_copy) <= without_copy / 200
        assert ("gradients_divided_from_stage_1_on" in found) == (stage == 1)
        told = score(variant, found["no_master_copy"])
        assert told.misconceptions == ("no_master_copy",) and told.feedback == (make.hint("no_master_copy"),)


def test_a_mistake_that_raises_in_a_draw_is_left_out(lesson: Lesson) -> None:
    text = ITEM.replace("zero_state_bytes(1e9, dp, stage).total / 1e9", "4 / (zero_state_bytes(1, 1, 0).total - 12)")
    text = text.replace("[no_master_copy, gradients_divided_from_stage_1_on]", "[no_master_copy]")
    variant = first(lesson, text)  # the misconception leads to 12 bytes, and to a division by zero
    assert variant.number is not None and variant.number.value == "1.00" and variant.number.mistakes == ()


def test_keys_are_computed_on_ranks_too(lesson: Lesson) -> None:
    lesson6 = lesson.course.lesson("6")
    value = "{{ on_ranks(ring_all_reduce, [[1.0, 2.0], [3.0, 4.0]]).results[0][1] }}"
    sent = "{{ on_ranks(ring_all_reduce, [range(6) | list, range(6) | list, range(6) | list]).messages_per_rank[0] }}"
    text = numeric(f'{{value: "{value}", decimals: 0}}') + numeric(f'{{value: "{sent}", decimals: 0}}').replace(
        "l07-numeric", "l07-sent"
    )
    make = maker(lesson6, text.replace("l07", "l06").replace("7a", "6a"))
    found = [make.variant(item, 0).number for item in make.bank.items]
    assert [each.value for each in found if each is not None] == ["6", "4"]


def test_computed_options_are_numbers_in_order_with_the_feedback_of_their_misconceptions(lesson: Lesson) -> None:
    text = ITEM.replace("type: numeric", "type: single").replace(", tolerance: {relative: 0.01}", "")
    variant = first(lesson, text.replace("gradients_divided_from_stage_1_on]", '{name: an_idea, value: "{{ 16 }}"}]'))
    values = [float(option.text.removesuffix(" GB")) for option in variant.options]
    assert values == sorted(values) and len(values) == 3 and not variant.shuffle
    assert {option.misconception for option in variant.options} == {"", "no_master_copy", "an_idea"}
    assert all(option.feedback for option in variant.options if not option.correct)


def test_too_few_different_options_are_an_error(lesson: Lesson) -> None:
    text = ITEM.replace("type: numeric", "type: single").replace("no_master_copy", "{name: an_idea, value: 99}")
    with pytest.raises(ItemError, match="only 2 options differ"):
        first(lesson, text.replace("gradients_divided_from_stage_1_on]", "{name: an_idea, value: 99}]"))
