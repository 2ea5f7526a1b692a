"""What was typed becomes a response."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam.scoring import score
from exam.scoring.grid import responses
from exam.take.reply import example, shown, understood
from exam.variants import Kind, Variant
from tests.exam import samples


@pytest.mark.parametrize("typed", ["b", "B", " b ", "b)", "(b)", "b."])
def test_one_option_is_chosen_by_its_letter(typed: str) -> None:
    assert understood(samples.SINGLE, typed).response == "bvxw"


@pytest.mark.parametrize(("typed", "meant"), [("true", "true"), ("T", "true"), ("False", "false"), ("b", "false")])
def test_true_and_false_may_be_typed(typed: str, meant: str) -> None:
    assert understood(samples.TRUE_FALSE, typed).response == meant


@pytest.mark.parametrize("typed", ["a c", "c a", "ac", "A, C", "a and c", "a; c", "a a c", "(a) (c)"])
def test_several_options_are_chosen_in_any_way_of_writing(typed: str) -> None:
    assert sorted(understood(samples.BALANCED, typed).response) == ["kqzm", "tjrd"]


@pytest.mark.parametrize(
    "typed", ["1b 2a 3c", "1b2a3c", "3c, 1b, 2a", "1-b 2-a 3-c", "1 b 2 a 3 c", "1: B; 2: A; 3: C"]
)
def test_pairs_are_a_number_and_a_letter(typed: str) -> None:
    assert understood(samples.MATCHING, typed).response == {"pone": "bvxw", "ptwo": "kqzm", "ptri": "tjrd"}


def test_two_left_sides_may_have_one_option() -> None:
    assert understood(samples.MATCHING, "1a 2a 3a").response == dict.fromkeys(["pone", "ptwo", "ptri"], "kqzm")


@pytest.mark.parametrize("typed", ["c a b", "cab", "c, a, b", "c > a > b", "c-a-b"])
def test_an_order_is_letters_from_first_to_last(typed: str) -> None:
    assert understood(samples.ORDERING_PARTS, typed).response == ["tjrd", "kqzm", "bvxw"]


@pytest.mark.parametrize(
    ("variant", "typed", "complaint"),
    [
        (samples.SINGLE, "z", "Type the letter of the option, a to d, such as b."),
        (samples.SINGLE, "a b", "Choose one: type its letter alone, such as b."),
        (samples.SINGLE, "ab", "Choose one: type its letter alone, such as b."),
        (samples.SINGLE, ")", "Type the letter of the option, a to d, such as b."),
        (samples.SINGLE, "2", "Type the letter of the option, a to d, such as b."),
        (samples.TRUE_FALSE, "maybe", "Type true or false, or the letter before it, such as b."),
        (samples.TRUE_FALSE, "a b", "Type true or false, or the letter before it, such as b."),
        (samples.TRUE_FALSE, "c", "Type true or false, or the letter before it, such as b."),
        (samples.BALANCED, "a e", "Type the letters of all options that are right, a to d, such as a d."),
        (samples.BALANCED, "and", "Type the letters of all options that are right, a to d, such as a d."),
        (samples.ORDERING_PARTS, "a b", "Type all 3 letters, each once, from first to last, such as a b c."),
        (samples.ORDERING_PARTS, "a b b", "Type all 3 letters, each once, from first to last, such as a b c."),
        (samples.ORDERING_PARTS, "a b c d", "Type all 3 letters, each once, from first to last, such as a b c."),
        (samples.MATCHING, "1a 2b", "Type each number, 1 to 3, once, and after it a letter, a to d, such as 1b 2a 3d."),
        (samples.MATCHING, "1a 1b 2c 3d", "Type each number, 1 to 3, once"),
        (samples.MATCHING, "1a 2b 3e", "Type each number, 1 to 3, once"),
        (samples.MATCHING, "1a 2b 3c x", "Type each number, 1 to 3, once"),
        (samples.MATCHING, "a b c", "Type each number, 1 to 3, once"),
    ],
)
def test_what_is_not_understood_is_answered_with_what_is_expected(variant: Variant, typed: str, complaint: str) -> None:
    reply = understood(variant, typed)
    assert reply.response is None and reply.complaint.startswith(complaint)


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_what_a_response_is_shown_as_can_be_typed(variant: Variant) -> None:
    for response in responses(variant):
        if response is None or not response or (variant.kind is Kind.MATCHING and len(response) < len(variant.pairs)):
            continue
        reply = understood(variant, shown(variant, response))
        assert not reply.complaint and score(variant, reply.response) == score(variant, response)


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_the_example_can_be_typed(variant: Variant) -> None:
    assert variant.kind in (Kind.NUMERIC, Kind.TEXT) or not understood(variant, example(variant)).complaint


@pytest.mark.parametrize("variant", [samples.ORDERING, samples.ORDERING_PARTS], ids=lambda variant: variant.item)
def test_the_example_of_an_order_is_not_the_right_one(variant: Variant) -> None:
    assert not score(variant, understood(variant, example(variant)).response).correct


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
@given(typed=st.text(max_size=12) | st.text("abcd123 ,-", max_size=12))
def test_whatever_is_typed_is_understood_or_answered(variant: Variant, typed: str) -> None:
    reply = understood(variant, typed)
    found: Any = reply.response
    assert bool(reply.complaint) == (found is None)
    if found is not None and variant.kind not in (Kind.NUMERIC, Kind.TEXT):
        assert not score(variant, found).problem
