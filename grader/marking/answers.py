"""A student's answer to a manual check: its cells, with pictures and outputs, as handed in.

These are the cells with the check's tag, new code cells right below such a cell, and all text cells that are new or
changed, because they may hold the answer. If no cell has the tag, the answer is all new or changed cells.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import io
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused
from grader.submissions.notebook import cell_source, cell_tags, notebook_cells, short_text
from grader.submissions.submission import SubmissionError, decoded_python, percent_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from grader.submissions.notebook import RawCell
    from grader.submissions.work import Work

LARGEST = 8 << 20  # bytes of a file
MOST_PIXELS = 16_000_000
MOST_SCANS = 100  # of a JPEG: each is a pass over all its pixels, and a program writes about ten
SIDE = 1_600  # pixels of the longer side on the page
MOST_OUTPUTS = 20  # of a cell, and pictures pasted into one
MOST_PASTED = 12 << 20  # bytes of all pictures that are pasted into one cell
LONGEST_OUTPUT = 20_000  # characters
MOST_WORDS = 400  # of an answer that are compared
_WORD = re.compile(r"\w+|[^\w\s.,;:!?'\"]")
_NOTHING = msgspec.Raw(b'""')


class CellOutput(msgspec.Struct, frozen=True, dict=True):
    """Printed text, or the bytes of a picture in the student's file."""

    text: str = ""
    picture: bytes = b""

    @functools.cached_property
    def name(self) -> str:
        """The name of the picture; empty for text."""
        return hashlib.sha256(self.picture).hexdigest()[:24] if self.picture else ""


class AnswerCell(msgspec.Struct, frozen=True):
    """A cell of code or text. Its number counts from 1; 0 is the part above the first `# %%` of a .py file."""

    number: int
    is_code: bool
    source: str
    tags: frozenset[str] = frozenset()
    outputs: tuple[CellOutput, ...] = ()

    @property
    def text(self) -> str:
        """The source to compare: without white space in text, without blank lines and trailing spaces in code."""
        if not self.is_code:
            return " ".join(self.source.split())
        return "\n".join(line.rstrip() for line in self.source.split("\n") if line.strip())


class ManualAnswer(msgspec.Struct, frozen=True, dict=True):
    """A student's answer to a check; `read` reads its work again, and may raise Refused.

    `given` are the lines that were handed out.
    """

    student: str
    check: str
    parts: tuple[AnswerCell, ...]
    read: Callable[[], Work]
    given: Collection[str] = ()

    @functools.cached_property
    def sha256(self) -> str:
        """The hash of everything that a marker sees; equal for answers that differ only in white space."""
        digest = hashlib.sha256()
        for part in self.parts:
            outputs = ([" ".join(one.text.split()), one.name] for one in part.outputs)
            digest.update(msgspec.json.encode([part.is_code, part.text, *outputs]))
        return digest.hexdigest()

    @functools.cached_property
    def words(self) -> tuple[str, ...]:
        """The words and signs to compare, in lower case, without punctuation and the lines that were handed out.

        A line that was handed out, such as `Your answer:`, is also removed from the beginning of a longer line.
        """
        every = (line.strip() for part in self.parts for line in part.source.split("\n"))
        asked = sorted(filter(None, self.given), key=len, reverse=True)
        text = "\n".join(
            line.removeprefix(next(filter(line.startswith, asked), ""))
            for line in islice(every, 20 * MOST_WORDS)
        )
        return tuple(_WORD.findall(text.casefold()[: 20 * MOST_WORDS])[:MOST_WORDS])


def parts_of(
    cells: Sequence[AnswerCell], check: str, manual: Collection[str], given: Collection[tuple[bool, str]]
) -> tuple[AnswerCell, ...]:
    """Return the cells of a check's answer.

    `manual` are all manual checks. `given` has each cell that was handed out: whether it is code, and its text. If it is
    empty, no cell counts as new.
    """
    new = [cell for cell in cells if given and (cell.is_code, cell.text) not in given and cell.text]
    own = [cell for cell in cells if check in cell.tags]
    if not own:
        return tuple(new or cells)
    found, below, fresh = list[AnswerCell](), False, {cell.number for cell in new}
    for cell in cells:
        mine, others = check in cell.tags, bool(cell.tags.intersection(manual))
        below = mine or (below and cell.is_code and not others)
        if mine or (cell.number in fresh and not others and (below or not cell.is_code)):
            found.append(cell)
    return tuple(found)


