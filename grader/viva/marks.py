"""`grade viva DAY --marks FILE`: a table for the examiner's marks, a line for each student and a column for each check.

The checks are manual ones of the manifest: `viva` for a whole sheet, or `viva_edit` and so on for a kind. The table is filled
in and read by `grade override table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.console import counted, say
from grader.errors import Refused
from grader.gradebook.grade import grades_of
from grader.gradebook.spreadsheet import text_cell
from grader.gradebook.store import Store, results_option
from grader.gradebook.table import write_new_table
from grader.viva.kinds import kinds_of

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment

WHOLE = "viva"


def checks_of(assignment: Assignment) -> list[str]:
    """Return the manual checks that are about an examination."""
    wanted = {WHOLE, *(f"{WHOLE}_{kind}" for kind in kinds_of(assignment.manifest.topic))}
    return [name for name, spec in assignment.manifest.checks.items() if spec.manual and name in wanted]


def write_marks(assignment: Assignment, results: Path, path: Path) -> None:
    """Write the table, with the marks so far. Raises Refused."""
    checks = checks_of(assignment)
    if not checks:
        raise Refused(
            f"{assignment.name}: the manifest has no manual check for an examination; write `{WHOLE}: {{points: 6, manual: "
            f"true, title: ...}}` below `checks:`, or one for each kind, such as `{WHOLE}_edit`, and run `grade batch`"
        )
    with Store(results) as store:
        force = store.in_force(assignment.name)
        students = [grade.student for grade in grades_of(assignment, store) if grade.excused is None]
        if not students:
            raise store.no_results(assignment.name)
    lines = [
        [
            text_cell(student),
            *(given.points if (given := force.points.get((student, check))) else None for check in checks),
        ]
        for student in students
    ]
    write_new_table(assignment.course, path, [["student", *checks], *lines])
    say(f"{assignment.name}  {counted(len(lines), 'student')} and {', '.join(checks)} in {path}")
    say(f"Next: fill in the points, then run grade override table {path}{results_option(results)}")
