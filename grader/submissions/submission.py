"""A submission: a notebook or a .py file as blocks of source with their locations.

Nothing here parses or compiles what a student wrote: notebooks are read as JSON, .py files as lines. Reading any file
takes at most two seconds and little more memory than the file itself, because no more cells and no more code are built
than a submission may have.
"""

from __future__ import annotations

import codecs
import contextlib
import datetime as dt
import functools
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from grader.errors import Refused
from grader.files import NotPlain, absolute, read_plain, users_own
from grader.report import SubmissionInfo

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

SUFFIXES = (".ipynb", ".py")  # of a submission
_Read = TypeVar("_Read")
MAX_FILE = 64 << 20  # bytes, outputs and pictures included
MAX_SOURCE = 1 << 20  # characters
MAX_WRITTEN = 4 * MAX_SOURCE  # bytes of the code in the file, with JSON's escapes and quotes
MAX_REPAIRED = 8 << 20  # bytes of a notebook that is no strict JSON: to read it takes more memory
MAX_CELLS = 2_000
USUAL_CELLS = 150  # more take a little longer to read
MAX_TAGS = 10_000  # bytes of one cell's
MAX_MARKDOWN = 100_000  # bytes of one cell in which a heading is looked for
MAX_NAME = 60  # characters of a name that a file declares, or of a heading
_FORMAT, _OLD_FORMATS = 4, (1, 2, 3)  # nbformat; IPython wrote the old ones until 2015
SKIPPED_TAGS = frozenset({"verify", "demo"})
TEXT_CELLS = frozenset({"markdown", "raw"})
_PERCENT = re.compile(r"^#[^\S\n]*%%(.*)$", re.MULTILINE)
_DEFINED = re.compile(r"^(?:async +)?(class|def) +(\w+)|^(\w+) *(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_SEVERAL = re.compile(r"^\(?(\w+(?: *, *\w+)+)\)? *=(?!=)", re.MULTILINE)
_IMPORTED = re.compile(r"^(?:from +[\w.]+ +)?import +([^#\n]+)", re.MULTILINE)
_BOUND = re.compile(r"^ *(?:[\w.]+ +as +)?(\w+)")
_WORD = re.compile(r"[^\W\d]\w*")
# Up to a `[`, so that many beginnings do not make many searches.
_TAGS = re.compile(r"""tags"?\s*[=:]\s*\[([^\[\]]*)\]""")
_HEADING = re.compile(r"#{1,6} (.*)")
_MARKDOWN = re.compile(r"\[(markdown|md|raw)\]")
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]{1,%d})" % MAX_NAME)
_BLANK = re.compile(rb"^[ \t\f]*(?:#|$)")
_LFS = b"version https://git-lfs.github.com/spec/"  # the first line of a pointer, by the specification of Git LFS
_END_OF_LINE = re.compile(rb"\r\n?|\n")
# Encodings of text as text. Decoding Punycode takes quadratic time; the escapes can make lone surrogates.
_NO_ENCODINGS = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape"})
_NO_TEXT, _NO_TAGS, _NO_PICTURES = msgspec.Raw(b'""'), msgspec.Raw(b"[]"), msgspec.Raw(b"{}")
_TOO_MUCH = (
    f"more than {MAX_CELLS} cells or {MAX_SOURCE >> 20} MB of code",
    "is a data set pasted into a cell? Take it out, save and try again",
)


class SubmissionError(Refused):
    """A file that a student handed in cannot be used: the file with its fault, and the remedy; the text has both.

    `cause` is "too much" for more cells or code than any student writes, of which nothing was built, and
    "unfinished" for a notebook that ends in the middle or is no JSON: it may be half written.
    """

    def __init__(
        self, fault: str, remedy: str = "", *, cause: Literal["", "too much", "unfinished"] = ""
    ) -> None:
        super().__init__(f"{fault}; {remedy}" if remedy else fault)
        self.fault, self.remedy, self.cause = fault, remedy, cause


class Block(msgspec.Struct, frozen=True):
    """One code cell, or a .py file's stretch of code.

    `cell` is its number among all cells of the notebook, from 1 (None in a plain .py file);
    `first_line` is the line of the file, or of the cell, at which its source begins, from 1.
    `section` is the last heading above a notebook's cell.
    """

    file: str
    cell: int | None
    first_line: int
    source: str
    tag: str = ""  # the tag, or the type of a cell of text, for which grading leaves it out
    section: str = ""

    @property
    def name(self) -> str:
        """The section of a cell, its number where there is no heading, or the file."""
        if self.section:
            return f'section "{self.section}"'
        return f"cell {self.cell}" if self.cell else self.file

    def location(self, line: int) -> str:
        """Return the location of a line of the block (from 1), in words."""
        number = self.first_line + line - 1
        if self.cell is None or not self.file.endswith(".ipynb"):
            return f"{self.file}, line {number}"
        return f"{self.name}, line {number}"

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return self.source.count("\n") + 1

    def line(self, number: int) -> str:
        """Return the text of one of its lines (from 1); "" outside of it."""
        lines = self.source.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


