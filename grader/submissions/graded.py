"""The part of a file that is graded, by which a later push is known to change nothing.

These are the blocks that would be executed, byte for byte. So outputs, execution counts, text and metadata are no
work: a student who runs a finished notebook once more hands in nothing new. Where the manifest has manual checks, an
instructor may judge an answer in words, a cell that grading leaves out, or a picture in a text cell: then these count
too. Outputs never do, because running the notebook makes them again.
"""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.submissions.manual_cells import manual_checks
from grader.submissions.submission import SubmissionError, cell_source, submission_from

if TYPE_CHECKING:
    from grader.assignment import Assignment


class _Cell(msgspec.Struct, gc=False):
    cell_type: str
    source: msgspec.Raw = msgspec.Raw(b'""')
    attachments: msgspec.Raw = msgspec.Raw(b"{}")  # pictures that were pasted into a text cell


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


_NOTEBOOK = msgspec.json.Decoder(_Notebook)  # made in one thread, like those of submission.py


def judges_text(assignment: Assignment) -> bool:
    """Return True if a manual check may judge text."""
    return bool(manual_checks(assignment))


def code_of(name: str, data: bytes) -> str:
    """Return the SHA-256 of the blocks of a file that would be executed, in order, byte for byte.

    Empty lines at the end of a block do not count: a .py file has them between cells. A file that cannot be read has
    no code, so its bytes stand in.
    """
    path = Path(name)
    try:
        blocks = submission_from(path.with_suffix(path.suffix.lower()), data).blocks
    except SubmissionError:
        return hashlib.sha256(b"bytes\0" + data).hexdigest()
    digest = hashlib.sha256()
    for block in blocks:
        source = block.source.rstrip("\n").encode(errors="surrogatepass")
        digest.update(b"%d\0%b" % (len(source), source))
    return digest.hexdigest()


def graded_part(name: str, data: bytes, *, text: bool) -> str:
    """Return the SHA-256 of the part of a file that is graded, in hexadecimal digits.

    With `text` it covers the sources of all cells and the pictures in them; of a .py file everything. A file that
    cannot be read is known by its bytes.
    """
    code = code_of(name, data)
    if not text:
        return code
    try:
        words = [data] if name.endswith(".py") else _texts(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return code
    digest = hashlib.sha256(code.encode())
    for word in words:
        digest.update(b"%d\0%b" % (len(word), word))
    return digest.hexdigest()


def _texts(data: bytes) -> list[bytes]:
    """Return the type, the source and the pictures of each cell that has any. Raises msgspec.DecodeError."""
    cells = [
        (cell.cell_type, cell_source(cell.source).rstrip("\n"), bytes(cell.attachments))
        for cell in _NOTEBOOK.decode(data.removeprefix(codecs.BOM_UTF8)).cells
    ]
    return [
        part
        for kind, source, pictures in cells
        if source.strip() or pictures != b"{}"
        for part in (kind.encode(), source.encode(errors="surrogatepass"), pictures)
    ]
