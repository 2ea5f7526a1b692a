"""Reading a submission's archive: names and sizes are somebody else's claims, and nothing is ever unpacked to disk."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from grader.errors import UserError

MAX_FILES = 5_000
MAX_FILE_BYTES = 8 << 20
MAX_TOTAL_BYTES = 64 << 20
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
# What the readers raise; RuntimeError for an encrypted zip, NotImplementedError for an unknown compression.
DAMAGE = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)


class ArchiveError(UserError):
    """An archive that is damaged, too large, or not one of the known kinds."""


def is_archive(path: Path) -> bool:
    """Whether a file's name is that of an archive."""
    return path.name.lower().endswith(ENDINGS)


def read_archive(path: Path, ending: str = "") -> dict[str, bytes]:
    """The plain files of an archive, by name; links, devices and names that lead out of it are left out.

    Args:
        path: The archive.
        ending: Read only files whose name ends so.

    Raises:
        ArchiveError: If it can't be read, or holds more than is reasonable.
    """
    try:
        return _read(path, ending)
    except DAMAGE as error:
        why = str(error) or type(error).__name__
        raise ArchiveError(f"{path.name} can't be read: {why}", "Hand in the file itself.") from error


def _read(path: Path, ending: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    total = 0
    for count, (name, stream) in enumerate(_members(path), 1):
        if count > MAX_FILES:
            raise ArchiveError(f"{path.name} holds more than {MAX_FILES:,} files")
        clean = _clean(name)
        if clean is None or stream is None or not clean.endswith(ending):
            continue
        content = _bounded(stream, min(MAX_FILE_BYTES, MAX_TOTAL_BYTES - total))
        if content is None:
            raise ArchiveError(f"{path.name} holds too much: {clean} or all files together are too large")
        total += len(content)
        found[clean] = content
    return found


def _bounded(stream: IO[bytes], most: int) -> bytes | None:
    """The content, read only as far as it may go, whatever the archive says of its size; None if it is longer."""
    content = stream.read(most + 1)
    return content if len(content) <= most else None


def _members(path: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Name and stream of each plain file; the stream is None for anything else."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                plain = not info.is_dir() and (mode & 0o170000) in (0, 0o100000)
                if plain:
                    with archive.open(info) as stream:
                        yield info.filename, stream
                else:
                    yield info.filename, None
        return
    with tarfile.open(path) as archive:
        passed = 0
        for member in archive:
            passed += member.size  # to pass over a member is to decompress it
            if passed > MAX_TOTAL_BYTES * 4:
                raise ArchiveError(f"{path.name} holds too much")
            yield member.name, archive.extractfile(member) if member.isreg() else None


def _clean(name: str) -> str | None:
    """The name as a relative path with forward slashes; None if it leads out of the archive."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or "\0" in name or ".." in parts or parts[0].startswith("/") or ":" in parts[0]:
        return None
    return "/".join(parts)
