"""The source notebooks of nbgrader and of otter-grader, read as assignments. Nothing of them is executed.

nbgrader marks cells in their metadata (`grade`, `solution`, `task`) and regions by `BEGIN SOLUTION` and `BEGIN HIDDEN
TESTS`. Otter marks areas by raw cells that begin with `# BEGIN QUESTION`, lines by `# SOLUTION`; jassign, before it, has
the question in a cell of text and tests that begin with `# TEST`. Tests in files are the `test` of `tests/NAME.py`.
"""

from __future__ import annotations

import ast
import doctest
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.authoring.foreign import (
    IGNORED,
    MAX_BESIDE,
    Foreign,
    ForeignCell,
    ForeignQuestion,
    ForeignTest,
    as_table,
    first_sentence,
    notebook_at,
    read_beside,
    read_cells,
)
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_TESTS = 500  # files with tests
MAX_CONFIG = 10_000  # characters of YAML
_HIDDEN = re.compile(r"#.*\b(BEGIN|END) HIDDEN TESTS\b")
_AUTOTEST = re.compile(r"#+ *(?:HASHED +)?AUTOTEST +(.*)")
_AREA = re.compile(r"#\s*(BEGIN|END|ASSIGNMENT) (QUESTION|SOLUTION|PROMPT|TEST|CONFIG)S?\b")
_IN_TEXT = re.compile(r"(?:```|<!--)\s{0,9}#?\s{0,9}BEGIN QUESTION\s{0,9}\n(.*?)(?:```|-->)", re.DOTALL)
_CONFIG = re.compile(r'"""\s*#\s*BEGIN TEST CONFIG\n(.*?)"""\s*#\s*END TEST CONFIG[^\n]*\n?', re.DOTALL)
_OLD_TEST = re.compile(r"\s*#+\s*(HIDDEN\s+)?TEST\b.*\n?")
_HIDDEN_CELL = re.compile(r"\s*#+\s*(HIDDEN)\b.*\n?")
_CHECKED = re.compile(r"""\bgrader\.check\(["']([^"']+)["']\)""")
_OTTERS = re.compile(r"^\s*(import otter\b.*|grader\s*=\s*otter\..*|grader\.\w+\(.*|#\s*Initialize Otter.*)$")
_PRINTS = re.compile(r"\s*(print|for|while|if|with|try|import|from|def|class)\b")  # what shows text, no value


def read_foreign(path: Path) -> Foreign:
    """Return the assignment in a notebook, or in a folder with one. Raises Refused."""
    found = Foreign(notebook_at(absolute(path)))
    raw = read_cells(found.path)
    if any(isinstance(cell.metadata.get("nbgrader"), dict) for cell in raw):
        _read_nbgrader(raw, found)
    else:
        _Otter(found).read(raw)
    if not any(question.tests for question in found.questions):
        raise Refused(
            f"{found.path}: it has no tests of nbgrader's or otter's; give the notebook with the solutions"
        )
    return found


# --- nbgrader


def _read_nbgrader(raw: list[ForeignCell], found: Foreign) -> None:
    for cell in raw:
        own = as_table(cell.metadata.get("nbgrader"))
        graded, solution, task = (own.get(key) is True for key in ("grade", "solution", "task"))
        question = (
            found.ask(cell.number, own.get("grade_id"), own.get("points") or 0) if graded or task else None
        )
        if question and cell.is_code and not solution and not task:
            question.tests = list(_regions(cell.text, cell.number))
            continue
        if question:
            above = [each.text for each in found.cells if not each.is_code][-1:]
            question.manual, question.title = True, first_sentence("".join([cell.text] if task else above))
        prompt, whole = "" if cell.is_code else "YOUR ANSWER HERE", (graded or solution) and not task
        found.add(cell, None if task else question, prompt, whole=whole)


def _regions(text: str, place: int) -> Iterator[ForeignTest]:
    """Yield the visible part of a test cell, its hidden part, and what nbgrader's `AUTOTEST` asks for."""
    parts: dict[bool, list[str]] = {False: [], True: []}
    hidden, asked = False, []
    for line in text.split("\n"):
        if "HIDDEN TESTS" in line and (match := _HIDDEN.search(line)):
            hidden = match[1] == "BEGIN"
        elif "AUTOTEST" in line and (match := _AUTOTEST.search(line)):
            asked += [(each.strip(), hidden or "HASHED" in line) for each in match[1].split(";")]
        else:
            parts[hidden].append(line)
    codes = {side: "\n".join(lines).strip("\n") for side, lines in parts.items()}
    yield from (ForeignTest(place, code, side) for side, code in codes.items() if code.strip())
    yield from (ForeignTest(place, code, side, value=True) for code, side in asked)


# --- Otter


