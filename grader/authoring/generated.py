"""What is generated from the author's files: the stub, the fingerprints, the topic's records.

solutions/day6/day6_queues.py         ->  assignments/day6/day6_queues.ipynb
solutions/day6/mistakes/*.py          ->  checks/sealed.json on both sides
solutions/day6/answers.yaml           ->  the same
what the topic computes itself        ->  its record in checks/ on both sides
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import json
import re
import secrets
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.authoring.mistakes import Mistake, apply_mistake, read_mistakes, read_text
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.grading import sealed
from grader.grading.answerkey import SOURCE, read_answers
from grader.grading.answers import make_tables, salt_of, seal_answers
from grader.grading.fingerprints import Read, Sealed, seal_mistakes
from grader.grading.grader import Grader, with_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.intake import continued_blocks
from grader.submissions.submission import Block, read_submission
from grader.topic import Unavailable, make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.grading.answers import Table
    from grader.topic import Test, TestResult

KERNEL_SECONDS = 120
SIDES = ("visible", "hidden")
NEEDED = 'this needs it; install the extra `instructor`: pip install "backgrade[instructor]"'
_BEGIN = re.compile(r"^(\s*)### BEGIN SOLUTION:?[ \t]*(.*?)\s*$")
_END = re.compile(r"^\s*### END SOLUTION\s*$")
_STUB = re.compile(r"^\s*# STUB: ?(.*)$")
_COMMENT = re.compile(r"^\s*(#+)\s*([A-Za-z][A-Za-z _-]*)(:?)")
_BLOCK_MARKERS = {"### BEGIN SOLUTION": "BEGIN SOLUTION", "### END SOLUTION": "END SOLUTION"}
_MARKERS = {**_BLOCK_MARKERS, "# STUB: ": "STUB"}
NEARLY = 0.87  # how alike a comment and a marker are, from 0 to 1, for one to be a slip of the other


# --- The stub


@dataclass(frozen=True)
class SolutionBlock:
    """The lines between the markers, and what stands in the stub instead."""

    solution: str
    replacement: str


def strip_solutions(
    source: str, where: str, first_line: int | None = None
) -> tuple[str, list[SolutionBlock]]:
    """Return source without its solution blocks, and the blocks.

    `first_line` is the number of its first line in the file, where that is known. Raises Broken for
    markers that are misspelt or do not pair.
    """
    kept: list[str] = []
    blocks: list[SolutionBlock] = []
    inside: list[str] | None = None
    begin, begun = None, where
    for number, line in enumerate(source.split("\n")):
        here = where if first_line is None else f"{where}, line {first_line + number}"
        if match := _BEGIN.match(line):
            if inside is not None:
                raise Broken(f"{here}: `### BEGIN SOLUTION` inside a solution; end the first one")
            inside, begin, begun = [], match, here
        elif _END.match(line):
            if inside is None or begin is None:
                raise Broken(f"{here}: `### END SOLUTION` without a beginning")
            first = next((line for line in inside if line.strip()), begin[1])
            if first[: len(first) - len(first.lstrip())] != begin[1]:
                raise Broken(
                    f"{begun}: `### BEGIN SOLUTION` has another indentation than the line below it; indent it likewise"
                )
            block = _replace(inside, begin)
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
        raise Broken(f"{begun}: `### BEGIN SOLUTION` without an end")
    return "\n".join(kept), blocks


def _nearly_a_marker(line: str) -> str:
    """Return the marker that a comment seems to be meant as; nothing for any other line."""
    if _STUB.match(line) or not (match := _COMMENT.match(line)):
        return ""
    signs, text, colon = match.groups()
    words = re.split(r"[ _-]+", text.strip())
    markers = _MARKERS if colon and len(words) == 1 else _BLOCK_MARKERS
    for said in (" ".join(words[:2]), words[0]):
        loud = said.isupper() or signs == "###"  # `# send solutions` is a sentence
        for marker, wanted in markers.items():
            alike = difflib.SequenceMatcher(None, said.upper(), wanted).ratio()
            if alike >= (NEARLY if loud else 1):
                return marker
    return ""


def _replace(lines: list[str], begin: re.Match[str]) -> SolutionBlock:
    indent, message = begin[1], begin[2] or "this is still to be written"
    stub = [indent + match[1] for line in lines if (match := _STUB.match(line))]
    solution = "\n".join(line for line in lines if not _STUB.match(line))
    default = f"{indent}raise NotImplementedError({json.dumps(message, ensure_ascii=False)})"
    return SolutionBlock(solution, "\n".join(line.rstrip() for line in stub) or default)


def make_notebook(assignment: Assignment, *, solved: bool) -> str:
    """The notebook made from the reference: the stub, or with `solved` the reference itself.

    Twice gives the same bytes: cell ids are counted, nothing is dated.
    """
    with for_instructors():
        import jupytext
        import nbformat

    path = assignment.reference
    source = read_text(path)
    notebook: Any = jupytext.reads(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"{assignment.name}-{number:02}"
        if cell.cell_type == "code" and not solved:
            cell.source = strip_solutions(cell.source, f"{path}, cell {number}")[0]
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


def kernel_errors(notebook: str) -> list[tuple[int, str, str]]:
    """Run a notebook from top to bottom in a real kernel; (cell, exception, text) of each error."""
    with for_instructors():
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

    node = nbformat.reads(notebook, as_version=4)
    client = NotebookClient(node, timeout=KERNEL_SECONDS, allow_errors=True, kernel_name="python3")
    try:
        # what the kernel says of itself, at its end above all, is nobody's concern
        client.execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (CellTimeoutError, DeadKernelError) as error:
        waiting = (n for n, cell in enumerate(node.cells, start=1) if cell.get("execution_count", 0) is None)
        return [(next(waiting, len(node.cells)), type(error).__name__, str(error).split("\n")[0])]
    return [
        (number, output.ename, output.evalue)
        for number, cell in enumerate(node.cells, start=1)
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]


def read_reference(assignment: Assignment) -> str:
    """The reference, which must be Python. Raises Broken."""
    path = assignment.reference
    others = sorted(other.name for other in path.parent.glob("*.py"))
    if others and not path.is_file():
        raise Broken(
            f"{path}: there is no such file, but {', '.join(others)}; the reference has the name of `submission` "
            f"in {assignment.folder / 'assignment.yaml'} with .py at the end: rename one of the two"
        )
    source = read_text(path)
    for block in read_submission(path).blocks:
        try:
            ast.parse(block.source)
        except SyntaxError as error:
            line = block.first_line + (error.lineno or 1) - 1
            raise Broken(f"{path}, line {line}: {error.msg}") from error
        strip_solutions(block.source, str(path), block.first_line)
    return source


def solution_blocks(assignment: Assignment) -> list[SolutionBlock]:
    """Every solution block of the reference."""
    return strip_solutions(read_text(assignment.reference), str(assignment.reference))[1]


@contextlib.contextmanager
def for_instructors() -> Iterator[None]:
    """Say what to install where a library of the extra `instructor` is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Broken(f"{error.name} is not installed, and {NEEDED}") from error


