"""The plan of a release into a folder: the files that it adds, changes, removes and overwrites.

Each release writes the hashes of its files into `.github/backgrade.json`. From them the next release knows which files
it may replace, and which ones somebody has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.release.contents import Wheel, is_leftover, running_wheel, template_files
from grader.errors import Refused, reason_of
from grader.files import absolute, link_in, read_plain, write_bytes
from grader.render import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Course

RECORD = ".github/backgrade.json"
MakeFiles = Callable[["Course", Sequence[str], Wheel], tuple[dict[str, bytes], list[str]]]
MAX_FILE = 32 << 20  # bytes
SHOWN = 12  # names of one kind; the rest is a number


class _ReleaseRecord(msgspec.Struct):
    """The list that a release writes into its folder: the SHA-256 of each file that it wrote."""

    about: str = "the files that `grade release` wrote; the next release finds later changes by these hashes"
    days: list[str] = []
    files: dict[str, str] = {}
    format: int = 1


@dataclass(frozen=True)
class ReleasePlan:
    """The changes that a release makes in a folder; files by their names in it."""

    folder: Path
    files: dict[str, bytes]
    days: list[str]
    earlier: bool  # the folder holds an earlier release
    added: list[str]
    changed: list[str]  # files that the earlier release wrote, unchanged since
    removed: list[str]  # such files that are no longer part of the template
    overwritten: list[str]  # files by somebody else, or changed since the earlier release
    foreign: list[str]  # files that are not part of the template: they stay

    def write(self) -> None:
        """Write new and different files, remove old ones, write the record. Raises Refused."""
        for name in (*self.added, *self.changed, *self.overwritten):
            write_bytes(self.folder / name, self.files[name], self.folder, make_folder=True)
        for name in self.removed:
            with _readable(self.folder / name):
                (self.folder / name).unlink()
                remove_empty((self.folder / name).parent, self.folder)
        if _read(self.folder / RECORD) != self.record:
            write_bytes(self.folder / RECORD, self.record, self.folder, make_folder=True)

    @property
    def record(self) -> bytes:
        """The record of the release."""
        hashes = {name: _hash(data) for name, data in sorted(self.files.items())}
        record = msgspec.json.encode(_ReleaseRecord(days=self.days, files=hashes))
        return msgspec.json.format(record, indent=1) + b"\n"

    @property
    def count(self) -> int:
        """The number of files that it would write or remove."""
        return len([*self.added, *self.changed, *self.removed, *self.overwritten])

    @property
    def asks(self) -> str:
        """The question to the instructor; empty if the plan changes only unchanged files of an earlier release."""
        parts = []
        if self.overwritten:
            since = "will be overwritten" + (
                ", though they changed since the release" if self.earlier else ""
            )
            parts.append(f"These files in {self.folder} {since}:\n{_list_lines(self.overwritten)}")
        if self.foreign:
            parts.append(
                f"{self.folder} holds files that are not part of the release. They stay, and are pushed with the release if git "
                f"tracks them or you add them:\n{_list_lines(self.foreign)}"
            )
        if self.removed:
            parts.append(
                f"These files of the earlier release in {self.folder} are not part of the new one and will be "
                f"removed:\n{_list_lines(self.removed)}"
            )
        return "\n".join(parts)

    @property
    def summary(self) -> str:
        """The summary of the release, for the terminal."""
        days = ", ".join(self.days)
        if not self.earlier:
            count = len(self.files)
            return f"{days}: {count} files, and a list of them, are in {self.folder}\n"
        kinds = {
            "added": self.added,
            "changed": [*self.changed, *self.overwritten],
            "removed": self.removed,
        }
        lines = [_list_lines(sorted(names), f"{kind:<8} ") for kind, names in kinds.items() if names]
        if not lines:
            return f"{days}: {self.folder} was up to date\n"
        return "\n".join([f"{days}: {self.folder} was brought up to date", *lines, ""])


def plan_release(
    course: Course, days: Sequence[str], folder: Path, make: MakeFiles = template_files
) -> tuple[ReleasePlan, list[str]]:
    """Plan a release of these days, by default of all; return the plan and notes for the instructor.

    `make` returns the files and notes. Writes nothing. Raises Refused, Broken.
    """
    with _readable(folder):
        folder = outside(course, folder)
        if folder.exists() and not folder.is_dir():
            raise Refused(f"{folder}: this is a file; name a folder that is new, empty or an earlier release")
    chosen = [name for name in course.names if name in days] if days else list(course.names)
    for name in days:
        course.assignment(name)
    if not chosen:
        raise Refused(f"{course.root}: this course has no assignments yet; create one with `grade new`")
    with _readable(course.root):
        files, notes = make(course, chosen, running_wheel())
    with _readable(folder):
        return _compare(folder, files, chosen), notes


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn an OSError into a Refused that names the file."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename or path}: {reason_of(error)}; fix that and release again") from error


# --- The folder


def outside(course: Course, path: Path) -> Path:
    """Return the absolute path. Raises Refused for a link, and for a place in the course's folder or above it."""
    path = absolute(path)
    if path.is_symlink():
        raise Refused(f"{path}: this is a symbolic link; name its target")
    real, root = path.resolve(), course.root.resolve()
    if real.is_relative_to(root) or root.is_relative_to(real):
        raise Refused(
            f"{path}: release into a place that is not in the course folder and does not contain it, "
            f"such as {root.parent / (root.name + '-release')}"
        )
    return path


