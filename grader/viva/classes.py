"""The work of `grade viva`: the sheets of a class, and the sheet of a student at home.

The sheets of a class are a folder. Sheets that have not changed are taken from their facts:

../day2-viva/facts/ada.json   the questions and answers as facts
../day2-viva/ada.html         the sheet to print, with the examiner's page
../day2-viva/ada.md           the same as Markdown
../day2-viva/all.html         all sheets in one file, for the printer
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import secrets
from typing import TYPE_CHECKING

import msgspec

from grader import __version__
from grader.assignment import read_salt
from grader.authoring.reference import reference_blocks
from grader.console import count_noun, reporting, say
from grader.errors import Refused
from grader.files import read_plain, write_new, write_text
from grader.gradebook.grade import grades_of
from grader.gradebook.settings import from_here, read_collected_folder
from grader.gradebook.store import Store
from grader.grading.answers import read_tables
from grader.grading.grader import grade, open_grader
from grader.sandbox import Launcher
from grader.submissions.find import find_works
from grader.submissions.intake import (
    accept,
    accept_work,
    refuse_missing_imports,
    refuse_weak_isolation,
)
from grader.submissions.keys import file_names, select_students
from grader.submissions.submission import Sources, SubmissionError
from grader.submissions.work import version_of
from grader.viva.pages import sheet_html, sheet_markdown, sheets_html
from grader.viva.sheet import Sheet, make_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.grading.grader import Grader
    from grader.report import Report
    from grader.submissions.work import FoundStudent, Work

MAX_FACTS = 1 << 20  # bytes of a file with facts
SALT = "viva_salt.txt"
PRACTICE = "practice"  # the salt of practice, which is public


def run_viva(
    assignment: Assignment,
    students: Sequence[str],
    *,
    count: int,
    only: tuple[str, ...],
    results: Path,
    source: Path | None,
    output: Path | None,
    allow_weak_isolation: bool,
) -> None:
    """Write a sheet for each student with a grade of record, or for the named students. Raises Refused.

    A sheet has `count` questions of the kinds in `only`, or of all kinds if that is empty.
    """
    source = source or read_collected_folder(assignment)
    folder = output or from_here(assignment.course.root.parent / f"{assignment.name}-viva")
    with Store(results) as store:
        grades = list(grades_of(assignment, store))
        if not grades:
            raise store.no_results(assignment.name)
    reports = {grade.student: grade.report for grade in grades}
    chosen = [grade.student for grade in select_students(grades, students, results)]
    works = {one.student: one for one in find_works(assignment, source)}
    names = file_names([*reports])
    refuse_missing_imports(assignment)
    tables = read_tables(assignment.checks_folders)
    with Launcher() as launcher, open_grader(assignment, launcher, answers=tables) as grader:
        refuse_weak_isolation(
            launcher, f"{source}: this is other people's work", allowed=allow_weak_isolation
        )
        maker = _Maker(grader, folder, count=count, only=only)
        maker.refuse_nothing_to_ask()
        sheets = dict[str, Sheet]()
        with reporting(lambda: f"{assignment.name}: {len(sheets)} of {len(chosen)} sheets") as report:
            for student in chosen:
                sheets[student] = maker.sheet(
                    student, names[student], works.get(student), reports[student], source
                )
                report()
    whole = not students
    _write(assignment, folder, {names[student]: sheet for student, sheet in sheets.items()}, whole=whole)
    _say(folder, sheets, maker.asked)
    page = folder / ("all.html" if whole else f"{names[chosen[0]]}.html")
    say(f"Next: print {page}; the examiner's page follows the questions")


class _Maker:
    """Makes sheets, or takes them from the folder if nothing has changed."""

    def __init__(self, grader: Grader, folder: Path, *, count: int, only: tuple[str, ...]) -> None:
        self.assignment, self.given, self.folder = grader.assignment, grader.given_code, folder
        salt = _viva_salt(self.assignment.course)
        self.make = functools.partial(make_sheet, grader, salt=salt, count=count, only=only)
        self.depends = (__version__, salt, self.assignment.name, count, only)  # for all students
        self.asked = 0  # sheets that were made now

    def refuse_nothing_to_ask(self) -> None:
        """Raise Refused if no question can be asked about the reference; print a note if there are too few."""
        if not self.assignment.reference.is_file():
            return
        sources = Sources(reference_blocks(self.assignment), (), self.given)
        sheet = self.make(sources, student="", sha256="")
        reference = self.assignment.reference.relative_to(self.assignment.course.root).as_posix()
        if not sheet.questions:
            raise Refused(f"{reference}: {sheet.why} No sheets were made; write the questions yourself")
        if sheet.why:
            say(f"note: {reference}: {sheet.why}", err=True)

    def sheet(
        self, student: str, name: str, found: FoundStudent | None, report: Report, source: Path
    ) -> Sheet:
        """Return a student's sheet, and write its facts. Raises Refused."""
        sha256, trouble, work = report.submission.sha256, "", None
        path = self.folder / "facts" / f"{name}.json"
        try:
            work = version_of(found, sha256) if found else None
        except Refused as error:
            trouble = str(error)
        of_work = (work.data, work.earlier) if work else None
        parts = (*self.depends, student, report.grader.suite_sha256, of_work)
        key = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
        if (kept := _read_sheet(path, self.folder)) is not None and kept.key == key and not trouble:
            return kept
        sheet = self._make_sheet(student, work, report, trouble or _missing(sha256, source))
        sheet.key = key
        self.asked += 1
        facts = msgspec.json.format(msgspec.json.encode(sheet)).decode()
        write_text(path, facts, self.folder, make_folder=True)
        return sheet

    def _make_sheet(self, student: str, work: Work | None, report: Report, missing: str) -> Sheet:
        sha256, title = report.submission.sha256, self.assignment.manifest.title
        try:
            if work is None:
                raise SubmissionError(missing)
            submission = accept_work(self.assignment, work)
        except SubmissionError as error:
            return Sheet(self.assignment.name, title, student, sha256, why=str(error))
        return self.make(submission.sources(self.given), student=student, sha256=sha256, report=report)


