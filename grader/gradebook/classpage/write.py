"""Reads the results file once, student by student, and writes all pages."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from grader.console import counted, reporting, say, say_notes
from grader.errors import Refused
from grader.files import write_text
from grader.gradebook.classpage.pages import class_page, student_page, table_pages
from grader.gradebook.grade import absent_of, graded_students, grades_of, warnings_about
from grader.gradebook.gradedwork import Grade
from grader.gradebook.overview import add_others
from grader.gradebook.store import Store
from grader.gradebook.survey import Survey, gradings_of
from grader.render.htmlpage import START
from grader.submissions.keys import file_names
from grader.topic import make_topic

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment


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
        last, (run, survey.since) = store.last_graded(assignment.name), store.last_run(assignment.name)
        with reporting(lambda: f"{len(grades)} of {len(pages)} students") as show:
            for grade in grades_of(assignment, store, roster=roster):
                grades.append(grade.without_report)
                survey.add(grade)
                gradings = gradings_of(store, assignment.name, grade.student)
                survey.add_gradings(grade, gradings, run)
                html = student_page(grade, gradings, title, page.name)
                _write(folder / pages[grade.student], html, root)
                show()
        add_others(survey, absent_of(assignment, store, roster=roster), roster)
        if not survey.lines:
            raise store.no_results(assignment.name)
        notes = warnings_about(assignment, store, grades, roster=roster)
    survey.lines.sort()
    for name, html in table_pages(survey, title, page.name):
        _write(folder / name, html, root)
    _write(page, class_page(survey, title, folder.name, notes, last), root)
    say(f"{counted(len(survey.lines), 'student')}  {page}, and a page for each in {folder}")
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
