"""`grade DAY --notebook-html`: the page with the student's notebook, and the cell that each check is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.render.notebook import Place, page_with_results
from grader.submissions.cells import read_cells
from grader.submissions.submission import definitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.render.cell import Cell
    from grader.report import CheckResult, Location, Report

_READ = re.compile(r"\bstudent\.([A-Za-z_]\w*)")


def notebook_page(assignment: Assignment, path: Path, report: Report) -> str:
    """Return the page of a report on the file at `path`.

    Raises SubmissionError if the file cannot be read, and Refused if it is another one by now or if nbconvert is
    missing.
    """
    sha256, cells = read_cells(path)
    if sha256 != report.submission.sha256:
        raise Refused(f"{path}: the file changed while it was graded; run the command again")
    return page_with_results(report, cells, places_of(report, cells, path.name, names_read(assignment)))


def names_read(assignment: Assignment) -> dict[str, set[str]]:
    """Return the names that the visible tests of each check read from a submission."""
    return {
        check: set(_READ.findall(file.read_text(encoding="utf-8")))
        for check, visibility, file in assignment.check_files()
        if visibility == "visible"
    }


def places_of(
    report: Report, cells: Sequence[Cell], file: str, names: Mapping[str, set[str]]
) -> dict[str, Place]:
    """Return the cell of each check; a check without one is left out.

    It is the cell of a location in the report, else the last one that calls `check` with the check's name, else the last
    one that defines a name which the check's tests read. `file` is the submission's name: a location may be in an
    earlier file that it continues.
    """
    code = [(index, cell) for index, cell in enumerate(cells) if cell.kind == "code"]
    numbers = {cell.number: index for index, cell in code}
    found = {}
    for check in report.checks:
        named = [where for where in _locations(check) if where.file == file and where.cell in numbers]
        if named:
            found[check.id] = Place(numbers[named[0].cell], named[0].line)
        elif (index := _last_about(check.id, code, names.get(check.id, set()))) is not None:
            found[check.id] = Place(index)
    return found


def _locations(check: CheckResult) -> Iterator[Location]:
    """Yield the locations of a check, the most exact first."""
    walks = [check.walk.where] if check.walk else []
    for where in [check.where, *(rule.where for rule in check.rules), *walks, *reversed(check.frames)]:
        if where is not None:
            yield where


def _last_about(check: str, code: Sequence[tuple[int, Cell]], names: set[str]) -> int | None:
    call = re.compile(rf"""^[^#\n]*\bcheck\(\s*["']{re.escape(check)}["']""", re.MULTILINE)
    calling = [index for index, cell in code if call.search(cell.source)]
    defining = [index for index, cell in code if names & definitions(cell.source).keys()]
    return next(reversed(calling or defining), None)
