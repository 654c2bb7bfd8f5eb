"""The graded part of a file, and the notebooks that students got, identified by that part.

The graded part is the blocks that would be executed, byte for byte. Outputs, execution counts, text and metadata do not
belong to it: a notebook that Jupyter only opened and saved is untouched, and a finished notebook that was run again is
the same work. With manual checks in the manifest, an instructor may judge an answer in words, a left-out cell or a
picture in a text cell, so these belong to it, too. Outputs never do, because running the notebook makes them again.

`grade release` adds the graded part of each notebook that it writes to solutions/DAY/handed_out.json, and the results
file keeps the parts that were known when a class was graded: so a notebook of an earlier release still counts as
untouched when the course has a new one.

A cell with the name of a manual check among its tags belongs to that check. A check needs no instructor if nothing was
written for it: its cells are unchanged, apart from whitespace at the ends of lines, and the answer cannot be elsewhere,
in a new or changed cell of text or in a new code cell below. If its cells are gone, nothing is known.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from grader.errors import Refused, reason_of
from grader.files import write_bytes
from grader.submissions.notebook import cell_source, cell_tags, notebook_cells, short_text
from grader.submissions.submission import (
    SKIPPED_TAGS,
    TEXT_CELLS,
    SubmissionError,
    decoded_python,
    percent_cells,
    submission_from,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from grader.assignment import Assignment

T = TypeVar("T")
FILE = "handed_out.json"  # in solutions/DAY
_LINK = re.compile(rb"\[([^\[\]\n\"]*)\]\(\.\./([^/()\s\"]+)/[^()\s\"]*\)")


def manual_checks(assignment: Assignment) -> frozenset[str]:
    """Return the names of the manual checks."""
    return frozenset(name for name, spec in assignment.manifest.checks.items() if spec.manual)


def judges_text(assignment: Assignment) -> bool:
    """Return True if a manual check may judge text."""
    return bool(manual_checks(assignment))


def graded_part(name: str, data: bytes, *, text: bool) -> str:
    """Return the SHA-256 of the graded part of a file, in hexadecimal digits.

    It covers the blocks that would be executed, in order, without empty lines at the end of a block: a .py file has
    them between cells. With `text`, it also covers the sources of all cells and their pictures, or a whole .py file. For
    an unreadable file, it covers the bytes.
    """
    path = Path(name)
    path = path.with_suffix(path.suffix.lower())
    try:
        blocks = submission_from(path, data).blocks
    except SubmissionError:
        return hashlib.sha256(b"bytes\0" + data).hexdigest()
    code = _hash_of(block.source.rstrip("\n").encode(errors="surrogatepass") for block in blocks)
    if not text:
        return code
    try:
        return _hash_of([data] if path.suffix == ".py" else _texts(data), code)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return code


def _hash_of(parts: Iterable[bytes], before: str = "") -> str:
    digest = hashlib.sha256(before.encode())
    for part in parts:
        digest.update(b"%d\0%b" % (len(part), part))
    return digest.hexdigest()


def _texts(data: bytes) -> list[bytes]:
    """Return the type, the source and the pictures of each cell that has any. Raises msgspec.DecodeError."""
    cells = [
        (short_text(cell.cell_type) or "", cell_source(cell.source).rstrip("\n"), bytes(cell.attachments))
        for cell in notebook_cells(data)
    ]
    return [
        part
        for kind, source, pictures in cells
        if source.strip() or pictures != b"{}"
        for part in (kind.encode(), source.encode(errors="surrogatepass"), pictures)
    ]


# --- The notebooks that students got


def is_untouched(name: str, data: bytes, parts: Collection[str], *, text: bool) -> bool:
    """Return True if the graded part of a file is one of `parts`, the parts of notebooks that students got."""
    return graded_part(name, data, text=text) in parts


def without_dead_links(data: bytes, absent: Collection[str]) -> bytes:
    """Return the bytes of a lesson or a notebook with links to the `absent` assignments turned into plain text."""
    return _LINK.sub(lambda m: m[1] if m[2].decode(errors="replace") in absent else m[0], data)


def handed_out(assignment: Assignment) -> frozenset[str]:
    """Return the graded parts of all known notebooks of an assignment that students got.

    These are the current notebook, released alone or with all others, and the notebooks of earlier releases. Raises
    Refused for a damaged record.
    """
    forms = {_part(assignment, data) for data in forms_of(assignment)}
    return frozenset(forms.union(read_record(assignment, FILE, str)))


def forms_of(assignment: Assignment) -> list[bytes]:
    """Return the current notebook as releases write it: with all other assignments and alone; [] without one."""
    if not assignment.pristine.is_file():
        return []
    data = assignment.pristine.read_bytes()
    return [data, without_dead_links(data, {*assignment.course.names} - {assignment.name})]


def record(assignment: Assignment, data: bytes) -> None:
    """Add a notebook that a release writes to the assignment's record. Raises Refused."""
    add_to_record(assignment, FILE, _part(assignment, data), str)


