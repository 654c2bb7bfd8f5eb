"""An assignment made for nbgrader or otter-grader, as data: cells, questions, solutions between our markers.

Nothing of it is executed. nbgrader marks cells in their metadata (`grade`, `solution`, `task`) and regions by `BEGIN
SOLUTION` and `BEGIN HIDDEN TESTS`. Otter marks areas by raw cells that begin with `# BEGIN QUESTION`, lines by `#
SOLUTION`. Tests in files are the `test` of `tests/NAME.py`.
"""

from __future__ import annotations

import ast
import doctest
import itertools
import json
import re
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from grader.authoring.reference import parse_source
from grader.errors import Refused, first_of, reason_of
from grader.files import absolute, link_in, read_plain
from grader.submissions.notebook import MAX_CELLS
from grader.submissions.submission import indent_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FOREIGN = 16 << 20  # bytes of a notebook, with its outputs
MAX_BESIDE = 256 << 10  # bytes of a file of Python beside it
MAX_TESTS = 500  # files with tests
MAX_CONFIG = 10_000  # characters of YAML
MAX_LINE_READ = 500  # characters of a line in which a title is looked for

_MARK = re.compile(r"\b(BEGIN|END) (SOLUTION|MARK SCHEME|PROMPT|IGNORE)\b")
_KINDS = {"IGNORE": "ignored", "PROMPT": "prompt", "SOLUTION": "solution", "MARK SCHEME": "solution"}
_LINE = re.compile(r"[ \t]{0,99}#\s*SOLUTION(?: NO PROMPT)?\s*$")
_IGNORED = re.compile(r"#\s*IGNORE\s*$")
_HIDDEN = re.compile(r"\b(BEGIN|END) HIDDEN TESTS\b")
_AUTOTEST = re.compile(r"# *(?:HASHED +)?AUTOTEST +(.*)")
_AREA = re.compile(r"#\s*(BEGIN|END|ASSIGNMENT) (QUESTION|SOLUTION|PROMPT|TEST|CONFIG)S?\b")
_MARKUP = re.compile(r"<[^>]*>|[*`$]|(?<!\w)_|_(?!\w)|!?\[|\]\([^)]*\)")
_IN_TEXT = re.compile(r"(```|<!--)\s{0,9}#?\s{0,9}BEGIN QUESTION[ \t]{0,9}\n")
_CONFIG = re.compile(r'"""\s*#\s*BEGIN TEST CONFIG\n(.*?)"""\s*#\s*END TEST CONFIG[^\n]*\n?', re.DOTALL)
_HIDDEN_CELL = re.compile(r"\s*#+\s*HIDDEN\b")
_CHECKED = re.compile(r"""\bgrader\.check\(["']([^"']+)["']\)""")
_OTTERS = re.compile(r"^\s*(import otter\b.*|grader\s*=\s*otter\..*|grader\.\w+\(.*|#\s*Initialize Otter.*)$")
_PRINTS = re.compile(r"\s*(print|for|while|if|with|try|import|from|def|class)\b")  # these show text, no value


@dataclass(frozen=True)
class ForeignTest:
    """The code of a test. `want` is the text of its last expression's value: empty if unknown, None if it is not compared."""

    place: int | str  # the number of its cell, or its file
    code: str
    hidden: bool = False
    want: str | None = None


@dataclass
class ForeignQuestion:
    """A question that becomes a check: its name in the source, its points and title if it has them, its tests."""

    name: str
    points: float | None
    manual: bool = False
    title: str = ""
    shares: list[object] = field(default_factory=list)  # points of single tests

    @property
    def worth(self) -> float:
        """The points: its own, else the sum of its tests', else 1."""
        of_tests = _as_points(self.shares)
        return next(each for each in (self.points, of_tests, 1.0) if each is not None)

    tests: list[ForeignTest] = field(default_factory=list)


@dataclass
class ForeignCell:
    """A cell of the notebook, later of the reference."""

    number: int
    kind: str  # code, markdown, raw
    text: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    question: ForeignQuestion | None = None  # the one that it answers
    tags: set[str] = field(default_factory=set)

    @property
    def tree(self) -> ast.Module:
        """The tree of graded code. Empty for text and for a demo cell."""
        return parse_source(self.text if self.kind == "code" and "demo" not in self.tags else "")


