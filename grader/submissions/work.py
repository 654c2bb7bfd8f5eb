"""A student's work: the facts about it, from the source to the gradebook, and its bytes until it is graded."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.submissions.state_words import reason
from grader.submissions.states import GRADED, InWork, Later, NotTaken, State  # msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class HandedIn(msgspec.Struct, frozen=True):
    """A student's work as handed in: what was pushed and when, which version counts, its state.

    `grade collect` adds where the files lie (`Collected`), grading the bytes (`Work`), the gradebook the points
    (gradebook/gradedwork.py), and the results file keeps it.

    `name` is that of the file, as the student knows it: `assignments/day2/day2_sums.ipynb`. `submitted` is UTC in
    ISO 8601, "" for an unknown time; it is `verified` where only the platform can have set it. `repository` is
    `owner/name` on GitHub, in earlier records also an address. `notes` are for the instructor: protected files that were
    edited, a platform's late mark. `student` is "" for files that are not known to be anybody's yet. `state` says what
    is there, `later` is a push of other work that came too late to count, and `not_taken` are those of others.
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
        """False if the student changed no code of what was handed out, or nothing could be graded."""
        return isinstance(self.state, InWork)

    @property
    def moment(self) -> dt.datetime | None:
        """The time of submission; None for an unknown one."""
        return dt.datetime.fromisoformat(self.submitted) if self.submitted else None

    @property
    def facts(self) -> HandedIn:
        """The record alone."""
        return HandedIn(*(getattr(self, name) for name in HandedIn.__struct_fields__))

    def with_bytes(self, data: bytes | None, earlier: Iterable[tuple[str, bytes]] = ()) -> Work:
        """Return the work with its bytes, and those of the earlier work that it continues."""
        return Work(**msgspec.structs.asdict(self.facts), data=data, earlier=tuple(earlier))


class Work(HandedIn, frozen=True, kw_only=True):
    """The work of one student for an assignment, with its bytes; as MessagePack it travels to a worker.

    `data` is None if there is nothing to grade. `earlier` has name and bytes of the earlier work that it continues, the
    nearest first. `in_time` is the last work in time, if this one is late and both may count.
    """

    data: bytes | None
    earlier: tuple[tuple[str, bytes], ...] = ()
    in_time: Work | None = None

    @property
    def trouble(self) -> str:
        """The reason why there is nothing to grade, for the student; "" if there is something."""
        return "" if isinstance(self.state, GRADED) else reason(self.state)


@dataclass(frozen=True, slots=True)
class Found:
    """A student of a source. `read` reads their work when it is to be graded, and raises Refused."""

    student: str
    read: Callable[[], Work]


def version_of(found: Found, sha256: str) -> Work | None:
    """Return the version of a student's work with this hash, the last one or that in time. Raises Refused."""
    last = found.read()
    for work in (last, last.in_time):
        if work is not None and work.data is not None and hashlib.sha256(work.data).hexdigest() == sha256:
            return work
    return None


def in_utc(moment: dt.datetime | None) -> str:
    """Return a time as HandedIn keeps it: UTC in ISO 8601 to the second; "" for None."""
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds") if moment else ""
