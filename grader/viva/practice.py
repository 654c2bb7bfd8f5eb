"""`grade viva DAY --practice`: questions about one's own notebook, with the answers below them.

The numbers come from a key that everybody knows and from the file, the graphs from a family of their own, and of the lines
only some are asked about, so no graded sheet holds what stands here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.files import write_text
from grader.grading.answers import read_tables
from grader.grading.grader import grade, open_grader
from grader.sandbox import Launcher
from grader.submissions.intake import accept
from grader.viva.keys import PRACTICE
from grader.viva.pages import sheet_html
from grader.viva.sheet import make_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.viva.classes import SheetOptions
    from grader.viva.sheet import Sheet


def practise(
    assignment: Assignment,
    path: Path,
    wanted: SheetOptions,
    output: Path | None,
    *,
    allow_weak_isolation: bool,
) -> tuple[Path, Sheet]:
    """Write the page and return its path and the sheet. Raises SubmissionError, Refused."""
    with Launcher() as launcher:
        submission = accept(assignment, path, launcher, allow_weak_isolation=allow_weak_isolation)
        report = grade(assignment, path, launcher, allow_weak_isolation=allow_weak_isolation)
        with open_grader(assignment, launcher, answers=read_tables(assignment.checks_folders)) as grader:
            sheet = make_sheet(
                grader,
                submission.sources(grader.given),
                student=submission.info.sha256,
                sha256=submission.info.sha256,
                salt=PRACTICE,
                report=report,
                count=wanted.count,
                only=wanted.only,
                practice=True,
            )
    page = output or assignment.course.root / "feedback" / f"{assignment.name}-viva.html"
    write_text(page, sheet_html(sheet), assignment.course.root, make_folder=output is None)
    return page, sheet
