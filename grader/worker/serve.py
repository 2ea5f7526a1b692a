"""A worker's life: load one submission, then answer calls until the judge goes.

Requests: ``compile`` (source to code, nothing is run), ``load`` (run the module), ``call`` (a function, as one rank
or alone), ``sequence`` (a class through a list of method calls). During a call the worker sends what its rank does
and what it asks of functions that the judge passed in.
"""

from __future__ import annotations

import builtins
import dis
import io
import marshal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from . import failure, wire
from .capture import Capture
from .channel import Channel
from .comm import CollectiveError, Comm


class Abandoned(BaseException):
    """The run is over for this rank because another failed or none can move; no ``except Exception`` holds it."""


def serve(sock: socket.socket) -> None:
    """Answer requests on ``sock`` until the other end closes it."""
    worker = Worker(Channel(sock))
    try:
        while True:
            worker.answer()
    except (EOFError, ConnectionError):
        return


class Worker:
    """One submission in one process."""

    def __init__(self, channel: Channel) -> None:
        """A worker with nothing loaded; takes over stdout, stderr and stdin."""
        self.channel = channel
        self.output = Capture()
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = self.output  # type: ignore[misc]
        sys.stdin = io.StringIO()  # nothing to read, and no file to open
        self.module = types.ModuleType("submission")
        self.file_name = "submission.py"
        self.request: dict[str, Any] = {}

    def answer(self) -> None:
        """Read one request, do it, reply."""
        self.request, encoded, buffers = self.channel.read()
        do: dict[str, Callable[[Any], Any]] = {
            "compile": self.compile,
            "load": self.load,
            "call": self.call,
            "sequence": self.sequence,
        }
        action = do[self.request["do"]]
        try:
            value = wire.decode(encoded, buffers, record=self._record, function=self._function)
            reply = self._pack("returned", action(value))
        except wire.Unsupported as error:
            reply = self._pack("unsupported", str(error))
        except BaseException as error:  # student code may raise anything at all, SystemExit included
            reply = self._pack("raised", failure.describe(error, self.file_name))
        self.channel.post(*reply)
        self.channel.flush()

    def _pack(self, kind: str, value: Any) -> list[wire.Buffer]:
        envelope = {"id": self.request["id"], "is": kind}
        printed = self.output.take()
        if printed:
            envelope["out"] = printed
        return wire.pieces(envelope, *wire.encode(value))

    # --- requests ---

    def compile(self, source: bytes) -> tuple[bytes, list[str]]:
        """Compile a submission and return its code and the names of what it imports; nothing of it is run."""
        self.file_name = self.request["file"]
        code = compile(source, self.file_name, "exec", dont_inherit=True)
        return marshal.dumps(code), sorted(imported_names(code))

    def load(self, code: bytes) -> dict[str, Any]:
        """Run a compiled submission as a module; returns the names of what it defines that can be called."""
        self.file_name = self.request["file"]
        name = self.file_name.removesuffix(".py")
        self.module = types.ModuleType(name)
        self.module.__file__ = self.file_name
        sys.modules[name] = self.module
        exec(marshal.loads(code), self.module.__dict__)  # this is what the worker is for
        names = [name for name, value in self.module.__dict__.items() if callable(value) and not name.startswith("_")]
        return {"callables": names}

    def call(self, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
        """Call a function; as a rank it gets its communicator first."""
        positional, keywords = arguments
        function = getattr(self.module, self.request["f"])
        if "rank" in self.request:
            result = function(self._comm(), *positional, **keywords)
        else:
            result = function(*positional, **keywords)
        return (result, wire.without_functions(arguments)) if self.request.get("back") else result

    def sequence(self, plan: tuple[tuple[Any, ...], dict[str, Any], list[Any]]) -> list[Any]:
        """Construct an object and use it step by step.

        Returns:
            For each step ``["returned", value]`` or ``["raised", facts]``; the object lives on after an exception.
        """
        positional, keywords, steps = plan
        subject = getattr(self.module, self.request["f"])(*positional, **keywords)
        results: list[Any] = []
        for name, step_positional, step_keywords in steps:
            try:
                member = getattr(subject, name)
                value = member(*step_positional, **step_keywords) if callable(member) else member
                results.append(["returned", _as_it_is_now(value)])
            except wire.Unsupported:
                raise
            except Exception as error:
                results.append(["raised", failure.describe(error, self.file_name)])
        return results

    # --- what arguments stand for ---

    def _record(self, name: str, fields: list[str], values: list[Any]) -> Any:
        """The submission's own class where it has one of this name and these fields, else a plain record."""
        own = getattr(self.module, name, None)
        try:
            if isinstance(own, type):
                return own(**dict(zip(fields, values, strict=True)))
        except TypeError:
            pass
        return wire.Record(name, fields, values)

    def _function(self, index: int) -> Callable[..., Any]:
        """A function that the judge passed in: calling it asks the judge."""

        def ask(*positional: Any, **keywords: Any) -> Any:
            self._send({"is": "ask", "f": index}, (positional, keywords))
            return self.wait()

        ask.__name__ = ask.__qualname__ = self.request.get("functions", {}).get(str(index), "function")
        return ask

    # --- being a rank ---

    def _comm(self) -> Comm:
        request = self.request
        return Comm(_JudgeNetwork(self), range(request["size"]), request["rank"], allowed=request["collectives"])

    def _send(self, fields: dict[str, Any], value: Any = None) -> None:
        try:
            self.channel.post(*wire.pieces({"id": self.request["id"], **fields}, *wire.encode(value)))
        except wire.Unsupported as error:
            raise TypeError(f"a message holds {error}, which is not plain data") from None

    def wait(self) -> Any:
        """Wait for the judge's answer in the middle of a call."""
        envelope, encoded, buffers = self.channel.read()
        if envelope["do"] == "abandon":
            raise Abandoned(envelope["text"])
        if envelope["do"] == "error":
            raise _error_of(envelope["type"], envelope["text"])
        return wire.decode(encoded, buffers, record=self._record)


def _as_it_is_now(value: Any) -> Any:
    """A copy of what a step returned: a later step may change the object, but not what was returned."""
    encoded, buffers = wire.encode(value)
    return wire.decode(encoded, b"".join(buffers))


def _error_of(name: str, text: str) -> Exception:
    """The built-in exception of this name, which a function that the judge passed in raised there; or the network's."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(text)
        except TypeError:  # it wants more than a text
            pass
    return CollectiveError(f"{name}: {text}" if name else text)


class _JudgeNetwork:
    """The network of one rank whose messages the judge routes."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.rendezvous = bool(worker.request.get("rendezvous"))
        self.rank = worker.request["rank"]

    def send(self, context: str, dest: int, tag: int, obj: Any, *, blocking: bool = True) -> None:
        fields = {"is": "send", "to": dest, "tag": tag, "in": context}
        waits = self.rendezvous and blocking and dest != self.rank
        if waits:
            fields["wait"] = 1
        self.worker._send(fields, obj)
        if waits:
            self.worker.wait()

    def recv(self, context: str, source: int, tag: int) -> Any:
        self.worker._send({"is": "recv", "from": source, "tag": tag, "in": context})
        return self.worker.wait()

    def collective(self, context: str, kind: str, obj: Any, root: int) -> Any:
        self.worker._send({"is": "join", "kind": kind, "root": root, "in": context}, obj)
        return self.worker.wait()

    def compute(self, seconds: float) -> None:
        self.worker._send({"is": "compute", "seconds": seconds})


def imported_names(code: types.CodeType) -> set[str]:
    """The modules that code may import, wherever in it: ``a.b`` for ``from a import b`` too, which may be a module."""
    names: set[str] = set()
    module = ""
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            module = str(step.argval)
            names.add(module)
        elif step.opname == "IMPORT_FROM":
            names.add(f"{module}.{step.argval}")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= imported_names(constant)
    return names
