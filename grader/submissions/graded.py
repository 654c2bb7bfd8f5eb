"""The part of a file that is graded, by which a later push is known to change nothing.

These are the blocks that would be executed, byte for byte. So outputs, execution counts, text and metadata are no
work: a student who runs a finished notebook once more hands in nothing new. Where the manifest has manual checks, an
instructor may judge an answer in words, a cell that grading leaves out, or a picture in a text cell: then these count
too. Outputs never do, because running the notebook makes them again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.submissions.manual_cells import manual_checks
from grader.submissions.submission import (
    SubmissionError,
    cell_source,
    notebook_cells,
    short_text,
    submission_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.assignment import Assignment


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
