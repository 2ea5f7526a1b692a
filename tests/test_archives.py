"""Archives of submissions: what is read, and what is refused."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from grader.archives import MAX_FILE_BYTES, MAX_FILES, ArchiveError, is_archive, read_archive
from grader.course import Lesson
from grader.submissions import SubmissionError, read_submission
from tests.support import course

NAME = "lesson06_collectives.py"


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def lesson() -> Lesson:
    return course().lesson("6")


def test_plain_files_are_read_by_name(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"src/a.py": b"1", "b.txt": b"2", "src/": b""})
    assert read_archive(path) == {"src/a.py": b"1", "b.txt": b"2"}
    assert read_archive(path, ".py") == {"src/a.py": b"1"}


@pytest.mark.parametrize("name", ["../a.py", "/etc/a.py", "x/../../a.py", "C:\\a.py", "..\\a.py"])
def test_names_that_lead_out_are_left_out(tmp_path: Path, name: str) -> None:
    zip_path = zipped(tmp_path / "a.zip", {name: b"evil", "ok.py": b"fine"})
    tar_path = tarred(tmp_path / "a.tar.gz", [(tarfile.TarInfo(name), b"evil"), (tarfile.TarInfo("ok.py"), b"fine")])
    assert read_archive(zip_path) == read_archive(tar_path) == {"ok.py": b"fine"}


def test_links_are_left_out(tmp_path: Path) -> None:
    link = tarfile.TarInfo("solution.py")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    assert read_archive(tarred(tmp_path / "a.tgz", [(link, b"")])) == {}
    info = zipfile.ZipInfo("link.py")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert read_archive(tmp_path / "a.zip") == {}


def test_a_bomb_is_refused_after_reading_no_more_than_is_allowed(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", {"a.py": b"\0" * (MAX_FILE_BYTES + 1)})
    assert path.stat().st_size < 20_000
    with pytest.raises(ArchiveError, match="too much"):
        read_archive(path)


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "many.zip", {f"{n}.py": b"" for n in range(MAX_FILES + 1)})
    with pytest.raises(ArchiveError, match="more than"):
        read_archive(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"\x1f\x8b broken gzip", b"x" * 1000])
@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar"])
def test_damage_is_said_and_never_raised_otherwise(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match="can't be read"):
        read_archive(path)


def test_a_truncated_archive_is_damage(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "a.tar.gz", [(tarfile.TarInfo("a.py"), bytes(range(256)) * 400)]).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ArchiveError, match="can't be read"):
        read_archive(tmp_path / "cut.tar.gz")


def test_archives_are_known_by_their_names() -> None:
    assert is_archive(Path("hw.ZIP"))
    assert is_archive(Path("hw.tar.gz"))
    assert not is_archive(Path(NAME))


def test_the_lessons_file_is_found_in_an_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "hw.zip", {f"me/{NAME}": b"x = 1", f"__MACOSX/me/{NAME}": b"junk", "notes.py": b""})
    assert read_submission(lesson(), path).content == b"x = 1"


def test_two_files_that_match_the_lesson_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "hw.zip", {f"a/{NAME}": b"1", f"b/{NAME}": b"2"})
    with pytest.raises(SubmissionError, match="2 times"):
        read_submission(lesson(), path)


def test_an_archive_without_the_lesson_says_what_it_holds(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"holds no lesson06_collectives\.py\nIt holds other\.py"):
        read_submission(lesson(), zipped(tmp_path / "hw.zip", {"other.py": b""}))


def test_a_file_too_large_to_be_a_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(SubmissionError, match="larger than 1 MB"):
        read_submission(lesson(), tmp_path / NAME)