# --- The reference


def top_level(source: str) -> list[ast.stmt]:
    """The statements of a cell of the author's; none where it does not parse."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def reference_blocks(assignment: Assignment) -> list[Block]:
    """The blocks of the reference, after those of the references that it continues."""
    reference = read_submission(assignment.reference)
    return [*continued_blocks(assignment, reference)[0], *reference.blocks]


def defined_names(blocks: Iterable[Block]) -> set[str]:
    """The names that cells define: functions, classes, `Class.method` (also inherited), and what is assigned."""
    names: set[str] = set()
    methods: dict[str, set[str]] = {}
    for node in (node for block in blocks for node in top_level(block.source)):
        if isinstance(node, ast.ClassDef):
            own = {name for part in node.body for name in _names_of(part)}
            methods[node.name] = own.union(*(methods.get(ast.unparse(base), ()) for base in node.bases))
            names |= {f"{node.name}.{name}" for name in methods[node.name]}
        names.update(_names_of(node))
    return names


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return list(map(ast.unparse, node.targets)) if isinstance(node, ast.Assign) else []


def topic_problems(assignment: Assignment) -> list[str]:
    """List the topic's complaints about the manifest: declarations that cannot be used, each with its remedy."""
    manifest = assignment.manifest
    names = defined_names(reference_blocks(assignment))
    found = make_topic(manifest.topic, assignment.sides).problems(manifest, names)
    return [f"{assignment.folder / 'assignment.yaml'}: {problem}" for problem in found]


# --- Fingerprints and records


@dataclass(frozen=True)
class MistakeRun:
    """What the checks say of the reference with a mistake in it."""

    mistake: Mistake
    way: int  # of those to make it
    blocks: list[Block]
    results: list[TestResult]
    skipped: frozenset[Test]  # what the reference skips too: whatever is handed in, it says nothing

    @property
    def failing_checks(self) -> set[str]:
        """The checks with a test that did not pass."""
        silent = {r.test for r in self.results if r.outcome is Outcome.BLOCKED} & self.skipped
        failing = (r.test for r in self.results if r.outcome is not Outcome.PASSED)
        return {test.check for test in failing if test not in silent}