class Sources(list[Block]):
    """The blocks that are graded, in order, with the cells left out and the code of the template.

    `skipped` are the cells that are left out: by their tags, and cells of text. `read_given` reads the code of the
    template; it is called only if something has to be explained.
    """

    def __init__(
        self,
        blocks: Iterable[Block],
        skipped: Iterable[Block] = (),
        read_given: Callable[[], str] = str,
        read_all: Callable[[], Sequence[Block]] = tuple,
    ) -> None:
        super().__init__(blocks)
        self.skipped, self._read_given, self._read_all = tuple(skipped), read_given, read_all

    def grow(self) -> None:
        """Add the files that the live namespace has defined since."""
        self.extend(self._read_all()[len(self) :])

    @functools.cached_property
    def given(self) -> str:
        """The code of the template."""
        return self._read_given()

    @functools.cached_property
    def given_names(self) -> dict[str, str]:
        """The names that the template's code defines, as `definitions` returns them."""
        return definitions(self.given)

    @functools.cached_property
    def skipped_names(self) -> dict[str, Block]:
        """The names that cells define which are left out, each with the first of these cells."""
        return {name: block for block in reversed(self.skipped) for name in definitions(block.source)}

    @functools.cached_property
    def own_classes(self) -> dict[str, Block]:
        """The classes that the student adds to the template, each with its block."""
        found = ((name, word, block) for block in self for name, word in definitions(block.source).items())
        return {
            name: block for name, word, block in found if word == "class" and name not in self.given_names
        }

    @functools.cached_property
    def given_lines(self) -> frozenset[str]:
        """The lines of the template's code, without their indents."""
        return frozenset(line.strip() for line in self.given.split("\n"))

    @functools.cached_property
    def last_uses(self) -> dict[str, int]:
        """The last block that contains each word."""
        return {word: i for i, block in enumerate(self) for word in set(_WORD.findall(block.source))}


class Submission(msgspec.Struct, frozen=True):
    """A student's file, read: its code, and the facts about the file that grading needs.

    `path` names the file in messages, `info` in the report. `skipped` are the cells that grading leaves out: cells with
    a tag for that, and a notebook's cells of text. `earlier` is the code of the earlier submissions that this one
    continues, oldest first, and `notes` are for the student: faults of these. intake.py fills in both, and `info` with
    the place of the file in the course.
    """

    path: Path
    info: SubmissionInfo
    blocks: tuple[Block, ...]
    skipped: tuple[Block, ...] = ()
    assignment: str | None = None  # the assignment that the notebook names as its own
    inode: tuple[int, int] | None = None  # of a file with hard links: device, number
    earlier: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()

    def sources(self, read_given: Callable[[], str] = str) -> Sources:
        """Return the code to grade, the earlier code first; see `Sources`."""
        return Sources([*self.earlier, *self.blocks], self.skipped, read_given)


class _CellMetadata(msgspec.Struct, gc=False):
    tags: msgspec.Raw = _NO_TAGS


class RawCell(msgspec.Struct, gc=False):
    """A cell, whose large fields are not decoded yet."""

    cell_type: msgspec.Raw
    source: msgspec.Raw = _NO_TEXT
    metadata: _CellMetadata | None = None
    attachments: msgspec.Raw = _NO_PICTURES  # the pictures that were pasted into it
    outputs: msgspec.Raw = (
        _NO_TAGS  # of a cell of code, as the student's kernel or somebody's editor wrote them
    )

    @property
    def pictures(self) -> bytes:
        """Its pictures as JSON; empty for a cell without any."""
        return b"" if self.attachments == _NO_PICTURES else bytes(self.attachments)


class _Ours(msgspec.Struct):
    assignment: msgspec.Raw = _NO_TEXT


class _Metadata(msgspec.Struct):
    backgrade: _Ours | None = None


