"""The source notebooks of nbgrader and of otter-grader, read as assignments. Nothing of them is executed.

nbgrader marks cells in their metadata (`grade`, `solution`, `task`) and regions by `BEGIN SOLUTION` and `BEGIN HIDDEN
TESTS`. Otter marks areas by raw cells that begin with `# BEGIN QUESTION`, lines by `# SOLUTION`; jassign, before it, has
the question in a cell of text and tests that begin with `# TEST`. Tests in files are the `test` of `tests/NAME.py`.
"""

from __future__ import annotations

import ast
import doctest
import re
from typing import TYPE_CHECKING, Any

from grader.authoring.foreign import (
    IGNORED,
    MAX_BESIDE,
    Foreign,
    ForeignCell,
    ForeignQuestion,
    ForeignTest,
    as_points,
    as_table,
    first_sentence,
    line_kinds,
    marked,
    notebook_at,
    read_beside,
    read_source_cells,
)
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    from pathlib import Path

    from grader.authoring.foreign import SourceCell

MAX_TESTS = 500  # files with tests
MAX_CONFIG = 10_000  # characters of YAML
_HIDDEN = re.compile(r"#.*\b(BEGIN|END) HIDDEN TESTS\b")
_AUTOTEST = re.compile(r"#+ *(?:HASHED +)?AUTOTEST +(.*)")
_AREA = re.compile(r"#\s*(ASSIGNMENT CONFIG|(?:BEGIN|END) (?:QUESTION|SOLUTION|PROMPT|TESTS?))\b")
_IN_TEXT = re.compile(r"(?:```|<!--)\s{0,9}#?\s{0,9}BEGIN QUESTION\s{0,9}\n(.*?)(?:```|-->)", re.DOTALL)
_CONFIG = re.compile(r'"""\s*#\s*BEGIN TEST CONFIG\n(.*?)"""\s*#\s*END TEST CONFIG[^\n]*\n?', re.DOTALL)
_OLD_TEST = re.compile(r"\s*#+\s*(HIDDEN\s+)?TEST\b.*\n?")
_HIDDEN_CELL = re.compile(r"\s*#+\s*HIDDEN\b.*\n?")
_CHECKED = re.compile(r"""\bgrader\.check\(["']([^"']+)["']\)""")
_OTTERS = re.compile(r"^\s*(import otter\b.*|grader\s*=\s*otter\..*|grader\.\w+\(.*|#\s*Initialize Otter.*)$")


def read_foreign(path: Path) -> Foreign:
    """Return the assignment in a notebook, or in a folder with one. Raises Refused."""
    path = notebook_at(absolute(path))
    raw = read_source_cells(path)
    found = Foreign(path)
    texts = [cell.text for cell in raw]
    if any(isinstance(cell.metadata.get("nbgrader"), dict) for cell in raw):
        _read_nbgrader(raw, found)
    elif any(_AREA.match(text) or _IN_TEXT.search(text) or _CHECKED.search(text) for text in texts):
        _Otter(found).read(raw)
    else:
        raise Refused(
            f"{path}: this notebook is neither nbgrader's source nor otter's; give the one with the solutions"
        )
    if not any(question.tests for question in found.questions):
        raise Refused(f"{path}: it has no tests, and an assignment needs at least one check with a test")
    return found


# --- nbgrader


def _read_nbgrader(raw: list[SourceCell], found: Foreign) -> None:
    for number, is_code, _, text, metadata, _ in raw:
        own = as_table(metadata.get("nbgrader"))
        graded, solution, task = (own.get(key) is True for key in ("grade", "solution", "task"))
        if not graded and not task:
            if solution and is_code and not _has_solution(text):
                found.note(number, "this solution is empty, so there is no reference; write it")
            found.cells.append(
                ForeignCell(number, marked(text, is_text=not is_code, whole=solution), is_code)
            )
            continue
        question = ForeignQuestion(
            str(own.get("grade_id") or f"cell_{number}"), points=as_points(own.get("points")) or 0.0
        )
        found.questions.append(question)
        if is_code and not solution:
            question.tests = list(_regions(text, number))
            continue
        question.manual, question.title = True, first_sentence(text if task else _heading_above(found))
        question.answered = not task
        answer = marked(
            text, is_text=not is_code, whole=not task, prompt="" if is_code else "YOUR ANSWER HERE"
        )
        found.cells.append(ForeignCell(number, answer, is_code, None if task else question))


def _has_solution(text: str) -> bool:
    kinds = line_kinds(text)
    return any(kind == "solution" and line.strip() for kind, line in kinds) or all(
        k == "given" for k, _ in kinds
    )


