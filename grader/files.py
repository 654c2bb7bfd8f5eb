"""Safe access to files: in a student's repository no symbolic link of the student's is followed.

A student can replace any file or folder of the repository by a symbolic link, a pipe or a device, even while the
grader reads it. So the grader does not inspect a path and open it afterwards: it opens the folder first, following no
link, and then the file by its name in that open folder. Links above the repository belong to the user (/tmp of macOS,
a linked home) and are followed.

The user's cache stores results between two commands: `~/.cache/backgrade/KIND/KEY`, or below XDG_CACHE_HOME. A result
is used only if its folder and its file belong to this user, others cannot write there, and its checksum is right. Every
failure is silent: the caller computes again. The cache is always safe to delete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader.errors import Refused, reason_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

# Windows has only O_BINARY, and needs it; an ordinary user cannot make links there.
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
_CLOSED = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _CLOSED
_LOOK = getattr(os, "O_PATH", os.O_RDONLY)  # opens files in a folder without the right to list it
_BY_DESCRIPTOR = os.open in os.supports_dir_fd  # False only on Windows

CACHE_BYTES = 64_000_000  # of one kind
TRIM_EVERY = 100  # writes of a process between two listings of a cache folder
_CHECKSUM = 32  # bytes before the data
_cached: dict[str, int] = {}  # writes of this process by kind


class NotPlain(OSError):
    """The path is not a plain file, or the file exceeds the limit with its `size` bytes."""

    def __init__(
        self, kind: Literal["link", "folder", "special", "large"], path: Path, size: int = 0
    ) -> None:
        code, text = _NOT_PLAIN[kind]
        super().__init__(code, text or os.strerror(code), str(path))
        self.kind, self.size = kind, size


# The endings of pages, reports and tables of `grade`; and the first bytes of a results file.
PAGES = frozenset({".html", ".htm"})
REPORTS = PAGES | {"", ".json", ".xml", ".md", ".txt", ".log"}
TABLES = REPORTS | {".csv", ".tsv"}
_DATABASE = b"SQLite format 3\0"

_NOT_PLAIN = {
    "link": (errno.ELOOP, "it is a symbolic link"),
    "folder": (errno.EISDIR, ""),
    "special": (errno.EINVAL, "it is a pipe, a socket or a device"),
    "large": (errno.EFBIG, ""),
}


def absolute(path: Path) -> Path:
    """Return the path from the root, without `..`, with its links."""
    return Path(os.path.abspath(path))  # noqa: PTH100  `resolve` would follow links, `absolute` keeps `..`


def seen_from(path: Path, here: Path) -> str:
    """Return the path as a user in the folder `here` would type it: relative if below, else absolute."""
    path, here = absolute(path), absolute(here)
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


# --- Links


def find_repository(path: Path) -> Path | None:
    """Return the nearest folder above `path` that contains `.git` and is not a link."""
    above = absolute(path).parents
    return next((f for f in above if os.path.lexists(f / ".git") and not f.is_symlink()), None)


def link_in(folder: Path, path: Path) -> Path | None:
    """Return the first symbolic link in `folder` on the way to `path`, or `path` itself if it is one."""
    path, top = absolute(path), folder.resolve()
    way = [*reversed(path.parents), path]
    return next((s for s in way if s.is_symlink() and s.parent.resolve().is_relative_to(top)), None)


def users_own(path: Path) -> Path:
    """Return the folder above `path` below which links are refused; links up to it belong to the user.

    It is the folder that contains the repository. Without a repository it is the parent of `path`'s folder, so that this
    folder must not be a link either, or that folder itself if it belongs to the system.
    """
    folder, top = absolute(path).parent, find_repository(path)
    if top is not None:
        return top.parent
    return folder if _of_the_system(folder) else folder.parent


def _first_in(folder: Path, path: Path) -> Path:
    """Return the first folder on the way to `path` that is `folder` or is in it; else the parent of `path`."""
    top = folder.resolve()
    way = reversed(path.parents)
    return next((step for step in way if step.resolve().is_relative_to(top)), path.parent)


def _of_the_system(folder: Path) -> bool:
    """Return True if the folder is directly below the root of the disk, or contains the home folder."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  `Path.home` raises where there is none
    return folder.parent == Path(folder.anchor) or home.is_relative_to(folder)


