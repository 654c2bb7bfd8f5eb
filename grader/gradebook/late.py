"""Due dates: the moment that counts for a student, and the cost of lateness.

The late policy is `late` in assignment.yaml, computed in exact fractions. Work after the due date and the grace is late by
a day for each 24 hours begun since the due date. It has at most `at_most_percent` of the points, and loses
`percent_per_day` of the points for each day. Neither takes it below `at_least_percent`, and nothing raises the points of
the checks. After `days` days it earns nothing. With `keep: best`, the better of the last work on time and the last late
work with its penalty counts; with `keep: last`, the last work counts.

Extensions are a table, solutions/DAY/extensions.csv, with a due date for a student:

    student,due,why
    ada,2026-12-08T23:59:00Z,ill
    alan,2026-12-08,ill
    grace,+3d,the conference
"""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import os
import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from grader.errors import nearest
from grader.gradebook.roster import read_lines
from grader.manifest import FIRST_YEAR, LAST_YEAR, can_be_due

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.roster import RosterLine
    from grader.manifest import Manifest

_DAY, _HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)
_LATER = re.compile(r"\+\s*(\d{1,3})\s*([dh])", re.IGNORECASE)


class Extension(msgspec.Struct, frozen=True):
    """A student's own due date, and the reason."""

    due: dt.datetime
    why: str = ""


class Lateness(msgspec.Struct, frozen=True):
    """The times at which work was due and handed in; `submitted` is None for an unknown time.

    `days` is 0 for work on time. The time is `verified` if only the platform can have set it.
    """

    due: dt.datetime
    submitted: dt.datetime | None
    verified: bool
    days: int
    extended: str = ""  # the reason for more time; "" without an extension
    is_extended: bool = False

    @property
    def by(self) -> dt.timedelta:
        """The time since the due date; 0 for work on time."""
        return self.submitted - self.due if self.submitted and self.days else dt.timedelta()


def extensions_path(assignment: Assignment) -> Path:
    """Return the path of the table of extensions, which need not exist."""
    return assignment.solutions / "extensions.csv"


def read_extensions(assignment: Assignment) -> dict[str, Extension]:
    """Return the extensions of an assignment by student; none without a table. Raises Refused."""
    path, due = extensions_path(assignment), assignment.manifest.due
    if not os.path.lexists(path):
        return {}
    lines = _by_student(path, "due", "why")
    return {student: Extension(_moment(line, due), line.get("why")) for student, line in lines}


def _by_student(path: Path, *columns: str) -> Iterator[tuple[str, RosterLine]]:
    """Yield each student of a table with their line. Raises Refused if the first of the columns is missing."""
    header, *lines = read_lines(path)
    if not {"student", columns[0]} <= header.cells.keys():
        raise header.refuse(f"begin the table with a line `{','.join(('student', *columns))}`")
    seen = set()
    for line in lines:
        student = line.get("student")
        if not student or student in seen:
            what = f"{student} already has a line above" if student else "no student is named"
            raise line.refuse(f"{what}; give each student one line")
        seen.add(student)
        yield student, line


def _moment(line: RosterLine, due: dt.datetime | None) -> dt.datetime:
    """Read a date, or a duration to add to the assignment's due date, whose time zone counts. Raises Refused."""
    text = line.get("due")
    if later := _LATER.fullmatch(text):
        if due is None:
            raise line.refuse(f"`{text}` counts from `due`, which the manifest lacks; write a date")
        return due + int(later[1]) * (_DAY if later[2].lower() == "d" else _HOUR)
    if (moment := _time(text, due.tzinfo if due else None)) and can_be_due(moment):
        return moment
    raise line.refuse(
        f"`{text}` is not a due date; write 2026-12-08T23:59:00Z, or 2026-12-08 in the time zone of `due`, or +3d or +12h; "
        f"the years are {FIRST_YEAR} to {LAST_YEAR}"
    )


def read_times(path: Path, students: Sequence[str], source: Path) -> dict[str, dt.datetime]:
    """Return the time of each push in a table `student,pushed`; `students` are those of `source`. Raises Refused."""
    times: dict[str, dt.datetime] = {}
    for student, line in _by_student(path, "pushed"):
        if student not in students:
            raise line.refuse(f"{source} has no student `{student}`{nearest(student, list(students))}")
        moment = _time(line.get("pushed"))
        if moment is None:
            raise line.refuse(
                f"`{line.get('pushed')}` is not a time with a time zone; write 2026-12-08T23:59:00Z"
            )
        times[student] = moment
    return times


