"""A submission's fingerprint: a hash of all that it shows on the public checks, numbers rounded.

A student's edition holds no misconceptions and no solution. It holds the fingerprint of each misconception with its
hint, so that a student at home is told what the submission behaves like. Draws depend on hypothesis's version, so
fingerprints do too; with another version none agrees, and nothing is named.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Callable, Iterable
from typing import Any

import hypothesis
import numpy as np

from grader.course import Lesson
from grader.judge.behaviour import UNTRACED, Behaviour, observe
from grader.judge.bench import Bench
from grader.judge.calls import Answer, Call, Performer
from grader.judge.checks import current
from grader.judge.failures import CheckFailed, Unfinished
from grader.judge.known import LIMITS
from grader.judge.probes import key
from grader.judge.proxies import Proxy
from grader.results import Misconception

DIGITS = 9  # significant digits that count
NOTHING = 1e-12  # a float below this is zero up to rounding


class Untraced(Exception):
    """A call that did not end: how far it got depends on the machine, so there is no fingerprint."""


def fingerprint(tests: Iterable[Callable[..., None]], performer: Performer) -> str | None:
    """The fingerprint of what ``performer`` shows on an exercise's public checks; None if a call does not end.

    Every example of every check is run, up to where it fails; none is shrunk.
    """
    digest = hashlib.sha256()
    transcript = _Transcript(performer, digest.update)
    for test in tests:
        if set(inspect.signature(test).parameters) - {"student"}:
            continue
        token = current.set(transcript)
        try:
            test(student=Proxy(transcript))
        except Untraced:
            return None
        finally:
            current.reset(token)
    return digest.hexdigest()[:32]


def told_by_fingerprint(
    lesson: Lesson, exercise: str, tests: Iterable[Callable[..., None]], bench: Bench
) -> Misconception | None:
    """In a student's edition: the misconception whose fingerprint the submission on the bench has."""
    known = known_fingerprints(lesson).get(exercise, {})
    if not known or bench.problem is not None:
        return None
    bench.renew()
    bench.limits = LIMITS
    told = known.get(fingerprint(tests, bench) or "")
    return Misconception(told["name"], told["says"], told["hint"]) if told else None


def known_fingerprints(lesson: Lesson) -> dict[str, dict[str, dict[str, str]]]:
    """By exercise, each misconception's fingerprint with its name and what to say; empty where there are none."""
    try:
        told = json.loads((lesson.course.root / "diagnoses.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if told.get("hypothesis") != hypothesis.__version__:
        return {}
    known: dict[str, dict[str, dict[str, str]]] = told["lessons"].get(lesson.name, {})
    return known


class _Transcript:
    """Performs calls and writes down what each shows; runs every example of a check, whatever comes of it."""

    def __init__(self, performer: Performer, write: Callable[[bytes], None]) -> None:
        self._performer, self._write = performer, write

    def perform(self, call: Call) -> Answer:
        heard = _Hearing(self._performer)
        shown = observe(heard, call)
        if shown.outcomes[0] in UNTRACED:
            raise Untraced
        self._write(f"{key(call) if not _has_functions(call) else call.name}\n{_canonical(shown)}\n".encode())
        assert heard.answer is not None
        return heard.answer

    def run(self, body: Callable[..., Any], arguments: dict[str, Any]) -> None:
        try:
            body(**arguments)
        except (CheckFailed, Unfinished):
            return
        except Untraced:
            raise
        except Exception:  # a check that stumbles over what came back; hypothesis must not end its search
            self._write(b"stumbled\n")


class _Hearing:
    """Passes a call on and keeps the answer, which the check wants as it was."""

    def __init__(self, performer: Performer) -> None:
        self._performer = performer
        self.answer: Answer | None = None

    def perform(self, call: Call) -> Answer:
        self.answer = self._performer.perform(call)
        return self.answer


def _has_functions(call: Call) -> bool:
    return any(callable(value) for value in (*call.positional, *call.keywords.values()))


def _canonical(shown: Behaviour) -> str:
    parts = (shown.outcomes, shown.value, shown.arguments, shown.sends, shown.rounds, shown.asked)
    return repr(_plain(parts))


def _plain(value: Any) -> Any:
    """A value of which ``repr`` is the same for all that means the same: rounded, containers and number types aside."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return [(_plain(name), _plain(item)) for name, item in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53:
        value = float(value)
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, complex):
        return [_rounded(value.real), _rounded(value.imag)]
    return value if value is None or isinstance(value, bool | int | str | bytes) else type(value).__name__


def _rounded(value: float) -> str:
    if math.isfinite(value) and abs(value) < NOTHING:
        value = 0.0
    return f"{value + 0.0:.{DIGITS}g}"