def _notebook_decoder(most: int, *, strict: bool) -> msgspec.json.Decoder[Any]:
    """Return a decoder of the part of a notebook that is needed; outputs are not built.

    It builds `most` cells. If it is `strict`, more are a ValidationError, else they are skipped.
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


def definitions(source: str) -> dict[str, str]:
    """Return the names that the lines of a source define, each with `class`, `def`, `import` or an empty text.

    Found line by line, without parsing, so the result can differ from Python's.
    """
    names = {defined or assigned: word for word, defined, assigned in _DEFINED.findall(source)}
    names |= {name: "" for line in _SEVERAL.findall(source) for name in _WORD.findall(line)}
    imported = (part for line in _IMPORTED.findall(source) for part in line.split(","))
    return names | {name: "import" for part in imported for name in _BOUND.findall(part)}


def indent_of(line: str) -> int:
    """Return the number of spaces at the beginning of a line."""
    return len(line) - len(line.lstrip())


def read_submission(path: Path) -> Submission:
    """Read a .ipynb or .py file; follows no link. Raises SubmissionError."""
    data, status = read_bytes(path)
    inode = (status.st_dev, status.st_ino) if status.st_nlink > 1 else None
    modified = dt.datetime.fromtimestamp(status.st_mtime, dt.UTC).isoformat(timespec="seconds")
    return submission_from(path, data, modified=modified, inode=inode)


def submission_from(
    path: Path, data: bytes, *, modified: str = "", inode: tuple[int, int] | None = None
) -> Submission:
    """Return the submission in a file of that name with these bytes; `modified` is UTC in ISO 8601.

    Raises SubmissionError.
    """
    if data.startswith(_LFS):
        raise SubmissionError(
            f"{path}: this is a pointer of Git LFS, not the file itself",
            "`git lfs pull` gets the file; to hand it in, take it out of LFS: "
            f"`git lfs untrack '*{path.suffix}'`, `git add --renormalize .`, commit and push",
        )
    if path.suffix == ".py":
        if len(data) > MAX_WRITTEN:
            raise _too_much(path)
        blocks, assignment = _percent_blocks(path, decoded_python(path, data)), None
    elif path.suffix == ".ipynb":
        blocks, assignment = _notebook_blocks(path, data)
    else:
        raise SubmissionError(f"{path}: hand in the notebook (.ipynb) or the same thing as a .py file")
    graded = tuple(block for block in blocks if not block.tag)
    skipped = tuple(block for block in blocks if block.tag)
    if sum(len(block.source) for block in graded) > MAX_SOURCE:
        raise _too_much(path)
    info = SubmissionInfo(path.as_posix(), hashlib.sha256(data).hexdigest(), modified)
    return Submission(path, info, graded, skipped, assignment, inode)


def refuse_too_much(path: Path, data: bytes) -> None:
    """Raise SubmissionError, without the path, for more than any student writes, and for a large unreadable file.

    Such a file is neither kept nor sent to a worker. Small files pass, whatever is wrong with them.
    """
    try:
        submission_from(path, data)
    except SubmissionError as error:
        if error.cause == "too much" or len(data) > MAX_WRITTEN:
            fault = error.fault.removeprefix(f"{path}: ")
            raise SubmissionError(fault, error.remedy, cause="too much") from None


def _too_much(path: Path) -> SubmissionError:
    fault, remedy = _TOO_MUCH
    return SubmissionError(f"{path}: {fault}", remedy, cause="too much")


def _not_plain(path: Path, error: NotPlain) -> str:
    if error.kind == "link" and error.filename != str(absolute(path)):
        return f"{error.filename} is a symbolic link; put the folder itself there, or name the file by its real path"
    if error.kind == "large" and path.suffix != ".py":
        return (
            f"{error.size >> 20} MB is too large; clear the outputs "
            "(in Jupyter: Edit, Clear Outputs of All Cells), save and try again"
        )
    return {
        "link": "this is a symbolic link; put the file itself there",
        "folder": "this is a folder, not a notebook; name the file in it",
        "special": "this is not a file; hand in the notebook (.ipynb) or a .py file",
        "large": "; ".join(_TOO_MUCH),
    }[error.kind]


def read_bytes(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a submission; follows no link. Raises SubmissionError."""
    try:
        return read_plain(path, MAX_WRITTEN if path.suffix == ".py" else MAX_FILE, users_own(path))
    except NotPlain as error:
        why = _not_plain(path, error)
    except FileNotFoundError:
        others = sorted(other.name for other in path.parent.glob("*.ipynb"))[:1]
        instead = f", but `{others[0]}` is in its folder; check the name" if others else None
        why = f"there is no such file{instead or '; check the name and the folder'}"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    raise SubmissionError(f"{path}: {why}")


# --- Notebooks