# --- Open folders


@contextlib.contextmanager
def opened_folder(folder: Path, below: Path, how: int = _LOOK) -> Iterator[int | None]:
    """Open a folder, following no symbolic link below `below`, and yield its descriptor.

    Links on the way to `below` are followed. While the folder is open, no other folder can replace it.
    Yields None on Windows, where files are opened by path. Raises NotPlain, which names the link, and OSErrors.
    """
    folder, below = absolute(folder), absolute(below)
    if not folder.is_relative_to(below):
        raise OSError(errno.EXDEV, f"it is outside {below}", str(folder))
    if not _BY_DESCRIPTOR:
        _refuse_links(folder, below)
        yield None
        return
    number = _open_folders(folder, below, how)
    try:
        yield number
    finally:
        os.close(number)


def _open_folders(folder: Path, below: Path, how: int) -> int:
    """Open each folder within the one before. Raises NotPlain, which names the link, and OSErrors."""
    names = folder.relative_to(below).parts
    number = os.open(below, (_LOOK if names else how) | _FOLDER)
    for place, name in enumerate(names, start=1):
        above, flags = number, _LOOK if place < len(names) else how
        try:
            number = os.open(name, flags | _FOLDER | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            if _met_a_link(error, name, above):
                _refuse_links(folder, below)  # so that the error names the link, if it is still there
                raise NotPlain("link", folder) from None
            raise
        finally:
            os.close(above)
    return number


def _met_a_link(error: OSError, name: str, folder: int) -> bool:
    """Return True if opening a folder failed at a link, which may have been replaced since."""
    if error.errno != errno.ENOTDIR:
        return error.errno == errno.ELOOP
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    return stat.S_ISLNK(mode) or stat.S_ISDIR(mode)


def _refuse_links(folder: Path, below: Path) -> None:
    way = [
        step for step in reversed([folder, *folder.parents]) if step.is_relative_to(below) and step != below
    ]
    for step in way:
        if step.is_symlink():
            raise NotPlain("link", step)


def _relative_name(path: Path, folder: int | None) -> str:
    """Return the name of a file for a call with `dir_fd`: relative to an open folder, else the whole path."""
    return str(path) if folder is None else path.name or "."


# --- Reading


def read_plain(path: Path, limit: int, below: Path | None = None) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a plain file, without following a link or waiting for a pipe.

    No folder between `below` and the file may be a link; without `below` all of them may.
    `limit` is in bytes. Raises NotPlain and other OSErrors.
    """
    path = absolute(path)
    with opened_folder(path.parent, below or path.parent) as folder:
        name = _relative_name(path, folder)
        # Inspect before opening: opening a device may have effects. A link that appears afterwards is not followed.
        _refuse_special(os.stat(name, dir_fd=folder, follow_symlinks=False), path)
        with os.fdopen(_opened_file(path, folder), "rb") as file:
            status = os.fstat(file.fileno())
            _refuse_special(status, path)
            if status.st_size > limit:
                raise NotPlain("large", path, status.st_size)
            # The kernel's own files, as in /proc, report size 0.
            return file.read(min(limit, status.st_size) or limit), status


def _opened_file(path: Path, folder: int | None) -> int:
    try:
        return os.open(_relative_name(path, folder), os.O_RDONLY | _CAREFUL | _CLOSED, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotPlain("link", path) from None
        raise


def _refuse_special(status: os.stat_result, path: Path) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise NotPlain("link", path)
    if stat.S_ISDIR(status.st_mode):
        raise NotPlain("folder", path)
    if not stat.S_ISREG(status.st_mode):
        raise NotPlain("special", path)


# --- Writing


def refuse_to_replace(path: Path, option: str, inputs: Iterable[Path], endings: Container[str]) -> None:
    """Raise Refused if the file of `option` is one of these inputs, under any name, or may be work or a results file.

    A file with one of these endings and a single link counts as an earlier report, unless it belongs to an input.
    """
    with contextlib.suppress(OSError, ValueError):  # writing will report an inaccessible file
        real = Path(os.path.realpath(path))
        if real.is_file() and not real.stat().st_size:
            return
        if _is_no_report(real, endings) or any(_belongs_to(each, real) for each in inputs if each.exists()):
            raise Refused(
                f"{path}: {option} would overwrite this file, and perhaps it is not a page or table from `grade`; "
                "name another file"
            )


def _is_no_report(real: Path, endings: Container[str]) -> bool:
    is_odd = real.suffix.lower() not in endings or real.name.startswith(".") or real.stat().st_nlink > 1
    return real.is_file() and (is_odd or real.read_bytes().startswith(_DATABASE))


def _belongs_to(given: Path, real: Path) -> bool:
    """Return True for a path that is `given` or in that folder, except for reports among `assignments`."""
    above = next((step for step in (real, *real.parents) if step.samefile(given)), None)
    if above is None or above.name != "assignments" or real.is_dir():
        return above is not None
    is_lesson = real.suffix.lower() == ".csv" or real.stem.upper() == "README"
    return is_lesson or "checks" in real.relative_to(above).parts


def write_text(path: Path, text: str, course: Path, *, make_folder: bool = False) -> None:
    """Write a file completely or not at all, following no link in the folder `course`.

    Raises Refused.
    """
    write_bytes(path, text.encode(), course, make_folder=make_folder)


def write_bytes(path: Path, data: bytes, course: Path, *, make_folder: bool = False) -> None:
    """Write bytes in the same way. Raises Refused."""
    path = absolute(path)
    with _refusing(path):
        below = _first_in(course, path)
        if make_folder:
            _make_folders(path.parent, below)
        if _is_the_users(path, course):
            path.write_bytes(data)
            return
        with opened_folder(path.parent, below) as folder:
            _replace(path, folder, data)


def write_new(path: Path, data: bytes, course: Path) -> None:
    """Write a file that does not exist yet, following no link in the folder `course`.

    Raises Refused, and FileExistsError if the name is taken, even by a broken link.
    """
    path = absolute(path)
    with _refusing(path, FileExistsError), opened_folder(path.parent, _first_in(course, path)) as folder:
        _create(_relative_name(path, folder), folder, data, 0o666)


@contextlib.contextmanager
def _refusing(path: Path, *but: type[OSError]) -> Iterator[None]:
    """Raise Refused instead of an OSError, except for the classes in `but`."""
    try:
        yield
    except but:
        raise
    except NotPlain as error:
        raise Refused(
            f"{path}: cannot be written, because {error.filename} is a symbolic link; remove the link"
        ) from error
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {reason_of(error)}") from error


def _make_folders(folder: Path, below: Path) -> None:
    """Make `below` and the missing folders from there to `folder`."""
    if not below.is_dir():
        below.mkdir(parents=True, exist_ok=True)
    for step in reversed([folder, *folder.parents]):
        if step.is_relative_to(below) and step != below:
            with opened_folder(step.parent, below) as above, contextlib.suppress(FileExistsError):
                os.mkdir(_relative_name(step, above), dir_fd=above)


def _is_the_users(path: Path, course: Path) -> bool:
    """Return True for a link or a device outside the course, such as /dev/stdout, which no student can have made."""
    special = os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode)
    return special and not path.parent.resolve().is_relative_to(course.resolve())


def _replace(path: Path, folder: int | None, data: bytes, mode: int | None = None) -> None:
    """Replace the file of that name; its mode stays, or is `mode`."""
    name = _relative_name(path, folder)
    temporary = _relative_name(path.with_name(f".{os.urandom(8).hex()}.backgrade"), folder)
    _create(temporary, folder, data, _mode(name, folder) if mode is None else mode)
    try:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _remove(temporary, folder)
        raise


def _mode(name: str, folder: int | None) -> int:
    with contextlib.suppress(FileNotFoundError):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return stat.S_IMODE(status.st_mode)
    return 0o666


def _create(name: str, folder: int | None, data: bytes, mode: int) -> None:
    """Create a file with these bytes; remove it again if writing fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL | _CLOSED
    number = os.open(name, flags, mode, dir_fd=folder)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
    except OSError:
        _remove(name, folder)
        raise


def _remove(name: str, folder: int | None) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


# --- The user's cache


def read_cache(kind: str, key: str) -> bytes | None:
    """Return the data under a key, or None. A key is a hash of everything on which the result depends."""
    with contextlib.suppress(OSError):
        path = _cache(kind) / key
        with _opened_cache(path.parent) as folder:
            with os.fdopen(_opened_file(path, folder), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or not _is_own(status):
                    return None
                text = file.read()
            if text[:_CHECKSUM] == _checksum(kind, key, text[_CHECKSUM:]):
                with contextlib.suppress(OSError):
                    os.utime(_relative_name(path, folder), dir_fd=folder)  # the oldest are removed first
                return text[_CHECKSUM:]
    return None


def write_cache(kind: str, key: str, data: bytes) -> None:
    """Store data under a key, completely or not at all."""
    with contextlib.suppress(OSError):
        path = _cache(kind) / key
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _opened_cache(path.parent) as folder:
            _replace(path, folder, _checksum(kind, key, data) + data, 0o600)
            _cached[kind] = _cached.get(kind, 0) + 1
            if _cached[kind] % TRIM_EVERY == 1:
                _trim(path.parent, folder)


def write_beside_cache(kind: str, name: str, data: bytes) -> Path:
    """Write a file that other programs open, without a checksum; return its path. Raises OSError."""
    path = _cache(kind) / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _opened_cache(path.parent) as folder:
        _replace(path, folder, data, 0o600)
    return path


def _cache(kind: str) -> Path:
    """Return the folder of a kind. Raises OSError if the user has no home."""
    home = os.path.expanduser("~/.cache")  # noqa: PTH111  never raises
    default = os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else home
    for top in (os.environ.get("XDG_CACHE_HOME", ""), default):
        if os.path.isabs(top):  # noqa: PTH117  the specification: a relative path counts as unset
            return Path(top, "backgrade", kind)
    raise OSError("no home")


@contextlib.contextmanager
def _opened_cache(path: Path) -> Iterator[int | None]:
    """Open a folder and yield its descriptor; None on Windows. Raises OSError unless it is private to the user."""
    with opened_folder(path, path.parent, os.O_RDONLY) as number:
        if number is not None and not _is_own(os.fstat(number)):
            raise PermissionError
        yield number


def _is_own(status: os.stat_result) -> bool:
    """Return True for a file or folder of this user without access for others; on Windows, for all."""
    if not _BY_DESCRIPTOR or not hasattr(os, "geteuid"):  # a browser has one user
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _checksum(kind: str, key: str, data: bytes) -> bytes:
    import hashlib  # most modules that open files need no hash

    return hashlib.sha256(f"{kind}\0{key}\0".encode() + data).digest()


def _trim(path: Path, folder: int | None) -> None:
    """Remove the oldest files until three quarters of the allowed bytes are left."""
    with os.scandir(path if folder is None else folder) as entries:
        found = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries]
    total = sum(status.st_size for status, _ in found)
    left = total if total <= CACHE_BYTES else CACHE_BYTES * 3 // 4
    for status, name in sorted(found, key=lambda pair: pair[0].st_mtime):
        if total > left:
            total -= status.st_size
            with contextlib.suppress(OSError):  # another process has removed it
                os.unlink(_relative_name(path / name, folder), dir_fd=folder)
