"""``student`` and ``reference``: what a check calls. Both perform calls; they differ in where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.judge.calls import Answer, Call, Performer, Run, is_of_type, show
from grader.judge.compare import difference
from grader.judge.failures import CheckFailed, Unfinished
from grader.results import Outcome
from grader.worker import wire

NOT_WRITTEN = "not written yet"


class Proxy:
    """A module as a check sees it: ``proxy.f(...)`` calls ``f`` of the submission (or of the solution)."""

    def __init__(self, performer: Performer, watch: Callable[[Call], None] = lambda call: None) -> None:
        """Perform calls with ``performer``; ``watch`` hears of each before it is made."""
        self._performer, self._watch = performer, watch

    def __getattr__(self, name: str) -> Function:
        """The function or class called ``name``."""
        if name.startswith("_"):  # what printers and debuggers ask of any object
            raise AttributeError(name)
        return Function(name, self._perform)

    def _perform(self, call: Call) -> Answer:
        self._watch(call)
        return self._performer.perform(call)


class Function:
    """One function or class of a module, to be called in the ways that checks need."""

    def __init__(self, name: str, perform: Callable[[Call], Answer]) -> None:
        """The function ``name``, performed by ``perform``."""
        self._name, self._perform = name, perform
        self.__name__ = name

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        """Call it and return what it returns."""
        return value_of(self._perform(Call(self._name, positional, keywords)))

    def must_raise(self, error: type[Exception], *positional: Any, **keywords: Any) -> None:
        """Call it, and expect this exception."""
        require_raised(self._perform(Call(self._name, positional, keywords)), error)

    def keeps_arguments(self, *positional: Any, **keywords: Any) -> Any:
        """Call it, expect its arguments to be as before, and return what it returns."""
        call = Call(self._name, positional, keywords, look_back=True)
        answer = self._perform(call)
        value = value_of(answer)
        _require_unchanged(answer.arguments, (positional, keywords), "its arguments after the call")
        return value

    def on_ranks(
        self, per_rank: Sequence[Any], *shared: Any, rendezvous: bool = False, **keywords: Any
    ) -> Run:
        """Run it on one rank for each entry of ``per_rank``; returns results and what was sent.

        Args:
            per_rank: Each rank's own argument: a tuple is several, a list of numbers an array.
            shared: Further arguments, the same on every rank.
            rendezvous: Whether a send waits for its receive.
            keywords: Keyword arguments, the same on every rank.
        """
        return run_of(self._perform(Call(self._name, shared, keywords, tuple(per_rank), rendezvous=rendezvous)))

    def on_ranks_must_raise(
        self, error: type[Exception], per_rank: Sequence[Any], *shared: Any, **keywords: Any
    ) -> None:
        """Run it on ranks, and expect this exception on every one of them."""
        answer = self._perform(Call(self._name, shared, keywords, tuple(per_rank)))
        require_raised(answer, error)
        run = run_of(answer, failed=True)
        for rank, outcome in enumerate(run.outcomes):
            if rank not in run.errors or not is_of_type(run.errors[rank], error):
                did = {"returned": "returned", "abandoned": "waited for a message"}.get(outcome, f"raised {outcome}")
                raise CheckFailed(f"rank {rank} {did}", f"{error.__name__} on every rank", what="what each rank did")

    def on_ranks_keeps_arguments(self, per_rank: Sequence[Any], *shared: Any, **keywords: Any) -> Run:
        """Run it on ranks, expect every rank's arguments to be as before, and return the run."""
        call = Call(self._name, shared, keywords, tuple(per_rank), look_back=True)
        run = run_of(self._perform(call))
        for rank, arguments in enumerate(run.arguments):
            before = call.rank_arguments(rank), call.keywords
            _require_unchanged(arguments, before, f"the arguments of rank {rank} after the call")
        return run

    def sequence(self, init: Sequence[Any], steps: Sequence[Sequence[Any]], **keywords: Any) -> list[Any]:
        """Construct it and use it: each step is (method, arguments …); returns what each step returned."""
        plan: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
        plan = tuple((step[0], tuple(step[1:]), {}) for step in steps)
        outcomes = value_of(self._perform(Call(self._name, tuple(init), keywords, steps=plan)))
        results = []
        for (name, _, _), (kind, value) in zip(plan, outcomes, strict=True):
            if kind == "raised":
                raise _crash(Answer("raised", value), f"{name}() ")
            results.append(value)
        return results