def _time(text: str, zone: dt.tzinfo | None = None) -> dt.datetime | None:
    """Return the time in a text, in `zone` if it names none; None if it is not a time, or has no time zone."""
    with contextlib.suppress(ValueError):
        moment = read_moment(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return moment if moment.tzinfo else None
    return None


def read_moment(text: str) -> dt.datetime:
    """Return the time in a text; a date alone means 23:59. Raises ValueError."""
    is_day = re.fullmatch(r"\d{4}-?\d\d-?\d\d", text)
    return dt.datetime.fromisoformat(f"{text}T23:59" if is_day else text)


# --- Dates and points that count


def _due_of(manifest: Manifest, extension: Extension | None) -> dt.datetime | None:
    """Return the due date of a student; None without one. An extension never takes time away."""
    if manifest.due is None or extension is None:
        return extension.due if extension else manifest.due
    return max(manifest.due, extension.due)


def in_time_until(manifest: Manifest, extension: Extension | None) -> dt.datetime | None:
    """Return the last moment at which work is on time: due date plus grace; None without a due date."""
    due = _due_of(manifest, extension)
    grace = dt.timedelta(minutes=manifest.late.grace_minutes if manifest.late else 0)
    return None if due is None else due + grace


def final_from(manifest: Manifest, extension: Extension | None) -> dt.datetime | None:
    """Return the last moment at which work counts, late or not: after it the grade is final.

    None without a due date, and if late work always counts.
    """
    due, in_time, late = _due_of(manifest, extension), in_time_until(manifest, extension), manifest.late
    if due is None or in_time is None or (late is not None and late.days is None):
        return None
    return max(in_time, due + (late.days or 0) * _DAY) if late else in_time


def last_extension(
    manifest: Manifest, extensions: Mapping[str, Extension], now: dt.datetime
) -> tuple[dt.datetime, list[str]] | None:
    """Return the moment at which the last extension ends, and the students who still have time; None without any."""
    ends = {student: final_from(manifest, extension) for student, extension in extensions.items()}
    running = {student: end for student, end in ends.items() if end is not None and end >= now}
    return (max(running.values()), sorted(running)) if running else None


def keeps_best(manifest: Manifest) -> bool:
    """Return True if the better of the work on time and the late work counts, False if the last work counts."""
    return manifest.late is not None and manifest.late.keep == "best"


def is_final(
    manifest: Manifest, extension: Extension | None, now: dt.datetime, *, declared: bool = False
) -> bool:
    """Return True if a student's grade is final at the moment `now`.

    `declared` means that the instructor ran `grade post --final`. It counts only if `final_from` returns None.
    """
    end = final_from(manifest, extension)
    return declared if end is None else now > end


def lateness(
    manifest: Manifest,
    extension: Extension | None,
    submitted: dt.datetime | None,
    *,
    verified: bool,
) -> Lateness | None:
    """Return the lateness of work; None without a due date."""
    due, in_time = _due_of(manifest, extension), in_time_until(manifest, extension)
    if due is None or in_time is None:
        return None
    is_late = submitted is not None and submitted > in_time
    days = math.ceil((submitted - due) / _DAY) if submitted is not None and is_late else 0
    return Lateness(due, submitted, verified, days, extension.why if extension else "", extension is not None)


def after_penalty(manifest: Manifest, late: Lateness | None, score: Fraction, most: Fraction) -> Fraction:
    """Return the points that are left of `score`; `most` is the maximum of the assignment."""
    policy = manifest.late
    if policy is None or late is None or late.days == 0:
        return score
    if policy.days is not None and late.days > policy.days:
        return Fraction(0)
    share = {
        name: Fraction(str(getattr(policy, name))) * most / 100
        for name in ("at_most_percent", "percent_per_day", "at_least_percent")
    }
    left = min(score, share["at_most_percent"]) - late.days * share["percent_per_day"]
    return max(left, min(score, share["at_least_percent"]), Fraction(0))
