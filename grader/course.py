"""What is generated from the author's files: the stub, the fingerprints, the topic's records.

solutions/day6/day6_queues.py         ->  assignments/day6/day6_queues.ipynb
solutions/day6/mistakes/*.py          ->  checks/mistakes.json on both sides
solutions/day6/answers.yaml           ->  checks/sealed.json on both sides
what the topic computes itself        ->  its record in checks/ on both sides
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import sealed
from grader.answerkey import SOURCE, read_answers
from grader.answers import make_tables, salt_of, seal_answers
from grader.diagnosis import FORMAT
from grader.errors import Broken
from grader.files import write_text
from grader.grading import Grader, with_grader
from grader.intake import continued_blocks
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submission import Block, read_submission
from grader.topic import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.answers import Table
    from grader.assignment import Assignment
    from grader.suite import Test, TestResult

SIDES = ("visible", "hidden")
NEEDED = 'this needs it; install the extra `instructor`: pip install "backgrade[instructor]"'
_BEGIN = re.compile(r"^(\s*)### BEGIN SOLUTION:?[ \t]*(.*?)\s*$")
_END = re.compile(r"^\s*### END SOLUTION\s*$")
_STUB = re.compile(r"^\s*# STUB: ?(.*)$")
_COMMENT = re.compile(r"^\s*(#+)\s*([A-Za-z][A-Za-z _-]*)(:?)")
_BLOCK_MARKERS = {"### BEGIN SOLUTION": "BEGIN SOLUTION", "### END SOLUTION": "END SOLUTION"}
_MARKERS = {**_BLOCK_MARKERS, "# STUB: ": "STUB"}
NEARLY = 0.87  # how alike a comment and a marker are, from 0 to 1, for one to be a slip of the other
_FAILS = re.compile(r"^# fails:(.*)$", re.MULTILINE)
_SAME_AS = re.compile(r"^# same_as:\s*(\S+)\s*$", re.MULTILINE)


class CourseError(Broken):
    """A file of the author's is wrong; the text names it, the place and the remedy."""


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

    `first_line` is the number of its first line in the file, where that is known. Raises CourseError for
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
                raise CourseError(f"{here}: `### BEGIN SOLUTION` inside a solution; end the first one")
            inside, begin, begun = [], match, here
        elif _END.match(line):
            if inside is None or begin is None:
                raise CourseError(f"{here}: `### END SOLUTION` without a beginning")
            first = next((line for line in inside if line.strip()), begin[1])
            if first[: len(first) - len(first.lstrip())] != begin[1]:
                raise CourseError(
                    f"{begun}: `### BEGIN SOLUTION` has another indentation than the line below it; indent it likewise"
                )
            block = _replace(inside, begin)
            kept += block.replacement.split("\n")
            blocks.append(block)
            inside = None
        elif marker := _nearly_a_marker(line):
            raise CourseError(f"{here}: `{line.strip()}` is nearly a marker; write it as `{marker}`")
        elif inside is None:
            kept.append(line)
        else:
            inside.append(line)
    if inside is not None:
        raise CourseError(f"{begun}: `### BEGIN SOLUTION` without an end")
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


def read_reference(assignment: Assignment) -> str:
    """The reference, which must be Python. Raises CourseError."""
    path = assignment.reference
    others = sorted(other.name for other in path.parent.glob("*.py"))
    if others and not path.is_file():
        raise CourseError(
            f"{path}: there is no such file, but {', '.join(others)}; the reference has the name of `submission` "
            f"in {assignment.folder / 'assignment.yaml'} with .py at the end: rename one of the two"
        )
    source = read_text(path)
    for block in read_submission(path).blocks:
        try:
            ast.parse(block.source)
        except SyntaxError as error:
            line = block.first_line + (error.lineno or 1) - 1
            raise CourseError(f"{path}, line {line}: {error.msg}") from error
        strip_solutions(block.source, str(path), block.first_line)
    return source


def solution_blocks(assignment: Assignment) -> list[SolutionBlock]:
    """Every solution block of the reference."""
    return strip_solutions(read_text(assignment.reference), str(assignment.reference))[1]


