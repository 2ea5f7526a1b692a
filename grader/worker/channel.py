"""The worker's end of its socket to the judge."""

from __future__ import annotations

import socket
from typing import Any

from . import wire

FLUSH_BYTES = 1 << 18


class Channel:
    """Frames to and from the judge. What needs no answer is kept back until something does, to save system calls."""

    def __init__(self, sock: socket.socket) -> None:
        """Use a connected, blocking socket."""
        self._socket = sock
        self._frames = wire.Frames()
        self._outgoing = bytearray()

    def post(self, *pieces: wire.Buffer) -> None:
        """Queue a frame, in pieces; it leaves with the next ``flush``, or when the queue is long or a piece large."""
        for piece in pieces:
            if len(piece) >= wire.LARGE_BYTES:
                self.flush()
                self._socket.sendall(piece)
            else:
                self._outgoing += piece
        if len(self._outgoing) > FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send what is queued."""
        if self._outgoing:
            self._socket.sendall(self._outgoing)
            self._outgoing.clear()

    def read(self) -> tuple[dict[str, Any], Any, wire.Buffer]:
        """Wait for the next frame: envelope, encoded value and buffers.

        Raises:
            EOFError: If the judge has gone.
        """
        self.flush()
        while (frame := self._frames.next()) is None:
            if self._frames.receive(self._socket) == 0:
                raise EOFError
        return frame
