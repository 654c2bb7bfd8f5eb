r"""The folder that `grade collect` fills: a folder for each student, and a record of each beside them.

DIR/.collected/ada.json                              a Collected
DIR/ada/assignments/day2/day2_sums.ipynb    as it is in the commit
DIR/ada/in_time/assignments/day2/...        the last work in time, if the work above is late

A record is written last, so that the files it names are there. Git's hash of a file is that of
`blob <size>\0<bytes>`, by SHA-1 or, in a repository of that format, by SHA-256 (git's documentation,
gitformat-pack and hash-function-transition).
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from grader.assignment import COLLECTED
from grader.errors import Refused, first_of
from grader.files import read_plain, write_bytes
from grader.render import escape_line
from grader.submissions.submission import MAX_FILE, SUFFIXES
from grader.submissions.work import Found, HandedIn, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.submissions.work import Work

FORMAT = 1
IN_TIME = "in_time"  # the folder of the last work in time, where there is late work too
LARGEST_RECORD = 1 << 20  # bytes
SHOWN_DRIFT = 3  # protected files that are named for a student


class Drift(msgspec.Struct, frozen=True):
    """A protected file that differs from the one that was handed out."""

    path: str
    kind: Literal["edited", "missing", "added"]


class Version(HandedIn, frozen=True, kw_only=True):
    """A student's work at one commit.

    `files` are the paths of the files that were taken: the submission first, then the earlier work that it
    continues, the nearest first. `names` are their names in the repository, and `hashes` their hashes in git.
    The time is that of the push if `verified`, else of the commit, which the student can set.
    """

    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()


class Collected(Version, frozen=True, kw_only=True):
    """One student's repository: the last work that counts and, if that is late, the last work `in_time`.

    If there is no work, `files` is empty, and `state` is the reason.

    `protected` has the protected files of the commit with their hashes in git, and `drift` those that differ. Of the
    notes those in `remarks` are about the files. While `key` is the same, nothing is fetched again.
    """

    assignment: str
    in_time: Version | None = None
    drift: tuple[Drift, ...] = ()
    remarks: tuple[str, ...] = ()
    protected: dict[str, str] = msgspec.field(default_factory=dict)
    key: str = ""
    format: int = FORMAT

    @property
    def versions(self) -> list[Version]:
        """The last work and, if that is late, the last work in time."""
        return [self, *([self.in_time] if self.in_time else [])]


def blob_id(data: bytes, like: str) -> str:
    """Return the hash that git gives these bytes, by the algorithm of the hash `like`."""
    # SHA-1 because git names files by it; it protects nothing here.
    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    digest = algorithm(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def collected_paths(assignment: Assignment) -> list[str]:
    """Return the two paths, below the student's folder, to which the submission may be written: .ipynb and .py."""
    folder, stub = f"assignments/{assignment.name}", assignment.stub
    return [f"{folder}/{stub.stem}{suffix}" for suffix in SUFFIXES]


def every_place(assignment: Assignment) -> list[str]:
    """Return these paths and those of the earlier work that the assignment continues."""
    return [path for each in assignment.lineage for path in collected_paths(each)]


def in_time_place(place: str) -> str:
    """Return the path of the last work in time, beside the late work at `place`."""
    return f"{IN_TIME}/{place}"


# --- Records


def read_collected_records(folder: Path) -> dict[str, Collected]:
    """Return the records of a folder by student, sorted. Raises Refused for one that cannot be read."""
    paths = sorted((folder / COLLECTED).glob("*.json"))
    return {path.name.removesuffix(".json"): _record(path) for path in paths}


def _record(path: Path) -> Collected:
    try:
        record = msgspec.json.decode(read_plain(path, LARGEST_RECORD)[0], type=Collected)
        if record.format != FORMAT or f"{record.student}.json" != path.name:
            raise ValueError("it is of another format or another student")
        for version in record.versions:
            if not len(version.files) == len(version.names) == len(version.hashes):
                raise ValueError("its lists are of different length")
            _ = version.moment
    except (OSError, ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        why = escape_line(str(error))
        raise Refused(f"{path}: this record cannot be read ({why}); remove it and collect again") from error
    return record


def write_record(folder: Path, record: Collected) -> None:
    """Write a record, whole or not at all, unless it is there already. Raises Refused."""
    path = folder / COLLECTED / f"{record.student}.json"
    data = msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
    try:
        if read_plain(path, LARGEST_RECORD)[0] == data:
            return
    except OSError:
        pass  # it is written now
    write_bytes(path, data, folder, make_folder=True)


def refuse_other_folder(assignment: Assignment, folder: Path, records: dict[str, Collected]) -> None:
    """Raise Refused for a folder that was collected for another assignment."""
    for record in records.values():
        if record.assignment != assignment.name:
            raise Refused(
                f"{folder}: this folder holds the collected work for {record.assignment}; "
                f"{assignment.name} needs a folder of its own"
            )


# --- Works


def find_collected_works(assignment: Assignment, folder: Path) -> list[Found]:
    """Return the students of a collected folder, sorted by name; their work is read when it is to be graded.

    Raises Refused for a record that cannot be read and for a folder of another assignment. Reading raises Refused for
    files that were changed since.
    """
    records = read_collected_records(folder)
    refuse_other_folder(assignment, folder, records)
    return [Found(student, partial(_work, assignment, folder, record)) for student, record in records.items()]


def _work(assignment: Assignment, folder: Path, record: Collected) -> Work:
    work, *in_time = (_version(assignment, folder / record.student, version) for version in record.versions)
    about = drift_note(record.drift)
    return replace(
        work,
        notes=(*record.notes, *([about] if about else [])),
        in_time=replace(in_time[0], student=record.student, repository=record.repository)
        if in_time
        else None,
    )


def drift_note(drift: Sequence[Drift]) -> str:
    """Return a line with the first few protected files that differ from the template; empty for none."""
    names = first_of([f"{one.path} ({one.kind})" for one in drift], SHOWN_DRIFT)
    return f"protected files differ from the template: {names}" if names else ""


def _version(assignment: Assignment, folder: Path, version: Version) -> Work:
    name, *names = version.names or (assignment.stub.name,)
    files = list(read_files(folder, version))
    facts = replace(version, name=name, submitted=in_utc(version.moment))
    return facts.with_bytes(files[0] if files else None, zip(names, files[1:], strict=bool(files)))


def read_files(folder: Path, version: Version) -> Iterator[bytes]:
    """Yield the files of a work from the student's folder. Raises Refused for one that was changed since."""
    for place, hash_ in zip(version.files, version.hashes, strict=True):
        path = folder / place
        try:
            data = read_plain(path, MAX_FILE, folder.parent)[0]
        except OSError:
            data = None
        if data is None or blob_id(data, hash_) != hash_:
            raise Refused(
                f"{path}: this file was changed after it was collected; run `grade collect` to restore it, "
                "and change grades with `grade override`"
            )
        yield data
