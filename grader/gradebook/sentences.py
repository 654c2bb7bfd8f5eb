"""The grade of record in sentences: above the student's report, and in the instructor's table."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.gradebook.gradedwork import GradedWork
from grader.render import escape_markdown
from grader.render.html import render_html
from grader.render.htmlpage import fill
from grader.render.markdown import render_markdown
from grader.render.words import points_text
from grader.report import MAX_FIELD, MAX_TEXT, Outcome, quote, sanitize
from grader.submissions.state_words import (
    later_words,
    not_taken_words,
    reason_for_student,
    state_brief,
    untouched_words,
    when,
    why_no_result,
)
from grader.submissions.states import NO_RESULT, NOT_WORKED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.gradebook.gradedwork import ChangedPoints, Grade
    from grader.gradebook.in_force import Override
    from grader.report import Report


QUESTION = "question"  # the label of a question about a grade; GitHub creates it in each new repository
ASK_BELOW = (
    f"If you think that the grade is wrong, write why below and set the label `{QUESTION}`: your "
    "instructor can list all questions."
)


def grade_markdown(grade: GradedWork, *, limit: int, ask: str = ASK_BELOW) -> str:
    """Return the text for a student: the grade, the reasons for it, then the report; at most `limit` bytes.

    `ask` says how to ask about the grade.
    """
    title = f"# {escape_markdown(_title(grade))}"
    *heads, shortest = _heads(title, _lines_above(grade), ask)
    head = next((head for head in heads if len(head.encode()) <= limit // 2), shortest)
    if nothing_there(grade):
        return f"{head}\n"
    head += "\n\n"
    return head + render_markdown(as_graded(grade), limit=limit - len(head.encode()), of_record=True)


def grade_html(grade: GradedWork, *, ask: str, more: str = "") -> str:
    """Return a page for a student with the parts of `grade_markdown`; `more` is HTML below the reasons."""
    lines = _lines_above(grade)
    above = fill("gradebook/above.html", title=_title(grade), lines=lines, ask=ask, more=more)
    return render_html(as_graded(grade), above=above, of_record=True)


def _lines_above(grade: GradedWork) -> list[str]:
    """Return the sentences between the grade and the report."""
    when_is_known = not nothing_there(grade) or grade.work.submitted
    lines = [line for line in reasons(grade) if when_is_known or line != late_words(grade)]
    lines += [*_work_sentences(grade), *about_work(grade)]
    return [*lines, *_provisional(grade)]


def _heads(title: str, parts: Sequence[str], ask: str) -> Iterator[str]:
    """Yield the text above the report, with shorter lines each time: many long comments may not fit."""
    for longest in (MAX_FIELD, MAX_TEXT, MAX_TEXT // 4, MAX_TEXT // 10, 0):
        lines = [f"- {escape_markdown(sanitize(line, longest))}" for line in parts if longest]
        yield "\n\n".join(filter(None, [title, "\n".join(lines), ask]))


def as_graded(grade: GradedWork) -> Report:
    """Return the report with the points that count, without the manual checks that `reasons` names."""
    named = {*grade.unwritten, *(change.check for change in grade.changed if change.most is not None)}
    open_ = [
        msgspec.structs.replace(c, score=grade.checks.get(c.id, c.score))
        for c in grade.report.checks
        if c.id not in named and (c.outcome is not Outcome.MANUAL or c.id in grade.waiting)
    ]
    return msgspec.structs.replace(grade.report, checks=open_)


def _title(grade: GradedWork) -> str:
    kind = "provisional grade" if is_provisional(grade) else "grade"
    return f"Your {kind} for {grade.report.assignment.id}: {grade_words(grade)}"


def grade_words(grade: Grade) -> str:
    """Return the grade in a few words."""
    if grade.excused is not None:
        return "excused"
    if grade.score is None:
        return "no score yet, because a check is ungradable"
    still = sum(grade.waiting.values())
    waiting = f", {points_text(round(still, 2))} not graded yet" if grade.waiting else ""
    return f"{points_text(grade.score)} of {points_text(grade.max_score)} points{waiting}"


def is_provisional(grade: Grade) -> bool:
    """Return True if the grade may still change: by later work, or by points of a manual check."""
    return work_counts(grade) or bool(grade.waiting)


def work_counts(grade: Grade) -> bool:
    """Return True while later work may change the grade; an excuse is final at once."""
    return grade.provisional and grade.excused is None


def _provisional(grade: Grade) -> list[str]:
    if not work_counts(grade):
        return []
    if grade.final_from is None:
        return ["This grade is provisional: your instructor says when it is final."]
    verb = "push" if grade.work.repository else "hand in"
    late = ""
    if grade.late is not None and grade.late_from is not None and grade.late_from < grade.final_from:
        late = f"; after {when(grade.late.due)} it is late"
    end = when(grade.final_from)
    return [f"This grade is provisional: work that you {verb} by {end} still counts{late}."]


def reasons(grade: Grade) -> list[str]:
    """Return the reasons why the grade differs from the points of the checks, and the comments: a sentence each."""
    comments = [f"Comment on `{c.check}`: {c.why} ({_by(c)})" for c in grade.comments]
    if grade.excused is not None:
        excuse = f"You are excused from this assignment: {grade.excused.why} ({_who(grade.excused.who)})"
        return [excuse, *comments]
    parts = [
        _change(change)
        for change in grade.changed
        if not (change.override.kind == "void" and change.was == change.now)
    ]
    late = late_words(grade)
    if parts or grade.penalty:
        most, sum_ = points_text(grade.max_score), grade.before_penalty
        with_these = (
            f"; with the points below, the sum is {points_text(sum_)} of {most}"
            if parts and sum_ is not None
            else ""
        )
        parts.insert(0, f"The checks gave {_sum(grade)}{with_these}.")
    waiting = ", ".join(f"`{check}`" for check in grade.waiting)
    up_to = points_text(round(sum(grade.waiting.values()), 2))
    return [
        *parts,
        *comments,
        *([f"Not graded yet: {waiting}, up to {up_to} points."] if waiting else []),
        *[
            f"You wrote nothing for `{check}`: its cell is unchanged, so you have 0 of {points_text(most)} points."
            for check, most in grade.unwritten.items()
        ],
        *([late] if late else []),
        *_of_two(grade),
    ]


def _of_two(grade: Grade) -> list[str]:
    """Return a sentence with the version that counts, and the points of the other one."""
    if grade.other is None:
        return []
    late, score = grade.other.late, points_text(grade.other.score)
    came = when(late.submitted) if late.submitted else "an unknown time"
    if late.days:
        days = _days(late.days)
        return [
            f"Your work that was on time counts. Your late work ({came}, {days} late) would give {score} points."
        ]
    return [f"Your late work counts. Your work that was on time ({came}) would give {score} points."]


def version_words(grade: Grade) -> str:
    """Return for the instructor which version counts and the points of the other; "" if there is only one."""
    if grade.other is None:
        return ""
    score = points_text(grade.other.score)
    if grade.other.late.days:
        return f"the work on time counts; the late work would give {score}"
    return f"the late work counts; the work on time would give {score}"


def remarks(grade: GradedWork) -> list[str]:
    """Return short remarks for the instructor next to a student's points."""
    if grade.excused is not None:
        return [grade_words(grade)]
    nothing, late = nothing_there(grade), ""
    if grade.late and grade.late.days:
        late = f"{grade.late.days} d late" + (f", -{points_text(grade.penalty)}" if grade.penalty else "")
    elif grade.late and late_words(grade) and not grade.late.verified and not nothing:
        late = "time not verified"
    by_hand = [change for change in grade.changed if change.override.kind == "points" and change.most is None]
    parts = [
        grade_words(grade) if grade.score is None else "",
        *(f"{change.check} overridden" for change in by_hand),
        f"{', '.join(grade.waiting)} not graded yet" if grade.waiting else "",
        late,
        *state_brief(grade.work.state, grade.work.later),
        version_words(grade),
        f"nothing to grade: {nothing}" if nothing else "",
    ]
    return [*filter(None, parts)]


