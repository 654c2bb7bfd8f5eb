"""The grades of a class as one table, a row a student and day, and the files that platforms take.

The table has the columns of `line_of`. A platform's file is a choice of them under other names, which its declaration
makes: CSV, CANVAS, MOODLE, GRADESCOPE.

Canvas (its guide "How do I import grades in the Gradebook?"; instructure/canvas-lms, lib/gradebook_importer.rb):

    Student,ID,SIS User ID,SIS Login ID,Section,Day 2 (992)
        Points Possible,,,,,100
    "Lovelace, Ada",67890,u01,al123,Section A,87.5

Canvas finds the student by `ID` and the assignment by the number in brackets; a title without one becomes a new
assignment. `EX` excuses. A student who is left out keeps their grade; an empty cell may delete it.

Moodle (its docs "Grade import"; moodle/moodle, grade/import/csv/classes/load_data.php):

    Email address,Day 2,Day 2 (Feedback)
    ada@uni.edu,87.5,late: 1 day

The columns are mapped by hand at the import: the first to the email address (or `ID number`, if a student
has no address), the others to the grade and its feedback. One unknown student stops the import. It cannot excuse.

Gradescope takes no grades; the file has the columns that its own *Download Grades* has, for programs that read that:

    Name,SID,Email,Total Score,Max Points,Status,Submission Time,Lateness (H:M:S)

For Canvas and Moodle, a student without a score is left out, and the notes name every student who is left out.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from grader.errors import Refused
from grader.gradebook.matching import Matches, match_students
from grader.gradebook.roster import CANVAS_COLUMNS, fold_column, read_lines
from grader.gradebook.spreadsheet import csv_table, first_cell, two_decimals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.gradebook.roster import RosterStudent

Cell: TypeAlias = str | float | None
Columns: TypeAlias = tuple[tuple[str, str], ...]  # the names in a file, each with that of the table
TITLE, BY, FEEDBACK = (
    "TITLE",
    "BY",
    "TITLE (Feedback)",
)  # stand for names that depend on the assignment and the class
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
MOODLES_MOST = 100  # points, unless an administrator allowed more
_TITLED = re.compile(r"(.*) \((\d+)\)", re.DOTALL)


class GradeRow(msgspec.Struct, frozen=True):
    """One student's grade for an assignment.

    `score` is in points, None if there is none; `checks` has the points of each check. `late` and `note` are for the
    student; `absent` is the reason why there is no result. `state` is that of the work in a few words, `too_late` a
    push after the last moment that counts. `submitted` is UTC in ISO 8601, `late_by` the time after the due date.
    `waiting` are manual checks without points.
    """

    student: str
    score: float | None
    max_score: float
    excused: bool = False
    late: str = ""
    checks: Mapping[str, float | None] = {}
    note: str = ""
    absent: str = ""
    state: str = ""
    too_late: str = ""
    submitted: str = ""
    late_by: dt.timedelta = dt.timedelta()
    waiting: tuple[str, ...] = ()
    provisional: bool = False

    @property
    def points(self) -> float | None:
        """The score, if it is a number."""
        return None if self.score is None or not math.isfinite(self.score) else self.score

    @property
    def without(self) -> str:
        """The reason why a platform gets no score; empty if it gets one."""
        if self.points is not None:
            return ""
        if self.absent:
            return f"has no result and is left out: {self.absent}"
        return "could not be graded, and is left out"


def line_of(row: GradeRow, known: RosterStudent | None) -> dict[str, Cell]:
    """Return a line of the table by the names of its columns; `known` is the student's line in a roster."""
    score = None if row.excused else row.points
    late = "" if row.late in row.note else row.late  # once, if the note has it
    hours, seconds = divmod(int(row.late_by.total_seconds()), 3_600)
    return {
        **(known.ids if known else {}),
        **{
            name: getattr(row, name)
            for name in ("student", "max_score", "late", "state", "too_late", "submitted")
        },
        "name": known.name if known else "",
        "email": known.email if known else "",
        "score": score,
        "score or EX": "EX" if row.excused else score,
        "excused": "yes" if row.excused else "",
        "note": f"{NO_RESULT}: {row.absent}" if row.absent else row.note,
        "feedback": ". ".join(word.rstrip(".") for word in (late, row.note) if word),
        "status": "Missing" if row.absent else "Ungraded" if score is None else "Graded",
        "late_by": f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}",
        **{f"check {check}": points for check, points in row.checks.items()},
    }


@dataclass(frozen=True, slots=True)
class Gradebook:
    """The text of a CSV, and notes for the instructor: the students who are left out, and why."""

    text: str
    notes: list[str]


def _text(columns: Columns, lines: Iterable[Mapping[str, Cell]], names: Mapping[str, str] = {}) -> str:
    """Return the CSV with these columns; `names` has those of TITLE, BY and FEEDBACK."""
    head = [names.get(name, name) for name, _ in columns]
    return csv_table([head, *([line.get(names.get(of, of)) for _, of in columns] for line in lines)])