def _missing(sha256: str, source: Path) -> str:
    """Return the reason why there is no file to ask about; an empty hash means that nothing was graded."""
    if not sha256:
        return "Nothing that could be graded was handed in."
    return f"The file that was graded is not in {source}; name its source with --source, or run `grade batch` again."


def _read_sheet(path: Path, folder: Path) -> Sheet | None:
    """Return the sheet with the facts in a file; None if the file is missing or not readable as one."""
    try:
        return msgspec.json.decode(read_plain(path, MAX_FACTS, folder)[0], type=Sheet)
    except (OSError, Refused, msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _write(assignment: Assignment, folder: Path, sheets: dict[str, Sheet], *, whole: bool) -> None:
    """Write the pages of these sheets; for a whole class, also a page of all."""
    levels = [sheet.level for sheet in sheets.values() if not sheet.why]
    among = (min(levels), max(levels)) if levels and whole else None
    for name, sheet in sheets.items():
        write_text(folder / f"{name}.html", sheet_html(sheet, among=among), folder, make_folder=True)
        write_text(folder / f"{name}.md", sheet_markdown(sheet, among=among), folder)
    if whole:
        title = f"{assignment.manifest.title}: all sheets"
        write_text(folder / "all.html", sheets_html(title, sheets.values(), among=among), folder)


def _say(folder: Path, sheets: dict[str, Sheet], asked: int) -> None:
    kept = len(sheets) - asked
    say(f"{count_noun(len(sheets), 'sheet')} in {folder}{f', {kept} as before' if kept else ''}")
    for sheet in sheets.values():
        if sheet.why:
            say(f"  {sheet.student}  {sheet.why}")


def _viva_salt(course: Course) -> str:
    """Return the salt of a course's examinations; create it if it is missing. Raises Refused."""
    path = course.root / "solutions" / SALT
    if not path.is_file():
        with contextlib.suppress(FileExistsError):
            write_new(path, f"{secrets.token_hex(32)}\n".encode(), course.root)
            say(
                f"note: created solutions/{SALT}, a secret; commit it to the private course, so that the same sheets can be printed again",
                err=True,
            )
    return read_salt(path)


# --- A student at home


def practise(
    assignment: Assignment,
    path: Path,
    output: Path | None,
    *,
    count: int,
    only: tuple[str, ...],
    allow_weak_isolation: bool,
) -> tuple[Path, Sheet]:
    """Write a page about one's own notebook, with the answers, and return its path and the sheet.

    No graded sheet has the same questions: the random numbers come from a public salt and the file, the graphs from a
    family of their own, and the lines from another half. Raises SubmissionError, Refused.
    """
    with Launcher() as launcher:
        submission = accept(assignment, path, launcher, allow_weak_isolation=allow_weak_isolation)
        report = grade(assignment, path, launcher, allow_weak_isolation=allow_weak_isolation)
        with open_grader(assignment, launcher, answers=read_tables(assignment.checks_folders)) as grader:
            sheet = make_sheet(
                grader,
                submission.sources(grader.given_code),
                student=submission.info.sha256,
                sha256=submission.info.sha256,
                salt=PRACTICE,
                report=report,
                count=count,
                only=only,
                practice=True,
            )
    page = output or assignment.course.root / "feedback" / f"{assignment.name}-viva.html"
    write_text(page, sheet_html(sheet), assignment.course.root, make_folder=output is None)
    return page, sheet
