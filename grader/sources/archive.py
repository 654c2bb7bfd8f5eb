"""A zip of students' work: looked at as a whole before anything of it is read, and never unpacked to disk.

Refused, with the entry that is at fault: names that leave the archive (`..`, from the root, with a drive or a
backslash), links, devices, names twice or twice but for case, encrypted entries, entries that overlap or are
packed in another way than the usual two, more than MOST_ENTRIES of them, more than MOST_BYTES in all, and an
archive that would become MOST_TIMES as large. Too large a file, and one that is damaged or longer than it
says, is the trouble of the student whose it is.

The format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7 (what stands before each file), 4.3.12 (the directory at
the end) and 4.4.15 (the upper half of the external attributes is the file's mode on Unix).
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

from grader.report import clean
from grader.sources.names import same_key
from grader.sources.tree import LARGEST, TOO_LARGE, Entry, Unusable
from grader.sources.work import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_ENTRIES = 10_000
MOST_BYTES = 2 << 30  # declared in all
MOST_TIMES = 100  # as large as the archive, if it is more than one file may have
MOST_DIRECTORY = 16 << 20  # bytes of the list at the end
_TAIL = (1 << 16) + 22 + 76  # bytes at the end: a comment, and what points at the list, in both forms
SHOWN = 120  # characters of a name that is quoted
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_LOCAL = struct.Struct("<4s22xHH")  # signature, then the lengths of name and extra field
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError,
    struct.error,
)  # fmt: skip


class Archive:
    """The tree in a zip. Raises SourceError where it is none, or holds what no honest one does."""

    on_disk = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first = self._state()
        self._zip = _opened(path)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        self._folders: dict[str, dict[str, Entry]] = {"": {}}
        try:
            self._look(self._zip.infolist())
        except SourceError:
            self._zip.close()
            raise

    def list(self, folder: str) -> Sequence[Entry]:
        """What is in a folder, by name; nothing where there is none."""
        found = self._folders.get(folder, {})
        return sorted(found.values(), key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises Unusable, and SourceError where the archive cannot be read any more."""
        info = self._infos[path]
        if info.file_size > LARGEST:
            raise Unusable(TOO_LARGE)
        try:
            with self._zip.open(info) as file:
                data = file.read(info.file_size + 1)
        except _BROKEN:
            data = b""
        except OSError as error:
            raise SourceError(f"{self.path}: cannot be read any more: {error.strerror}") from error
        if len(data) == info.file_size:
            return data
        if self._state() != self._first:
            raise SourceError(f"{self.path}: it is not the archive any more that it was; try again")
        raise Unusable("it is damaged in the archive; hand it in again")

    def _state(self) -> tuple[int, int] | None:
        """What tells that the archive was changed while it is read."""
        with contextlib.suppress(OSError):
            status = self.path.stat()
            return status.st_size, status.st_mtime_ns
        return None

    # --- Before anything is read

    def _look(self, infos: Sequence[zipfile.ZipInfo]) -> None:
        self._refuse_whole(infos)
        for info in infos:
            self._refuse(info)
            self._add(info)
        self._refuse_overlap(infos)

    def _refuse_whole(self, infos: Sequence[zipfile.ZipInfo]) -> None:
        if len(infos) > MOST_ENTRIES:
            raise SourceError(
                f"{self.path}: {len(infos):,} files are in it, and {MOST_ENTRIES:,} are the most; unpack it, take "
                "out what is no student's work, and give the folder"
            )
        total = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos)
        bomb = total > LARGEST and total > MOST_TIMES * max(1, packed)
        if total > MOST_BYTES or bomb:
            worst = max(infos, key=lambda info: info.file_size)
            raise self._refusal(
                worst,
                f"unpacked, the archive would have {total >> 20:,} MB, this entry alone {worst.file_size >> 20:,}",
            )

    def _refuse(self, info: zipfile.ZipInfo) -> None:
        """Raises SourceError for an entry that no honest archive has."""
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
        """Raises SourceError where two entries share bytes, as in an archive that unpacks to far more."""
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

    def _refusal(self, info: zipfile.ZipInfo, what: str) -> SourceError:
        return SourceError(
            f"{self.path}: `{_shown(_name(info))}` in it: {what}; nothing of the archive was read. Download it "
            "again, or take this entry out and try again"
        )

    # --- What is in it

    def _add(self, info: zipfile.ZipInfo) -> None:
        parts = [part for part in _name(info).split("/") if part not in {"", "."}]
        if not parts:
            return
        for depth in range(1, len(parts)):
            self._enter(info, parts[:depth], "folder")
        is_folder = info.is_dir() or stat.S_ISDIR(info.external_attr >> 16)
        self._enter(info, parts, "folder" if is_folder else "file")
        if not is_folder:
            self._infos["/".join(parts)] = info

    def _enter(self, info: zipfile.ZipInfo, parts: Sequence[str], kind: str) -> None:
        above, path, key = "/".join(parts[:-1]), "/".join(parts), same_key(parts[-1])
        known = self._folders[above].get(key)
        if known is None:
            self._folders[above][key] = Entry(parts[-1], "folder" if kind == "folder" else "file")
            if kind == "folder":
                self._folders[path] = {}
        elif known.name != parts[-1]:
            other = posixpath.join(above, known.name)
            raise self._refusal(info, f"its name and `{_shown(other)}` differ only in how they are written")
        elif kind == "file" or known.kind == "file":
            raise self._refusal(info, "this name is in it twice")


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does, be it an empty one."""
    with path.open("rb") as file:
        return file.read(4) in {b"PK\3\4", b"PK\5\6"}


def _opened(path: Path) -> zipfile.ZipFile:
    """The archive, of which zipfile has read the list at the end. Raises SourceError."""
    try:
        if _directory_size(path) > MOST_DIRECTORY:
            raise SourceError(
                f"{path}: the list of what is in it is larger than {MOST_ENTRIES:,} files need; download it again"
            )
        return zipfile.ZipFile(path)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}; check the name") from error
    except _BROKEN:
        raise SourceError(f"{path}: the archive is damaged or not complete; download it again") from None


def _directory_size(path: Path) -> int:
    """How many bytes the list at the end claims to have, found as zipfile finds it."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read(_TAIL)
    at = tail.rfind(b"PK\5\6")
    if tail[-22:-18] == b"PK\5\6" and tail.endswith(b"\0\0"):
        at = len(tail) - 22  # without a comment it is the very end
    if at >= 76 and tail[at - 20 : at - 16] == b"PK\6\7":
        return int.from_bytes(tail[at - 36 : at - 28], "little")
    return int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0


def _name(info: zipfile.ZipInfo) -> str:
    """The name, in UTF-8 also where a Mac did not say that it is."""
    if not info.flag_bits & _UTF8:
        with contextlib.suppress(UnicodeError):
            return info.orig_filename.encode("cp437").decode()
    return info.orig_filename


def _shown(name: str) -> str:
    return clean(name, SHOWN).replace("\n", " ")
