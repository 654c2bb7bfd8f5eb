"""A submission: a notebook or a .py file as blocks of source with their locations.

Nothing here parses or compiles a student's code: notebooks are read as JSON, .py files as lines. Reading any file takes
at most two seconds and little more memory than the file itself, because it stops at the cells and the code that a
submission may have.
"""

from __future__ import annotations

import codecs
import contextlib
import datetime as dt
import functools
import hashlib
import itertools
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from grader.errors import Refused
from grader.files import NotPlain, absolute, read_plain, users_own
from grader.report import SubmissionInfo
from grader.submissions.notebook import (
    MAX_CELLS,
    MAX_SOURCE,
    OldFormat,
    cell_source,
    cell_tags,
    cells_of,
    read_notebook,
    short_text,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

SUFFIXES = (".ipynb", ".py")  # of a submission
MAX_FILE = 64 << 20  # bytes, outputs and pictures included
MAX_WRITTEN = 4 * MAX_SOURCE  # bytes of the code in the file, with JSON's escapes and quotes
MAX_MARKDOWN = 100_000  # bytes of one cell in which a heading is looked for
MAX_NAME = 60  # characters of a name that a file declares, or of a heading
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
_TOO_MUCH = (
    f"the file has more than {MAX_CELLS} cells or more than {MAX_SOURCE >> 20} MB of code",
    "take out what is not your code, such as a pasted data set, save and try again",
)


class SubmissionError(Refused):
    """A student's file cannot be used: `fault` names the file and what is wrong, `remedy` what to do; the text has both.

    `cause` is "too much" for more cells or code than any student writes, and "unfinished" for a notebook that ends in the
    middle or is not JSON: it may be half written.
    """

    def __init__(
        self, fault: str, remedy: str = "", *, cause: Literal["", "too much", "unfinished"] = ""
    ) -> None:
        super().__init__(f"{fault}; {remedy}" if remedy else fault)
        self.fault, self.remedy, self.cause = fault, remedy, cause


class Block(msgspec.Struct, frozen=True):
    r"""One code cell, or a .py file's stretch of code.

    `cell` is its number among all cells of the notebook, from 1 (None in a plain .py file). `first_line` is the line of
    the file, or of a notebook's cell, at which its source begins, from 1. `section` is the last heading above the cell.

    >>> Block("mine.ipynb", 3, 1, "a = 1\nb = 2", section="Warm up").location(2)
    'section "Warm up", line 2'
    """

    file: str
    cell: int | None
    first_line: int
    source: str
    tag: str = ""  # the tag or the type of cell because of which grading leaves it out
    section: str = ""

    @property
    def name(self) -> str:
        """The section of a cell; without a heading its number, outside a notebook the file."""
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
        """The number of lines."""
        return self.source.count("\n") + 1

    def line(self, number: int) -> str:
        """Return the text of a line (from 1) without its indent; "" outside the block."""
        lines = self.source.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


class Sources(list[Block]):
    """The graded blocks, in order, with the cells that are left out and the code of the template.

    `skipped` has the cells that are left out: cells with a tag for that, and cells of text. `read_given` reads the
    template's code; it is called only if something has to be explained. `read_all` reads the cells of a live notebook.
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
        """Add the cells that were executed in a live notebook since."""
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
        """The names that left-out cells define, each with the first of these cells."""
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


def definitions(source: str) -> dict[str, str]:
    r"""Return the names that the lines of a source define, each with `class`, `def`, `import` or "".

    The lines are searched, not parsed, so the result can differ from Python's.

    >>> definitions("import math\nclass Box:\n    size = 1\na, b = 1, 2")
    {'Box': 'class', 'a': '', 'b': '', 'math': 'import'}
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
    data, status = _read_bytes(path)
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
            f"{path}: this is a Git LFS pointer, not the file itself",
            "get the file with `git lfs pull`. To hand it in, take it out of LFS: run "
            f"`git lfs untrack '*{path.suffix}'` and `git add --renormalize .`, then commit and push",
        )
    if path.suffix == ".py":
        if len(data) > MAX_WRITTEN:
            raise _too_much(path)
        blocks, assignment = _percent_blocks(path, decoded_python(path, data)), None
    elif path.suffix == ".ipynb":
        blocks, assignment = _notebook_blocks(path, data)
    else:
        raise SubmissionError(
            f"{path}: this is not a notebook (.ipynb) or a .py file; hand in the notebook, or the same code as a .py file"
        )
    graded = tuple(block for block in blocks if not block.tag)
    skipped = tuple(block for block in blocks if block.tag)
    if sum(len(block.source) for block in graded) > MAX_SOURCE:
        raise _too_much(path)
    info = SubmissionInfo(path.as_posix(), hashlib.sha256(data).hexdigest(), modified)
    return Submission(path, info, graded, skipped, assignment, inode)


def _too_much(path: Path) -> SubmissionError:
    fault, remedy = _TOO_MUCH
    return SubmissionError(f"{path}: {fault}", remedy, cause="too much")


def _not_plain(path: Path, error: NotPlain) -> str:
    if error.kind == "link" and error.filename != str(absolute(path)):
        return f"{error.filename} is a symbolic link; put the folder itself there, or give the real path of the file"
    if error.kind == "large" and path.suffix != ".py":
        return (
            f"the file has {error.size >> 20} MB, which is too much; clear the outputs "
            "(in Jupyter: Edit, Clear Outputs of All Cells), save and try again"
        )
    return {
        "link": "this is a symbolic link; put the file itself there",
        "folder": "this is a folder, not a notebook; give the path of the file in it",
        "special": "this is not a file; hand in the notebook (.ipynb) or a .py file",
        "large": "; ".join(_TOO_MUCH),
    }[error.kind]


