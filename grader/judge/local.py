"""Calls of a module in this very process: the reference solution, and a student's file under a debugger."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.judge.calls import Answer, Call, Run
from grader.worker import failure, wire
from grader.worker.comm import Comm
from grader.worker.threads import Abandoned, Deadlock, ThreadRun, run_on_threads


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


def public_checks(hidden: str) -> ModuleType:
    """The public checks of the same lesson, for the helpers that a file of hidden checks shares with them.

    Args:
        hidden: The path of the file of hidden checks (its ``__file__``).
    """
    path = Path(hidden)
    return load_module(path.parents[1] / "public" / path.name)


Around = Callable[[Callable[..., Any], int | None], Callable[..., Any]]


class Local:
    """Performs calls in this process, ranks as threads; results take the route over the wire all the same."""

    def __init__(self, module: ModuleType, around: Around = lambda function, rank: function) -> None:
        """Perform calls of ``module``'s functions; ``around`` may wrap each for a debugger, given its rank or None."""
        self._module, self._around = module, around
        self._file = module.__file__ or ""

    def perform(self, call: Call) -> Answer:
        """Make a call; see ``Performer``."""
        if call.per_rank is not None:
            return self._perform_on_ranks(call)
        try:
            positional, keywords, steps = _copy((call.positional, call.keywords, call.steps))
            if steps is not None:
                return Answer("returned", _crossed(self._sequence(call.name, positional, keywords, steps)))
            function = self._around(getattr(self._module, call.name), None)
            value = _crossed(function(*positional, **keywords))
            arguments = _crossed(wire.without_functions((positional, keywords))) if call.look_back else None
            return Answer("returned", value, arguments=arguments)
        except Exception as error:
            return self._raised(error)

    def _sequence(
        self, of: str, positional: Sequence[Any], keywords: dict[str, Any], steps: Sequence[Any]
    ) -> list[Any]:
        subject = getattr(self._module, of)(*positional, **keywords)
        results: list[Any] = []
        for name, own, named in steps:
            try:
                member = getattr(subject, name)
                results.append(["returned", _crossed(member(*own, **named) if callable(member) else member)])
            except wire.Unsupported:
                raise
            except Exception as error:
                results.append(["raised", failure.describe(error, self._file)])
        return results

    def _perform_on_ranks(self, call: Call) -> Answer:
        assert call.per_rank is not None
        function = self._on_rank(getattr(self._module, call.name))
        ran = run_on_threads(function, call.per_rank, call.positional, call.keywords, rendezvous=call.rendezvous)
        ended = [self._ended(ran, rank) for rank in range(len(call.per_rank))]
        arguments = [_looked_back(*pair) for pair in zip(ended, ran.arguments, strict=True)] if call.look_back else []
        run = Run(
            results=[answer.value if answer.kind == "returned" else None for answer in ended],
            traces=ran.traces,
            outcomes=[str(answer.value["type"]) if answer.kind == "raised" else answer.kind for answer in ended],
            unreceived=ran.unreceived,
            arguments=arguments,
            errors={rank: answer.value for rank, answer in enumerate(ended) if answer.kind == "raised"},
        )
        for rank, answer in enumerate(ended):
            if answer.kind not in ("returned", "abandoned"):
                return replace(answer, rank=rank, run=run)
        for error in ran.errors.values():
            return Answer("deadlock", str(error), run=run)
        return Answer("returned", run.results, run=run, arguments=arguments)

    def _ended(self, ran: ThreadRun, rank: int) -> Answer:
        """What became of one rank, as the judge would say it of a worker."""
        error = ran.errors.get(rank)
        if isinstance(error, Abandoned | Deadlock):
            return Answer("abandoned")
        if error is not None:
            return self._raised(error)
        try:
            return Answer("returned", _crossed(ran.results[rank]))
        except wire.Unsupported as unsupported:
            return Answer("unsupported", str(unsupported))

    def _on_rank(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def on_rank(comm: Comm, *positional: Any, **keywords: Any) -> Any:
            return self._around(function, comm.rank)(comm, *positional, **keywords)

        return on_rank

    def _raised(self, error: BaseException) -> Answer:
        if isinstance(error, wire.Unsupported):
            return Answer("unsupported", str(error))
        return Answer("raised", failure.describe(error, self._file))


def _looked_back(ended: Answer, arguments: Any) -> Any:
    return _crossed(wire.without_functions(arguments)) if ended.kind == "returned" else None


def _copy(value: Any) -> Any:
    """A copy that shares nothing with the original but functions, as a worker would get it."""
    functions: list[Any] = []
    encoded, buffers = wire.encode(value, functions)
    return wire.decode(encoded, b"".join(buffers), function=functions.__getitem__)


def _crossed(value: Any) -> Any:
    encoded, buffers = wire.encode(value)
    return wire.decode(encoded, b"".join(buffers))
