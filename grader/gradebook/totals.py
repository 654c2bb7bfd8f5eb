"""`grade report --all`: every day of the results file in one table, with a total for each student.

`solutions/course.yaml` (settings.py) has the rule:

    weights: {day1: 1, day2: 2}   # a day without a weight has 1; a weight of 0 takes it out of the total
    drop_lowest: 1                # of each student's days

The total is in percent. It is the weighted mean of the shares of points of the days that count, in exact fractions
until the end:

1. a day counts as soon as the results file has a grade of anybody for it, and if it has points;
2. an excused day does not count for the student;
3. a day without a result counts 0, unless the student can still hand in in time;
4. a day with a check that could not be graded leaves the student without a total;
5. of the days that count, those with the lowest shares are dropped (of equals the one with more weight); at least
   one stays.
"""

from __future__ import annotations

import datetime as dt
import statistics
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from grader.errors import Refused
from grader.gradebook.export import (
    Day,
    Row,
    canvas_days,
    csv_gradebook,
    moodle_days,
    paired,
    read_canvas_export,
)
from grader.gradebook.grade import absent_of, grades_of, warnings_about
from grader.gradebook.late import in_time_until, read_extensions
from grader.gradebook.overview import deliver
from grader.gradebook.roster import read_rosters
from grader.gradebook.sentences import is_provisional
from grader.gradebook.settings import FILE, CourseSettings, read_course_settings
from grader.gradebook.store import Store
from grader.render import shortened
from grader.render.words import points
from grader.report import exact, rounded
from grader.submissions.keys import same_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.grade import Absent, Grade
    from grader.gradebook.late import Extension
    from grader.gradebook.roster import Student

MOST = 1_000  # of a weight
WIDEST = 30  # columns of a name
_PERCENT = 100.0


def read_rule(course: Course) -> CourseSettings:
    """Return the settings of a course with its rule; all weights are 1 without the file. Raises Refused."""
    path, rule = course.root / FILE, read_course_settings(course)
    for day, weight in rule.weights.items():
        if not 0 <= weight <= MOST:
            raise Refused(f"{path}: `weights.{day}` is {weight:g}; write a number from 0 to {MOST:,}")
    if course.names and not any(rule.weight(day) for day in course.names):
        raise Refused(f"{path}: every day has the weight 0; give one a weight above it")
    if not 0 <= rule.drop_lowest < max(len(course.names), 1):
        raise Refused(
            f"{path}: `drop_lowest` is {rule.drop_lowest}, and the course has {len(course.names)} days; at least "
            "one must stay"
        )
    return rule


# --- One student


@dataclass(frozen=True)
class Entry:
    """One day of one student; `score` is None unless it is graded."""

    state: Literal["graded", "excused", "missing", "open", "ungradable"]
    score: float | None = None
    max_score: float = 0.0

    @property
    def share(self) -> Fraction:
        """The share of the day's points."""
        return exact(self.score) / exact(self.max_score) if self.score and self.max_score else Fraction()


@dataclass
class Line:
    """All days of one student. `total` is in percent, None if there is none; `dropped` names days."""

    student: str
    entries: dict[str, Entry] = field(default_factory=dict)
    total: float | None = None
    dropped: tuple[str, ...] = ()

    def add_up(self, rule: CourseSettings) -> None:
        """Compute the total."""
        states = {day: entry.state for day, entry in self.entries.items() if rule.weight(day)}
        worthless = {
            day for day, entry in self.entries.items() if entry.score is not None and not entry.max_score
        }
        counting = [
            day for day, state in states.items() if state in ("graded", "missing") and day not in worthless
        ]
        if not counting or "ungradable" in states.values():
            return
        shares = {day: self.entries[day].share for day in counting}
        lowest = sorted(counting, key=lambda day: (shares[day], -rule.weight(day)))
        self.dropped = tuple(lowest[: min(rule.drop_lowest, len(counting) - 1)])
        kept = [day for day in counting if day not in self.dropped]
        whole = sum(rule.weight(day) for day in kept)
        total = sum((shares[day] * rule.weight(day) for day in kept), Fraction()) / whole
        self.total = rounded(100 * total)

    @property
    def words(self) -> str:
        """Return notes about what a table of points leaves out."""
        parts = [
            f"{day}: {_WORDS[entry.state]}" for day, entry in self.entries.items() if entry.state in _WORDS
        ]
        return "; ".join([*parts, *(f"{day}: dropped" for day in self.dropped)])


