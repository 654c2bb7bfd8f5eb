"""`grade override table`: points and comments of a whole class in a CSV.

    student,check,points,of,comment
    ada,essay,8,10,A clear argument.

The columns `student` and `check` are needed, and `points` or `comment`; others are ignored. An empty cell changes
nothing. Points become an override with the reason GRADED, a comment becomes one of the kind `comment`. All lines are
kept in one transaction, or none if one of them is wrong. What is in force already is not kept again.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from grader.console import say
from grader.errors import Refused
from grader.files import write_new
from grader.gradebook.export import cell, first_cell, table
from grader.gradebook.grade import Overrides, grades_of
from grader.gradebook.overrides import (
    LONGEST_COMMENT,
    assignment_of,
    checked_text,
    find_check,
    next_words,
    read_points,
    refuse_unknown_student,
    who,
)
from grader.gradebook.roster import folded, read_lines
from grader.gradebook.store import Override, Store, now, results_option
from grader.report import Outcome
from grader.submissions.keys import same_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.roster import Line

GRADED = "graded by hand"  # the reason of an override from a table
COLUMNS = ("student", "check", "points", "of", "comment")
SHOWN = 20  # wrong lines that are printed; the rest are counted


class _Row(NamedTuple):
    """A line of the table, checked; None or "" where its cell is empty."""

    student: str
    check: str
    points: float | None
    comment: str


# --- Reading


def read_table(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Keep the points and comments of a table that are not in force yet. Raises Refused, and keeps nothing then."""
    with Store(results) as store:
        assignment = assignment_of(course, store, day, None)
        rows = _rows(assignment, store, path)
        force = Overrides.of(store.overrides(assignment.name))
        author, at = who(), now()
        new = [override for row in rows for override in _overrides(row, force, assignment.name, author, at)]
        store.add_overrides(new)
    kinds = [override.kind for override in new]
    parts = [_count(kinds.count("points"), "points"), _count(kinds.count("comment"), "comments")]
    say(
        f"{assignment.name}  "
        + (f"{', '.join(parts)} changed by {path}" if new else f"{path} changes nothing")
    )
    say(next_words(assignment.name, results))


def _count(number: int, what: str) -> str:
    one = "points of 1 check" if what == "points" else "1 comment"
    many = f"points of {number} checks" if what == "points" else f"{number} comments"
    return one if number == 1 else many


def _rows(assignment: Assignment, store: Store, path: Path) -> list[_Row]:
    """Return the rows of a table. Prints each wrong line, and then raises Refused."""
    header, *lines = read_lines(path)
    _refuse_columns(path, header)
    names = _names([*store.students(assignment.name), *store.absent(assignment.name)])
    rows: list[_Row] = []
    wrong: list[Refused] = []
    seen: dict[tuple[str, str], Line] = {}
    for line in lines:
        try:
            row = _row(assignment, store, names, line)
            first = seen.setdefault((row.student, row.check), line)
            if first is not line:
                raise line.refuse(
                    f"{row.student} {row.check} is in line {first.number} already; keep one of the two"
                )
            rows.append(row)
        except Refused as error:
            wrong.append(error)
    if len(wrong) == 1:
        raise Refused(f"{wrong[0]}; nothing was changed")
    if wrong:
        for each in wrong[:SHOWN]:
            say(str(each), err=True)
        raise Refused(f"{path}: {len(wrong)} lines are wrong, see above; nothing was changed")
    return rows


def _refuse_columns(path: Path, header: Line) -> None:
    names = [folded(name) for name in header.header]
    for name in COLUMNS:
        if names.count(name) > 1:
            raise Refused(f"{path}: two columns are called `{name}`; keep one of them")
    missing = [name for name in ("student", "check") if name not in names]
    missing += [] if {"points", "comment"} & {*names} else ["points"]
    if missing:
        raise Refused(
            f"{path}: there is no column `{missing[0]}`; the first line has the names of the columns, "
            f"{', '.join(COLUMNS)}"
        )


def _names(students: Sequence[str]) -> dict[str, str]:
    """Return the students by their names and by the cells that a template has for them."""
    return {same_key(form): student for student in students for form in (first_cell(student), student)}


def _row(assignment: Assignment, store: Store, names: Mapping[str, str], line: Line) -> _Row:
    """Return a row. Raises Refused that names the line."""
    student, check, points, comment = map(line.get, ("student", "check", "points", "comment"))
    if not student or not check:
        raise line.refuse(
            f"the cell `{'check' if student else 'student'}` is empty; fill it in or remove the line"
        )
    try:
        spec = find_check(assignment, check)
        if same_key(student) not in names:
            refuse_unknown_student(assignment, store, student)
        if re.fullmatch(r"\d+,\d+", points):  # a spreadsheet with a decimal comma
            points = points.replace(",", ".")
        given = read_points(points, spec.points, check) if points else None
        said = checked_text(comment, "comment", "write one", LONGEST_COMMENT) if comment else ""
    except Refused as error:
        raise line.refuse(str(error)) from None
    return _Row(names[same_key(student)], check, given, said)


def _overrides(row: _Row, force: Overrides, day: str, author: str, at: str) -> Iterator[Override]:
    """Yield the overrides of a row that change something."""
    about = (row.student, row.check)
    points, comment = force.points.get(about), force.comments.get(about)
    if row.points is not None and (points is None or points.points != row.points):
        yield Override(day, "points", GRADED, author, *about, row.points, at=at)
    # A template may have an apostrophe before a sign of the comment.
    same = comment and row.comment in (comment.why, " ".join(cell(comment.why).split()))
    if row.comment and not same:
        yield Override(day, "comment", row.comment, author, *about, at=at)


# --- The template


def write_template(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Write a table with a line for each student and manual check, with the points and comments so far.

    Students who handed in nothing and those who are excused are left out. Raises Refused.
    """
    with Store(results) as store:
        assignment = assignment_of(course, store, day, None)
        force = Overrides.of(store.overrides(assignment.name))
        lines = list(_lines(assignment, store, force))
    if not lines:
        raise Refused(
            f"{assignment.name}: no report has a manual check; write `manual: true` into the manifest and run `grade "
            "batch`, or write a table for other checks yourself"
        )
    text = table([list(COLUMNS), *lines])
    try:
        write_new(path, codecs.BOM_UTF8 + text.encode(), course.root)
    except FileExistsError:
        raise Refused(f"{path}: this file is there already; name a new one") from None
    missing = sum(line[2] is None for line in lines)
    say(f"{assignment.name}  {len(lines)} lines in {path}, {missing} without points")
    say(f"Next: fill in points and comments, then grade override table {path}{results_option(results)}")


def _lines(assignment: Assignment, store: Store, force: Overrides) -> Iterator[list[str | float | None]]:
    """Yield the lines of the template, check by check."""
    both = [(grade, report) for grade, report in grades_of(assignment, store) if grade.excused is None]
    for check in assignment.manifest.checks:
        for grade, report in both:
            found = next((c for c in report.checks if c.id == check and c.outcome is Outcome.MANUAL), None)
            if found is None:
                continue
            points, comment = (
                force.points.get((grade.student, check)),
                force.comments.get((grade.student, check)),
            )
            given = points.points if points else None
            yield [grade.student, check, given, found.max_score, comment.why if comment else None]