def _regions(text: str, number: int) -> list[ForeignTest]:
    """Return the visible part of a test cell, its hidden part, and what nbgrader's `AUTOTEST` asks for."""
    parts: dict[bool, list[str]] = {False: [], True: []}
    hidden, asked = False, []
    for line in text.split("\n"):
        if "HIDDEN TESTS" in line and (match := _HIDDEN.search(line)):
            hidden = match[1] == "BEGIN"
        elif "AUTOTEST" in line and (match := _AUTOTEST.search(line)):
            asked += [
                ForeignTest(f"cell {number}", each.strip(), hidden or "HASHED" in line, value=True)
                for each in match[1].split(";")
            ]
        else:
            parts[hidden].append(line)
    codes = {side: "\n".join(lines).strip("\n") for side, lines in parts.items()}
    return [ForeignTest(f"cell {number}", code, side) for side, code in codes.items() if code.strip()] + asked


def _heading_above(found: Foreign) -> str:
    return next((cell.text for cell in reversed(found.cells) if not cell.is_code), "")


# --- Otter


class _Otter:
    """Reads otter's cells one after the other; `area` is the one that the cell stands in."""

    def __init__(self, found: Foreign) -> None:
        self.found, self.area = found, ""
        self.question: ForeignQuestion | None = None
        self.sums = False  # the points of its tests are those of the question
        self.old = False  # the question began in a cell of text, as jassign has it
        self.prompt = ""
        self.files: list[str] = []  # names of questions whose tests are in files

    def read(self, raw: list[SourceCell]) -> None:
        for number, is_code, is_raw, text, metadata, stored in raw:
            area = _AREA.match(text.strip())
            if is_raw and area:
                self.enter(number, area[1], text)
            elif not is_code:
                self.text(number, text, metadata.get("tags"))
            else:
                self.code(number, text, stored)
        self.end(len(raw))
        self.read_files()

    def enter(self, number: int, word: str, text: str) -> None:
        if word == "BEGIN QUESTION":
            self.end(number)
            self.begin(number, text.strip().partition("\n")[2])
        elif word == "END QUESTION":
            self.end(number)
        elif word == "ASSIGNMENT CONFIG":
            if "seed" in _config(text):
                self.found.note(
                    number, "otter gives students another seed; here they have that of the notebook"
                )
        else:
            self.area = word.partition(" ")[2].rstrip("S") if word.startswith("BEGIN") else ""

    def begin(self, number: int, yaml: str, *, old: bool = False) -> None:
        config = _config(yaml)
        self.old = old
        self.question = ForeignQuestion(
            str(config.get("name") or f"cell_{number}"),
            points=as_points(config.get("points")),
            manual=config.get("manual") is True,
        )
        self.sums = self.question.points is None
        self.found.questions.append(self.question)

    def end(self, number: int) -> None:
        """Leave the question; one that is marked by hand and has no cell for the answer gets one."""
        question, self.question, self.area, self.old = self.question, None, "", False
        if question is None:
            return
        if question.manual and not question.answered:
            text = marked("", is_text=True, whole=True, prompt=self.prompt or "Your answer:")
            self.found.cells.append(ForeignCell(number, text, is_code=False, question=question))
        self.prompt = ""
        if not question.manual and not question.tests:
            self.found.note(number, f"question {question.name} has no tests")

    def text(self, number: int, text: str, tags: object) -> None:
        tags = tags if isinstance(tags, list) else []
        if match := _IN_TEXT.search(text):
            self.end(number)
            text = (text[: match.start()] + text[match.end() :]).strip("\n")
            self.begin(number, match[1], old=True)
        elif "otter_assign_solution_cell" in tags and self.question is None:
            self.question = ForeignQuestion(
                f"cell_{number}", first_sentence(_heading_above(self.found)), manual=True
            )
            self.found.questions.append(self.question)
            self.found.note(
                number, "an answer in words without a question's name: it is a check with 1 point"
            )
            self.answer(number, text)
            self.end(number)
            return
        elif "otter_answer_cell" in tags or self.area == "PROMPT":
            self.prompt = text
            return
        elif self.area == "SOLUTION" or (
            self.old and self.question and self.question.manual and not self.question.answered
        ):
            if "otter_include" not in tags:
                self.answer(number, text)
                return
        elif self.old:
            self.end(number)
        if self.question and not self.question.title:
            self.question.title = first_sentence(text)
        self.found.cells.append(ForeignCell(number, text, is_code=False))

    def answer(self, number: int, text: str) -> None:
        """Take a solution in words; beside code it is left out of both notebooks."""
        if self.question and self.question.manual and not self.question.answered:
            self.question.answered = True
            prompt = self.prompt or "_Type your answer here, replacing this text._"
            text = marked(text, is_text=True, whole=True, prompt=prompt)
            self.found.cells.append(ForeignCell(number, text, is_code=False, question=self.question))

    def code(self, number: int, text: str, stored: str) -> None:
        if self.area == "TEST" or (self.question and self.old and _OLD_TEST.match(text)):
            self.test(number, text, stored)
            return
        self.files += _CHECKED.findall(text)
        kept = "\n".join(line for line in text.split("\n") if not _OTTERS.match(line))
        if text.strip() and not kept.strip():
            return
        by_hand = self.question if self.question and self.question.manual else None
        if by_hand:
            by_hand.answered = True
        self.found.cells.append(
            ForeignCell(number, marked(kept, is_text=False, whole=by_hand is not None), True, by_hand)
        )

    def test(self, number: int, text: str, stored: str) -> None:
        if self.question is None:
            self.found.note(number, "a test outside of a question; move it into one")
            return
        config = _config(match[1]) if (match := _CONFIG.search(text)) else {}
        code = _CONFIG.sub("", text)
        old = _OLD_TEST.match(code) if self.old else None
        hidden = config.get("hidden") is True or bool(old and old[1]) or bool(_HIDDEN_CELL.match(code))
        code = (_OLD_TEST if old else _HIDDEN_CELL).sub("", code, count=1)
        code = "\n".join(line for line in code.split("\n") if not IGNORED.search(line)).strip("\n")
        if code.strip():
            self.question.tests.append(ForeignTest(f"cell {number}", code, hidden, value=True, want=stored))
        if self.sums and (points := as_points(config.get("points"))) is not None:
            self.question.points = (self.question.points or 0.0) + points

    def read_files(self) -> None:
        """Read the tests of files: those that cells name, and the others in `tests/`."""
        folder = self.found.path.parent / "tests"
        paths = sorted(folder.glob("*.py"))[:MAX_TESTS] if folder.is_dir() else []
        known = {question.name for question in self.found.questions if question.tests}
        for path in paths:
            if path.stem not in known and path.stem != "__init__":
                question = read_ok(path, self.found)
                if question.tests:
                    self.found.questions.append(question)
        for name in self.files:
            if name not in known | {path.stem for path in paths}:
                self.found.note(f"grader.check({name!r})", f"there is no tests/{name}.py beside the notebook")