def _compare(folder: Path, files: dict[str, bytes], days: list[str]) -> ReleasePlan:
    record = record_of(_read(folder / RECORD))
    plan = ReleasePlan(folder, files, days, record is not None, [], [], [], [], [])
    wrote = record.files if record else {}
    found = set(_find_files(folder, "")) - {RECORD}
    for name in files:
        _refuse_in_the_way(folder, name)
    for name in sorted({*found, *files}):
        there = _read(folder / name) if name in found else None
        as_written = there is not None and wrote.get(name) == _hash(there)
        if name not in found:
            plan.added.append(name)
        elif name not in files:
            (plan.removed if as_written else plan.foreign).append(name)
        elif there != files[name]:
            (plan.changed if as_written else plan.overwritten).append(name)
    return plan


def _find_files(folder: Path, prefix: str) -> Iterator[str]:
    """Yield the files in a folder, except those of git and other tools; a link counts as a file."""
    if not folder.is_dir():
        return
    for entry in os.scandir(folder):
        if is_leftover(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _find_files(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name


def _refuse_in_the_way(folder: Path, name: str) -> None:
    path = folder / name
    if (link := link_in(folder, path)) is not None:
        raise Refused(f"{link}: a symbolic link is in the way of the template; remove it")
    if path.is_dir():
        raise Refused(f"{path}: a folder is in the way of a file of the template; remove it")
    above = path.parent
    while above != folder:
        if os.path.lexists(above) and not above.is_dir():
            raise Refused(f"{above}: a file is in the way of a folder of the template; remove it")
        above = above.parent


def record_of(data: bytes | None) -> _ReleaseRecord | None:
    """Decode a record; None for anything that this version cannot read."""
    try:
        record = msgspec.json.decode(data, type=_ReleaseRecord) if data is not None else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return record if record is not None and record.format == 1 else None


def _read(path: Path) -> bytes | None:
    try:
        return read_plain(path, MAX_FILE)[0]
    except OSError:
        return None


def remove_empty(folder: Path, top: Path) -> None:
    """Remove a folder below `top` if it is empty, and then those above it. Raises OSError."""
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _list_lines(names: Sequence[str], before: str = "") -> str:
    more = [f"  {before}and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return "\n".join([*(f"  {before}{escape_line(name)}" for name in names[:SHOWN]), *more])
