"""`grade override table`: overrides in a CSV, one per line. A person fills it in, or `--export` writes it.

    day,kind,student,check,points,comment,why,who,when
    day2,points,ada,swap_rule,12,,right in another way,Grace <grace@uni.edu>,2026-12-02T10:00:00+00:00
    day2,undo void,,accumulate,,,it was right,Grace <grace@uni.edu>,2026-12-02T11:00:00+00:00

A line with `when` is an existing override. It is added with its author and time, unless the file already has it. It
replaces nothing in the file; if it contradicts an override there, neither counts, and the command prints the conflict.

A line without `when` is a new override, by the user of the command. Its names and points are verified, and it is added
unless it changes nothing. Without `kind`, it gives points, a comment or both, as in the template for manual checks:

    student,check,points,of,comment
    ada,essay,8,10,A clear argument.

An empty cell changes nothing. If one line is wrong, no line is added.
"""

from __future__ import annotations

import codecs
import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from grader.console import count_noun, say
from grader.errors import Refused, nearest
from grader.files import write_new
from grader.gradebook.grade import grades_of
from grader.gradebook.in_force import Kind, Override, Overrides, contradict
from grader.gradebook.overrides import (
    ABOUT,
    LONGEST_COMMENT,
    LONGEST_NAME,
    LONGEST_WHY,
    all_overrides,
    assignment_of,
    checked_text,
    conflict_words,
    find_check,
    next_words,
    read_points,
    refuse_unknown_student,
    who,
)
from grader.gradebook.roster import RosterLine, fold_column, read_lines
from grader.gradebook.spreadsheet import cell, csv_table, first_cell, plain
from grader.gradebook.store import Store, now, results_option
from grader.submissions.keys import same_key
from grader.submissions.work import in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course

GRADED = "graded by hand"  # the reason of points without one
TEMPLATE = ("student", "check", "points", "of", "comment")
EXPORT = ("day", "kind", "student", "check", "points", "comment", "why", "who", "when")
COLUMNS = tuple(dict.fromkeys([*TEMPLATE, *EXPORT]))
UNDO = "undo "
SHOWN = 20  # wrong lines that are printed; the rest are counted
MOST = 1_000_000  # points, of a check as it was when somebody gave them
# How many of the cells `comment` and `points` a line of a kind may have.
_TEXTS = {"points": 2, "comment": 1}


# Fields without a column in a table.
_HERE: dict[str, Any] = {"uid": "", "replaces": "", "answer": "", "items": (), "until": ""}


# --- Reading


