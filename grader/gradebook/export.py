"""Gradebooks as tables: a plain CSV, and the files that Canvas and Moodle import.

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

In both, a student without a score is left out, and the notes name every student who is left out.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused, first_of
from grader.gradebook.roster import CANVAS_COLUMNS, fold_column, read_lines
from grader.gradebook.spreadsheet import csv_table, first_cell, two_decimals
from grader.submissions.keys import same_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.gradebook.roster import RosterStudent

OWN_COLUMNS = (
    *("student", "name", "email", "score", "max_score"),
    *("excused", "late", "state", "too_late", "note"),
)
SHOWN = 8  # names in a note
NO_RESULT = "no result"
MOODLES_MOST = 100  # points, unless an administrator allowed more
_CANVAS_ORDER = ("ID", "SIS User ID", "SIS Login ID", "Section")
# Identifiers of a student on a platform, which a key or an email address of ours may equal.
_IDENTITIES = ("SIS Login ID", "SIS User ID", "ID number", "Email address", "Username", "identifier")
_TITLED = re.compile(r"(.*) \((\d+)\)", re.DOTALL)


class GradeRow(msgspec.Struct, frozen=True):
    """One student's grade for an assignment.

    `score` is in points, None if there is none; `checks` has the points of each check. `late` and `note` are for the
    student; `absent` is the reason why there is no result. `state` is that of the work in a few words, `too_late` a
    push after the last moment that counts.
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


@dataclass(frozen=True, slots=True)
class Gradebook:
    """The text of a CSV, and notes for the instructor: the students who are left out, and why."""

    text: str
    notes: list[str]


def csv_gradebook(rows: Iterable[GradeRow], roster: Sequence[RosterStudent] = ()) -> Gradebook:
    """Return one line a student with the points of every check, also for students of the roster without a result.

    An excused student's score is empty.
    """
    matches = _match(rows, roster)
    checks = list(dict.fromkeys(check for row in matches.rows for check in row.checks))
    student_of = {row.student: student for student, row in matches.pairs}
    lines = [
        (_own_cells(row, student_of.get(row.student)), [row.checks.get(check) for check in checks])
        for row in matches.rows
    ]
    lines += [
        (
            {"student": student.student, "name": student.name, "email": student.email, "note": NO_RESULT},
            [None] * len(checks),
        )
        for student in matches.missing
    ]
    lines.sort(key=lambda line: str(line[0]["student"]))
    cells = [[*(own.get(column) for column in OWN_COLUMNS), *points] for own, points in lines]
    return Gradebook(
        csv_table([[*OWN_COLUMNS, *checks], *cells]), matches.notes("has no result; the line has no points")
    )


