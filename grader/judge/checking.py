"""Running the checks of one submission, one after the other, and what became of each."""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.judge.bench import Bench
from grader.judge.budget import CPU_SECONDS, Budget
from grader.judge.calls import Call
from grader.judge.checks import SHRINK_CALLS, CheckFacts, Finding, Search, SearchEnds, current
from grader.judge.expectations import accepted
from grader.judge.failures import CheckFailed, Unfinished
from grader.judge.limits import Limits
from grader.judge.proxies import Proxy
from grader.judge.slowness import may_be_slow
from grader.results import Outcome

TIMEOUTS_PER_EXERCISE = 2
TIMED_OUT_TWICE = "Not called: two checks of this exercise have timed out already."
USED_UP = "Not called: the checks of this exercise have used up their time."


@dataclass
class CheckRun:
    """One check and what became of it.

    Attributes:
        finding: The failing example, or None.
        failures: Every failing example that was met, for the diagnosis.
        broken: Our own error, where the check could not decide.
        skipped: Whether it was decided without a call.
        why: Why it was, where that needs to be said.
        accepted: What was accepted though it was not as asked.
        slow: Calls of one example, where calls take so long that a student might notice.
    """

    facts: CheckFacts
    visibility: str
    outcome: Outcome
    finding: Finding | None = None
    failures: list[Finding] = field(default_factory=list)
    broken: str = ""
    skipped: bool = False
    why: str = ""
    accepted: list[str] = field(default_factory=list)
    slow: list[Call] = field(default_factory=list)
    printed: tuple[str, ...] = ()
    calls: int = 0
    seconds: float = 0.0


