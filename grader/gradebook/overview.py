"""`grade report`: the grades of a class in a terminal, or as a table for a gradebook."""

from __future__ import annotations

import codecs
import statistics
from collections import Counter
from typing import TYPE_CHECKING

from grader.console import say, show
from grader.errors import Refused, first_of
from grader.files import write_bytes
from grader.gradebook.export import (
    SHOWN,
    GradeRow,
    canvas_gradebook,
    csv_gradebook,
    moodle_gradebook,
    read_canvas_columns,
    without_result,
)
from grader.gradebook.findings import findings_of
from grader.gradebook.grade import Absent, absent_of, grades_of, warnings_about
from grader.gradebook.roster import read_roster
from grader.gradebook.sentences import (
    about_work,
    grade_words,
    late_words,
    nothing_there,
    reasons,
    version_words,
)
from grader.gradebook.store import Store
from grader.render import escape_line, shorten
from grader.render.words import points_text
from grader.report import Outcome
from grader.submissions.state_words import label, later_brief, state_brief
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.gradebook.export import Gradebook
    from grader.gradebook.grade import Grade
    from grader.report import Report

COMMONEST = 8  # mistakes that are listed
BAR = 30  # columns
NO_WORK = "no work of theirs counts"
WORDS = 71  # columns of a mistake's words, so that a line has 80 with its number


def run_report(
    assignment: Assignment, results: Path, format_: str, roster: Path | None, output: Path | None
) -> None:
    """Print or write the grades. Raises Refused."""
    with Store(results) as store:
        both = list(grades_of(assignment, store, roster=roster))
        absent = absent_of(assignment, store, roster=roster)
        if not both and not absent:
            raise store.no_results(assignment.name)
        notes = warnings_about(assignment, store, [grade for grade, _ in both], roster=roster)
    if format_ == "terminal":
        known = [*(grade.student for grade, _ in both), *(one.student for one in absent)]
        text = render_class(assignment, both, [*absent, *not_graded(known, roster)])
    else:
        most = max((grade.max_score for grade, _ in both), default=0.0)
        rows = [*(_as_row(*one) for one in both), *(_as_empty_row(one, most) for one in absent)]
        book = _table(assignment, rows, format_, roster)
        text, notes = book.text, [*notes, *_not_graded_yet(both), *book.notes]
    students = len(both) + len(absent)
    deliver(text, notes, format_, output, course=assignment.course, students=students)


def deliver(
    text: str, notes: Sequence[str], format_: str, output: Path | None, *, course: Course, students: int
) -> None:
    """Print a table or write it into a file, then print the notes. Raises Refused."""
    if output is None:
        show(text.replace("\r\n", "\n"))
    else:
        # Excel recognises UTF-8 by it; other programs misread it.
        mark = codecs.BOM_UTF8 if format_ == "csv" else b""
        write_bytes(output, mark + text.encode(), course.root)
        say(f"{students} students  {output}")
    for note in notes:
        say(f"note: {note}", err=True)


def not_graded(known: Iterable[str], roster: Path | None) -> list[Absent]:
    """Return the students of a roster who are not among the known ones. Raises Refused."""
    if roster is None:
        return []
    return [Absent(student, NO_WORK) for student in without_result(known, read_roster(roster))]


def _table(assignment: Assignment, rows: Sequence[GradeRow], format_: str, roster: Path | None) -> Gradebook:
    title = assignment.manifest.title
    if format_ != "csv" and roster is None:
        raise Refused(
            f"--format {format_}: students are matched by {format_.capitalize()}'s own export; give it with "
            "--roster FILE"
        )
    students = read_roster(roster) if roster else []
    if format_ == "canvas" and roster is not None:
        return canvas_gradebook(title, rows, students, read_canvas_columns(roster), also=[assignment.name])
    if format_ == "moodle":
        return moodle_gradebook(title, rows, students)
    return csv_gradebook(rows, students)


def _as_row(grade: Grade, report: Report) -> GradeRow:
    nothing = nothing_there(report)
    parts = [
        *reasons(grade),
        *about_work(grade),
        *([f"There was nothing to grade: {nothing}."] if nothing else []),
    ]
    return GradeRow(
        student=grade.student,
        score=grade.score,
        max_score=grade.max_score,
        excused=grade.excused is not None,
        late=late_words(grade),
        state=label(grade.work.state),
        too_late=later_brief(grade.work.later, grade.work.state) if grade.work.later else "",
        checks={check: now for check, now in grade.checks.items() if check not in grade.waiting},
        note=" ".join(part if part.endswith(".") else f"{part}." for part in parts),
    )


def _as_empty_row(one: Absent, most: float) -> GradeRow:
    why = "" if one.excused else one.why
    note = f"You are excused from this assignment: {one.excused.why}" if one.excused else ""
    state = label(one.state) if one.state else ""
    return GradeRow(
        one.student, None, most, excused=one.excused is not None, note=note, absent=why, state=state
    )


# --- In a terminal