def read_text(path: Path) -> str:
    """A file of the author's. Raises CourseError."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{path}: cannot be read: {error.strerror}; this needs solutions/") from error
    except UnicodeDecodeError as error:
        raise CourseError(f"{path}: this is not text in UTF-8; save it as UTF-8") from error


@contextlib.contextmanager
def for_instructors() -> Iterator[None]:
    """Say what to install where a library of the extra `instructor` is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise CourseError(f"{error.name} is not installed, and {NEEDED}") from error


# --- Mistakes


@dataclass(frozen=True)
class Mistake:
    """One known mistake: words for the student, the checks that it fails, the cell that makes it."""

    id: str
    path: Path
    words: str
    fails: tuple[str, ...]
    same_as: str | None
    source: str


def read_mistakes(assignment: Assignment) -> list[Mistake]:
    """The mistakes of an assignment, by name. Raises CourseError."""
    return [_read_mistake(path) for path in sorted((assignment.solutions / "mistakes").glob("*.py"))]


def _read_mistake(path: Path) -> Mistake:
    source = read_text(path)
    try:
        words = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    except SyntaxError as error:
        raise CourseError(f"{path}, line {error.lineno}: {error.msg}") from error
    fails, same_as = _FAILS.search(source), _SAME_AS.search(source)
    if not words:
        raise CourseError(f"{path}: no docstring; its words are what the student reads")
    if not fails:
        raise CourseError(f"{path}: no line `# fails: check check ...` below the docstring")
    return Mistake(path.stem, path, words, tuple(fails[1].split()), same_as and same_as[1], source)


def apply_mistake(blocks: Sequence[Block], mistake: Mistake) -> list[Block]:
    """The reference with the mistake's cell right after the one that defines what it redefines.

    Raises CourseError when the reference defines none of its names.
    """
    names = defined_names(mistake.source)
    places = _cells_defining(names, blocks) or _cells_defining({n.partition(".")[0] for n in names}, blocks)
    if not places:
        raise CourseError(
            f"{mistake.path}: the reference defines none of {', '.join(sorted(names)) or 'its names'}; "
            "a mistake redefines a name of the reference"
        )
    cell = Block(mistake.path.name, None, 1, mistake.source)
    return [*blocks[: places[-1] + 1], cell, *blocks[places[-1] + 1 :]]


def _cells_defining(names: set[str], blocks: Sequence[Block]) -> list[int]:
    return [i for i, block in enumerate(blocks) if names & defined_names(block.source)]


def defined_names(source: str) -> set[str]:
    """The names that a cell of the author's defines or deletes at its top level; `Box.x` is one."""
    names: set[str] = set()
    for node in top_level(source):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            names.update(ast.unparse(part) for target in targets for part in _parts(target))
    return names


