"""The author's reference, solutions/DAY/SUBMISSION.py: its solution blocks, its names, the notebooks made from it."""

from __future__ import annotations

import ast
import contextlib
import difflib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.errors import Broken, to_install
from grader.submissions.handed_out import manual_checks
from grader.submissions.intake import continued_blocks
from grader.submissions.submission import Block, percent_cells, read_submission
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.submissions.submission import PercentCell

_BEGIN = re.compile(r"^(\s*)### BEGIN SOLUTION\b:?[ \t]*(.*?)\s*$")
_END = re.compile(r"^\s*### END SOLUTION\s*$")
_STUB = re.compile(r"^\s*# STUB: ?(.*)$")
_COMMENT = re.compile(r"^\s*(#+)\s*([A-Za-z][A-Za-z _-]*)(:?)")
_BLOCK_MARKERS = {"### BEGIN SOLUTION": "BEGIN SOLUTION", "### END SOLUTION": "END SOLUTION"}
_MARKERS = {**_BLOCK_MARKERS, "# STUB: ": "STUB"}
_IN_TEXT = re.compile(r"^[^\w\n]*((?:BEGIN|END) SOLUTION\b[^\n]*?)(?:\s*-->)?$", re.MULTILINE)
_STUB_IN_TEXT = re.compile(r"^#* ?STUB:", re.MULTILINE)
# The end of a text that only asks: `Your answer:`, `Why?`, a blank or a heading.
_ASKS = re.compile(r"(?:[:?_…]|\.\.\.|^#+ [^\n]*)[\s*\"'`)>-]*\Z", re.MULTILINE)
NEARLY = 0.87  # from 0 to 1: a comment at least this similar to a marker counts as a misspelt one


