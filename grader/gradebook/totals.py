"""`grade report --all`: every day of the results file in one table, with a total for each student.

`solutions/course.yaml` (settings.py) has the weights:

    weights: {day1: 1, day2: 2}   # a day without a weight has 1; a weight of 0 takes it out of the total
    drop_lowest: 1                # of each student's days

The total is in percent: the weighted mean of the shares of points, over the days that count, in exact fractions until the
end. A day counts if it has points and at least one student has a grade for it. The days with the lowest shares are dropped
(the one with more weight if two are equal); at least one day stays.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.console import count_noun
from grader.errors import Refused
from grader.gradebook.export import csv_gradebook
from grader.gradebook.late import in_time_until, read_extensions
from grader.gradebook.overview import class_of_day, deliver, mean_and_median, not_graded
from grader.gradebook.roster import read_roster
from grader.gradebook.sentences import is_provisional, why_absent
from grader.gradebook.settings import FILE, CourseSettings, read_course_settings
from grader.gradebook.store import Store
from grader.render import shorten
from grader.render.words import points_text
from grader.report import exact, round_score
from grader.submissions.keys import same_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.export import Line
    from grader.gradebook.late import Extension

MOST = 1_000  # of a weight
WIDEST = 30  # columns of a name
_PERCENT = 100.0
EXCUSED, MISSING, OPEN, UNGRADABLE = "excused", "none", "open", "ungradable"
_WORDS = {
    EXCUSED: "excused",
    MISSING: "no result, counts 0",
    OPEN: "not due yet",
    UNGRADABLE: "a check is ungradable, so there is no total",
}


class DayScore(msgspec.Struct, frozen=True):
    """One day of one student: the score, or in `without` the reason why there is none.

    A day that is excused or not due yet does not count for the student; a missing day counts 0; a day with an ungradable
    check leaves the student without a total.
    """

    score: float = 0.0
    max_score: float = 0.0
    without: str = ""

    @property
    def share(self) -> Fraction:
        """The share of the day's points."""
        return exact(self.score) / exact(self.max_score) if self.max_score else Fraction()

    @property
    def counts(self) -> bool:
        """True if the day counts for the student's total."""
        return self.without == MISSING or (not self.without and self.max_score > 0)


@dataclass
class StudentTotal:
    """All days of one student. `total` is in percent, or None; `dropped` names days."""

    student: str
    entries: dict[str, DayScore] = field(default_factory=dict)
    total: float | None = None
    dropped: tuple[str, ...] = ()

    def add_up(self, settings: CourseSettings) -> None:
        """Compute the total."""
        weighed = {day: entry for day, entry in self.entries.items() if settings.weight(day)}
        shares = {day: entry.share for day, entry in weighed.items() if entry.counts}
        if not shares or any(entry.without == UNGRADABLE for entry in weighed.values()):
            return
        lowest = sorted(shares, key=lambda day: (shares[day], -settings.weight(day)))
        self.dropped = tuple(lowest[: min(settings.drop_lowest, len(shares) - 1)])
        kept = {day: settings.weight(day) for day in shares if day not in self.dropped}
        total = sum((shares[day] * weight for day, weight in kept.items()), Fraction())
        self.total = round_score(100 * total / sum(kept.values()))

    def words(self, day: str) -> str:
        """Return a note on a day for a table that has only its points."""
        word = _WORDS.get(self.entries[day].without, "")
        return "; ".join(filter(None, [word, "dropped" if day in self.dropped else ""]))


def read_weights(course: Course) -> CourseSettings:
    """Return the settings of a course, with verified weights. Raises Refused."""
    path, settings = course.root / FILE, read_course_settings(course)
    for day, weight in settings.weights.items():
        if not 0 <= weight <= MOST:
            raise Refused(f"{path}: `weights.{day}` is {weight:g}; write a number from 0 to {MOST:,}")
    if course.names and not any(settings.weight(day) for day in course.names):
        raise Refused(f"{path}: every day has the weight 0; give at least one a higher weight")
    if not 0 <= settings.drop_lowest < max(len(course.names), 1):
        raise Refused(
            f"{path}: `drop_lowest` is {settings.drop_lowest}, and the course has {len(course.names)} days; at least "
            "one must stay"
        )
    return settings


def run_totals(course: Course, results: Path, format_: str, roster: Path | None, output: Path | None) -> None:
    """Print or write the table of all days. Raises Refused."""
    if format_ not in {"terminal", "csv"}:
        raise Refused(
            f"--format {format_} takes one day, because the platform adds the days up; name the day instead of --all"
        )
    settings, now, notes = read_weights(course), dt.datetime.now(dt.UTC), list[str]()
    with Store(results) as store:
        there = store.assignments()
        for name in (name for name in there if name not in course.names):
            notes.append(f"{results}: `{name}` is left out, because this course has no such assignment")
        days = [_day(course.assignment(name), store, now, notes) for name in course.names if name in there]
        days = [day for day in days if day.entries]
        if not days:
            raise store.no_results("this course")
    known = [student for day in days for student in day.entries]
    lines = _totals_of(days, settings, [*known, *not_graded(known, roster)])
    if format_ == "terminal":
        text = _render_totals(days, settings, lines)
    else:
        book = csv_gradebook(map(_line_of, lines), read_roster(roster) if roster else [])
        text, notes = book.text, [*notes, *book.notes]
    deliver(text, notes, format_, output, course=course, students=len(lines))


