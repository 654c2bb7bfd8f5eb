"""`grade report`: the grades of a class in a terminal, or as a table for a platform."""

from __future__ import annotations

import codecs
import statistics
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from grader.console import count_noun, say, say_notes, show
from grader.errors import Refused, first_of
from grader.files import write_bytes
from grader.gradebook.export import (
    CSV,
    GRADESCOPE,
    canvas_gradebook,
    csv_gradebook,
    line_of,
    moodle_gradebook,
    read_canvas_columns,
)
from grader.gradebook.grade import absent_of, grades_of, roster_of, warnings_about, who_left
from grader.gradebook.matching import SHOWN, match_students
from grader.gradebook.roster import read_roster
from grader.gradebook.sentences import why_absent
from grader.gradebook.store import Store
from grader.gradebook.survey import Survey
from grader.render import escape_line, shorten
from grader.render.words import points_text
from grader.report import Outcome
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.export import Gradebook, Line
    from grader.gradebook.gradedwork import Grade, GradedWork
    from grader.gradebook.survey import StudentLine

COMMONEST = 8  # mistakes that are listed
BAR = 30  # columns
NO_WORK = "no work that counts"
WORDS = 71  # columns of a mistake's words, so that a line has 80 with its number


def run_report(
    assignment: Assignment, results: Path, format_: str, roster: Path | None, output: Path | None
) -> None:
    """Print or write the grades. Raises Refused."""
    with Store(results) as store:
        grades, absent, notes = class_of_day(assignment, store, roster)
        if not grades and not absent:
            raise store.no_results(assignment.name)
    if format_ == "terminal":
        text = render_class(assignment, grades, absent, roster)
    else:
        book = _table(assignment, _lines(assignment, [*grades, *absent]), format_, roster)
        text, notes = book.text, [*notes, *_not_graded_yet(grades), *book.notes]
    students = len(grades) + len(absent)
    deliver(text, notes, format_, output, course=assignment.course, students=students)


def class_of_day(
    assignment: Assignment, store: Store, roster: Path | None = None
) -> tuple[list[GradedWork], list[Grade], list[str]]:
    """Return the grades, the students without a result, and warnings about both. Raises Refused."""
    grades = list(grades_of(assignment, store, roster=roster))
    notes = warnings_about(assignment, store, grades, roster=roster)
    most = max((grade.max_score for grade in grades), default=0.0)
    absent = absent_of(assignment, store, roster=roster)
    return grades, [msgspec.structs.replace(one, max_score=most) for one in absent], notes


def deliver(
    text: str, notes: Sequence[str], format_: str, output: Path | None, *, course: Course, students: int
) -> None:
    """Print a table or write it into a file, then print the notes. Raises Refused."""
    if output is None:
        show(text.replace("\r\n", "\n"))
    else:
        # Excel recognises UTF-8 by this mark; other programs misread it.
        mark = codecs.BOM_UTF8 if format_ == "csv" else b""
        write_bytes(output, mark + text.encode(), course.root)
        say(f"{count_noun(students, 'student')}  {output}")
    say_notes(notes)


def not_graded(graded: Iterable[str], roster: Path | None) -> list[str]:
    """Return the students of a roster who are not in `graded`. Raises Refused."""
    found = match_students(graded, read_roster(roster)).missing if roster else []
    return [one.student for one in found]


def add_others(survey: Survey, absent: Iterable[Grade], roster: Path | None) -> None:
    """Count the students without a result, then those who are only in the roster. Raises Refused."""
    for one in absent:
        survey.add_absent(one.student, why_absent(one), one.excused)
    for student in not_graded([line.student for line in survey.lines], roster):
        survey.add_absent(student, NO_WORK)


def _lines(assignment: Assignment, grades: Sequence[Grade]) -> list[Line]:
    """Return the lines of a table. A platform's export may have students who left the course's roster. Raises Refused."""
    left = who_left(assignment.course, [one.student for one in grades])
    why = f"is not in the roster {roster_of(assignment.course)} and is left out; the grade on the platform stays as it is"
    return [{**line_of(one), **({"left out": why} if one.student in left else {})} for one in grades]


def _table(assignment: Assignment, lines: Sequence[Line], format_: str, roster: Path | None) -> Gradebook:
    title = assignment.manifest.title
    if format_ in {"canvas", "moodle"} and roster is None:
        raise Refused(
            f"--format {format_}: {format_.capitalize()}'s own export is needed to match students; give it with "
            "--roster FILE"
        )
    students = read_roster(roster) if roster else []
    if format_ == "canvas" and roster is not None:
        return canvas_gradebook(title, lines, students, read_canvas_columns(roster), also=[assignment.name])
    if format_ == "moodle":
        return moodle_gradebook(title, lines, students)
    return csv_gradebook(lines, students, GRADESCOPE if format_ == "gradescope" else CSV)


