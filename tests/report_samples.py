"""Results as they come from the judge, for the tests of what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.results import (
    CheckResult,
    Counterexample,
    ExerciseResult,
    Feedback,
    LessonResult,
    Misconception,
    Outcome,
    Submission,
    exercise_outcome,
)

SUM = "Every rank ends with the element-wise sum, also when the length does not divide by the number of ranks."
RING = "Each rank talks to its right neighbour only, 2(p-1) times, and all ranks together send 2(p-1)n elements."
MEAN = "With average=True every rank ends with the mean."
STUB = "raise NotImplementedError"


def check(
    sentence: str,
    outcome: Outcome = Outcome.PASSED,
    *,
    points: float = 4,
    hidden: bool = False,
    message: str = "",
    case: Counterexample | None = None,
    stdout: str = "",
) -> CheckResult:
    """A check that earned all of its points or none."""
    return CheckResult(
        name="test_" + "_".join(sentence.lower().split()[:4]).replace(",", ""),
        sentence=sentence,
        visibility="hidden" if hidden else "public",
        outcome=outcome,
        points=points if outcome is Outcome.PASSED else 0.0,
        max_points=points,
        message=message,
        counterexample=case,
        stdout=stdout,
        calls=40,
        seconds=0.1,
    )


def exercise(
    name: str,
    checks: Sequence[CheckResult],
    *,
    minutes: int = 45,
    core: bool = True,
    misconception: Misconception | None = None,
    notes: Sequence[str] = (),
) -> ExerciseResult:
    """An exercise whose outcome and points follow from its checks."""
    return ExerciseResult(
        name=name,
        outcome=exercise_outcome(check.outcome for check in checks),
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        minutes=minutes,
        core=core,
        learning_outcome="6a",
        misconception=misconception,
        checks=tuple(checks),
        notes=tuple(notes),
    )


def lesson(exercises: Sequence[ExerciseResult], problem: str = "") -> LessonResult:
    """Lesson 6 with these exercises."""
    return LessonResult(
        lesson="06_collectives",
        title="Data parallelism and collective communication",
        submission=Submission("lesson06_collectives.py", "3f" * 32),
        confinement="process",
        points=sum(exercise.points for exercise in exercises),
        max_points=sum(exercise.max_points for exercise in exercises),
        seconds=1.2,
        exercises=tuple(exercises),
        problem=problem,
        versions={"grader": "1.0", "hypothesis": "6.1"},
    )


def passed(name: str, points: float = 6, *, core: bool = True, notes: Sequence[str] = ()) -> ExerciseResult:
    """An exercise that passed one public and one hidden check."""
    halves = [check("It holds here.", points=points / 2), check("It holds.", points=points / 2, hidden=True)]
    return exercise(name, halves, core=core, notes=notes)


def untouched(name: str, *, minutes: int = 45, core: bool = True) -> ExerciseResult:
    """An exercise that is still the stub."""
    stub = [check("It holds.", Outcome.NOT_STARTED, points=10, message=f"{name}: not written yet")]
    return exercise(name, stub, minutes=minutes, core=core)


REMAINDER = Misconception(
    "drops_the_remainder",
    "an all-reduce that drops the elements that do not divide evenly",
    "Chunks of n // p elements leave n % p elements behind. How does numpy.array_split cut 5 elements for 2 ranks?",
)


def drops_the_remainder() -> ExerciseResult:
    """A ring all-reduce that loses elements; two of its three checks fail."""
    lost = Counterexample(
        "student.ring_all_reduce.on_ranks([[0.0], [0.0]])",
        "rank 0 returned array([], dtype=float64)",
        "array([0.])",
        "what each rank returned",
        "3f2a",
    )
    sent = Counterexample(
        "student.ring_all_reduce.on_ranks([[0.0], [0.0]])", "0", "2", "elements sent by all ranks", "91c0"
    )
    checks = [
        check(MEAN, points=5),
        check(RING, Outcome.WRONG, points=3, hidden=True, case=sent, message="got 0\nexpected 2"),
        check(SUM, Outcome.WRONG, case=lost, message="rank 0 returned array([], dtype=float64)"),
    ]
    return exercise("ring_all_reduce", checks, minutes=60, misconception=REMAINDER)


def gigabits() -> ExerciseResult:
    """A bandwidth in the wrong unit."""
    case = Counterexample(
        "bus_bandwidth(n_bytes=1000000000, seconds=0.5, world_size=2)",
        "returned 16000000000.0",
        "2000000000.0",
        "",
        "07be",
    )
    confused = Misconception(
        "bits_for_bytes",
        "a bandwidth in bits per second",
        "Read the unit in the Returns section once more: how many bytes are eight bits?",
    )
    sentence = "The bus bandwidth of an all-reduce is 2(p-1)/p times its algorithm bandwidth."
    return exercise(
        "bus_bandwidth",
        [check(sentence, Outcome.WRONG, points=6, case=case)],
        minutes=20,
        misconception=confused,
    )


def two_mistakes() -> LessonResult:
    """A submission with two typical mistakes, and work still to do."""
    return lesson(
        [
            gigabits(),
            passed("collective_time", 8, notes=["accepted a list where a tuple was asked for."]),
            drops_the_remainder(),
            untouched("tree_all_reduce"),
            untouched("bucketed_gradients", minutes=30, core=False),
        ]
    )


def all_passed() -> LessonResult:
    """Full marks."""
    names = ["bus_bandwidth", "collective_time", "ring_all_reduce"]
    return lesson([*(passed(name) for name in names), passed("bucketed_gradients", 10, core=False)])


def untouched_stub() -> LessonResult:
    """The stub as it was handed out."""
    return lesson(
        [
            untouched("bus_bandwidth", minutes=20),
            untouched("ring_all_reduce", minutes=60),
            untouched("bucketed_gradients", minutes=30, core=False),
        ]
    )


def crashed() -> LessonResult:
    """An exception where none should be, and a part that still is the stub."""
    case = Counterexample(
        "bus_bandwidth(n_bytes=1, seconds=0.0, world_size=1)",
        "raised ZeroDivisionError: float division by zero",
        replay="c4d1",
    )
    message = (
        "lesson06_collectives.py, line 23, in bus_bandwidth\n"
        "    return 2 * (world_size - 1) / world_size * n_bytes / seconds\n"
        "ZeroDivisionError: float division by zero"
    )
    sentence = "An all-reduce that took no time has an infinite bandwidth."
    crash = check(sentence, Outcome.CRASHED, case=case, message=message, stdout="n_bytes 1\nseconds 0.0\n")
    half = check(MEAN, Outcome.NOT_STARTED, case=Counterexample("ring_all_reduce.on_ranks([[1.0]], average=True)", ""))
    return lesson([exercise("bus_bandwidth", [crash]), exercise("ring_all_reduce", [check(SUM), half])])


def timed_out() -> LessonResult:
    """A function that does not come back, and one that asks for too much memory."""
    case = Counterexample("tree_all_reduce.on_ranks([[1.0], [2.0], [3.0]])", "", replay="a001")
    message = "The call used 2 s of CPU time without coming back, and was stopped."
    slow = [
        check(SUM, Outcome.TIMED_OUT, case=case, message=message),
        check(
            "Each rank sends at most once.",
            Outcome.TIMED_OUT,
            hidden=True,
            message="not called: two calls timed out",
        ),
    ]
    large = check("A bucket holds at most bucket_bytes.", Outcome.OUT_OF_MEMORY)
    return lesson([exercise("tree_all_reduce", slow), exercise("bucketed_gradients", [large], core=False)])


def syntax_error() -> LessonResult:
    """A file that does not load."""
    line = "    def ring_all_reduce(comm: Comm, buffer: FloatArray, *, average: bool = False) -> FloatArray"
    problem = f"line 12\n{line}\n{' ' * len(line)}^\nSyntaxError: expected ':'\n"
    stub = untouched_stub()
    gone = [replace(one, outcome=Outcome.CRASHED, checks=()) for one in stub.exercises]
    return replace(stub, exercises=tuple(gone), problem=problem)


def hidden_check(feedback: Feedback) -> LessonResult:
    """A hidden check that fails, as each policy lets the student see it."""
    case = Counterexample(
        "ring_all_reduce.on_ranks([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], average=True)",
        "rank 0 returned array([12., 15., 18.])",
        "array([4., 5., 6.])",
        "what each rank returned",
        "5e11",
    )
    stdout = "step 0\nstep 1\n"
    if feedback is not Feedback.FULL:
        case, stdout = replace(case, expected=None), ""
    shown = None if feedback is Feedback.SENTENCE else case
    forgets = Misconception(
        "forgets_to_divide",
        "an all-reduce that forgets to divide by the number of ranks",
        "What is the mean of 1 and 3, and what is their sum?",
    )
    failed = check(MEAN, Outcome.WRONG, points=8, hidden=True, case=shown, stdout=stdout)
    ring = exercise("ring_all_reduce", [check(SUM), failed], minutes=60, misconception=forgets)
    return replace(lesson([passed("bus_bandwidth"), ring]), feedback=feedback)


def ungraded() -> LessonResult:
    """The grader failed on one exercise."""
    lost = check(SUM, Outcome.UNGRADED, message="the worker could not be started: out of file descriptors")
    wrong = check(
        MEAN,
        Outcome.WRONG,
        case=Counterexample("ring_all_reduce.on_ranks([[2.0]], average=True)", "returned None", "array([2.])"),
    )
    return lesson(
        [
            passed("bus_bandwidth"),
            exercise("ring_all_reduce", [lost]),
            exercise("tree_all_reduce", [lost, wrong]),
        ]
    )


def public_only(result: LessonResult) -> LessonResult:
    """The result as the student edition has it: the hidden checks did not run, their points still count."""
    exercises = []
    for one in result.exercises:
        public = tuple(check for check in one.checks if check.visibility == "public")
        points = sum(check.points for check in public)
        outcome = exercise_outcome(check.outcome for check in public)
        exercises.append(replace(one, checks=public, points=points, outcome=outcome))
    points = sum(one.points for one in exercises)
    return replace(result, exercises=tuple(exercises), points=points, visibilities=("public",))
