"""The rules of `grade validate` about the author's files: they are read, and nothing is graded."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from grader.assignment import trouble_with_name
from grader.authoring.mistakes import SIDES
from grader.authoring.reference import read_text, solution_blocks, top_level, topic_problems
from grader.grading.answerkey import SOURCE, faults, lays_open, read_answers, salt_of
from grader.submissions.intake import missing_imports
from grader.submissions.submission import read_submission
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment

SHORTEST_SOLUTION = 20  # characters: shorter blocks say too little to be recognised


# --- What makes grading luck, or stops it


def cause_rules(assignment: Assignment) -> Iterator[str]:
    for side in SIDES:
        yield from _unread(assignment, assignment.side(side))
    beside = [assignment.side(side) / HELPERS for side in SIDES]
    for path in [path for _, _, path in assignment.check_files()] + [p for p in beside if p.is_file()]:
        yield from (f"{path}, line {line}: {what}" for line, what in pitfalls(read_text(path)))
    if assignment.has_hidden and not assignment.salt:
        yield (
            f"{assignment.solutions / 'salt.txt'}: there is no salt, without which anybody can compute the "
            f"hidden checks' random numbers; run `grade stub {assignment.name}`, which makes one"
        )


def _unread(assignment: Assignment, folder: Path) -> Iterator[str]:
    """Yield the files of fixtures and hooks that pytest would read elsewhere."""
    for above in (folder, *folder.parents):
        if above == assignment.course.root:
            return
        path = above / "conftest.py"
        if path.is_file():
            yield f"{path}: this file is never read; move what the checks share to {folder / HELPERS}, and import it from there"


# --- The author's files


def file_rules(assignment: Assignment) -> Iterator[str]:
    manifest = assignment.folder / "assignment.yaml"
    files = assignment.check_files()
    if assignment.continues_nothing:
        yield assignment.continues_nothing
    if missing := missing_imports(assignment):
        yield missing
    yield from topic_problems(assignment)
    for name, spec in assignment.manifest.checks.items():
        if len(spec.hints) == 0:
            yield f"{manifest}: check `{name}` has no hints; write some, from a nudge to nearly the answer"
        mine = [path for check, _, path in files if check == name]
        if not mine:
            yield f"{manifest}: check `{name}` has no test_{name}.py in {assignment.side('visible')}; write it"
        for path in mine:
            yield from _docstrings(path)
    yield from _titles(assignment)
    if not any(spec.points for spec in assignment.manifest.checks.values()):
        yield f"{manifest}: the points of all checks are 0, so that nothing can be earned; give one of them points"
    yield from _without_tests(assignment, [path for _, _, path in files])
    yield from _foreign_solutions(assignment)
    yield from _answers(assignment)
    if trouble := trouble_with_name(assignment.name):
        yield f"{assignment.folder}: {trouble}; rename this folder, and the one in solutions/ with it"


def _docstrings(path: Path) -> Iterator[str]:
    source = read_text(path)
    body = top_level(source)
    if body and not ast.get_docstring(ast.parse(source)):
        yield f"{path}: no docstring; its first line is the check's title"
    for node in body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and not ast.get_docstring(node)
        ):
            yield f"{path}, line {node.lineno}: {node.name} has no docstring; students read it when it fails"


def _titles(assignment: Assignment) -> Iterator[str]:
    """Yield titles that two checks have, or two assignments: a student cannot tell them apart."""
    manifest, course = assignment.folder / "assignment.yaml", assignment.course
    for name in course.names[: course.names.index(assignment.name)]:
        if course.assignment(name).manifest.title == assignment.manifest.title:
            yield f"{manifest}: its title is that of {name} too, {assignment.manifest.title!r}; change one of them"
    first: dict[str, str] = {}
    for check, _, path in assignment.check_files():
        title = _title(path)
        if title and (other := first.setdefault(title, check)) != check:
            yield f"{path}: its title is that of `{other}` too, {title!r}; change one of them"


def _title(path: Path) -> str:
    """Return the first line of the file's docstring."""
    source = read_text(path)
    docstring = ast.get_docstring(ast.parse(source)) if top_level(source) else None
    return (docstring or "").partition("\n")[0].strip()


def _without_tests(assignment: Assignment, files: list[Path]) -> Iterator[str]:
    """Files of checks from which pytest takes nothing, and tests in files that are none of a check."""
    for path in files:
        if not _has_tests(path):
            yield f"{path}: no test in it; write `def test_...(student):`, in no class of unittest's"
    for side in SIDES:
        for path in sorted(set(assignment.side(side).glob("*.py")).difference(files)):
            if _has_tests(path):
                yield f"{path}: its tests are never run; name it test_<check>.py"


