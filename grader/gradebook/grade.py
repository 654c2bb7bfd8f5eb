"""The grade of record: the points of the checks, overrides and lateness together.

It is computed from the results file each time. So an edited due date, an extension or an override counts at once, without
another grading. In this order:

1. the points of each check, as the report has them;
2. a void check gives all its points to every student who handed in work, because the check was wrong;
3. points that an instructor gave a student for a check replace both; a manual check has only these;
4. lateness takes off its penalty (late.py);
5. the better of the last work on time and the last late work counts, or the late one with `keep: last`;
6. an excused student has no score.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from grader.errors import first_of, nearest
from grader.gradebook.gradedwork import ChangedPoints, Grade, GradedWork, Other, without_result
from grader.gradebook.late import (
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
    from grader.gradebook.store import PostedText, Store
    from grader.manifest import Manifest
    from grader.report import CheckResult
    from grader.submissions.states import State


def grades_of(
    assignment: Assignment, store: Store, *, declare: bool | None = None, roster: Path | None = None
) -> Iterator[GradedWork]:
    """Yield the grade of record of every student of the class, with its report.

    `declare` previews `grade post --final` (or `--provisional`): it replaces the stored declaration. `roster` replaces the
    roster of course.yaml. A student without a result has only the points of overrides. Raises Refused.
    """
    overrides = store.in_force(assignment.name)
    overrides = overrides if declare is None else replace(overrides, final=declare)
    absent, extensions, now = (
        store.absent(assignment.name),
        read_extensions(assignment),
        dt.datetime.now(dt.UTC),
    )
    for student in graded_students(assignment, store, roster=roster):
        versions = list(store.results_of(assignment.name, student))
        versions = versions or [_result_without_work(assignment, student, absent[student])]
        about = overrides, assignment.manifest, extensions.get(student), now
        written = {check.id for one in versions for check in one.report.waiting}
        yield _counting([_grade_of(one, *about, written=written) for one in versions], assignment.manifest)


def graded_students(assignment: Assignment, store: Store, *, roster: Path | None = None) -> list[str]:
    """Return the students who have a grade of record, sorted. Raises Refused."""
    pointed = {student for student, _ in store.in_force(assignment.name).points}
    left = who_left(assignment.course, store.everybody(assignment.name), roster)
    students = {*store.students(assignment.name), *(pointed & store.absent(assignment.name).keys())}
    return sorted(students.difference(left))


def _counting(versions: Sequence[GradedWork], manifest: Manifest) -> GradedWork:
    """Choose between the last work, which comes first, and the last work on time.

    There is a choice only if, by the current dates, one is late and the other is not. An answer without points counts in
    full here: if it can decide, its version counts, so that an instructor sees the answer.
    """
    last, *more = versions
    in_time = more[0] if more else None
    is_choice = keeps_best(manifest) and last.late and last.late.days
    if in_time is None or not is_choice or not in_time.late or in_time.late.days:
        return last
    if last.score is None or in_time.score is None:
        return last if last.score is None else in_time
    most = [exact(one.score or 0.0) + sum(map(exact, one.waiting.values())) for one in versions]
    counts, other = (in_time, last) if most[1] >= most[0] else (last, in_time)
    assert other.late is not None
    assert other.score is not None
    facts = ("notes", "later", "not_taken")  # only the last work has them
    work = msgspec.structs.replace(counts.work, **{name: getattr(last.work, name) for name in facts})
    return msgspec.structs.replace(counts, work=work, other=Other(other.score, other.late))


def posted_grade(store: Store, posted: PostedText) -> Grade:
    """Return the grade that was posted. Raises Refused for a damaged row."""
    try:
        return msgspec.json.decode(posted.record, type=Grade)
    except msgspec.DecodeError as error:
        raise store.damage_error(f"the grade that was posted to {posted.student}", error) from error


def absent_of(assignment: Assignment, store: Store, *, roster: Path | None = None) -> list[Grade]:
    """Return the students of the class without a result and without points, sorted. Raises Refused."""
    overrides = store.in_force(assignment.name)
    pointed = {student for student, _ in overrides.points}
    left = who_left(assignment.course, store.everybody(assignment.name), roster)
    return [
        without_result(HandedIn(student=student, state=state), overrides.excused.get(student))
        for student, state in store.absent(assignment.name).items()
        if student not in pointed and student not in left
    ]


def _grade_of(
    one: GradedWork,
    overrides: Overrides,
    manifest: Manifest,
    extension: Extension | None,
    now: dt.datetime,
    *,
    written: Collection[str],
) -> GradedWork:
    """Return the work with its grade of record at the moment `now`.

    `written` has the manual checks with an answer in any version of the student's work.
    """
    by_hand, excused = _by_hand(one, manifest), overrides.excused.get(one.student)
    changed, points, total, most = dict[str, ChangedPoints](), dict[str, float](), Fraction(), Fraction()
    for check in one.report.checks:
        if change := _change_of(check, one, overrides, written, by_hand=check.id in by_hand):
            changed[check.id] = change
        points[check.id] = change.now if change else check.score
        total += exact(points[check.id])
        most += exact(check.max_score)
    open_ = [check for check in one.report.checks if check.id not in changed]
    unsure = excused is not None or any(check.outcome is Outcome.UNGRADABLE for check in open_)
    asked = [check for check in open_ if check.id in by_hand and excused is None]
    late = (
        None  # of a notebook that the student never changed
        if isinstance(one.work.state, NOT_WORKED)
        else lateness(manifest, extension, one.work.moment, verified=one.work.verified)
    )
    comments = (overrides.comments.get((one.student, check)) for check in points)
    return msgspec.structs.replace(
        one,
        score=None if unsure else round_score(after_penalty(manifest, late, total, most)),
        max_score=round_score(most),
        before_penalty=None if unsure else round_score(total),
        checks=points,
        changed=tuple(changed.values()),
        late=late,
        excused=excused,
        provisional=not is_final(manifest, extension, now, declared=overrides.final),
        final_from=final_from(manifest, extension),
        late_from=in_time_until(manifest, extension),
        comments=tuple(filter(None, comments)),
        waiting={check.id: check.max_score for check in asked if check.outcome is Outcome.MANUAL},
        unwritten={check.id: check.max_score for check in asked if check.outcome is not Outcome.MANUAL},
    )


def _by_hand(one: GradedWork, manifest: Manifest) -> set[str]:
    """Return the manual checks of a student's work, with those to do: nothing was written for them."""
    manual = {name for name, spec in manifest.checks.items() if spec.manual}
    done = one.work.worked and not one.report.unread
    return {
        check.id
        for check in one.report.checks
        if check.outcome is Outcome.MANUAL or (done and check.outcome is Outcome.TODO and check.id in manual)
    }


