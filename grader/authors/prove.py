"""``grade prove``: that a lesson's solution, checks and misconceptions hold each other up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from grader.authors.contents import Contents, LessonCheck, read_contents
from grader.authors.stubs import stub_source, write_stubs
from grader.course import Lesson
from grader.errors import UserError
from grader.handout import hints
from grader.judge.bench import Bench, Source
from grader.judge.checking import Checking, CheckRun
from grader.judge.determinism import draw_no_constants_from_modules, seeded
from grader.judge.diagnosis import alike
from grader.judge.known import Exercise
from grader.judge.limits import Limits
from grader.judge.local import Local
from grader.judge.misconceptions import Misconception, apply, load_misconceptions
from grader.judge.proxies import Proxy
from grader.judge.workers import Launcher
from grader.manifest import Manifest, difference
from grader.results import Outcome

SEEDS = (1, 2, 3)
PUBLIC_SHARE = 0.8  # of the misconceptions that public checks catch


@dataclass
class Proof:
    """What ``grade prove`` found about a lesson.

    Attributes:
        gaps: What is wrong, each a sentence that names the place.
        matrix: For each misconception, the labels of the checks that catch it.
        checks: The labels of all checks, by exercise.
    """

    lesson: str
    gaps: list[str] = field(default_factory=list)
    known: list[Misconception] = field(default_factory=list)
    matrix: dict[str, set[str]] = field(default_factory=dict)
    checks: dict[str, list[str]] = field(default_factory=dict)


def prove(
    lesson: Lesson,
    launcher: Launcher,
    *,
    update: bool = False,
    only: Sequence[str] = (),
    say: Callable[[str], None] = lambda text: None,
) -> Proof:
    """Prove a lesson.

    Args:
        lesson: The lesson.
        launcher: Where workers come from.
        update: Write the manifest and the stub anew where they are not current.
        only: Names of exercises, to run their checks alone; empty for all.
        say: Hears what is being done.
    """
    draw_no_constants_from_modules()
    proof = Proof(lesson.name)
    try:
        contents = read_contents(lesson)
    except UserError as error:
        proof.gaps.append(str(error))
        return proof
    if unknown := [name for name in only if name not in [info.name for info in contents.exercises]]:
        raise UserError(f"{lesson.name} has no exercise {unknown[0]!r}")
    prover = _Prover(lesson, contents, launcher, proof, only, say)
    prover.files_are_current(update)
    prover.handout_has_hints()
    prover.stub_is_not_started()
    prover.solution_passes()
    prover.misconceptions_are_caught()
    return proof


class _Prover:
    """One lesson being proved."""

    def __init__(
        self,
        lesson: Lesson,
        contents: Contents,
        launcher: Launcher,
        proof: Proof,
        only: Sequence[str],
        say: Callable[[str], None],
    ) -> None:
        self.lesson, self.contents, self.launcher, self.proof, self.say = lesson, contents, launcher, proof, say
        self.solution = Source(lesson.file_name, lesson.solution.read_bytes())
        self.reference = Proxy(Local(contents.solution))
        self.names = [info.name for info in contents.exercises]
        self.proven = [name for name in self.names if not only or name in only]
        self.checks = [check for check in contents.checks if check.facts.exercise in self.proven]
        self.collectives = {info.name: info.collectives for info in contents.exercises}

    def files_are_current(self, update: bool) -> None:
        """The manifest, the overlay's and the stub are what content and solution say."""
        self._manifest_is_current(self.lesson.manifest_path, self.contents.manifest, update)
        private = self.lesson.private_manifest_path
        if private is not None and self.contents.private_manifest is not None:
            self._manifest_is_current(private, self.contents.private_manifest, update)
        for stale in write_stubs(self.lesson.course, [self.lesson], check=not update):
            if not update:
                self.proof.gaps.append(f"{stale.name} is not current: grade stubs writes it anew")

    def _manifest_is_current(self, path: Path, manifest: Manifest, update: bool) -> None:
        if update:
            manifest.write(path)
            return
        try:
            changes = difference(Manifest.load(path), manifest)
        except UserError as error:
            self.proof.gaps.append(str(error))
            return
        self.proof.gaps += [f"{path.name} is not current: {change}" for change in changes]

    def handout_has_hints(self) -> None:
        """Every exercise has hints in the handout."""
        path = self.lesson.handout_path
        found = hints(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.proof.gaps += [f"{path.name}: no hints for {name}" for name in self.names if not found.get(name)]
        others = [name for name in found if name not in self.names]
        self.proof.gaps += [f"{path.name}: hints for {name}, which is no exercise" for name in others]

    def stub_is_not_started(self) -> None:
        """The untouched stub is *not started* everywhere."""
        self.say("the stub")
        text = stub_source(self.solution.content.decode(), str(self.lesson.solution))
        for run in self._run(Source(self.lesson.file_name, text.encode()), self.checks):
            if run.outcome is not Outcome.NOT_STARTED:
                self.proof.gaps.append(f"{run.facts.name}: the untouched stub is {run.outcome}, not not_started")

    def solution_passes(self) -> None:
        """The solution passes every check, under several seeds."""
        for seed in (None, *SEEDS):
            self.say("the solution" + (f", seed {seed}" if seed else ""))
            with nullcontext() if seed is None else seeded([check.test for check in self.checks], seed):
                runs = self._run(self.solution, self.checks)
            for run in runs:
                if run.outcome is not Outcome.PASSED:
                    found = run.finding
                    why = run.broken or (f"{found.calls[-1:]}: {found.failure}" if found else "")
                    self.proof.gaps.append(f"{run.facts.name}: the solution is {run.outcome} (seed {seed}): {why}")
                self._has_no_notes(run)

    def _has_no_notes(self, run: CheckRun) -> None:
        """A right solution must not be told that it was accepted though it is of another type."""
        for note in dict.fromkeys(run.accepted):
            gap = f"{run.facts.name}: expects another type than the solution returns: accepted {note}"
            if gap not in self.proof.gaps:
                self.proof.gaps.append(gap)

    def misconceptions_are_caught(self) -> None:
        """No misconception passes, no check catches nothing, no two misconceptions behave alike."""
        try:
            self.proof.known = load_misconceptions(self.lesson.misconceptions)
            sources = {one.name: apply(one, self.solution) for one in self.proof.known}
        except UserError as error:
            self.proof.gaps.append(str(error))
            return
        for name in self.proven:
            known = [one for one in self.proof.known if one.of == name]
            checks = self.contents.checks_of(name)
            self.proof.checks[name] = [check.label for check in checks]
            for one in known:
                self.say(f"{name}: {one.name}")
                self._catch(one, sources[one.name], checks)
            self._every_check_catches(name, checks, known)
            self._all_differ(name, checks, known)
        for one in self.proof.known:
            if one.of not in self.names:
                self.proof.gaps.append(f"misconception {one.name} is of {one.of!r}, which is no exercise")
        self._public_share()

    def _catch(self, one: Misconception, source: Source, checks: Sequence[LessonCheck]) -> None:
        runs = self._run(source, checks)
        caught = {check.label for check, run in zip(checks, runs, strict=True) if run.outcome is not Outcome.PASSED}
        self.proof.matrix[one.name] = caught
        if not caught:
            self.proof.gaps.append(f"misconception {one.name} of {one.of} passes every check")
        for run in runs:
            if run.outcome is Outcome.UNGRADED:
                self.proof.gaps.append(f"{run.facts.name} breaks on misconception {one.name}: {run.broken[-300:]}")

    def _every_check_catches(self, name: str, checks: Sequence[LessonCheck], known: Sequence[Misconception]) -> None:
        caught = set().union(*(self.proof.matrix[one.name] for one in known)) if known else set()
        if not known:
            self.proof.gaps.append(f"{name} has no misconceptions")
        self.proof.gaps += [f"{check.label} of {name} catches nothing" for check in checks if check.label not in caught]

    def _all_differ(self, name: str, checks: Sequence[LessonCheck], known: Sequence[Misconception]) -> None:
        function = getattr(self.contents.solution, name)
        tests = [check.test for check in checks]
        exercise = Exercise.of(name, known, self.solution, function, tests, self.reference)
        for one, other in alike(exercise, self.launcher, self.collectives):
            self.proof.gaps.append(f"misconceptions {one.name} and {other.name} of {name} behave alike")

    def _public_share(self) -> None:
        public = sum(any("(public)" in label for label in caught) for caught in self.proof.matrix.values())
        total = len(self.proof.matrix)
        if total and public < PUBLIC_SHARE * total:
            self.proof.gaps.append(f"public checks catch {public} of {total} misconceptions, less than four in five")

    def _bench(self, source: Source) -> Bench:
        return Bench(self.launcher, source, collectives=self.collectives, limits=Limits())

    def _run(self, source: Source, checks: Sequence[LessonCheck]) -> list[CheckRun]:
        """Run checks of a submission; the first failing example is enough."""
        bench = self._bench(source)
        checking = Checking(bench, self.reference, exercises=self.names, shrink=False)
        for check in checks:
            fixtures = {"student": checking.student, "reference": self.reference}
            wanted = {name: value for name, value in fixtures.items() if name in check.fixtures}
            checking.run(check.test, check.facts, check.visibility, wanted)
        bench.renew()
        return checking.runs
