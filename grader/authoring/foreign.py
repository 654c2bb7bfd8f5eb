"""An assignment made for another tool, as data: a notebook's cells, its questions, its solutions between our markers."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from grader.authoring.reference import parse_source
from grader.errors import Refused, first_of, reason_of
from grader.files import link_in, read_plain
from grader.submissions.notebook import MAX_CELLS

if TYPE_CHECKING:
    import ast
    from pathlib import Path

MAX_FOREIGN = 16 << 20  # bytes of a notebook, with its outputs
MAX_BESIDE = 256 << 10  # bytes of a file of Python beside it

_SOLUTION = re.compile(r"\b(BEGIN|END) (SOLUTION|MARK SCHEME)\b")
_LINE = re.compile(r"[ \t]{0,99}#\s*SOLUTION(?: NO PROMPT)?\s*$")
IGNORED = re.compile(r"#\s*IGNORE\s*$")
_PROMPT = re.compile(r'"""\s{0,9};?\s{0,9}#\s{0,9}(BEGIN|END) PROMPT')
_LABEL = re.compile(r"^\W*(?:(?:question|exercise|problem|part|task)\b\W*[\w.]*\W+)?", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]*>|[*`#$]|(?<!\w)_|_(?!\w)|!?\[|\]\([^)]*\)")
MAX_LINE_READ = 500  # characters of a line in which a title is looked for
LONGEST_TITLE = 90  # characters of a question's


@dataclass(frozen=True)
class ForeignTest:
    """The code of a test; `value` is true if the value of its last expression counts, `want` the text of that value."""

    place: int | str  # the number of its cell, or its file
    code: str
    hidden: bool = False
    value: bool = False
    want: str = ""
    points: object = None


@dataclass
class ForeignQuestion:
    """A question that becomes a check: its name in the source, a title if there is one, points if they are said, tests."""

    name: str
    title: str = ""
    points: float | None = None
    manual: bool = False
    tests: list[ForeignTest] = field(default_factory=list)

    @property
    def worth(self) -> float:
        """The points: those that the source says, the sum of its tests', or 1."""
        of_tests = [points for test in self.tests if (points := as_points(test.points)) is not None]
        return (sum(of_tests) if of_tests else 1.0) if self.points is None else self.points


@dataclass
class ForeignCell:
    """A cell of the notebook, later of the reference: `stored` is the text of the value that its last run gave."""

    number: int
    text: str
    is_code: bool = False
    is_raw: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    stored: str = ""
    question: ForeignQuestion | None = None  # that it answers
    tags: set[str] = field(default_factory=set)

    @property
    def tree(self) -> ast.Module:
        """The tree of graded code; an empty one for text and for what only shows something."""
        return parse_source(self.text if self.is_code and "demo" not in self.tags else "")


@dataclass
class Foreign:
    """An assignment as it was read; `notes` are what could not be taken, each with its place and a remedy."""

    path: Path
    cells: list[ForeignCell] = field(default_factory=list)
    questions: list[ForeignQuestion] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, place: object, what: str) -> None:
        """Add a note about a cell or a file."""
        text = f"{f'cell {place}' if isinstance(place, int) else place}: {what}"
        self.notes += [] if text in self.notes else [text]

    def ask(self, number: int, name: object, points: object) -> ForeignQuestion:
        """Add a question, which has the name of its cell if it has none."""
        self.questions.append(ForeignQuestion(str(name or f"cell_{number}"), points=as_points(points)))
        return self.questions[-1]

    def add(
        self,
        cell: ForeignCell,
        question: ForeignQuestion | None = None,
        prompt: str = "",
        *,
        whole: bool = False,
    ) -> None:
        """Add a cell with its solutions between our markers; `whole` says that it is one."""
        text = marked(cell.text, is_text=not cell.is_code, whole=whole, prompt=prompt)
        self.cells.append(replace(cell, text=text, question=question))


def notebook_at(path: Path) -> Path:
    if (link := link_in(path.parent, path)) is not None:
        raise Refused(f"{link}: this is a symbolic link; give the notebook itself")
    if path.is_dir():
        here = sorted(path.glob("[!.]*.ipynb"))
        if len(here) != 1:
            some = f" ({first_of([each.name for each in here], 3)})" if here else ""
            raise Refused(f"{path}: this folder holds {len(here)} notebooks{some}; give the path of one")
        path = here[0]
    if path.suffix != ".ipynb":
        raise Refused(
            f"{path}: this is no notebook (.ipynb); unpack an archive first, and give the notebook in it"
        )
    return path


def read_beside(path: Path, limit: int, root: Path) -> bytes:
    """Return the bytes of a plain file below `root`. Raises Refused for a link, a special or a large file."""
    try:
        return read_plain(path, limit, root)[0]
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {reason_of(error)}") from error


def read_cells(path: Path) -> list[ForeignCell]:
    """Return the cells of a notebook of format 4. Raises Refused."""
    try:
        book = json.loads(read_beside(path, MAX_FOREIGN, path.parent))
        cells = [_cell(number, cell) for number, cell in enumerate(book["cells"], start=1)]
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refused(
            f"{path}: this is no notebook of format 4; open it in Jupyter and save it again"
        ) from error
    if len(cells) > MAX_CELLS:
        raise Refused(f"{path}: it has {len(cells)} cells; an assignment has at most {MAX_CELLS}")
    language = as_table(as_table(book.get("metadata")).get("kernelspec")).get("language", "python")
    if language not in {"python", None}:
        raise Refused(f"{path}: its language is {language!s:.30}; checks test Python")
    return cells


def _cell(number: int, cell: dict[str, Any]) -> ForeignCell:
    kind, metadata = cell.get("cell_type"), as_table(cell.get("metadata"))
    outputs = [each for each in cell.get("outputs") or () if each.get("output_type") == "execute_result"]
    stored = _text(outputs[0]["data"].get("text/plain")) if outputs else ""
    return ForeignCell(number, _text(cell.get("source")), kind == "code", kind == "raw", metadata, stored)


def as_table(value: object) -> dict[str, Any]:
    """Return a table; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def _text(source: object) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n").replace("\r", "\n")


def as_points(value: object) -> float | None:
    """Return points: a number, the sum of a list, None for anything else."""
    if isinstance(value, list):
        return sum(number for each in value if (number := as_points(each)) is not None)
    return float(value) if isinstance(value, int | float) and 0 <= value <= 10_000 else None


# --- Solutions


def marked(source: str, *, is_text: bool, whole: bool, prompt: str = "") -> str:
    """Return the source of a cell with each solution between our markers, and prompts as lines of the stub.

    A cell that is a solution as a `whole` and has no marker gets them around it.
    """
    kinds = line_kinds(source)
    if whole and not any(kind != "given" for kind, _ in kinds):
        kinds = [("solution", line) for line in source.split("\n")]
    kept: list[str] = []
    for is_given, group in itertools.groupby(kinds, lambda kind: kind[0] == "given"):
        lines = list(group)
        kept += [line for _, line in lines] if is_given else _block(lines, prompt, is_text=is_text)
    return "\n".join(kept).strip("\n")


def line_kinds(source: str) -> list[tuple[str, str]]:
    """Return each line with its kind: given, solution or prompt; lines of markers alone are left out."""
    found, inside, ignoring = [], "given", False
    for line in source.split("\n"):
        if "BEGIN IGNORE" in line or "END IGNORE" in line:
            ignoring = "BEGIN" in line
        elif match := _PROMPT.search(line):
            inside = "prompt" if match[1] == "BEGIN" else "given"
        elif match := _SOLUTION.search(line):
            inside = "solution" if match[1] == "BEGIN" else "given"
            found += [("solution", "")] if match[1] == "BEGIN" else []
        elif ignoring or IGNORED.search(line):
            continue
        elif inside == "given" and _LINE.search(line):
            found.append(("solution", _LINE.sub("", line)))
        else:
            found.append((inside, line))
    return found


def _block(lines: list[tuple[str, str]], prompt: str, *, is_text: bool) -> list[str]:
    """Return one solution block: markers, the lines of the stub, the solution."""
    stub = [line for kind, line in lines if kind == "prompt"] or prompt.split("\n" if prompt else None)
    solution = "\n".join(line for kind, line in lines if kind == "solution").lstrip("\n").split("\n")
    first = next((line for line in [*solution, *stub] if line.strip()), "")
    indent = "" if is_text else first[: len(first) - len(first.lstrip())]
    if not is_text:
        stub = [line.removeprefix(indent) for line in stub]
    told = [f"{indent}# STUB: {line}" for line in stub]
    return [f"{indent}### BEGIN SOLUTION", *told, *solution, f"{indent}### END SOLUTION"]


# --- Titles


def first_sentence(text: str) -> str:
    """Return the first sentence of a text of Markdown, without its markup; a heading counts where nothing else is."""
    lines = [line for line in text.split("\n") if line.strip() and set(line.strip()) - set("-=*_$")]
    lines = [line for line in lines if not line.startswith("#")] or lines
    plain = _LABEL.sub("", _MARKUP.sub("", lines[0][:MAX_LINE_READ] if lines else "")).strip()
    sentence = shorten(re.split(r"(?<=[.?!:])\s", plain)[0].rstrip(" :"), LONGEST_TITLE, placeholder=" ...")
    return "".join(letter for letter in sentence if letter.isprintable())
