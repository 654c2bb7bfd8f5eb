"""Results that are kept between two commands, in the user's cache folder; everything there is safe to delete.

`~/.cache/backgrade/KIND/KEY`, or below XDG_CACHE_HOME. A result is used only if its folder and its file belong to this
user and nobody else can write there, and if its checksum holds. Every failure is silent: the caller computes again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 64_000_000  # of one kind
TRIM_EVERY = 100  # writes of a process: a folder is listed only so often
_CHECKSUM = 32  # bytes before the data
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
# Everywhere but on Windows, where the profile is the user's alone.
_BY_DESCRIPTOR = os.open in os.supports_dir_fd
_writes: dict[str, int] = {}


def read(kind: str, key: str) -> bytes | None:
    """Return what was written under a key, or None. A key is a hash of everything that the result depends on."""
    with contextlib.suppress(OSError), _opened(kind) as folder:
        name = _named(kind, key, folder)
        with os.fdopen(os.open(name, os.O_RDONLY | _CAREFUL, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _is_own(status):
                return None
            text = file.read()
        if text[:_CHECKSUM] == _checksum(kind, key, text[_CHECKSUM:]):
            with contextlib.suppress(OSError):
                os.utime(name, dir_fd=folder)  # the oldest are removed first
            return text[_CHECKSUM:]
    return None


def write(kind: str, key: str, data: bytes) -> None:
    """Keep data under a key; replace it whole or not at all."""
    with contextlib.suppress(OSError):
        os.makedirs(_path(kind), mode=0o700, exist_ok=True)  # noqa: PTH103  pathlib is not imported for this
        with _opened(kind) as folder:
            name, new = (_named(kind, each, folder) for each in (key, f".{key}-{os.urandom(8).hex()}"))
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL
                with os.fdopen(os.open(new, flags, 0o600, dir_fd=folder), "wb") as file:
                    file.write(_checksum(kind, key, data) + data)
                os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(new, dir_fd=folder)
                return
            _writes[kind] = _writes.get(kind, 0) + 1
            if _writes[kind] % TRIM_EVERY == 1:
                _trim(kind, folder)


def _path(kind: str) -> str:
    """Return the folder of a kind. Raises OSError if the user has no home."""
    asked, home = os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")  # noqa: PTH111  never raises
    default = os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else home
    top = asked if os.path.isabs(asked) else default  # noqa: PTH117  the specification: a relative path counts as unset
    if not os.path.isabs(top):  # noqa: PTH117  pathlib is not imported for this
        raise OSError("no home")
    return os.path.join(top, "backgrade", kind)  # noqa: PTH118  pathlib is not imported for this


@contextlib.contextmanager
def _opened(kind: str) -> Iterator[int | None]:
    """Open the folder of a kind and yield its descriptor; None on Windows. Raises OSError if it is not the user's alone."""
    if not _BY_DESCRIPTOR:
        yield None
        return
    number = os.open(_path(kind), os.O_RDONLY | os.O_DIRECTORY | _CAREFUL)
    try:
        if not _is_own(os.fstat(number)):
            raise PermissionError
        yield number
    finally:
        os.close(number)


def _is_own(status: os.stat_result) -> bool:
    """Return True for a file or folder of this user that nobody else can read or write."""
    return not _BY_DESCRIPTOR or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)


def _named(kind: str, key: str, folder: int | None) -> str:
    return f"{_path(kind)}{os.sep}{key}" if folder is None else key


def _checksum(kind: str, key: str, data: bytes) -> bytes:
    return hashlib.sha256(f"{kind}\0{key}\0".encode() + data).digest()


def _trim(kind: str, folder: int | None) -> None:
    """Remove the oldest files until three quarters of the allowed bytes are left."""
    with os.scandir(_path(kind) if folder is None else folder) as entries:
        found = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries]
    total = sum(status.st_size for status, _ in found)
    left = total if total <= MAX_BYTES else MAX_BYTES * 3 // 4
    for status, name in sorted(found, key=lambda pair: pair[0].st_mtime):
        if total > left:
            total -= status.st_size
            with contextlib.suppress(OSError):  # another process has removed it
                os.unlink(_named(kind, name, folder), dir_fd=folder)