def _has_tests(path: Path) -> bool:
    """Whether pytest would find a test; of a file that does not parse something else is said."""
    source = read_text(path)
    classes = [
        node.body
        for node in top_level(source)
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not node.bases
    ]
    nodes = sum(classes, top_level(source))
    found = any(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in nodes)
    return found or not nodes


def _foreign_solutions(assignment: Assignment) -> Iterator[str]:
    if not assignment.stub.is_file():
        return
    stub = "\n".join(block.source for block in read_submission(assignment.stub).blocks)
    lines = {line.strip() for line in stub.split("\n")}
    for name in assignment.course.names:
        other = assignment.course.assignment(name)
        if not other.reference.is_file():
            continue
        for block in solution_blocks(other):
            wanted = [line.strip() for line in block.solution.split("\n") if line.strip()]
            if len("".join(wanted)) >= SHORTEST_SOLUTION and set(wanted) <= lines:
                yield (
                    f"{assignment.stub}: holds a solution of {name} ({wanted[0]!r}); "
                    f"put it between solution markers in {assignment.reference}"
                )


def _answers(assignment: Assignment) -> Iterator[str]:
    """Yield what is wrong with the answers themselves, and where one of them stands in what students get."""
    source = assignment.solutions / SOURCE
    answers = read_answers(source)
    yield from (f"{source}: {fault}" for fault in faults(answers, salt_of(assignment.salt)))
    for path in sorted(assignment.folder.rglob("*")) if answers else ():
        if path.suffix in {".ipynb", ".md", ".py", ".yaml", ".txt"} and path.is_file():
            for name in lays_open(_text_of(path), answers):
                yield (
                    f"{path}: says the answer `{name}`, or a sentence about it, which {source} keeps; "
                    "take it out of what students get"
                )


def _text_of(path: Path) -> str:
    """Return the text of a file; of a notebook that of its cells."""
    text = read_text(path)
    if path.suffix != ".ipynb":
        return text
    try:
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    except (ValueError, LookupError, TypeError):
        return text


# --- Lines of a check that make its verdict luck, or that stop grading

_RANDOM = re.compile(
    r"random\.(?!Random$|seed$).+|numpy\.random\.(?!default_rng$|RandomState$|seed$).+|secrets\..+"
    r"|uuid\.uuid[14]|os\.urandom"
)
_SEEDED = re.compile(r"random\.Random|numpy\.random\.(default_rng|RandomState)")  # by an argument
_SEEDS = re.compile(r"(numpy\.)?random\.seed")
_CLOCK = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time|thread_time)(_ns)?|time\.(localtime|gmtime)"
    r"|datetime\.(datetime|date)\.(now|today|utcnow)"
)
_ASKS = re.compile(r"breakpoint|input|i?pdb\.\w+")


def pitfalls(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a check's source that cannot stay, each with what is wrong and the remedy.

    A source that does not parse has none: the suite tells what is wrong with it.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    origins = _origins(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [(node, _origin(node.func, origins)) for node in calls]
    seeded = any(_SEEDS.fullmatch(name) and node.args for node, name in called)
    for node, name in sorted(called, key=lambda pair: pair[0].lineno):
        if said := _said(name, given=bool(node.args or node.keywords), seeded=seeded):
            yield node.lineno, f"{ast.unparse(node.func)}() {said}"


def _said(name: str, *, given: bool, seeded: bool) -> str:
    if _ASKS.fullmatch(name):
        return "stops grading until somebody types; take it out"
    if _CLOCK.fullmatch(name):
        return "gives something else in each run, so who passes is luck; take it out"
    lucky = not seeded if _RANDOM.fullmatch(name) else not given and _SEEDED.fullmatch(name)
    return "is not seeded, so who passes is luck; take random numbers from the fixture `rng`" if lucky else ""


def _origins(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name stands for: `numpy.random` for `r` of `import numpy.random as r`."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _origin(function: ast.expr, origins: dict[str, str]) -> str:
    """Return the full name of what is called; nothing for what is no name, or a name of the check's own."""
    if isinstance(function, ast.Attribute):
        of = _origin(function.value, origins)
        return f"{of}.{function.attr}" if of else ""
    if not isinstance(function, ast.Name):
        return ""
    return origins.get(function.id) or ("" if function.id not in {"breakpoint", "input"} else function.id)