class _Otter:
    """Reads otter's cells one after the other; `area` is the one that the cell stands in."""

    def __init__(self, found: Foreign) -> None:
        self.found, self.area, self.prompt = found, "", ""
        self.question: ForeignQuestion | None = None
        self.old = False  # the question began in a cell of text, as jassign has it
        self.files: set[str] = set()  # names of questions whose tests are in files

    def read(self, raw: list[ForeignCell]) -> None:
        for cell in raw:
            area = _AREA.match(cell.text.strip()) if cell.is_raw else None
            if area and area[2] == "QUESTION":
                self.end(cell.number)
                if area[1] == "BEGIN":
                    self.begin(cell.number, cell.text.strip().partition("\n")[2])
            elif area:
                self.area = area[2] if area[1] == "BEGIN" else ""
            elif cell.is_code:
                self.code(cell)
            else:
                self.text(cell)
        self.end(len(raw))
        self.read_files()

    def begin(self, number: int, yaml: str) -> None:
        config = _config(yaml)
        self.question = self.found.ask(number, config.get("name"), config.get("points"))
        self.question.manual = config.get("manual") is True

    def end(self, number: int) -> None:
        """Leave the question; one that is marked by hand and has no cell for the answer gets one."""
        if self.question:
            self.answer(ForeignCell(number, ""), self.prompt or "Your answer:")
        self.question, self.area, self.old, self.prompt = None, "", False, ""

    def wants_answer(self) -> bool:
        asked = self.question is not None and self.question.manual
        return asked and all(cell.question is not self.question for cell in self.found.cells)

    def text(self, cell: ForeignCell) -> None:
        tags = str(cell.metadata.get("tags"))
        if match := _IN_TEXT.search(cell.text):
            self.end(cell.number)
            self.begin(cell.number, match[1])
            cell.text, self.old = cell.text.replace(match[0], "").strip("\n"), True
        elif "otter_answer_cell" in tags or self.area == "PROMPT":
            self.prompt = cell.text
            return
        elif "otter_include" not in tags and (
            self.area == "SOLUTION"
            or "otter_assign_solution_cell" in tags
            or (self.old and self.wants_answer())
        ):
            self.answer(cell, self.prompt or "_Type your answer here, replacing this text._")
            return
        elif self.old:
            self.end(cell.number)
        if self.question and not self.question.title:
            self.question.title = first_sentence(cell.text)
        self.found.add(cell)

    def answer(self, cell: ForeignCell, prompt: str) -> None:
        """Take a solution in words; beside code it is left out of both notebooks."""
        if self.question is None:
            self.found.note(
                cell.number, "an answer in words without a question's name is left out; ask for it by hand"
            )
        elif self.wants_answer():
            self.found.add(cell, self.question, prompt, whole=True)

    def code(self, cell: ForeignCell) -> None:
        old = _OLD_TEST.match(cell.text) if self.old else None
        if self.area == "TEST" or old:
            self.test(cell, _OLD_TEST if old else _HIDDEN_CELL)
            return
        self.files |= {*_CHECKED.findall(cell.text)}
        kept = "\n".join(line for line in cell.text.split("\n") if not _OTTERS.match(line))
        by_hand = self.question if self.question and self.question.manual else None
        if kept.strip() or not cell.text.strip():
            self.found.add(replace(cell, text=kept), by_hand, whole=by_hand is not None)

    def test(self, cell: ForeignCell, mark: re.Pattern[str]) -> None:
        config = _config(match[1]) if (match := _CONFIG.search(cell.text)) else {}
        code = _CONFIG.sub("", cell.text)
        marked = mark.match(code)
        hidden = config.get("hidden") is True or bool(marked and marked[1])
        lines = [line for line in mark.sub("", code, count=1).split("\n") if not IGNORED.search(line)]
        test = ForeignTest(
            cell.number,
            "\n".join(lines).strip("\n"),
            hidden,
            True,
            cell.stored,
            config.get("points"),
        )
        if self.question is None:
            self.found.note(cell.number, "a test outside of a question; move it into one")
        elif test.code.strip():
            self.question.tests.append(test)

    def read_files(self) -> None:
        """Read the tests of files: those that cells name, and the others in `tests/`."""
        known = {question.name for question in self.found.questions if question.tests}
        for path in sorted((self.found.path.parent / "tests").glob("*.py"))[:MAX_TESTS]:
            if path.stem not in known | {"__init__"}:
                self.read_ok(path)
            known.add(path.stem)
        for name in sorted(self.files - known):
            self.found.note(f"grader.check({name!r})", f"there is no tests/{name}.py beside the notebook")

    def read_ok(self, path: Path) -> None:
        """Add the question of a file of tests, `test = {...}`, by its syntax tree. Raises Refused."""
        place = f"tests/{path.name}"
        source = read_beside(path, MAX_BESIDE, self.found.path.parent)
        try:
            nodes = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
            [table] = [
                ast.literal_eval(node.value) for node in nodes if ast.unparse(node.targets[0]) == "test"
            ]
            cases = [
                (case["code"], any(each.get("hidden") for each in (case, suite, table)))
                for suite in table["suites"]
                for case in suite["cases"]
            ]
            tests = [test for code, hidden in cases for test in self.examples(code, place, hidden=hidden)]
            if any(suite.get("setup") or suite.get("teardown") for suite in table["suites"]):
                self.found.note(
                    place, "its `setup` and `teardown` are left out; write what tests need into them"
                )
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
            self.found.note(
                place, "its `test` is not a table of plain values with examples; write its check by hand"
            )
        else:
            if tests:
                self.found.ask(0, path.stem, table.get("points")).tests = tests

    def examples(self, code: str, place: str, *, hidden: bool) -> Iterator[ForeignTest]:
        """Yield the tests of a text of examples: the statements before each value, and the value."""
        before, is_alone = "", True
        for example in doctest.DocTestParser().get_examples(code):
            if example.exc_msg is not None or (example.want and _PRINTS.match(example.source)):
                self.found.note(
                    place,
                    f"`{example.source.strip():.60}` expects an error or printed text; write its test by hand",
                )
            elif example.want:
                is_alone = False
                yield ForeignTest(
                    place, before + example.source, hidden, value=True, want=example.want.strip()
                )
            else:
                before += example.source
        if before and is_alone:
            yield ForeignTest(place, before.strip("\n"), hidden, value=True, want="None")


def _config(text: str) -> dict[str, Any]:
    """Return the table that a text of YAML holds; an empty one for any other text."""
    import yaml  # late: only this command needs it here

    try:
        return as_table(yaml.safe_load(text[:MAX_CONFIG]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
