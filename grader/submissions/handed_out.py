"""The part of a file that is graded, and the notebooks that students got, known by that part.

The graded part are the blocks that would be executed, byte for byte. So outputs, execution counts, text and metadata are
no work: a notebook that Jupyter opened and saved is still untouched, and a student who runs a finished notebook once more
hands in nothing new. Where the manifest has manual checks, an instructor may judge an answer in words, a cell that grading
leaves out, or a picture in a text cell: then these count too. Outputs never do, because running the notebook makes them
again.

`grade release` adds the part of each notebook that it writes to solutions/DAY/handed_out.json, and the results file keeps
what was known when a class was graded: a notebook of an earlier release stays untouched when the course has another one.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from grader.errors import Refused, reason_of
from grader.files import write_bytes
from grader.submissions.manual_cells import manual_checks
from grader.submissions.submission import (
    SubmissionError,
    cell_source,
    notebook_cells,
    short_text,
    submission_from,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from grader.assignment import Assignment

T = TypeVar("T")
FILE = "handed_out.json"  # in solutions/DAY
_LINK = re.compile(rb"\[([^\[\]\n\"]*)\]\(\.\./([^/()\s\"]+)/[^()\s\"]*\)")


def judges_text(assignment: Assignment) -> bool:
    """Return True if a manual check may judge text."""
    return bool(manual_checks(assignment))


def graded_part(name: str, data: bytes, *, text: bool) -> str:
    """Return the SHA-256 of the part of a file that is graded, in hexadecimal digits.

    It covers the blocks that would be executed, in order, without empty lines at the end of a block: a .py file has
    them between cells. With `text` it also covers the sources of all cells and the pictures in them; of a .py file
    everything. A file that cannot be read is known by its bytes.
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
    """Return True if the graded part of a file is one of the `parts` that were handed out."""
    return graded_part(name, data, text=text) in parts


def without_dead_links(data: bytes, absent: Collection[str]) -> bytes:
    """Make links to the assignments in `absent` plain text, in the bytes of a lesson or a notebook."""
    return _LINK.sub(lambda m: m[1] if m[2].decode(errors="replace") in absent else m[0], data)


def handed_out(assignment: Assignment) -> frozenset[str]:
    """Return the graded part of each notebook of an assignment that was handed out, as far as the course knows.

    These are the notebook of today, released alone or with all others, and those that earlier releases wrote. Raises
    Refused for a damaged record.
    """
    forms = {_part(assignment, data) for data in forms_of(assignment)}
    return frozenset(forms.union(read_record(assignment, FILE, str)))


def forms_of(assignment: Assignment) -> list[bytes]:
    """Return the notebook of today as releases write it, with all other assignments or alone; empty without one."""
    if not assignment.pristine.is_file():
        return []
    data = assignment.pristine.read_bytes()
    return [data, without_dead_links(data, {*assignment.course.names} - {assignment.name})]


def record(assignment: Assignment, data: bytes) -> None:
    """Add a notebook that a release writes to the record of the assignment. Raises Refused."""
    add_to_record(assignment, FILE, _part(assignment, data), str)


def _part(assignment: Assignment, data: bytes) -> str:
    return graded_part(assignment.stub.name, data, text=judges_text(assignment))


# --- What `grade release` notes in solutions/DAY


def add_to_record(assignment: Assignment, file: str, entry: T, kind: type[T]) -> None:
    """Add an entry to a record, unless it is in it or the course has no solutions. Raises Refused."""
    known = read_record(assignment, file, kind)
    if entry not in known and assignment.solutions.is_dir():
        written = msgspec.json.format(msgspec.json.encode([*known, entry]), indent=1) + b"\n"
        write_bytes(assignment.solutions / file, written, assignment.course.root)


def read_record(assignment: Assignment, file: str, kind: type[T]) -> list[T]:
    """Return the entries of a record, the oldest first; none without a file. Raises Refused for a damaged one."""
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
