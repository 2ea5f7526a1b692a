"""Files written whole, the user's own folder, and errors that say the way out."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from grader.course import CourseError
from grader.errors import UserError
from grader.files import make_writable, user_state_folder, write_text


def test_users_state_folder_follows_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    fallback = tmp_path / ".local" / "state" / "grade"
    assert user_state_folder({}, "linux") == fallback
    assert user_state_folder({"XDG_STATE_HOME": "relative"}, "linux") == fallback
    assert user_state_folder({"LOCALAPPDATA": str(tmp_path / "local")}, "linux") == fallback
    assert user_state_folder({"LOCALAPPDATA": str(tmp_path / "local")}, "win32") == tmp_path / "local" / "grade"
    assert user_state_folder({"XDG_STATE_HOME": str(tmp_path / "xdg")}, "darwin") == tmp_path / "xdg" / "grade"


def test_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "one\n")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "two\n\ud800")
    assert path.read_bytes() == b"one\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_link_stays_a_link_when_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"


def test_error_shows_its_hint_on_a_line_of_its_own_and_can_be_sent() -> None:
    error = CourseError("wrong", "do this")
    assert str(error) == "wrong\ndo this"
    assert str(UserError("wrong")) == "wrong"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.message, copy.hint) == (CourseError, "wrong", "do this")


def test_folder_is_found_writable_by_writing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert make_writable(tmp_path / "a" / "b")
    assert not make_writable(tmp_path / "file")
    assert not make_writable(tmp_path / "file" / "b")