@dataclass
class Foreign:
    """An assignment of another tool. Each of the `notes` names something that is not carried over, its place, a remedy."""

    path: Path
    cells: list[ForeignCell] = field(default_factory=list)
    questions: list[ForeignQuestion] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """The text of the first heading of the notebook; empty if it has none."""
        lines = [line for cell in self.cells if cell.kind != "code" for line in cell.text.split("\n")]
        found = next((line for line in lines if re.match(r"#{1,3} +\S", line)), "")
        return _plain(found.strip("# \t"))

    def note(self, place: object, what: str) -> None:
        """Add a note about a cell or a file."""
        text = f"{f'cell {place}' if isinstance(place, int) else place}: {what}"
        self.notes += [] if text in self.notes else [text]

    def ask(self, number: int, name: object, points: object, *, manual: bool = False) -> ForeignQuestion:
        """Add a question. One without a name gets the number of its cell."""
        self.questions.append(ForeignQuestion(str(name or f"cell_{number}"), _as_points(points), manual))
        return self.questions[-1]

    def add(
        self, cell: ForeignCell, question: ForeignQuestion | None, prompt: str = "", *, whole: bool
    ) -> None:
        """Add a cell with its solutions between our markers. `whole`: a cell without a marker is all solution."""
        kinds = _line_kinds(cell.text)
        if whole and all(kind == "given" for kind, _ in kinds):
            kinds = [("solution", line) for line in cell.text.split("\n")]
        kept: list[str] = []
        for is_given, group in itertools.groupby(kinds, lambda kind: kind[0] == "given"):
            lines = list(group)
            kept += (
                [line for _, line in lines]
                if is_given
                else _block(lines, prompt, is_text=cell.kind != "code")
            )
        self.cells.append(replace(cell, text="\n".join(kept).strip("\n"), question=question))


def read_foreign(path: Path) -> Foreign:
    """Return the assignment in a notebook, or in a folder with one. Raises Refused."""
    found = Foreign(_notebook_at(absolute(path)))
    raw = _read_cells(found.path)
    in_text = [cell for cell in raw if cell.kind != "code" and _IN_TEXT.search(cell.text)]
    if in_text:
        what = f"cell {in_text[0].number} is text and begins a question, as in jassign"
        raise Refused(f"{found.path}: {what}; put the question's lines into a raw cell")
    if any(isinstance(cell.metadata.get("nbgrader"), dict) for cell in raw):
        _read_nbgrader(raw, found)
    else:
        _read_ok_files(found, _read_otter(raw, found))
    if not any(question.tests for question in found.questions):
        raise Refused(
            f"{found.path}: this notebook has no tests of nbgrader or otter; give the notebook with the solutions"
        )
    return found


# --- The notebook


def _notebook_at(path: Path) -> Path:
    if (link := link_in(path.parent, path)) is not None:
        raise Refused(f"{link}: this is a symbolic link; give the notebook itself")
    here = sorted(path.glob("[!.]*.ipynb")) if path.is_dir() else [path]
    if len(here) != 1:
        some = f" ({first_of([each.name for each in here], 3)})" if here else ""
        raise Refused(f"{path}: this folder holds {len(here)} notebooks{some}; give the path of one")
    if here[0].suffix != ".ipynb":
        raise Refused(
            f"{path}: this is not a notebook (.ipynb); unpack an archive first, and give the notebook in it"
        )
    return here[0]


def read_beside(path: Path, limit: int, root: Path) -> bytes:
    """Return the bytes of a plain file below `root`. Raises Refused for a link, a special or a large file."""
    try:
        return read_plain(path, limit, root)[0]
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {reason_of(error)}") from error


def _read_cells(path: Path) -> list[ForeignCell]:
    try:
        book = json.loads(read_beside(path, MAX_FOREIGN, path.parent))
        cells = [_cell(number, cell) for number, cell in enumerate(book["cells"], start=1)]
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refused(
            f"{path}: this is not a notebook of format 4; open the file in Jupyter and save it again"
        ) from error
    if len(cells) > MAX_CELLS:
        raise Refused(f"{path}: it has {len(cells)} cells; an assignment has at most {MAX_CELLS}")
    return cells


def _cell(number: int, cell: dict[str, Any]) -> ForeignCell:
    kind = str(cell.get("cell_type"))
    return ForeignCell(number, kind, _text(cell.get("source")), _as_table(cell.get("metadata")))


def _as_table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(source: object) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n").replace("\r", "\n")


