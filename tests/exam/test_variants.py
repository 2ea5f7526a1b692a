"""The contract of variants: it comes back as it went, and its schema says all of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exam
from exam.variants import Kind, Policy, VariantSet, read_variants, write_variants
from grader.errors import UserError
from tests.exam import samples

FOLDER = Path(exam.__file__).parent
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "variants.schema.json").read_text("utf-8")))
PLAIN = samples.sample_set().to_json()


def test_variants_follow_their_schema_and_come_back(tmp_path: Path) -> None:
    SCHEMA.validate(PLAIN)
    write_variants(tmp_path / "quiz.json", samples.sample_set())
    assert read_variants(tmp_path / "quiz.json") == samples.sample_set()
    assert {variant["kind"] for variant in PLAIN["variants"]} == {kind.value for kind in Kind}
    assert {variant["policy"] for variant in PLAIN["variants"]} == {policy.value for policy in Policy}


_NUMERIC = next(place for place, each in enumerate(PLAIN["variants"]) if each["kind"] == "numeric")
_SINGLE = next(place for place, each in enumerate(PLAIN["variants"]) if each["kind"] == "single")
_MATCHING = next(place for place, each in enumerate(PLAIN["variants"]) if each["kind"] == "matching")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda quiz: quiz.pop("schema"),
        lambda quiz: quiz.update(schema=2),
        lambda quiz: quiz.update(more=1),
        lambda quiz: quiz["variants"][0].pop("stem"),
        lambda quiz: quiz["variants"][0].update(kind="essay"),
        lambda quiz: quiz["variants"][0].update(points="1"),
        lambda quiz: quiz["variants"][0].update(extra=""),
        lambda quiz: quiz["variants"][_NUMERIC].update(number=None),
        lambda quiz: quiz["variants"][_NUMERIC]["number"].update(low="1,5"),
        lambda quiz: quiz["variants"][_NUMERIC]["number"].update(value="NaN"),
        lambda quiz: quiz["variants"][_SINGLE].update(options=[]),
        lambda quiz: quiz["variants"][_SINGLE]["options"][0].update(correct="yes"),
        lambda quiz: quiz["variants"][_MATCHING].update(pairs=[]),
    ],
)
def test_the_schema_refuses_what_is_of_another_shape(spoil: Callable[[Any], Any]) -> None:
    quiz = copy.deepcopy(PLAIN)
    spoil(quiz)
    assert not SCHEMA.is_valid(quiz)


@pytest.mark.parametrize(
    "text",
    [
        *("[]", '{"schema": 9}', "{", '{"schema": 1, "lesson": 3}', '{"schema": 1, "lesson": "7"}', "null", '"a"'),
        json.dumps({**PLAIN, "variants": [{"item": "x"}]}),
        json.dumps({**PLAIN, "more": 1}),
    ],
)
def test_a_file_that_holds_no_variants_is_told_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "quiz.json").write_text(text)
    with pytest.raises(UserError, match=r"quiz\.json: "):
        read_variants(tmp_path / "quiz.json")


def test_a_file_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"quiz\.json: cannot be read \(No such file or directory\)"):
        read_variants(tmp_path / "quiz.json")


@given(st.text(), st.text())
def test_any_text_comes_back(stem: str, feedback: str) -> None:
    option = samples.Option("abcd", stem, feedback=feedback)
    quiz = VariantSet("07", stem, "", (samples.variant(Kind.SINGLE, "l07-any", stem, options=(option,)),))
    assert VariantSet.from_json(json.loads(json.dumps(quiz.to_json()))) == quiz


def test_a_set_groups_the_variants_of_an_item() -> None:
    quiz = VariantSet("07", "Q", "", (samples.SINGLE, samples.NUMERIC, samples.NUMERIC))
    assert [(slot.item, len(slot.variants)) for slot in quiz.slots] == [("l07-single", 1), ("l07-numeric", 2)]


def test_the_key_is_a_response() -> None:
    assert samples.SINGLE.key == "kqzm" and samples.TRUE_FALSE.key == "true" and samples.FALSE_TRUE.key == "false"
    assert samples.BALANCED.key == ["kqzm", "bvxw"] and samples.ORDERING.key == list(samples.ORDERING.order)
    assert samples.NUMERIC.key == "31.4" and samples.COMMA.key == "-3,14" and samples.TEXT.key == "reduce-scatter"
    assert samples.MATCHING.key == {"pone": "kqzm", "ptwo": "bvxw", "ptri": "tjrd"}


def test_an_option_is_found_by_its_id() -> None:
    assert samples.SINGLE.option("kqzm").correct
    with pytest.raises(KeyError):
        samples.SINGLE.option("none")
