"""Solutions in files for students: values of composite answers, lines of solutions.

`grade validate` and `grade release` refuse such a file. Answers of one value are not searched for: any 6 would match.
Answers of two whole numbers are searched for only in their own assignment: elsewhere (2, 3) may mean anything.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.authoring.reference import solution_blocks, stripped_cells
from grader.grading import records, sealed
from grader.grading.answerkey import SOURCE, read_answers
from grader.grading.answers import canonical_value, value_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path, PurePath

    from grader.assignment import Assignment, Course

LINES = 3  # consecutive lines of a solution that give it away
SHORTEST = 20  # characters of these lines: shorter ones, such as brackets, say too little to be recognised
TEXTS = {".ipynb", ".json", ".md", ".py", ".txt", ".yaml"}  # endings of files that are looked at
GENERATED = {sealed.FILE, records.FILE}  # they hold hashes and boxes

Window = tuple[str, ...]


class _Secret(NamedTuple):
    """A composite answer: its assignment, its name, its plain values in order, the digits that count."""

    day: str
    name: str
    values: list[Any]
    digits: int
    nested: bool

    @property
    def is_common(self) -> bool:
        """True for two whole numbers, which occur in many files by chance."""
        return len(self.values) == 2 and all(isinstance(value, int) for value in self.values)


class _Part(NamedTuple):
    """A file, or a cell of a notebook."""

    place: str
    text: str
    is_code: bool


def giveaways(course: Course, files: Mapping[Path, str]) -> Iterator[str]:
    """Yield a sentence for each answer and each solution, of any assignment, that one of these files gives away.

    Raises Refused and Broken for an answer key or a reference that cannot be read.
    """
    answers, lines = list(_composite(course)), _secret_lines(course)
    seen: set[str] = set()  # the untouched notebook is there twice
    for path, text in files.items():
        if path.name in GENERATED or text in seen:
            continue
        seen.add(text)
        found: dict[str, str] = {}
        for part in file_parts(path, text):
            there = [secret for secret in answers if not secret.is_common or secret.day in path.parts]
            for name, where in (*_values_in(part, there), *_lines_in(part, lines)):
                found.setdefault(name, where)
        for name, where in found.items():
            yield f"{where}: students get this file, which holds {name}"


# --- Secrets


def _composite(course: Course) -> Iterator[_Secret]:
    """Yield the answers with an order of their own and at least two different values."""
    for assignment in course.assignments:
        for answer in read_answers(assignment.solutions / SOURCE).values():
            values = list(_plain(answer.right))
            if not answer.any_order and len({canonical_value(value, answer.digits) for value in values}) > 1:
                nested = len(answer.right) < len(values)
                yield _Secret(assignment.name, answer.name, values, answer.digits, nested)


def _plain(value: Any) -> Iterator[Any]:
    """Yield the plain values of nested dictionaries and lists."""
    if isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _plain(item)
    else:
        yield value


def _secret_lines(course: Course) -> dict[Window, str]:
    """Return the assignment of each window of a solution that no reference up to then has outside its markers."""
    given: set[Window] = set()
    found: dict[Window, str] = {}
    for assignment in course.assignments:
        if assignment.reference.is_file():
            given |= _given_lines(assignment)
            for block in solution_blocks(assignment):
                given_away = (lines for _, lines in windows(block.solution))
                found |= {w: assignment.name for w in given_away if w not in given and w not in found}
    return found


def _given_lines(assignment: Assignment) -> set[Window]:
    """Return the windows outside the markers, code in a lesson's text included."""
    kept = "\n".join(text for _, (text, _) in stripped_cells(assignment))
    texts = (kept, re.sub(r"^# ?", "", kept, flags=re.MULTILINE))
    return {lines for text in texts for _, lines in windows(text)}


