"""A submission: a notebook or a .py file as blocks of source that remember where they stand.

Nothing here parses or compiles what a student wrote; notebooks are read as JSON,
.py files as lines.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused
from grader.files import IsALink, NotAFile, TooLarge, link_above, read_plain

if TYPE_CHECKING:
    import os
    from pathlib import Path

MAX_FILE = 100 << 20  # bytes, outputs and pictures included
MAX_SOURCE = 1 << 20  # characters
MAX_CELLS = 2_000
SKIPPED_TAGS = frozenset({"verify", "demo"})
_PERCENT = re.compile(r"^#\s*%%(.*)$")
_TAGS = re.compile(r"""tags\s*=\s*\[([^\]]*)\]""")
_MARKDOWN = re.compile(r"\[(markdown|md|raw)\]")
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class SubmissionError(Refused):
    """The submission cannot be read; the text says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Block:
    """One code cell, or a .py file's stretch of code.

    `cell` is its number among all cells of the notebook, from 1 (None in a plain .py file);
    `first_line` is the line of the file, or of the cell, at which its source begins, from 1.
    """

    file: str
    cell: int | None
    first_line: int
    source: str

    def place(self, line: int) -> str:
        """Where a line of the block (from 1) is, in words."""
        number = self.first_line + line - 1
        if self.cell is None or not self.file.endswith(".ipynb"):
            return f"{self.file}, line {number}"
        return f"cell {self.cell}, line {number}"

    def line(self, number: int) -> str:
        """The text of one of its lines (from 1), or nothing."""
        lines = self.source.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Submission:
    """What was handed in, ready for the jail; `inode` is set where the file has other names too."""

    path: Path
    sha256: str
    blocks: tuple[Block, ...]
    assignment: str | None = None  # of which it says that it is the notebook
    modified: float = 0.0  # seconds since the epoch
    inode: tuple[int, int] | None = None  # of a file with hard links: device, number


class _CellMetadata(msgspec.Struct):
    tags: list[str] | None = None


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    metadata: _CellMetadata | None = None


class _Ours(msgspec.Struct):
    assignment: str | None = None


class _Metadata(msgspec.Struct):
    backgrade: _Ours | None = None


class _Notebook(msgspec.Struct):
    """As much of nbformat 4 as matters; outputs are passed over without being built."""

    nbformat: int
    cells: list[_Cell] | None = None
    metadata: _Metadata | None = None


def read_submission(path: Path) -> Submission:
    """Read a .ipynb or .py file; follows no link. Raises SubmissionError."""
    data, status = _read_bytes(path)
    if path.suffix == ".py":
        blocks, assignment = _percent_blocks(path.name, _decoded(path, data)), None
    elif path.suffix == ".ipynb":
        blocks, assignment = _notebook_blocks(path, data)
    else:
        raise SubmissionError(f"{path}: hand in the notebook (.ipynb) or the same thing as a .py file")
    _check_size(path, blocks)
    inode = (status.st_dev, status.st_ino) if status.st_nlink > 1 else None
    sha256 = hashlib.sha256(data).hexdigest()
    return Submission(path, sha256, tuple(blocks), assignment, status.st_mtime, inode)


def _read_bytes(path: Path) -> tuple[bytes, os.stat_result]:
    try:
        if (folder := link_above(path)) is None:
            return read_plain(path, MAX_FILE)
        why = f"{folder} is a symbolic link; put the folder itself there, or name the file by its real path"
    except IsALink:
        why = "this is a symbolic link; put the file itself there"
    except IsADirectoryError:
        why = "this is a folder, not a notebook; name the file in it"
    except NotAFile:
        why = "this is not a file; hand in the notebook (.ipynb) or a .py file"
    except TooLarge as error:
        why = (
            f"{error.size >> 20} MB is too large; clear the outputs "
            "(in Jupyter: Edit, Clear Outputs of All Cells), save and try again"
        )
    except FileNotFoundError:
        why = "there is no such file; check the name and the folder"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    raise SubmissionError(f"{path}: {why}")


def _decoded(path: Path, data: bytes) -> str:
    lines = data.split(b"\n", 2)[:2]
    declared = next((m[1].decode() for line in lines if (m := _CODING.match(line))), "utf-8")
    try:
        return data.decode("utf-8-sig" if declared.lower() in {"utf-8", "utf8"} else declared)
    except (UnicodeError, LookupError) as error:
        raise SubmissionError(f"{path}: this is not text in {declared}; save the file as UTF-8") from error


def _check_size(path: Path, blocks: list[Block]) -> None:
    if len(blocks) > MAX_CELLS or sum(len(block.source) for block in blocks) > MAX_SOURCE:
        raise SubmissionError(
            f"{path}: more than {MAX_CELLS} cells or {MAX_SOURCE >> 20} MB of code; "
            "is a data set pasted into a cell? Take it out, save and try again"
        )


# --- Notebooks


def _notebook_blocks(path: Path, data: bytes) -> tuple[list[Block], str | None]:
    notebook = _parse_notebook(path, data)
    blocks = []
    for number, cell in enumerate(notebook.cells or (), start=1):
        tags = set((cell.metadata.tags if cell.metadata else None) or ())
        source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        if cell.cell_type == "code" and source.strip() and not tags & SKIPPED_TAGS:
            blocks.append(Block(path.name, number, 1, source))
    ours = notebook.metadata.backgrade if notebook.metadata else None
    return blocks, ours.assignment if ours else None


def _parse_notebook(path: Path, data: bytes) -> _Notebook:
    text = data.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise SubmissionError(f"{path}: the file is empty; save the notebook again, or get the stub back")
    try:
        notebook = msgspec.json.decode(text, type=_Notebook)
    except msgspec.ValidationError as error:
        notebook = _upgraded(path, text, error)
    except (msgspec.DecodeError, RecursionError) as error:
        what = "it ends in the middle" if "truncated" in str(error) else "this is not JSON"
        raise SubmissionError(
            f"{path}: not a notebook that can be read: {what}; open it in Jupyter and save it again"
        ) from error
    if notebook.nbformat != 4 or notebook.cells is None:
        notebook = _upgraded(path, text, None)
    return notebook


def _upgraded(path: Path, text: str, cause: Exception | None) -> _Notebook:
    """Older or unusual notebooks go through nbformat, which takes a tenth of a second to import."""
    import nbformat

    try:
        upgraded = nbformat.reads(text, as_version=4)
        return msgspec.convert(upgraded, _Notebook)
    except Exception as error:
        raise SubmissionError(
            f"{path}: this is JSON, but not a notebook; open it in Jupyter and save it again"
        ) from (cause or error)


# --- .py files


def _percent_blocks(name: str, text: str) -> list[Block]:
    """The cells of a percent-format file; a file without `# %%` is one block."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [(i, match[1]) for i, line in enumerate(lines) if (match := _PERCENT.match(line))]
    if not starts:
        return [Block(name, None, 1, "\n".join(lines))] if text.strip() else []
    blocks = []
    bounds = [(-1, ""), *starts]
    for number, (start, header) in enumerate(bounds):
        end = bounds[number + 1][0] if number + 1 < len(bounds) else len(lines)
        source = "\n".join(lines[start + 1 : end])
        if source.strip() and not _MARKDOWN.search(header) and not _tags(header) & SKIPPED_TAGS:
            blocks.append(Block(name, number or None, start + 2, source))
    return blocks


def _tags(header: str) -> set[str]:
    match = _TAGS.search(header)
    return {tag.strip(" \"'") for tag in match[1].split(",")} if match else set()