def _notebook_blocks(path: Path, data: bytes) -> tuple[list[Block], str | None]:
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        raise SubmissionError(
            f"{path}: the file is empty",
            "save the notebook again, or begin with the untouched one (`grade reset`)",
            cause="unfinished",
        )
    try:
        return _read_notebook(data, functools.partial(_blocks_of, path))
    except msgspec.ValidationError as error:
        raise SubmissionError(
            f"{path}: this is JSON, but not a notebook", "open it in Jupyter and save it again"
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        what = "it ends in the middle" if "truncated" in str(error) else "this is not JSON"
        remedy = "open it in Jupyter and save it again"
        if data.removeprefix(codecs.BOM_UTF8).startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data:
            what = "a merge left its marks in it"
            remedy = "keep one side, with `git checkout --ours` or `git checkout --theirs` and the name of this file"
        fault = f"{path}: not a notebook that can be read: {what}"
        raise SubmissionError(fault, remedy, cause="unfinished") from error


def notebook_cells(data: bytes) -> list[RawCell]:
    """Return the cells of a readable notebook; else raise DecodeError, UnicodeError, RecursionError or SubmissionError."""
    return _read_notebook(data, functools.partial(_cells_of, Path("the notebook")))


def _read_notebook(data: bytes, read: Callable[[Any], _Read]) -> _Read:
    """Return what `read` makes of a decoded notebook, also of one that only Python's json reads."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return read(_decoded(data))
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeError) as error:
        return read(_decoded(_as_python_reads(data, error)))


def _decoded(data: bytes) -> Any:
    try:
        return _USUAL.decode(data)
    except msgspec.ValidationError:
        return _any_size().decode(data)


def _as_python_reads(data: bytes, error: Exception) -> bytes:
    """Return JSON in UTF-8 of what Python's json reads, and so Jupyter: NaN as null, a question mark for a lone surrogate.

    UTF-16 and UTF-32 are read, too. Raises `error`, the strict reader's, for what Python does not read either.
    """
    try:
        if len(data) > MAX_REPAIRED:
            raise error
        text = data.decode(json.detect_encoding(data), "surrogatepass")
        found = json.loads(text, parse_constant=lambda _: None)
        return json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        raise error from None


def _cells_of(path: Path, notebook: Any) -> list[RawCell]:
    """Return the cells of a decoded notebook.

    Raises SubmissionError for an old format, and msgspec.ValidationError for no cells and for an unknown format.
    """
    if notebook.nbformat in _OLD_FORMATS:
        raise SubmissionError(
            f"{path}: this notebook has the old format nbformat {notebook.nbformat}",
            "open it in Jupyter and save it, or run `jupyter nbconvert --to notebook --inplace` with the name of this file",
        )
    if notebook.cells is None or notebook.nbformat != _FORMAT:
        raise msgspec.ValidationError("no cells, or of a format that is not known")
    return [cell for cell in msgspec.structs.astuple(notebook.cells) if cell is not msgspec.UNSET]


def _blocks_of(path: Path, notebook: Any) -> tuple[list[Block], str | None]:
    cells = _cells_of(path, notebook)
    blocks, room, spare = [], MAX_WRITTEN, MAX_SOURCE  # a part of a cell that is left out is enough
    section = ""
    for number, cell in enumerate(cells, start=1):
        if (kind := short_text(cell.cell_type)) != "code":
            text = _text_outside_code(cell.source)
            spare -= len(text)
            if kind in TEXT_CELLS and text and spare >= 0:
                blocks.append(Block(path.name, number, 1, text, kind, section))
            section = _heading(text) or section
            continue
        tag, written = _skipped(cell_tags(cell)), cell.source
        if tag:
            spare -= len(written)
        else:
            room -= len(written)
        if room < 0:
            break
        if not tag or spare >= 0:
            source = cell_source(written)
            if source.strip():
                blocks.append(Block(path.name, number, 1, source, tag, section))
    if room < 0 or len(cells) > MAX_CELLS:
        raise _too_much(path)
    ours = notebook.metadata.backgrade if notebook.metadata else None
    return blocks, (short_text(ours.assignment) or None) if ours else None


def short_text(raw: msgspec.Raw) -> str | None:
    """Return a short text or null; a long text, which is not one of the grader's, becomes a placeholder."""
    return msgspec.json.decode(raw, type=str | None) if len(raw) <= 2 * MAX_SOURCE else "..."


def cell_tags(cell: RawCell) -> set[str]:
    """Return the tags of a notebook's cell. Raises msgspec.ValidationError."""
    raw = cell.metadata.tags if cell.metadata else _NO_TAGS
    tags = msgspec.json.decode(raw, type=list[str] | None) if len(raw) <= MAX_TAGS else None
    return set(tags or ())


def cell_source(raw: msgspec.Raw) -> str:
    """Return a text that a notebook may split into a list of lines. Raises msgspec.ValidationError."""
    source = msgspec.json.decode(bytes(raw).decode(errors="replace"), type=str | list[str])
    return source if isinstance(source, str) else "".join(source)


def _heading(text: str) -> str:
    """Return the last heading of a Markdown cell, without its marks; empty for a cell without one."""
    lines = (line[: 2 * MAX_NAME] for line in reversed(text.split("\n")) if line.startswith("#"))
    match = next(filter(None, map(_HEADING.match, lines)), None)
    return match[1].replace("`", "").replace('"', "'").strip(" #")[:MAX_NAME] if match else ""


def _text_outside_code(raw: msgspec.Raw) -> str:
    """Return the text of a Markdown cell without its blocks of code; empty if no line is a heading or may be Python."""
    if len(raw) > MAX_MARKDOWN or not any(mark in bytes(raw) for mark in (b"#", b"=", b"class ", b"def ")):
        return ""
    lines, fenced, text = list[str](), False, ""
    with contextlib.suppress(msgspec.ValidationError):  # only code must be readable
        text = cell_source(raw)
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            lines.append(line)
    return "\n".join(lines)


# --- .py files


def decoded_python(path: Path, data: bytes) -> str:
    """Return the text of a .py file, in the encoding that it declares. Raises SubmissionError."""
    declared = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _declared(data)
    try:
        if codecs.lookup(declared).name in _NO_ENCODINGS:
            raise LookupError(declared)
        text = data.decode("utf-8-sig" if declared.lower() in {"utf-8", "utf8"} else declared)
        text.encode()  # lone surrogates cannot be encoded in UTF-8
    except (UnicodeError, LookupError) as error:
        raise SubmissionError(f"{path}: this is not text in {declared}", "save the file as UTF-8") from error
    return text


def _declared(data: bytes) -> str:
    """Return the encoding that a comment in the first two lines names (PEP 263)."""
    for line in _END_OF_LINE.split(data, maxsplit=2)[:2]:
        if match := _CODING.match(line):
            return match[1].decode()
        if not _BLANK.match(line):
            break
    return "utf-8"


class PercentCell(msgspec.Struct, frozen=True):
    """One cell of a percent-format file: its number from 1, the rest of its `# %%` line, its first line, its source.

    `number` is None for the code above the first `# %%`, and for a file without one.
    """

    number: int | None
    header: str
    first_line: int
    source: str

    @property
    def is_code(self) -> bool:
        """False for Markdown and raw text."""
        return not _MARKDOWN.search(self.header)

    @property
    def text(self) -> str:
        """The source; of a cell of text without the `# ` before each line."""
        if self.is_code:
            return self.source
        return "\n".join(line.removeprefix("#").removeprefix(" ") for line in self.source.split("\n"))

    @property
    def tags(self) -> set[str]:
        """The tags that its `# %%` line names."""
        match = _TAGS.search(self.header)
        return {tag.strip(" \"'") for tag in match[1].split(",")} if match else set()


def percent_cells(path: Path, text: str) -> list[PercentCell]:
    """Return the cells of a percent-format file that are not empty. Raises SubmissionError."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    headers = list(itertools.islice(_PERCENT.finditer(text), MAX_CELLS + 1))
    if len(headers) > MAX_CELLS:
        raise _too_much(path)
    if not headers:
        return [PercentCell(None, "", 1, text)] if text.strip() else []
    cells, line = [], 1
    ends = [*(header.start() for header in headers[1:]), len(text) + 1]
    first = text[: max(0, headers[0].start() - 1)]
    if first.strip():
        cells.append(PercentCell(None, "", 1, first))
    line += text.count("\n", 0, headers[0].start())
    for number, (header, end) in enumerate(zip(headers, ends, strict=True), start=1):
        source = text[header.end() + 1 : end - 1]
        if source.strip():
            cells.append(PercentCell(number, header[1], line + 1, source))
        line += text.count("\n", header.start(), end)
    return cells


def _percent_blocks(path: Path, text: str) -> list[Block]:
    """Return the code cells of a percent-format file; a file without `# %%` is one block."""
    return [
        Block(path.name, cell.number, cell.first_line, cell.source, _skipped(cell.tags))
        for cell in percent_cells(path, text)
        if cell.is_code
    ]


def _skipped(tags: set[str]) -> str:
    """Return the tag for which grading leaves a cell out; empty without one."""
    return min(tags & SKIPPED_TAGS, default="")