class GradedDay(NamedTuple):
    """A day with an entry for each student of its results; no entries before the first grade."""

    assignment: Assignment
    extensions: dict[str, Extension]
    now: dt.datetime
    entries: dict[str, DayScore]

    def without_result(self, student: str) -> DayScore:
        """Return the entry of a student without a result: open while they can still hand in on time."""
        until = in_time_until(self.assignment.manifest, self.extensions.get(student))
        return DayScore(without=MISSING if until is None or self.now > until else OPEN)


def _day(assignment: Assignment, store: Store, now: dt.datetime, notes: list[str]) -> GradedDay:
    """Return a day of the results file, and add notes about it. Raises Refused."""
    name, (grades, absent, warnings) = assignment.name, class_of_day(assignment, store)
    notes += [f"{name}: {note}" for note in warnings]
    if count := sum(map(is_provisional, grades)):
        notes.append(f"{name}: {count} {'grade is' if count == 1 else 'grades are'} provisional")
    day = GradedDay(assignment, read_extensions(assignment), now, {})
    for grade in [*grades, *absent] if grades else ():
        missing = day.without_result(grade.student)
        can_begin = missing.without == OPEN and not grade.work.worked and grade.score == 0
        without = (
            EXCUSED if grade.excused else UNGRADABLE if grade.score is None else OPEN if can_begin else ""
        )
        entry = DayScore(grade.score or 0.0, grade.max_score, without)
        day.entries[grade.student] = missing if why_absent(grade) else entry
    return day


def _totals_of(
    days: Sequence[GradedDay], settings: CourseSettings, students: Sequence[str]
) -> list[StudentTotal]:
    """Return a line for each student, sorted; case does not distinguish students."""
    lines = {same_key(student): StudentTotal(student) for student in reversed(students)}
    for day in days:
        found = {same_key(student): entry for student, entry in day.entries.items()}
        for key, line in lines.items():
            line.entries[day.assignment.name] = found.get(key) or day.without_result(line.student)
    for line in lines.values():
        line.add_up(settings)
    return sorted(lines.values(), key=lambda line: line.student)


def _line_of(one: StudentTotal) -> Line:
    return {
        "student": one.student,
        "score": one.total,
        "max_score": _PERCENT,
        "note": "; ".join(f"{day}: {words}" for day in one.entries if (words := one.words(day))),
        **{f"check {day}": None if entry.without else entry.score for day, entry in one.entries.items()},
    }


# --- In a terminal


def _render_totals(days: Sequence[GradedDay], settings: CourseSettings, lines: Sequence[StudentTotal]) -> str:
    """Return the points and weights of the days, a row for each student, and a summary."""
    names = [day.assignment.name for day in days]
    most = {day.assignment.name: max(one.max_score for one in day.entries.values()) for day in days}
    rows = [
        ("", names, "total"),
        ("points", [points_text(most[name]) for name in names], ""),
        ("weight", [points_text(float(settings.weight(name))) for name in names], ""),
        *(
            (
                one.student,
                [_cell(one, name) for name in names],
                "" if one.total is None else f"{one.total:.2f} %",
            )
            for one in lines
        ),
    ]
    wide = [1 + max(len(name), len(UNGRADABLE)) for name in names]
    width = min(WIDEST, max(len(row[0]) for row in rows))
    table = [
        f"  {shorten(head, width):<{width}} {''.join(map(str.rjust, cells, wide))}{last:>10}".rstrip()
        for head, cells, last in rows
    ]
    states = {entry.without for line in lines for entry in line.entries.values()} & _WORDS.keys()
    parts = ["\n".join(table), _legend(sorted(states), settings.drop_lowest), _summary(lines)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _cell(line: StudentTotal, day: str) -> str:
    text = line.entries[day].without or points_text(line.entries[day].score)
    return f"({text})" if day in line.dropped else text


def _legend(states: Sequence[str], dropped: int) -> str:
    lines = [f"  {state:<11} {_WORDS[state]}" for state in states if _WORDS[state] != state]
    return "\n".join(
        [*lines, *([f"  (...)       dropped: {dropped} of each student's days"] if dropped else [])]
    )


def _summary(lines: Sequence[StudentTotal]) -> str:
    totals = [line.total for line in lines if line.total is not None]
    if not totals:
        return f"{count_noun(len(lines), 'student')}, none with a total"
    return f"{count_noun(len(lines), 'student')}, {len(totals)} with a total: {mean_and_median(totals, ' %')}"
