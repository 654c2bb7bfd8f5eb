"""Overrides and extensions that do not fit the results any more, told before anything is posted.

A check is renamed or loses points after an override about it, a student is misspelt in a table: nothing of
it stops a report, and none of it should cost a student what they were promised without anybody noticing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import nearest
from grader.gradebook.late import extensions_path, read_extensions
from grader.gradebook.record import Overrides
from grader.render.words import points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.record import Grade
    from grader.gradebook.store import Store


def doubts(assignment: Assignment, store: Store, grades: Sequence[Grade]) -> list[str]:
    """A sentence for each word that counts nothing or less than was said, and for each extension of nobody.

    `grades` are those of the whole class. Raises Refused.
    """
    overrides = Overrides.of(store.overrides(assignment.name))
    return [
        *_void(assignment, overrides, grades),
        *_points(assignment, overrides, grades),
        *_capped(grades),
        *_shared(grades),
        *_extensions(assignment, [grade.student for grade in grades]),
    ]


def nothing_of(what: str, store: Store) -> str:
    """That a file holds no results of `what`, and of what it does: the file may be another's, the name a new one."""
    names = store.assignments()
    others = f", only of {', '.join(names)}; a new name is another assignment" if names else ""
    return f"{store.path}: no results of {what} are in it{others}; `grade batch` first"


def _void(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    known = {check for grade in grades for check in grade.checks}
    for check in sorted(overrides.void.keys() - known) if grades else ():
        yield f"`{check}` was declared void and is no check of the reports: {_back(assignment, f'void {check}')}"


def _points(assignment: Assignment, overrides: Overrides, grades: Sequence[Grade]) -> Iterator[str]:
    checks = {grade.student: grade.checks for grade in grades}
    for student, check in overrides.points:
        if student in checks and check not in checks[student]:
            remedy = _back(assignment, f"points {student} {check}")
            yield f"{student}: `{check}` has an override and is no check of their report: {remedy}"


def _back(assignment: Assignment, what: str) -> str:
    return f"it counts nothing; `grade override undo {what} --why ... --day {assignment.name}` undoes it"


def _capped(grades: Sequence[Grade]) -> Iterator[str]:
    for grade in grades:
        for change in grade.changed:
            given = change.override.points
            if given is not None and given > change.now:
                yield (
                    f"{grade.student}: {points(given)} points were decided for `{change.check}`, which has "
                    f"{points(change.now)} now; it counts {points(change.now)}"
                )


def sharing(grades: Iterable[Grade]) -> dict[str, list[str]]:
    """The repositories that several students have, a group or by mistake, with these students."""
    found: dict[str, list[str]] = {}
    for grade in grades:
        if grade.work.repository:
            found.setdefault(grade.work.repository.casefold(), []).append(grade.student)
    return {repository: students for repository, students in found.items() if len(students) > 1}


def _shared(grades: Sequence[Grade]) -> Iterator[str]:
    for repository, students in sharing(grades).items():
        who = ", ".join(students)
        yield f"{who}: one repository, {repository}; each is told there, and sees what the other is told"


def _extensions(assignment: Assignment, students: list[str]) -> Iterator[str]:
    for student in read_extensions(assignment):
        if student not in students:
            yield f"{extensions_path(assignment)}: {student} has no result{nearest(student, students)}"
