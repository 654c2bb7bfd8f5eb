"""All cells of a submission, for a page: code, Markdown, outputs and pictures.

Read with the care of `submission.py`: nothing is executed, parsed as code or followed, and what is built is capped.
Of an output only text and pictures are kept: HTML, JavaScript and widgets stay behind.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import contextlib
import functools
import hashlib
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from grader.render.cell import Cell
from grader.submissions.submission import (
    MAX_CELLS,
    RawCell,
    SubmissionError,
    as_python_reads,
    cell_source,
    cells_of,
    decoded_python,
    notebook_decoder,
    percent_cells,
    read_bytes,
    short_text,
)

if TYPE_CHECKING:
    from pathlib import Path

MAX_OUTPUTS = 50  # of one cell
MAX_TEXT = 10_000  # characters of one output
MAX_PICTURE = 1 << 20  # characters of one picture, in base64
MAX_PAGE = 8 << 20  # characters of all sources, and as many of all outputs and pictures
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_NONE, _NO_TEXT, _NO_LIST, _NO_TABLE = (msgspec.Raw(text) for text in (b"null", b'""', b"[]", b"{}"))
_LEFT_OUT = {"text/plain": "(more outputs are left out)"}
_NOT_SHOWN = {"text/plain": "(an output that is neither text nor a picture is left out)"}


class _CellWithOutputs(RawCell, gc=False):
    outputs: msgspec.Raw = _NO_LIST
    attachments: msgspec.Raw = _NO_TABLE


class _Output(msgspec.Struct, gc=False):
    """An output: `text` is of a stream, `data` of a display or a result, all others of an error."""

    text: msgspec.Raw = _NO_TEXT
    ename: msgspec.Raw = _NO_TEXT
    evalue: msgspec.Raw = _NO_TEXT
    traceback: msgspec.Raw = _NONE
    data: msgspec.Raw = _NO_TABLE


@functools.cache
def _decoders() -> tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]:
    """Return the decoders of a notebook and of a cell's outputs; both build a capped number of objects."""
    fields = [(f"output_{n}", msgspec.Raw, msgspec.UNSET) for n in range(MAX_OUTPUTS + 1)]
    outputs = msgspec.defstruct("_Outputs", fields, array_like=True)
    notebook = notebook_decoder(MAX_CELLS, strict=False, cell=_CellWithOutputs)
    return notebook, msgspec.json.Decoder(outputs)


def read_cells(path: Path) -> tuple[str, list[Cell]]:
    """Return the SHA-256 of the file's bytes, and its cells. Raises SubmissionError."""
    data, _ = read_bytes(path)
    cells = _python_cells(path, data) if path.suffix == ".py" else _notebook_cells(path, data)
    return hashlib.sha256(data).hexdigest(), cells


def _python_cells(path: Path, data: bytes) -> list[Cell]:
    cells = []
    for cell in percent_cells(path, decoded_python(path, data)):
        source = cell.text
        kind: Literal["code", "markdown"] = "code" if cell.is_code else "markdown"
        last = cell.first_line + source.rstrip("\n").count("\n")
        label = f"line {last}" if last == cell.first_line else f"lines {cell.first_line} to {last}"
        cells.append(Cell(kind, source, cell.number, label, cell.first_line))
    return cells


def _notebook_cells(path: Path, data: bytes) -> list[Cell]:
    notebook, _ = _decoders()
    try:
        try:
            strict = notebook.decode(data.removeprefix(codecs.BOM_UTF8))
        except (msgspec.DecodeError, UnicodeError) as error:
            strict = notebook.decode(as_python_reads(data, error))
        found = cells_of(path, strict)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SubmissionError(f"{path}: not a notebook that can be read") from error
    sources, room = _Room(MAX_PAGE), _Room(MAX_PAGE)
    return [_cell(cell, number, sources, room) for number, cell in enumerate(found, start=1)]


class _Room:
    """The characters that the page still has room for."""

    def __init__(self, characters: int) -> None:
        self.left = characters

    def has(self, text: str) -> bool:
        """Return True, and count the text, if it has room."""
        if len(text) > self.left:
            return False
        self.left -= len(text)
        return True


