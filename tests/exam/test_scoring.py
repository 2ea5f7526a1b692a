"""The scorer: credit, feedback, numbers as they are typed, and the grid of responses."""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam.scoring import score
from exam.scoring.grid import last_place, responses
from exam.scoring.numbers import Typed, read, same_unit
from exam.scoring.policies import of_selection
from exam.variants import Kind, Number, Policy, Text, Variant
from tests.exam import samples

# --- numbers ---


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("3.14", "3.14"),
        ("  3.14 ", "3.14"),
        ("+3", "3"),
        (".5", ".5"),
        ("5.", "5"),
        ("-0", "0"),
        ("−2", "-2"),
        ("- 2", "-2"),
        ("1e-3", ".001"),
        ("1E9", "1000000000"),
        ("1.5×10^9", "1500000000"),
        ("1.5 x 10^{9}", "1500000000"),
        ("2·10⁻³", ".002"),
        ("2*10**-3", ".002"),
        ("10^9", "1000000000"),
        ("-10⁻³", "-.001"),
        ("1_000_000", "1000000"),
        ("12'000", "12000"),
        ("16,000", "16000"),
        ("1,234,567.5", "1234567.5"),
        ("1 000 000", "1000000"),
        ("1\u202f000", "1000"),
        ("2.2e-11", "0.000000000022"),
        ("45.8000000000000000000000000000000000001", "45.8000000000000000000000000000000000001"),
    ],
)
def test_a_number_is_read_exactly(typed: str, value: str) -> None:
    found = read(typed)
    assert found is not None and found.value == Decimal(value) and found.unit == ""


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "abc",
        "GB",
        "1.2.3",
        "16,00",
        "1,2,3",
        "1,2345",
        "0,500",  # a half where a comma parts decimals; never five hundred
        "016,000",
        "1,000 000",
        "3 x 10",
        "1/2",
        "3 or 4",
        "1.5e 9",
        "10²³⁴⁵⁶",
        "1²",
        "3 $x$",
        "\u0663",  # a digit, but of no script that is used here
        ".",
        "-",
        "1 00",
        "--1",
        "1e99999",
        "0x10",
        "nan",
        "inf",
        "1" * 200,
    ],
)
def test_what_is_no_number_for_sure_is_not_read(typed: str) -> None:
    assert read(typed) is None


def test_a_comma_is_a_decimal_comma_only_where_it_is_declared() -> None:
    assert read("3,14") is None
    comma = read("1.234,5", decimal_comma=True)
    assert comma is not None and comma.value == Decimal("1234.5")
    assert read("3.14", decimal_comma=True) is None
    assert read("0,500", decimal_comma=True) == Typed(Decimal("0.5"), "")
    assert read("16.000", decimal_comma=True) == Typed(Decimal(16000), "")


@pytest.mark.parametrize(
    ("typed", "unit"),
    [
        *(("3 GB", "GB"), ("3GB", "GB"), ("1e5 GB/s", "GB/s"), ("2 µs", "µs"), ("5 %", "%"), ("3x", "x"), ("5 e", "e")),
        *(("2 m²", "m²"), ("2 m^2", "m^2"), ("16,000 kg·m/s", "kg·m/s"), ("10⁹ FLOP", "FLOP")),
    ],
)
def test_a_unit_may_stand_behind_it(typed: str, unit: str) -> None:
    found = read(typed)
    assert found is not None and found.unit == unit


def test_units_are_compared_as_they_are_spelt() -> None:
    assert same_unit("GB/s", "GB / s") and same_unit("\u03bcs", "\u00b5s") and not same_unit("Gb", "GB")
    assert same_unit("m^2", "m²") and not same_unit("ms", "s")


def test_a_declared_unit_may_be_of_words() -> None:
    assert read("3 tokens per second", unit="tokens per second") == Typed(Decimal(3), "tokens per second")
    assert read("3 tokens per second") is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_every_decimal_is_read_as_itself(value: Decimal) -> None:
    found = read(format(value, "f"))
    assert found is None if len(format(value, "f")) > 100 else found is not None and found.value == value


# --- numeric items ---


@pytest.mark.parametrize(
    ("typed", "credit"),
    [
        ("31.4", 1),
        ("31.4 GB", 1),
        ("31.086", 1),
        ("31.714", 1),
        ("31.0859999", 0),
        ("31.7140001", 0),
        ("-31.4", 0),
        ("31400", 0),
        ("3.14e1", 1),
        ("31.4 GiB", 0),
    ],
)
def test_bounds_are_inclusive_and_exact(typed: str, credit: int) -> None:
    assert score(samples.NUMERIC, typed).credit == credit