def _part(assignment: Assignment, data: bytes) -> str:
    return graded_part(assignment.stub.name, data, text=judges_text(assignment))


# --- Records of `grade release` in solutions/DAY


def add_to_record(assignment: Assignment, file: str, entry: T, kind: type[T]) -> None:
    """Add an entry to a record, unless it is there already or the course has no solutions. Raises Refused."""
    known = read_record(assignment, file, kind)
    if entry not in known and assignment.solutions.is_dir():
        written = msgspec.json.format(msgspec.json.encode([*known, entry]), indent=1) + b"\n"
        write_bytes(assignment.solutions / file, written, assignment.course.root)


def read_record(assignment: Assignment, file: str, kind: type[T]) -> list[T]:
    """Return the entries of a record, the oldest first; none without a file. Raises Refused for a damaged file."""
    path = assignment.solutions / file
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[kind])  # type: ignore[valid-type]
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"{path}: the record of what was handed out cannot be read ({why}); restore it"
        ) from error


# --- The cells of manual checks


class _Cell(NamedTuple):
    """A cell that is not empty, or has tags; `text` has its pictures, too, and no whitespace at the ends of lines."""

    text: str
    is_text: bool
    tags: frozenset[str]


def has_cells(stub: bytes, checks: Collection[str]) -> bool:
    """Return True if a notebook has a cell of one of these manual checks."""
    return bool(_own(_cells("stub.ipynb", stub), checks))


def find_unwritten(forms: Iterable[bytes], checks: Collection[str], name: str, data: bytes) -> set[str]:
    """Return the manual checks, of `checks`, for which nothing was written in a readable submission.

    `forms` are the notebooks that were handed out, `name` and `data` those of the submission.
    """
    given = [cells for form in forms if _own(cells := _cells("stub.ipynb", form), checks)]
    found = _cells(name, data) if given else []
    return {check for cells in given for check in _find_unchanged(cells, found, checks)}


def _find_unchanged(given: Sequence[_Cell], found: Sequence[_Cell], checks: Collection[str]) -> set[str]:
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


def _cells(name: str, data: bytes) -> list[_Cell]:
    """Return the cells of a file; none if it cannot be read."""
    try:
        found = _python_cells(Path(name), data) if name.endswith(".py") else _notebook_cells(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError, SubmissionError):
        return []
    return [cell for cell in found if cell.text or cell.tags]


def _python_cells(path: Path, data: bytes) -> list[_Cell]:
    return [
        _Cell(_trim(cell.text), not cell.is_code, frozenset(cell.tags))
        for cell in percent_cells(path, decoded_python(path, data))
    ]


def _notebook_cells(data: bytes) -> list[_Cell]:
    return [
        _Cell(
            _trim(cell_source(cell.source)) + cell.pictures.decode(),
            short_text(cell.cell_type) in TEXT_CELLS,
            frozenset(cell_tags(cell)),
        )
        for cell in notebook_cells(data)
    ]


def _trim(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")
