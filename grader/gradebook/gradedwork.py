"""A student's work with its grade.

    HandedIn      the work, its time and state: a row of `submissions` or `absent` (submissions/work.py)
    Grade         a HandedIn with the points that count and their reasons: overrides, lateness, the other version.
                  Without a report, it is the grade of a student without a result, or a posted grade
    GradedWork    a Grade with the report of the grading that counts

A HandedIn is stored; a grade is computed each time (grade.py).
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
from typing import Literal

import msgspec

from grader.gradebook.in_force import Override  # noqa: TC001  msgspec reads the annotations
from grader.gradebook.late import Lateness  # noqa: TC001  msgspec reads the annotations
from grader.report import Report, exact, round_score
from grader.submissions.work import HandedIn  # noqa: TC001  msgspec reads the annotations

VersionName = Literal["last", "in_time"]  # of a student's work; most students have only the last one


class ChangedPoints(msgspec.Struct, frozen=True):
    """Points of a check that an override changed; `was` is None if the check could not be graded.

    `most` is the maximum of a manual check, None for the others.
    """

    check: str
    was: float | None
    now: float
    override: Override
    most: float | None = None


class Other(msgspec.Struct, frozen=True):
    """The version of a student's work that does not count: its lateness, and its points after the penalty."""

    score: float
    late: Lateness


class Grade(msgspec.Struct, frozen=True):
    """The grade of record of one student.

    `score` is None for an excused student, with an ungradable check, and without a result. `before_penalty` is the score
    without lateness, `checks` has the points of each check. While a grade is `provisional`, later work may still count,
    until `final_from` if that is known; after `late_from` it is late. `other` is the version that does not count: work on
    time if late work counts, and the reverse. `waiting` has the manual checks without points; `unwritten` those with 0
    points because the student wrote nothing; each with its maximum. `key` is the key of the grading, or "".
    """

    key: str
    score: float | None
    max_score: float
    before_penalty: float | None
    checks: dict[str, float]
    changed: tuple[ChangedPoints, ...]
    late: Lateness | None
    excused: Override | None
    work: HandedIn
    provisional: bool = False
    final_from: dt.datetime | None = None
    late_from: dt.datetime | None = None
    other: Other | None = None
    comments: tuple[Override, ...] = ()
    waiting: dict[str, float] = {}
    unwritten: dict[str, float] = {}

    @property
    def student(self) -> str:
        """The key of the student."""
        return self.work.student

    @property
    def penalty(self) -> float:
        """The points that lateness took."""
        if self.score is None or self.before_penalty is None:
            return 0.0
        return round_score(exact(self.before_penalty) - exact(self.score))

    @property
    def without_report(self) -> Grade:
        """The grade as a post stores it; the grades of a whole class are small without reports."""
        return Grade(*(getattr(self, name) for name in Grade.__struct_fields__))

    def with_report(self, report: Report) -> GradedWork:
        """Return the grade with its report."""
        return GradedWork(**msgspec.structs.asdict(self.without_report), report=report)


class GradedWork(Grade, frozen=True, kw_only=True):
    """A grade with the report on one `version` of the student's work."""

    report: Report
    version: VersionName = "last"

    @classmethod
    def of(cls, key: str, work: HandedIn, report: Report, *, version: VersionName = "last") -> GradedWork:
        """Return the work with the points of the checks, without overrides and lateness."""
        points = {check.id: check.score for check in report.checks}
        total = report.score, report.max_score, report.score
        return cls(key, *total, points, (), None, None, work, report=report, version=version)


def without_result(work: HandedIn, excused: Override | None = None) -> Grade:
    """Return the grade of a student without a result."""
    return Grade("", None, 0.0, None, {}, (), None, excused, work)
