"""The students of a class: who left its roster has no grade any more, and who has no result may have points.

The roster is that of the command's option `--roster`, or `class: {roster: ...}` in solutions/course.yaml. Without one,
everybody with a result is in the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.gradebook.export import unknown_to
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import class_of, read_course_settings
from grader.gradebook.store import Result
from grader.grading.verdicts import report_without_tests
from grader.report import GraderInfo, Outcome, SubmissionInfo
from grader.submissions.state_words import why_no_result
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.submissions.states import State


def roster_of(course: Course, roster: Path | None = None) -> Path | None:
    """Return the roster that counts: `roster`, or that of course.yaml if it is there; else None. Raises Refused."""
    if roster is None and read_course_settings(course).class_ is not None:
        written = class_of(course).roster
        return written if written.is_file() else None
    return roster


def who_left(course: Course, students: Collection[str], roster: Path | None = None) -> list[str]:
    """Return the students who are not in the roster, sorted. Raises Refused.

    A roster that has none of them is one of other names, or of another class: then nobody left.
    """
    path = roster_of(course, roster)
    if path is None or not students:
        return []
    left = unknown_to(students, read_roster(path))
    return [] if len(left) == len(students) else sorted(left)


def result_without_work(assignment: Assignment, student: str, state: State) -> Result:
    """Return a result of 0 points for a student without one, to which points that an instructor gave are added."""
    report = report_without_tests(
        assignment,
        Outcome.TODO,
        why_no_result(state),
        submission=SubmissionInfo("", "", ""),
        grader=GraderInfo("", "", "", []),
        started="",
        titles={name: spec.title or name for name, spec in assignment.manifest.checks.items()},
    )
    return Result("", "", HandedIn("", student=student, state=state), report)
