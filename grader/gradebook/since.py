"""The grades at an earlier time, from the gradings and overrides that the results file keeps.

Due dates and extensions are those of today: no file keeps the earlier ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.gradebook.grade import Overrides, grades_from
from grader.report import from_json
from grader.submissions.states import IN_WORK, Unreadable
from grader.submissions.work import HandedIn, in_utc

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.grade import Grade
    from grader.gradebook.store import Grading, Result, Store
    from grader.report import Report


def grades_at(
    assignment: Assignment, store: Store, moment: dt.datetime | None
) -> Iterator[tuple[Grade, Report]]:
    """Yield the grade that each student had at that moment, with the report behind it. Raises Refused.

    None is the moment before the last run that graded something: then nothing of that run counts.
    """
    until, run = in_utc(moment), None
    if moment is None:
        last = store.runs(assignment.name)[-1:]
        until, run = (last[0].started, last[0].id) if last else ("", None)
    overrides = Overrides.of(one for one in store.overrides(assignment.name) if one.at <= until)
    yield from grades_from(
        assignment, overrides, _results_at(assignment, store, overrides, until, run), store
    )


def _results_at(
    assignment: Assignment, store: Store, overrides: Overrides, until: str, without: int | None
) -> Iterator[Result]:
    for student in store.students(assignment.name, dropped=True):
        if student not in overrides.dropped:
            gradings = store.gradings(assignment.name, student)
            earlier = [
                one for one in gradings if one.graded <= until and (without is None or one.run != without)
            ]
            yield from _results_of(list(store.results_of(assignment.name, student)), earlier)


def _results_of(now: Sequence[Result], earlier: Sequence[Grading]) -> Iterator[Result]:
    """Yield the results that the versions of a student's work had; `earlier` are the gradings until then."""
    reports = [(one.key, one.graded, from_json(one.report)) for one in earlier]
    hashes = {result.version: result.report.submission.sha256 for result in now}
    unchanged = {one.version for one in earlier}
    for result in now:
        if result.version in unchanged:
            yield result
            continue
        own = hashes[result.version]
        others = {*hashes.values()} - {own}
        for key, graded, report in reversed(reports):
            sha256 = report.submission.sha256
            if sha256 == own or (result.version == "last" and sha256 not in others):
                yield replace(result, key=key, graded=graded, report=report, work=_work(result, report))
                break


def _work(result: Result, report: Report) -> HandedIn:
    """Return the facts about the work that was graded then."""
    if report.submission.sha256 == result.report.submission.sha256:
        return result.work
    state = IN_WORK if report.submission.sha256 else Unreadable(report.unread)
    facts = HandedIn(result.work.name, report.submission.modified, student=result.student, state=state)
    return replace(facts, verified=result.work.verified, repository=result.work.repository)
