"""The misconceptions of an exercise, made ready to be run and compared with any number of submissions."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
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
from grader.judge.limits import Limits
from grader.judge.local import Local, load_module
from grader.judge.misconceptions import Misconception, load_misconceptions
from grader.judge.probes import Probe, effort, looks_at_rounds, record
from grader.judge.proxies import Proxy
from grader.judge.workers import Launcher

LIMITS = Limits(cpu_seconds=0.5, idle_seconds=2.0)
MOST_KEPT = 20_000  # behaviours of an exercise's misconceptions that are kept for other submissions
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
        effort: Which share of the usual number of probes to make.
        seen: What misconceptions showed on probes, by number and call.
        ruled: Whether a probe's outcome is laid down, by call.
    """

    name: str
    known: Sequence[Misconception]
    bundle: Bundle
    probes: Sequence[Probe]
    function: Callable[..., object]
    rounds: bool
    effort: float = 1.0
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
        return cls(name, own, bundle(name, own, solution), calls, function, looks_at_rounds(tests), effort(tests))

    def beside(self, numbers: Sequence[float] = ()) -> list[Probe]:
        """Probes beside the calls that checks make; ``numbers`` are those of a submission."""
        return beside(self.probes, self.function, numbers, self.bundle.numbers, self.effort)

    def errors(self) -> set[str]:
        """The exceptions that the docstring lists, or those of a class and its methods."""
        methods = vars(self.function).values() if isinstance(self.function, type) else ()
        texts = [inspect.getdoc(each) or "" for each in (self.function, *methods)]
        lists = [listed.group(1) for text in texts for listed in RAISES.finditer(text)]
        return {name for text in lists for name in re.findall(r"^\s*(\w+):", text, re.MULTILINE)}


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


class Candidates:
    """The misconceptions of an exercise in workers, which start when the first call is made."""

    def __init__(self, exercise: Exercise, launcher: Launcher, collectives: Mapping[str, Sequence[str]]) -> None:
        """Run them.

        Args:
            exercise: The exercise.
            launcher: Where workers come from.
            collectives: For each exercise, the collectives that it may use.
        """
        self._exercise, self._launcher = exercise, launcher
        names = [exercise.name, *map(candidate_name, range(len(exercise.known)))]
        self._collectives = dict.fromkeys(names, collectives.get(exercise.name, ()))
        self._bench: Bench | None = None

    def close(self) -> None:
        """End the workers."""
        if self._bench is not None:
            self._bench.renew()

    def show(self, index: int, probe: Probe, *, keep: bool) -> Behaviour:
        """What the misconception with this number shows; ``keep`` that for the next time."""
        if not keep:
            return self._observe(candidate_name(index), probe.call)
        shown = self._exercise.seen.get((index, probe.key)) or self._observe(candidate_name(index), probe.call)
        if len(self._exercise.seen) < MOST_KEPT:
            self._exercise.seen[index, probe.key] = shown
        return shown

    def is_laid_down(self, probe: Probe) -> bool:
        """Whether the docstring says what becomes of a call: the solution returns, or raises what is listed there."""
        if probe.known:
            return True
        if probe.key not in self._exercise.ruled:
            self._exercise.ruled[probe.key] = self._rules(probe)
        return self._exercise.ruled[probe.key]

    def _rules(self, probe: Probe) -> bool:
        shown, listed = self._observe(self._exercise.name, probe.call), self._exercise.errors()
        outcomes = set(shown.outcomes) - {"failed"}
        if outcomes != {"returned"}:
            return len(outcomes) == 1 and outcomes <= listed
        steps = shown.value if probe.call.steps is not None else ()
        refused = {error for kind, error in steps if kind == "raised"}
        return refused <= listed and (bool(refused) or not probe.odd)

    def _observe(self, name: str, call: Call) -> Behaviour:
        if self._bench is None:
            source = self._exercise.bundle.source
            self._bench = Bench(self._launcher, source, collectives=self._collectives, limits=LIMITS)
            if self._bench.problem is not None:
                raise RuntimeError(f"the misconceptions of {self._exercise.name} do not load: {self._bench.problem}")
        return observe(self._bench, dataclasses.replace(call, name=name), rounds=self._exercise.rounds)