def _change_of(
    check: CheckResult, one: GradedWork, overrides: Overrides, written: Collection[str], *, by_hand: bool
) -> ChangedPoints | None:
    """Return an override's change of a check; None if there is none.

    Points for a check in `written` do not count for a version without its answer.
    """
    void = overrides.void if one.work.worked else {}
    elsewhere = check.outcome is Outcome.TODO and check.id in written
    override = (not elsewhere and overrides.points.get((one.student, check.id))) or void.get(check.id)
    if override is None:
        return None
    was = None if check.outcome is Outcome.UNGRADABLE else check.score
    now = check.max_score if override.points is None else min(override.points, check.max_score)
    return ChangedPoints(check.id, was, now, override, check.max_score if by_hand else None)


# --- The class: the roster of `--roster` or of solutions/course.yaml; without one, every student with a result


def roster_of(course: Course, roster: Path | None = None) -> Path | None:
    """Return `roster`, or the roster of course.yaml if the file is there; else None. Raises Refused."""
    if roster is None and read_course_settings(course).class_ is not None:
        written = class_of(course).roster
        return written if written.is_file() else None
    return roster


def who_left(course: Course, students: Collection[str], roster: Path | None = None) -> list[str]:
    """Return the students who are not in the roster, sorted. Raises Refused.

    If none of them is in it, the roster has other names or is of another class, and the result is empty.
    """
    path = roster_of(course, roster)
    if path is None or not students:
        return []
    left = unknown_to(students, read_roster(path))
    return [] if len(left) == len(students) else sorted(left)


