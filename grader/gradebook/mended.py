"""Points that changed because a check was mended: the sentence that those students read about it.

A student's points for a check are compared with those that were posted last. They were changed by the check, and not by
the student or an override, if the same work was graded then and now. The reason is given with `grade post --why`. It is
part of the posted grade, so later posts keep it while the work and the points are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.gradebook.grade import Grade, Mended, posted_grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.assignment import Assignment
    from grader.gradebook.store import Store
    from grader.report import Report


@dataclass(frozen=True)
class Reason:
    """A reason for changed points, with its author and time (UTC in ISO 8601)."""

    why: str
    who: str
    at: str


def with_reasons(
    assignment: Assignment,
    store: Store,
    both: Iterable[tuple[Grade, Report]],
    reason: Reason | None = None,
) -> Iterator[tuple[Grade, Report]]:
    """Yield the grades with the reasons that were posted, and with `reason` for points that changed since."""
    for grade, report, before in _with_posted(assignment, store, both):
        if before is None:
            yield grade, report
            continue
        kept = {one.check: one for one in before.mended if grade.checks.get(one.check) == one.now}
        if reason is not None:
            kept |= {
                check: Mended(check, was, now, reason.why, reason.who, reason.at)
                for check, (was, now) in _moved(before, grade).items()
            }
        yield replace(grade, mended=tuple(kept.values())), report


def unexplained(
    assignment: Assignment, store: Store, both: Iterable[tuple[Grade, Report]]
) -> dict[str, list[str]]:
    """Return the checks whose points changed without new work, an override or a reason, each with the students."""
    found: dict[str, list[str]] = {}
    for grade, _, before in _with_posted(assignment, store, both):
        told = {one.check for one in grade.mended}
        for check in _moved(before, grade).keys() - told if before else ():
            found.setdefault(check, []).append(grade.student)
    return found


def _with_posted(
    assignment: Assignment, store: Store, both: Iterable[tuple[Grade, Report]]
) -> Iterator[tuple[Grade, Report, Grade | None]]:
    """Yield each grade with the one that was posted; None if there is none, or one of other bytes."""
    posted = store.posted(assignment.name)
    for grade, report in both:
        before = posted_grade(store, posted[grade.student]) if grade.student in posted else None
        old = store.report(assignment.name, grade.student, before.key) if before else None
        same = old is not None and old.submission.sha256 == report.submission.sha256
        yield grade, report, before if same else None


def _moved(before: Grade, now: Grade) -> dict[str, tuple[float, float]]:
    """Return the old and new points of each check that changed, without those that overrides changed."""
    by_hand = {change.check for grade in (before, now) for change in grade.changed}
    return {
        check: (before.checks[check], points)
        for check, points in now.checks.items()
        if check in before.checks and check not in by_hand and before.checks[check] != points
    }
