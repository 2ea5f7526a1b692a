"""Results that are kept between runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.results import LessonResult, Outcome, Submission
from grader.saved import KEPT, latest, load, save
from tests.report_samples import all_passed, drops_the_remainder, lesson, passed, two_mistakes

LESSON = "06_collectives"


def of_file(result: LessonResult, sha256: str) -> LessonResult:
    """The result, as if of another file."""
    return replace(result, submission=Submission("lesson06_collectives.py", sha256))


def files(state: Path) -> list[Path]:
    """What is on disk for the lesson, oldest first."""
    return sorted((state / "results" / LESSON).iterdir())


def test_a_saved_result_is_found_by_its_file(tmp_path: Path) -> None:
    result = two_mistakes()
    assert save(tmp_path, result) == result
    assert load(tmp_path, LESSON, result.submission.sha256) == result
    assert load(tmp_path, LESSON, "00" * 32) is None
    assert load(tmp_path, "07_zero_fsdp", result.submission.sha256) is None


def test_nothing_saved_is_nothing_found(tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere", LESSON, "ab" * 32) is None
    assert latest(tmp_path / "nowhere", LESSON) is None


def test_latest_is_the_last_saved_whichever_file_it_was_of(tmp_path: Path) -> None:
    first, second = of_file(all_passed(), "a1" * 32), of_file(two_mistakes(), "b2" * 32)
    save(tmp_path, first)
    save(tmp_path, second)
    assert latest(tmp_path, LESSON) == second
    save(tmp_path, first)
    assert latest(tmp_path, LESSON) == first
    assert len(files(tmp_path)) == 2  # one result a file: the earlier one gave way


def test_the_last_twenty_are_kept(tmp_path: Path) -> None:
    hashes = [f"{number:02x}" * 32 for number in range(KEPT + 5)]
    for sha256 in hashes:
        save(tmp_path, of_file(all_passed(), sha256))
    assert len(files(tmp_path)) == KEPT
    assert [sha256 for sha256 in hashes if load(tmp_path, LESSON, sha256)] == hashes[5:]


def test_a_run_of_one_exercise_keeps_what_it_did_not_run(tmp_path: Path) -> None:
    save(tmp_path, two_mistakes())
    again = passed("ring_all_reduce", 12)
    merged = save(tmp_path, lesson([again]))
    assert [one.name for one in merged.exercises] == [one.name for one in two_mistakes().exercises]
    assert merged.exercises[2] == again
    assert merged.exercises[:2] == two_mistakes().exercises[:2]
    assert (merged.points, merged.max_points) == (20, 46)
    assert load(tmp_path, LESSON, merged.submission.sha256) == merged


def test_a_run_of_a_further_exercise_is_added(tmp_path: Path) -> None:
    save(tmp_path, lesson([drops_the_remainder()]))
    merged = save(tmp_path, lesson([passed("bus_bandwidth")]))
    assert [one.name for one in merged.exercises] == ["ring_all_reduce", "bus_bandwidth"]
    assert (merged.points, merged.max_points) == (11, 18)


def test_a_whole_run_replaces_every_exercise(tmp_path: Path) -> None:
    save(tmp_path, two_mistakes())
    whole = replace(two_mistakes(), seconds=9.0)
    assert save(tmp_path, whole) == whole


@pytest.mark.parametrize(
    "change",
    [
        {"submission": Submission("lesson06_collectives.py", "00" * 32)},
        {"visibilities": ("public",)},
        {"versions": {"grader": "2.0"}},
        {"problem": "line 1: SyntaxError"},
    ],
)
def test_runs_that_are_not_of_the_same_kind_are_not_mixed(tmp_path: Path, change: dict[str, Any]) -> None:
    save(tmp_path, two_mistakes())
    other = replace(lesson([passed("ring_all_reduce")]), **change)
    assert save(tmp_path, other) == other


def garble(path: Path) -> None:
    path.write_bytes(b"\xff\x00 no JSON")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def nest(path: Path) -> None:
    path.write_text("[" * 100_000)


def from_the_future(path: Path) -> None:
    path.write_text(json.dumps(dict(json.loads(path.read_text()), schema=99)))


def of_another_file(path: Path) -> None:
    path.write_text(path.read_text().replace("3f3f", "4f4f"))


@pytest.mark.parametrize("damage", [garble, truncate, nest, from_the_future, of_another_file, Path.unlink])
def test_a_damaged_file_counts_as_not_there(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    before, after = of_file(all_passed(), "a1" * 32), two_mistakes()
    save(tmp_path, before)
    save(tmp_path, after)
    damage(files(tmp_path)[-1])
    assert load(tmp_path, LESSON, after.submission.sha256) is None
    assert latest(tmp_path, LESSON) == before
    assert save(tmp_path, after) == after
    assert latest(tmp_path, LESSON) == after


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "results" / LESSON
    folder.mkdir(parents=True)
    for name in ("notes.txt", "x-y.json", "00000007-.json.partial"):
        (folder / name).write_text("mine")
    save(tmp_path, all_passed())
    assert len(files(tmp_path)) == 4
    assert latest(tmp_path, LESSON) == all_passed()


def test_a_write_that_fails_leaves_the_old_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, all_passed())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            save(tmp_path, two_mistakes())
    assert latest(tmp_path, LESSON) == all_passed()
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("name", ["", "..", "../elsewhere", "a/b"])
def test_a_lesson_is_one_plain_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="lesson"):
        save(tmp_path, replace(all_passed(), lesson=name))
    with pytest.raises(ValueError, match="SHA-256"):
        save(tmp_path, of_file(all_passed(), "../x"))
    assert all_passed().exercises[0].outcome is Outcome.PASSED
