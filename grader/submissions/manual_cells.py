"""The cells of manual checks: a check for which nothing was written needs no instructor.

A cell with the name of a manual check among its tags is that check's cell. Nothing was written for the check if its
cells are as they were handed out, apart from whitespace at the ends of lines, and the answer cannot stand elsewhere: in
a cell of text that is new or changed, or in a new cell of code below. Nothing is known of a check whose cells are gone.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.submissions.submission import (
    SKIPPED_TAGS,
    TEXT_CELLS,
    SubmissionError,
    cell_source,
    cell_tags,
    decoded_python,
    notebook_cells,
    percent_cells,
    short_text,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from grader.assignment import Assignment


class _Cell(NamedTuple):
    """A cell that is not empty, or has tags; `text` has its pictures, too, and no whitespace at the ends of lines."""

    text: str
    is_text: bool
    tags: frozenset[str]


def manual_checks(assignment: Assignment) -> frozenset[str]:
    """Return the names of the manual checks."""
    return frozenset(name for name, spec in assignment.manifest.checks.items() if spec.manual)


def has_cells(stub: bytes, checks: Collection[str]) -> bool:
    """Return True if a notebook has a cell of one of these manual checks."""
    return bool(_own(_cells("stub.ipynb", stub), checks))


def find_unwritten(forms: Iterable[bytes], checks: Collection[str], name: str, data: bytes) -> set[str]:
    """Return the manual checks, of `checks`, for which nothing was written in a readable submission.

    `forms` are the notebooks that were handed out, `name` and `data` those of the submission.
    """
    given = [cells for form in forms if _own(cells := _cells("stub.ipynb", form), checks)]
    found = _cells(name, data) if given else []
    return {check for cells in given for check in _unchanged(cells, found, checks)}


def _unchanged(given: Sequence[_Cell], found: Sequence[_Cell], checks: Collection[str]) -> set[str]:
    if _other_texts(found, checks) - _other_texts(given, checks):
        return set()
    before, now = _own(given, checks), _own(found, checks)
    return {check for check in before if now.get(check) == before[check]}


def _other_texts(cells: Iterable[_Cell], checks: Collection[str]) -> Counter[str]:
    """Count the texts of the cells of text that are no manual check's."""
    return Counter(cell.text for cell in cells if cell.is_text and not _checks_of(cell, checks))


def _own(cells: Sequence[_Cell], checks: Collection[str]) -> Mapping[str, Counter[tuple[str, int]]]:
    """Count each check's cells by their text and the number of cells of code below them, up to the next other cell."""
    own: dict[str, Counter[tuple[str, int]]] = {}
    below = 0
    for cell in reversed(cells):
        mine = _checks_of(cell, checks)
        for check in mine:
            own.setdefault(check, Counter())[cell.text, below] += 1
        below = 0 if mine or cell.is_text else below + 1
    return own


def _checks_of(cell: _Cell, checks: Collection[str]) -> set[str]:
    return ({*checks} & cell.tags) - SKIPPED_TAGS


# --- Files


def _cells(name: str, data: bytes) -> list[_Cell]:
    """Return the cells of a file; none if it cannot be read."""
    try:
        found = _python_cells(Path(name), data) if name.endswith(".py") else _notebook_cells(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError, SubmissionError):
        return []
    return [cell for cell in found if cell.text or cell.tags]


def _python_cells(path: Path, data: bytes) -> list[_Cell]:
    return [
        _Cell(_trimmed(cell.text), not cell.is_code, frozenset(cell.tags))
        for cell in percent_cells(path, decoded_python(path, data))
    ]


def _notebook_cells(data: bytes) -> list[_Cell]:
    return [
        _Cell(
            _trimmed(cell_source(cell.source)) + cell.pictures.decode(),
            short_text(cell.cell_type) in TEXT_CELLS,
            frozenset(cell_tags(cell)),
        )
        for cell in notebook_cells(data)
    ]


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")
