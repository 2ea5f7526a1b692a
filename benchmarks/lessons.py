"""Courses made for a measurement: one lesson, or the part of it that runs on ranks, and what is handed in."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import ROOT

LESSON = os.environ.get("GRADE_BENCHMARK_LESSON", "lesson06_collectives")
NAME = f"lesson{int(LESSON[6:8])}"  # as it is typed
GRADE = (sys.executable, "-c", "import sys; from grader.terminal.cli import main; sys.exit(main())")
CONTENT = ("exercises", "solutions", "checks/public", "checks/hidden", "misconceptions")


def rank_exercises() -> set[str]:
    """The exercises of the lesson that run on ranks: their first parameter is a ``Comm``."""
    tree = ast.parse((ROOT / "solutions" / f"{LESSON}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.args.args]
    return {node.name for node in functions if _is_comm(node.args.args[0].annotation)}


def _is_comm(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "Comm"


def make_course(root: Path, submission: bytes, wanted: Callable[[str], bool] = lambda exercise: True) -> Path:
    """A course of this one lesson, or of the exercises of it that are ``wanted``, with ``submission`` handed in."""
    for folder in CONTENT:
        (root / folder).mkdir(parents=True)
        source = ROOT / folder / f"{LESSON}.py"
        target = root / folder / source.name
        if folder.startswith("checks"):
            target.write_text(_checks_of(source.read_text(encoding="utf-8"), wanted), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    manifest = json.loads((ROOT / "checks" / f"{LESSON}.json").read_text(encoding="utf-8"))
    manifest["exercises"] = [exercise for exercise in manifest["exercises"] if wanted(exercise["name"])]
    (root / "checks" / f"{LESSON}.json").write_text(json.dumps(manifest), encoding="utf-8")
    (root / "exercises" / f"{LESSON}.py").write_bytes(submission)
    return root


def _checks_of(text: str, wanted: Callable[[str], bool]) -> str:
    """A file of checks without those of other exercises."""
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        exercise = _exercise_of(node)
        if exercise is not None and not wanted(exercise):
            assert isinstance(node, ast.FunctionDef)
            del lines[node.decorator_list[0].lineno - 1 : node.end_lineno]
    return "".join(lines)


def _exercise_of(node: ast.stmt) -> str | None:
    """The exercise that a check names, if the node is a check."""
    if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
        return None
    match node.decorator_list[0]:
        case ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name)), *_]):
            return name
    return None


def solution() -> bytes:
    """The reference solution, as a submission that is right."""
    return (ROOT / "solutions" / f"{LESSON}.py").read_bytes()