def _as_points(value: object) -> float | None:
    """Return points: a number, the sum of a list, None for anything else."""
    numbers = [
        each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int | float)
    ]
    return sum(float(each) for each in numbers if 0 <= each <= 10_000) if numbers else None


# --- nbgrader


def _read_nbgrader(raw: list[ForeignCell], found: Foreign) -> None:
    for cell in raw:
        own = _as_table(cell.metadata.get("nbgrader"))
        graded, solution, task = (own.get(key) is True for key in ("grade", "solution", "task"))
        is_test = cell.kind == "code" and not solution and not task
        name, points = own.get("grade_id"), own.get("points") or 0
        question = found.ask(cell.number, name, points, manual=not is_test) if graded or task else None
        if question and is_test:
            question.tests = _regions(cell.text, cell.number)
            continue
        prompt, whole = "" if cell.kind == "code" else "YOUR ANSWER HERE", (graded or solution) and not task
        found.add(cell, None if task else question, prompt, whole=whole)


def _regions(text: str, place: int) -> list[ForeignTest]:
    """Return the visible part of a test cell, its hidden part, and the expressions of nbgrader's `AUTOTEST`."""
    parts, hidden = {False: "", True: ""}, False
    asked: list[ForeignTest] = []
    for line in text.split("\n"):
        if match := _HIDDEN.search(line):
            hidden = match[1] == "BEGIN"
        elif match := _AUTOTEST.search(line):
            asked += [
                ForeignTest(place, each.strip(), hidden or "HASHED" in line, "")
                for each in match[1].split(";")
            ]
        else:
            parts[hidden] += f"{line}\n"
    return [ForeignTest(place, code, side) for side, code in parts.items() if code.strip()] + asked


# --- Otter


def _read_otter(raw: list[ForeignCell], found: Foreign) -> set[str]:
    """Read otter's cells. Return the names of the questions that cells check."""
    question, area, prompt = None, "", ""
    checked: set[str] = set()
    for cell in [*raw, ForeignCell(len(raw), "raw", "# END QUESTION")]:
        mark = _AREA.match(cell.text.strip()) if cell.kind == "raw" else None
        tags = str(cell.metadata.get("tags"))
        by_hand = question if question and question.manual else None
        wants_answer = by_hand is not None and all(each.question is not by_hand for each in found.cells)
        if mark and mark[2] == "QUESTION":
            if wants_answer:
                found.add(ForeignCell(cell.number, "markdown"), by_hand, prompt or "Your answer:", whole=True)
            config = _config(cell.text.strip().partition("\n")[2])
            name, points, manual = (config.get(key) for key in ("name", "points", "manual"))
            begins = mark[1] == "BEGIN"
            question = found.ask(cell.number, name, points, manual=manual is True) if begins else None
            area, prompt = "", ""
        elif mark:
            area = mark[2] if mark[1] == "BEGIN" else ""
        elif cell.kind == "code" and area == "TEST":
            _add_test(cell, question, found)
        elif cell.kind == "code":
            checked |= {*_CHECKED.findall(cell.text)}
            kept = "\n".join(line for line in cell.text.split("\n") if not _OTTERS.match(line))
            if kept.strip() or not cell.text.strip():
                found.add(replace(cell, text=kept), by_hand, whole=by_hand is not None)
        elif area == "PROMPT" or "otter_answer_cell" in tags:
            prompt = cell.text
        elif "otter_include" in tags or not (area == "SOLUTION" or "otter_assign_solution_cell" in tags):
            if question and not question.title:
                question.title = _plain(cell.text)
            found.add(cell, None, whole=False)
        elif wants_answer:
            found.add(cell, by_hand, prompt or "_Type your answer here, replacing this text._", whole=True)
        elif question is None:
            found.note(
                cell.number,
                "an answer in words that belongs to no question is left out; write a manual check",
            )
    return checked


def _add_test(cell: ForeignCell, question: ForeignQuestion | None, found: Foreign) -> None:
    config = _config(match[1]) if (match := _CONFIG.search(cell.text)) else {}
    code = _CONFIG.sub("", cell.text)
    hidden = config.get("hidden") is True or _HIDDEN_CELL.match(code) is not None
    code = "\n".join(line for line in code.split("\n") if not _IGNORED.search(line))
    if question is None:
        found.note(cell.number, "a test outside of a question is left out; move this test into a question")
    elif code.strip():
        question.tests.append(ForeignTest(cell.number, code, hidden, ""))
        question.shares += [config["points"]] if "points" in config else []