def render_class(
    assignment: Assignment, both: Sequence[tuple[Grade, Report]], absent: Sequence[Absent] = ()
) -> str:
    """Return a row for each student, then a summary of the class."""
    grades = [grade for grade, _ in both]
    # Notes that most of the class share are printed once.
    counts = Counter(note for grade in grades for note in set(grade.work.notes))
    shared = {note: count for note, count in counts.items() if 2 < count > len(grades) / 2}
    row_of = {grade.student: _row(grade, report, shared) for grade, report in both}
    row_of |= {
        one.student: f"     -  {'excused' if one.excused else f'no result: {one.why}'}" for one in absent
    }
    width = min(30, max(map(len, row_of)))
    rows = [f"  {shorten(student, width):<{width}}  {row_of[student]}".rstrip() for student in sorted(row_of)]
    title = [f"{assignment.name}  {assignment.manifest.title}"]
    void = {c.check: c.override.why for r in grades for c in r.changed if c.override.kind == "void"}
    parts = [
        title,
        rows,
        [f"{count} of {len(grades)}: {note}" for note, count in shared.items()],
        [f"{check} is void: {why}" for check, why in void.items()],
        _points(grades, len(row_of)),
        _checks(both),
        _by_hand(both),
        _mistakes(assignment, both),
    ]
    lines = (line for part in parts if part for line in [*part, ""])
    return "\n".join(map(escape_line, lines)).rstrip() + "\n"  # a note may quote a name


def _row(grade: Grade, report: Report, shared: Mapping[str, int]) -> str:
    nothing = nothing_there(report)
    score = (
        f"{points_text(grade.score):>6}/{points_text(grade.max_score)}"
        if grade.score is not None
        else "     -"
    )
    if grade.excused is not None:
        return f"{score}  excused"
    parts = [grade_words(grade)] if grade.score is None else []
    parts += [
        f"{c.check} overridden" for c in grade.changed if c.override.kind == "points" and c.most is None
    ]
    parts += [f"{', '.join(grade.waiting)} not graded yet"] if grade.waiting else []
    if grade.late and grade.late.days:
        parts.append(
            f"{grade.late.days} d late" + (f", -{points_text(grade.penalty)}" if grade.penalty else "")
        )
    elif grade.late and late_words(grade) and not grade.late.verified and not nothing:
        parts.append("time not verified")
    parts += state_brief(grade.work.state, grade.work.later)
    parts += [version_words(grade)] if grade.other else []
    parts += [f"nothing to grade: {nothing}"] if nothing else []
    parts += [note for note in grade.work.notes if note not in shared]
    return f"{score}  {', '.join(parts)}"


def _points(grades: Sequence[Grade], students: int) -> list[str]:
    scores = [grade.score for grade in grades if grade.score is not None]
    if not scores:
        return []
    mean, median = (points_text(round(of(scores), 1)) for of in (statistics.fmean, statistics.median))
    most = points_text(max(grade.max_score for grade in grades))
    return [f"{students} students, {len(scores)} with a score: mean {mean}, median {median} of {most}"]


def _checks(both: Sequence[tuple[Grade, Report]]) -> list[str]:
    """Return a bar for each check: the share of students who pass it."""
    passed, tried = Counter[str](), Counter[str]()
    manual = {check.id for _, report in both for check in report.waiting}
    for _, report in both:
        for check in report.checks:
            if check.id in manual:
                continue
            tried[check.id] += 1
            passed[check.id] += check.outcome is Outcome.PASSED
    width = max(map(len, tried), default=0)
    return [
        f"  {check:<{width}}  {'█' * round(BAR * passed[check] / of):<{BAR}}  {passed[check]} of {of} pass"
        for check, of in tried.items()
    ]


def _by_hand(both: Sequence[tuple[Grade, Report]]) -> list[str]:
    """Return a line for each manual check, and the command for those without points."""
    asked = Counter(check.id for grade, report in both if not grade.excused for check in report.waiting)
    waiting = Counter(check for grade, _ in both for check in grade.waiting)
    given: dict[str, list[float]] = {check: [] for check in asked}
    for grade, report in both:
        for check in report.waiting if not grade.excused else ():
            if check.id not in grade.waiting:
                given[check.id].append(grade.checks[check.id])
    lines = [
        f"  {check}  {of - waiting[check]} of {of} graded by hand{_mean(given[check])}"
        for check, of in asked.items()
    ]
    remedy = ["`grade override table FILE.csv --template` writes a table for the points."]
    return [*lines, *(remedy if waiting else [])]


def _mean(given: Sequence[float]) -> str:
    return f", mean {points_text(round(statistics.fmean(given), 1))}" if given else ""


def _not_graded_yet(both: Sequence[tuple[Grade, Report]]) -> list[str]:
    """Return a note for each manual check without points, for those who write a table for a platform."""
    waiting: dict[str, list[str]] = {}
    for grade, _ in both:
        for check in grade.waiting:
            waiting.setdefault(check, []).append(grade.student)
    return [f"`{check}` has no points yet: {first_of(names, SHOWN)}" for check, names in waiting.items()]


def _mistakes(assignment: Assignment, both: Sequence[tuple[Grade, Report]]) -> list[str]:
    """Return the commonest mistakes; a student counts once for each."""
    topic = make_topic(assignment.manifest.topic, {})
    words: dict[tuple[str, ...], str] = {}
    made = Counter[tuple[str, ...]]()
    for _, report in both:
        found = {one.key: one for check in report.checks for one in findings_of(check, topic)}
        words |= {key: ": ".join([one.brief, *one.code[:1]]) for key, one in found.items()}
        made.update(found.keys())
    rows = [f"  {count:>4}  {shorten(words[key], WORDS)}" for key, count in made.most_common(COMMONEST)]
    return ["The commonest mistakes:", *rows] if rows else []
