"""The judge's end of one worker: requests out, checked frames in."""

from __future__ import annotations

import secrets
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from grader.judge.facts import plain_text, trusted
from grader.judge.limits import TICK_SECONDS, Limits, Watch
from grader.judge.workers import Ahead, Started
from grader.worker import wire
from grader.worker.capture import CAP_BYTES

SEND_SECONDS = 10.0
SOCKET_BUFFER_BYTES = 1 << 21
UNSUPPORTED_CHARACTERS = 200
PRINTED_CHARACTERS = CAP_BYTES + 100  # what an honest worker sends of what was printed, with its remark


class Reply(NamedTuple):
    """How a worker's request ended.

    Attributes:
        kind: "returned", "raised", "unsupported" (the result is not plain data), "timed_out", "died", or "forged"
            (what came over the wire was not a worker's).
        value: The result; for "raised" the facts of ``worker/failure.py``; else a text.
        printed: What the code wrote to stdout and stderr.
    """

    kind: str
    value: Any = None
    printed: str = ""


class Frame(NamedTuple):
    """A frame in the middle of a call."""

    envelope: dict[str, Any]
    encoded: Any
    buffers: wire.Buffer


class Gone(Exception):
    """The worker has closed its end."""


class Stalled(Gone):
    """The worker does not take what it is sent."""


