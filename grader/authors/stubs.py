"""The stubs that students edit, made from the solutions by cutting their text: nothing of them is run.

What stays is the statement: docstrings, signatures, public classes, and what these need to be defined. What
goes is the answer: bodies, private helpers, constants. A stub of a stub is the stub itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.authors.cutting import Function, Source, names_in, quoted_names
from grader.authors.exercises import (
    Definition,
    ExerciseInfo,
    SolutionError,
    exercises_in,
    is_exercise,
    parsed,
    title_of,
)
from grader.course import Course, Lesson
from grader.files import write_text

__all__ = ["ExerciseInfo", "SolutionError", "exercises_in", "stub_source", "title_of", "write_stubs"]

_Import = ast.Import | ast.ImportFrom


def stub_source(solution_source: str, file: str = "the solution") -> str:
    """The stub of a solution.

    Args:
        solution_source: The solution's text.
        file: What to call it in messages.

    Raises:
        SolutionError: If an exercise in it is not stated as it should be.
    """
    exercises = exercises_in(solution_source, file)
    source = Source(solution_source)
    body = parsed(source.text, file).body
    kept, needed = _kept(body, exercises)
    pieces = [(node, text) for node in kept if (text := _piece(source, node, needed))]
    return "\n\n".join(part for part in (source.header(body), _joined(source, pieces)) if part) + "\n"


def write_stubs(course: Course, lessons: Sequence[Lesson], check: bool = False) -> list[Path]:
    """Write the stubs that are missing or out of date.

    Args:
        course: The course that the lessons are of.
        lessons: Whose stubs to write.
        check: Write nothing.

    Returns:
        The stubs that were written, or with ``check`` those that would be.

    Raises:
        SolutionError: If a solution is missing or does not state its exercises as it should, or if there are
            answers in a stub that is to be written. Nothing is written then.
    """
    stale: dict[Path, str] = {}
    for lesson in lessons:
        solution, stub = (path.relative_to(course.root).as_posix() for path in (lesson.solution, lesson.stub))
        text = stub_source(_read(lesson.solution, solution), solution)
        old = _read(lesson.stub, stub) if lesson.stub.exists() else ""
        if old != text:
            if not check:
                _refuse_answers(old, stub)
            stale[lesson.stub] = text
    if not check:
        for path, text in stale.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
    return list(stale)


def _read(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SolutionError(file, 1, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SolutionError(file, 1, "is not UTF-8 text") from error


def _refuse_answers(stub: str, file: str) -> None:
    """Somebody who works through the lesson in the author's checkout must not lose it."""
    hint = "Move it away, or take it back with git, and write the stubs again."
    try:
        body = ast.parse(stub).body
    except (SyntaxError, ValueError):
        raise SolutionError(file, 1, "is no stub but unfinished work; not replaced", hint) from None
    for node in body:
        if isinstance(node, Definition) and is_exercise(node):
            for function in _functions(node):
                if not _is_unwritten(function):
                    raise SolutionError(file, function.lineno, f"{node.name} is written; not replaced", hint)


def _functions(node: Definition) -> list[Function]:
    return [each for each in node.body if isinstance(each, Function)] if isinstance(node, ast.ClassDef) else [node]


