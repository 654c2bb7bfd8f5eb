"""The files in a zip, which is never unpacked to disk.

An archive that is damaged or lists more than MOST_ENTRIES files is refused. Any other fault concerns only the student
with the file: a link, an encrypted or damaged file, a file that is too large when unpacked, a name that is too long.
Files deeper than DEEPEST_KEPT folders are ignored.

The format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.12 (the directory at the end) and 4.4.15 (the upper half of the
external attributes is the file's mode on Unix).
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Literal

from grader.errors import Refused
from grader.submissions.submission import MAX_FILE, SubmissionError
from grader.submissions.tree import DEEPEST, LINK, LONGEST_NAME, MOST, NO_FILE, TOO_LARGE, TOO_LONG, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_ENTRIES = MOST  # so no folder in it has more
MOST_DIRECTORY = 8 << 20  # bytes of the list at the end
DEEPEST_KEPT = DEEPEST + 8  # folders, including those around a class
_TAIL = (1 << 16) + 22 + 76  # bytes at the end: a comment, and the pointer to the list in both forms
_PIECE = 1 << 16  # bytes
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError,
    struct.error,
)  # fmt: skip


class Archive:
    """The tree in a zip. Raises Refused if it is damaged or too long."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first = self._state()
        self._zip = _open_zip(path)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        self._folders: dict[str, dict[str, TreeEntry]] = {"": {}}
        self._unusable: set[str] = set()  # folders in which a name is too long
        for info in self._zip.infolist():
            self._add(info)

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Return a folder's entries by name; none for a missing folder. Raises SubmissionError."""
        if folder in self._unusable:
            raise SubmissionError(*TOO_LONG)
        return sorted(self._folders.get(folder, {}).values(), key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises SubmissionError, and Refused if the archive changed meanwhile."""
        info = self._infos[path]
        if trouble := _trouble(info):
            raise SubmissionError(*trouble)
        try:
            data = _unpack(self._zip, info)
        except _BROKEN:
            data = b""
        except OSError as error:
            raise Refused(f"{self.path}: cannot be read any more: {error.strerror}") from error
        if len(data) == info.file_size:
            return data
        if self._state() != self._first:
            raise Refused(f"{self.path}: the archive changed while it was read; try again")
        raise SubmissionError(
            "the copy in the class's archive is damaged", "the instructor should download the archive again"
        )

    def _state(self) -> tuple[int, int] | None:
        """Return the size and the time of change, which show that the archive was replaced."""
        with contextlib.suppress(OSError):
            status = self.path.stat()
            return status.st_size, status.st_mtime_ns
        return None

    def _add(self, info: zipfile.ZipInfo) -> None:
        """Add an entry with the folders above it; the later of two entries with one name stays."""
        parts = [part for part in _name(info).split("/", 2 * DEEPEST_KEPT) if part not in {"", "."}]
        if not parts:
            return
        kind = "folder" if len(parts) > DEEPEST_KEPT else _kind(info)
        parts = parts[:DEEPEST_KEPT]
        for depth, part in enumerate(parts):
            above = "/".join(parts[:depth])
            if len(part.encode(errors="replace")) > LONGEST_NAME:
                self._unusable.add(above)
                return
            is_last = depth == len(parts) - 1
            self._folders.setdefault(above, {})[part] = TreeEntry(part, kind if is_last else "folder")
        self._infos["/".join(parts)] = info


def _kind(info: zipfile.ZipInfo) -> Literal["file", "folder", "link", "other"]:
    mode = info.external_attr >> 16
    if info.is_dir() or stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_IFMT(mode) in {0, stat.S_IFREG} else "other"


def _trouble(info: zipfile.ZipInfo) -> tuple[str, str] | None:
    """Return the reason why a file cannot be read, and the remedy, for the student; None if it can be read.

    Only stored and deflated files are read: Python unpacks the others without a bound.
    """
    if _kind(info) == "link":
        return LINK
    if _kind(info) != "file":
        return NO_FILE
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted", "hand it in without a password"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "it is packed with a compression that is not read here", "pack it as an ordinary zip"
    return TOO_LARGE if info.file_size > MAX_FILE else None


def _unpack(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of an entry, at most one more than it declares. ZipExtFile.read would hold them twice."""
    data = io.BytesIO()
    with packed.open(info) as file:
        while (room := info.file_size + 1 - data.tell()) > 0 and (piece := file.read(min(room, _PIECE))):
            data.write(piece)
    return data.getvalue()


def _open_zip(path: Path) -> zipfile.ZipFile:
    """Return the archive; zipfile has read the list at its end. Raises Refused."""
    try:
        _refuse_long_list(path)
        return zipfile.ZipFile(path)
    except OSError as error:
        raise Refused(
            f"{path}: cannot be read: {error.strerror}; correct the name or the permissions"
        ) from error
    except _BROKEN:
        raise Refused(
            f"{path}: this is not a complete zip file; download it again, or unpack it and give the folder"
        ) from None


def _refuse_long_list(path: Path) -> None:
    """Raise Refused for a list of files for which zipfile would need too much memory."""
    with path.open("rb") as file:
        start, size = _directory(file)
        if size > MOST_DIRECTORY:
            raise Refused(
                f"{path}: the archive's own list of files is too large even for {MOST_ENTRIES:,} files; download the archive again"
            )
        file.seek(max(0, start))
        # Each entry begins with this signature; a name that contains it counts as one more.
        entries = file.read(size).count(b"PK\1\2")
    if entries > MOST_ENTRIES:
        raise Refused(
            f"{path}: the archive has {entries:,} files, and at most {MOST_ENTRIES:,} are allowed; unpack the archive, "
            "remove the files that are not students' work, and give the folder"
        )


def _directory(file: BinaryIO) -> tuple[int, int]:
    """Return the offset and the claimed size, in bytes, of the list at the end, found as zipfile finds it."""
    begin = max(0, file.seek(0, os.SEEK_END) - _TAIL)
    file.seek(begin)
    tail = file.read(_TAIL)
    at = tail.rfind(b"PK\5\6")
    if tail[-22:-18] == b"PK\5\6" and tail.endswith(b"\0\0"):
        at = len(tail) - 22  # without a comment it is the very end
    if at < 0:
        return 0, 0
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    if at >= 76 and tail[at - 20 : at - 16] == b"PK\6\7":
        at -= 76
        size = int.from_bytes(tail[at + 40 : at + 48], "little")
    return begin + at - size, size


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name with `/` between folders; tries UTF-8 even if it is not declared, as on a Mac."""
    name = info.orig_filename.replace("\\", "/")  # some programs on Windows write backslashes
    if not info.flag_bits & _UTF8:
        with contextlib.suppress(UnicodeError):
            return name.encode("cp437").decode()
    return name