def _cell(cell: _CellWithOutputs, number: int, sources: _Room, room: _Room) -> Cell:
    kind, label = short_text(cell.cell_type), f"cell {number}"
    if len(cell.source) > MAX_PAGE or not sources.has(source := _text(cell.source)):
        return Cell("raw", "(this cell is left out: the notebook is too large)", number, label)
    if kind == "code":
        return Cell("code", source, number, label, outputs=_outputs(cell.outputs, room))
    if kind == "markdown":
        pictures = _attachments(cell.attachments, room)
        return Cell("markdown", source, number, label, attachments=pictures)
    return Cell("raw", source, number, label)


def _text(raw: msgspec.Raw) -> str:
    """Return a text; empty if it is no text."""
    with contextlib.suppress(msgspec.DecodeError):
        return cell_source(raw)
    return ""


def _outputs(raw: msgspec.Raw, room: _Room) -> list[dict[str, str]]:
    """Return each output as a table from media types to its text, or to a picture in base64."""
    _, decoder = _decoders()
    shown: list[dict[str, str]] = []
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        found = [part for part in msgspec.structs.astuple(decoder.decode(raw)) if part is not msgspec.UNSET]
        for part in found:
            output = _output(part)
            if len(shown) == MAX_OUTPUTS or not all(map(room.has, output.values())):
                return [*shown, _LEFT_OUT]
            if output:
                shown.append(output)
    return shown


def _output(raw: msgspec.Raw) -> dict[str, str]:
    if len(raw) > MAX_PAGE:
        return {"text/plain": f"(an output of {len(raw) >> 20} MB is left out)"}
    try:
        output = msgspec.json.decode(raw, type=_Output)
        data = msgspec.json.decode(output.data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return {}
    shown = _pictures(data)
    error = _traceback(output.traceback) or ": ".join(
        filter(None, [_text(output.ename), _text(output.evalue)])
    )
    text = _text(output.text) or error or _text(data.get("text/plain", _NO_TEXT))
    if text:
        shown["text/plain"] = _capped(text)
    return shown or (_NOT_SHOWN if data else {})


def _traceback(raw: msgspec.Raw) -> str:
    with contextlib.suppress(msgspec.DecodeError):
        return "\n".join(msgspec.json.decode(raw, type=list[str] | None) or ())
    return ""


def _capped(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n... {len(text) - MAX_TEXT:,} more characters are left out"


def _attachments(raw: msgspec.Raw, room: _Room) -> dict[str, dict[str, str]]:
    """Return the pictures that a Markdown cell holds, by name."""
    shown: dict[str, dict[str, str]] = {}
    if len(raw) > MAX_PAGE:
        return shown
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        for name, data in msgspec.json.decode(raw, type=dict[str, dict[str, msgspec.Raw]]).items():
            pictures = _pictures(data)
            if pictures and all(map(room.has, pictures.values())):
                shown[name] = pictures
    return shown


def _pictures(data: dict[str, msgspec.Raw]) -> dict[str, str]:
    """Return the first picture of a table of media types, in base64."""
    for media_type in _PICTURES:
        raw = data.get(media_type)
        if raw is not None and len(raw) <= 2 * MAX_PICTURE and (picture := _picture(media_type, _text(raw))):
            return {media_type: picture}
    return {}


def _picture(media_type: str, text: str) -> str:
    """Return a picture in base64; empty if it is too large, or not what its type says.

    An SVG with entities of its own is refused: they could grow without end.
    """
    if media_type == "image/svg+xml":
        if "<!ENTITY" in text or "<svg" not in text:
            return ""
        data = text.encode(errors="replace")
    else:
        try:
            data = base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            return ""
        if not data.startswith({"image/png": b"\x89PNG\r\n", "image/jpeg": b"\xff\xd8"}[media_type]):
            return ""
    written = base64.b64encode(data).decode()
    return written if len(written) <= MAX_PICTURE else ""