def top_level(source: str) -> list[ast.stmt]:
    """The statements of a cell of the author's; none where it does not parse."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def _parts(target: ast.expr) -> list[ast.expr]:
    """`a` and `b` of `a, b = ...`; else the target itself."""
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def reference_blocks(assignment: Assignment) -> list[Block]:
    """The blocks of the reference, after those of the references that it continues."""
    reference = read_submission(assignment.reference)
    return [*continued_blocks(assignment, reference)[0], *reference.blocks]


# --- Fingerprints and records


@dataclass(frozen=True)
class MistakeRun:
    """What the checks say of the reference with a mistake in it."""

    mistake: Mistake
    results: list[TestResult]
    skipped: frozenset[Test]  # what the reference skips too: whatever is handed in, it says nothing

    @property
    def failing_checks(self) -> set[str]:
        """The checks with a test that did not pass."""
        silent = {r.test for r in self.results if r.outcome is Outcome.BLOCKED} & self.skipped
        failing = (r.test for r in self.results if r.outcome is not Outcome.PASSED)
        return {test.check for test in failing if test not in silent}


def run_mistakes(grader: Grader, mistakes: Iterable[Mistake]) -> list[MistakeRun]:
    """Run every mistake through the suite."""
    blocks = reference_blocks(grader.assignment)
    right = grader.run(blocks)[1]
    skipped = frozenset(r.test for r in right if r.outcome is Outcome.BLOCKED)
    return [MistakeRun(m, grader.run(apply_mistake(blocks, m))[1], skipped) for m in mistakes]


def fingerprint_files(runs: Sequence[MistakeRun]) -> dict[str, str]:
    """The text of mistakes.json for the visible and for the hidden checks."""
    texts = {}
    words_of = {run.mistake.id: run.mistake.words for run in runs}
    for side in SIDES:
        marks: dict[str, dict[str, list[str]]] = {}
        words = {}
        for run in runs:
            for result in run.results:
                failed = result.outcome is Outcome.FAILED and result.test.diagnosed
                if failed and result.test.visibility == side:
                    name = run.mistake.same_as or run.mistake.id
                    ids = marks.setdefault(result.test.key, {}).setdefault(result.fingerprint, [])
                    ids += [name] if name not in ids else []
                    words[name] = words_of.get(name, run.mistake.words)
        data = {"format": FORMAT, "mistakes": words, "fingerprints": marks}
        texts[side] = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return texts


def make_records(grader: Grader) -> dict[Path, str]:
    """Every record of the topic's with its text; from now on they are what it grades with.

    Raises CourseError without what the topic needs for it.
    """

    def judge(side: str) -> None:
        grader.suite.side = side
        try:
            results = grader.run(reference_blocks(grader.assignment))[1]
        finally:
            grader.suite.side = None
        for result in results:
            if isinstance(result.error, Unavailable):
                raise CourseError(f"{result.error.needs} is not installed, and {NEEDED}") from result.error

    return grader.suite.topic.recorded(judge)


def read_sealed_answers(assignment: Assignment, secret: str) -> dict[str, sealed.SealedFile]:
    """The answers of an assignment as the sealed file of each side; `secret` is the hidden checks' salt.

    Raises AssignmentError.
    """
    salt = salt_of(secret)
    blind = assignment.manifest.letters == "blind"
    answers = seal_answers(read_answers(assignment.solutions / SOURCE), salt, blind=blind)
    return {side: sealed.SealedFile(salt, items) for side, items in answers.items()}


def tables_of(files: Mapping[str, sealed.SealedFile]) -> dict[str, Table]:
    """What the tests of each side judge answers by."""
    salt = files["visible"].salt
    return make_tables({side: file.answers for side, file in files.items()}, salt)


def _sealed_texts(assignment: Assignment, files: Mapping[str, sealed.SealedFile]) -> dict[Path, str]:
    """Each sealed file with its text; a side that has nothing to seal has none."""
    paths = {side: assignment.side(side) / sealed.FILE for side in files}
    wanted = {side for side, file in files.items() if file.answers or file.mistakes}
    return {p: sealed.sealed_text(files[side]) for side, p in paths.items() if side in wanted or p.is_file()}


def generated(assignment: Assignment, grader: Grader) -> tuple[dict[Path, str], list[MistakeRun]]:
    """Every generated file of an assignment with its text, and the mistakes' runs behind it."""
    answers = read_sealed_answers(assignment, grader.suite.salts["hidden"])
    records = make_records(grader)
    runs = run_mistakes(grader, read_mistakes(assignment))
    fingerprints = fingerprint_files(runs)
    stub = make_notebook(assignment, solved=False)
    files = {assignment.stub: stub, assignment.pristine: stub}
    files |= {assignment.side(side) / "mistakes.json": fingerprints[side] for side in SIDES}
    return files | _sealed_texts(assignment, answers) | records, runs


def write_generated(assignment: Assignment, *, new_salt: bool = False) -> list[tuple[Path, bool]]:
    """Write the stub, the fingerprints and the records; gives each file and whether it changed.

    Nothing is written unless everything can be made. Raises CourseError, AssignmentError, SuiteError,
    FileError.
    """
    read_reference(assignment)
    salt = assignment.salt if assignment.salt and not new_salt else secrets.token_hex(16)

    def job(grader: Grader) -> dict[Path, str]:
        for text in grader.suite.broken.values():
            raise CourseError(f"{text}; mend the check file")
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
