"""The worker's end of its socket to the judge."""

from __future__ import annotations

import socket
from typing import Any

from . import wire

FLUSH_BYTES = 1 << 18
READ_BYTES = 1 << 18


class Channel:
    """Frames to and from the judge. What needs no answer is kept back until something does, to save system calls."""

    def __init__(self, sock: socket.socket) -> None:
        """Use a connected, blocking socket."""
        self._socket = sock
        self._frames = wire.Frames()
        self._outgoing = bytearray()

    def post(self, data: bytes) -> None:
        """Queue a frame; it leaves with the next ``flush``, or when the queue is long."""
        self._outgoing += data
        if len(self._outgoing) > FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send what is queued."""
        queued, self._outgoing = self._outgoing, bytearray()
        self._socket.sendall(queued)

    def read(self) -> tuple[dict[str, Any], Any, bytes]:
        """Wait for the next frame: envelope, encoded value and buffers.

        Raises:
            EOFError: If the judge has gone.
        """
        self.flush()
        while (frame := self._frames.next()) is None:
            data = self._socket.recv(READ_BYTES)
            if not data:
                raise EOFError
            self._frames.feed(data)
        return frame
