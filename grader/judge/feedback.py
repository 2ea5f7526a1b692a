"""From a failing case to words for the student, as far as the policy allows."""

from __future__ import annotations

import re

from grader.judge.bench import Source
from grader.judge.checking import CheckRun
from grader.judge.failures import CheckFailed
from grader.results import CheckResult, Counterexample, Feedback, Outcome

WITHHELD_KINDS = (Outcome.CRASHED, Outcome.OUT_OF_MEMORY)
RAISED = re.compile(r"((?:rank \d+ |\w+\(\) )?raised [^:]+): ")  # what comes after it is the exception's text
OURS = "This check could not decide: the mistake is the grader's, not yours, and it costs you nothing."


def check_result(run: CheckRun, source: Source, policy: Feedback, replay: str | None) -> CheckResult:
    """What is said of one check."""
    told = Feedback.FULL if run.visibility == "public" else policy
    passed = run.outcome is Outcome.PASSED
    message, example, printed = "", None, ""
    if run.outcome is Outcome.UNGRADED:
        message = OURS + (f"\n{run.broken}" if told is Feedback.FULL else "")
    elif run.skipped:
        message = run.why
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


def _message(failure: CheckFailed, source: Source, told: Feedback) -> str:
    """Prose: the student's own line for a crash, the first difference for a wrong value."""
    if failure.outcome in WITHHELD_KINDS:
        return _with_line(failure.message, source) if told is not Feedback.SENTENCE else ""
    if told is Feedback.FULL or not failure.expected:
        return _with_line(failure.message, source) if told is not Feedback.SENTENCE else ""
    return ""


def _with_line(message: str, source: Source) -> str:
    """Put what stands there below "line 12, in f"."""
    place, _, rest = message.partition("\n")
    number = place.removeprefix("line ").partition(",")[0]
    if number.isdecimal() and (code := source.line(int(number))):
        place = f"{place}:\n    {code}"
    return "\n".join(part for part in (place, rest) if part)


def _counterexample(run: CheckRun, failure: CheckFailed, told: Feedback, replay: str | None) -> Counterexample | None:
    if told is Feedback.SENTENCE or run.finding is None:
        return None
    call = "\n".join(dict.fromkeys(map(str, run.finding.shown)))
    returned = failure.returned
    if told is not Feedback.FULL:
        raised = RAISED.match(returned)
        returned = raised[1] if raised else returned
        if failure.outcome in WITHHELD_KINDS:
            returned = returned.partition(": ")[0]
    expected = failure.expected if told is Feedback.FULL else ""
    return Counterexample(call, returned, expected or None, failure.what, replay)


def _printed(printed: tuple[str, ...]) -> str:
    if len(printed) < 2:
        return "".join(printed)
    lines = [f"rank {rank} | {line}" for rank, text in enumerate(printed) for line in text.splitlines()]
    return "\n".join(lines) + ("\n" if lines else "")


LOADING = {
    "ModuleNotFoundError": "The grader has numpy and the standard library; nothing else is needed.",
    "EOFError": "The grader types nothing: input() finds nothing to read.",
    "SystemExit": "The file ends the program while it is loaded.",
    "NotImplementedError": (
        'A line at the top level calls what is not written yet; put such lines under if __name__ == "__main__".'
    ),
}
ENDS = {
    "timed_out": "It does not finish loading: is there a loop, or a long script, at its top level?",
    "died": "The process ended while loading it: {}.",
}
SAID = "While loading it, it sent what is not an answer: {}."
NOT_TEXT = ("null bytes", "codec can't decode", "(unicode error)")


def problem_in_words(kind: str, facts: object, source: Source) -> str:
    """Why a file does not load, for the student who wrote it."""
    if not isinstance(facts, dict):
        return f"{source.file} does not load. {ENDS.get(kind, SAID).format(facts)}"
    name, text, frames = facts["type"], facts["text"], facts["frames"]
    hint = LOADING.get(name, "")
    if any(sign in text for sign in NOT_TEXT):
        hint = "Is the file saved as UTF-8?"
    number = facts["syntax"][0] if "syntax" in facts else frames[-1][0] if frames else 0
    where = f", line {number}" if number else ""
    code = _pointed(source, *facts["syntax"]) if "syntax" in facts else source.line(number)
    shown = [f"    {line}" for line in code.splitlines()] if code.strip() else []
    told = f"{source.file}{where}: {name}" + (f": {text}" if text else "")
    return "\n".join([told, *shown, *([hint] if hint else [])])


def _pointed(source: Source, number: int, column: int, line: str) -> str:
    """The line of a syntax error with a caret below the place; its indentation stays, for it may be the mistake."""
    line = source.line(number, whole=True) or line
    before = "".join(character if character.isspace() else " " for character in line[: max(0, column - 1)])
    return f"{line}\n{before}^" if line.strip() else ""
