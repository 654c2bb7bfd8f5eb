"""Bare `grade`: every assignment, how far one is, and what to do next."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import msgspec

from grader.files import read_plain
from grader.render import one_line
from grader.report import Outcome, Report, from_json
from grader.submission import MAX_FILE

if TYPE_CHECKING:
    from grader.assignment import Assignment, Course


MAX_FEEDBACK = 4 << 20  # bytes; a report has some thousands


def render_progress(course: Course) -> str:
    """One line an assignment, the next step last. Raises AssignmentError."""
    rows, following = [], ""
    for name in course.names:
        assignment = course.assignment(name)
        report = last_report(assignment)
        rows.append(f"  {name:<8} {assignment.manifest.title:<24} {_state(assignment, report)}")
        following = following or _next_step(assignment, report)
    if not rows:
        return f"{course.root}: no assignments yet\n"
    return "\n".join(map(one_line, [*rows, "", following or "Everything passes."])) + "\n"


def last_report(assignment: Assignment) -> Report | None:
    """The report of the last grading, if it was kept, can be read and is of one's own work."""
    path = assignment.course.root / "feedback" / f"{assignment.name}.json"
    try:
        report = from_json(read_plain(path, MAX_FEEDBACK)[0])
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    own = not PurePath(report.submission.path).is_absolute()
    return report if own else None


def _state(assignment: Assignment, report: Report | None) -> str:
    if report is None:
        return "not graded yet" if assignment.stub.is_file() else "no notebook here"
    if report.score is None:
        return "could not be graded"
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    points = f"{report.score:g}/{report.max_score:g}"
    stale = "" if _current(assignment, report) else "  (the file has changed since)"
    return f"{points:>8}  {passed} of {len(report.checks)} checks{stale}"


def _current(assignment: Assignment, report: Report) -> bool:
    import hashlib

    path = assignment.course.root / report.submission.path
    try:
        return hashlib.sha256(read_plain(path, MAX_FILE)[0]).hexdigest() == report.submission.sha256
    except OSError:
        return False


def _next_step(assignment: Assignment, report: Report | None) -> str:
    if report is not None and report.outcome is Outcome.PASSED and _current(assignment, report):
        return ""
    if report is None or not _current(assignment, report):
        return f"Next: grade {assignment.name}"
    first = next((check.id for check in report.checks if check.outcome is not Outcome.PASSED), "")
    return f"Next: {first} of {assignment.name}, in {report.submission.path}"