def _days(days: int) -> str:
    return "a day" if days == 1 else f"{days} days"


def _work_sentences(grade: GradedWork) -> list[str]:
    """Return a sentence about the graded work, or the reason why there was none."""
    work = grade.work
    if why := nothing_there(grade):
        why = reason_for_student(work.state, counts=work_counts(grade)) or why
        return [
            f"There was nothing to grade{f' in commit `{work.commit[:12]}`' if work.commit else ''}: {why}."
        ]
    if not work.commit:
        return []
    pushed = ""
    if work.verified and work.submitted and not isinstance(work.state, NOT_WORKED):
        pushed = f", pushed {when(dt.datetime.fromisoformat(work.submitted))}"
    return [f"The graded file is {quote(work.name, MAX_FIELD)} in commit `{work.commit[:12]}`{pushed}."]


def about_work(grade: Grade) -> list[str]:
    """Return sentences about an unchanged notebook, a push that came too late, and pushes of other people."""
    if grade.excused is not None:
        return []
    later = later_words(grade.work.later, grade.work.state) if grade.work.later else ""
    others = map(not_taken_words, grade.work.not_taken)
    return list(filter(None, [untouched_words(grade.work.state), later, *others]))


def nothing_there(grade: GradedWork) -> str:
    """Return the reason why there was nothing to grade, or ""."""
    return grade.report.unread.rstrip(".")