def read_table(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Add the new overrides of a table. Raises Refused, and then adds nothing."""
    with Store(results) as store:
        reader = _Reader(course, store, day)
        reader.read(path)
        names = dict.fromkeys(override.assignment for override in (*reader.kept, *reader.made))
        ours = [override for name in names for override in store.overrides(name)]
        known = {msgspec.structs.replace(one, **_HERE) for one in ours}
        kept = [override for override in reader.kept if override not in known]
        newest = {one.about: one for one in ours}
        made = [one for one in reader.made if _changes(one, newest.get(one.about))]
        store.add_overrides(sorted(kept, key=lambda override: override.at), elsewhere=True)
        store.add_overrides(made)
        conflicts = [some for name in names for some in store.in_force(name).conflicts]
    new = [*kept, *made]
    kinds = ", ".join(f"{kind}: {number}" for kind, number in Counter(one.kind for one in new).items())
    before = len(reader.kept) + len(reader.made) - len(new)
    say(
        f"{count_noun(len(new), 'override')} added from {path}{f' ({kinds})' if new else ''}, {before} were already there"
    )
    for some in conflicts:
        say(f"{some[0].assignment}  {conflict_words(some)}")
    for name in dict.fromkeys(override.assignment for override in new):
        say(next_words(name, results))


def _changes(override: Override, last: Override | None) -> bool:
    """Return True unless an override equals `last`, the newest one about the same thing."""
    return not override.withdrawn if last is None else contradict(override, last)


class _Reader:
    """Reads the lines of a table: existing overrides into `kept`, new ones into `made`."""

    def __init__(self, course: Course, store: Store, day: str | None) -> None:
        self.course, self.store, self.day = course, store, day
        self.author, self.at = who(), now()
        self.kept: list[Override] = []
        self.made: list[Override] = []
        self._days: dict[str, _Day] = {}

    def read(self, path: Path) -> None:
        """Read a table. Prints each wrong line, and then raises Refused."""
        header, *lines = read_lines(path)
        _refuse_columns(path, header)
        wrong: list[Refused] = []
        seen: dict[tuple[str, ...], RosterLine] = {}
        for line in lines:
            try:
                self._read(line, seen)
            except Refused as error:
                text = str(error)
                wrong.append(error if text.startswith(f"{path}, line") else line.refuse(text))
        self.kept = list(dict.fromkeys(self.kept))
        if len(wrong) == 1:
            raise Refused(f"{wrong[0]}; nothing was changed")
        if wrong:
            for each in wrong[:SHOWN]:
                say(str(each), err=True)
            raise Refused(f"{path}: {len(wrong)} lines are wrong, see above; nothing was changed")

    def _read(self, line: RosterLine, seen: dict[tuple[str, ...], RosterLine]) -> None:
        """Read a line; `seen` has the lines of new overrides, by what they are about. Raises Refused."""
        kind = line.get("kind").casefold()
        if line.get("when"):
            self.kept.append(self._find_override(line, kind))
            return
        for override in self._make_overrides(line, kind):
            if (first := seen.setdefault(override.about, line)) is not line:
                names = " ".join(filter(None, (override.student, override.check)))
                raise Refused(f"line {first.number} is also about `{names}`; keep one of the two lines")
            self.made.append(override)

    def _assignment(self, line: RosterLine) -> _Day:
        """Return the day of a line, or else of the command."""
        name = line.get("day") or self.day or ""
        if name not in self._days:
            if name and name not in self.course.names:
                raise Refused(
                    f"`{name}` is not an assignment of this course{nearest(name, self.course.names)}"
                )
            found = assignment_of(self.course, self.store, name or None, None)
            students = self.store.everybody(found.name)
            forms = {same_key(form): one for one in students for form in (first_cell(one), cell(one), one)}
            self._days[name] = _Day(found, forms)
        return self._days[name]

    def _find_override(self, line: RosterLine, kind: str) -> Override:
        """Return an existing override, unchanged. Raises Refused."""
        day, (name, undone) = self._assignment(line).assignment.name, _kind(kind)
        text = plain(line.get("comment" if name == "comment" and not undone else "why"))
        author, at = plain(line.get("who")), line.get("when")
        student, check = plain(line.get("student")), plain(line.get("check"))
        longest = LONGEST_COMMENT if name == "comment" else LONGEST_WHY
        text = checked_text(text, "comment" if name == "comment" else "why", "write one", longest)
        if not author or any(len(one) > LONGEST_NAME for one in (student, check, author)):
            raise Refused(f"`who` needs a name, and a name has at most {LONGEST_NAME} characters")
        if not _is_time(at):
            raise Refused(
                f"`when` is {at[:30]!r}, which is not a time in UTC such as 2026-12-02T10:00:00+00:00"
            )
        _refuse_cells(line, name)
        points = read_points(line.get("points"), MOST, check) if name == "points" and not undone else None
        return Override(day, name, text, author, student, check, points, withdrawn=undone, at=at)

    def _make_overrides(self, line: RosterLine, kind: str) -> Iterator[Override]:
        """Yield the new overrides of a line. Raises Refused."""
        name, undone = _kind(kind or "points")
        if name == "final":
            raise Refused("`final` has no `when`; `grade post DAY --final` declares grades final")
        _refuse_cells(line, name, undone=undone)
        day, student, check = self._assignment(line), plain(line.get("student")), line.get("check")
        spec = find_check(day.assignment, check) if check else None
        if student and same_key(student) not in day.students:
            refuse_unknown_student(day.assignment, self.store, student)
        student = day.students[same_key(student)] if student else ""
        why, make = line.get("why"), partial(Override, day.assignment.name, who=self.author, at=self.at)
        about: dict[str, Any] = {"student": student, "check": check, "withdrawn": undone}
        if undone or name in {"void", "excuse", "forget", "request"}:
            yield make(name, why=checked_text(plain(why), "why", "give a reason", LONGEST_WHY), **about)
            return
        # A spreadsheet may write a decimal comma.
        if spec and (points := re.sub(r"^(\d+),(\d+)$", r"\1.\2", line.get("points"))):
            given = read_points(points, spec.points, check)
            reason = checked_text(plain(why) or GRADED, "why", "write one", LONGEST_WHY)
            yield make("points", why=reason, points=given, **about)
        if comment := plain(line.get("comment")):
            text = checked_text(comment, "comment", "write one", LONGEST_COMMENT)
            yield make("comment", why=text, **about)


@dataclass(frozen=True)
class _Day:
    """An assignment, and its students by the forms in which a cell may name them."""

    assignment: Assignment
    students: dict[str, str]


def _is_time(text: str) -> bool:
    """Return True for a time in the form of the results file, where texts sort like times."""
    try:
        return text == in_utc(dt.datetime.fromisoformat(text))
    except (ValueError, OverflowError):  # no time, or one that leaves the calendar in UTC
        return False


def _kind(text: str) -> tuple[Kind, bool]:
    """Return a kind, and True if the override is undone. Raises Refused."""
    name, undone = text.removeprefix(UNDO), text.startswith(UNDO)
    for kind in ABOUT:
        if kind == name:
            return kind, undone
    if not text:
        raise Refused("the cell `kind` is empty; the line has a time, so it needs a kind")
    raise Refused(f"`kind` is `{text}`{nearest(name, list(ABOUT))}; write {', '.join(ABOUT)}, or `undo KIND`")


def _refuse_cells(line: RosterLine, kind: Kind, *, undone: bool = False) -> None:
    """Raise Refused if the kind needs a cell that is empty, or cannot have one that is not."""
    needed = ABOUT[kind]
    allowed = {*needed, *(("comment", "points") if not undone else ())[: _TEXTS.get(kind, 0)]}
    for name in ("student", "check", "points", "comment"):
        if name in needed and not line.get(name):
            raise Refused(f"the cell `{name}` is empty; fill it in or remove the line")
        if name not in allowed and line.get(name):
            raise Refused(
                f"clear the cell `{name}`: an override of the kind `{line.get('kind')}` has no {name}"
            )


def _refuse_columns(path: Path, header: RosterLine) -> None:
    names = [fold_column(name) for name in header.header]
    for name in COLUMNS:
        if names.count(name) > 1:
            raise Refused(f"{path}: two columns are called `{name}`; keep one of them")
    if "kind" in names:
        return
    missing = [name for name in ("student", "check") if name not in names]
    missing += [] if {"points", "comment"} & {*names} else ["points"]
    if missing:
        raise Refused(
            f"{path}: the column `{missing[0]}` is missing; the first line names the columns: "
            f"{', '.join(TEMPLATE)} or {', '.join(EXPORT)}"
        )


# --- Writing


def write_all(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Write all overrides, or those of a day, into a new table. Raises Refused."""
    with Store(results) as store:
        every = all_overrides(course, store, day)
    _write_new_table(course, path, [list(EXPORT), *map(_export_row, every)])
    say(f"{count_noun(len(every), 'override')} in {path}")


def _export_row(one: Override) -> list[str | float | None]:
    comment = one.kind == "comment" and not one.withdrawn
    names = (f"{UNDO if one.withdrawn else ''}{one.kind}", one.student, one.check)
    texts = (one.why, "") if comment else ("", one.why)
    return [one.assignment, *names, one.points, *texts, one.who, one.at]


def write_template(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Write a table with a line for each student and manual check, with the points and comments so far.

    Leaves out excused students and students without work. Raises Refused.
    """
    with Store(results) as store:
        assignment = assignment_of(course, store, day, None)
        force = store.in_force(assignment.name)
        lines = list(_lines(assignment, store, force))
    if not lines:
        raise Refused(
            f"{assignment.name}: no result waits for points by hand; for other checks, write a table of your own, with the "
            "columns `student`, `check` and `points`"
        )
    _write_new_table(course, path, [list(TEMPLATE), *lines])
    missing = sum(line[2] is None for line in lines)
    say(f"{assignment.name}  {count_noun(len(lines), 'line')} in {path}, {missing} without points")
    say(f"Next: fill in points and comments, then run grade override table {path}{results_option(results)}")


def _write_new_table(course: Course, path: Path, lines: Sequence[Sequence[str | float | None]]) -> None:
    """Write a table for a spreadsheet. Raises Refused if the file exists."""
    try:
        write_new(path, codecs.BOM_UTF8 + csv_table(lines).encode(), course.root)
    except FileExistsError:
        raise Refused(f"{path}: this file already exists; name a new one") from None


def _lines(assignment: Assignment, store: Store, force: Overrides) -> Iterator[list[str | float | None]]:
    """Yield the lines of the template, check by check."""
    grades = [grade for grade in grades_of(assignment, store) if grade.excused is None]
    for check in assignment.manifest.checks:
        for grade in grades:
            about = (grade.student, check)
            points, comment = force.points.get(about), force.comments.get(about)
            text = comment.why if comment else None
            for found in grade.report.waiting:
                if found.id == check:
                    yield [*about, points.points if points else None, found.max_score, text]
