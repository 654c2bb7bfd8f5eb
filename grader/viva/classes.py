"""Sheets of a class: the facts of each student first, kept in a folder, then the pages of all.

../day2-viva/facts/ada.json   the questions and answers as facts; what has not changed is not asked again
../day2-viva/ada.html         the sheet to print, with the examiner's page
../day2-viva/ada.md           the same as Markdown
../day2-viva/all.html         all sheets in one file, for the printer
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader import __version__
from grader.authoring.reference import reference_blocks
from grader.console import reporting, say
from grader.errors import Refused, nearest
from grader.files import read_plain, write_text
from grader.gradebook.grade import grades_of
from grader.gradebook.settings import from_here, read_collected_folder
from grader.gradebook.store import Store
from grader.grading.answers import read_tables
from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.submissions.find import find_works
from grader.submissions.intake import blocks_of_earlier, refuse_missing_imports, refuse_weak_isolation
from grader.submissions.keys import file_names
from grader.submissions.submission import Sources, SubmissionError, submission_from
from grader.submissions.work import version_of
from grader.viva.keys import viva_salt
from grader.viva.pages import sheet_html, sheet_markdown, sheets_html
from grader.viva.sheet import Sheet, make_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.grading.grader import Grader
    from grader.report import Report
    from grader.submissions.work import Found, Work

MAX_FACTS = 1 << 20  # bytes of a file with facts


class SheetOptions(msgspec.Struct, frozen=True):
    """What is asked for: how many questions, and of which kinds; none are all."""

    count: int
    only: tuple[str, ...]


def run_viva(
    assignment: Assignment,
    students: Sequence[str],
    wanted: SheetOptions,
    *,
    results: Path,
    source: Path | None,
    output: Path | None,
    allow_weak_isolation: bool,
) -> None:
    """Write a sheet for each student with a grade of record, or for those named. Raises Refused."""
    source = source or read_collected_folder(assignment)
    folder = output or from_here(assignment.course.root.parent / f"{assignment.name}-viva")
    with Store(results) as store:
        reports = {grade.student: grade.report for grade in grades_of(assignment, store)}
        if not reports:
            raise store.no_results(assignment.name)
    for name in students:
        if name not in reports:
            raise Refused(
                f"{name}: {results} has no result of {assignment.name} for this student{nearest(name, [*reports])}"
            )
    chosen = [student for student in reports if not students or student in students]
    works = {one.student: one for one in find_works(assignment, source)}
    names = file_names([*reports])
    refuse_missing_imports(assignment)
    tables = read_tables(assignment.checks_folders)
    with Launcher() as launcher, open_grader(assignment, launcher, answers=tables) as grader:
        if not allow_weak_isolation:
            refuse_weak_isolation(launcher, f"{source}: this is other people's work")
        maker = _Maker(grader, wanted, folder)
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
    """Makes sheets, or takes them from the folder where nothing has changed."""

    def __init__(self, grader: Grader, wanted: SheetOptions, folder: Path) -> None:
        self.assignment, self.given, self.wanted, self.folder = (
            grader.assignment,
            grader.given,
            wanted,
            folder,
        )
        self.salt = viva_salt(self.assignment.course)
        self.make = functools.partial(
            make_sheet, grader, salt=self.salt, count=wanted.count, only=wanted.only
        )
        self.asked = 0  # sheets that were made now

    def refuse_nothing_to_ask(self) -> None:
        """Raise Refused if nothing can be asked about the reference; say so if it is less than wanted."""
        if not self.assignment.reference.is_file():
            return
        sources = Sources(reference_blocks(self.assignment), (), self.given)
        sheet = self.make(sources, student="", sha256="")
        reference = self.assignment.reference.relative_to(self.assignment.course.root).as_posix()
        if not sheet.questions:
            raise Refused(f"{reference}: {sheet.why} No sheets were made; write the questions yourself")
        if sheet.why:
            say(f"note: {reference}: {sheet.why}", err=True)

    def sheet(self, student: str, name: str, found: Found | None, report: Report, source: Path) -> Sheet:
        """Return a student's sheet, and keep its facts. Raises Refused."""
        sha256, trouble, work = report.submission.sha256, "", None
        path = self.folder / "facts" / f"{name}.json"
        try:
            work = version_of(found, sha256) if found else None
        except Refused as error:
            trouble = str(error)
        key = self._key(student, report, work)
        if (kept := _kept(path, self.folder)) is not None and kept.key == key and not trouble:
            return kept
        sheet = self._made(student, work, report, trouble or _missing(sha256, source))
        sheet.key = key
        self.asked += 1
        facts = msgspec.json.format(msgspec.json.encode(sheet)).decode()
        write_text(path, facts, self.folder, make_folder=True)
        return sheet

    def _key(self, student: str, report: Report, work: Work | None) -> str:
        """Return a hash of everything that the questions depend on."""
        parts = (__version__, self.salt, self.assignment.name, student, report.grader.suite_sha256)
        of_work = (work.data, work.earlier) if work else None
        return hashlib.sha256(msgspec.json.encode([*parts, self.wanted, of_work])).hexdigest()

    def _made(self, student: str, work: Work | None, report: Report, missing: str) -> Sheet:
        sha256, title = report.submission.sha256, self.assignment.manifest.title
        try:
            if work is None:
                raise SubmissionError(missing)
            before, _ = blocks_of_earlier(work.earlier)
            submission = submission_from(Path(work.name), work.data or b"")
        except SubmissionError as error:
            return Sheet(self.assignment.name, title, student, sha256, why=str(error))
        sources = Sources([*before, *submission.blocks], submission.skipped, self.given)
        return self.make(sources, student=student, sha256=sha256, report=report)


def _missing(sha256: str, source: Path) -> str:
    """Return why there is no file to ask about; without a hash nothing was graded."""
    if not sha256:
        return "Nothing that could be graded was handed in."
    return f"The file that was graded is not in {source}; name its source with --source, or run `grade batch` again."


def _kept(path: Path, folder: Path) -> Sheet | None:
    """Return the sheet whose facts are in a file; None if it is not there or of another form."""
    try:
        return msgspec.json.decode(read_plain(path, MAX_FACTS, folder)[0], type=Sheet)
    except (OSError, Refused, msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _write(assignment: Assignment, folder: Path, sheets: dict[str, Sheet], *, whole: bool) -> None:
    """Write the pages of these sheets, and of a whole class all of them in one."""
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
    count = "1 sheet" if len(sheets) == 1 else f"{len(sheets)} sheets"
    say(f"{count} in {folder}{f', {kept} as before' if kept else ''}")
    for sheet in sheets.values():
        if sheet.why:
            say(f"  {sheet.student}  {sheet.why}")
