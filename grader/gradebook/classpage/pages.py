"""The pages of a class: the class itself, those that continue its table, and one for each student.

A page has no script, sends and fetches nothing. Its policy allows the styles that stand in it: those of page.css, and
one rule for each check whose mistakes can be chosen.
"""

from __future__ import annotations

import functools
import itertools
import statistics
from typing import TYPE_CHECKING

from grader.gradebook.sentences import about_work, as_graded, grade_words, nothing_there, reasons
from grader.render.html import render_html
from grader.render.htmlpage import asset, fill, html_page
from grader.report import Outcome, one_line
from grader.submissions.state_words import when
from grader.submissions.states import NOT_WORKED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.gradebook.gradedwork import GradedWork
    from grader.gradebook.survey import MistakeGroup, Past, Reason, StudentLine, Survey

MOST_LINES = 1_000  # students in one table; the others are on pages that continue it
MOST_NAMES = 200  # students of one mistake
MOST_GROUPS = 100  # mistakes that several students made
MOST_ALONE = 200  # mistakes that one student made
MOST_REASONS = 500  # students of one kind who need a look
NAME = 60  # characters of a student's name
TICKS = 6  # on an axis, at most
STYLE = "gradebook/classpage/page.css"


def class_page(survey: Survey, title: str, folder: str, notes: Sequence[str], last: str) -> str:
    """Return the page of the class.

    `title` names the assignment, `folder` is the one with the students' pages, `notes` are warnings for the
    instructor, `last` is the time of the newest grading.
    """
    groups = survey.commonest()
    chosen = [check for check in survey.checks if any(check in group.checks for group in groups)]
    places = {check: place for place, check in enumerate(survey.checks)}
    found = {outcome for check in survey.checks.values() for outcome in check.outcomes}
    total = max((check.outcomes.total() for check in survey.checks.values()), default=0)
    return html_page(
        "gradebook/classpage/class.html",
        title,
        [asset(STYLE), _style_of_choice(places[check] for check in chosen)],
        survey=survey,
        folder=f"{folder}/",
        notes=notes,
        last=last,
        most=_most(),
        mean=lambda scores: round(statistics.fmean(scores), 1),
        median=lambda scores: round(statistics.median(scores), 1),
        by_reason=_by_reason,
        bins=survey.bins(),
        full=sum(score >= survey.most for score in survey.scores),
        nothing=sum(not score for score in survey.scores),
        outcomes=[outcome for outcome in reversed(Outcome) if outcome in found],
        total=total,
        ticks=_round_numbers(total),
        commonest=functools.partial(_commonest, survey),
        chosen=chosen,
        places=places,
        shared=[group for group in groups if len(group.students) > 1],
        alone=[group for group in groups if len(group.students) == 1],
        moved=[
            c
            for c in {**survey.checks, **survey.gained, **survey.lost}
            if c in survey.gained or c in survey.lost
        ],
        stuck=sorted(survey.stuck, key=lambda pair: -pair[1].times),
        parts=_split(survey.lines),
        part_name=_part_name,
        by_points=sorted(survey.lines, key=lambda one: -1.0 if one.score is None else one.score),
    )


def _most() -> dict[str, int]:
    return {"names": MOST_NAMES, "groups": MOST_GROUPS, "alone": MOST_ALONE, "reasons": MOST_REASONS}


def _style_of_choice(places: Iterable[int]) -> str:
    """Return the style that hides the mistakes of all other checks, when one is chosen."""
    return "\n".join(
        f'#mistakes:has(option[value="{place}"]:checked) .group:not(.at{place}) {{ display: none; }}'
        for place in places
    )


def _by_reason(found: Sequence[Reason]) -> list[tuple[str, list[str]]]:
    """Return the students by their reason, the commonest first."""
    by_reason: dict[str, list[str]] = {}
    for one in found:
        by_reason.setdefault(one.why, []).append(one.student)
    return sorted(by_reason.items(), key=lambda item: -len(item[1]))


def _commonest(survey: Survey, check: str) -> MistakeGroup | None:
    """Return the commonest mistake at a check."""
    groups = (group for group in survey.groups.values() if group.checks[check])
    return max(groups, key=lambda group: group.checks[check], default=None)


def _round_numbers(most: int) -> range:
    """Return the numbers of an axis from 0 to `most`, a round step apart."""
    steps = (base * 10**power for power in itertools.count() for base in (1, 2, 5))
    return range(0, most + 1, next(step for step in steps if most // step < TICKS))


def table_pages(survey: Survey, title: str, back: str) -> list[tuple[str, str]]:
    """Return names and HTML of the pages with the table of a large class; none if the class page has it."""
    if len(survey.lines) <= MOST_LINES:
        return []
    return [
        (
            _part_name(number),
            html_page(
                "gradebook/classpage/part.html",
                f"{title}: students, part {number}",
                [asset(STYLE)],
                survey=survey,
                folder="",
                most=_most(),
                page=back,
                of=title,
                number=number,
                lines=part,
            ),
        )
        for number, part in enumerate(_split(survey.lines), start=1)
    ]


def _split(lines: Sequence[StudentLine]) -> list[Sequence[StudentLine]]:
    return [lines[start : start + MOST_LINES] for start in range(0, len(lines), MOST_LINES)]


def _part_name(number: int) -> str:
    return f"~{number}.html"


def student_page(grade: GradedWork, gradings: Sequence[Past], title: str, back: str) -> str:
    """Return a student's page: the grade of record, earlier gradings, and the report.

    `back` is the name of the class page, which is one folder above.
    """
    work = grade.work
    lines = [*reasons(grade), *about_work(grade), *work.notes]
    lines += [f"There was nothing to grade: {nothing}."] if (nothing := nothing_there(grade)) else []
    if work.moment and not isinstance(work.state, NOT_WORKED):
        lines.append(f"Handed in {when(work.moment)}.")
    lines += [f"Repository {work.repository}, commit {work.commit[:12]}."] if work.repository else []
    above = fill(
        "gradebook/classpage/student.html",
        page=back,
        title=title,
        student=grade.student,
        words=grade_words(grade),
        lines=lines,
        gradings=gradings,
    )
    own = f"{one_line(grade.student, NAME)}, {title}"
    return render_html(as_graded(grade), title=own, above=above, of_record=True)