def canvas_gradebook(
    title: str,
    rows: Iterable[GradeRow],
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
    matches = _match(rows, roster)
    column, points, notes = _canvas_column(title, also, matches.rows, columns)
    lines: list[list[str | float | None]] = [["    Points Possible", None, None, None, None, points]]
    for student, row in matches.pairs:
        if (score := "EX" if row.excused else _score(row, matches)) is not None:
            lines.append([student.name, *(student.ids.get(name, "") for name in _CANVAS_ORDER), score])
    left_out = matches.notes("has no result, and is left out")
    return Gradebook(csv_table([["Student", *_CANVAS_ORDER, column], *lines]), [*notes, *left_out])


def moodle_gradebook(title: str, rows: Iterable[GradeRow], roster: Sequence[RosterStudent]) -> Gradebook:
    """Return the file that Moodle imports for the assignment `title`."""
    matches = _match(rows, roster)
    by, students = "Email address", [student for student, _ in matches.pairs]
    if not all(student.email for student in students) and any(s.ids.get("ID number") for s in students):
        by = "ID number"
    lines: list[list[str | float | None]] = []
    for student, row in matches.pairs:
        known_by = _written_identity(student, row, by, matches)
        if known_by and (score := _score(row, matches)) is not None:
            late = "" if row.late in row.note else row.late  # once, if the note has it
            lines.append([known_by, score, ". ".join(word.rstrip(".") for word in (late, row.note) if word)])
    text = csv_table([[by, title, f"{title} (Feedback)"], *lines])
    notes = matches.notes("has no result, and is left out")
    if any(row.score is not None and row.score > MOODLES_MOST for row in matches.rows):
        notes.insert(
            0, f"Moodle takes more than {MOODLES_MOST} points only where its administrator allows it"
        )
    return Gradebook(text, notes)


def without_result(students: Iterable[str], roster: Sequence[RosterStudent]) -> list[str]:
    """Return the students of a roster who are not among these. Raises Refused if none of them is."""
    matches = _match([GradeRow(student, None, 0.0) for student in students], roster)
    return [student.student for student in matches.missing]


def unknown_to(students: Iterable[str], roster: Sequence[RosterStudent]) -> list[str]:
    """Return the students whom no line of a roster names, by key or by another identifier."""
    keys, others = _places(roster)
    return [one for one in students if same_key(one) not in keys and same_key(one) not in others]


def pair_students(
    students: Iterable[str], roster: Sequence[RosterStudent]
) -> tuple[list[tuple[str, RosterStudent]], list[str]]:
    """Return these students with their lines of a roster, and notes about those without a partner. Raises Refused."""
    matches = _match([GradeRow(student, None, 0.0) for student in students], roster)
    pairs = [(row.student, student) for student, row in matches.pairs]
    return pairs, matches.notes("has no result, and is left out")


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


# --- Lines


def _own_cells(row: GradeRow, student: RosterStudent | None) -> dict[str, str | float | None]:
    score = None if row.excused or row.score is None or not math.isfinite(row.score) else row.score
    return {
        "student": row.student,
        "name": student.name if student else "",
        "email": student.email if student else "",
        "score": score,
        "max_score": row.max_score,
        "excused": "yes" if row.excused else "",
        "late": row.late,
        "state": row.state,
        "too_late": row.too_late,
        "note": f"{NO_RESULT}: {row.absent}" if row.absent else row.note,
    }


def _score(row: GradeRow, matches: _Matches) -> float | None:
    """Return the score for a platform. Without one, leave the student out: an empty cell may delete a grade."""
    if row.score is None or not math.isfinite(row.score):
        why = (
            f"has no result and is left out: {row.absent}"
            if row.absent
            else "could not be graded, and is left out"
        )
        matches.left_out.append((row.student, why))
        return None
    return row.score


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


def _written_identity(student: RosterStudent, row: GradeRow, by: str, matches: _Matches) -> str:
    """Return the identity that the file has for a student; "" if they are left out, and why is noted."""
    identity = student.email if by == "Email address" else student.ids.get(by, "")
    if row.excused:
        why = "is excused, which an import cannot express; set it in Moodle"
    elif not identity or first_cell(identity) != identity:
        why = f"has no {by} in the roster that can be written into the file; enter the grade by hand"
    else:
        return identity
    matches.left_out.append((row.student, why))
    return ""


# --- Matching


@dataclass(slots=True)
class _Matches:
    """The matches of rows and students of the roster, in the roster's order."""

    rows: list[GradeRow]
    pairs: list[tuple[RosterStudent, GradeRow]] = field(default_factory=list)
    missing: list[RosterStudent] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def notes(self, without: str) -> list[str]:
        """Return a note for each reason for which students are left out, with their names."""
        missing = [(student.student, f"is in the roster, and {without}") for student in self.missing]
        names: dict[str, list[str]] = {}
        for name, why in (*self.left_out, *self.unknown, *missing):
            names.setdefault(why, []).append(name)
        return [f"{_some(those)} {why}" for why, those in names.items()]


def _match(rows: Iterable[GradeRow], roster: Sequence[RosterStudent]) -> _Matches:
    """Match by key, login, ID number or email, never by personal name, which two students may share."""
    matches = _Matches(sorted(rows, key=lambda row: row.student))
    if not roster:
        return matches
    places = _places(roster)
    found: dict[int, list[GradeRow]] = {}
    for row in matches.rows:
        place = _place(row, places)
        if place is None:
            matches.unknown.append((row.student, "has a result, and is not in the roster"))
        else:
            found.setdefault(place, []).append(row)
    for place, student in enumerate(roster):
        those = found.get(place, [])
        if len(those) == 1:
            matches.pairs.append((student, those[0]))
        elif those:
            names = " and ".join(row.student for row in those)
            why = f"are all {student.student} in the roster: it is unclear whose grade it is"
            matches.unknown.append((names, why))
        else:
            matches.missing.append(student)
    if not found:
        _refuse_other_class(matches)
    return matches


def _some(names: Sequence[str]) -> str:
    return first_of(names, SHOWN) + (": each" if len(names) > 1 else "")


def _refuse_other_class(matches: _Matches) -> None:
    """Raise Refused if no student matches: the roster is of another class, or uses other names."""
    if len(matches.rows) > 1 and matches.missing:
        ours, theirs = matches.rows[0].student, matches.missing[0]
        also = ", ".join(f"{kind} {theirs.ids[kind]}" for kind in _IDENTITIES if theirs.ids.get(kind))
        raise Refused(
            f"no student with a result is in this roster: a result is of {ours}, and a line of the roster of "
            f"{theirs.student}{f' ({also})' if also else ''}. Students are matched by login, ID number or email, never "
            "by personal name; write one of these into your own roster, as the platform has it"
        )


def _places(roster: Sequence[RosterStudent]) -> list[dict[str, set[int]]]:
    """Return the positions in the roster by key, and by every other identifier."""
    keys: dict[str, set[int]] = {}
    others: dict[str, set[int]] = {}
    for place, student in enumerate(roster):
        keys.setdefault(same_key(student.student), set()).add(place)
        known = (student.email, student.github, *(student.ids.get(name, "") for name in _IDENTITIES))
        for name in filter(None, known):
            others.setdefault(same_key(name), set()).add(place)
    return [keys, others]


def _place(row: GradeRow, places: Sequence[dict[str, set[int]]]) -> int | None:
    for names in places:
        found = names.get(same_key(row.student), set())
        if len(found) == 1:
            (place,) = found
            return place
    return None
