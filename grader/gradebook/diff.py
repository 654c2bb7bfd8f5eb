"""`grade diff`: the students whose grade changes, with the check, the points and the reason.

Two results files are compared, or one with the grades that were posted from it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.console import FULL, LESS, say, show
from grader.errors import Refused
from grader.gradebook.grade import Grade, grades_of, warnings_about
from grader.gradebook.sentences import grade_words, late_words, version_words
from grader.gradebook.store import Store
from grader.render import shortened
from grader.render.words import points
from grader.report import Outcome, exact, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.grade import Changed
    from grader.report import Report

WHY = 90  # columns of a message


# --- The command


def compare(course: Course, old: Path, new: Path | None, day: str | None) -> int:
    """Print the differences; return LESS if a grade changes, else FULL. Raises Refused."""
    code = FULL
    with Store(old) as before, Store(new or old) as after:
        names = _common(course, before, after, day)
        for name in names:
            assignment = course.assignment(name)
            first = _posted(assignment, before) if new is None else _sides(assignment, before)
            second = _sides(assignment, after)
            _say_warnings(assignment, after, [side.grade for side in second.values()])
            if new is None:
                _say_unposted(assignment, first, second)
                if not first and len(names) > 1:
                    continue
                second = {student: side for student, side in second.items() if student in first}
            found = differences(first, second)
            show(
                f"{name}  {assignment.manifest.title}\n{render_differences(found, len(second))}",
            )
            code = LESS if found else code
    return code


def _common(course: Course, before: Store, after: Store, day: str | None) -> list[str]:
    if day is not None:
        return [course.assignment(day).name]
    names = [name for name in before.assignments() if name in after.assignments() and name in course.names]
    if not names and before.path == after.path:
        raise before.no_results("this course")
    if not names:
        raise Refused(
            f"{before.path}: no results of an assignment of this course that {after.path} has too; "
            "is this the course's folder?"
        )
    return names


def _sides(assignment: Assignment, store: Store) -> dict[str, Side]:
    """Return the grades that count now, by today's dates and extensions and the file's own overrides."""
    return {grade.student: Side(grade, report) for grade, report in grades_of(assignment, store)}


def _posted(assignment: Assignment, store: Store) -> dict[str, Side]:
    """Return the grades that were posted, with their reports. Raises Refused."""
    sides = {}
    for student, posted in store.posted(assignment.name).items():
        try:
            grade = msgspec.json.decode(posted.record, type=Grade)
        except msgspec.DecodeError as error:
            raise store.damaged(f"the grade that was posted to {student}", error) from error
        sides[student] = Side(grade, store.report(assignment.name, student, grade.key))
    return sides


def _say_warnings(assignment: Assignment, store: Store, grades: list[Grade]) -> None:
    for warning in warnings_about(assignment, store, grades):
        say(f"note: {warning}", err=True)


def _say_unposted(assignment: Assignment, posted: dict[str, Side], now: dict[str, Side]) -> None:
    waiting = len(now.keys() - posted.keys())
    if waiting:
        say(f"{assignment.name}: nothing was posted to {waiting} of {len(now)} students yet.")


# --- What changes


@dataclass(frozen=True)
class Side:
    """One of two grades that are compared; the report is None if it was deleted."""

    grade: Grade
    report: Report | None


@dataclass(frozen=True)
class Difference:
    """A student whose grade changes, with a sentence for each reason."""

    student: str
    before: Grade | None
    after: Grade | None
    why: tuple[str, ...]
    checks: dict[str, float]  # by how much each check changes


def differences(before: Mapping[str, Side], after: Mapping[str, Side]) -> list[Difference]:
    """Return the students whose grade changes, sorted."""
    found = []
    for student in sorted({*before, *after}):
        difference = _difference(student, before.get(student), after.get(student))
        if difference is not None:
            found.append(difference)
    return found


def _difference(student: str, old: Side | None, new: Side | None) -> Difference | None:
    if old is None or new is None:
        why = "was not there before" if old is None else "is no longer there"
        return Difference(student, old.grade if old else None, new.grade if new else None, (why,), {})
    moved = {
        check: rounded(exact(new.grade.checks.get(check, 0.0)) - exact(old.grade.checks.get(check, 0.0)))
        for check in dict.fromkeys([*old.grade.checks, *new.grade.checks])
    }
    moved = {check: by for check, by in moved.items() if by}
    if not moved and _counts(old.grade) == _counts(new.grade):
        return None
    reasons = [
        *_submission(old, new),
        *(_check(check, old, new) for check in moved),
        *_rest(old.grade, new.grade),
    ]
    return Difference(student, old.grade, new.grade, tuple(reasons), moved)


def _counts(grade: Grade) -> tuple[object, ...]:
    return grade.score, grade.max_score, grade.excused is not None, late_words(grade)


def _submission(old: Side, new: Side) -> list[str]:
    if old.report is None or new.report is None:
        return []
    same = old.report.submission.sha256 == new.report.submission.sha256
    return [] if same else ["the submission changed"]


def _check(check: str, old: Side, new: Side) -> str:
    """Return the old and new points of a check, and the reason."""
    was, now = old.grade.checks.get(check), new.grade.checks.get(check)
    if was is None or now is None:
        return f"{check}: {'is new' if was is None else 'is gone'}, {points(now or was or 0.0)} points"
    return f"{check} {points(was)} -> {points(now)}: {_reason(check, old, new)}"


def _reason(check: str, old: Side, new: Side) -> str:
    before, after = _word(old.grade, check), _word(new.grade, check)
    if after != before and after is not None:
        return f"{'void' if after.override.kind == 'void' else 'overridden'}: {after.override.why} ({after.override.who})"
    if before is not None and after is None:
        return "the override was undone"
    result = next((c for c in new.report.checks if c.id == check), None) if new.report else None
    if result is None:
        return "graded anew"
    if result.outcome is Outcome.PASSED:
        return "passes now"
    return f"{result.outcome}: {shortened(result.message, WHY)}" if result.message else str(result.outcome)


def _word(grade: Grade, check: str) -> Changed | None:
    return next((change for change in grade.changed if change.check == check), None)


def _rest(old: Grade, new: Grade) -> list[str]:
    parts = []
    if (old.excused is None) != (new.excused is None):
        parts.append(f"excused: {new.excused.why}" if new.excused else "no longer excused")
    if late_words(old) != late_words(new):
        parts.append(late_words(new) or "in time now")
    if version_words(old) != version_words(new):
        parts.append(version_words(new) or "one version of the work is left")
    return parts


# --- As text


def render_differences(found: Sequence[Difference], students: int) -> str:
    """Return the differences as text, for the instructor."""
    lines = [f"{students} students, {_count(len(found), 'changes', 'change')}."]
    if not found:
        return f"{lines[0]}\n"
    width = min(max(len(one.student) for one in found), 30)
    for one in found:
        old, new = _grade(one.before), _grade(one.after)
        lines += ["", f"  {one.student:<{width}}  {old} -> {new}", *(f"    {why}" for why in one.why)]
    return "\n".join([*lines, "", *_by_check(found), *_in_all(found)]) + "\n"


def _count(number: int, one: str, many: str) -> str:
    return f"{number or 'none'} {one if number == 1 else many}"


def _grade(grade: Grade | None) -> str:
    if grade is None:
        return "-"
    return points(grade.score) if grade.score is not None else grade_words(grade)


def _by_check(found: Iterable[Difference]) -> list[str]:
    """Return for each check how many students gain and lose by it, the largest change first."""
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
    return f"1 student {verb}s" if number == 1 else f"{number} students {verb}"


def _in_all(found: Iterable[Difference]) -> list[str]:
    both = [
        (one.before.score, one.after.score)
        for one in found
        if one.before and one.after and one.before.score is not None and one.after.score is not None
    ]
    up = sum(new > old for old, new in both)
    down = sum(new < old for old, new in both)
    return [
        f"In all: {_more(up, 'gain') or 'no student gains'}, {_more(down, 'lose') or 'no student loses'}."
    ]
