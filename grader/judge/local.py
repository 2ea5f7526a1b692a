"""Calls of a module in this very process: the reference solution, and a student's file under a debugger."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.judge.calls import Answer, Call, Run
from grader.worker import failure, wire
from grader.worker.comm import Comm
from grader.worker.threads import Abandoned, Deadlock, run_on_threads


def load_module(path: Path, name: str | None = None) -> ModuleType:
    """Import a file by path, under a name of its own.

    Raises:
        Exception: Whatever the file raises.
    """
    name = name or f"course_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


Around = Callable[[Callable[..., Any], int | None], Callable[..., Any]]


class Local:
    """Performs calls in this process, ranks as threads; results take the route over the wire all the same."""

    def __init__(self, module: ModuleType, around: Around = lambda function, rank: function) -> None:
        """Perform calls of ``module``'s functions; ``around`` may wrap each (for a debugger), given its rank or None."""
        self._module, self._around = module, around
        self._file = module.__file__ or ""

    def perform(self, call: Call) -> Answer:
        """Make a call; see ``Performer``."""
        if call.per_rank is not None:
            return self._perform_on_ranks(call)
        try:
            positional, keywords = _copy((call.positional, call.keywords))
            if call.steps is not None:
                return Answer("returned", _crossed(self._sequence(call)))
            function = self._around(getattr(self._module, call.name), None)
            value = _crossed(function(*positional, **keywords))
            arguments = _crossed(wire.without_functions((positional, keywords))) if call.look_back else None
            return Answer("returned", value, arguments=arguments)
        except Exception as error:
            return self._raised(error)

    def _sequence(self, call: Call) -> list[Any]:
        subject = getattr(self._module, call.name)(*call.positional, **call.keywords)
        results: list[Any] = []
        for name, positional, keywords in call.steps or ():
            try:
                member = getattr(subject, name)
                results.append(["returned", member(*positional, **keywords) if callable(member) else member])
            except Exception as error:
                results.append(["raised", failure.describe(error, self._file)])
        return results

    def _perform_on_ranks(self, call: Call) -> Answer:
        assert call.per_rank is not None
        function = self._on_rank(getattr(self._module, call.name))
        per_rank = [call.rank_arguments(rank) for rank in range(len(call.per_rank))]
        ran = run_on_threads(function, per_rank, (), call.keywords, rendezvous=call.rendezvous)
        try:
            results = [_crossed(result) for result in ran.results]
        except wire.Unsupported as error:
            return Answer("unsupported", str(error))
        outcomes = [
            type(ran.errors[rank]).__name__ if rank in ran.errors else "returned" for rank in range(len(per_rank))
        ]
        run = Run(results, ran.traces, outcomes, ran.unreceived, per_rank if call.look_back else [])
        for rank in sorted(ran.errors):
            error = ran.errors[rank]
            if isinstance(error, Deadlock):
                return Answer("deadlock", str(error), None, run=run)
            if not isinstance(error, Abandoned):
                answer = self._raised(error)
                answer.rank, answer.run = rank, run
                return answer
        return Answer("returned", results, run=run, arguments=run.arguments)

    def _on_rank(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def on_rank(comm: Comm, *positional: Any, **keywords: Any) -> Any:
            return self._around(function, comm.rank)(comm, *positional, **keywords)

        return on_rank

    def _raised(self, error: BaseException) -> Answer:
        if isinstance(error, wire.Unsupported):
            return Answer("unsupported", str(error))
        return Answer("raised", failure.describe(error, self._file))


def _copy(value: Any) -> Any:
    """A copy that shares nothing with the original but functions, as a worker would get it."""
    functions: list[Any] = []
    encoded, buffers = wire.encode(value, functions)
    return wire.decode(encoded, b"".join(buffers), function=functions.__getitem__)


def _crossed(value: Any) -> Any:
    encoded, buffers = wire.encode(value)
    return wire.decode(encoded, b"".join(buffers))

