"""A misconception is named when a submission behaves exactly like it, and never otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from grader.judge.bench import Bench, Source
from grader.judge.calls import Call
from grader.judge.candidates import bundle, candidate_name
from grader.judge.diagnosis import Diagnosis, alike
from grader.judge.grading import Options, grade
from grader.judge.known import Exercise
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.judge.local import load_module
from grader.judge.misconceptions import Misconception, apply, load_misconceptions
from grader.judge.probes import Probe
from grader.judge.workers import Launcher
from grader.results import ExerciseResult
from tests.diagnosis.near_misses import NearMiss, collected
from tests.diagnosis.paraphrases import PARAPHRASES
from tests.support import course

LESSON = course().lesson("6")
SOLUTION = Source(LESSON.file_name, LESSON.solution.read_bytes())
KNOWN = load_misconceptions(LESSON.misconceptions)
FIRST_OF_EACH = list({one.of: one for one in reversed(KNOWN)}.values())
NEAR_MISSES = collected()


@pytest.fixture(scope="module")
def workers() -> Iterator[Launcher]:
    started = launcher(Limits())
    yield started
    started.close()


def graded(source: Source, exercise: str, workers: Launcher) -> ExerciseResult:
    (result,) = grade(LESSON, source, workers, Options(only=exercise)).exercises
    return result


def named(result: ExerciseResult) -> str | None:
    return result.misconception.name if result.misconception else None


# --- what is listed is named ---


@pytest.mark.parametrize("one", FIRST_OF_EACH, ids=lambda one: one.name)
def test_a_listed_misconception_is_named(one: Misconception, workers: Launcher) -> None:
    assert named(graded(apply(one, SOLUTION), one.of, workers)) == one.name


@pytest.mark.sweep
@pytest.mark.parametrize("one", [one for one in KNOWN if one not in FIRST_OF_EACH], ids=lambda one: one.name)
def test_every_listed_misconception_is_named(one: Misconception, workers: Launcher) -> None:
    assert named(graded(apply(one, SOLUTION), one.of, workers)) == one.name


@pytest.mark.parametrize("other", PARAPHRASES[::3], ids=lambda other: other.name)
def test_a_misconception_in_other_words_is_named(other: NearMiss, workers: Launcher) -> None:
    assert named(graded(other.source(SOLUTION), other.of, workers)) == other.near


@pytest.mark.sweep
@pytest.mark.parametrize("other", [p for i, p in enumerate(PARAPHRASES) if i % 3], ids=lambda other: other.name)
def test_every_misconception_in_other_words_is_named(other: NearMiss, workers: Launcher) -> None:
    assert named(graded(other.source(SOLUTION), other.of, workers)) == other.near


# --- what is not listed is not named ---

EVERYDAY = 10
SAMPLE = NEAR_MISSES[:: -(-len(NEAR_MISSES) // EVERYDAY)]


def assert_caught_and_not_named(miss: NearMiss, workers: Launcher) -> None:
    result = graded(miss.source(SOLUTION), miss.of, workers)
    assert result.points < result.max_points, f"{miss.name} passes: {miss.where}"
    assert named(result) is None, f"{miss.name} is not {named(result)}: {miss.where}"


@pytest.mark.parametrize("miss", SAMPLE, ids=lambda miss: miss.name)
def test_a_near_miss_is_caught_and_not_named(miss: NearMiss, workers: Launcher) -> None:
    assert_caught_and_not_named(miss, workers)


@pytest.mark.sweep
@pytest.mark.parametrize("miss", [miss for miss in NEAR_MISSES if miss not in SAMPLE], ids=lambda miss: miss.name)
def test_every_near_miss_is_caught_and_not_named(miss: NearMiss, workers: Launcher) -> None:
    assert_caught_and_not_named(miss, workers)


def test_near_misses_are_of_every_exercise_and_near_something_listed() -> None:
    listed = {one.name: one.of for one in KNOWN}
    assert {miss.of for miss in NEAR_MISSES} == set(listed.values())
    assert all(listed[miss.near] == miss.of for miss in [*NEAR_MISSES, *PARAPHRASES])
    names = [miss.name for miss in NEAR_MISSES]
    assert len(names) == len(set(names))
    assert not set(names) & set(listed)


# --- submissions and misconceptions that do not end ---

HALVES = """
def half(n):
    \"\"\"Half of n.

    Raises:
        ValueError: If n is odd.
    \"\"\"
    if n < 0:
        raise KeyError(n)
    if n % 2:
        raise ValueError(n)
    return n // 2
