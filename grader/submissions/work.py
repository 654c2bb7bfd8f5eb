"""A student's work: the facts about it, for as long as it is kept, and its bytes until it is graded."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.submissions.state_words import reason
from grader.submissions.states import GRADED, InWork, Later, NotTaken, State  # msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Callable


class HandedIn(msgspec.Struct, frozen=True):
    """The facts about a student's work: what was handed in and when, which version counts, its state.

    `grade collect` adds the paths of the files (`CollectedWork`), grading adds the bytes (`Work`), the gradebook adds the
    points (gradebook/gradedwork.py), and the results file keeps the facts.

    `name` is the file's name as the student knows it: `assignments/day2/day2_sums.ipynb`. `submitted` is UTC in ISO 8601,
    "" if unknown; it is `verified` if only the platform can have set it. `repository` is `owner/name` on GitHub, in
    earlier records also an address. `notes` are for the instructor: edited protected files, a platform's late mark.
    `student` is "" until the owner is known. `later` is a push of other work that came too late to count, and
    `not_taken` has pushes by others.
    """

    name: str = ""
    submitted: str = ""
    verified: bool = False
    repository: str = ""
    commit: str = ""
    notes: tuple[str, ...] = ()
    student: str = ""
    state: State = InWork()
    later: Later | None = None
    not_taken: tuple[NotTaken, ...] = ()

    @property
    def worked(self) -> bool:
        """False if the student changed no code, or nothing could be graded."""
        return isinstance(self.state, InWork)

    @property
    def moment(self) -> dt.datetime | None:
        """The time of submission; None if unknown."""
        return dt.datetime.fromisoformat(self.submitted) if self.submitted else None

    @property
    def facts(self) -> HandedIn:
        """Only the facts, without what subclasses add."""
        return HandedIn(*(getattr(self, name) for name in HandedIn.__struct_fields__))


class Work(HandedIn, frozen=True, kw_only=True):
    """The work of one student with its bytes; it is sent to a worker as MessagePack.

    `data` is None if there is nothing to grade. `earlier` has names and bytes of the earlier work that it continues, the
    nearest first. `in_time` is the last work on time, if this work is late and both may count.
    """

    data: bytes | None
    earlier: tuple[tuple[str, bytes], ...] = ()
    in_time: Work | None = None

    @property
    def trouble(self) -> str:
        """The reason, for the student, why there is nothing to grade; "" if there is something."""
        return "" if isinstance(self.state, GRADED) else reason(self.state)


@dataclass(frozen=True, slots=True)
class FoundStudent:
    """A student of a source. `read` reads their work when it is to be graded, and raises Refused."""

    student: str
    read: Callable[[], Work]


def version_of(found: FoundStudent, sha256: str) -> Work | None:
    """Return the version of a student's work with this hash: the last one or the last on time. Raises Refused."""
    last = found.read()
    for work in (last, last.in_time):
        if work is not None and work.data is not None and hashlib.sha256(work.data).hexdigest() == sha256:
            return work
    return None


def in_utc(moment: dt.datetime | None) -> str:
    """Return a time as HandedIn keeps it: UTC in ISO 8601 to the second; "" for None."""
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds") if moment else ""
