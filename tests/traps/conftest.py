"""The small course, and a grader that is warm for the tests of one module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.course import Lesson
from grader.judge.confinement import Level, candidates
from grader.judge.limits import Limits
from grader.judge.zygote import Zygote
from tests.traps.harness import Grader, grader_at
from tests.traps.small_course import write_course


@pytest.fixture(scope="session")
def small_lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    """The one lesson of a small course."""
    return write_course(tmp_path_factory.mktemp("course"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The strongest confinement every day, each that this machine has in a sweep."""
    if "grader" in metafunc.fixturenames:
        levels = candidates(Level.PROCESS) if metafunc.config.getoption("--sweep") else [None]
        names = [str(level or "strongest") for level in levels]
        metafunc.parametrize("grader", levels, ids=names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def grader(small_lesson: Lesson, request: pytest.FixtureRequest) -> Iterator[Grader]:
    """Grades the small lesson at a level of confinement; skips one that does not work here."""
    level: Level | None = request.param
    if level is not None and (why := reason(level)):
        pytest.skip(f"{level}: {why}")
    with grader_at(small_lesson, level) as warm:
        yield warm


def reason(level: Level) -> str:
    """Why a level does not work here; "" if it does."""
    zygote = Zygote(Limits(), level)
    try:
        return zygote.probe()
    finally:
        zygote.close()