def _config(text: str) -> dict[str, Any]:
    """Return the table that a text of YAML holds. Empty for any other text."""
    import yaml  # late: only this command needs it here

    try:
        return _as_table(yaml.safe_load(text[:MAX_CONFIG]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _read_ok_files(found: Foreign, checked: set[str]) -> None:
    """Read the tests of questions in files `tests/NAME.py` by their syntax trees. Raises Refused."""
    known = {question.name for question in found.questions if question.tests}
    paths = sorted((found.path.parent / "tests").glob("*.py"))[:MAX_TESTS]
    for path in (each for each in paths if each.stem not in known | {"__init__"}):
        source = read_beside(path, MAX_BESIDE, found.path.parent)
        try:
            nodes = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
            [table] = [
                ast.literal_eval(node.value) for node in nodes if ast.unparse(node.targets[0]) == "test"
            ]
            tests = list(_ok_tests(table, f"tests/{path.name}", found))
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            RecursionError,
            SyntaxError,
            TypeError,
            ValueError,
        ):
            what = "this file has no dictionary `test = {...}` of plain values with examples; write its check by hand"
            found.note(f"tests/{path.name}", what)
        else:
            found.ask(0, path.stem, table.get("points")).tests = tests
    for name in sorted(checked - known - {path.stem for path in paths}):
        found.note(
            f"grader.check({name!r})",
            f"there is no tests/{name}.py beside the notebook; write this check by hand",
        )


def _ok_tests(table: dict[str, Any], place: str, found: Foreign) -> Iterator[ForeignTest]:
    """Yield the tests of a table: the statements before each value, and the value."""
    for suite, case in [(each, case) for each in table["suites"] for case in each["cases"]]:
        hidden, before = any(each.get("hidden") for each in (case, suite, table)), ""
        if suite.get("setup") or suite.get("teardown"):
            raise ValueError("a test needs them")
        examples = doctest.DocTestParser().get_examples(case["code"])
        for example in examples:
            if example.exc_msg is not None or (example.want and _PRINTS.match(example.source)):
                what = "expects an error or printed text; write its test by hand"
                found.note(place, f"`{example.source.strip():.60}` {what}")
            elif example.want:
                yield ForeignTest(place, before + example.source, hidden, example.want.strip())
            else:
                before += example.source
        if before and ("assert" in before or not any(example.want for example in examples)):
            yield ForeignTest(place, before, hidden)


# --- Solutions


def _line_kinds(source: str) -> list[tuple[str, str]]:
    """Return each line with its kind: given, solution or prompt. Lines that are only markers are left out."""
    found, kind = [], "given"
    areas: set[str] = set()
    for line in source.split("\n"):
        if match := _MARK.search(line):
            (areas.add if match[1] == "BEGIN" else areas.discard)(match[2])
            kind = next((kind for area, kind in _KINDS.items() if area in areas), "given")
            found += [(kind, "")] if kind == "solution" else []
        elif kind == "given" and _LINE.search(line):
            found.append(("solution", _LINE.sub("", line)))
        elif kind != "ignored" and not _IGNORED.search(line):
            found.append((kind, line))
    return found


def _block(lines: list[tuple[str, str]], prompt: str, *, is_text: bool) -> list[str]:
    """Return one solution block: markers, the lines of the stub, the solution."""
    stub = [line for kind, line in lines if kind == "prompt"] or prompt.split("\n" if prompt else None)
    solution = "\n".join(line for kind, line in lines if kind == "solution").lstrip("\n").split("\n")
    first = next((line for line in [*solution, *stub] if line.strip()), "")
    indent = "" if is_text else first[: indent_of(first)]
    told = [f"{indent}# STUB: {line.removeprefix(indent)}" for line in stub]
    return [f"{indent}### BEGIN SOLUTION", *told, *solution, f"{indent}### END SOLUTION"]


def _plain(text: str) -> str:
    """Return the first line of Markdown that is no heading, without its markup."""
    lines = [line for line in text.split("\n") if re.search(r"\w", line) and not line.startswith("#")]
    line = _MARKUP.sub("", lines[0][:MAX_LINE_READ]) if lines else ""
    return shorten("".join(letter for letter in line if letter.isprintable()), 90, placeholder=" ...")
