"""The same submission gets the same grade: draws and results depend on the check and the submission alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.authoring import check
from grader.judge.checks import current
from grader.judge.determinism import seeded
from tests.support import ROOT

# --- draws ---

UNUSUAL = "\n".join(
    [f"INT_{n} = {10**6 + 7919 * n}\nFLOAT_{n} = {n}.0625125\nTEXT_{n} = 'unusual text {n}'" for n in range(300)]
)
DRAWS = """
import json, sys
folder, *wanted = sys.argv[1:]
sys.path.insert(0, folder)
if "switched off" in wanted:
    from grader.judge.determinism import draw_no_constants_from_modules
    draw_no_constants_from_modules()
if "one more module" in wanted:
    import unusual
    assert unusual.INT_5
from hypothesis import given, strategies as st
from grader.authoring import buffers_for_ranks, check

drawn = []

@check("f", points=1, examples=150)
@given(n=st.integers(), x=st.floats(), text=st.text(), data=st.binary(max_size=4), buffers=buffers_for_ranks())
def test_it(n, x, text, data, buffers):
    "It holds."
    drawn.append(repr((n, x, text, data, buffers)))

test_it()
if "twice" in wanted:
    drawn.clear()
    test_it()
print(json.dumps(drawn))
"""


def in_a_process(program: str, *arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    """What a fresh interpreter prints; hashes differ from process to process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def local_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "unusual.py").write_text(UNUSUAL, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def usual_draws(local_modules: Path) -> str:
    return in_a_process(DRAWS, str(local_modules), "switched off")


def test_one_more_local_module_full_of_constants_changes_no_draw(local_modules: Path, usual_draws: str) -> None:
    assert len(json.loads(usual_draws)) == 150
    assert in_a_process(DRAWS, str(local_modules), "switched off", "one more module") == usual_draws


def test_that_module_would_change_draws_if_nothing_was_switched_off(local_modules: Path) -> None:
    """If this fails, the installed hypothesis draws no constants, and the switch can go."""
    with_module = in_a_process(DRAWS, str(local_modules), "one more module")
    assert with_module != in_a_process(DRAWS, str(local_modules))


@pytest.mark.parametrize(
    ("wanted", "environment"),
    [
        ("twice", {}),
        ("once", {"PYTHONHASHSEED": "7", "CI": "true", "HYPOTHESIS_PROFILE": "ci"}),
    ],
)
def test_draws_depend_on_nothing_outside_of_the_check(
    local_modules: Path, usual_draws: str, wanted: str, environment: dict[str, str]
) -> None:
    assert in_a_process(DRAWS, str(local_modules), "switched off", wanted, **environment) == usual_draws


def drawn_by(test: Any) -> list[Any]:
    """The arguments of a check's examples, in order."""
    found: list[Any] = []

    class Recorder:
        def run(self, body: Any, arguments: dict[str, Any]) -> None:
            found.append(arguments["values"])

    token = current.set(Recorder())
    try:
        test()
    finally:
        current.reset(token)
    return found


def check_of_lists(examples: int = 30) -> Any:
    @check("f", points=1, examples=examples)
    @given(values=st.lists(st.integers(), max_size=5))
    def test_it(values: list[int]) -> None:
        """It holds."""

    return test_it


def test_another_profile_changes_no_draw() -> None:
    before = drawn_by(check_of_lists())
    previous = settings.get_current_profile_name() if hasattr(settings, "get_current_profile_name") else "default"
    settings.register_profile("one example", max_examples=1)
    settings.load_profile("one example")
    try:
        assert drawn_by(check_of_lists()) == before
        assert len(before) == 30
    finally:
        settings.load_profile(previous)


def test_seeds_give_other_draws_each_its_own() -> None:
    usual = drawn_by(check_of_lists())
    first, second, again = (with_seed(seed) for seed in (1, 2, 1))
    assert usual != first != second != usual and again == first


def with_seed(seed: int) -> list[Any]:
    check = check_of_lists()
    with seeded([check], seed):
        return drawn_by(check)


def test_after_a_seed_a_check_draws_as_before() -> None:
    check = check_of_lists()
    usual = drawn_by(check)
    with seeded([check], 1):
        assert drawn_by(check) != usual
    assert drawn_by(check) == usual


# --- grades ---

GRADES = """
import json, sys
from pathlib import Path
from grader.course import Course
from grader.judge.bench import Source
from grader.judge.grading import Options, grade
from grader.judge.launch import launcher
from grader.judge.limits import Limits

root, submission, *names = sys.argv[1:]
lesson = Course.find(explicit=Path(root)).lesson("6")
source = Source(lesson.file_name, Path(submission).read_bytes())

def without_seconds(value):
    if isinstance(value, dict):
        return {key: without_seconds(item) for key, item in value.items() if key != "seconds"}
    return [without_seconds(item) for item in value] if isinstance(value, list) else value

for name in names:
    workers = launcher(Limits())
    try:
        options = Options(only=None if name == "all" else name, diagnose=name == "all")
        result = grade(lesson, source, workers, options)
    finally:
        workers.close()
    print(json.dumps(without_seconds(result.to_json()), sort_keys=True))
"""

WRONG = {
    '"all_reduce": 2 * (n - 1) / n': '"all_reduce": 2.0',
    "chunks[incoming] += comm.sendrecv(": "chunks[incoming] -= comm.sendrecv(",
}


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission of lesson 6 with one wrong formula and one wrong exercise on ranks."""
    text = (ROOT / "solutions" / "lesson06_collectives.py").read_text(encoding="utf-8")
    for right, wrong in WRONG.items():
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    path = tmp_path_factory.mktemp("submission") / "lesson06_collectives.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_grade_depends_on_the_submission_alone(submission: Path, tmp_path: Path) -> None:
    """Alone; and from another folder, with other settings about, after other grading in the same process."""
    alone = in_a_process(GRADES, str(ROOT), str(submission), "reduce_scatter")
    assert json.loads(alone)["exercises"][0]["outcome"] == "wrong"
    (tmp_path / "conftest.py").write_text("raise RuntimeError\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", encoding="utf-8")
    after_another = in_a_process(
        GRADES,
        str(ROOT),
        str(submission),
        "bus_bandwidth",
        "reduce_scatter",
        cwd=tmp_path,
        PYTEST_ADDOPTS="--also-none",
    )
    first, second = after_another.splitlines(keepends=True)
    assert json.loads(first)["exercises"][0]["outcome"] == "wrong"
    assert second == alone


@pytest.mark.sweep
def test_a_whole_grade_is_the_same_alone_and_after_itself(submission: Path, tmp_path: Path) -> None:
    alone = in_a_process(GRADES, str(ROOT), str(submission), "all")
    assert in_a_process(GRADES, str(ROOT), str(submission), "all", "all", cwd=tmp_path) == alone * 2
