"""``@check``: what a check declares, and the search for the smallest case in which a submission falls short."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, TypeVar

from grader.judge.calls import Call
from grader.judge.determinism import deterministic
from grader.judge.expectations import accepted, held
from grader.judge.failures import RETURNS_NONE, CheckFailed, Unfinished
from grader.judge.workers import WorkerUnavailable
from grader.results import Outcome

# Examples tried after the first failure: a count, never seconds, so that grades don't depend on speed.
SHRINK_CALLS = 200
STUMBLED_CHARACTERS = 500
MOST_SHOWN = 8  # calls of one failing example

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class CheckFacts:
    """What a check declares.

    Attributes:
        name: The test's name.
        exercise: Which exercise it belongs to.
        points: What it is worth.
        sentence: The test's docstring: a statement that is true of every right implementation.
        outcome: A learning outcome of its own, or "" for the exercise's.
        examples: How many examples are drawn.
        seconds: CPU time of one call.
    """

    name: str
    exercise: str
    points: float
    sentence: str
    outcome: str = ""
    examples: int = 40
    seconds: float = 2.0


@dataclass
class Finding:
    """A failing example.

    Attributes:
        arguments: What the check was called with, fixtures aside.
        failure: What did not hold.
        calls: The calls that were made, the failing one last.
        shown: Those that the failure is about: the last one, or all since the last comparison that held.
        body: The check's own function, to run it again.
    """

    arguments: dict[str, Any]
    failure: CheckFailed
    calls: list[Call]
    body: Callable[..., Any]
    shown: list[Call] = field(default_factory=list)


class SearchEnds(BaseException):
    """The search of a check is over, whatever hypothesis would still like to try."""


class Examples(Protocol):
    """What runs the examples of a check; without one the check is an ordinary test."""

    def run(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """Run one example."""


current: ContextVar[Examples | None] = ContextVar("current", default=None)


def check(
    exercise: str, *, points: float, outcome: str = "", examples: int = 40, seconds: float = 2.0
) -> Callable[[Test], Test]:
    """Declare a test to be a check; stands outermost, above ``@given``.

    Args:
        exercise: The exercise it belongs to.
        points: What it is worth.
        outcome: A learning outcome, where it is another than the exercise's.
        examples: How many examples ``@given`` draws.
        seconds: CPU time that one call may take.
    """

    def declare(test: Test) -> Test:
        sentence = " ".join((inspect.getdoc(test) or "").split())
        if not sentence:
            raise ValueError(f"{test.__name__}: a check needs a docstring, the sentence that students read")
        facts = CheckFacts(test.__name__, exercise, points, sentence, outcome, examples, seconds)
        handle = getattr(test, "hypothesis", None)
        if handle is not None:
            handle.inner_test = _guarded(handle.inner_test)
            test = deterministic(examples)(test)
        else:
            test = _guarded(test)
        test.__check__ = facts  # type: ignore[attr-defined]
        return test

    return declare


def _guarded(body: Test) -> Test:
    """The body of a check, run through whatever runs the examples at the moment."""

    @functools.wraps(body)
    def guarded(**arguments: Any) -> None:
        runner = current.get()
        if runner is None:
            body(**arguments)
        else:
            runner.run(body, arguments)

    return guarded  # type: ignore[return-value]


@dataclass
class Search:
    """One check's search: counts calls, keeps the smallest failing example, and knows when to stop.

    Attributes:
        stand_in: Runs an example against the solution, to tell a defect of the check from one of the submission; None
            where there is no solution.
        shrink_calls: Examples to try after the first failure, in search of a smaller one.
        finding: The failing example to report, or None.
        broken: What is wrong on our side, so that the check can't decide, or "".
        calls: Those of the example that is running.
        count: How many calls were made in all.
    """

    stand_in: Callable[[Callable[..., Any], dict[str, Any]], None] | None = None
    shrink_calls: int = SHRINK_CALLS
    finding: Finding | None = None
    broken: str = ""
    calls: list[Call] = field(default_factory=list)
    count: int = 0
    failures: list[Finding] = field(default_factory=list)
    _after_failure: int = 0
    _settled: int = 0

    def watch(self, call: Call) -> None:
        """Note a call of the running example."""
        self.calls.append(call)
        self.count += 1

    def settle(self) -> None:
        """Note that a comparison held: the calls so far are right as far as this example goes."""
        self._settled = len(self.calls)

    def run(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """Run one example; see ``Examples``."""
        if self.finding is not None:
            self._after_failure += 1
            if self._after_failure > self.shrink_calls:
                raise SearchEnds
        self.calls, self._settled = [], 0
        hears = held.set(self.settle)
        try:
            self.example(body, arguments)
        except WorkerUnavailable as error:
            self._break(error)
        except CheckFailed as failure:
            if self.finding is None:
                self._try_solution(body, arguments)
            self._keep(body, arguments, failure)
            raise
        except Unfinished as unfinished:
            self._keep(body, arguments, unfinished.failure)
            raise
        finally:
            held.reset(hears)

    def example(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        """Run the body; an error of its own is turned into what it means.

        Raises:
            CheckFailed: If what came back made the check itself stumble, which the solution's result does not.
            SearchEnds: If the check stumbles over the solution too: it is the check that is wrong.
        """
        try:
            body(**arguments)
        except (CheckFailed, Unfinished):
            raise
        except Exception as error:
            if isinstance(error, WorkerUnavailable) or type(error).__module__.startswith("hypothesis"):
                raise  # our fault; or how hypothesis rejects an example
            self._try_solution(body, arguments, error)
            raise CheckFailed("a result of another form", FORM, message=_stumbled(error)) from error

    def _try_solution(
        self, body: Callable[..., Any], arguments: dict[str, Any], stumbled: Exception | None = None
    ) -> None:
        """End the search if the solution falls short in this example too: then it proves nothing of a submission."""
        if self.stand_in is None:
            return
        note, hear = accepted.set(None), held.set(None)
        try:
            self.stand_in(body, arguments)
        except (Exception, Unfinished) as error:
            self._break(stumbled or error)
        finally:
            accepted.reset(note)
            held.reset(hear)

    def _break(self, error: BaseException) -> NoReturn:
        self.broken = "".join(traceback.format_exception(error))
        raise SearchEnds from error

    def _keep(self, body: Callable[..., Any], arguments: dict[str, Any], failure: CheckFailed) -> None:
        drawn = {name: value for name, value in arguments.items() if name not in FIXTURES}
        found = Finding(drawn, failure, self.calls, body, self._about(failure))
        self.failures.append(found)
        if self.finding is None or _size(found) <= _size(self.finding) or failure.outcome is Outcome.TIMED_OUT:
            self.finding = found

    def _about(self, failure: CheckFailed) -> list[Call]:
        """The calls that a failure is about."""
        if not failure.compared:
            return self.calls[-1:]
        return (self.calls[self._settled :] or self.calls)[-MOST_SHOWN:]


FIXTURES = ("student", "reference")
FORM = "what the docstring describes"


def _stumbled(error: Exception) -> str:
    """What to say of a result over which the check itself stumbles."""
    said = f"{type(error).__name__}: {error}"[:STUMBLED_CHARACTERS]
    none = f" {RETURNS_NONE}" if "NoneType" in said else ""
    return f"What came back is not of the form that the docstring describes (looking at it: {said}).{none}"


def _size(finding: Finding) -> int:
    """How long the failing call is to read."""
    return len(str(finding.calls[-1])) if finding.calls else 0
