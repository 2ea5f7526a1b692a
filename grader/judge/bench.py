"""A submission on the bench: its workers, and the calls that are made of it."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.judge.calls import Answer, Call
from grader.judge.limits import Limits
from grader.judge.link import Gone, Link, Reply
from grader.judge.ranks import is_look_back, run_on_workers
from grader.judge.workers import Launcher

LOAD_CPU_SECONDS = 10.0
MAX_IMPORTS = 100
NOT_IMPORTED = frozenset(
    (
        "antigravity",
        "ensurepip",
        "idlelib",
        "lib2to3",
        "pydoc",
        "site",
        "test",
        "this",
        "tkinter",
        "turtle",
        "turtledemo",
    )
)


@dataclass(frozen=True)
class Source:
    """A submission as it travels: bytes and the name that its tracebacks show.

    Attributes:
        file: "lesson06_collectives.py".
        content: What is in the file.
    """

    file: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The content's hash, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    def line(self, number: int, *, whole: bool = False) -> str:
        """One line of it, without its indentation unless ``whole``; "" where there is none."""
        lines = re.split("\r\n|\r|\n", self.content.decode("utf-8-sig", "replace"))  # as Python counts them
        line = lines[number - 1].rstrip() if 0 < number <= len(lines) else ""
        return line if whole else line.strip()


class Bench:
    """Performs calls of one submission in workers; ``renew`` throws them away.

    Attributes:
        source: The submission.
        problem: Why it does not load (a reply that is not "returned"), or None.
        callables: The names that it defines, once loaded.
        printed: What the last call printed, by rank.
        limits: Of each call; a check may set its own.
    """

    def __init__(
        self,
        launcher: Launcher,
        source: Source,
        *,
        collectives: Mapping[str, Sequence[str]],
        limits: Limits,
        ahead: bool = False,
    ) -> None:
        """Compile the submission in a worker of its own, without running it.

        Args:
            launcher: Where workers come from.
            source: The submission.
            collectives: For each exercise, the collectives that it may use.
            limits: Of each call.
            ahead: Start the next worker while the present one is at work; it needs a ``close``.
        """
        self.source, self.limits = source, limits
        self.problem: Reply | None = None
        self.callables: list[str] = []
        self.printed: tuple[str, ...] = ()
        self._launcher, self._collectives = launcher, collectives
        self._links: list[Link] = []
        self._ahead = ahead
        self._next: Link | None = None
        self._code = b""
        self._imports: list[str] = []
        self._compile()

    def _compile(self) -> None:
        link = self._start(1)[0]
        reply = link.ask("compile", self.source.content, Limits(cpu_seconds=LOAD_CPU_SECONDS), file=self.source.file)
        if reply.kind == "returned" and _is_compiled(reply.value):
            self._code, names = reply.value
            self._imports = importable(names)
            self.renew()
            self._workers(1)
        else:
            self._give_up(reply, link)

    def _start(self, count: int) -> list[Link]:
        links = [Link(started) for started in self._launcher.start(count, self._imports)]
        self._links += links
        return links

    def _workers(self, count: int) -> list[Link]:
        """Loaded workers, started as needed and kept until ``renew``."""
        missing = count - len(self._links)
        if missing > 0 and self.problem is None:
            for link in self._loading(missing):
                reply = link.converse(Limits(cpu_seconds=LOAD_CPU_SECONDS))
                if reply.kind != "returned":
                    self._give_up(reply, link)
                    break
                self.callables = self.callables or _names(reply.value)
            else:
                self._start_next()
        return self._links[:count]

    def _loading(self, count: int) -> list[Link]:
        """Workers that are loading the submission, the one that was started ahead among them."""
        found, self._next = [] if self._next is None else [self._next], None
        for link in found:
            self._links.append(link)
            link.take()
        if count > len(found):
            fresh = self._start(count - len(found))
            for link in fresh:
                self._load(link)
            found += fresh
        return found

    def _load(self, link: Link) -> None:
        with contextlib.suppress(Gone):  # which who reads the reply finds out too
            link.request("load", self._code, file=self.source.file)

    def _start_next(self) -> None:
        """Begin to start the next worker."""
        worker = self._launcher.start_ahead(self._imports) if self._ahead and self._next is None else None
        if worker is not None:
            self._next = Link.ahead(worker)
            self._load(self._next)

    def _give_up(self, reply: Reply, link: Link) -> None:
        """The submission does not load, and why."""
        status = self._end().get(link.pid, 0)
        self.problem = reply._replace(value=describe_end(status)) if reply.kind == "died" else reply

    def renew(self) -> None:
        """End all workers; the next call gets fresh ones."""
        if pids := self._part():
            self._launcher.dismiss(pids)

    def close(self) -> None:
        """End all workers, also one that was started ahead, and wait until none is left."""
        if self._next is not None:
            self._links.append(self._next)
            self._next.take()
            self._next = None
        self._end()

    def _end(self) -> dict[int, int]:
        """End all workers; returns how each ended."""
        pids = self._part()
        return self._launcher.end(pids) if pids else {}

    def _part(self) -> list[int]:
        """Let go of all workers; returns their processes."""
        links, self._links = self._links, []
        for link in links:
            link.close()
        return [link.pid for link in links]

    def cpu_seconds(self) -> float:
        """CPU time that the present workers have used."""
        return sum(link.clock() or 0.0 for link in self._links)

    def perform(self, call: Call) -> Answer:
        """Make a call; see ``Performer``."""
        answer = self._perform(call)
        self.printed = answer.printed
        return answer

    def _perform(self, call: Call) -> Answer:
        if call.per_rank is not None:
            return self._perform_on_ranks(call)
        links = self._workers(1)
        if self.problem is not None:
            return Answer(self.problem.kind, self.problem.value, None, (self.problem.printed,))
        (link,) = links
        if call.steps is not None:
            plan = (call.positional, call.keywords, [list(step) for step in call.steps])
            reply = link.ask("sequence", plan, self.limits, f=call.name)
        else:
            arguments = (call.positional, call.keywords)
            reply = link.ask("call", arguments, self.limits, f=call.name, back=call.look_back)
        answer = Answer(reply.kind, reply.value, None, (reply.printed,))
        if reply.kind == "returned" and call.look_back:
            if is_look_back(reply.value):
                answer.value, answer.arguments = reply.value
            else:
                answer.kind, answer.value = "forged", "a result without the arguments"
        self._explain_death(answer, answer.kind in ("died", "forged", "timed_out"))
        return answer

    def _perform_on_ranks(self, call: Call) -> Answer:
        assert call.per_rank is not None
        links = self._workers(len(call.per_rank))
        if self.problem is not None:
            return Answer(self.problem.kind, self.problem.value, None, (self.problem.printed,))
        answer, reusable = run_on_workers(links, call, self._collectives.get(call.name, ()), self.limits)
        self._explain_death(answer, not reusable)
        return answer

    def _explain_death(self, answer: Answer, unusable: bool) -> None:
        """Throw workers away that can't be used again; a dead one's status says what happened."""
        if not unusable:
            return
        dead = self._links[answer.rank or 0].pid
        status = self._end().get(dead, 0)
        if answer.kind == "died":
            answer.value = describe_end(status)


def _is_compiled(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes) and isinstance(value[1], list)


def importable(names: Sequence[Any]) -> list[str]:
    """The modules of the standard library among the names that a submission imports, for its workers to import.

    A confined worker can open no file, so they are imported before; only names that are known, and harmless to import.
    """
    found = []
    for name in names[:MAX_IMPORTS]:
        if isinstance(name, str) and len(name) < 80 and all(part.isidentifier() for part in name.split(".")):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names and top not in NOT_IMPORTED:
                found.append(name)
    return found


def describe_end(status: int) -> str:
    """How a process ended, in words, from its exit code or minus the signal."""
    if status >= 0:
        return f"the process ended itself with exit code {status}"
    known = {
        -11: "a segmentation fault",
        -6: "an abort",
        -9: "a kill",
        -7: "a bus error",
        -24: "using too much CPU time",
    }
    return f"the process was ended by {known.get(status, f'signal {-status}')}"


def _names(value: Any) -> list[str]:
    names = value.get("callables", []) if isinstance(value, dict) else []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
