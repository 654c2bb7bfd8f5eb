"""The user's cache, in files.py: what is kept, and what is never used."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from grader import files
from grader.files import read_cache, write_cache

if TYPE_CHECKING:
    from pathlib import Path

KEY = "0123456789abcdef"
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the kind `things`, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_cached", {})
    return tmp_path / "cache" / "backgrade" / "things"


def test_data_comes_back(folder: Path) -> None:
    """Under its key alone, and replaced by a second write; nothing else is left in the folder."""
    assert read_cache("things", KEY) is None
    write_cache("things", KEY, b"one")
    write_cache("things", KEY, b"two")
    write_cache("others", KEY, b"three")

    assert read_cache("things", KEY) == b"two"
    assert read_cache("things", "f" + KEY) is None
    assert [path.name for path in folder.iterdir()] == [KEY]


@posix
def test_nobody_else_can_read_or_write_it(folder: Path) -> None:
    """Neither the folder nor a file."""
    write_cache("things", KEY, b"one")

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / KEY).stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("others", [0o770, 0o707, 0o750])
def test_a_folder_of_others_is_not_used(folder: Path, others: int) -> None:
    """Whoever can write there could plant a result."""
    write_cache("things", KEY, b"one")
    folder.chmod(others)

    assert read_cache("things", KEY) is None
    write_cache("things", "b" + KEY, b"two")
    assert not (folder / ("b" + KEY)).exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_belongs_to_another_user_is_not_used(folder: Path, what: str) -> None:
    """Also with the right mode."""
    write_cache("things", KEY, b"one")
    os.chown(folder if what == "folder" else folder / KEY, 12345, 12345)

    assert read_cache("things", KEY) is None


@posix
@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_link_is_not_followed(folder: Path, what: str, tmp_path: Path) -> None:
    """Neither in the place of the folder nor of a file."""
    write_cache("things", KEY, b"one")
    path = folder if what == "folder" else folder / KEY
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    assert read_cache("things", KEY) is None


@posix
def test_a_pipe_does_not_wait(folder: Path) -> None:
    """Only a plain file is a result."""
    write_cache("things", "b" + KEY, b"one")
    os.mkfifo(folder / KEY, 0o600)

    assert read_cache("things", KEY) is None


@pytest.mark.parametrize("damage", ["", "truncated", "changed", "renamed"])
def test_a_damaged_file_is_not_used(folder: Path, damage: str) -> None:
    """Its checksum covers the data, the kind and the key."""
    write_cache("things", KEY, b"one")
    path, data = folder / KEY, (folder / KEY).read_bytes()
    key = "b" + KEY if damage == "renamed" else KEY
    path.with_name(key).write_bytes({"truncated": data[:-1], "changed": data[:-1] + b"x"}.get(damage, data))
    path.with_name(key).chmod(0o600)

    assert read_cache("things", key) == (None if damage else b"one")


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And a relative folder is none: it would be in the student's repository."""
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, "not/absolute")
    monkeypatch.chdir(tmp_path)

    write_cache("things", KEY, b"one")

    assert read_cache("things", KEY) is None
    assert not list(tmp_path.iterdir())


def test_a_cache_that_cannot_be_written_is_silent(folder: Path) -> None:
    """A file stands where the folder should be."""
    folder.parent.parent.mkdir()
    folder.parent.write_text("")

    write_cache("things", KEY, b"one")

    assert read_cache("things", KEY) is None


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oldest by their last use."""
    monkeypatch.setattr(files, "CACHE_BYTES", 1000)
    monkeypatch.setattr(files, "TRIM_EVERY", 4)
    for name in "abcd":
        write_cache("things", name, bytes(200))
        os.utime(folder / name, (ord(name), ord(name)))
    assert read_cache("things", "a")
    write_cache("things", "e", bytes(200))

    assert sorted(path.name for path in folder.iterdir()) == ["a", "d", "e"]