def csv_gradebook(
    rows: Iterable[GradeRow], roster: Sequence[RosterStudent] = (), columns: Columns = CSV
) -> Gradebook:
    """Return one line a student, also for students of the roster without a result; CSV has the points of every check.

    An excused student's score is empty.
    """
    rows = sorted(rows, key=lambda row: row.student)
    matches = match_students([row.student for row in rows], roster)
    known = dict(matches.pairs)
    lines = [line_of(row, known.get(row.student)) for row in rows]
    for student in matches.missing:
        empty = line_of(GradeRow(student.student, None, 0.0), student)
        lines.append({**empty, "max_score": None, "note": NO_RESULT, "status": "Missing", "late_by": ""})
    lines.sort(key=lambda line: str(line["student"]))
    checks = dict.fromkeys(check for row in rows for check in row.checks) if columns is CSV else ()
    text = _text((*columns, *((check, f"check {check}") for check in checks)), lines)
    return Gradebook(text, matches.notes("has no result; the line has no points"))


def canvas_gradebook(
    title: str,
    rows: Sequence[GradeRow],
    roster: Sequence[RosterStudent],
    columns: Mapping[str, str],
    *,
    also: Sequence[str] = (),
) -> Gradebook:
    """Return the file that Canvas imports for the assignment `title`, or with one of the names `also`.

    `roster` and `columns` are read from Canvas's own export (`read_canvas_columns`). Raises Refused if several
    columns have the name, and for a roster that is not Canvas's.
    """
    if any("ID" not in student.ids for student in roster):
        raise Refused(
            "this roster is not Canvas's: some students have no `ID`; give the file that Canvas's gradebook exports"
        )
    column, points, notes = _canvas_column(title, also, rows, columns)
    lines, matches = _taken(rows, roster, lambda row, _: "" if row.excused else row.without)
    possible: dict[str, Cell] = {"name": "    Points Possible", "score or EX": points}
    return Gradebook(_text(CANVAS, [possible, *lines], {TITLE: column}), [*notes, *matches.notes()])


def moodle_gradebook(title: str, rows: Sequence[GradeRow], roster: Sequence[RosterStudent]) -> Gradebook:
    """Return the file that Moodle imports for the assignment `title`."""
    by, students = (
        "Email address",
        [student for _, student in match_students([r.student for r in rows], roster).pairs],
    )
    if not all(student.email for student in students) and any(s.ids.get("ID number") for s in students):
        by = "ID number"

    def why(row: GradeRow, student: RosterStudent) -> str:
        identity = student.email if by == "Email address" else student.ids.get(by, "")
        if row.excused:
            return "is excused, which an import cannot express; set it in Moodle"
        if not identity or first_cell(identity) != identity:
            return f"has no {by} in the roster that can be written into the file; enter the grade by hand"
        return row.without

    lines, matches = _taken(rows, roster, why)
    names = {TITLE: title, FEEDBACK: f"{title} (Feedback)", BY: by}
    text = _text(MOODLE, [{**line, "Email address": line["email"]} for line in lines], names)
    notes = matches.notes()
    if any(row.score is not None and row.score > MOODLES_MOST for row in rows):
        notes.insert(
            0, f"Moodle takes more than {MOODLES_MOST} points only where its administrator allows it"
        )
    return Gradebook(text, notes)


def _taken(
    rows: Sequence[GradeRow], roster: Sequence[RosterStudent], why: Callable[[GradeRow, RosterStudent], str]
) -> tuple[list[dict[str, Cell]], Matches]:
    """Return the lines that a platform takes. `why` says why it does not take one: an empty cell may delete a grade."""
    matches = match_students([row.student for row in rows], roster)
    row_of, lines, refused = {row.student: row for row in rows}, [], []
    for name, student in matches.pairs:
        if reason := why(row_of[name], student):
            refused.append((name, reason))
        else:
            lines.append(line_of(row_of[name], student))
    matches.left_out[:0] = refused
    return lines, matches


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
    title: str, also: Sequence[str], rows: Sequence[GradeRow], columns: Mapping[str, str]
) -> tuple[str, str | float, list[str]]:
    """Return the name of the column, the points possible, and notes about them."""
    ours = max((row.max_score for row in rows), default=0.0)
    named = [name for name in columns if title.strip() in {name, _bare(name)}]
    if not named:
        wanted = {fold_column(one) for one in (title, *also)}
        named = [name for name in columns if fold_column(_bare(name)) in wanted]
    if len(named) > 1:
        raise Refused(
            f"`{title}`: Canvas has {len(named)} assignments of this name: {', '.join(named)}; give the name with "
            "its number"
        )
    if not named:
        there = ", ".join(f"`{name}`" for name in columns) or "none"
        return title, ours, [f"Canvas has no `{title}` ({there}); the import will offer to make it"]
    theirs = columns[named[0]]
    if "read only" in theirs.casefold():
        return named[0], theirs, [f"`{named[0]}` is read only in Canvas, which will not take these grades"]
    if theirs and theirs.replace(",", ".") not in {two_decimals(ours), f"{ours:.2f}", f"{ours:.1f}"}:
        what = f"`{named[0]}` has {theirs} points in Canvas and {two_decimals(ours)} here; no grade is scaled"
        return named[0], theirs, [what]
    return named[0], theirs or ours, []


def _bare(name: str) -> str:
    match = _TITLED.fullmatch(name)
    return match[1].strip() if match else name