def _read_bytes(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a submission; follows no link. Raises SubmissionError."""
    try:
        return read_plain(path, MAX_WRITTEN if path.suffix == ".py" else MAX_FILE, users_own(path))
    except NotPlain as error:
        why = _not_plain(path, error)
    except FileNotFoundError:
        others = sorted(other.name for other in path.parent.glob("*.ipynb"))[:1]
        instead = f", but its folder has `{others[0]}`; correct the name" if others else None
        why = f"there is no such file{instead or '; correct the name or the folder'}"
    except OSError as error:
        why = f"cannot be read: {error.strerror}; correct the name or the permissions"
    raise SubmissionError(f"{path}: {why}")


# --- Notebooks


def _notebook_blocks(path: Path, data: bytes) -> tuple[list[Block], str | None]:
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        raise SubmissionError(
            f"{path}: the file is empty",
            "save the notebook again, or start again from the original (`grade reset`)",
            cause="unfinished",
        )
    try:
        return read_notebook(data, functools.partial(_blocks_of, path))
    except OldFormat as error:
        raise SubmissionError(
            f"{path}: this notebook has the old format nbformat {error}",
            "open it in Jupyter and save it, or run `jupyter nbconvert --to notebook --inplace` with the name of this file",
        ) from error
    except msgspec.ValidationError as error:
        raise SubmissionError(
            f"{path}: this is not a notebook of the format nbformat 4",
            "save it again in Jupyter. If Jupyter cannot open it, go back to an earlier copy or to the original (`grade reset`)",
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        fault = (
            "the notebook ends in the middle"
            if "truncated" in str(error)
            else "this file cannot be read as JSON, the format of notebooks"
        )
        remedy = "go back to an earlier copy or to the original (`grade reset`). If it is still open in Jupyter, save it there again"
        if data.removeprefix(codecs.BOM_UTF8).startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data:
            fault = "a merge left its conflict markers in it"
            remedy = (
                "keep one version with `git checkout --ours FILE` or `git checkout --theirs FILE`. If the markers are committed, "
                "take an earlier version with `git checkout COMMIT -- FILE`"
            )
        raise SubmissionError(f"{path}: {fault}", remedy, cause="unfinished") from error


def _blocks_of(path: Path, notebook: Any) -> tuple[list[Block], str | None]:
    cells = cells_of(notebook)
    blocks, room, spare = [], MAX_WRITTEN, MAX_SOURCE  # of left-out cells, a part is enough
    section = ""
    for number, cell in enumerate(cells, start=1):
        if (kind := short_text(cell.cell_type)) != "code":
            text = _text_outside_code(cell.source)
            spare -= len(text)
            if kind in TEXT_CELLS and text and spare >= 0:
                blocks.append(Block(path.name, number, 1, text, kind, section))
            section = _heading(text) or section
            continue
        tag, written = _skipping_tag(cell_tags(cell)), cell.source
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


def _heading(text: str) -> str:
    """Return the last heading of a Markdown cell without its marks; "" without one."""
    lines = (line[: 2 * MAX_NAME] for line in reversed(text.split("\n")) if line.startswith("#"))
    match = next(filter(None, map(_HEADING.match, lines)), None)
    return match[1].replace("`", "").replace('"', "'").strip(" #")[:MAX_NAME] if match else ""


def _text_outside_code(raw: msgspec.Raw) -> str:
    """Return the text of a Markdown cell outside code blocks; "" if no line can be a heading or Python."""
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
    declared = (
        "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _declared_encoding(data)
    )
    try:
        if codecs.lookup(declared).name in _NO_ENCODINGS:
            raise LookupError(declared)
        text = data.decode("utf-8-sig" if declared.lower() in {"utf-8", "utf8"} else declared)
        text.encode()  # lone surrogates cannot be encoded in UTF-8
    except (UnicodeError, LookupError) as error:
        remedy = "save the file as UTF-8"
        if not declared.lower().startswith("utf"):
            remedy = f"remove the comment with `coding` at the top of the file, and {remedy}"
        raise SubmissionError(f"{path}: the text is not in the encoding `{declared}`", remedy) from error
    return text


def _declared_encoding(data: bytes) -> str:
    """Return the encoding named in a comment in the first two lines (PEP 263)."""
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
        """The source; for a cell of text, without the `# ` before each line."""
        if self.is_code:
            return self.source
        return "\n".join(line.removeprefix("#").removeprefix(" ") for line in self.source.split("\n"))

    @property
    def tags(self) -> set[str]:
        """The tags that its `# %%` line names."""
        match = _TAGS.search(self.header)
        return {tag.strip(" \"'") for tag in match[1].split(",")} if match else set()


def percent_cells(path: Path, text: str) -> list[PercentCell]:
    """Return the non-empty cells of a percent-format file. Raises SubmissionError."""
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
        Block(path.name, cell.number, cell.first_line, cell.source, _skipping_tag(cell.tags))
        for cell in percent_cells(path, text)
        if cell.is_code
    ]


def _skipping_tag(tags: set[str]) -> str:
    """Return the tag because of which grading leaves a cell out; "" without one."""
    return min(tags & SKIPPED_TAGS, default="")
