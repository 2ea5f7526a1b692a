"""Which known misconception a submission behaves exactly like, if any: rightly or not at all.

A misconception is run as a submission is, in a worker. It is named only if it agrees with the submission on every
failing call and on every probe (calls that the checks make of the solution, and calls beside those), and no other one
does. Most are ruled out by the first failing call; the probes are made only while one is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.judge.behaviour import observe
from grader.judge.bench import Bench
from grader.judge.calls import Call
from grader.judge.checks import Finding
from grader.judge.known import LIMITS, Candidates, Exercise
from grader.judge.misconceptions import Misconception
from grader.judge.probes import Probe, distinct, looking_back
from grader.judge.variations import numbers_in
from grader.judge.workers import Launcher
from grader.results import Outcome

CALLS_PER_EXAMPLE = 8
EXAMPLES_PER_CHECK = 3
TIMEOUTS = 4  # calls without an end that are compared; more of them say no more, and take their time
MOST_TIMEOUTS = 12  # where a misconception has more, too little is known
REPEATED = 3  # failing calls made once more at the end: what depends on earlier calls is like nothing


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
        self._exercise, self._submission = exercise, submission
        self._candidates = Candidates(exercise, launcher, collectives)
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
            self._candidates.close()

    def _named(self, failing: Sequence[Probe]) -> Misconception | None:
        left = self._agreeing(list(range(len(self._exercise.known))), failing)
        if left:
            left = self._agreeing(left, self._exercise.probes, keep=True)
        if left:
            text = self._submission.source.content.decode("utf-8", "replace")
            left = self._agreeing(left, self._exercise.beside(numbers_in(text, self._exercise.name)), keep=True)
        if len(left) == 1:
            self._submission.renew()
            left = self._agreeing(left, failing[:REPEATED][::-1])
        return self._exercise.known[left[0]] if len(left) == 1 else None

    def _agreeing(self, left: list[int], probes: Sequence[Probe], *, keep: bool = False) -> list[int]:
        """Those of the misconceptions that show what the submission shows; ``keep`` what they show for others."""
        for probe in probes:
            if not left or self._timeouts > MOST_TIMEOUTS:
                return []
            if self._timeouts >= TIMEOUTS and self._nobody_ends(left, probe, keep):
                continue
            shown = observe(self._submission, probe.call, rounds=self._exercise.rounds)
            self._timeouts += shown.timed_out
            same = [each for each in left if self._candidates.show(each, probe, keep=keep).same_as(shown)]
            if len(same) < len(left) and self._candidates.is_laid_down(probe):
                left = same
        return left

    def _nobody_ends(self, left: Sequence[int], probe: Probe, keep: bool) -> bool:
        late = all(self._candidates.show(each, probe, keep=keep).timed_out for each in left)
        self._timeouts += late
        return late


def alike(
    exercise: Exercise, launcher: Launcher, collectives: Mapping[str, Sequence[str]]
) -> list[tuple[Misconception, Misconception]]:
    """Misconceptions that no probe tells apart, so that neither can ever be named.

    Args:
        exercise: The exercise.
        launcher: Where workers come from.
        collectives: For each exercise, the collectives that it may use.
    """
    candidates = Candidates(exercise, launcher, collectives)
    groups = [list(range(len(exercise.known)))]
    try:
        for probe in [*exercise.probes, *exercise.beside()]:
            groups = [part for group in groups for part in _parts(candidates, group, probe)]
            if not groups:
                break
    finally:
        candidates.close()
    return [(exercise.known[group[0]], exercise.known[other]) for group in groups for other in group[1:]]


def _parts(candidates: Candidates, group: Sequence[int], probe: Probe) -> list[list[int]]:
    """A group of misconceptions divided by what they show; those that stand alone are left out."""
    parts: list[list[int]] = []
    shown = {each: candidates.show(each, probe, keep=False) for each in group}
    for each in group:
        like = next((part for part in parts if shown[part[0]].same_as(shown[each])), None)
        if like is None:
            parts.append([each])
        else:
            like.append(each)
    if len(parts) > 1 and not candidates.is_laid_down(probe):
        parts = [list(group)]
    return [part for part in parts if len(part) > 1]