def run_mistakes(grader: Grader, mistakes: Iterable[Mistake]) -> list[MistakeRun]:
    """Run every mistake through the suite, once for each way to make it."""
    blocks = reference_blocks(grader.assignment)
    right = grader.run(blocks)[1]
    skipped = frozenset(r.test for r in right if r.outcome is Outcome.BLOCKED)
    ways = [(m, way, apply_mistake(blocks, m, way)) for m in mistakes for way in range(len(m.edits))]
    return [MistakeRun(m, way, edited, grader.run(edited)[1], skipped) for m, way, edited in ways]


def sealed_mistakes(runs: Sequence[MistakeRun], salt: str) -> dict[str, Sealed]:
    """Return the mistakes as each side's checks read them, sealed."""
    sides = {}
    for side in SIDES:
        mistakes = []
        for run in runs:
            fingerprints: dict[str, list[str]] = {}
            for result in run.results:
                failed = result.outcome is Outcome.FAILED and result.test.diagnosed
                if failed and result.test.visibility == side:
                    fingerprints.setdefault(result.test.key, []).append(result.fingerprint)
            way = f"{run.mistake.name}/{run.way}"
            mistakes.append(Read(way, run.mistake.name, run.mistake.words, fingerprints))
        sides[side] = seal_mistakes(mistakes, salt)
    return sides


def make_records(grader: Grader) -> dict[Path, str]:
    """Every record of the topic's with its text; from now on they are what it grades with.

    Raises Broken without what the topic needs for it.
    """

    def judge(side: str) -> None:
        grader.suite.side = side
        try:
            results = grader.run(reference_blocks(grader.assignment))[1]
        finally:
            grader.suite.side = None
        for result in results:
            if isinstance(result.error, Unavailable):
                raise Broken(f"{result.error.needs} is not installed, and {NEEDED}") from result.error

    return grader.suite.topic.recorded(judge)


def read_sealed_answers(assignment: Assignment, secret: str) -> dict[str, sealed.SealedFile]:
    """The answers of an assignment as the sealed file of each side; `secret` is the hidden checks' salt.

    Raises Refused.
    """
    salt = salt_of(secret)
    blind = assignment.manifest.letters == "blind"
    answers = seal_answers(read_answers(assignment.solutions / SOURCE), salt, blind=blind)
    return {side: sealed.SealedFile(salt, items) for side, items in answers.items()}


def tables_of(files: Mapping[str, sealed.SealedFile]) -> dict[str, Table]:
    """Return the tables by which the tests of each side judge answers."""
    salt = files["visible"].salt
    return make_tables({side: file.answers for side, file in files.items()}, salt)


def _sealed_texts(assignment: Assignment, files: Mapping[str, sealed.SealedFile]) -> dict[Path, str]:
    """Each sealed file with its text; a side that has nothing to seal has none."""
    paths = {side: assignment.side(side) / sealed.FILE for side in files}
    wanted = {side for side, file in files.items() if file.answers or file.mistakes}
    return {p: sealed.sealed_text(files[side]) for side, p in paths.items() if side in wanted or p.is_file()}


def generated(assignment: Assignment, grader: Grader) -> tuple[dict[Path, str], list[MistakeRun]]:
    """Every generated file of an assignment with its text, and the mistakes' runs behind it."""
    files_of = read_sealed_answers(assignment, grader.suite.salts["hidden"])
    records = make_records(grader)
    runs = run_mistakes(grader, read_mistakes(assignment))
    stub = make_notebook(assignment, solved=False)
    files = {assignment.stub: stub, assignment.pristine: stub}
    for side, mistakes in sealed_mistakes(runs, grader.suite.salts["hidden"]).items():
        files_of[side].mistakes = mistakes.items()
    return files | _sealed_texts(assignment, files_of) | records, runs


def write_generated(assignment: Assignment, *, new_salt: bool = False) -> list[tuple[Path, bool]]:
    """Write the stub, the fingerprints and the records; gives each file and whether it changed.

    Nothing is written unless everything can be made. Raises Broken, Refused,
    FileError.
    """
    read_reference(assignment)
    for problem in topic_problems(assignment):
        raise Refused(problem)
    salt = assignment.salt if assignment.salt and not new_salt else secrets.token_hex(16)

    def job(grader: Grader) -> dict[Path, str]:
        for text in grader.suite.broken.values():
            raise Broken(f"{text}; mend the check file")
        return generated(assignment, grader)[0]

    answers = tables_of(read_sealed_answers(assignment, salt))
    with Launcher() as launcher:
        files = with_grader(assignment, launcher, job, salt=salt, answers=answers)
    if salt != assignment.salt:
        files[assignment.solutions / "salt.txt"] = salt + "\n"
    changes = []
    for path, text in files.items():
        changed = path.is_symlink() or not path.is_file() or path.read_bytes() != text.encode()
        if changed:
            write_text(path, text, assignment.course.root, make_folder=True)
        changes.append((path, changed))
    return changes
