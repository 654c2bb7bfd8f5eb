"""Files that others may have prepared: nothing is read or written through a link of theirs.

Whoever fills a repository can put a symbolic link, a pipe or a device in the place of every file
and folder in it. What lies above the repository is the user's own: /tmp of macOS, a linked home.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import BinaryIO

from grader.errors import Refused

# Windows has none but the last, which it needs; there an ordinary user makes no links.
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


class FileError(Refused):
    """A file cannot be written; the text says which and why."""


class IsALink(OSError):
    """A symbolic link in the place of a file."""


class NotAFile(OSError):
    """A pipe, a socket or a device in the place of a file."""


class TooLarge(OSError):
    """A file of more than it may have: `size` bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(errno.EFBIG, os.strerror(errno.EFBIG))
        self.size = size


def absolute(path: Path) -> Path:
    """The path by its names from the root, without `..`; links stay what they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100  `resolve` would follow links, `absolute` keeps `..`


def seen_from(path: Path, here: Path) -> str:
    """The path as somebody in the folder `here` types it: by its names from there on, or else whole."""
    path, here = absolute(path), absolute(here)
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


# --- Links


def repository(path: Path) -> Path | None:
    """The nearest folder above `path` that holds `.git` and is no link to somebody else's repository."""
    above = absolute(path).parents
    return next((f for f in above if os.path.lexists(f / ".git") and not f.is_symlink()), None)


def link_in(folder: Path, path: Path) -> Path | None:
    """The first symbolic link on the way to `path`, itself included, that lies in `folder`."""
    path, top = absolute(path), folder.resolve()
    way = [*reversed(path.parents), path]
    return next((s for s in way if s.is_symlink() and s.parent.resolve().is_relative_to(top)), None)


def link_above(path: Path) -> Path | None:
    """The first folder on the way to `path` that is a link made by whoever filled its repository.

    Without a repository only the folder that holds it counts, unless that is the user's own.
    """
    folder, top = absolute(path).parent, repository(path)
    if top is not None:
        return link_in(top, folder)
    return folder if folder.is_symlink() and not _of_the_system(folder) else None


def _of_the_system(folder: Path) -> bool:
    """Whether it lies right below the root of the disk, or the home folder is in it."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  `Path.home` raises where there is none
    return folder.parent == Path(folder.anchor) or home.is_relative_to(folder)


# --- Reading


def read_plain(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """The bytes and the status of what is a file itself; neither follows a link nor waits for anybody.

    `limit` is in bytes. Raises IsALink, IsADirectoryError, NotAFile, TooLarge and other OSErrors.
    """
    path = absolute(path)
    _refuse_special(path.lstat())  # opening a device may have effects of its own
    with os.fdopen(os.open(path, os.O_RDONLY | _CAREFUL), "rb") as file:
        return _read(file, limit)


def _read(file: BinaryIO, limit: int) -> tuple[bytes, os.stat_result]:
    status = os.fstat(file.fileno())
    _refuse_special(status)
    if status.st_size > limit:
        raise TooLarge(status.st_size)
    return file.read(limit), status


def _refuse_special(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise IsALink(errno.ELOOP, "it is a symbolic link")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise NotAFile(errno.EINVAL, "it is a pipe, a socket or a device")


# --- Writing


def write_text(path: Path, text: str, course: Path, *, make_folder: bool = False) -> None:
    """Write a file whole or not at all, and through no link that lies in the folder `course`.

    Raises FileError.
    """
    write_bytes(path, text.encode(), course, make_folder=make_folder)


def write_bytes(path: Path, data: bytes, course: Path, *, make_folder: bool = False) -> None:
    """The same with bytes. Raises FileError."""
    path = absolute(path)
    try:
        if (folder := link_in(course, path.parent)) is not None:
            raise FileError(f"{path}: cannot be written: {folder} is a symbolic link, not a folder")
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        if _is_the_users(path, course):
            path.write_bytes(data)
        else:
            _replace(path, data)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}") from error


def write_new(path: Path, data: bytes, course: Path) -> None:
    """Write a file that is not there yet, through no link that lies in the folder `course`.

    Raises FileError, and FileExistsError where something has its name, be it a link to nowhere.
    """
    path = absolute(path)
    if (folder := link_in(course, path.parent)) is not None:
        raise FileError(f"{path}: cannot be written: {folder} is a symbolic link, not a folder")
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL, 0o666)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    except FileExistsError:
        raise
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}") from error


def _is_the_users(path: Path, course: Path) -> bool:
    """Whether it is a link or a device that no student can have made: /dev/stdout is one."""
    special = os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode)
    return special and not path.parent.resolve().is_relative_to(course.resolve())


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{time.time_ns():x}.backgrade")
    mode = stat.S_IMODE(path.lstat().st_mode) if path.is_file() and not path.is_symlink() else 0o666
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL, mode)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
