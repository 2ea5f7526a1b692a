"""Which known misconception a submission behaves exactly like, if any: rightly or not at all.

A misconception is run as a submission is, in a worker. It is named only if it agrees with the submission on every
failing call and on every probe (calls that the checks make of the solution, and calls beside those), and no other one
does. Most are ruled out by the first failing call; the probes are made only while one is left.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.course import Lesson
from grader.judge.behaviour import Behaviour, observe
from grader.judge.bench import Bench, Source
from grader.judge.boundaries import beside
from grader.judge.calls import Call
from grader.judge.candidates import Bundle, bundle, candidate_name
from grader.judge.checks import Finding
from grader.judge.launch import Launcher
from grader.judge.limits import Limits
from grader.judge.local import Local, load_module
from grader.judge.misconceptions import Misconception, load_misconceptions
from grader.judge.probes import Probe, distinct, looking_back, looks_at_rounds, record
from grader.judge.proxies import Proxy
from grader.judge.variations import numbers_in
from grader.results import Outcome

LIMITS = Limits(cpu_seconds=0.5, idle_seconds=2.0)
CALLS_PER_EXAMPLE = 8
EXAMPLES_PER_CHECK = 3
MOST_KEPT = 20_000  # behaviours of an exercise's misconceptions that are kept for other submissions
TIMEOUTS = 4  # calls without an end that are compared; more of them say no more, and take their time
MOST_TIMEOUTS = 20  # where a misconception has more, too little is known
REPEATED = 3  # failing calls made once more at the end: what depends on earlier calls is like nothing
RAISES = re.compile(r"^\s*Raises:\s*$(.*?)(?:^\s*[A-Z]\w+:\s*$|\Z)", re.MULTILINE | re.DOTALL)


@dataclass
class Exercise:
    """What there is to compare with in one exercise; serves any number of submissions.

    Attributes:
        known: Its misconceptions.
        bundle: The solution and every misconception.
        probes: Calls that the checks make.
        function: The solution's function or class.
        rounds: Whether the length of the schedule counts.
        seen: What misconceptions showed on probes, by number and call.
        ruled: Whether a probe's outcome is laid down, by call.
    """

    name: str
    known: Sequence[Misconception]
    bundle: Bundle
    probes: Sequence[Probe]
    function: Callable[..., object]
    rounds: bool
    seen: dict[tuple[int, str], Behaviour] = field(default_factory=dict)
    ruled: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        known: Sequence[Misconception],
        solution: Source,
        function: Callable[..., object],
        tests: Sequence[Callable[..., None]],
        reference: Proxy,
    ) -> Exercise:
        """Prepare an exercise.

        Args:
            name: The exercise.
            known: The lesson's misconceptions.
            solution: The lesson's solution.
            function: The solution's function or class of that name.
            tests: The exercise's checks.
            reference: The solution, to run the checks on.
        """
        own = [one for one in known if one.of == name]
        calls = record(tests, reference, reference)
        return cls(name, own, bundle(name, own, solution), calls, function, looks_at_rounds(tests))

    def errors(self) -> set[str]:
        """The exceptions that the docstring lists."""
        listed = RAISES.search(self.function.__doc__ or "")
        return set(re.findall(r"^\s*(\w+):", listed.group(1), re.MULTILINE)) if listed else set()


_prepared: dict[tuple[str, ...], Exercise] = {}


def prepared(name: str, lesson: Lesson, checks: Sequence[Path], tests: Sequence[Callable[..., None]]) -> Exercise:
    """An exercise of a lesson, prepared once for all submissions that are graded in this process.

    Args:
        name: The exercise.
        lesson: The lesson.
        checks: The files with its checks.
        tests: The exercise's checks.
    """
    files = [path for path in (lesson.solution, lesson.misconceptions, *checks) if path.exists()]
    contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    place = (name, *map(str, files), *contents, *(test.__name__ for test in tests))
    if place not in _prepared:
        module = load_module(lesson.solution, f"diagnosis_{lesson.name}_{contents[0]}")
        solution = Source(lesson.file_name, lesson.solution.read_bytes())
        known = load_misconceptions(lesson.misconceptions)
        _prepared[place] = Exercise.of(name, known, solution, getattr(module, name), tests, Proxy(Local(module)))
    return _prepared[place]


def failing_calls(findings: Sequence[Finding]) -> list[Probe]:
    """The calls of failing examples: those that did not end last, short ones first.

    Args:
        findings: Of each check the failing examples, the one to report last.
    """
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.body.__name__, []).append(finding)
    chosen = [finding for group in by_check.values() for finding in group[-EXAMPLES_PER_CHECK:]]
    calls = [(finding.failure.outcome is Outcome.TIMED_OUT, call) for finding in chosen for call in _calls(finding)]
    calls.sort(key=lambda each: (each[0], len(str(each[1]))))
    return distinct([Probe(looking_back(call)) for _, call in calls])


def _calls(finding: Finding) -> list[Call]:
    return finding.calls[-1:] + finding.calls[:-1][:CALLS_PER_EXAMPLE]


class Diagnosis:
    """One submission compared with the misconceptions of one exercise."""

    def __init__(
        self, exercise: Exercise, submission: Bench, launcher: Launcher, collectives: Mapping[str, Sequence[str]]
    ) -> None:
        """Compare the submission on its bench.

        Args:
            exercise: What to compare with.
            submission: The submission's bench.
            launcher: Where workers for the misconceptions come from.
            collectives: For each exercise, the collectives that it may use.
        """
        self._exercise, self._submission, self._launcher = exercise, submission, launcher
        names = [exercise.name, *map(candidate_name, range(len(exercise.known)))]
        self._collectives = dict.fromkeys(names, collectives.get(exercise.name, ()))
        self._bench: Bench | None = None
        self._timeouts = 0

    def name(self, failing: Sequence[Probe]) -> Misconception | None:
        """The one misconception that agrees with the submission on every call, or None.

        Args:
            failing: Calls on which the submission falls short.
        """
        self._submission.renew()
        self._submission.limits = LIMITS
        try:
            return self._named(failing)
        finally:
            self._submission.renew()
            if self._bench is not None:
                self._bench.renew()

    def _named(self, failing: Sequence[Probe]) -> Misconception | None:
        left = self._agreeing(list(range(len(self._exercise.known))), failing)
        if left:
            left = self._agreeing(left, self._exercise.probes, keep=True)
        if left:
            left = self._agreeing(left, self._beside(), keep=True)
        if len(left) == 1:
            self._submission.renew()
            left = self._agreeing(left, failing[:REPEATED][::-1])
        return self._exercise.known[left[0]] if len(left) == 1 else None

    def _beside(self) -> list[Probe]:
        text = self._submission.source.content.decode("utf-8", "replace")
        numbers = numbers_in(text, self._exercise.name) + self._exercise.bundle.numbers
        return beside(self._exercise.probes, self._exercise.function, numbers)

    def _agreeing(self, candidates: list[int], probes: Sequence[Probe], *, keep: bool = False) -> list[int]:
        """Those of the misconceptions that show what the submission shows; ``keep`` what they show for others."""
        for probe in probes:
            if not candidates or self._timeouts > MOST_TIMEOUTS:
                return []
            if self._timeouts >= TIMEOUTS and self._nobody_ends(candidates, probe, keep):
                continue
            shown = observe(self._submission, probe.call, rounds=self._exercise.rounds)
            self._timeouts += shown.timed_out
            same = [each for each in candidates if self._candidate(each, probe, keep).same_as(shown)]
            if len(same) < len(candidates) and self._is_laid_down(probe):
                candidates = same
        return candidates

    def _nobody_ends(self, candidates: list[int], probe: Probe, keep: bool) -> bool:
        late = all(self._candidate(each, probe, keep).timed_out for each in candidates)
        self._timeouts += late
        return late

    def _candidate(self, index: int, probe: Probe, keep: bool) -> Behaviour:
        place = (index, probe.key) if keep else (index, "")
        shown = self._exercise.seen.get(place) or self._observe(candidate_name(index), probe.call)
        if keep and len(self._exercise.seen) < MOST_KEPT:
            self._exercise.seen[place] = shown
        return shown

    def _observe(self, name: str, call: Call) -> Behaviour:
        if self._bench is None:
            self._bench = Bench(
                self._launcher, self._exercise.bundle.source, collectives=self._collectives, limits=LIMITS
            )
        return observe(self._bench, dataclasses.replace(call, name=name), rounds=self._exercise.rounds)

    def _is_laid_down(self, probe: Probe) -> bool:
        """Whether the docstring says what becomes of a call: the solution returns, or raises what is listed there."""
        if probe.known:
            return True
        if probe.key not in self._exercise.ruled:
            outcomes = set(self._observe(self._exercise.name, probe.call).outcomes) - {"failed"}
            returns = not probe.odd and outcomes == {"returned"}
            self._exercise.ruled[probe.key] = returns or (len(outcomes) == 1 and outcomes <= self._exercise.errors())
        return self._exercise.ruled[probe.key]