def value_of(answer: Answer) -> Any:
    """What a call returned.

    Raises:
        CheckFailed: If it raised, or returned what is not plain data.
        Unfinished: If it timed out, died or was never started.
    """
    if answer.kind == "returned":
        return answer.value
    failure = failure_of(answer)
    if failure.outcome in (Outcome.TIMED_OUT, Outcome.NOT_STARTED) or answer.kind in ("died", "forged"):
        raise Unfinished(failure)
    raise failure


def run_of(answer: Answer, *, failed: bool = False) -> Run:
    """What ranks did in a call that every rank finished (or, with ``failed``, in any call).

    Raises:
        CheckFailed: As ``value_of``, and if messages were sent that nobody received.
    """
    if not failed:
        value_of(answer)
        if answer.run is not None and answer.run.unreceived:
            source, dest, elements = answer.run.unreceived[0]
            more = len(answer.run.unreceived)
            raise CheckFailed(
                f"{more} left over, the first of {elements} elements from rank {source} to rank {dest}",
                "every message that is sent is received",
                what="messages that nobody received",
            )
    assert answer.run is not None
    return answer.run


def require_raised(answer: Answer, error: type[Exception]) -> None:
    """Expect an exception of this type.

    Raises:
        CheckFailed: If the call returned, or raised something else.
    """
    wanted = f"{error.__name__} is raised"
    if answer.raised(error) and not _stub_speaks(answer):
        return
    if answer.kind == "returned":
        raise CheckFailed(show(answer.value), wanted)
    failure = failure_of(answer)
    if failure.outcome is not Outcome.CRASHED or answer.kind != "raised":
        value_of(answer)
    raise CheckFailed(failure.returned, wanted, message=failure.message, outcome=Outcome.WRONG)


def failure_of(answer: Answer) -> CheckFailed:
    """The failure that an answer other than "returned" is, in words."""
    where = "" if answer.rank is None or answer.run is None or answer.run.size == 1 else f"rank {answer.rank} "
    if answer.kind == "raised":
        return _crash(answer, where)
    if answer.kind == "unsupported":
        return CheckFailed(f"{where}returned {answer.value}", "plain data: numbers, arrays, lists, tuples, records")
    if answer.kind == "timed_out":
        returned = f"{where}returned nothing, after {answer.value}"
        return CheckFailed(returned, outcome=Outcome.TIMED_OUT, message="Is there a loop that does not end?")
    if answer.kind == "deadlock":
        return CheckFailed("every rank waits: " + answer.value, "every rank returns", what="what the ranks did")
    if answer.kind == "forged":
        return CheckFailed(f"{where}sent what is not an answer: {answer.value}", outcome=Outcome.CRASHED)
    return CheckFailed(f"{where}returned nothing: {answer.value}", outcome=Outcome.CRASHED)


def _crash(answer: Answer, where: str) -> CheckFailed:
    if _stub_speaks(answer):
        return CheckFailed("not written yet", outcome=Outcome.NOT_STARTED)
    facts: Mapping[str, Any] = answer.value
    kind, text = str(facts.get("type", "")), str(facts.get("text", ""))
    outcome = Outcome.OUT_OF_MEMORY if is_of_type(facts, MemoryError) else Outcome.CRASHED
    frames = [frame for frame in _list(facts.get("frames")) if isinstance(frame, list) and len(frame) == 2]
    place = f"line {frames[-1][0]}, in {frames[-1][1]}" if frames else ""
    failure = CheckFailed(f"{where}raised {kind}" + (f": {text}" if text else ""), outcome=outcome)
    failure.message = place
    if kind == "EOFError":
        failure.message += "\nThe grader types nothing: a function gets what it needs as arguments, not from input()."
    return failure


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _stub_speaks(answer: Answer) -> bool:
    """Whether it is the stub's own NotImplementedError, and nothing else."""
    facts = answer.value if isinstance(answer.value, dict) else {}
    return facts.get("type") == "NotImplementedError" and str(facts.get("text", "")).endswith(f": {NOT_WRITTEN}")


def _require_unchanged(after: Any, before: Any, what: str) -> None:
    found = difference(wire.without_functions(after), wire.without_functions(before))
    if found is not None:
        message = "The function changed what was passed in: " + found + "."
        raise CheckFailed(show(after), show(before), what=what, message=message)