class Checking:
    """The checks of a submission on its bench; a ``Runner`` for ``session.run_checks``.

    Attributes:
        runs: What became of each check, in the order in which they ran.
        notes: For each exercise, what was accepted though it was not as asked.
    """

    def __init__(
        self,
        bench: Bench,
        reference: Proxy | None,
        *,
        exercises: Sequence[str],
        only: str | None = None,
        shrink: bool = True,
    ) -> None:
        """Check ``exercises`` (or ``only`` one of them) of the submission on ``bench``.

        Without ``shrink`` the first failing example of a check is enough.
        """
        self._bench, self._reference, self._only, self._shrink = bench, reference, only, shrink
        self._exercises = tuple(exercises)
        self._search = Search()
        self._budget = Budget(bench.cpu_seconds)
        self._limited = True
        self.student = Proxy(bench, self._watch)
        self.runs: list[CheckRun] = []
        self.notes: dict[str, list[str]] = {}
        self._timeouts: Counter[str] = Counter()
        self._not_started: set[str] = set()

    def _watch(self, call: Call) -> None:
        """Note a call that is about to be made; one too many is not."""
        if self._limited and self._budget.used_up():
            if self._search.finding is not None:
                raise SearchEnds
            message = f"Each call ends in time, but all of this exercise together take more than {CPU_SECONDS:g} s."
            raise Unfinished(CheckFailed("took too long in all", outcome=Outcome.TIMED_OUT, message=message))
        self._search.watch(call)

    def wants(self, facts: CheckFacts) -> bool:
        """Whether a check belongs to what is graded."""
        return self._only is None or facts.exercise == self._only

    def run(self, test: Callable[..., None], facts: CheckFacts, visibility: str, fixtures: dict[str, Any]) -> None:
        """Run one check."""
        run = self._without_calls(facts, visibility)
        if run is None:
            self._bench.renew()
            self._budget.begin(facts.exercise)
            run = self._with_calls(test, facts, visibility, fixtures)
            self._budget.end()
        self.runs.append(run)
        if run.outcome is Outcome.TIMED_OUT and not run.skipped:
            self._timeouts[facts.exercise] += 1
        if run.outcome is Outcome.NOT_STARTED:
            self._not_started.add(facts.exercise)

    def _without_calls(self, facts: CheckFacts, visibility: str) -> CheckRun | None:
        """What needs no call: nothing loads, there is no such function, it is the stub, or it hangs."""
        if self._bench.problem is not None:
            return CheckRun(facts, visibility, Outcome.CRASHED, skipped=True)
        if facts.exercise not in self._bench.callables:
            outcome = Outcome.CRASHED if self.nearest(facts.exercise) else Outcome.NOT_STARTED
            return CheckRun(facts, visibility, outcome, skipped=True)
        if facts.exercise in self._not_started and not self._has_started(facts.exercise):
            return CheckRun(facts, visibility, Outcome.NOT_STARTED, skipped=True)
        if self._timeouts[facts.exercise] >= TIMEOUTS_PER_EXERCISE:
            return CheckRun(facts, visibility, Outcome.TIMED_OUT, skipped=True, why=TIMED_OUT_TWICE)
        if self._budget.was_used_up(facts.exercise):
            return CheckRun(facts, visibility, Outcome.TIMED_OUT, skipped=True, why=USED_UP)
        return None

    def _has_started(self, exercise: str) -> bool:
        return any(r.outcome is not Outcome.NOT_STARTED for r in self.runs if r.facts.exercise == exercise)

    def nearest(self, exercise: str) -> str:
        """A name in the submission that may be meant for a missing exercise; "" if there is none."""
        others = [name for name in self._bench.callables if name not in self._exercises]
        return next(iter(difflib.get_close_matches(exercise, others, 1, 0.8)), "")

    def _with_calls(
        self, test: Callable[..., None], facts: CheckFacts, visibility: str, fixtures: dict[str, Any]
    ) -> CheckRun:
        self._bench.limits = Limits(cpu_seconds=facts.seconds)
        stand_in = self._stand_in if self._reference is not None else None
        self._search = search = Search(stand_in, SHRINK_CALLS if self._shrink else 0)
        began = time.perf_counter()
        broken = ""
        notes: list[str] = []
        runner, noted = current.set(search), accepted.set(notes.append)
        try:
            test(**fixtures)
        except (CheckFailed, Unfinished, SearchEnds):
            pass
        except Exception as error:  # hypothesis speaks of flaky examples, which the replay looks into
            if search.finding is None:
                broken = f"{type(error).__name__}: {error}"
        finally:
            current.reset(runner)
            accepted.reset(noted)
            self._note(facts.exercise, notes)
        took = time.perf_counter() - began
        finding = search.finding
        if finding is not None and not search.broken and self._shrink:
            finding.failure = self._again(finding, fixtures)
        outcome = finding.failure.outcome if finding is not None else Outcome.PASSED
        broken = search.broken or broken
        return CheckRun(
            facts,
            visibility,
            Outcome.UNGRADED if broken else outcome,
            finding,
            search.failures,
            broken,
            accepted=notes,
            slow=search.calls if finding is None and may_be_slow(took, search.count) else [],
            printed=self._bench.printed if finding is not None else (),
            calls=search.count,
            seconds=time.perf_counter() - began,
        )

    def _again(self, finding: Finding, fixtures: dict[str, Any]) -> CheckFailed:
        """The failing example once more, in fresh workers: does it fail there too?"""
        if finding.failure.outcome in (Outcome.TIMED_OUT, Outcome.NOT_STARTED):
            return finding.failure
        self._bench.renew()
        search = Search()
        self._search, self._limited = search, False
        try:
            search.example(finding.body, {**fixtures, **finding.arguments})
        except CheckFailed as failure:
            return failure
        except Unfinished as unfinished:
            return unfinished.failure
        except Exception:
            return finding.failure
        finally:
            self._limited = True
        message = (
            "In a fresh process the same call gives the right answer: what comes back depends on earlier calls, or on "
            "chance. A result may depend on the arguments alone; look for what is kept between calls."
        )
        return CheckFailed("gives different answers to the same call", message=message)

    def _stand_in(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        body(**{name: self._reference if name == "student" else value for name, value in arguments.items()})

    def _note(self, exercise: str, notes: Sequence[str]) -> None:
        self.notes[exercise] = list(dict.fromkeys([*self.notes.get(exercise, ()), *notes]))
