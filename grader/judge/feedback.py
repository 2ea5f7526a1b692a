"""From a failing case to words for the student, as far as the policy allows."""

from __future__ import annotations

from grader.judge.bench import Source
from grader.judge.checking import CheckRun
from grader.judge.failures import CheckFailed
from grader.results import CheckResult, Counterexample, Feedback, Outcome

WITHHELD_KINDS = (Outcome.CRASHED, Outcome.OUT_OF_MEMORY)
OURS = "This check could not decide: the mistake is the grader's, not yours, and it costs you nothing."


def check_result(run: CheckRun, source: Source, policy: Feedback, replay: str | None) -> CheckResult:
    """What is said of one check."""
    told = Feedback.FULL if run.visibility == "public" else policy
    passed = run.outcome is Outcome.PASSED
    message, example, printed = "", None, ""
    if run.outcome is Outcome.UNGRADED:
        message = OURS + (f"\n{run.broken}" if told is Feedback.FULL else "")
    elif run.skipped:
        message = _skipped(run)
    elif run.finding is not None and run.outcome is not Outcome.NOT_STARTED:
        failure = run.finding.failure
        message = _message(failure, source, told)
        example = _counterexample(run, failure, told, replay)
        printed = _printed(run.printed) if told is Feedback.FULL else ""
    return CheckResult(
        name=run.facts.name,
        sentence=run.facts.sentence,
        visibility=run.visibility,
        outcome=run.outcome,
        points=run.facts.points if passed else 0.0,
        max_points=run.facts.points,
        message=message,
        counterexample=example,
        stdout=printed,
        calls=run.calls,
        seconds=round(run.seconds, 3),
    )


def _skipped(run: CheckRun) -> str:
    if run.outcome is Outcome.TIMED_OUT:
        return "Not called: two checks of this exercise have timed out already."
    return ""


def _message(failure: CheckFailed, source: Source, told: Feedback) -> str:
    """Prose: the student's own line for a crash, the first difference for a wrong value."""
    if failure.outcome in WITHHELD_KINDS:
        return _with_line(failure.message, source) if told is not Feedback.SENTENCE else ""
    if told is Feedback.FULL or not failure.expected:
        return failure.message if told is not Feedback.SENTENCE else ""
    return ""


def _with_line(message: str, source: Source) -> str:
    """"line 12, in f" with what stands there."""
    place, _, rest = message.partition("\n")
    number = place.removeprefix("line ").partition(",")[0]
    if number.isdecimal() and (code := source.line(int(number))):
        place = f"{place}:\n    {code}"
    return "\n".join(part for part in (place, rest) if part)


def _counterexample(
    run: CheckRun, failure: CheckFailed, told: Feedback, replay: str | None
) -> Counterexample | None:
    if told is Feedback.SENTENCE or run.finding is None:
        return None
    call = str(run.finding.calls[-1]) if run.finding.calls else ""
    returned = failure.returned
    if failure.outcome in WITHHELD_KINDS and told is not Feedback.FULL:
        returned = returned.partition(": ")[0]
    expected = failure.expected if told is Feedback.FULL else ""
    return Counterexample(call, returned, expected or None, failure.what, replay)


def _printed(printed: tuple[str, ...]) -> str:
    if len(printed) < 2:
        return "".join(printed)
    lines = [f"rank {rank} | {line}" for rank, text in enumerate(printed) for line in text.splitlines()]
    return "\n".join(lines) + ("\n" if lines else "")


def problem_in_words(kind: str, facts: object, source: Source) -> str:
    """Why a file does not load, for the student who wrote it."""
    if not isinstance(facts, dict):
        ends = {"timed_out": "It does not finish loading: is there a loop, or a long script, at its top level?"}
        return f"{source.file} does not load. " + ends.get(kind, f"The process ended while loading it: {facts}.")
    syntax = facts.get("syntax")
    name, text = str(facts.get("type", "")), str(facts.get("text", ""))
    if isinstance(syntax, list) and len(syntax) == 3 and type(syntax[0]) is int and type(syntax[1]) is int:
        number, column, line = syntax
        line = str(line) or source.line(number)
        caret = f"\n    {line}\n    {' ' * max(0, column - 1)}^" if line.strip() else ""
        return f"{source.file}, line {number}: {name}: {text}{caret}"
    frames = [frame for frame in facts.get("frames", ()) if isinstance(frame, list) and len(frame) == 2]
    where = f", line {frames[-1][0]}" if frames else ""
    line = source.line(frames[-1][0]) if frames and type(frames[-1][0]) is int else ""
    told = f"{source.file}{where}: {name}: {text}" + (f"\n    {line}" if line else "")
    if name == "ModuleNotFoundError":
        told += "\nThe grader has numpy and the standard library; nothing else is needed."
    if name == "EOFError":
        told += "\nThe grader types nothing: input() finds nothing to read."
    if name == "SystemExit":
        told += "\nThe file ends the process while it is loaded."
    return told
