"""Reads the results file once, student by student, and writes all pages."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from grader.console import reporting, say
from grader.errors import Refused
from grader.files import write_text
from grader.gradebook.classpage.pages import class_page, student_page, table_pages
from grader.gradebook.grade import absent_of, graded_students, grades_of, warnings_about
from grader.gradebook.overview import not_graded
from grader.gradebook.store import Store
from grader.gradebook.survey import Survey, before, changed_checks, gradings_of, stuck
from grader.render.htmlpage import START
from grader.submissions.keys import file_names
from grader.topic import make_topic

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.grade import Grade
    from grader.report import Report


def write_class_page(assignment: Assignment, results: Path, page: Path, roster: Path | None = None) -> None:
    """Write the page of the class, and a page for each student into the folder beside it.

    The folder is named for the page: `day2-students` beside `day2.html`. With a roster, students whose work was never
    graded are listed, too. Raises Refused.
    """
    _refuse_other(page)
    with Store(results) as store:
        writer = _Writer(assignment, store, page, roster)
        with reporting(writer.line) as show:
            for grade, report in grades_of(assignment, store, roster=roster):
                writer.add(grade, report)
                show()
        writer.add_absent()
        if not writer.survey.lines:
            raise store.no_results(assignment.name)
        notes = warnings_about(assignment, store, writer.grades, roster=roster)
    writer.finish(notes)


class _Writer:
    """The pages of one class; keeps names, figures and grades, and no report."""

    def __init__(self, assignment: Assignment, store: Store, page: Path, roster: Path | None) -> None:
        self.assignment, self.store, self.page, self.roster = assignment, store, page, roster
        self.folder = page.with_name(f"{page.stem}-students")
        self.title = f"{assignment.name}: {assignment.manifest.title}"
        students = graded_students(assignment, store, roster=roster)
        pages = {student: f"{name}.html" for student, name in file_names(students).items()}
        self.survey = Survey(make_topic(assignment.manifest.topic, {}), pages)
        self.last = store.last_graded(assignment.name)
        self.run, self.survey.since = store.last_run(assignment.name)
        self.grades: list[Grade] = []

    def line(self) -> str:
        """Return the progress in a line."""
        return f"{len(self.grades)} of {len(self.survey.pages)} students"

    def add(self, grade: Grade, report: Report) -> None:
        """Count one student, and write the page."""
        survey, student = self.survey, grade.student
        self.grades.append(grade)
        survey.add(grade, report)
        gradings = gradings_of(self.store, self.assignment.name, student)
        now, was = before(gradings, grade.key)
        if now is not None:
            if now.run is not None and now.run == self.run:
                if was is None:
                    survey.new += 1
                else:
                    survey.add_moves(student, changed_checks(was, now))
            survey.stuck += [(student, one) for one in stuck(gradings, now, survey.topic)]
        html = student_page(grade, report, gradings, self.title, self.page.name)
        self._write(self.folder / survey.pages[student], html)

    def add_absent(self) -> None:
        """Count the students without a result."""
        found = absent_of(self.assignment, self.store, roster=self.roster)
        known = [*(one.student for one in self.survey.lines), *(one.student for one in found)]
        for one in [*found, *not_graded(known, self.roster)]:
            self.survey.add_absent(one)

    def finish(self, notes: list[str]) -> None:
        """Write the page of the class, and say where it is."""
        survey = self.survey
        survey.lines.sort()
        for name, html in table_pages(survey, self.title, self.page.name):
            self._write(self.folder / name, html)
        self._write(self.page, class_page(survey, self.title, self.folder.name, notes, self.last))
        count = len(survey.lines)
        say(f"{count} student{'' if count == 1 else 's'}  {self.page}, and a page for each in {self.folder}")
        for note in notes:
            say(f"note: {note}", err=True)

    def _write(self, path: Path, html: str) -> None:
        _refuse_other(path)
        write_text(path, html, self.assignment.course.root, make_folder=True)


def _refuse_other(path: Path) -> None:
    """Raise Refused if there is a file of another kind, such as the roster."""
    if not path.is_file():
        return
    with contextlib.suppress(OSError), path.open("rb") as file:  # writing names the trouble
        if file.read(len(START)) not in {START.encode(), b""}:
            raise Refused(
                f"{path}: this file is no page, so it stays as it is; name another file after --html"
            )