def test_46_is_within_a_fifth_of_45_point_8() -> None:
    number = Number(value="45.8", low="45.6", high="46.0")
    variant = samples.variant(Kind.NUMERIC, "l07-edge", "?", number=number)
    assert [score(variant, typed).correct for typed in ("46", "45.6", "46.0000001", "45.59")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_wrong_unit_is_told_and_a_known_mistake_is_named() -> None:
    assert score(samples.NUMERIC, "31.4 MB").feedback == ("The answer is asked for in GB, not in MB.",)
    assert score(samples.NUMERIC, "31.4 gb").feedback[0].endswith("Capital letters count in units.")
    told = score(samples.NUMERIC, "29.3")
    assert told.misconceptions == ("counts_gib",) and told.feedback == ("A GB is $10^9$ bytes.",) and not told.credit


@pytest.mark.parametrize("response", ["", "about 3", "x", "31 or 32", "1/2", 31.4, ["31.4"], True])
def test_what_is_no_number_is_a_problem_and_not_a_wrong_answer(response: Any) -> None:
    told = score(samples.NUMERIC, response)
    assert told.problem == "A number is asked for, in GB (the unit may stand behind it), such as 3.14 or 2e-3."
    assert told.credit == 0


def test_a_unit_where_none_is_asked_for_is_a_problem() -> None:
    assert score(samples.ASYMMETRIC, "2.5 s").problem.startswith("A number is asked for")


# --- selections ---


def selection_table(policy: Policy, right: int, wrong: int) -> dict[tuple[int, int], Fraction]:
    """Credit by how many right and wrong options are chosen."""
    rights, wrongs = [f"r{i}" for i in range(right)], [f"w{i}" for i in range(wrong)]
    return {
        (hits, slips): of_selection(policy, rights[:hits] + wrongs[:slips], rights, wrongs)
        for hits in range(right + 1)
        for slips in range(wrong + 1)
    }


def test_the_table_of_balanced_credit() -> None:
    half = Fraction(1, 2)
    assert selection_table(Policy.BALANCED, 2, 2) == {
        (0, 0): 0,
        (0, 1): 0,
        (0, 2): 0,
        (1, 0): half,
        (1, 1): 0,
        (1, 2): 0,
        (2, 0): 1,
        (2, 1): half,
        (2, 2): 0,
    }
    assert selection_table(Policy.BALANCED, 3, 1) == {
        (0, 0): 0,
        (0, 1): 0,
        (1, 0): Fraction(1, 3),
        (1, 1): 0,
        (2, 0): Fraction(2, 3),
        (2, 1): 0,
        (3, 0): 1,
        (3, 1): 0,
    }


def test_the_table_of_right_minus_wrong() -> None:
    third = Fraction(1, 3)
    assert selection_table(Policy.RIGHT_MINUS_WRONG, 3, 2) == {
        (0, 0): 0,
        (0, 1): 0,
        (0, 2): 0,
        (1, 0): third,
        (1, 1): 0,
        (1, 2): 0,
        (2, 0): 2 * third,
        (2, 1): third,
        (2, 2): 0,
        (3, 0): 1,
        (3, 1): 2 * third,
        (3, 2): 0,  # everything: nothing, though it would be a third
    }
    assert selection_table(Policy.RIGHT_MINUS_WRONG, 3, 1)[2, 1] == third  # all wrong ones, but not everything


@pytest.mark.parametrize("policy", [Policy.BALANCED, Policy.RIGHT_MINUS_WRONG])
def test_where_everything_is_right_a_part_of_it_is_worth_a_part(policy: Policy) -> None:
    assert selection_table(policy, 3, 0) == {(hits, 0): Fraction(hits, 3) for hits in range(4)}


@pytest.mark.parametrize("policy", [Policy.ALL_OR_NOTHING, Policy.BALANCED, Policy.RIGHT_MINUS_WRONG])
@pytest.mark.parametrize(("right", "wrong"), [(r, n - r) for n in range(1, 7) for r in range(1, n + 1)])
def test_every_subset_is_worth_from_nothing_to_all(policy: Policy, right: int, wrong: int) -> None:
    rights, wrongs = [f"r{i}" for i in range(right)], [f"w{i}" for i in range(wrong)]
    everything = rights + wrongs
    for size in range(len(everything) + 1):
        for chosen in map(list, itertools.combinations(everything, size)):
            credit = of_selection(policy, chosen, rights, wrongs)
            assert 0 <= credit <= 1
            assert (credit == 1) == (set(chosen) == set(rights))
            if chosen == everything and wrong:
                assert credit == 0


def test_feedback_is_of_what_was_chosen_wrongly_and_what_was_missed() -> None:
    wrong = score(samples.BALANCED, ["kqzm", "tjrd"])
    assert wrong.feedback == ("Not 2: think of $x_2$.",) and wrong.misconceptions == ("idea_2",)
    assert score(samples.SINGLE, "bvxw").misconceptions == ("idea_1",)
    assert score(samples.TRUE_FALSE, "false").feedback == ("Count the gathers.",)


@pytest.mark.parametrize("response", ["nope", ["kqzm"], 3, [], {"kqzm": True}])
def test_what_is_no_option_is_a_problem(response: Any) -> None:
    assert score(samples.SINGLE, response).problem and not score(samples.SINGLE, response).credit


def test_the_same_option_twice_counts_once() -> None:
    assert score(samples.BALANCED, ["kqzm", "kqzm", "bvxw"]).correct


# --- text, matching, ordering ---


@pytest.mark.parametrize("typed", ["reduce-scatter", " Reduce-Scatter ", "REDUCE   scatter"])
def test_capitals_and_white_space_are_of_no_account(typed: str) -> None:
    assert score(samples.TEXT, typed).correct


def test_a_composed_character_is_its_parts_and_capitals_count_where_declared() -> None:
    variant = replace(samples.TEXT, text=Text(("Gr\u00f6\u00dfe",)))
    assert score(variant, "gro\u0308sse").correct  # with a combining mark, and the sharp s written as two
    assert variant.text is not None
    strict = replace(variant, text=replace(variant.text, case_sensitive=True))
    assert score(strict, "Gro\u0308\u00dfe").correct and not score(strict, "gr\u00f6\u00dfe").correct


def test_a_text_that_is_known_to_be_wrong_is_named() -> None:
    assert score(samples.TEXT, "All-Reduce").misconceptions == ("whole_sum",)
    assert score(samples.TEXT, "gather") == score(samples.TEXT, "scatter")


def test_matches_are_paid_one_by_one() -> None:
    assert score(samples.MATCHING, {"pone": "kqzm", "ptwo": "kqzm"}).credit == Fraction(1, 3)
    assert score(samples.MATCHING, {"pone": "kqzm", "nope": "kqzm"}).problem
    assert score(samples.MATCHING, {"pone": "nope"}).problem


def test_a_wrong_match_is_told_of() -> None:
    options = tuple(replace(option, feedback=f"Not {option.text}.") for option in samples.MATCHING.options)
    told = score(replace(samples.MATCHING, options=options), {"pone": "kqzm", "ptwo": "hpna", "ptri": None})
    assert told.feedback == ("Not activations.",) and told.credit == Fraction(1, 3)


def test_an_order_is_all_or_nothing_or_paid_by_place() -> None:
    assert score(samples.ORDERING, ["kqzm", "bvxw", "tjrd", "hpna"]).credit == 0
    assert score(samples.ORDERING_PARTS, ["kqzm", "bvxw", "tjrd"]).credit == Fraction(1, 3)
    assert (
        score(samples.ORDERING_PARTS, ["kqzm", "bvxw"]).problem and score(samples.ORDERING_PARTS, ["kqzm"] * 3).problem
    )


# --- all kinds ---


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_the_key_is_right_and_no_answer_is_worth_nothing(variant: Variant) -> None:
    assert score(variant, variant.key).correct and not score(variant, variant.key).misconceptions
    assert score(variant, None).credit == 0 and not score(variant, None).problem


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_the_grid_holds_right_and_wrong_responses_and_none_twice(variant: Variant) -> None:
    grid = responses(variant)
    worth = [score(variant, response).credit for response in grid]
    assert 1 in worth and 0 in worth and grid[0] is None
    assert all(grid.index(response) == place for place, response in enumerate(grid))


@pytest.mark.parametrize("variant", [samples.NUMERIC, samples.SMALL, samples.ASYMMETRIC], ids=lambda v: v.item)
def test_the_grid_tries_both_sides_of_each_bound(variant: Variant) -> None:
    assert variant.number is not None
    for text in (variant.number.low, variant.number.high):
        step = last_place(Decimal(text))
        found = {Decimal(each) for each in responses(variant) if isinstance(each, str)}
        assert {Decimal(text) - step, Decimal(text), Decimal(text) + step} <= found


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
@given(
    response=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=4), x, max_size=3),
    )
)
def test_no_response_breaks_the_scorer(variant: Variant, response: Any) -> None:
    assert 0 <= score(variant, response).credit <= 1
