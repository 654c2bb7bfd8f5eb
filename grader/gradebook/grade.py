"""The grade of record: the points of the checks, overrides and lateness together.

It is computed from the results file each time, so an edited due date, an extension or an override counts at once and
nothing is graded again. In this order:

1. the points of each check, as the report has them;
2. a void check gives all its points to everybody who handed in something, because the check was wrong; a student
   who did nothing gets none;
3. points that an instructor gave a student for a check replace both; a manual check has only these;
4. the penalty for lateness is taken off (late.py);
5. of the last work in time and the last late work the better one counts, or with `keep: last` the late one;
6. a student who is excused has no score.
"""

from __future__ import annotations

import datetime as dt
import heapq
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from grader.errors import first_of, nearest
from grader.gradebook.in_force import Override  # noqa: TC001  msgspec reads the annotations
from grader.gradebook.late import (
    Lateness,  # msgspec reads the annotations
    after_penalty,
    extensions_path,
    final_from,
    in_time_until,
    is_final,
    keeps_best,
    lateness,
    read_extensions,
)
from grader.gradebook.matching import SHOWN, unknown_to
from grader.gradebook.overrides import back_words, conflict_words
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import class_of, read_course_settings
from grader.gradebook.store import Result
from grader.grading.verdicts import report_without_tests
from grader.render.words import points_text as points_words
from grader.report import GraderInfo, Outcome, SubmissionInfo, exact, round_score
from grader.submissions.state_words import why_no_result
from grader.submissions.states import NOT_WORKED
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.in_force import Overrides
    from grader.gradebook.late import Extension
    from grader.gradebook.store import Posted, Store
    from grader.manifest import Manifest
    from grader.report import CheckResult, Report
    from grader.submissions.states import State


class Changed(msgspec.Struct, frozen=True):
    """Points of a check that an override changed; `was` is None if the check could not be graded.

    `most` is the maximum of a manual check, None for the others.
    """

    check: str
    was: float | None
    now: float
    override: Override
    most: float | None = None


class Other(msgspec.Struct, frozen=True):
    """The version of a student's work that does not count: its time, and its points after the penalty."""

    score: float
    late: Lateness


class Grade(msgspec.Struct, frozen=True):
    """The grade of record of one student.

    `score` is None for an excused student, or if a check could not be graded. `before_penalty` is the
    score without lateness, `checks` the points of each check. While a grade is `provisional`, later work may
    still count, until `final_from` where that is known; after `late_from` it is late. `other` is the work in time
    beside late work that counts, or late work beside work in time that counts. `waiting` has the manual checks without
    points, `unwritten` those with 0 points because nothing was written for them in work that was handed in, each with
    its maximum.
    """

    key: str
    score: float | None
    max_score: float
    before_penalty: float | None
    checks: dict[str, float]
    changed: tuple[Changed, ...]
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


def grades_of(
    assignment: Assignment, store: Store, *, declare: bool | None = None, roster: Path | None = None
) -> Iterator[tuple[Grade, Report]]:
    """Yield the grade of record of every student of the class, with the report behind it.

    `declare` previews `grade post --final` (or `--provisional`) and replaces the kept declaration; `roster` replaces
    that of course.yaml. A student without a result has the points of the overrides. Raises Refused.
    """
    overrides = store.in_force(assignment.name)
    overrides = overrides if declare is None else replace(overrides, final=declare)
    left = _left(assignment, store, roster)
    pointed = {student for student, _ in overrides.points}
    without = (
        result_without_work(assignment, student, why)
        for student, why in store.absent(assignment.name).items()
        if student in pointed
    )
    every = heapq.merge(store.results(assignment.name), without, key=attrgetter("student"))
    found = (one for one in every if one.student not in left)
    extensions = read_extensions(assignment)
    now = dt.datetime.now(dt.UTC)
    for student, versions in groupby(found, key=attrgetter("student")):
        extension = extensions.get(student)
        both = [(grade_of(r, overrides, assignment.manifest, extension, now), r.report) for r in versions]
        yield _counting(both, assignment.manifest)


def graded_students(assignment: Assignment, store: Store, *, roster: Path | None = None) -> list[str]:
    """Return the students who have a grade of record, sorted. Raises Refused."""
    pointed = {student for student, _ in store.in_force(assignment.name).points}
    left = _left(assignment, store, roster)
    students = {*store.students(assignment.name), *(pointed & store.absent(assignment.name).keys())}
    return sorted(students.difference(left))