def read_cells(name: str, data: bytes) -> list[AnswerCell]:
    """Return the cells of a file. Raises Refused if it cannot be read."""
    try:
        if name.lower().endswith(".py"):
            return [
                AnswerCell(one.number or 0, one.is_code, one.text, frozenset(one.tags))
                for one in percent_cells(Path(name), decoded_python(Path(name), data))
            ]
        return [_part(number, cell) for number, cell in enumerate(notebook_cells(data), 1)]
    except (msgspec.DecodeError, ValueError, RecursionError, SubmissionError) as error:
        raise Refused(f"{name}: cannot be read: {error}") from error


def _part(number: int, cell: RawCell) -> AnswerCell:
    is_code = short_text(cell.cell_type) == "code"
    outputs = tuple(_outputs(cell, is_code=is_code))
    return AnswerCell(number, is_code, cell_source(cell.source), frozenset(cell_tags(cell)), outputs)


class _Data(msgspec.Struct):
    """The contents of an output or of a pasted picture, by media type."""

    png: msgspec.Raw = msgspec.field(default=_NOTHING, name="image/png")
    jpeg: msgspec.Raw = msgspec.field(default=_NOTHING, name="image/jpeg")
    text: msgspec.Raw = msgspec.field(default=_NOTHING, name="text/plain")

    @property
    def picture(self) -> bytes:
        """The bytes of the picture, or b""; they may be no picture."""
        for raw in (self.png, self.jpeg):
            with contextlib.suppress(msgspec.DecodeError, ValueError):  # no text, or not in base64
                if len(raw) <= 2 * LARGEST and (found := base64.b64decode(cell_source(raw))):
                    return found
        return b""


class _Output(msgspec.Struct):
    """An output of a notebook: https://nbformat.readthedocs.io, "Code cell outputs"."""

    text: msgspec.Raw = _NOTHING
    data: _Data | None = None
    ename: str = ""
    evalue: str = ""

    @property
    def words(self) -> str:
        """The printed text, the value or the error."""
        if self.ename:
            return f"{self.ename}: {self.evalue}"
        raw = self.data.text if self.data else self.text
        if self.data and raw is _NOTHING:
            return "(output not shown: it is neither text nor PNG nor JPEG)"
        return cell_source(raw) if len(raw) <= LARGEST else "(output not shown: too much text)"


# Decodes a list with a cap: later outputs are never built.
_FIELDS = [(f"output_{number}", _Output | None, None) for number in range(MOST_OUTPUTS)]
_FIRST = msgspec.json.Decoder(msgspec.defstruct("_FirstOutputs", _FIELDS, array_like=True))


def _outputs(cell: RawCell, *, is_code: bool) -> Iterator[CellOutput]:
    """Yield text and pictures: the outputs of a code cell, or the pictures pasted into a text cell. No HTML, no SVG."""
    with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        if is_code:
            every = msgspec.structs.astuple(_FIRST.decode(cell.outputs))
        else:
            attached = cell.attachments if len(cell.attachments) <= MOST_PASTED else b"{}"
            pasted = msgspec.json.decode(attached, type=dict[str, _Data])
            every = tuple(_Output(data=data) for data in islice(pasted.values(), MOST_OUTPUTS))
        for one in filter(None, every):
            picture = one.data.picture if one.data else b""
            if picture or one.words:
                yield CellOutput("" if picture else one.words[:LONGEST_OUTPUT], picture)


def redrawn(data: bytes) -> bytes | None:
    """Return a PNG or JPEG as a new PNG on white, without metadata; None for any other file and if it is too large."""
    from PIL import Image, ImageOps

    if len(data) > LARGEST or (data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > MOST_SCANS):
        return None
    Image.MAX_IMAGE_PIXELS = None  # no warning: MOST_PIXELS is the limit
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as found:
            if found.width * found.height > MOST_PIXELS:
                return None
            turned = ImageOps.exif_transpose(found)
            turned.thumbnail((SIDE, SIDE))
            layer = turned.convert("RGBA")
        written = io.BytesIO()
        Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB").save(
            written, "PNG"
        )
    except Exception:  # any error of the library: not a picture
        return None
    return written.getvalue()
