"""`grade diff`: the students whose grade changed since it was posted, with the check, the points and the reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.console import FULL, LESS, count_noun, say, say_notes, show
from grader.errors import first_of
from grader.gradebook.grade import grades_of, posted_grade, warnings_about, who_left
from grader.gradebook.gradedwork import GradedWork
from grader.gradebook.matching import SHOWN
from grader.gradebook.sentences import grade_words, late_words, version_words
from grader.gradebook.store import Store
from grader.render import shorten
from grader.render.words import points_text
from grader.report import Outcome, exact, round_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.gradedwork import ChangedPoints, Grade

WHY = 90  # columns of a message


# --- The command


def compare(course: Course, results: Path, day: str | None) -> int:
    """Print the differences; return LESS if a grade changes, else FULL. Raises Refused."""
    code = FULL
    with Store(results) as store:
        names = _names(course, store, day)
        for name in names:
            assignment = course.assignment(name)
            after = {grade.student: grade for grade in grades_of(assignment, store)}
            say_notes(warnings_about(assignment, store, [*after.values()]))
            before = _read_posted(assignment, store)
            if waiting := len(after.keys() - before.keys()):
                say(f"{name}: {waiting} of {count_noun(len(after), 'student')} have no posted grade yet.")
            if not before:
                continue
            left = who_left(assignment.course, store.everybody(name))
            if gone := sorted(before.keys() - after.keys() - {*left}):  # nothing can be posted to them
                say(f"{name}: posted, but without a result now: {first_of(gone, SHOWN)}")
            found = differences(before, after)
            show(
                f"{name}  {assignment.manifest.title}\n{render_differences(found, len(before.keys() & after.keys()))}"
            )
            code = LESS if found else code
    return code


def _names(course: Course, store: Store, day: str | None) -> list[str]:
    if day is not None:
        return [course.assignment(day).name]
    names = [name for name in store.assignments() if name in course.names]
    if not names:
        raise store.no_results("this course")
    return names


def _read_posted(assignment: Assignment, store: Store) -> dict[str, Grade]:
    """Return the grades that were posted, with their reports if these are there. Raises Refused."""
    grades = {}
    for student, posted in store.posted_texts(assignment.name).items():
        grade = posted_grade(store, posted)
        report = store.report(assignment.name, student, grade.key)
        grades[student] = grade.with_report(report) if report else grade
    return grades


# --- What changes


@dataclass(frozen=True)
class Difference:
    """A student whose grade changes, with a sentence for each reason."""

    student: str
    before: Grade
    after: Grade
    why: tuple[str, ...]
    checks: dict[str, float]  # by how much each check changes


def differences(before: Mapping[str, Grade], after: Mapping[str, GradedWork]) -> list[Difference]:
    """Return the students whose grade changes, sorted, of those with a grade in both."""
    every = (
        _difference(student, before[student], after[student])
        for student in sorted(before.keys() & after.keys())
    )
    return [difference for difference in every if difference is not None]


def _difference(student: str, old: Grade, new: GradedWork) -> Difference | None:
    moved = {
        check: round_score(exact(new.checks.get(check, 0.0)) - exact(old.checks.get(check, 0.0)))
        for check in dict.fromkeys([*old.checks, *new.checks])
    }
    moved = {check: by for check, by in moved.items() if by}
    if not moved and _counts(old) == _counts(new):
        return None
    reasons = [*_note_other_work(old, new), *(_check(check, old, new) for check in moved), *_rest(old, new)]
    return Difference(student, old, new, tuple(reasons), moved)


def _counts(grade: Grade) -> tuple[object, ...]:
    return grade.score, grade.max_score, grade.excused is not None, late_words(grade)


def _note_other_work(old: Grade, new: GradedWork) -> list[str]:
    """Return a note if another submission was graded, or the same one by another version of Backgrade."""
    if not isinstance(old, GradedWork):
        return []
    if old.report.submission.sha256 != new.report.submission.sha256:
        return ["the submission changed"]
    was, now = old.report.grader.version, new.report.grader.version
    return [f"graded by Backgrade {now} now, by {was} before"] if was != now else []


def _check(check: str, old: Grade, new: GradedWork) -> str:
    """Return the old and new points of a check, and the reason."""
    was, now = old.checks.get(check), new.checks.get(check)
    if was is None or now is None:
        return f"{check}: {'is new' if was is None else 'is gone'}, {points_text(now or was or 0.0)} points"
    return f"{check} {points_text(was)} -> {points_text(now)}: {_reason(check, old, new)}"


def _reason(check: str, old: Grade, new: GradedWork) -> str:
    before, after = _word(old, check), _word(new, check)
    if after != before and after is not None:
        return f"{'void' if after.override.kind == 'void' else 'overridden'}: {after.override.why} ({after.override.who})"
    if before is not None and after is None:
        return "the override was undone"
    result = next((c for c in new.report.checks if c.id == check), None)
    if result is None:
        return "graded again"
    if result.outcome is Outcome.PASSED:
        return "passes now"
    said = result.message or result.asked
    return f"{result.outcome}: {shorten(said, WHY)}" if said else str(result.outcome)


def _word(grade: Grade, check: str) -> ChangedPoints | None:
    return next((change for change in grade.changed if change.check == check), None)


def _rest(old: Grade, new: Grade) -> list[str]:
    parts = []
    if (old.excused is None) != (new.excused is None):
        parts.append(f"excused: {new.excused.why}" if new.excused else "no longer excused")
    if late_words(old) != late_words(new):
        parts.append(late_words(new) or "the work does not count as late now")
    if version_words(old) != version_words(new):
        parts.append(version_words(new) or "there is one version of the work, no longer two")
    return parts


# --- As text


def render_differences(found: Sequence[Difference], students: int) -> str:
    """Return the differences as text, for the instructor."""
    lines = [f"Grades that change: {len(found)} of {students}."]
    if not found:
        return f"{lines[0]}\n"
    width = min(max(len(one.student) for one in found), 30)
    for one in found:
        old, new = _grade(one.before), _grade(one.after)
        lines += ["", f"  {one.student:<{width}}  {old} -> {new}", *(f"    {why}" for why in one.why)]
    return "\n".join([*lines, "", *_by_check(found)]).rstrip() + "\n"


def _grade(grade: Grade) -> str:
    return points_text(grade.score) if grade.score is not None else grade_words(grade)


def _by_check(found: Iterable[Difference]) -> list[str]:
    """Return a line for each check: how many students gain and lose by it, the largest change first."""
    gains, losses, moved = Counter[str](), Counter[str](), Counter[str]()
    for one in found:
        for check, by in one.checks.items():
            (gains if by > 0 else losses)[check] += 1
            moved[check] += 1
    rows = [(check, gains[check], losses[check]) for check, _ in moved.most_common()]
    return [
        f"{check}: {', '.join(filter(None, (_more(up, 'gain'), _more(down, 'lose'))))}"
        for check, up, down in rows
    ]


def _more(number: int, verb: str) -> str:
    if not number:
        return ""
    return f"{count_noun(number, 'student')} {verb}{'s' if number == 1 else ''}"