_WORDS = {
    "excused": "excused",
    "missing": "no result, counts 0",
    "open": "not due yet",
    "ungradable": "could not be graded",
}
_SIGNS = {"excused": "ex", "missing": "-", "open": "..", "ungradable": "?"}


# --- The class


@dataclass(frozen=True)
class GradedDay:
    """A day with its grades: an entry for each student of its results."""

    assignment: Assignment
    entries: dict[str, Entry]
    extensions: dict[str, Extension]
    now: dt.datetime
    provisional: int

    @property
    def name(self) -> str:
        """The name of the day."""
        return self.assignment.name

    @property
    def max_score(self) -> float:
        """The points of the day, the most of all students'."""
        return max(entry.max_score for entry in self.entries.values())

    def without_result(self, student: str) -> Entry:
        """Return the entry of a student who has no result."""
        until = in_time_until(self.assignment.manifest, self.extensions.get(student))
        return Entry("missing" if until is None or self.now > until else "open")


def days_of(course: Course, store: Store) -> tuple[list[GradedDay], list[str]]:
    """Return the days with a grade of anybody, and notes about their overrides. Raises Refused."""
    there = store.assignments()
    days = []
    notes = [
        f"{store.path}: {name} is no assignment of this course; it is left out"
        for name in there
        if name not in course.names
    ]
    for name in (name for name in course.names if name in there):
        assignment = course.assignment(name)
        grades = [grade for grade, _ in grades_of(assignment, store)]
        notes += [f"{name}: {note}" for note in warnings_about(assignment, store, grades)]
        if grades:
            days.append(_day(assignment, grades, absent_of(assignment, store)))
    return days, notes


def _day(assignment: Assignment, grades: Sequence[Grade], absent: Sequence[Absent]) -> GradedDay:
    entries = {grade.student: _entry(grade) for grade in grades}
    provisional = sum(map(is_provisional, grades))
    day = GradedDay(assignment, entries, read_extensions(assignment), dt.datetime.now(dt.UTC), provisional)
    entries |= {
        one.student: Entry("excused") if one.excused else day.without_result(one.student) for one in absent
    }
    return day


def _entry(grade: Grade) -> Entry:
    if grade.excused is not None:
        return Entry("excused", None, grade.max_score)
    return Entry("ungradable" if grade.score is None else "graded", grade.score, grade.max_score)


def lines_of(days: Sequence[GradedDay], rule: CourseSettings, roster: Sequence[Student] = ()) -> list[Line]:
    """Return a line for each student of any day or of the roster, sorted.

    A roster also finds a student who has another name on another day: a login here, an email address there.
    """
    lines: dict[str, Line] = {same_key(one.student): Line(one.student) for one in roster}
    for day in days:
        names = _names(day, roster) if roster else {}
        for key, entry in day.entries.items():
            name = names.get(key, key)
            lines.setdefault(same_key(name), Line(name)).entries[day.name] = entry
    for line in lines.values():
        found = line.entries
        line.entries = {day.name: found.get(day.name) or day.without_result(line.student) for day in days}
        line.add_up(rule)
    return sorted(lines.values(), key=lambda line: line.student)


def _names(day: GradedDay, roster: Sequence[Student]) -> dict[str, str]:
    """Return the names in the roster by the keys of a day. Raises Refused."""
    try:
        pairs, _ = paired(day.entries, roster)
    except Refused as error:
        raise Refused(f"{day.name}: {error}") from error
    return {key: student.student for key, student in pairs}


