"""The manifest: reading, writing, comparing, adding up."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.manifest import Example, Manifest, ManifestCheck, ManifestError, ManifestExercise, difference

NAMES = st.sampled_from(["test_a", "test_b", "test_c", "test_d", "ring", "tree"])
WORDS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
CHECKS = st.builds(
    ManifestCheck,
    name=NAMES,
    visibility=st.sampled_from(["public", "hidden"]),
    points=st.sampled_from([1, 2, 2.5, 0.1]),
    outcome=st.sampled_from(["6a", "6b"]),
    sentence=WORDS,
)
EXERCISES = st.builds(
    ManifestExercise,
    name=NAMES,
    outcome=st.sampled_from(["6a", "6b"]),
    difficulty=st.integers(1, 3),
    minutes=st.integers(1, 60),
    core=st.booleans(),
    collectives=st.lists(st.sampled_from(["all_reduce", "barrier"]), unique=True).map(tuple),
    examples=st.lists(st.builds(Example, source=WORDS, result=VALUES), max_size=3).map(tuple),
    checks=st.lists(CHECKS, max_size=3, unique_by=lambda check: check.name).map(tuple),
    withheld=st.sampled_from([0.0, 3.0]),
)
MANIFESTS = st.builds(
    Manifest,
    lesson=st.just("06_collectives"),
    title=WORDS,
    exercises=st.lists(EXERCISES, max_size=3, unique_by=lambda exercise: exercise.name).map(tuple),
)


def check(name: str = "test_sum", visibility: str = "hidden", points: float = 3, **more: Any) -> ManifestCheck:
    return ManifestCheck(name, visibility, points, more.get("outcome", "6a"), more.get("sentence", "It is so."))


def exercise(name: str = "ring_all_reduce", *checks: ManifestCheck, **more: Any) -> ManifestExercise:
    values: dict[str, Any] = {
        "outcome": "6a",
        "difficulty": 2,
        "minutes": 60,
        "core": True,
        "collectives": (),
        "examples": (Example("f(2)", 4),),
        "checks": checks or (check("test_small", "public", 2), check()),
    }
    return ManifestExercise(name, **(values | more))


def manifest(*exercises: ManifestExercise) -> Manifest:
    return Manifest("06_collectives", "Collectives", exercises or (exercise(),))


def save(folder: Path, text: str) -> Path:
    path = folder / "lesson06_collectives.json"
    path.write_text(text, encoding="utf-8")
    return path


# reading and writing


@given(MANIFESTS)
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, whole: Manifest) -> None:
    path = save(tmp_path_factory.getbasetemp(), whole.dump())
    assert Manifest.load(path) == whole
    assert Manifest.load(path).dump() == whole.dump()


def test_text_is_stable_and_easy_to_compare() -> None:
    text = manifest().dump()
    assert text.endswith("}\n")
    assert text.startswith('{\n "lesson": "06_collectives",\n "title": "Collectives",\n "exercises": [\n  {\n')
    assert '"points": 2,' in text and "withheld" not in text
    assert "·" in Manifest("06_collectives", "a · b", ()).dump()


@given(st.permutations([check("test_b"), check("test_a"), check("test_z", "public"), check("test_y", "public")]))
def test_checks_have_one_order_public_ones_first(checks: list[ManifestCheck]) -> None:
    names = [each.name for each in exercise("ring", *checks).checks]
    assert names == ["test_y", "test_z", "test_a", "test_b"]


def test_collectives_have_one_order_and_exercises_keep_theirs() -> None:
    whole = manifest(exercise("b", collectives=("b", "a")), exercise("a"))
    assert whole.exercises[0].collectives == ("a", "b")
    assert [each.name for each in whole.exercises] == ["b", "a"]


@pytest.mark.parametrize("result", [1.0, 1, True, None, [1.0, {"b": 2.0, "a": 1}], "x"])
def test_result_of_an_example_is_kept_as_it_is(tmp_path: Path, result: object) -> None:
    whole = manifest(exercise(examples=(Example("f()", result),)))
    kept = Manifest.load(save(tmp_path, whole.dump())).exercises[0].examples[0].result
    assert json.dumps(kept) == json.dumps(result)


def test_file_is_written_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "checks" / "lesson06_collectives.json"
    manifest().write(path)
    assert Manifest.load(path) == manifest()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


# what is refused


def test_missing_manifest_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "lesson06_collectives.json"
    with pytest.raises(ManifestError) as caught:
        Manifest.load(path)
    assert str(path) in caught.value.message
    assert "grade prove 6 --update" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data.pop("title"), "the manifest: title is missing"),
        (lambda data: data.update(extra=1), "the manifest: there is no field 'extra'"),
        (lambda data: data.update(exercises={}), "the manifest: exercises must be a list, not {}"),
        (lambda data: data.update(exercises=[3]), "exercises[0] of the manifest must be an object, not 3"),
        (lambda data: data.update(lesson="07_zero_fsdp"), "is the manifest of another lesson, 07_zero_fsdp"),
        (lambda data: data["exercises"][0].update(core=1), "core must be true or false, not 1"),
        (lambda data: data["exercises"][0].update(minutes=True), "minutes must be a whole number, not True"),
        (lambda data: data["exercises"][0].update(minutes=1.5), "minutes must be a whole number, not 1.5"),
        (lambda data: data["exercises"][0].update(collectives=[1]), "collectives[0] of exercises[0]"),
        (lambda data: data["exercises"][0]["examples"][0].pop("result"), "result is missing"),
        (lambda data: data["exercises"][0]["checks"][1].pop("points"), "checks[1] of exercises[0]"),
        (
            lambda data: data["exercises"][0]["checks"][1].update(points="3"),
            "points must be a number, not '3'",
        ),
        (
            lambda data: data["exercises"][0]["checks"][1].update(points=0),
            "points must be more than 0, not 0",
        ),
        (
            lambda data: data["exercises"][0]["checks"][1].update(points=float("nan")),
            "points must be more than 0",
        ),
        (
            lambda data: data["exercises"][0]["checks"][1].update(points=float("inf")),
            "points must be more than 0",
        ),
        (
            lambda data: data["exercises"][0]["checks"][1].update(visibility="secret"),
            "must be public or hidden",
        ),
        (
            lambda data: data["exercises"][0]["checks"][1].update(name="test_small"),
            "test_small is listed twice",
        ),
        (lambda data: data["exercises"][0].update(withheld=-1), "withheld must not be negative"),
        (lambda data: data["exercises"].append(data["exercises"][0]), "ring_all_reduce is listed twice"),
    ],
)
def test_damage_is_refused_with_file_and_place(tmp_path: Path, change: Any, problem: str) -> None:
    data = json.loads(manifest().dump())
    change(data)
    path = save(tmp_path, json.dumps(data))
    with pytest.raises(ManifestError) as caught:
        Manifest.load(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert problem in caught.value.message
    assert "grade prove 6 --update" in caught.value.hint


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "{}", "[" * 100_000, "\udcff"])
def test_text_that_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lesson06_collectives.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ManifestError):
        Manifest.load(path)


def test_error_in_the_json_names_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="line 2, column 12: not JSON"):
        Manifest.load(save(tmp_path, '{\n "lesson": }'))


def test_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lesson06_collectives.json").mkdir()
    with pytest.raises(ManifestError):
        Manifest.load(tmp_path / "lesson06_collectives.json")


def test_manifest_that_contradicts_itself_is_not_written(tmp_path: Path) -> None:
    twice = manifest(exercise("ring", check("test_a"), check("test_a", "public")))
    assert twice.problems() == ["ring: check test_a is listed twice"]
    with pytest.raises(ManifestError, match="listed twice"):
        twice.write(tmp_path / "lesson06_collectives.json")
    assert list(tmp_path.iterdir()) == []


def test_same_check_name_in_two_exercises_is_sound() -> None:
    assert manifest(exercise("a", check("examples")), exercise("b", check("examples"))).problems() == []


# adding up


def test_totals() -> None:
    ring = exercise("ring", check("test_a", "public", 2), check("test_b", "hidden", 3), minutes=60)
    tree = exercise("tree", check("test_c", "hidden", 0.5), minutes=45, core=False)
    whole = manifest(ring, tree)
    assert (ring.public_points, ring.hidden_points, ring.max_points) == (2, 3, 5)
    assert (whole.public_points, whole.hidden_points, whole.max_points) == (2, 3.5, 5.5)
    assert (whole.core_minutes, whole.minutes) == (60, 105)
    assert whole.exercise("tree") is tree
    with pytest.raises(KeyError):
        whole.exercise("star")


def test_tenths_add_up_exactly() -> None:
    checks = [check(f"test_{i}", points=0.1) for i in range(10)]
    assert exercise("ring", *checks).max_points == 1.0


@given(MANIFESTS)
def test_edition_for_students_has_no_hidden_checks_and_the_same_totals(whole: Manifest) -> None:
    public = whole.public_part()
    assert "hidden" not in [each.visibility for exercise in public.exercises for each in exercise.checks]
    assert public.hidden_points == pytest.approx(whole.hidden_points)
    assert public.max_points == pytest.approx(whole.max_points)
    assert public.public_part() == public
    assert public.problems() == []


# comparing


@given(MANIFESTS, MANIFESTS)
def test_there_is_a_difference_exactly_if_the_texts_differ(one: Manifest, other: Manifest) -> None:
    assert difference(one, one) == []
    assert bool(difference(one, other)) == (one.dump() != other.dump())


@given(MANIFESTS, st.data())
def test_any_single_change_is_seen(whole: Manifest, data: st.DataObject) -> None:
    if not whole.exercises:
        return
    index = data.draw(st.integers(0, len(whole.exercises) - 1))
    old = whole.exercises[index]
    values: dict[str, Any] = {
        "minutes": 61,
        "core": not old.core,
        "outcome": "7z",
        "examples": (*old.examples, Example("new", 0)),
    }
    field = data.draw(st.sampled_from(sorted(values)))
    changed = dataclasses.replace(old, **{field: values[field]})
    exercises = [*whole.exercises[:index], changed, *whole.exercises[index + 1 :]]
    new = dataclasses.replace(whole, exercises=tuple(exercises))
    assert all(line.startswith(f"{old.name}: ") for line in difference(whole, new))
    assert difference(whole, new)


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (manifest(), []),
        (
            manifest(exercise(), exercise("tree")),
            ["tree: exercise is new"],
        ),
        (
            manifest(exercise("tree")),
            ["ring_all_reduce: exercise is gone", "tree: exercise is new"],
        ),
        (
            manifest(exercise("ring_all_reduce", check("test_small", "public", 2), check("test_x"))),
            ["ring_all_reduce: check test_sum is gone", "ring_all_reduce: check test_x is new"],
        ),
        (
            manifest(exercise("ring_all_reduce", check("test_small", "hidden", 2), check(points=4.5))),
            [
                "ring_all_reduce: check test_small: visibility was 'public', is now 'hidden'",
                "ring_all_reduce: check test_sum: points was 3, is now 4.5",
            ],
        ),
        (
            manifest(exercise(minutes=45, core=False, collectives=("all_reduce",))),
            [
                "ring_all_reduce: minutes was 60, is now 45",
                "ring_all_reduce: core was True, is now False",
                "ring_all_reduce: collectives was none, is now all_reduce",
            ],
        ),
        (
            manifest(exercise(examples=(Example("f(2)", 4.0),))),
            ["ring_all_reduce: example f(2) has another result"],
        ),
        (
            manifest(exercise(examples=(Example("f(3)", 4),))),
            ["ring_all_reduce: example f(2) is gone", "ring_all_reduce: example f(3) is new"],
        ),
        (
            manifest(exercise(examples=(Example("f(2)", 4), Example("f(2)", 4)))),
            ["ring_all_reduce: the examples are in another order, or repeated"],
        ),
        (
            Manifest("06_collectives", "Other", (exercise(),)),
            ["title was 'Collectives', is now 'Other'"],
        ),
    ],
)
def test_difference_is_in_words(new: Manifest, lines: list[str]) -> None:
    assert difference(manifest(), new) == lines


def test_another_order_of_exercises_is_a_difference() -> None:
    one, other = exercise("a"), exercise("b")
    assert difference(manifest(one, other), manifest(other, one)) == ["the exercises are in another order: b, a"]


def test_not_a_number_is_no_difference_from_itself() -> None:
    both = [manifest(exercise(examples=(Example("f()", float("nan")),))) for _ in range(2)]
    assert difference(*both) == []
