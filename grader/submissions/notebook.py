"""The cells of a notebook, read as JSON; no more are built than a submission may have."""

from __future__ import annotations

import codecs
import functools
import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

_Read = TypeVar("_Read")
MAX_SOURCE = 1 << 20  # characters
MAX_REPAIRED = 8 << 20  # bytes of a notebook that is not strict JSON: reading it takes more memory
MAX_CELLS = 2_000
USUAL_CELLS = 150  # more take a little longer to read
MAX_TAGS = 10_000  # bytes of one cell's
_FORMAT, _OLD_FORMATS = 4, (1, 2, 3)  # nbformat; IPython wrote the old ones until 2015
_NO_TEXT, _NO_TAGS, _NO_PICTURES = msgspec.Raw(b'""'), msgspec.Raw(b"[]"), msgspec.Raw(b"{}")


class OldFormat(ValueError):
    """A notebook of an `nbformat` before 4: the number of its format."""


class _CellMetadata(msgspec.Struct, gc=False):
    tags: msgspec.Raw = _NO_TAGS


class RawCell(msgspec.Struct, gc=False):
    """A cell, whose large fields are not decoded yet."""

    cell_type: msgspec.Raw
    source: msgspec.Raw = _NO_TEXT
    metadata: _CellMetadata | None = None
    attachments: msgspec.Raw = _NO_PICTURES  # the pictures that were pasted into it
    outputs: msgspec.Raw = _NO_TAGS  # of a code cell, as a kernel or an editor wrote them

    @property
    def pictures(self) -> bytes:
        """Its pictures as JSON; empty for a cell without any."""
        return b"" if self.attachments == _NO_PICTURES else bytes(self.attachments)


class _Ours(msgspec.Struct):
    assignment: msgspec.Raw = _NO_TEXT


class _Metadata(msgspec.Struct):
    backgrade: _Ours | None = None


def _notebook_decoder(most: int, *, strict: bool) -> msgspec.json.Decoder[Any]:
    """Return a decoder of the needed parts of a notebook, with at most `most` cells; outputs are not built.

    With `strict`, more cells raise ValidationError; otherwise they are skipped.
    """
    fields = [(f"cell_{n}", RawCell, msgspec.UNSET) for n in range(most)]  # a list with a cap
    cells = msgspec.defstruct("_Cells", fields, array_like=True, forbid_unknown_fields=strict)
    notebook = msgspec.defstruct(
        "_Notebook",
        [("nbformat", int), ("cells", cells | None, None), ("metadata", _Metadata | None, None)],
    )
    return msgspec.json.Decoder(notebook)


# Made here, in one thread: msgspec 0.22 dies where two threads are the first to decode the same type at once.
_USUAL = _notebook_decoder(USUAL_CELLS, strict=True)
_any_size = functools.cache(
    functools.partial(_notebook_decoder, MAX_CELLS + 1, strict=False)
)  # takes 5 ms to make


def notebook_cells(data: bytes) -> list[RawCell]:
    """Return the cells of a notebook. Raises msgspec.DecodeError, UnicodeError and RecursionError."""
    return read_notebook(data, cells_of)


def read_notebook(data: bytes, read: Callable[[Any], _Read]) -> _Read:
    """Return `read` of the decoded notebook; falls back to Python's json, which accepts more."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return read(_decode(data))
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeError) as error:
        return read(_decode(_as_python_reads(data, error)))


def _decode(data: bytes) -> Any:
    try:
        return _USUAL.decode(data)
    except msgspec.ValidationError:
        return _any_size().decode(data)


def _as_python_reads(data: bytes, error: Exception) -> bytes:
    """Return strict JSON in UTF-8 for a notebook that Python's json, and so Jupyter, reads: NaN as null, ? for surrogates.

    Also reads UTF-16 and UTF-32. Raises `error`, from the strict reader, if Python cannot read it either.
    """
    try:
        if len(data) > MAX_REPAIRED:
            raise error
        text = data.decode(json.detect_encoding(data), "surrogatepass")
        found = json.loads(text, parse_constant=lambda _: None)
        return json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        raise error from None


def cells_of(notebook: Any) -> list[RawCell]:
    """Return the cells of a decoded notebook.

    Raises OldFormat, and msgspec.ValidationError for no cells and for an unknown format.
    """
    if notebook.nbformat in _OLD_FORMATS:
        raise OldFormat(notebook.nbformat)
    if notebook.cells is None or notebook.nbformat != _FORMAT:
        raise msgspec.ValidationError("no cells, or an unknown format")
    return [cell for cell in msgspec.structs.astuple(notebook.cells) if cell is not msgspec.UNSET]


def short_text(raw: msgspec.Raw) -> str | None:
    """Return a short text or null; a long text, which is none of the grader's words, becomes "..."."""
    return msgspec.json.decode(raw, type=str | None) if len(raw) <= 2 * MAX_SOURCE else "..."


def cell_tags(cell: RawCell) -> set[str]:
    """Return the tags of a notebook's cell. Raises msgspec.ValidationError."""
    raw = cell.metadata.tags if cell.metadata else _NO_TAGS
    tags = msgspec.json.decode(raw, type=list[str] | None) if len(raw) <= MAX_TAGS else None
    return set(tags or ())


def cell_source(raw: msgspec.Raw) -> str:
    """Return the text of a source, which may be a list of lines. Raises msgspec.ValidationError."""
    source = msgspec.json.decode(bytes(raw).decode(errors="replace"), type=str | list[str])
    return source if isinstance(source, str) else "".join(source)