"""
FOR_EVER = "def half(n):\n    while {when}: pass\n    return n // 2 + 1\n"


class Setting(NamedTuple):
    exercise: Exercise
    workers: Launcher


@pytest.fixture
def halves(workers: Launcher, tmp_path: Path) -> Setting:
    path = tmp_path / "halves.py"
    path.write_text(HALVES)
    solution = Source("halves.py", HALVES.encode())
    known = [
        Misconception("for_ever_from_eight_on", "half", "", "", function=(FOR_EVER.format(when="n > 7"), "half")),
        Misconception("one_more", "half", "", "", function=("def half(n): return n // 2 + 1", "half")),
    ]
    probes = [Probe(Call("half", (n,), look_back=True)) for n in range(0, 8, 2)]
    function = load_module(path).half
    return Setting(Exercise("half", known, bundle("half", known, solution), probes, function, False), workers)


def diagnosed(setting: Setting, text: str, *failing: int) -> str | None:
    bench = Bench(setting.workers, Source("halves.py", text.encode()), collectives={}, limits=Limits())
    calls = [Probe(Call("half", (n,), look_back=True)) for n in failing]
    found = Diagnosis(setting.exercise, bench, setting.workers, {}).name(calls)
    return found.name if found else None


def test_a_misconception_that_does_not_end_is_told_from_one_that_does(halves: Setting) -> None:
    assert diagnosed(halves, "def half(n): return 1 + n // 2", 2, 8) == "one_more"


def test_a_misconception_that_does_not_end_is_named_where_that_can_be_compared(halves: Setting) -> None:
    assert diagnosed(halves, FOR_EVER.format(when="n >= 8"), 2, 8) == "for_ever_from_eight_on"


def test_a_submission_that_never_ends_is_like_nothing(halves: Setting) -> None:
    assert diagnosed(halves, FOR_EVER.format(when="True"), 8) is None


def test_two_that_behave_alike_are_not_named(halves: Setting) -> None:
    exercise = halves.exercise
    exercise.known = [exercise.known[1], exercise.known[1]]
    exercise.bundle = bundle("half", exercise.known, Source("halves.py", HALVES.encode()))
    assert diagnosed(halves, "def half(n): return 1 + n // 2", 2) is None
    assert alike(exercise, halves.workers, {}) == [tuple(exercise.known)]


def test_two_that_differ_beside_the_checks_are_told_apart(halves: Setting) -> None:
    assert alike(halves.exercise, halves.workers, {}) == []


def test_what_depends_on_earlier_calls_is_like_nothing(halves: Setting) -> None:
    text = "calls = []\ndef half(n):\n    calls.append(n)\n    return n // 2 + 1 + (calls[0] != 2)"
    assert diagnosed(halves, text, 2, 4) is None


def test_a_number_in_the_submission_is_probed_around(halves: Setting) -> None:
    text = "def half(n): return 1 + n // 2 if n < {} else n // 2"
    assert diagnosed(halves, text.format(14), 2) is None
    assert diagnosed(halves, text.format(20), 2) is None


def test_what_the_docstring_leaves_open_does_not_count(halves: Setting) -> None:
    text = "def half(n):\n    if n < 0: raise RuntimeError('not asked for')\n    return n // 2 + 1"
    assert diagnosed(halves, text, 2) == "one_more"


def test_what_the_docstring_refuses_counts(halves: Setting) -> None:
    text = "def half(n):\n    if n % 2: raise ValueError(n)\n    return n // 2 + 1"
    assert diagnosed(halves, text, 2) is None


TALLY = """
class Tally:
    \"\"\"A sum.\"\"\"

    def __init__(self, start=0):
        self.total = start

    def add(self, n):
        \"\"\"Add n.

        Raises:
            ValueError: If n is negative.
        \"\"\"
        if n < 0:
            raise ValueError(n)
        self.total += n
        return self.total
"""


def test_classes_are_compared_through_sequences_of_calls(workers: Launcher, tmp_path: Path) -> None:
    path = tmp_path / "tally.py"
    path.write_text(TALLY)
    solution = Source("tally.py", TALLY.encode())
    known = [
        Misconception("starts_at_zero", "Tally", "", "", "self.total = start", "self.total = 0"),
        Misconception("forgets", "Tally", "", "", "self.total += n", "self.total = n"),
    ]
    plans = [((), (1, 2)), ((5,), (3, -1, 4)), ((2,), (1,))]
    calls = [Call("Tally", start, steps=tuple(("add", (n,), {}) for n in added)) for start, added in plans]
    probes = [Probe(call) for call in calls]
    exercise = Exercise("Tally", known, bundle("Tally", known, solution), probes, load_module(path).Tally, False)
    assert exercise.errors() == {"ValueError"}

    def told(text: str) -> str | None:
        bench = Bench(workers, Source("tally.py", text.encode()), collectives={}, limits=Limits())
        found = Diagnosis(exercise, bench, workers, {}).name(probes[:1])
        return found.name if found else None

    assert (
        told(TALLY.replace("self.total += n", "self.total = 0 + n").replace("ValueError(n)", "ValueError()"))
        == "forgets"
    )
    assert told(TALLY.replace("self.total += n", "self.total = n if n > 1 else self.total + n")) is None
    assert told(TALLY.replace("self.total += n", "self.total = n").replace("ValueError(n)", "KeyError(n)")) is None


def test_the_bundle_holds_every_misconception_as_it_is() -> None:
    known = [one for one in KNOWN if one.of == "assign_buckets"]
    names: dict[str, object] = {"__name__": "bundle"}
    exec(bundle("assign_buckets", known, SOLUTION).source.content.decode(), names)
    for index, one in enumerate(known):
        alone: dict[str, object] = {"__name__": "alone"}
        exec(apply(one, SOLUTION).content.decode(), alone)
        for sizes in ([5, 1, 3, 2, 2], [4] * 6, [1, 9, 1, 9]):
            together = names[candidate_name(index)](sizes, cap=5, first_cap=3)  # type: ignore[operator]
            assert together == alone["assign_buckets"](sizes, cap=5, first_cap=3)  # type: ignore[operator]