def read_text(path: Path) -> str:
    """Return the text of a file of the author's. Raises Broken."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Broken(
            f"{path}: cannot be read: {error.strerror}; this command needs the folder solutions/"
        ) from error
    except UnicodeDecodeError as error:
        raise Broken(f"{path}: this is not text in UTF-8; save it as UTF-8") from error


# --- The stub


@dataclass(frozen=True)
class _SolutionBlock:
    """The lines between the markers, and their replacement in the stub."""

    solution: str
    replacement: str


def strip_solutions(
    source: str, where: str, first_line: int | None = None, *, is_text: bool = False
) -> tuple[str, list[_SolutionBlock]]:
    """Return source without its solution blocks, and the blocks; a cell of text `is_text`.

    `first_line` is the number of its first line in the file, if known. Raises Broken for markers that
    are misspelt or do not pair.
    """
    if is_text and _IN_TEXT.search(source):
        source = _STUB_IN_TEXT.sub("# STUB:", _IN_TEXT.sub(r"### \1", source))
    kept: list[str] = []
    blocks: list[_SolutionBlock] = []
    inside: list[str] | None = None
    begin, begun = None, where
    for number, line in enumerate(source.split("\n")):
        here = where if first_line is None else f"{where}, line {first_line + number}"
        if match := _BEGIN.match(line):
            if inside is not None:
                raise Broken(
                    f"{here}: `### BEGIN SOLUTION` stands inside a solution; end the first solution above it"
                )
            inside, begin, begun = [], match, here
        elif _END.match(line):
            if inside is None or begin is None:
                raise Broken(
                    f"{here}: `### END SOLUTION` has no beginning; write `### BEGIN SOLUTION` above the solution"
                )
            first = next((line for line in inside if line.strip()), begin[1])
            if first[: len(first) - len(first.lstrip())] != begin[1]:
                raise Broken(
                    f"{begun}: `### BEGIN SOLUTION` is not indented like the line below it; indent both alike"
                )
            block = _replace(inside, begin, is_text=is_text)
            kept += block.replacement.split("\n")
            blocks.append(block)
            inside = None
        elif marker := _nearly_a_marker(line):
            raise Broken(f"{here}: `{line.strip()}` is nearly a marker; write it as `{marker}`")
        elif inside is None:
            kept.append(line)
        else:
            inside.append(line)
    if inside is not None:
        raise Broken(f"{begun}: `### BEGIN SOLUTION` has no end; write `### END SOLUTION` below the solution")
    return "\n".join(kept), blocks


def _nearly_a_marker(line: str) -> str:
    """Return the marker that a comment misspells; empty for any other line."""
    if _STUB.match(line) or not (match := _COMMENT.match(line)):
        return ""
    signs, text, colon = match.groups()
    words = re.split(r"[ _-]+", text.strip())
    markers = _MARKERS if colon and len(words) == 1 else _BLOCK_MARKERS
    for said in (" ".join(words[:2]), words[0]):
        loud = said.isupper() or signs == "###"  # `# send solutions` is a sentence, not a misspelt marker
        for marker, wanted in markers.items():
            alike = difflib.SequenceMatcher(None, said.upper(), wanted).ratio()
            if alike >= (NEARLY if loud else 1):
                return marker
    return ""


def _replace(lines: list[str], begin: re.Match[str], *, is_text: bool) -> _SolutionBlock:
    indent, message = begin[1], begin[2] or "this is still to be written"
    stub = [indent + match[1] for line in lines if (match := _STUB.match(line))]
    solution = "\n".join(line for line in lines if not _STUB.match(line))
    raised = f"raise NotImplementedError({json.dumps(message, ensure_ascii=False)})"
    default = begin[2] if is_text else indent + raised
    return _SolutionBlock(solution, "\n".join(line.rstrip() for line in stub) or default)


def make_notebook(assignment: Assignment, *, solved: bool) -> str:
    """Return the notebook made from the reference: the stub, or with `solved` the reference itself.

    The same reference gives the same bytes: cell ids are counted, nothing is dated.
    """
    with for_instructors():
        import jupytext
        import nbformat

    path = assignment.reference
    source = read_text(path)
    notebook: Any = jupytext.reads(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"{assignment.name}-{number:02}"
        if not solved:
            is_text = cell.cell_type != "code"
            cell.source = strip_solutions(cell.source, f"{path}, cell {number}", is_text=is_text)[0]
        elif cell.cell_type == "code":
            cell.source = "\n".join(line for line in cell.source.split("\n") if not _STUB.match(line))
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
    notebook.metadata = {
        "backgrade": {"assignment": assignment.name},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return str(nbformat.writes(notebook)) + "\n"


def reference_code(assignment: Assignment) -> str:
    """Return the graded code of the reference, without marker lines."""
    found = []
    for block in read_submission(assignment.reference).blocks:
        lines = block.source.split("\n")
        kept = (s for s in lines if not (_BEGIN.match(s) or _END.match(s) or _STUB.match(s)))
        found.append("\n".join(kept).strip("\n"))
    return "\n\n\n".join(found) + "\n"


def read_reference(assignment: Assignment) -> str:
    """Return the text of the reference.

    Raises Broken unless it is Python with paired markers, and keeps each answer of a manual check between them.
    """
    path = assignment.reference
    others = sorted(other.name for other in path.parent.glob("*.py"))
    if others and not path.is_file():
        raise Broken(
            f"{path}: the reference is missing, but this folder has {', '.join(others)}. The reference is named like `submission` "
            f"in {assignment.folder / 'assignment.yaml'}, with .py at the end; rename the file, or correct `submission`"
        )
    source = read_text(path)
    for block in read_submission(path).blocks:
        try:
            ast.parse(block.source)
        except SyntaxError as error:
            line = block.first_line + (error.lineno or 1) - 1
            raise Broken(f"{path}, line {line}: SyntaxError: {error.msg}; correct this line") from error
    manual = manual_checks(assignment)
    for cell, (kept, blocks) in stripped_cells(assignment):
        if (own := manual & cell.tags) and not blocks and not _only_asks(cell, kept):
            asks = "A text that ends with `:` or `?` only asks, and needs no markers"
            given = "Lines for students go there too, each after `# STUB: `"
            raise Broken(
                f"{path}, line {cell.first_line}: this cell of the manual check `{min(own)}` has no markers, so students "
                "would get your answer; put the answer between `### BEGIN SOLUTION` and `### END SOLUTION`. "
                f"{given if cell.is_code else asks}"
            )
    return source


def _only_asks(cell: PercentCell, text: str) -> bool:
    """Return True if a cell holds no answer: a text that ends with a question, or only comments as code."""
    if not cell.is_code:
        return not text.strip() or _ASKS.search(text) is not None
    return all(line.strip() in {"", "...", "pass"} or line.lstrip()[0] == "#" for line in text.split("\n"))


def stripped_cells(
    assignment: Assignment,
) -> list[tuple[PercentCell, tuple[str, list[_SolutionBlock]]]]:
    """Return the cells of the reference, each with its text for the stub and its solution blocks. Raises Broken."""
    path = assignment.reference
    return [
        (cell, strip_solutions(cell.text, str(path), cell.first_line, is_text=not cell.is_code))
        for cell in percent_cells(path, read_text(path))
    ]


def solution_blocks(assignment: Assignment) -> list[_SolutionBlock]:
    """Return every solution block of the reference."""
    return [block for _, (_, blocks) in stripped_cells(assignment) for block in blocks]


@contextlib.contextmanager
def for_instructors(extra: str = "authoring") -> Iterator[None]:
    """Raise Broken, with the line that installs it, if a library of this extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        raise Broken(
            f"{name} is not installed, and this command needs it; run {to_install(extra)}"
        ) from error