def windows(text: str) -> Iterator[tuple[int, Window]]:
    """Yield each run of lines, without indentation and empty lines, with the number of its first line."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for some in zip(*(lines[i:] for i in range(LINES)), strict=False):
        window = tuple(line for _, line in some)
        if len("".join(window)) >= SHORTEST:
            yield some[0][0], window


# --- Files


def file_parts(path: PurePath, text: str) -> Iterator[_Part]:
    """Yield the cells of a notebook and the texts of their outputs, or the whole file."""
    if path.suffix != ".ipynb":
        yield _Part(str(path), text, path.suffix == ".py")
        return
    try:
        for number, cell in enumerate(json.loads(text)["cells"], start=1):
            place = f"{path}, cell {number}"
            yield _Part(place, "".join(cell["source"]), cell["cell_type"] == "code")
            yield from (_Part(place, each, is_code=False) for each in _outputs(cell))
    except (ValueError, LookupError, TypeError, AttributeError):
        yield _Part(str(path), text, is_code=False)


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    for output in cell.get("outputs", ()):
        texts = (output.get("text"), output.get("data", {}).get("text/plain"))
        yield from ("".join(text) for text in texts if text)


def _lines_in(part: _Part, secret: Mapping[Window, str]) -> Iterator[tuple[str, str]]:
    for number, window in windows(part.text):
        if day := secret.get(window):
            yield (
                (
                    f"{LINES} lines of the solution of `{day}` from `{window[0]}` on; remove these lines. If students may have "
                    f"them, move them outside the markers in the reference of `{day}` instead"
                ),
                f"{part.place}, line {number}",
            )
            return


def _values_in(part: _Part, answers: Iterable[_Secret]) -> Iterator[tuple[str, str]]:
    for number, values in _literals(part):
        for secret in answers:
            if _stand_in(values, secret):
                yield (
                    f"the values of {secret.day}'s answer `{secret.name}` in order; write other values",
                    f"{part.place}, line {number}",
                )


def _stand_in(values: list[Any], secret: _Secret) -> bool:
    """Return True if the answer's values are a run of these entries."""
    values, count = list(_plain(values)) if secret.nested else values, len(secret.values)
    if len(values) < count:
        return False
    wanted, there = (
        [canonical_value(each, secret.digits) if value_kind(each) else "" for each in some]
        for some in (secret.values, values)
    )
    return any(there[i : i + count] == wanted for i in range(len(there) - count + 1))


# --- Literals


def _literals(part: _Part) -> Iterator[tuple[int, list[Any]]]:
    """Yield the line and the entries of each literal."""
    tree = _tree(part.text) if part.is_code else None
    if tree is None:
        yield from _literals_in_text(part.text, 1)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            entries = node.values if isinstance(node, ast.Dict) else node.elts
            yield node.lineno, [_value(entry) for entry in entries]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _literals_in_text(node.value, node.lineno)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _value(node: ast.expr) -> Any:
    """Return the value of an entry, or of the argument in `approx(7.0)`. None for anything else."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _value(node.args[0])
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None


_INNERMOST = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_ENTRY = re.compile(r"""\s*(?:[^,:=]+[:=]\s*)?(?:([-+]?\d[\d.]*(?:[eE][-+]?\d+)?)|"([^"]*)"|'([^']*)')\s*""")


def _literals_in_text(text: str, first: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield the entries of literals in a text: `[7, 2, -1]`, `{a: 7, b: 2, c: -1}`, `(a = 7, b = 2, c = -1)`."""
    for match in _INNERMOST.finditer(text.replace("−", "-")):
        entries = [_ENTRY.fullmatch(entry) for entry in match[1].split(",")]
        yield first + text.count("\n", 0, match.start()), [_entry(each) for each in entries]


def _entry(match: re.Match[str] | None) -> Any:
    if match is None:
        return None
    number, *texts = match.groups()
    if number is None:
        return next(text for text in texts if text is not None)
    try:
        return float(number)
    except ValueError:  # 1.2.3
        return None