def _left(assignment: Assignment, store: Store, roster: Path | None) -> list[str]:
    """Return the students of the results file who left the class. Raises Refused."""
    name = assignment.name
    return who_left(assignment.course, [*store.students(name), *store.absent(name)], roster)


def _counting(both: Sequence[tuple[Grade, Report]], manifest: Manifest) -> tuple[Grade, Report]:
    """Choose between the last work, which comes first, and the last work in time.

    There is a choice only if, by today's dates, one is late and the other is not.
    """
    (last, _), *more = both
    in_time = more[0][0] if more else None
    is_choice = keeps_best(manifest) and last.late and last.late.days
    if in_time is None or not is_choice or not in_time.late or in_time.late.days:
        return both[0]
    if last.score is None or in_time.score is None:
        return both[0] if last.score is None else both[1]
    number = int(in_time.score >= last.score)
    (grade, report), (other, _) = both[number], both[1 - number]
    assert other.late is not None
    assert other.score is not None
    last_work = last.work  # only this one has what follows
    about = {"notes": last_work.notes, "later": last_work.later, "not_taken": last_work.not_taken}
    work = msgspec.structs.replace(grade.work, **about)
    return msgspec.structs.replace(grade, work=work, other=Other(other.score, other.late)), report


def posted_grade(store: Store, posted: Posted) -> Grade:
    """Return the grade that was posted. Raises Refused for a damaged record."""
    try:
        return msgspec.json.decode(posted.record, type=Grade)
    except msgspec.DecodeError as error:
        raise store.damaged(f"the grade that was posted to {posted.student}", error) from error


@dataclass(frozen=True)
class Absent:
    """A student of the class without a result, and the reason; `excused` has an override that excuses them.

    `state` is that of their work; None for a student of the roster of whom nothing is known.
    """

    student: str
    why: str
    excused: Override | None = None
    state: State | None = None

    @property
    def words(self) -> str:
        """A line about the student for the instructor."""
        if self.excused:
            return f"excused: {self.student}: {self.excused.why}"
        return f"no result: {self.student}: {self.why}"


def absent_of(assignment: Assignment, store: Store, *, roster: Path | None = None) -> list[Absent]:
    """Return the students of the class without a result and without points, sorted. Raises Refused."""
    overrides = store.in_force(assignment.name)
    left, pointed = _left(assignment, store, roster), {student for student, _ in overrides.points}
    return [
        Absent(student, why_no_result(state), overrides.excused.get(student), state)
        for student, state in store.absent(assignment.name).items()
        if student not in pointed and student not in left
    ]


def grade_of(
    result: Result, overrides: Overrides, manifest: Manifest, extension: Extension | None, now: dt.datetime
) -> Grade:
    """Return the grade of record of one student at the moment `now`."""
    by_hand = _by_hand(result, manifest)
    counted = [
        _counted(check, result, overrides, by_hand=check.id in by_hand) for check in result.report.checks
    ]
    open_ = [
        check for check, (change, _, _) in zip(result.report.checks, counted, strict=True) if change is None
    ]
    waiting = {check.id: check.max_score for check in open_ if check.outcome is Outcome.MANUAL}
    unwritten = {
        check.id: check.max_score for check in open_ if check.id in by_hand and check.id not in waiting
    }
    comments = [overrides.comments.get((result.student, check.id)) for check in result.report.checks]
    points = [None if unsure else now for _, now, unsure in counted]
    most = sum((exact(check.max_score) for check in result.report.checks), Fraction())
    late = None  # of a notebook that the student never changed
    if not isinstance(result.work.state, NOT_WORKED):
        late = lateness(manifest, extension, result.work.moment, verified=result.work.verified)
    total = None if None in points else sum((exact(now) for now in points if now is not None), Fraction())
    excused = overrides.excused.get(result.student)
    if excused is not None:
        total = None
    return Grade(
        key=result.key,
        score=None if total is None else round_score(after_penalty(manifest, late, total, most)),
        max_score=round_score(most),
        before_penalty=None if total is None else round_score(total),
        checks={check.id: now for check, (_, now, _) in zip(result.report.checks, counted, strict=True)},
        changed=tuple(change for change, _, _ in counted if change),
        late=late,
        excused=excused,
        work=result.work,
        provisional=not is_final(manifest, extension, now, declared=overrides.final),
        final_from=final_from(manifest, extension),
        late_from=in_time_until(manifest, extension),
        comments=tuple(filter(None, comments)),
        waiting=waiting if excused is None else {},
        unwritten=unwritten if excused is None else {},
    )