def _result_without_work(assignment: Assignment, student: str, state: State) -> GradedWork:
    """Return a result of 0 points for a student without one, so that overrides can add points."""
    report = report_without_tests(
        assignment,
        Outcome.TODO,
        why_no_result(state),
        submission=SubmissionInfo("", "", ""),
        grader=GraderInfo("", "", "", []),
        started="",
        titles={name: spec.title or name for name, spec in assignment.manifest.checks.items()},
    )
    return GradedWork.of("", HandedIn("", student=student, state=state), report)


# --- Warnings


def warnings_about(
    assignment: Assignment, store: Store, grades: Sequence[Grade], *, roster: Path | None = None
) -> list[str]:
    """Return a sentence for each override or extension that no longer fits the results, and for students who left.

    Examples: a check was renamed or has fewer points now, or a table misspells a student. No report fails for it, but the
    instructor should see it before a post. `grades` has the whole class. Raises Refused.
    """
    overrides = store.in_force(assignment.name)
    return [
        *map(conflict_words, overrides.conflicts),
        *_note_former_students(assignment, store, roster),
        *_note_dropped(assignment, store, overrides),
        *_void(assignment, overrides, grades),
        *_points(assignment, overrides, grades),
        *_note_capped(grades),
        *_extensions(assignment, store.everybody(assignment.name)),
    ]


def _note_former_students(assignment: Assignment, store: Store, roster: Path | None) -> Iterator[str]:
    if left := who_left(assignment.course, store.everybody(assignment.name), roster):
        path = roster_of(assignment.course, roster)
        yield f"{first_of(left, SHOWN)}: left out, because they are not in the roster {path}"


def _note_dropped(assignment: Assignment, store: Store, overrides: Overrides) -> Iterator[str]:
    found = store.students(assignment.name, dropped=True) if overrides.dropped else []
    for student, override in overrides.dropped.items():
        if student in found:
            yield f'{student}: an override dropped the result, with the reason "{override.why}"; {back_words(assignment, student)}'


def _void(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    known = {check for grade in grades for check in grade.checks}
    for check in sorted(overrides.void.keys() - known) if grades else ():
        yield f"`{check}` is void, but no report has this check, {_back(assignment, f'void {check}')}"


def _points(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    checks = {grade.student: grade.checks for grade in grades}
    for override in (*overrides.points.values(), *overrides.comments.values()):
        student, check = override.student, override.check
        if student in checks and check not in checks[student]:
            what = "an override" if override.kind == "points" else "a comment"
            remedy = _back(assignment, f"{override.kind} {student} {check}")
            yield f"{student}: `{check}` has {what}, but the report has no such check, {remedy}"


def _back(assignment: Assignment, what: str) -> str:
    return f"so the override has no effect; remove it with `grade override undo {what} --why ... --day {assignment.name}`"


def _note_capped(grades: Sequence[Grade]) -> Iterator[str]:
    for grade in grades:
        for change in grade.changed:
            given = change.override.points
            if given is not None and given > change.now:
                yield (
                    f"{grade.student}: an override gives {points_words(given)} points for `{change.check}`, which is now worth "
                    f"{points_words(change.now)}, so {points_words(change.now)} count"
                )


def _extensions(assignment: Assignment, students: list[str]) -> Iterator[str]:
    for student in read_extensions(assignment):
        if student not in students:
            yield f"{extensions_path(assignment)} gives more time to {student}, who has no result{nearest(student, students)}"
