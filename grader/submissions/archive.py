"""A zip of students' work: looked at as a whole before anything of it is read, and never unpacked to disk.

Refused, with the entry that is at fault: names that leave the archive (`..`, from the root, with a drive or a
backslash), links, devices, names twice or twice but for case, encrypted entries, entries that overlap or are
packed in another way than the usual two, and more than MOST_ENTRIES of them. A file that is too large, however
small it is packed, one that is damaged or longer than it says, and a name that is too long are the trouble of the
student whose it is. Names are kept down to DEEPEST_KEPT folders; what lies deeper is nobody's work.

The format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7 (what stands before each file), 4.3.12 (the directory at
the end) and 4.4.15 (the upper half of the external attributes is the file's mode on Unix).
"""

from __future__ import annotations

import contextlib
import io
import os
import posixpath
import re
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

from grader.errors import Refused
from grader.report import in_one_line
from grader.submissions.keys import same_key
from grader.submissions.submission import SubmissionError
from grader.submissions.tree import DEEPEST, LARGEST, LONGEST_NAME, MOST, TOO_LARGE, TOO_LONG, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_ENTRIES = MOST  # so that no folder in it has more
MOST_DIRECTORY = 8 << 20  # bytes of the list at the end
DEEPEST_KEPT = DEEPEST + 8  # folders; with those around a class
_TAIL = (1 << 16) + 22 + 76  # bytes at the end: a comment, and what points at the list, in both forms
_PIECE = 1 << 16  # bytes
SHOWN = 120  # characters of a name that is quoted
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_LOCAL = struct.Struct("<4s22xHH")  # signature, then the lengths of name and extra field
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError,
    struct.error,
)  # fmt: skip