def run_totals(
    course: Course, results: Path, format_: str, rosters: Sequence[Path], output: Path | None
) -> None:
    """Print or write the table of all days. Raises Refused."""
    rule, students = read_rule(course), read_rosters(rosters)
    with Store(results) as store:
        days, notes = days_of(course, store)
        if not days:
            raise store.no_results("this course")
    lines = lines_of(days, rule, students)
    if format_ == "terminal":
        text = render_totals(days, rule, lines)
    elif format_ == "csv":
        book = csv_gradebook([_as_row(line) for line in lines], students)
        text, notes = book.text, [*notes, *book.notes]
    elif not rosters:
        raise Refused(
            f"--format {format_}: students are matched by {format_.capitalize()}'s own export; give it with "
            "--roster FILE"
        )
    else:
        columns = [_as_column(day, lines) for day in days]
        if format_ == "canvas":
            book = canvas_days(columns, students, read_canvas_export(rosters[0]))
        else:
            book = moodle_days(columns, students, {line.student: line.total for line in lines})
        text, notes = book.text, [*notes, *book.notes]
    deliver(text, notes, format_, output, course=course, students=len(lines))


def _as_row(line: Line) -> Row:
    checks = {day: entry.score for day, entry in line.entries.items()}
    return Row(line.student, line.total, _PERCENT, checks=checks, note=line.words)


def _as_column(day: GradedDay, lines: Sequence[Line]) -> Day:
    """Return the day for a platform: the students who have a score, are excused or could not be graded."""
    entries = {line.student: line.entries[day.name] for line in lines}
    rows = [
        Row(student, entry.score, day.max_score, excused=entry.state == "excused")
        for student, entry in entries.items()
        if entry.state not in ("missing", "open")
    ]
    return Day(day.assignment.manifest.title, rows, (day.name,))


# --- In a terminal


def render_totals(days: Sequence[GradedDay], rule: CourseSettings, lines: Sequence[Line]) -> str:
    """Return the rule, a row for each student, the meaning of its signs, and a summary."""
    width = min(WIDEST, max(len(line.student) for line in lines))
    head = f"  {'':<{width}} {''.join(f'{day.name:>{_wide(day)}}' for day in days)}{'total':>10}"
    rows = [
        f"  {shortened(line.student, width):<{width}} {''.join(_cell(line, day) for day in days)}"
        f"{_total(line.total):>10}".rstrip()
        for line in lines
    ]
    parts = [_rule(days, rule), [head, *rows], list(_signs(lines)), _summary(lines), _not_final(days)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _wide(day: GradedDay) -> int:
    return 1 + max(len(day.name), 7)


def _cell(line: Line, day: GradedDay) -> str:
    entry = line.entries[day.name]
    text = _SIGNS.get(entry.state) or points(entry.score or 0.0)
    text = f"({text})" if day.name in line.dropped else text
    return f"{text:>{_wide(day)}}"


def _total(total: float | None) -> str:
    return "" if total is None else f"{total:.2f} %"


def _rule(days: Sequence[GradedDay], rule: CourseSettings) -> list[str]:
    width = max(len(day.name) for day in days)
    dropped = {0: "", 1: "; each student's lowest day is dropped"}.get(
        rule.drop_lowest, f"; each student's {rule.drop_lowest} lowest days are dropped"
    )
    return [
        f"All days{dropped}",
        *(
            f"  {day.name:<{width}}  {points(day.max_score)} points, weight {points(float(rule.weight(day.name)))}"
            f"  {shortened(day.assignment.manifest.title, WIDEST)}"
            for day in days
        ),
    ]


def _signs(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the meaning of each sign that a row has."""
    states = {entry.state for line in lines for entry in line.entries.values()}
    for state, sign in _SIGNS.items():
        if state in states:
            yield f"  {sign:<3}  {_WORDS[state]}{', no total' if state == 'ungradable' else ''}"
    if any(line.dropped for line in lines):
        yield "  ( )  dropped"


def _summary(lines: Sequence[Line]) -> list[str]:
    totals = [line.total for line in lines if line.total is not None]
    who = "1 student" if len(lines) == 1 else f"{len(lines)} students"
    if not totals:
        return [f"{who}, none with a total"]
    mean, median = (points(round(of(totals), 1)) for of in (statistics.fmean, statistics.median))
    return [f"{who}, {len(totals)} with a total: mean {mean} %, median {median} %"]


def _not_final(days: Sequence[GradedDay]) -> list[str]:
    counts = {day.name: day.provisional for day in days if day.provisional}
    return [f"{day}: {n} {'grade is' if n == 1 else 'grades are'} provisional" for day, n in counts.items()]
