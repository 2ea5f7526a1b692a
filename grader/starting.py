"""A student's edition keeps stubs apart from the files that students edit, so that a newer one overwrites no work.

Where ``stubs/`` is, a missing exercise file is copied from it; where a stub has changed since the student began, the
student's file stays and the change is told.
"""

from __future__ import annotations

import ast
from pathlib import Path

from grader.course import Course, Lesson
from grader.files import write_text


def begin(course: Course) -> list[str]:
    """Copy the stubs that have not been begun; returns what there is to tell, a sentence each."""
    told = []
    for lesson in course.lessons():
        if lesson.original.exists():
            told += _begin(lesson, course.state / "begun" / lesson.file_name)
    return told


def _begin(lesson: Lesson, memory: Path) -> list[str]:
    """Copy one stub, or say what changed in it since; ``memory`` holds it as it was."""
    stub = lesson.original.read_text(encoding="utf-8")
    own = f"exercises/{lesson.file_name}"
    if not lesson.stub.exists():
        lesson.stub.parent.mkdir(exist_ok=True)
        write_text(lesson.stub, stub)
        _remember(memory, stub)
        return [f"{own} is new: write your answers there."]
    before = memory.read_text(encoding="utf-8") if memory.exists() else stub
    _remember(memory, stub)
    changed = _changed(before, stub)
    if not changed:
        return []
    what = f"Lesson {lesson.number} has changed: {', '.join(changed)}."
    return [f"{what} Your {own} is kept; compare stubs/{lesson.file_name}."]


def _remember(memory: Path, stub: str) -> None:
    memory.parent.mkdir(parents=True, exist_ok=True)
    write_text(memory, stub)


def _changed(before: str, after: str) -> list[str]:
    """The names of what is new, gone or stated in another way."""
    old, new = _statements(before), _statements(after)
    names = [name for name in new if new[name] != old.get(name)]
    return names + [f"{name} (gone)" for name in old if name not in new]


def _statements(stub: str) -> dict[str, str]:
    """Each function and class of a stub with its text."""
    try:
        body = ast.parse(stub).body
    except SyntaxError:
        return {}
    kept = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {node.name: ast.unparse(node) for node in kept}
