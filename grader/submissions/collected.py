r"""The folder that `grade collect` fills: a folder and a record for each student.

DIR/.collected/ada.json                              a Collected
DIR/ada/assignments/day2/day2_sums.ipynb    as it is in the commit
DIR/ada/in_time/assignments/day2/...        the last work on time, if the work above is late

A record is written last, so the files that it names exist. Git's hash of a file is the hash of
`blob <size>\0<bytes>`, by SHA-1 or, in a repository of that format, by SHA-256 (git's documentation,
gitformat-pack and hash-function-transition).
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import asdict, replace

from grader.assignment import COLLECTED
from grader.errors import Refused, first_of
from grader.files import read_plain, write_bytes
from grader.render import escape_line
from grader.submissions.submission import MAX_FILE, SUFFIXES
from grader.submissions.work import FoundStudent, HandedIn, Work, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment

FORMAT = 1
IN_TIME = "in_time"  # the folder of the last work on time, if there is also late work
LARGEST_RECORD = 1 << 20  # bytes
SHOWN_DRIFT = 3  # protected files that a note names


class Drift(msgspec.Struct, frozen=True):
    """A protected file that differs from the template's."""

    path: str
    kind: Literal["edited", "missing", "added"]


class Version(HandedIn, frozen=True, kw_only=True):
    """A student's work at one commit.

    `files` has the paths of the collected files: the submission first, then the earlier work that it continues, the
    nearest first. `names` are their names in the repository, `hashes` their hashes in git. The time is the push's if
    `verified`, else the commit's, which the student can set.
    """

    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()


class CollectedWork(Version, frozen=True, kw_only=True):
    """One student's repository: the last work that counts and, if that is late, the last work `in_time`.

    If there is no work, `files` is empty, and `state` is the reason.

    `protected` has the protected files of the commit with their hashes in git, `drift` the files that differ. `remarks`
    are the notes about files. While `key` stays the same, nothing is fetched again.
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
        """The last work and, if that is late, the last work on time."""
        return [self, *([self.in_time] if self.in_time else [])]


def blob_id(data: bytes, like: str) -> str:
    """Return git's hash of these bytes, by the algorithm of the hash `like`."""
    # SHA-1, because git names files by it; nothing here relies on its security.
    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    digest = algorithm(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def collected_paths(assignment: Assignment) -> list[str]:
    """Return the two possible paths of the submission below the student's folder: .ipynb and .py."""
    folder, stub = f"assignments/{assignment.name}", assignment.stub
    return [f"{folder}/{stub.stem}{suffix}" for suffix in SUFFIXES]


def every_place(assignment: Assignment) -> list[str]:
    """Return these paths, and the paths of the earlier work that the assignment continues."""
    return [path for each in assignment.lineage for path in collected_paths(each)]


def in_time_place(place: str) -> str:
    """Return the path of the last work on time, if the late work is at `place`."""
    return f"{IN_TIME}/{place}"


# --- Records


def read_collected_records(folder: Path) -> dict[str, CollectedWork]:
    """Return the records of a folder by student, sorted. Raises Refused for an unreadable record."""
    paths = sorted((folder / COLLECTED).glob("*.json"))
    return {path.name.removesuffix(".json"): _record(path) for path in paths}


def _record(path: Path) -> CollectedWork:
    try:
        record = msgspec.json.decode(read_plain(path, LARGEST_RECORD)[0], type=CollectedWork)
        if record.format != FORMAT or f"{record.student}.json" != path.name:
            raise ValueError("it has another format or belongs to another student")
        for version in record.versions:
            if not len(version.files) == len(version.names) == len(version.hashes):
                raise ValueError("its lists have different lengths")
            _ = version.moment
    except (OSError, ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        why = escape_line(str(error))
        raise Refused(f"{path}: this record cannot be read ({why}); remove it and collect again") from error
    return record


def write_record(folder: Path, record: CollectedWork) -> None:
    """Write a record, whole or not at all, unless an equal one exists. Raises Refused."""
    path = folder / COLLECTED / f"{record.student}.json"
    data = msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
    try:
        if read_plain(path, LARGEST_RECORD)[0] == data:
            return
    except OSError:
        pass  # it is written now
    write_bytes(path, data, folder, make_folder=True)


def refuse_other_folder(assignment: Assignment, folder: Path, records: dict[str, CollectedWork]) -> None:
    """Raise Refused for a folder that was collected for another assignment."""
    for record in records.values():
        if record.assignment != assignment.name:
            raise Refused(
                f"{folder}: this folder holds the collected work for `{record.assignment}`; "
                "name another folder"
            )


# --- Works


def find_collected_works(assignment: Assignment, folder: Path) -> list[FoundStudent]:
    """Return the students of a collected folder, sorted by name; their work is read when it is graded.

    Raises Refused for an unreadable record and for another assignment's folder. Reading raises Refused for files that
    were changed since.
    """
    records = read_collected_records(folder)
    refuse_other_folder(assignment, folder, records)
    return [
        FoundStudent(student, partial(_work, assignment, folder, record))
        for student, record in records.items()
    ]


def _work(assignment: Assignment, folder: Path, record: CollectedWork) -> Work:
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
    """Return a note with the first few protected files that differ from the template; "" for none."""
    names = first_of([f"{one.path} ({one.kind})" for one in drift], SHOWN_DRIFT)
    return f"course files differ from the template, without effect on the grade: {names}" if names else ""


def _version(assignment: Assignment, folder: Path, version: Version) -> Work:
    name, *names = version.names or (assignment.stub.name,)
    files = list(read_files(folder, version))
    facts = replace(version.facts, name=name, submitted=in_utc(version.moment))
    earlier = tuple(zip(names, files[1:], strict=bool(files)))
    return Work(**asdict(facts), data=files[0] if files else None, earlier=earlier)


def read_files(folder: Path, version: Version) -> Iterator[bytes]:
    """Yield the files of a work from the student's folder. Raises Refused for a file that was changed since."""
    for place, hash_ in zip(version.files, version.hashes, strict=True):
        path = folder / place
        try:
            data = read_plain(path, MAX_FILE, folder.parent)[0]
        except OSError:
            data = None
        if data is None or blob_id(data, hash_) != hash_:
            raise Refused(
                f"{path}: this file was changed or removed after `grade collect`; run `grade collect` to restore it, "
                "and change grades with `grade override`"
            )
        yield data
