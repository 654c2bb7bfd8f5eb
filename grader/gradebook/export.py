"""The grades of a class as one table, a row for each student, and the files that platforms import.

The table has the columns of `line_of`. A platform's file is a choice of them under other names: see CSV, CANVAS, MOODLE
and GRADESCOPE.

Canvas (its guide "How do I import grades in the Gradebook?"; instructure/canvas-lms, lib/gradebook_importer.rb):

    Student,ID,SIS User ID,SIS Login ID,Section,Day 2 (992)
        Points Possible,,,,,100
    "Lovelace, Ada",67890,u01,al123,Section A,87.5

Canvas finds the student by `ID` and the assignment by the number in brackets; a title without one becomes a new
assignment. `EX` excuses. A student without a line keeps their grade; an empty cell may delete it.

Moodle (its docs "Grade import"; moodle/moodle, grade/import/csv/classes/load_data.php):

    Email address,Day 2,Day 2 (Feedback)
    ada@uni.edu,87.5,late: 1 day

The columns are mapped by hand at the import: the first to the email address (or `ID number`, if a student
has no address), the others to the grade and its feedback. One unknown student stops the import. It cannot excuse.

Gradescope imports no grades. The file has the columns of its own *Download Grades*, for programs that read those:

    Name,SID,Email,Total Score,Max Points,Status,Submission Time,Lateness (H:M:S)

For Canvas and Moodle, students without a score are left out; the notes name each student who is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from grader.errors import Refused
from grader.gradebook.gradedwork import GradedWork
from grader.gradebook.matching import Matches, match_students
from grader.gradebook.roster import CANVAS_COLUMNS, fold_column, read_lines
from grader.gradebook.sentences import about_work, late_words, nothing_there, reasons, why_absent
from grader.gradebook.spreadsheet import csv_table, first_cell, two_decimals
from grader.submissions.state_words import label, later_brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from grader.gradebook.gradedwork import Grade
    from grader.gradebook.roster import RosterStudent

Cell: TypeAlias = str | float | None
Line: TypeAlias = Mapping[str, Cell]  # of the table, by the names of its columns
Columns: TypeAlias = tuple[tuple[str, str], ...]  # the names in a file, each with that of the table
TITLE, BY, FEEDBACK = (
    "TITLE",
    "BY",
    "TITLE (Feedback)",
)  # placeholders for names that depend on the assignment and the class
CSV: Columns = tuple(
    (name, name)
    for name in (
        "student",
        "name",
        "email",
        "score",
        "max_score",
        "excused",
        "late",
        "state",
        "too_late",
        "note",
    )
)
CANVAS: Columns = (
    ("Student", "name"),
    *((name, name) for name in ("ID", "SIS User ID", "SIS Login ID", "Section")),
    (TITLE, "score or EX"),
)
MOODLE: Columns = ((BY, BY), (TITLE, "score"), (FEEDBACK, "feedback"))
GRADESCOPE: Columns = (
    *(("Name", "name"), ("SID", "student"), ("Email", "email"), ("Total Score", "score")),
    *(("Max Points", "max_score"), ("Status", "status"), ("Submission Time", "submitted")),
    ("Lateness (H:M:S)", "late_by"),
)
NO_RESULT = "no result"
_CHECK = "check "  # begins the name of the column with a check's points
MOODLES_MOST = 100  # points, unless an administrator allowed more
_TITLED = re.compile(r"(.*) \((\d+)\)", re.DOTALL)


def line_of(grade: Grade) -> Line:
    """Return a student's line of the table, by the names of its columns.

    `left out` is the reason why a platform gets no score, or empty.
    """
    excused, absent = grade.excused is not None, why_absent(grade)
    late, note = late_words(grade), _note(grade)
    left_out = (
        f"has no result and is left out: {absent}" if absent else "has an ungradable check and is left out"
    )
    parts = [late, note] if late not in note else [note]  # once, if the note has it
    hours, seconds = divmod(int(grade.late.by.total_seconds()) if grade.late else 0, 3_600)
    return {
        "student": grade.student,
        "score": grade.score,
        "score or EX": "EX" if excused else grade.score,
        "max_score": grade.max_score,
        "excused": "yes" if excused else "",
        "late": late,
        "state": label(grade.work.state),
        "too_late": later_brief(grade.work.later, grade.work.state) if grade.work.later else "",
        "submitted": grade.work.submitted,
        "late_by": f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}",
        "note": f"{NO_RESULT}: {absent}" if absent else note,
        "feedback": ". ".join(part.rstrip(".") for part in parts if part),
        "status": "Missing" if absent else "Ungraded" if grade.score is None else "Graded",
        "left out": left_out if grade.score is None and not excused else "",
        **{f"{_CHECK}{check}": now for check, now in grade.checks.items() if check not in grade.waiting},
    }


def _note(grade: Grade) -> str:
    """Return the text that the student reads next to the points."""
    if not isinstance(grade, GradedWork):
        return f"You are excused from this assignment: {grade.excused.why}" if grade.excused else ""
    nothing = nothing_there(grade)
    parts = [
        *reasons(grade),
        *about_work(grade),
        f"There was nothing to grade: {nothing}." if nothing else "",
    ]
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)


def _of_roster(student: RosterStudent | None) -> Line:
    """Return the columns that come from a roster."""
    return {**student.ids, "name": student.name, "email": student.email} if student else {}


@dataclass(frozen=True, slots=True)
class Gradebook:
    """The text of a CSV, and notes for the instructor, such as the students who are left out and why."""

    text: str
    notes: list[str]


def _text(columns: Columns, lines: Iterable[Line], names: Mapping[str, str] = {}) -> str:
    """Return the CSV with these columns; `names` has those of TITLE, BY and FEEDBACK."""
    head = [names.get(name, name) for name, _ in columns]
    return csv_table([head, *([line.get(names.get(of, of)) for _, of in columns] for line in lines)])


def csv_gradebook(
    lines: Iterable[Line], roster: Sequence[RosterStudent] = (), columns: Columns = CSV
) -> Gradebook:
    """Return a line for each student, also of the roster without a result; CSV has the points of every check.

    A check that has the name of a column is headed `check NAME`. An excused student's score is empty.
    """
    lines = sorted(lines, key=_student)
    matches = match_students(map(_student, lines), roster)
    known = dict(matches.pairs)
    checks = dict.fromkeys(name for line in lines for name in line if name.startswith(_CHECK))
    every = [{**_of_roster(known.get(_student(line))), **line} for line in lines]
    every += [
        {**_of_roster(missing), "student": missing.student, "note": NO_RESULT, "status": "Missing"}
        for missing in matches.missing
    ]
    of_checks = [
        (name if (short := name.removeprefix(_CHECK)) in dict(CSV) else short, name)
        for name in checks
        if columns is CSV
    ]
    return Gradebook(
        _text((*columns, *of_checks), sorted(every, key=_student)),
        matches.notes("has no result, so the line has no points"),
    )


def _student(line: Line) -> str:
    return str(line["student"])


def canvas_gradebook(
    title: str,
    lines: Sequence[Line],
    roster: Sequence[RosterStudent],
    columns: Mapping[str, str],
    *,
    also: Sequence[str] = (),
) -> Gradebook:
    """Return the file that Canvas imports for the assignment `title`, or for one with a name in `also`.

    `roster` and `columns` are read from Canvas's own export (`read_canvas_columns`). Raises Refused if several
    columns have the name, and for a roster that is not Canvas's.
    """
    if any("ID" not in student.ids for student in roster):
        raise Refused(
            "this is not a roster of Canvas: some students have no `ID`; give the export of Canvas's gradebook"
        )
    column, points, notes = _canvas_column(title, also, lines, columns)
    taken, matches = _choose_lines(lines, roster, lambda line, _: str(line["left out"]))
    possible: Line = {"name": "    Points Possible", "score or EX": points}
    return Gradebook(_text(CANVAS, [possible, *taken], {TITLE: column}), [*notes, *matches.notes()])


def moodle_gradebook(title: str, lines: Sequence[Line], roster: Sequence[RosterStudent]) -> Gradebook:
    """Return the file that Moodle imports for the assignment `title`."""
    by, students = (
        "Email address",
        [student for _, student in match_students(map(_student, lines), roster).pairs],
    )
    if not all(student.email for student in students) and any(s.ids.get("ID number") for s in students):
        by = "ID number"

    def why(line: Line, student: RosterStudent) -> str:
        identity = student.email if by == "Email address" else student.ids.get(by, "")
        if line["excused"]:
            return "is excused, which an import cannot tell Moodle; enter that in Moodle by hand"
        if not identity or first_cell(identity) != identity:
            return f"has no {by} in the roster, or one that a spreadsheet might read as a formula; enter this grade in Moodle by hand"
        return str(line["left out"])

    taken, matches = _choose_lines(lines, roster, why)
    names = {TITLE: title, FEEDBACK: f"{title} (Feedback)", BY: by}
    text = _text(MOODLE, [{**line, "Email address": line["email"]} for line in taken], names)
    notes = matches.notes()
    if any(float(line["score"] or 0) > MOODLES_MOST for line in lines):
        notes.insert(0, f"Moodle accepts more than {MOODLES_MOST} points only if its administrator allows it")
    return Gradebook(text, notes)


def _choose_lines(
    lines: Sequence[Line], roster: Sequence[RosterStudent], why: Callable[[Line, RosterStudent], str]
) -> tuple[list[Line], Matches]:
    """Return the lines for a platform. `why` returns the reason to leave a line out: an empty cell may delete a grade."""
    matches = match_students(map(_student, lines), roster)
    line_by, taken, refused = {_student(line): line for line in lines}, list[Line](), []
    for name, student in matches.pairs:
        if reason := why(line_by[name], student):
            refused.append((name, reason))
        else:
            taken.append({**_of_roster(student), **line_by[name]})
    matches.left_out[:0] = refused
    return taken, matches


def read_canvas_columns(path: Path) -> dict[str, str]:
    """Return the assignments of Canvas's export: the points possible by column. Raises Refused."""
    header, *lines = read_lines(path)
    columns = (name.strip() for name in header.header if fold_column(name) not in CANVAS_COLUMNS)
    possible = [line for line in lines if "Points Possible" in line.get("student", "lastname")]
    return {
        name: possible[0].get(fold_column(name)) if possible else ""
        for name in columns
        if _TITLED.fullmatch(name)
    }