class Archive:
    """The tree in a zip. Raises Refused where it is none, or holds what no honest one does."""

    on_disk = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first = self._state()
        self._zip = _opened(path)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        self._folders: dict[str, dict[str, TreeEntry]] = {"": {}}
        self._unusable: set[str] = set()  # folders in which a name is too long
        try:
            self._look(self._zip.infolist())
        except Refused:
            self._zip.close()
            raise

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Return a folder's entries by name; none where there is no such folder. Raises SubmissionError."""
        found = self._folders.get(folder, {})
        if folder in self._unusable:
            raise SubmissionError(TOO_LONG)
        return sorted(found.values(), key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises SubmissionError, and Refused where the archive cannot be read any more."""
        info = self._infos[path]
        if info.file_size > LARGEST:
            raise SubmissionError(TOO_LARGE)
        try:
            data = _unpacked(self._zip, info)
        except _BROKEN:
            data = b""
        except OSError as error:
            raise Refused(f"{self.path}: cannot be read any more: {error.strerror}") from error
        if len(data) == info.file_size:
            return data
        if self._state() != self._first:
            raise Refused(f"{self.path}: it is not the archive any more that it was; try again")
        raise SubmissionError("it is damaged in the archive; hand it in again")

    def _state(self) -> tuple[int, int] | None:
        """What tells that the archive was changed while it is read."""
        with contextlib.suppress(OSError):
            status = self.path.stat()
            return status.st_size, status.st_mtime_ns
        return None

    # --- Before anything is read

    def _look(self, infos: Sequence[zipfile.ZipInfo]) -> None:
        for info in infos:
            self._refuse(info)
            self._add(info)
        self._refuse_overlap(infos)

    def _refuse(self, info: zipfile.ZipInfo) -> None:
        """Raises Refused for an entry that no honest archive has."""
        name, mode = info.orig_filename, info.external_attr >> 16
        if "\0" in name or "\\" in name or ".." in name.split("/"):
            raise self._refusal(info, "the name would lead out of the folder that it is unpacked in")
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            raise self._refusal(info, "the name begins at the root of a disk")
        if stat.S_ISLNK(mode):
            raise self._refusal(info, "it is a symbolic link")
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise self._refusal(info, "it is a device, a pipe or a socket")
        if info.flag_bits & _ENCRYPTED:
            raise self._refusal(info, "it is encrypted")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise self._refusal(info, "it is packed in a way that only some programs know")

    def _refuse_overlap(self, infos: Sequence[zipfile.ZipInfo]) -> None:
        """Raises Refused where two entries share bytes, as in an archive that unpacks to far more."""
        ordered = sorted(infos, key=lambda info: info.header_offset)
        ends = [self._end(info) for info in ordered]
        starts = [*(info.header_offset for info in ordered), self._zip.start_dir]
        for info, end, start in zip(ordered, ends, starts[1:], strict=True):
            if end > start:
                raise self._refusal(info, "it overlaps with the next one")

    def _end(self, info: zipfile.ZipInfo) -> int:
        """Where the packed bytes of an entry end, by what stands before them."""
        file = self._zip.fp
        assert file is not None
        with contextlib.suppress(OSError, ValueError, struct.error):
            file.seek(info.header_offset)
            signature, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
            if signature == b"PK\3\4":
                end: int = info.header_offset + _LOCAL.size + name + extra + info.compress_size
                return end
        raise self._refusal(info, "its place in the archive is not where the list at the end says")

    def _refusal(self, info: zipfile.ZipInfo, what: str) -> Refused:
        return Refused(
            f"{self.path}: `{in_one_line(_name(info), SHOWN)}` in it: {what}; nothing of the archive was read. Download it "
            "again, or take this entry out and try again"
        )

    # --- What is in it

    def _add(self, info: zipfile.ZipInfo) -> None:
        parts = [part for part in _name(info).split("/", 2 * DEEPEST_KEPT) if part not in {"", "."}]
        if not parts:
            return
        is_folder = len(parts) > DEEPEST_KEPT or info.is_dir() or stat.S_ISDIR(info.external_attr >> 16)
        parts = parts[:DEEPEST_KEPT]
        for depth, part in enumerate(parts):
            if depth:
                self._enter(info, parts[:depth], "folder")
            if len(part.encode(errors="replace")) > LONGEST_NAME:
                self._unusable.add("/".join(parts[:depth]))
                return
        self._enter(info, parts, "folder" if is_folder else "file")
        if not is_folder:
            self._infos["/".join(parts)] = info

    def _enter(self, info: zipfile.ZipInfo, parts: Sequence[str], kind: str) -> None:
        above, path, key = "/".join(parts[:-1]), "/".join(parts), same_key(parts[-1])
        known = self._folders[above].get(key)
        if known is None:
            self._folders[above][key] = TreeEntry(parts[-1], "folder" if kind == "folder" else "file")
            if kind == "folder":
                self._folders[path] = {}
        elif known.name != parts[-1]:
            other = posixpath.join(above, known.name)
            raise self._refusal(
                info, f"its name and `{in_one_line(other, SHOWN)}` differ only in how they are written"
            )
        elif kind == "file" or known.kind == "file":
            raise self._refusal(info, "this name is in it twice")


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry, one more at most than it declares; ZipExtFile.read would hold them twice."""
    data = io.BytesIO()
    with packed.open(info) as file:
        while (room := info.file_size + 1 - data.tell()) > 0 and (piece := file.read(min(room, _PIECE))):
            data.write(piece)
    return data.getvalue()


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does, be it an empty one."""
    with path.open("rb") as file:
        return file.read(4) in {b"PK\3\4", b"PK\5\6"}


def _opened(path: Path) -> zipfile.ZipFile:
    """The archive, of which zipfile has read the list at the end. Raises Refused."""
    try:
        _refuse_long_list(path)
        return zipfile.ZipFile(path)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}; check the name") from error
    except _BROKEN:
        raise Refused(f"{path}: the archive is damaged or not complete; download it again") from None


def _refuse_long_list(path: Path) -> None:
    """Raises Refused for a list at the end of which zipfile would build too much."""
    with path.open("rb") as file:
        start, size = _directory(file)
        if size > MOST_DIRECTORY:
            raise Refused(
                f"{path}: the list of what is in it is larger than {MOST_ENTRIES:,} files need; download it again"
            )
        file.seek(max(0, start))
        entries = file.read(size).count(b"PK\1\2")  # each begins so; a name that holds it counts as one more
    if entries > MOST_ENTRIES:
        raise Refused(
            f"{path}: {entries:,} files are in it, and {MOST_ENTRIES:,} are the most; unpack it, take "
            "out what is no student's work, and give the folder"
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
    """The name, in UTF-8 also where a Mac did not say that it is."""
    if not info.flag_bits & _UTF8:
        with contextlib.suppress(UnicodeError):
            return info.orig_filename.encode("cp437").decode()
    return info.orig_filename
