"""``student`` and ``reference``: what a check calls. Both perform calls; they differ in where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.judge.calls import Answer, Call, Performer, Run, is_of_type, show
from grader.judge.compare import difference
from grader.judge.facts import trusted
from grader.judge.failures import CheckFailed, Unfinished
from grader.results import Outcome
from grader.worker import wire

NOT_WRITTEN = "not written yet"
HINTS = {
    "EOFError": "The grader types nothing: a function gets what it needs as arguments, not from input().",
    "ModuleNotFoundError": "The grader has numpy and the standard library; nothing else is needed.",
    "SystemExit": "The function ends the program, where it should return.",
}
MISFIT = "The call does not fit the function's parameters: keep their names and order as the stub has them."


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
        _require_unchanged(answer.arguments, (positional, keywords))
        return value

    def on_ranks(self, per_rank: Sequence[Any], *shared: Any, rendezvous: bool = False, **keywords: Any) -> Run:
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
            _require_unchanged(arguments, before, f" on rank {rank}")
        return run

    def sequence(self, init: Sequence[Any], steps: Sequence[Sequence[Any]], **keywords: Any) -> list[Any]:
        """Construct it and use it: each step is (method, arguments …); returns what each step returned."""
        plan: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
        plan = tuple((step[0], tuple(step[1:]), {}) for step in steps)
        outcomes = value_of(self._perform(Call(self._name, tuple(init), keywords, steps=plan)))
        results = []
        for (name, _, _), (kind, value) in zip(plan, outcomes, strict=True):
            if kind == "raised":
                raise _crash(Answer("raised", trusted(value)), f"{name}() ")
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
        return CheckFailed(returned, outcome=Outcome.TIMED_OUT, message=_why_late(answer))
    if answer.kind == "deadlock":
        return CheckFailed("every rank waits: " + answer.value, "every rank returns", what="what the ranks did")
    if answer.kind == "forged":
        return CheckFailed(f"{where}sent what is not an answer: {answer.value}", outcome=Outcome.CRASHED)
    return CheckFailed(f"{where}returned nothing: {answer.value}", outcome=Outcome.CRASHED)


def _why_late(answer: Answer) -> str:
    """A guess at why a call does not end, and what other ranks had raised before."""
    waits = str(answer.value).endswith("of waiting")
    guess = "Does it sleep, or wait for something that never comes?" if waits else "Is there a loop that does not end?"
    errors = answer.run.errors if answer.run is not None else {}
    earlier = [f"Before that, rank {rank} raised {errors[rank]['type']}." for rank in sorted(errors)[:1]]
    return "\n".join([guess, *earlier])


def _crash(answer: Answer, where: str) -> CheckFailed:
    if _stub_speaks(answer):
        return CheckFailed("not written yet", outcome=Outcome.NOT_STARTED)
    facts: Mapping[str, Any] = answer.value
    kind, text, frames = facts["type"], facts["text"], facts["frames"]
    outcome = Outcome.OUT_OF_MEMORY if is_of_type(facts, MemoryError) else Outcome.CRASHED
    failure = CheckFailed(f"{where}raised {kind}" + (f": {text}" if text else ""), outcome=outcome)
    place = f"line {frames[-1][0]}, in {frames[-1][1]}" if frames else ""
    hint = MISFIT if kind == "TypeError" and not frames else HINTS.get(kind, "")
    failure.message = "\n".join(part for part in (place, hint) if part)
    return failure


def _stub_speaks(answer: Answer) -> bool:
    """Whether it is the stub's own NotImplementedError, and nothing else."""
    facts = answer.value if isinstance(answer.value, dict) else {}
    return facts.get("type") == "NotImplementedError" and str(facts.get("text", "")).endswith(f": {NOT_WRITTEN}")


def _require_unchanged(after: Any, before: tuple[Sequence[Any], Mapping[str, Any]], where: str = "") -> None:
    """Expect arguments, as (positional, keywords), to be what they were; ``where`` names the rank."""
    after, before = wire.without_functions(after), wire.without_functions(before)
    if difference(after, before) is None:
        return
    for name, now, then in _arguments(after, before):
        found = difference(now, then)
        if found is not None:
            message = f"The function changed {name}{where}: {found} as before. Work on a copy."
            raise CheckFailed(show(now), show(then), what=f"{name}{where} after the call", message=message)
    raise CheckFailed(show(after), show(before), what=f"its arguments{where} after the call")


def _arguments(after: Any, before: Any) -> list[tuple[str, Any, Any]]:
    """Name, value after the call and value before, of every argument that is still there."""
    (positional, keywords), (own, named) = after, before
    pairs = [(f"its argument {number}", *pair) for number, pair in enumerate(zip(positional, own, strict=False), 1)]
    return [*pairs, *((f"its argument {name}", keywords[name], named[name]) for name in named if name in keywords)]
