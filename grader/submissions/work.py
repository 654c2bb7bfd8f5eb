"""One student's work: the bytes that were handed in, and what is known of when and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import Refused

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable


class SourceError(Refused):
    """The work of a class cannot be taken from there; the text names what, where and what to do."""


class NoWork(SourceError):
    """The student has handed in nothing that could get a score, and an earlier result counts no more."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one student handed in for an assignment.

    `data` is None where there is nothing to grade, and `trouble` says why in words for the student.
    `submitted` is in UTC; it is `verified` where nobody but the platform can have set it. `in_time` is the last
    work in time, where this one is late and both may count.
    """

    name: str  # of the file, as the student knows it: `assignments/day2/day2_sums.ipynb`
    data: bytes | None
    trouble: str = ""
    earlier: tuple[tuple[str, bytes], ...] = ()  # name and bytes of what it continues, the nearest first
    submitted: dt.datetime | None = None
    verified: bool = False
    repository: str = ""  # `owner/name` on GitHub, or the address of a remote
    commit: str = ""
    in_time: Work | None = None
    notes: tuple[str, ...] = ()  # for the instructor: protected files that drifted, a platform's late mark


@dataclass(frozen=True, slots=True)
class Found:
    """A student of a source, whose work is read when it is its turn. `read` raises SourceError."""

    student: str
    read: Callable[[], Work]