def _canvas_column(
    title: str, also: Sequence[str], lines: Sequence[Line], columns: Mapping[str, str]
) -> tuple[str, str | float, list[str]]:
    """Return the name of the column, the points possible, and notes about them."""
    ours = max((float(line["max_score"] or 0) for line in lines), default=0.0)
    named = [name for name in columns if title.strip() in {name, _bare(name)}]
    if not named:
        wanted = {fold_column(one) for one in (title, *also)}
        named = [name for name in columns if fold_column(_bare(name)) in wanted]
    if len(named) > 1:
        raise Refused(
            f"Canvas has {len(named)} assignments with a name like `{title}`; write the one to fill, with its number, as `title` in assignment.yaml: "
            f"`{'`, `'.join(named)}`"
        )
    if not named:
        there = ", ".join(f"`{name}`" for name in columns) or "none"
        return (
            title,
            ours,
            [
                f"Canvas's export has no assignment `{title}`, so Canvas will offer to create one. To fill another one, write its name as `title` in assignment.yaml. The export has: {there}"
            ],
        )
    theirs = columns[named[0]]
    if "read only" in theirs.casefold():
        return (
            named[0],
            theirs,
            [
                f"`{named[0]}` is read-only in Canvas, so Canvas will not accept these grades; write the name of another assignment as `title` in assignment.yaml"
            ],
        )
    if theirs and theirs.replace(",", ".") not in {two_decimals(ours), f"{ours:.2f}", f"{ours:.1f}"}:
        what = (
            f"`{named[0]}` has {theirs} points in Canvas and {two_decimals(ours)} here, and grades are not scaled; "
            "set the same points in Canvas"
        )
        return named[0], theirs, [what]
    return named[0], theirs or ours, []


def _bare(name: str) -> str:
    match = _TITLED.fullmatch(name)
    return match[1].strip() if match else name