def _is_unwritten(function: Function) -> bool:
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    match body:
        case [ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def _kept(body: Sequence[ast.stmt], exercises: Sequence[ExerciseInfo]) -> tuple[list[ast.stmt], set[str]]:
    """The statements of which a stub has something, in order, and the names that it uses."""
    kept = [node for node in body if _is_public(node)]
    needed = {name for node in kept for name in _names_used(node)}
    needed |= _constants(body) & {name for each in exercises for name in _names_in_examples(each)}
    while True:  # what a kept statement needs must be there too, and what that needs
        more = [node for node in body if node not in kept and _bound(node) & needed]
        if not more:
            return [node for node in body if node in kept or _is_always_kept(node)], needed
        kept += more
        needed |= {name for node in more for name in _names_used(node)}


def _is_public(node: ast.stmt) -> bool:
    return isinstance(node, Definition) and (
        is_exercise(node) or (isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    )


def _is_always_kept(node: ast.stmt) -> bool:
    """Whether it is an import that students need (numpy, ours) or that changes how the file is read."""
    if isinstance(node, ast.ImportFrom):
        return node.module in ("__future__", "grader.student")
    return isinstance(node, ast.Import) and any(alias.name == "numpy" for alias in node.names)


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, _Import):
        return {_name_of(alias) for alias in node.names}
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    for each in ast.walk(node):  # a type alias, "if TYPE_CHECKING:"
        names |= _bound(each) if isinstance(each, _Import) else set()
    return names


def _name_of(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _constants(body: Sequence[ast.stmt]) -> set[str]:
    assignments = [node for node in body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return {name for node in assignments for name in _bound(node) if not name.startswith("_")}


def _names_in_examples(exercise: ExerciseInfo) -> Iterator[str]:
    """Students try the examples, so a constant that one uses is part of the statement."""
    for source, _ in exercise.examples:
        yield from names_in(ast.parse(source))


def _names_used(node: ast.AST) -> set[str]:
    """The names that a statement uses, or the part of it that a stub keeps."""
    if not (isinstance(node, Definition) and is_exercise(node)):
        return names_in(node)
    names = {name for decorator in node.decorator_list for name in names_in(decorator)}
    if isinstance(node, ast.ClassDef):
        parts: list[ast.AST] = [*node.bases, *node.keywords]
        names |= {name for part in parts for name in names_in(part)}
        return names | {name for member in _members(node) for name in _member_names(member)}
    return names | _signature_names(node)


def _member_names(member: ast.stmt) -> set[str]:
    if not isinstance(member, Function):
        return names_in(member)
    decorators = {name for decorator in member.decorator_list for name in names_in(decorator)}
    return decorators | _signature_names(member)


def _signature_names(function: Function) -> set[str]:
    returns = function.returns
    return names_in(function.args) | (names_in(returns) | quoted_names(returns) if returns else set())


def _members(node: ast.ClassDef) -> list[ast.stmt]:
    """What a stub keeps of a class that is an exercise: its public and its special members."""
    return [
        each
        for each in node.body
        if (isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and _shown(each.target.id))
        or (isinstance(each, Definition) and _shown(each.name))
    ]


def _shown(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _piece(source: Source, node: ast.stmt, needed: set[str]) -> str:
    """What a stub has of a statement."""
    if isinstance(node, _Import):
        return _import(source, node, needed)
    if isinstance(node, Function) and is_exercise(node):
        return _unwritten(source, node, node.name)
    if isinstance(node, ast.ClassDef) and is_exercise(node):
        return _unwritten_class(source, node)
    return source.comments_above(node) + source.whole(node)


def _import(source: Source, node: _Import, needed: set[str]) -> str:
    if _is_always_kept(node):
        return source.whole(node)
    names = [alias for alias in node.names if _name_of(alias) in needed]
    return source.whole(node) if len(names) == len(node.names) else source.import_of(node, names)


def _unwritten(source: Source, function: Function, name: str) -> str:
    indent = " " * (function.col_offset + 4)
    return f'{source.head(function)}\n{indent}raise NotImplementedError("{name}: not written yet")'


def _unwritten_class(source: Source, node: ast.ClassDef) -> str:
    text, before = source.head(node), None
    for member in _members(node):
        fields = isinstance(before, ast.AnnAssign) and isinstance(member, ast.AnnAssign)
        text += "\n" if fields else "\n\n"
        if isinstance(member, Function):
            text += _unwritten(source, member, f"{node.name}.{member.name}")
        else:
            text += source.whole(member)
        before = member
    return text


def _joined(source: Source, pieces: Sequence[tuple[ast.stmt, str]]) -> str:
    """The pieces with the blank lines between them that a formatter asks for."""
    text, before = "", None
    for node, piece in pieces:
        if before is not None:
            text += "\n" * (1 + _blank_lines(source, before, node))
        text += piece
        before = node
    return text


def _blank_lines(source: Source, before: ast.stmt, node: ast.stmt) -> int:
    if isinstance(before, Definition) or isinstance(node, Definition):
        return 2
    if isinstance(before, _Import) != isinstance(node, _Import):
        return 1
    return 1 if source.is_blank_between(before, node) else 0
