"""Grading one submission of one lesson: checks, diagnosis, and the result over the manifest."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import grader
from grader.course import Lesson
from grader.judge.bench import Bench, Source
from grader.judge.checking import Checking, CheckRun
from grader.judge.checks import CheckFacts
from grader.judge.limits import Limits
from grader.judge.proxies import Proxy
from grader.judge.workers import Launcher
from grader.manifest import Manifest, ManifestExercise
from grader.results import (
    CheckResult,
    ExerciseResult,
    Feedback,
    LessonResult,
    Misconception,
    Outcome,
    Submission,
    exercise_outcome,
)


@dataclass
class Options:
    """How to grade.

    Attributes:
        feedback: How much of a failed hidden check is told.
        only: One exercise, or None for all.
        state: Where failing cases are kept for replay; None keeps none.
        diagnose: Whether misconceptions are looked for.
        progress: Hears the name of each exercise when its first check begins.
        fault: Hears of an error of ours in the diagnosis, which must not cost a grade; None raises it.
        so_far: Gets the result after every check, with the checks to come as not graded; for whom may be killed.
    """

    feedback: Feedback = Feedback.FULL
    only: str | None = None
    state: Path | None = None
    diagnose: bool = True
    progress: Callable[[str], None] = field(default=lambda exercise: None)
    so_far: Callable[[LessonResult], None] | None = None
    fault: Callable[[Exception], None] | None = None


def grade(lesson: Lesson, source: Source, launcher: Launcher, options: Options, *, path: str = "") -> LessonResult:
    """Grade a submission.

    Args:
        lesson: The lesson.
        source: The submission.
        launcher: Where workers come from; imports go on while its first worker starts.
        options: How to grade.
        path: Where the submission lies, for replays.
    """
    return _Grading(lesson, manifest_of(lesson), source, launcher, options, path).grade()


def manifest_of(lesson: Lesson) -> Manifest:
    """The lesson's manifest, with that of a private overlay where there is one."""
    manifest = Manifest.load(lesson.manifest_path)
    private = lesson.private_manifest_path
    return manifest.merged_with(Manifest.load(private)) if private is not None and private.exists() else manifest