# --- The reference


def parse_source(source: str) -> ast.Module:
    """Return the tree of a cell or a file; an empty one if it does not parse, which `grade validate` reports elsewhere."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def reference_blocks(assignment: Assignment) -> list[Block]:
    """Return the blocks of the references that it continues, then its own."""
    reference = read_submission(assignment.reference)
    return [*continued_blocks(assignment, reference)[0], *reference.blocks]


def defined_names(blocks: Iterable[Block]) -> set[str]:
    """Return the names that cells define: functions, classes, `Class.method` (also inherited), assigned names."""
    names: set[str] = set()
    methods: dict[str, set[str]] = {}
    for node in (node for block in blocks for node in parse_source(block.source).body):
        if isinstance(node, ast.ClassDef):
            own = {name for part in node.body for name in _names_of(part)}
            methods[node.name] = own.union(*(methods.get(ast.unparse(base), ()) for base in node.bases))
            names |= {f"{node.name}.{name}" for name in methods[node.name]}
        names.update(_names_of(node))
    return names


def _used_attributes(blocks: Iterable[Block]) -> set[str]:
    """Return the names of attributes and methods in cells, and texts that may be such names: slots, `setattr`."""
    parts = [part for block in blocks for part in ast.walk(parse_source(block.source))]
    found = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    found |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    bodies = (each for part in parts if isinstance(part, ast.ClassDef) for each in part.body)
    for each in bodies:
        found.update([ast.unparse(each.target)] if isinstance(each, ast.AnnAssign) else _names_of(each))
    return found


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return list(map(ast.unparse, node.targets)) if isinstance(node, ast.Assign) else []


def topic_problems(assignment: Assignment) -> list[str]:
    """Return the declarations of the manifest that the topic cannot use, each with its remedy."""
    manifest = assignment.manifest
    blocks = reference_blocks(assignment)
    topic = make_topic(manifest.topic, assignment.checks_folders)
    found = topic.problems(manifest, defined_names(blocks), _used_attributes(blocks))
    return [f"{assignment.folder / 'assignment.yaml'}: {problem}" for problem in found]
