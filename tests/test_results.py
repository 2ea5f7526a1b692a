"""The result model: its JSON form, its schema, and what follows from its parts."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grader.results
from grader.results import (
    CheckResult,
    Counterexample,
    ExerciseResult,
    Feedback,
    LessonResult,
    Misconception,
    Outcome,
    Submission,
    exercise_outcome,
    write_json,
)
from tests.report_samples import all_passed, check, exercise, public_only, two_mistakes, untouched

SCHEMA = json.loads(Path(grader.results.__file__).with_name("results.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

texts = st.text(max_size=20)  # every character that there is: what a student prints has no rules
names = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
amounts = st.floats(0, 1e6) | st.integers(0, 100).map(float)
visibilities = st.sampled_from(["public", "hidden"])
counterexamples = st.builds(Counterexample, texts, texts, st.none() | texts, texts, st.none() | names)
checks = st.builds(
    CheckResult,
    names,
    texts,
    visibilities,
    st.sampled_from(Outcome),
    amounts,
    amounts,
    message=texts,
    counterexample=st.none() | counterexamples,
    stdout=texts,
    calls=st.integers(0, 10**6),
    seconds=amounts,
)
exercises = st.builds(
    ExerciseResult,
    names,
    st.sampled_from(Outcome),
    amounts,
    amounts,
    minutes=st.integers(0, 300),
    core=st.booleans(),
    learning_outcome=texts,
    misconception=st.none() | st.builds(Misconception, names, texts, texts),
    checks=st.lists(checks, max_size=2).map(tuple),
    notes=st.lists(texts, max_size=2).map(tuple),
)
results = st.builds(
    LessonResult,
    lesson=names,
    title=texts,
    submission=st.builds(Submission, texts, st.binary(min_size=32, max_size=32).map(bytes.hex)),
    confinement=names,
    points=amounts,
    max_points=amounts,
    seconds=amounts,
    exercises=st.lists(exercises, max_size=2).map(tuple),
    visibilities=st.lists(visibilities, unique=True).map(tuple),
    feedback=st.sampled_from(Feedback),
    problem=texts,
    versions=st.dictionaries(names, texts, max_size=2),
)


@settings(deadline=None, max_examples=60)
@given(results)
def test_json_is_valid_and_comes_back_equal(result: LessonResult) -> None:
    text = json.dumps(result.to_json(), allow_nan=False)
    VALIDATOR.validate(json.loads(text))
    assert json.loads(text) == result.to_json()  # plain values: nothing changes on the way
    assert LessonResult.from_json(json.loads(text)) == result


def test_schema_is_a_schema_and_has_the_fields_in_their_order() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    models = {
        "exercise": ExerciseResult,
        "check": CheckResult,
        "counterexample": Counterexample,
        "misconception": Misconception,
        "submission": Submission,
    }
    for model, schema in [
        (LessonResult, SCHEMA),
        *((model, SCHEMA["$defs"][name]) for name, model in models.items()),
    ]:
        fields = [field.name for field in dataclasses.fields(model)]
        assert list(schema["properties"]) == schema["required"] == fields


def test_schema_knows_every_outcome_and_policy() -> None:
    assert SCHEMA["$defs"]["outcome"]["enum"] == [outcome.value for outcome in Outcome]
    assert SCHEMA["properties"]["feedback"]["enum"] == [policy.value for policy in Feedback]


def test_schema_is_strict_and_described_throughout() -> None:
    for schema in objects_of(SCHEMA):
        assert schema["additionalProperties"] is False
        for name, entry in schema["properties"].items():
            assert "description" in entry or "description" in SCHEMA["$defs"][entry["$ref"][8:]], name


def objects_of(schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas of objects with named entries, at any depth."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects_of(part)


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (["schema"], 2, "schema 2"),
        (["schema"], True, "schema"),
        (["points"], "5", "points: expected a number"),
        (["points"], True, "points: expected a number"),
        (["points"], math.nan, "points: expected a finite number"),
        (["points"], 10**400, "points: expected a finite number"),
        (["title"], None, "title: expected str"),
        (["feedback"], "everything", "feedback"),
        (["exercises"], {}, "exercises: expected list"),
        (["exercises", 1, "outcome"], "fine", r"exercises\[1\].outcome"),
        (["exercises", 1, "minutes"], 2.5, r"exercises\[1\].minutes: expected int"),
        (["exercises", 0, "misconception"], [], r"exercises\[0\].misconception: expected dict"),
        (["exercises", 0, "surprise"], 1, "unknown entry 'surprise'"),
        (["versions", "numpy"], 2, r"versions\['numpy'\]: expected str"),
        (["submission"], {"file": "a.py"}, "submission: .*sha256"),
    ],
)
def test_other_shapes_are_refused_by_place(place: list[Any], value: Any, complaint: str) -> None:
    data = json.loads(json.dumps(two_mistakes().to_json()))
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(ValueError, match=complaint):
        LessonResult.from_json(data)


@pytest.mark.parametrize("data", [None, [], "{}", 1, {}])
def test_what_is_no_result_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="schema None"):
        LessonResult.from_json(data)


def test_not_a_number_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_json(all_passed(), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(replace(all_passed(), points=math.nan), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_file_is_ascii_whatever_the_student_printed(tmp_path: Path) -> None:
    printed = exercise("f", [check("It holds.", Outcome.WRONG, stdout="\x00\x1b[2J \udcff ✓")])
    result = replace(all_passed(), exercises=(printed,))
    write_json(result, tmp_path / "result.json")
    text = (tmp_path / "result.json").read_bytes().decode("ascii")
    assert LessonResult.from_json(json.loads(text)) == result


def test_number_is_that_of_the_name() -> None:
    assert all_passed().number == 6
    assert replace(all_passed(), lesson="warm_up").number is None


def test_full_marks_need_every_exercise_and_a_file_that_loads() -> None:
    assert all_passed().full_marks
    assert not two_mistakes().full_marks
    assert not replace(all_passed(), exercises=()).full_marks
    assert not replace(all_passed(), problem="line 1: SyntaxError").full_marks


def test_points_of_hidden_checks_are_undecided_where_they_did_not_run() -> None:
    assert all_passed().undecided_points == 0
    student_edition = public_only(all_passed())
    assert student_edition.undecided_points == 14
    assert student_edition.points + student_edition.undecided_points == student_edition.max_points


def test_outcome_of_an_exercise_is_the_first_that_applies() -> None:
    assert exercise_outcome([Outcome.PASSED, Outcome.WRONG, Outcome.CRASHED]) is Outcome.CRASHED
    assert exercise_outcome([Outcome.NOT_STARTED] * 2) is Outcome.NOT_STARTED
    assert exercise_outcome([Outcome.NOT_STARTED, Outcome.PASSED]) is Outcome.CRASHED
    assert exercise_outcome([Outcome.UNGRADED, Outcome.WRONG]) is Outcome.UNGRADED
    assert exercise_outcome([]) is Outcome.UNGRADED
    assert untouched("f").outcome is Outcome.NOT_STARTED
