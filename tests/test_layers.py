"""Who may import whom: what runs student code knows nothing of the judge, and content is never imported by name."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader.authoring
import grader.student
import grader.worker.student
from grader.judge.calls import Call
from tests.support import ROOT, bench

CONTENT = ("exercises", "solutions", "checks", "misconceptions", "quizzes")


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The full names of what a file imports, modules and what is in them, at its top or anywhere else."""
    package = list(path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ([base] if node.module else [])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def is_standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


def offenders(files: list[Path], forbidden: Iterator[str] | tuple[str, ...]) -> list[str]:
    names = tuple(forbidden)
    return [
        f"{path.relative_to(ROOT)} imports {name}" for path in files for name in imported(path) if within(name, *names)
    ]


def test_imports_are_found_in_every_form() -> None:
    folder = ROOT / "grader" / "worker"
    assert set(imported(folder / "exchange.py")) >= {"collections", "grader.worker.comm", "grader.worker.wire"}
    assert set(imported(folder / "__main__.py")) >= {"grader.worker.zygote", "importlib.util"}
    assert "numpy" in set(imported(folder / "wire" / "encoding.py"))


@pytest.mark.parametrize("path", python_files("grader/worker"), ids=lambda path: path.stem)
def test_the_worker_imports_itself_the_standard_library_and_numpy(path: Path) -> None:
    for name in imported(path):
        known = is_standard(name) or within(name, "numpy", "grader.worker")
        assert known or name == "grader", f"{path.name} imports {name}"


def test_the_worker_never_names_the_judge() -> None:
    assert offenders(python_files("grader/worker"), ("grader.judge", "grader.terminal", "grader.authors", "exam")) == []


def test_the_grader_never_imports_the_exams() -> None:
    assert offenders(python_files("grader"), ("exam",)) == []


def test_the_judge_knows_neither_the_terminal_nor_authors_tools() -> None:
    assert offenders(python_files("grader/judge"), ("grader.terminal", "grader.authors", "click", "rich")) == []


def test_nothing_but_tests_imports_tests() -> None:
    assert offenders(python_files("grader", "exam", "benchmarks"), ("tests", "benchmarks.tests")) == []


def test_content_is_never_imported_by_name() -> None:
    assert offenders(python_files("grader", "exam", "tests", "benchmarks", *CONTENT), CONTENT) == []


@pytest.mark.parametrize(
    ("folders", "allowed"),
    [
        (("exercises", "solutions", "examples/student"), ("grader.student", "numpy")),
        (("checks",), ("grader.authoring", "numpy", "hypothesis")),
        (("misconceptions",), ("grader.authoring", "grader.student", "numpy")),
    ],
)
def test_content_imports_its_own_face_alone(folders: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    files = python_files(*folders)
    assert files
    for path in files:
        strange = [name for name in imported(path) if not is_standard(name) and not within(name, *allowed)]
        assert strange == [], path


@pytest.mark.parametrize("module", ["grader", "grader.course", "grader.manifest", "grader.handout", "grader.results"])
def test_the_course_is_read_without_the_heavy_libraries(module: str) -> None:
    program = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = set(json.loads(done.stdout))
    assert module in loaded
    assert loaded & {"numpy", "pytest", "hypothesis", "rich", "scipy", "grader.judge", "grader.worker"} == set()


# --- the faces ---


def test_the_face_for_students_is_what_the_worker_provides() -> None:
    face, worker = grader.student, grader.worker.student
    assert sorted(face.__all__) == sorted(worker.__all__)
    assert all(getattr(face, name) is getattr(worker, name) for name in face.__all__)


def test_the_face_for_authors_has_what_it_lists() -> None:
    assert all(hasattr(grader.authoring, name) for name in grader.authoring.__all__)
    assert {"check", "expect", "misconception", "rounding_error"} <= set(grader.authoring.__all__)


INSIDE = """
import importlib, sys

def names():
    import grader.student
    return sorted(grader.student.__all__), all(hasattr(grader.student, name) for name in grader.student.__all__)

def can_import(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True

def loaded():
    return sorted(name for name in sys.modules if name.partition(".")[0] == "grader")
"""


@pytest.mark.parametrize("pool", [False, True], ids=["zygote", "pool"])
def test_a_submission_finds_that_face_and_nothing_else_of_ours(pool: bool) -> None:
    with bench(INSIDE, pool=pool) as subject:
        listed, all_there = subject.perform(Call("names")).value
        assert listed == sorted(grader.student.__all__) and all_there
        for name in ("numpy", "numpy.linalg", "math", "grader.student", "grader.worker.wire"):
            assert subject.perform(Call("can_import", (name,))).value, name
        for name in (
            "grader.judge",
            "grader.authoring",
            "grader.course",
            "exam",
            "hypothesis",
            "pytest",
            "click",
            *CONTENT,
        ):
            assert not subject.perform(Call("can_import", (name,))).value, name
        assert all(
            within(name, "grader.worker", "grader.student") or name == "grader"
            for name in subject.perform(Call("loaded")).value
        )
