"""The pages of a class: one of the class, and one for each student.

A page has no script and fetches nothing. Its policy allows only its own styles: those of page.css, and one for each check
whose mistakes can be chosen.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import statistics
from typing import TYPE_CHECKING

from grader.console import count_noun, reporting, say, say_notes
from grader.errors import Refused
from grader.files import write_text
from grader.gradebook.grade import absent_of, graded_students, grades_of, warnings_about
from grader.gradebook.gradedwork import Grade
from grader.gradebook.overview import add_others
from grader.gradebook.sentences import about_work, as_graded, grade_words, nothing_there, reasons
from grader.gradebook.store import Store
from grader.gradebook.survey import Survey, gradings_of
from grader.render.html import render_html
from grader.render.htmlpage import START, asset, fill, html_page
from grader.report import Outcome, one_line
from grader.submissions.keys import file_names
from grader.submissions.state_words import when
from grader.submissions.states import NOT_WORKED
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.gradedwork import GradedWork
    from grader.gradebook.survey import MistakeGroup, Past, Reason

MOST = {
    "names": 200,  # students of one mistake
    "groups": 100,  # mistakes that several students made
    "alone": 200,  # mistakes that one student made
    "reasons": 500,  # students with one kind of reason
}
NAME = 60  # characters of a student's name
TICKS = 6  # on an axis, at most
STYLE = "gradebook/classpage/page.css"
# Hides the mistakes of all other checks when one is chosen.
_CHOICE = '#mistakes:has(option[value="{0}"]:checked) .group:not(.at{0}) {{ display: none; }}'


def write_class_page(assignment: Assignment, results: Path, page: Path, roster: Path | None = None) -> None:
    """Write the page of the class, and a page for each student into the folder beside it.

    The folder is named for the page: `day2-students` beside `day2.html`. With a roster, students whose work was never
    graded are listed, too. Raises Refused.
    """
    _refuse_other(page)
    folder, title = page.with_name(f"{page.stem}-students"), f"{assignment.name}: {assignment.manifest.title}"
    root, grades = assignment.course.root, list[Grade]()
    with Store(results) as store:
        names = file_names(graded_students(assignment, store, roster=roster))
        pages = {student: f"{name}.html" for student, name in names.items()}
        survey = Survey(make_topic(assignment.manifest.topic, {}), pages)
        last = store.last_graded(assignment.name)
        with reporting(lambda: f"{len(grades)} of {len(pages)} students") as show:
            for grade in grades_of(assignment, store, roster=roster):
                grades.append(grade.without_report)
                survey.add(grade)
                gradings = gradings_of(store, assignment.name, grade.student)
                survey.add_gradings(grade, gradings)
                html = student_page(grade, gradings, title, page.name)
                _write(folder / pages[grade.student], html, root)
                show()
        add_others(survey, absent_of(assignment, store, roster=roster), roster)
        if not survey.lines:
            raise store.no_results(assignment.name)
        notes = warnings_about(assignment, store, grades, roster=roster)
    survey.lines.sort()
    _write(page, class_page(survey, title, folder.name, notes, last), root)
    say(f"{count_noun(len(survey.lines), 'student')}  {page}, and a page for each in {folder}")
    say_notes(notes)


def _write(path: Path, html: str, root: Path) -> None:
    _refuse_other(path)
    write_text(path, html, root, make_folder=True)


def _refuse_other(path: Path) -> None:
    """Raise Refused if there is a file of another kind, such as the roster."""
    if not path.is_file():
        return
    with contextlib.suppress(OSError), path.open("rb") as file:  # writing names the trouble
        if file.read(len(START)) not in {START.encode(), b""}:
            raise Refused(
                f"{path}: this file is not a page, so it was not replaced; name another file after --html"
            )


# --- The pages


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
        [asset(STYLE), "\n".join(_CHOICE.format(places[check]) for check in chosen)],
        survey=survey,
        folder=f"{folder}/",
        notes=notes,
        last=last,
        most=MOST,
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
        stuck=sorted(survey.stuck, key=lambda pair: -pair[1].times),
        by_points=sorted(survey.lines, key=lambda one: -1.0 if one.score is None else one.score),
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
