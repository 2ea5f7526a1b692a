"""All misconceptions of an exercise in one file, so that one start of workers serves to compare with every one."""

from __future__ import annotations

import ast
import marshal
import re
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import NamedTuple

from grader.judge.bench import Source
from grader.judge.misconceptions import Misconception, apply
from grader.judge.variations import MAX_NUMBER, USUAL

MOST_NUMBERS = 16

MAKER = '''
def _known(name, code, exercise):
    """What stands for a misconception: its own copy of the module, made when it is first called."""
    made = []

    def call(*positional, **keywords):
        if not made:
            import marshal

            module = {"__name__": __name__}
            exec(marshal.loads(code), module)
            made.append(module[exercise])
        return made[0](*positional, **keywords)

    globals()[name] = call
'''


def candidate_name(index: int) -> str:
    """What the misconception with this number is called in the bundle."""
    return f"misconception_{index}"


class Bundle(NamedTuple):
    """An exercise's solution and misconceptions.

    Attributes:
        source: A submission that holds the solution under its name, and each misconception beside it.
        numbers: Numbers that occur in them: where one begins to be wrong, another mistake may too.
    """

    source: Source
    numbers: list[float]


def bundle(exercise: str, known: Sequence[Misconception], solution: Source) -> Bundle:
    """Put the misconceptions of an exercise together.

    Args:
        exercise: The exercise.
        known: Its misconceptions.
        solution: The lesson's solution.
    """
    words = [exercise, *(one.within for one in known)]
    for one in known:
        words += re.findall(r"[A-Za-z_]\w*", one.function[0] or " ".join(wrote for _, wrote in one.edits))
    short = Source(solution.file, _Needed(solution).text(words).encode())
    lines, numbers = [short.content.decode(), MAKER], set()
    for index, one in enumerate(known):
        code = compile(apply(one, short).content, solution.file, "exec", dont_inherit=True)
        numbers |= set(_numbers(code))
        lines.append(f"_known({candidate_name(index)!r}, {marshal.dumps(code)!r}, {exercise!r})")
    return Bundle(Source(solution.file, "\n".join(lines).encode()), sorted(numbers)[:MOST_NUMBERS])


def _numbers(code: CodeType) -> Iterator[float]:
    """The numbers in compiled code, the usual ones aside; ``25 * 10**6`` is one."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _numbers(constant)
        for each in constant if isinstance(constant, tuple) else (constant,):
            if type(each) in (int, float) and each not in USUAL and abs(each) < MAX_NUMBER:
                yield float(each)


class _Needed:
    """A module without the functions that an exercise does not use, and without docstrings."""

    def __init__(self, source: Source) -> None:
        text = source.content.decode("utf-8")
        self._lines = text.splitlines(keepends=True)
        self._nodes = ast.parse(text).body
        self._functions = {node.name: node for node in self._nodes if isinstance(node, ast.FunctionDef)}

    def text(self, words: Sequence[str]) -> str:
        """The module as far as these names reach."""
        wanted = [word for word in dict.fromkeys(words) if word in self._functions]
        wanted += [
            name.id
            for node in self._nodes
            if not isinstance(node, ast.FunctionDef)
            for name in ast.walk(node)
            if isinstance(name, ast.Name) and name.id in self._functions
        ]
        for name in wanted:  # grows as it goes
            for inner in ast.walk(self._functions[name]):
                if isinstance(inner, ast.Name) and inner.id in self._functions and inner.id not in wanted:
                    wanted.append(inner.id)
        return "\n".join(
            self._source(node) for node in self._nodes if not isinstance(node, ast.FunctionDef) or node.name in wanted
        )

    def _source(self, node: ast.stmt) -> str:
        decorators = getattr(node, "decorator_list", [])
        first, last = min([node.lineno, *(each.lineno for each in decorators)]), node.end_lineno or node.lineno
        hidden: set[int] = set()
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None and len(node.body) > 1:
            hidden = set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        return "".join(self._lines[n - 1] for n in range(first, last + 1) if n not in hidden)
