r"""What `grade collect` fetched: a folder for each student, and a record of each beside them.

DIR/.collected/ada.json                              a Collected
DIR/ada/assignments/day2/day2_sums.ipynb    as it stands in the commit
DIR/ada/in_time/assignments/day2/...        the same of the last work in time, where that above is late

A record is written last, so that what it tells is there. Git's hash of a file is that of
`blob <size>\0<bytes>`, by SHA-1 or, in a repository of that format, by SHA-256 (git's documentation,
gitformat-pack and hash-function-transition).
"""

from __future__ import annotations

import datetime as dt
import hashlib
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from grader.assignment import COLLECTED
from grader.errors import Refused, first_of
from grader.files import read_plain, write_bytes
from grader.render import one_line
from grader.submissions.submission import MAX_FILE
from grader.submissions.work import Found, Work, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment

FORMAT = 1
RECORDS = COLLECTED
IN_TIME = "in_time"  # the folder of the last work in time, where there is late work too
LARGEST_RECORD = 1 << 20  # bytes
SHOWN_DRIFT = 3  # protected files that are named for a student
State = Literal["there", "nothing", "empty", "missing", "unreached", "elsewhere", "outside"]


class Drift(msgspec.Struct, frozen=True):
    """A protected file that is not as it was handed out."""

    path: str
    kind: Literal["edited", "missing", "added"]


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A student's work at one commit.

    `files` are the places of what was taken, the submission first and then what it continues, the nearest
    first; `names` is what they are called in the repository, and `hashes` are git's of them.
    `submitted` is UTC in ISO 8601: of the push where `verified`, else of the commit, which is the student's to
    set.
    """

    commit: str = ""
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    submitted: str = ""
    verified: bool = False

    @property
    def moment(self) -> dt.datetime | None:
        """The time of submission; None where nobody knows it."""
        return dt.datetime.fromisoformat(self.submitted) if self.submitted else None


class Collected(Version, frozen=True, kw_only=True):
    """One student's repository: the last work that counts, and `in_time` the last in time where that one is late.

    Where nothing was there `trouble` says why, and `files` is empty. `state` tells why there is nothing: no
    submission in the repository or none in time, an empty repository, none at all. Without a score: `unreached`,
    for what is there is not known; `elsewhere`, the student worked in another's repository; `outside`, the student
    cannot push, for the invitation was not accepted.

    `protected` are the protected files that the commit has, with git's hashes, and `drift` what differs of
    them. `notes` are for the instructor; those of them in `remarks` are about the files. `key` is what
    it was fetched by: with the same nothing is fetched again.
    """

    assignment: str
    student: str
    repository: str
    in_time: Version | None = None
    drift: tuple[Drift, ...] = ()
    trouble: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    state: State = "there"
    protected: dict[str, str] = {}
    key: str = ""
    format: int = FORMAT

    @property
    def versions(self) -> list[Version]:
        """The last work, and the last in time where that is another one."""
        return [self, *([self.in_time] if self.in_time else [])]


def blob_id(data: bytes, like: str) -> str:
    """Git's hash of a file's bytes, by the algorithm of the hash `like`."""
    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1  # a name in git, not a seal of ours
    digest = algorithm(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def places(assignment: Assignment) -> list[str]:
    """Where a student's submission is written, below their folder: the notebook's place, and the twin's."""
    folder, stub = f"assignments/{assignment.name}", assignment.stub
    return [f"{folder}/{stub.stem}{suffix}" for suffix in (".ipynb", ".py")]


def every_place(assignment: Assignment | None) -> list[str]:
    """The same with those of what it continues."""
    return [*places(assignment), *every_place(assignment.earlier)] if assignment else []


def in_time_place(place: str) -> str:
    """Return the place of the last work in time, beside the late work at `place`."""
    return f"{IN_TIME}/{place}"


# --- Records


def read_records(folder: Path) -> dict[str, Collected]:
    """The records of a folder by student, sorted. Raises Refused for one that cannot be read."""
    paths = sorted((folder / RECORDS).glob("*.json"))
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
        told = one_line(str(error))
        raise Refused(f"{path}: this record cannot be read ({told}); remove it and collect again") from error
    return record


def write_record(folder: Path, record: Collected) -> None:
    """Write a record whole or not at all, where it is not there already. Raises FileError."""
    path = folder / RECORDS / f"{record.student}.json"
    data = msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
    try:
        if read_plain(path, LARGEST_RECORD)[0] == data:
            return
    except OSError:
        pass  # it is written now
    write_bytes(path, data, folder, make_folder=True)


def refuse_other_assignment(assignment: Assignment, folder: Path, records: dict[str, Collected]) -> None:
    """Raises Refused for a folder that was collected for another assignment."""
    for record in records.values():
        if record.assignment != assignment.name:
            raise Refused(
                f"{folder}: this folder holds what was collected for {record.assignment}; "
                f"{assignment.name} needs a folder of its own"
            )


# --- Works


def collected_works(assignment: Assignment, folder: Path) -> list[Found]:
    """The students of a collected folder, in the order of their names; their work is read in its turn.

    Raises Refused for a record that cannot be read and for a folder of another assignment. Reading raises it
    for files that are not as they were collected, and where the repository was not reached or is not there: what
    is in it is not known, so it is nobody's zero.
    """
    records = read_records(folder)
    refuse_other_assignment(assignment, folder, records)
    return [Found(student, partial(_work, assignment, folder, record)) for student, record in records.items()]


def _work(assignment: Assignment, folder: Path, record: Collected) -> Work:
    if record.state in ("missing", "unreached"):
        raise Refused(f"{record.trouble}; mend the roster or the token's rights, and collect again")
    if record.state in ("elsewhere", "outside"):
        name = assignment.stub.name
        return Work(name, student=record.student, data=None, trouble=record.trouble, no_result=True)
    in_time = _version(assignment, folder, record, record.in_time) if record.in_time else None
    last = _version(assignment, folder, record, record)
    return replace(
        last,
        trouble=record.trouble,
        notes=(*record.notes, *filter(None, [drift_note(record.drift)])),
        in_time=in_time,
    )


def drift_note(drift: Sequence[Drift]) -> str:
    """Name the first few protected files that differ from what was handed out, on one line; empty for none."""
    names = first_of([f"{one.path} ({one.kind})" for one in drift], SHOWN_DRIFT)
    return f"protected files differ from what was handed out: {names}" if names else ""


def _version(assignment: Assignment, folder: Path, record: Collected, version: Version) -> Work:
    names = version.names or (assignment.stub.name,)
    files = list(read_files(folder / record.student, version))
    return Work(
        name=names[0],
        data=files[0] if files else None,
        earlier=tuple(zip(names[1:], files[1:], strict=True)) if files else (),
        submitted=in_utc(version.moment),
        verified=version.verified,
        repository=record.repository,
        commit=version.commit,
        student=record.student,
    )


def read_files(folder: Path, version: Version) -> Iterator[bytes]:
    """Yield the files of a student's work, whose folder it is. Raises Refused where one was changed since."""
    for place, hash_ in zip(version.files, version.hashes, strict=True):
        path = folder / place
        try:
            data = read_plain(path, MAX_FILE, folder.parent)[0]
        except OSError:
            data = None
        if data is None or blob_id(data, hash_) != hash_:
            raise Refused(
                f"{path}: this file is not as it was collected; run `grade collect` to put it back, "
                "and change a grade with `grade override`"
            )
        yield data
