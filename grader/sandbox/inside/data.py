"""The files of `data/`, kept in memory, where `open` and other functions of Python find them.

A sealed jail may look up no path, because access times and the kernel's cache outlive it. So these files are on no disk:
the grader sends them, and `open`, `os.stat`, `os.listdir` and all functions built on them find them here. Paths in the
current folder never reach the system; that folder holds only `data`. C code that opens files itself finds none.
"""

import builtins
import errno
import genericpath
import io
import os
import posixpath
import stat
import sys
from typing import Any, Self

HERE = "/notebook"  # the current folder; no system has one of this name
_fspath, _fsdecode, _fsencode = os.fspath, os.fsdecode, os.fsencode
_normal, _join, _is_absolute = posixpath.normpath, posixpath.join, os.path.isabs
_KEEPERS = {
    "bz2": "_builtin_open",
    "tarfile": "bltn_open",
}  # modules that keep `open` under names of their own


class Data:
    """The files by path, and replacements for Python's functions that read files."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.folders: dict[str, list[str]] = {}  # the names in each
        self.own_open = io.open
        self.own = {name: getattr(os, name) for name in ("getcwd", "stat", "lstat", "listdir", "scandir")}

    def add(self, name: str, content: bytes) -> None:
        """Add a file below `data/`, or the next part of one."""
        path = _join(HERE, "data", name)
        self.files[path] = self.files.get(path, b"") + content
        while path != HERE:
            path, _, name = path.rpartition("/")
            names = self.folders.setdefault(path, [])
            if name not in names:
                names.append(name)

    def offer(self) -> None:
        """Replace Python's functions, even if a submission has replaced them before."""
        self._bind(self.open, {name: getattr(self, name) for name in self.own})

    def withdraw(self) -> None:
        """Restore Python's own functions."""
        self._bind(self.own_open, self.own)

    def _bind(self, opener: Any, functions: dict[str, Any]) -> None:
        if not self.files:
            return
        builtins.open = io.open = opener
        vars(os).update(functions)
        for module, name in _KEEPERS.items():
            if module in sys.modules:
                setattr(sys.modules[module], name, opener)
        if os.name == "nt":  # Windows' functions ask the system
            vars(os.path).update({name: getattr(genericpath, name) for name in ("exists", "isdir", "isfile")})
        kept = getattr(sys.modules.get("numpy.lib._datasource"), "_file_openers", None)  # of `loadtxt`
        if kept is not None:
            kept._file_openers[None] = opener  # noqa: SLF001

    # Paths

    def place(self, path: Any, dir_fd: Any = None) -> str | None:
        """Return the absolute path of a path in the current folder; None for a path of the system."""
        if dir_fd is not None or isinstance(path, int) or not (path := _fspath(path)):
            return None
        whole = _normal(_join(HERE, _fsdecode(path).replace(os.sep, "/")))
        is_ours = not _is_absolute(path) or whole == HERE or whole.startswith(f"{HERE}/")
        return whole if is_ours else None

    def names(self, path: Any) -> list[Any]:
        """Return the names in a folder of `data`. Raises FileNotFoundError and NotADirectoryError as the system does."""
        place = self.place(path)
        if place not in self.folders:
            raise _error(errno.ENOTDIR if place in self.files else errno.ENOENT, path)
        names = sorted(self.folders[place])
        return [_fsencode(name) for name in names] if isinstance(_fspath(path), bytes) else names

    # The replacements

    def open(  # noqa: PLR0917  as `open` has them
        self,
        file: Any,
        mode: Any = "r",
        buffering: int = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        *more: Any,
        **named: Any,
    ) -> Any:
        """Open a file as `open` does; nothing can be written."""
        place = None if more or named else self.place(file)
        if place is None or not isinstance(mode, str) or not {*mode} <= {*"rwxabt+"}:
            return self.own_open(file, mode, buffering, encoding, errors, newline, *more, **named)
        if {*"wxa+"} & {*mode}:
            raise PermissionError(errno.EACCES, "nothing can be written while this is graded", file)
        if place not in self.files:
            raise _error(errno.EISDIR if place in self.folders else errno.ENOENT, file)
        raw: Any = io.BytesIO(self.files[place])  # a copy, so that changes stay private
        raw.name, raw.mode = file, "rb"
        if "b" in mode:
            return io.BufferedReader(raw) if buffering else raw
        text: Any = io.TextIOWrapper(io.BufferedReader(raw), encoding, errors, newline)
        text.mode = mode
        return text

    def getcwd(self) -> str:
        """Return the current folder."""
        return HERE

    def stat(self, path: Any, *, dir_fd: Any = None, follow_symlinks: bool = True) -> Any:
        """Return what `os.stat` does; the times are 0."""
        place = self.place(path, dir_fd)
        if place is None:
            return self.own["stat"](path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        if place not in {**self.folders, **self.files}:
            raise _error(errno.ENOENT, path)
        kind = stat.S_IFDIR | 0o555 if place in self.folders else stat.S_IFREG | 0o444
        number = [*self.folders, *self.files].index(place)
        return os.stat_result((kind, number, 0, 1, 0, 0, len(self.files.get(place, b"")), 0, 0, 0))

    def lstat(self, path: Any, *, dir_fd: Any = None) -> Any:
        """Return what `os.lstat` does; there are no links."""
        return self.stat(path, dir_fd=dir_fd, follow_symlinks=False)

    def listdir(self, path: Any = ".") -> list[Any]:
        """Return the names in a folder."""
        return self.own["listdir"](path) if self.place(path) is None else self.names(path)

    def scandir(self, path: Any = ".") -> Any:
        """Return the entries of a folder, as `os.scandir` does."""
        if self.place(path) is None:
            return self.own["scandir"](path)
        return _Entries(lambda name: _Entry(self, os.path.join(path, name), name), self.names(path))


def _error(number: int, path: Any) -> OSError:
    return OSError(number, os.strerror(number), path)


class _Entries(map):  # type: ignore[type-arg]
    """The entries of a folder, one after the other."""

    def __enter__(self) -> Self:
        return self

    def close(self, *_: object) -> None:
        """Do nothing: nothing is open."""

    __exit__ = close


class _Entry:
    """A file or a folder in another one, as `os.DirEntry`."""

    def __init__(self, data: Data, path: Any, name: Any) -> None:
        self._data, self.path, self.name = data, path, name

    def __fspath__(self) -> Any:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        return self._data.stat(self.path, follow_symlinks=follow_symlinks)

    def is_dir(self, **_: bool) -> bool:
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, **_: bool) -> bool:
        return not self.is_dir()

    def is_symlink(self) -> bool:
        return False

    is_junction = is_symlink