def _by_hand(result: Result, manifest: Manifest) -> set[str]:
    """Return the manual checks of work that was handed in; those to do are the ones for which nothing was written."""
    manual = {name for name, spec in manifest.checks.items() if spec.manual}
    done = result.work.worked and not result.report.unread
    return {
        check.id
        for check in result.report.checks
        if check.outcome is Outcome.MANUAL or (done and check.outcome is Outcome.TODO and check.id in manual)
    }


def _counted(
    check: CheckResult, result: Result, overrides: Overrides, *, by_hand: bool
) -> tuple[Changed | None, float, bool]:
    """Return an override's change of a check, the check's points, and True if they are unknown."""
    unsure = check.outcome is Outcome.UNGRADABLE
    void = overrides.void if result.work.worked else {}
    override = overrides.points.get((result.student, check.id)) or void.get(check.id)
    if override is None:
        return None, check.score, unsure
    now = check.max_score if override.points is None else min(override.points, check.max_score)
    most = check.max_score if by_hand else None
    return Changed(check.id, None if unsure else check.score, now, override, most), now, False


# --- The class: the roster of the option `--roster`, or that of solutions/course.yaml; else everybody with a result


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


# --- Warnings


def warnings_about(
    assignment: Assignment, store: Store, grades: Sequence[Grade], *, roster: Path | None = None
) -> list[str]:
    """Return a sentence for each override or extension that does not fit the results any more, and about who left.

    A check was renamed or has fewer points now, or a student is misspelt in a table. No report fails for it, but the
    instructor should see it before anything is posted. `grades` are those of the whole class. Raises Refused.
    """
    overrides = store.in_force(assignment.name)
    return [
        *map(conflict_words, overrides.conflicts),
        *_gone(assignment, store, roster),
        *_dropped(assignment, store, overrides),
        *_void(assignment, overrides, grades),
        *_points(assignment, overrides, grades),
        *_capped(grades),
        *_extensions(assignment, [grade.student for grade in grades]),
    ]


def _gone(assignment: Assignment, store: Store, roster: Path | None) -> Iterator[str]:
    if left := _left(assignment, store, roster):
        path = roster_of(assignment.course, roster)
        yield f"{first_of(left, SHOWN)}: not in the roster {path}, so left out"


def _dropped(assignment: Assignment, store: Store, overrides: Overrides) -> Iterator[str]:
    found = store.students(assignment.name, dropped=True) if overrides.dropped else []
    for student, override in overrides.dropped.items():
        if student in found:
            yield f"{student}: the result is dropped ({override.why}); {back_words(assignment, student)}"


def _void(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    known = {check for grade in grades for check in grade.checks}
    for check in sorted(overrides.void.keys() - known) if grades else ():
        yield f"`{check}` is void by an override, but no report has such a check: {_back(assignment, f'void {check}')}"


def _points(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    checks = {grade.student: grade.checks for grade in grades}
    for override in (*overrides.points.values(), *overrides.comments.values()):
        student, check = override.student, override.check
        if student in checks and check not in checks[student]:
            what = "an override" if override.kind == "points" else "a comment"
            remedy = _back(assignment, f"{override.kind} {student} {check}")
            yield f"{student}: `{check}` has {what}, but their report has no such check: {remedy}"


def _back(assignment: Assignment, what: str) -> str:
    return f"it has no effect; `grade override undo {what} --why ... --day {assignment.name}` undoes it"


def _capped(grades: Sequence[Grade]) -> Iterator[str]:
    for grade in grades:
        for change in grade.changed:
            given = change.override.points
            if given is not None and given > change.now:
                yield (
                    f"{grade.student}: an override gives {points_words(given)} points for `{change.check}`, which has "
                    f"{points_words(change.now)} now; it counts {points_words(change.now)}"
                )


def _extensions(assignment: Assignment, students: list[str]) -> Iterator[str]:
    for student in read_extensions(assignment):
        if student not in students:
            yield f"{extensions_path(assignment)}: {student} has no result{nearest(student, students)}"