class Link:
    """One worker, one request at a time.

    Attributes:
        pid: The worker's process.
        clock: Reads its CPU clock.
        socket: The judge's end; times out after a tick.
    """

    def __init__(self, started: Started) -> None:
        """Take over a started worker."""
        self.pid, self.socket, self.clock = started
        _set_timeouts(self.socket)
        self._frames = wire.Frames()
        self._take: Callable[[], Started] | None = None
        self._id = ""
        self._callables: list[Callable[..., Any]] = []

    @classmethod
    def ahead(cls, worker: Ahead) -> Link:
        """The link to a worker that is still being started; ``take`` completes it."""
        link = cls(Started(0, worker.socket, lambda: None))
        link._take = worker.take
        return link

    def take(self) -> None:
        """Wait for a worker that was started ahead.

        Raises:
            WorkerUnavailable: If it was not to be had.
        """
        if self._take is not None:
            self.pid, _, self.clock = self._take()
            self._take = None

    def request(self, do: str, value: Any, **fields: Any) -> None:
        """Send a request; functions among the values are kept and answered from here.

        Raises:
            Gone: If the worker takes nothing any more.
        """
        self._id = secrets.token_hex(8)
        self._callables = []
        encoded, buffers = wire.encode(value, self._callables)
        names = {str(index): getattr(f, "__name__", "function") for index, f in enumerate(self._callables)}
        if names:
            fields["functions"] = names
        self._send(wire.pieces({"id": self._id, "do": do, **fields}, encoded, buffers))

    def deliver(self, encoded: Any, buffers: wire.Buffer) -> None:
        """Hand a value to a worker that waits for one in the middle of its call; one that is too large is an error."""
        try:
            pieces = wire.pieces({"id": self._id, "do": "deliver"}, encoded, [buffers])
        except wire.Unsupported as error:
            self.interrupt("error", str(error))
            return
        self._send(pieces)

    def interrupt(self, do: str, text: str, error: str = "") -> None:
        """Tell a waiting worker that it waits for nothing.

        Args:
            do: "error" raises there, "abandon" ends its call.
            text: Why.
            error: The built-in exception to raise.
        """
        self._send(wire.pieces({"id": self._id, "do": do, "text": text, "type": error}, None, []))

    def _send(self, pieces: Sequence[wire.Buffer]) -> None:
        for piece in pieces:
            self._send_all(memoryview(piece))

    def _send_all(self, left: memoryview) -> None:
        began = time.monotonic()
        while left:
            try:
                left = left[self.socket.send(left) :]
            except (BlockingIOError, TimeoutError):
                pass
            except OSError:
                raise Gone from None
            if left and time.monotonic() - began > SEND_SECONDS:
                raise Stalled

    @property
    def header_bytes(self) -> int:
        """How long the header of the last frame was."""
        return self._frames.header_bytes

    def fill(self) -> None:
        """Read what has arrived.

        Raises:
            TimeoutError: If nothing has, for a tick.
            Gone: If the worker has closed its end.
        """
        try:
            count = self._frames.receive(self.socket)
        except (TimeoutError, BlockingIOError):
            raise TimeoutError from None
        except OSError:
            raise Gone from None
        if count == 0:
            raise Gone

    def next_frame(self) -> Frame | None:
        """The next whole frame that has arrived, or None.

        Raises:
            wire.WireError: If it breaks the rules or answers another request.
        """
        found = self._frames.next()
        if found is None:
            return None
        frame = Frame(*found)
        if frame.envelope.get("id") != self._id:
            raise wire.WireError("a frame that answers no request")
        return frame

    def finished(self, frame: Frame) -> Reply | None:
        """The reply, if this frame is the one that ends the request.

        Raises:
            wire.WireError: If bytes follow it, or the value is malformed.
        """
        kind = frame.envelope.get("is")
        if kind not in ("returned", "raised", "unsupported"):
            return None
        if self._frames.pending:
            raise wire.WireError("bytes after the reply")
        value = wire.decode(frame.encoded, frame.buffers)
        if kind == "raised":
            if not isinstance(value, dict):
                raise wire.WireError("an exception of another form")
            value = trusted(value)
        elif kind == "unsupported":
            value = plain_text(value, UNSUPPORTED_CHARACTERS)
        return Reply(kind, value, plain_text(frame.envelope.get("out"), PRINTED_CHARACTERS))

    def answer_question(self, frame: Frame) -> None:
        """Call the function that the worker asks for and hand back what it returns, or its error."""
        try:
            positional, keywords = wire.decode(frame.encoded, frame.buffers)
            function = self._callables[frame.envelope["f"]]
        except (IndexError, TypeError, ValueError, KeyError):
            raise wire.WireError("a question of another form") from None
        try:
            encoded, buffers = wire.encode(function(*positional, **keywords))
        except Exception as error:
            self.interrupt("error", str(error), type(error).__name__)
            return
        self.deliver(encoded, b"".join(buffers))

    def ask(self, do: str, value: Any, limits: Limits, **fields: Any) -> Reply:
        """Send a request and wait until it is done."""
        try:
            self.request(do, value, **fields)
        except Gone as gone:
            return _end(gone)
        return self.converse(limits)

    def converse(self, limits: Limits) -> Reply:
        """Wait until the request is done, answering what the worker asks meanwhile."""
        watch: Watch | None = None
        look = time.monotonic() + TICK_SECONDS
        try:
            while True:
                frame = self.next_frame()
                if frame is not None:
                    reply = self.finished(frame)
                    if reply is not None:
                        return reply
                    if frame.envelope.get("is") != "ask":
                        raise wire.WireError("a message where there are no ranks")
                    self.answer_question(frame)
                    continue
                try:
                    self.fill()
                except TimeoutError:
                    pass
                if time.monotonic() < look:
                    continue
                look = time.monotonic() + TICK_SECONDS
                watch = watch or Watch({self.pid: self.clock}, limits)
                expired = watch.expired([self.pid])
                if expired is not None:
                    return Reply("timed_out", expired.spent)
        except Gone as gone:
            return _end(gone)
        except wire.WireError as error:
            return Reply("forged", str(error))

    def close(self) -> None:
        """Close the judge's end."""
        self.socket.close()


def _end(gone: Gone) -> Reply:
    if isinstance(gone, Stalled):
        return Reply("timed_out", f"{SEND_SECONDS:g} s without reading what it was sent")
    return Reply("died")


def _set_timeouts(sock: socket.socket) -> None:
    """Let a read end after a tick and a send after a while.

    Linux keeps these times itself, which saves a system call each time; elsewhere Python polls, with one time for both.
    """
    if not sys.platform.startswith("linux"):
        sock.settimeout(TICK_SECONDS)
        return
    sock.setblocking(True)
    for option, seconds in ((socket.SO_RCVTIMEO, TICK_SECONDS), (socket.SO_SNDTIMEO, 1.0)):
        sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(seconds), int(seconds % 1 * 1e6)))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER_BYTES)
