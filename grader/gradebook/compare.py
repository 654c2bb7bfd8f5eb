"""`grade diff`: two files of results beside each other, or one beside what was posted from it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from grader.console import FULL, LESS, say
from grader.errors import Refused
from grader.gradebook.changes import Side, differences, render_differences
from grader.gradebook.doubts import doubts, nothing_of
from grader.gradebook.record import Grade, grades_of
from grader.gradebook.store import Store
from grader.render import inert, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment, Course


def compare(course: Course, old: Path, new: Path | None, day: str | None) -> int:
    """Tell who changes; gives 1 where somebody does. Raises Refused, AssignmentError."""
    code = FULL
    with Store(old) as before, Store(new or old) as after:
        names = _common(course, before, after, day)
        for name in names:
            assignment = course.assignment(name)
            first = _posted(assignment, before) if new is None else _sides(assignment, before)
            second = _sides(assignment, after)
            _say_doubts(assignment, after, [side.grade for side in second.values()])
            if new is None:
                _say_unposted(assignment, first, second)
                second = {student: side for student, side in second.items() if student in first}
            found = differences(first, second)
            say(
                inert(f"{name}  {assignment.manifest.title}\n{render_differences(found, len(second))}"),
                nl=False,
            )
            code = LESS if found else code
    return code


def _common(course: Course, before: Store, after: Store, day: str | None) -> list[str]:
    if day is not None:
        return [course.assignment(day).name]
    names = [name for name in before.assignments() if name in after.assignments() and name in course.names]
    if not names and before.path == after.path:
        raise Refused(nothing_of("this course", before))
    if not names:
        raise Refused(
            f"{before.path}: no results of an assignment of this course that {after.path} has too; "
            "is this the course's folder?"
        )
    return names


def _sides(assignment: Assignment, store: Store) -> dict[str, Side]:
    """What counts now; both files are read by today's dates and extensions, and by their own overrides."""
    return {grade.student: Side(grade, report) for grade, report in grades_of(assignment, store)}


def _posted(assignment: Assignment, store: Store) -> dict[str, Side]:
    """What was told, and the report that it was told of."""
    sides = {}
    for student, posted in store.posted(assignment.name).items():
        with suppress(msgspec.DecodeError):  # of a version that kept it in another way
            grade = msgspec.json.decode(posted.record, type=Grade)
            work = msgspec.structs.replace(grade.work, student=student)  # an earlier version left it out
            grade = msgspec.structs.replace(grade, work=work)
            sides[student] = Side(grade, store.report(assignment.name, student, grade.key))
    return sides


def _say_doubts(assignment: Assignment, store: Store, grades: list[Grade]) -> None:
    for doubt in doubts(assignment, store, grades):
        say(one_line(f"note: {doubt}"), err=True)


def _say_unposted(assignment: Assignment, posted: dict[str, Side], now: dict[str, Side]) -> None:
    waiting = len(now.keys() - posted.keys())
    if waiting:
        say(f"{assignment.name}: nothing was posted to {waiting} of {len(now)} students yet.")