def nothing_to_grade(lesson: Lesson, why: str) -> LessonResult:
    """The result of a submission that holds no file of the lesson: no points, and the reason."""
    manifest = manifest_of(lesson)
    return LessonResult(
        lesson=lesson.name,
        title=manifest.title,
        submission=Submission(lesson.file_name, ""),
        confinement="none",
        points=0.0,
        max_points=manifest.max_points,
        seconds=0.0,
        exercises=(),
        problem=why,
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """What a grade depends on beside the submission and the course."""
    import hypothesis

    return {
        "grader": grader.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "hypothesis": hypothesis.__version__,
    }


class _Grading:
    """One submission while it is graded."""

    def __init__(
        self, lesson: Lesson, manifest: Manifest, source: Source, launcher: Launcher, options: Options, path: str
    ) -> None:
        from grader.judge.determinism import draw_no_constants_from_modules

        draw_no_constants_from_modules()
        self.began = time.perf_counter()
        self.lesson, self.manifest, self.source, self.options, self.path = lesson, manifest, source, options, path
        self.launcher = launcher
        self.collectives = {exercise.name: exercise.collectives for exercise in manifest.exercises}
        self.names = [exercise.name for exercise in manifest.exercises]
        self.wanted = [e for e in manifest.exercises if options.only in (None, e.name)]
        self.bench = self._bench(source, Limits(), ahead=True)
        self.solution = self._load_solution()
        self.checking = Checking(self.bench, self.solution, exercises=self.names, only=options.only)
        self.tests: dict[str, list[Callable[..., None]]] = {name: [] for name in self.names}
        listed = (lesson.public_checks, lesson.hidden_checks, lesson.private_checks)
        self.files = [path for path in listed if path is not None and path.exists()]
        if self.solution is None:
            self.files = [path for path in self.files if path == lesson.public_checks]
        self.visibilities = tuple(dict.fromkeys(path.parent.name for path in self.files))
        self.errors: list[str] = []
        self.finished = False

    def _bench(self, source: Source, limits: Limits, *, ahead: bool = False) -> Bench:
        return Bench(self.launcher, source, collectives=self.collectives, limits=limits, ahead=ahead)

    def _load_solution(self) -> Proxy | None:
        if not self.lesson.solution.exists():
            return None
        from grader.judge.local import Local, load_module

        return Proxy(Local(load_module(self.lesson.solution)))

    def grade(self) -> LessonResult:
        """Run the checks and say what became of each exercise."""
        self._run_checks()
        self.finished = True
        result = self.result()
        self.bench.close()
        return result

    def result(self) -> LessonResult:
        """The result of the checks that have run; diagnoses come when all have."""
        by_exercise: dict[str, list[CheckRun]] = {exercise.name: [] for exercise in self.wanted}
        for run in self.checking.runs:
            by_exercise.setdefault(run.facts.exercise, []).append(run)
        exercises = tuple(self._exercise(exercise, by_exercise[exercise.name]) for exercise in self.wanted)
        return LessonResult(
            lesson=self.lesson.name,
            title=self.manifest.title,
            submission=Submission(self.source.file, self.source.sha256),
            confinement=self.launcher.level.value,
            points=sum(exercise.points for exercise in exercises),
            max_points=sum(exercise.max_points for exercise in exercises),
            seconds=round(time.perf_counter() - self.began, 3),
            exercises=exercises,
            visibilities=self.visibilities,
            feedback=self.options.feedback,
            problem=self.problem(),
            versions=versions(),
        )

    def _run_checks(self) -> None:
        from grader.judge.session import Plugin, run_checks

        plugin = Plugin(self, self.checking.student, self.solution)
        self._run_examples()
        if self.files:
            self.errors = run_checks(self.files, plugin)

    def _run_examples(self) -> None:
        """The docstring examples, each exercise's first public check."""
        from grader.judge.examples import examples_check

        for exercise in self.wanted:
            listed = [(example.source, example.result) for example in exercise.examples]
            test = examples_check(exercise.name, self.names, listed)
            facts = test.__check__  # type: ignore[attr-defined]
            self.run(test, facts, "public", {"student": self.checking.student})

    # --- a Runner for pytest ---

    def wants(self, facts: CheckFacts) -> bool:
        """Whether a collected check belongs to what is graded."""
        return self.checking.wants(facts)

    def run(self, test: Callable[..., None], facts: CheckFacts, visibility: str, fixtures: dict[str, Any]) -> None:
        """Run one check."""
        if not self.tests.get(facts.exercise):
            self.options.progress(facts.exercise)
        self.tests.setdefault(facts.exercise, []).append(test)
        self.checking.run(test, facts, visibility, fixtures)
        if self.options.so_far is not None:
            self.options.so_far(self.result())

    # --- results ---

    def _exercise(self, exercise: ManifestExercise, runs: Sequence[CheckRun]) -> ExerciseResult:
        checks = self._checks(exercise, runs)
        outcome = exercise_outcome(check.outcome for check in checks)
        known = self._diagnosis(exercise.name, runs, outcome)
        return ExerciseResult(
            name=exercise.name,
            outcome=outcome,
            points=sum(check.points for check in checks),
            max_points=exercise.max_points,
            minutes=exercise.minutes,
            core=exercise.core,
            learning_outcome=exercise.outcome,
            misconception=known,
            checks=checks,
            notes=(*self._missing(exercise.name), *self._accepted(exercise.name), *self._slow(outcome, runs)),
        )

    def _checks(self, exercise: ManifestExercise, runs: Sequence[CheckRun]) -> tuple[CheckResult, ...]:
        """The results of the checks that the manifest lists; one that did not run exactly once is not a pass."""
        found: dict[tuple[str, str], list[CheckRun]] = {}
        for run in runs:
            found.setdefault((run.facts.name, run.visibility), []).append(run)
        results = []
        for listed in exercise.checks:
            if listed.visibility not in self.visibilities and listed.visibility != "public":
                continue
            matching = found.pop((listed.name, listed.visibility), [])
            if len(matching) == 1 and matching[0].facts.points == listed.points:
                results.append(self._result(matching[0]))
            else:
                results.append(self._absent(listed.name, listed.visibility, listed.sentence, listed.points))
        for name, visibility in found if self.finished else ():
            self.errors.append(f"{name} ({visibility}) is not in the manifest: grade prove --update writes it anew")
        return tuple(results)

    def _absent(self, name: str, visibility: str, sentence: str, points: float) -> CheckResult:
        message = "This check did not run as the manifest lists it; that is the grader's fault and costs nothing."
        if not self.finished:
            message = "This check has not run yet."
        if self.errors and self.options.feedback is Feedback.FULL:
            message += "\n" + self.errors[0][-1500:]
        return CheckResult(name, sentence, visibility, Outcome.UNGRADED, 0.0, points, message)

    def _result(self, run: CheckRun) -> CheckResult:
        from grader.judge.feedback import check_result

        return check_result(run, self.source, self.options.feedback, self._replay(run))

    def _replay(self, run: CheckRun) -> str | None:
        if run.finding is None or self.options.state is None or run.outcome is Outcome.NOT_STARTED:
            return None
        from grader.judge.replays import Replay, keep

        facts = run.facts
        arguments = run.finding.arguments
        case = Replay(self.lesson.name, facts.exercise, facts.name, run.visibility, self.path, arguments)
        return keep(self.options.state, case)

    def _missing(self, exercise: str) -> list[str]:
        if self.bench.problem is not None or exercise in self.bench.callables:
            return []
        near = self.checking.nearest(exercise)
        if not near and not set(self.names) & set(self.bench.callables):
            first = exercise == self.wanted[0].name
            return [f"{self.source.file} defines none of the lesson's functions"] if first else []
        guess = f"; is it {near}?" if near else ""
        return [f"{self.source.file} defines no function {exercise}{guess}"]

    def _accepted(self, exercise: str) -> list[str]:
        return [f"accepted {note}" for note in self.checking.notes.get(exercise, ())]

    def _slow(self, outcome: Outcome, runs: Sequence[CheckRun]) -> list[str]:
        """Whether a right answer takes much longer than the solution; looked into only where a student might notice."""
        calls = [call for run in runs for call in run.slow]
        if outcome is not Outcome.PASSED or not calls or self.solution is None:
            return []
        from grader.judge.slowness import NOTE, is_slow

        def solution() -> Bench:
            return self._bench(Source(self.source.file, self.lesson.solution.read_bytes()), self.bench.limits)

        return [NOTE] if is_slow(self.bench, solution, calls) else []

    def problem(self) -> str:
        """Why the file does not load, or ""."""
        from grader.judge.feedback import problem_in_words

        reply = self.bench.problem
        return problem_in_words(reply.kind, reply.value, self.source) if reply is not None else ""

    # --- diagnosis ---

    def _diagnosis(self, exercise: str, runs: Sequence[CheckRun], outcome: Outcome) -> Misconception | None:
        undiagnosed = (Outcome.PASSED, Outcome.NOT_STARTED, Outcome.UNGRADED)
        if not self.finished or not self.options.diagnose or outcome in undiagnosed:
            return None
        try:
            if self.solution is None:
                from grader.judge.fingerprint import told_by_fingerprint

                return told_by_fingerprint(self.lesson, exercise, self.tests[exercise], self.bench)
            return self._diagnose(exercise, runs)
        except Exception as error:
            if self.options.fault is None:
                raise
            self.options.fault(error)
            return None

    def _diagnose(self, exercise: str, runs: Sequence[CheckRun]) -> Misconception | None:
        from grader.judge.diagnosis import Diagnosis, failing_calls
        from grader.judge.known import prepared

        failing = failing_calls([found for run in runs for found in (*run.failures, run.finding) if found is not None])
        if not failing:
            return None
        known = prepared(exercise, self.lesson, self.files, self.tests[exercise])
        found = Diagnosis(known, self.bench, self.launcher, self.collectives).name(failing)
        return Misconception(found.name, found.says, found.hint) if found else None