def why_absent(grade: Grade) -> str:
    """Return the reason why a student has no result; "" with a result or an excuse."""
    has_result = isinstance(grade, GradedWork) or grade.excused is not None
    return "" if has_result else why_no_result(grade.work.state)


def absent_words(grade: Grade) -> str:
    """Return a line about a student without a result, for the instructor."""
    if grade.excused is not None:
        return f"{grade.student}  excused: {grade.excused.why}"
    return f"{grade.student}  no result: {why_absent(grade)}"


def late_words(grade: Grade) -> str:
    """Return lateness as a sentence; "" without work or due date, and for work on time with a verified time."""
    late = grade.late
    if late is None or (late.submitted is None and isinstance(grade.work.state, (*NO_RESULT, *UNKNOWN))):
        return ""
    extended = f": {late.extended}" if late.extended else ""
    extended = f" The due date was extended{extended}." if late.is_extended else ""
    if late.submitted is None:
        return f"Due {when(late.due)}; the time of handing in is unknown.{extended}"
    doubt = " (the commit's own date, which was not verified)" if grade.work.commit else " (not verified)"
    came = f"{when(late.submitted)}{'' if grade.work.verified else doubt}"
    if late.days == 0:
        return f"Handed in on time, {came}.{extended}" if extended or not late.verified else ""
    cost = f" That costs {points_text(grade.penalty)} points." if grade.penalty else ""
    return f"Due {when(late.due)}, handed in {came}: {_days(late.days)} late.{cost}{extended}"


def _sum(grade: Grade) -> str:
    was = {change.check: change.was for change in grade.changed}
    if None in was.values():
        return "no score"
    total = sum(was.get(check, now) or 0.0 for check, now in grade.checks.items())
    return f"{points_text(round(total, 2))} points"


def _change(change: ChangedPoints) -> str:
    was = "instead of no score" if change.was is None else f"instead of {points_text(change.was)}"
    what = f"`{change.check}` counts {points_text(change.now)} points {was}"
    if change.override.kind == "void":
        what = f"{what}, because the check is void for everybody who handed in work"
    elif change.most is not None:
        what = f"`{change.check}` has {points_text(change.now)} of {points_text(change.most)} points"
    return f"{what}: {change.override.why} ({_by(change.override)})"


def _by(override: Override) -> str:
    return f"{_who(override.who)}, {override.at[:10]}"


def _who(text: str) -> str:
    """Return the name without the email address: a student need not see it."""
    return text.partition(" <")[0]
