"""A pytest plugin with the fixtures of checks and no judge: ``pytest -p benchmarks.bare``.

``student`` and ``reference`` call the solution directly, in pytest's own process; ranks are threads. That is what a
teacher who writes tests for pytest would have.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from grader.authoring import expect
from grader.judge.calls import Run
from grader.judge.local import load_module
from grader.worker.threads import Abandoned, on_ranks, rank_arguments, run_on_threads


class Direct:
    """A module as a check sees it, without anything in between."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> DirectFunction:
        return DirectFunction(getattr(self._module, name))


class DirectFunction:
    """A function with the calls that checks make of it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        return self._function(*positional, **keywords)

    def must_raise(self, error: type[Exception], *positional: Any, **keywords: Any) -> None:
        with pytest.raises(error):
            self._function(*positional, **keywords)

    def keeps_arguments(self, *positional: Any, **keywords: Any) -> Any:
        before = copy.deepcopy(positional)
        result = self._function(*positional, **keywords)
        expect(positional).equal(before)
        return result

    def on_ranks(self, per_rank: Sequence[Any], *shared: Any, rendezvous: bool = False, **keywords: Any) -> Run:
        run, errors = self._run(per_rank, shared, keywords, rendezvous)
        for rank in sorted(errors):
            raise errors[rank]
        assert not run.unreceived
        return run

    def on_ranks_keeps_arguments(self, per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> Run:
        """The function is called on copies, so each rank compares its own."""

        def compare(comm: Any, *arguments: Any, **named: Any) -> Any:
            before = copy.deepcopy(arguments)
            result = self._function(comm, *arguments, **named)
            expect(arguments).equal(before)
            return result

        compare.__exercise__ = self._function.__exercise__  # type: ignore[attr-defined]
        return DirectFunction(compare).on_ranks(per_rank, *shared, **keywords)

    def on_ranks_must_raise(
        self, error: type[Exception], per_rank: Sequence[Any], *shared: Any, **keywords: Any
    ) -> None:
        run, errors = self._run(per_rank, shared, keywords)
        assert all(isinstance(errors.get(rank), error) for rank in range(run.size))

    def _run(
        self, per_rank: Sequence[Any], shared: Sequence[Any], keywords: dict[str, Any], rendezvous: bool = False
    ) -> tuple[Run, dict[int, BaseException]]:
        own = [rank_arguments(entry) for entry in per_rank]
        ran = run_on_threads(self._function, own, shared, keywords, rendezvous=rendezvous)
        errors = {rank: error for rank, error in ran.errors.items() if not isinstance(error, Abandoned)}
        return Run(ran.results, ran.traces, [], ran.unreceived), errors


def _direct(config: pytest.Config) -> Direct:
    (path,) = Path(config.rootpath, "solutions").glob("lesson*.py")
    return Direct(load_module(path))


@pytest.fixture(scope="session")
def student(request: pytest.FixtureRequest) -> Direct:
    return _direct(request.config)


@pytest.fixture(scope="session")
def reference(request: pytest.FixtureRequest) -> Direct:
    return _direct(request.config)


@pytest.fixture(autouse=True)
def names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(np=np, on_ranks=on_ranks)