# --- In a terminal


def render_class(
    assignment: Assignment,
    grades: Sequence[GradedWork],
    absent: Sequence[Grade] = (),
    roster: Path | None = None,
) -> str:
    """Return a row for each student, also for those only in the roster, then a summary. Raises Refused."""
    # Print notes that most of the class share only once.
    counts = Counter(note for grade in grades for note in set(grade.work.notes))
    shared = {note: count for note, count in counts.items() if 2 < count > len(grades) / 2}
    survey = Survey(make_topic(assignment.manifest.topic, {}), {})
    for grade in grades:
        survey.add(grade)
    add_others(survey, absent, roster)
    width = min(30, max(len(line.student) for line in survey.lines))
    grade_of = {grade.student: grade for grade in grades}
    rows = [
        f"  {shorten(line.student, width):<{width}}  {_row(line, grade_of.get(line.student), shared)}".rstrip()
        for line in sorted(survey.lines)
    ]
    title = [f"{assignment.name}  {assignment.manifest.title}"]
    void = {c.check: c.override.why for r in grades for c in r.changed if c.override.kind == "void"}
    parts = [
        title,
        rows,
        [f"{count} of {len(grades)}: {note}" for note, count in shared.items()],
        [f"{check} is void: {why}" for check, why in void.items()],
        _points(survey),
        _checks(survey),
        _by_hand(survey),
        _mistakes(survey),
    ]
    lines = (line for part in parts if part for line in [*part, ""])
    return "\n".join(map(escape_line, lines)).rstrip() + "\n"  # a note may quote a name


def _row(line: StudentLine, grade: Grade | None, shared: Mapping[str, int]) -> str:
    own = [note for note in grade.work.notes if note not in shared] if grade and not grade.excused else []
    score = "     -"
    if grade and line.score is not None:
        score = f"{points_text(line.score):>6}/{points_text(grade.max_score)}"
    return f"{score}  {'; '.join(filter(None, [line.about, *own]))}"


def mean_and_median(scores: Sequence[float], unit: str = "") -> str:
    """Return mean and median, each with one decimal place."""
    mean, median = (points_text(round(of(scores), 1)) for of in (statistics.fmean, statistics.median))
    return f"mean {mean}{unit}, median {median}{unit}"


def _points(survey: Survey) -> list[str]:
    if not survey.scores:
        return []
    figures = f"{mean_and_median(survey.scores)} of {points_text(survey.most)}"
    return [f"{count_noun(len(survey.lines), 'student')}, {len(survey.scores)} with a score: {figures}"]


def _checks(survey: Survey) -> list[str]:
    """Return a bar for each check: the share of students who pass it."""
    checks = [check for check in survey.checks.values() if Outcome.MANUAL not in check.outcomes]
    width = max((len(check.id) for check in checks), default=0)
    return [
        f"  {check.id:<{width}}  {'█' * round(BAR * (check.share or 0)):<{BAR}}  "
        f"{check.outcomes[Outcome.PASSED]} of {check.outcomes.total()} pass"
        for check in checks
    ]


def _by_hand(survey: Survey) -> list[str]:
    """Return a line for each manual check, and the command to give missing points."""
    asked = [check for check in survey.checks.values() if check.by_hand or check.waiting]
    width = max((len(check.id) for check in asked), default=0)
    lines = [
        f"  {check.id:<{width}}  {len(check.by_hand)} of {len(check.by_hand) + check.waiting} answers graded by hand"
        f"{f', mean {points_text(round(statistics.fmean(check.by_hand), 1))}' if check.by_hand else ''}"
        for check in asked
    ]
    remedy = [
        "`grade mark` opens the answers on a page; `grade override table FILE.csv --template` writes a table to fill in."
    ]
    return [*lines, *(remedy if any(check.waiting for check in asked) else [])]


def _not_graded_yet(grades: Iterable[Grade]) -> list[str]:
    """Return a note for each manual check without points: a platform gets a lower sum."""
    waiting: dict[str, list[str]] = {}
    for grade in grades:
        for check in grade.waiting:
            waiting.setdefault(check, []).append(grade.student)
    return [f"`{check}` has no points yet for {first_of(names, SHOWN)}" for check, names in waiting.items()]


def _mistakes(survey: Survey) -> list[str]:
    """Return the most common mistakes; a student counts once for each."""
    rows = [
        f"  {len(group.students):>4}  {shorten(': '.join([group.finding.brief, *group.finding.code[:1]]), WORDS)}"
        for group in survey.commonest()[:COMMONEST]
    ]
    return ["Most common mistakes:", *rows] if rows else []
