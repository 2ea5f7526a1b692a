"""What student code prints, kept up to a cap."""

from __future__ import annotations

import io

CAP_BYTES = 1 << 16


class _CappedBytes(io.RawIOBase):
    """Keeps the first bytes that are written and counts the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = bytearray()
        self.total = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        size = memoryview(data).nbytes
        room = CAP_BYTES - len(self.kept)
        if room > 0:
            self.kept += bytes(memoryview(data).cast("B")[:room])
        self.total += size
        return size


class Capture(io.TextIOWrapper):
    """A stand-in for sys.stdout and sys.stderr that remembers what was written."""

    def __init__(self) -> None:
        """Nothing written yet."""
        self._bytes = _CappedBytes()
        options = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n", "write_through": True}
        super().__init__(self._bytes, **options)  # type: ignore[arg-type]

    def take(self) -> str:
        """The text since the last call, with a line that says so if it was cut."""
        if self._bytes.total == 0:
            return ""
        text = self._bytes.kept.decode("utf-8", "replace")
        if self._bytes.total > CAP_BYTES:
            text += f"\n… cut: {self._bytes.total:,} bytes were printed"
        self._bytes.kept.clear()
        self._bytes.total = 0
        return text

    def close(self) -> None:
        """Stay open: a program that closes its stdout has still nothing to hide."""