def _config(text: str) -> dict[str, Any]:
    """Return the table that a text of YAML holds; an empty one for any other text."""
    import yaml  # late: only this command needs it here

    try:
        return as_table(yaml.safe_load(text[:MAX_CONFIG]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def read_ok(path: Path, found: Foreign) -> ForeignQuestion:
    """Return the question of a file of tests: `test = {...}`, or functions with `@test_case`. Raises Refused."""
    question = ForeignQuestion(path.stem)
    place = f"tests/{path.name}"
    try:
        tree = ast.parse(read_beside(path, MAX_BESIDE, found.path.parent))
        value = _assigned(tree, "test")
        table = None if value is None else as_table(ast.literal_eval(value))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found.note(
            place, "it is not Python, or its `test` is not a table of plain values; write its check by hand"
        )
        return question
    if table is None:
        _read_functions(tree, question, place)
        return question
    question.points = as_points(table.get("points"))
    for suite in map(as_table, table.get("suites") or ()):
        if suite.get("setup") or suite.get("teardown"):
            found.note(place, "its `setup` and `teardown` are left out; write what tests need into them")
        for case in map(as_table, suite.get("cases") or ()):
            hidden = True in {case.get("hidden"), suite.get("hidden"), table.get("hidden")}
            question.tests += _examples(str(case.get("code") or ""), hidden=hidden, place=place, found=found)
    return question


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    nodes = [node for node in tree.body if isinstance(node, ast.Assign)]
    return next((node.value for node in nodes if ast.unparse(node.targets[0]) == name), None)


def _read_functions(tree: ast.Module, question: ForeignQuestion, place: str) -> None:
    question.points = as_points(_constant(_assigned(tree, "points")))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            marks = [each for each in node.decorator_list if isinstance(each, ast.Call)]
            said = {word.arg: _constant(word.value) for mark in marks for word in mark.keywords}
            code = "\n".join(map(ast.unparse, node.body))
            question.tests.append(ForeignTest(place, code, said.get("hidden") is True))


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _examples(code: str, *, hidden: bool, place: str, found: Foreign) -> list[ForeignTest]:
    """Return the tests of a text of examples: the statements before each value, and the value."""
    try:
        examples = doctest.DocTestParser().get_examples(code)
    except ValueError:
        found.note(place, "an example is not written as Python's doctest has it; write its test by hand")
        return []
    tests, before = [], ""
    for example in examples:
        if example.exc_msg is not None:
            found.note(
                place, f"`{example.source.strip():.60}` expects an error; write `with raises(...)` by hand"
            )
        elif example.want and not _is_expression(example.source):
            found.note(place, f"`{example.source.strip():.60}` expects printed text; write its test by hand")
        elif example.want:
            tests.append(
                ForeignTest(place, before + example.source, hidden, value=True, want=example.want.strip())
            )
        else:
            before += example.source
    if not tests and before:
        tests.append(ForeignTest(place, before.strip("\n"), hidden, value=True, want="None"))
    return tests


def _is_expression(source: str) -> bool:
    """Return True for an expression that does not print."""
    try:
        value = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return not (isinstance(value, ast.Call) and ast.unparse(value.func) == "print")
