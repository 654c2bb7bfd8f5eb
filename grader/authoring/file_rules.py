"""The faults that `grade validate` finds in the author's files; nothing is graded."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from grader.assignment import trouble_with_name
from grader.authoring.giveaways import TEXTS, file_parts, giveaways
from grader.authoring.loopholes import loopholes, open_methods, tests_in
from grader.authoring.mistakes import VISIBILITIES
from grader.authoring.reference import parse_source, read_text, solution_blocks, topic_problems
from grader.errors import nearest
from grader.grading.answerkey import SOURCE, faults, lays_open, public_salt, read_answers
from grader.submissions.intake import missing_imports
from grader.submissions.submission import read_submission
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment

SHORTEST_SOLUTION = 20  # characters: shorter blocks say too little to be recognised


# --- Causes of random results, or of none


def cause_rules(assignment: Assignment) -> Iterator[str]:
    """Yield the causes of random results or of no results. Each of them makes the other findings pointless."""
    for visibility in VISIBILITIES:
        yield from _conftests(assignment, assignment.checks_folder(visibility))
    beside = [assignment.checks_folder(visibility) / HELPERS for visibility in VISIBILITIES]
    for path in [path for _, _, path in assignment.check_files()] + [p for p in beside if p.is_file()]:
        for call, problem in pitfalls(read_text(path)):
            yield f"{path}, line {call.lineno}: {ast.unparse(call.func)}() {problem}"
    if assignment.has_hidden and not assignment.salt:
        yield (
            f"{assignment.solutions / 'salt.txt'}: this file is missing or empty, and without its secret anyone "
            f"can compute the hidden checks' random numbers; run `grade stub {assignment.name}`, which writes it"
        )


def _conftests(assignment: Assignment, folder: Path) -> Iterator[str]:
    """Yield each conftest.py, which pytest would read elsewhere and the grader never reads."""
    for above in (folder, *folder.parents):
        if above == assignment.course.root:
            return
        path = above / "conftest.py"
        if path.is_file():
            yield f"{path}: this file is never read; move its code to {folder / HELPERS} and import it from there"


# --- The author's files


def file_rules(assignment: Assignment) -> Iterator[str]:
    """Yield the faults of the manifest, the check files, the stub and the answers as files."""
    manifest = assignment.folder / "assignment.yaml"
    files = assignment.check_files()
    if assignment.missing_earlier:
        yield assignment.missing_earlier
    if missing := missing_imports(assignment):
        yield missing
    yield from topic_problems(assignment)
    assignment.data_paths("visible")  # raises Refused for either folder
    for name in assignment.manifest.checks:
        yield from check_rules(assignment, name)
    yield from _titles(assignment)
    if not any(spec.points for spec in assignment.manifest.checks.values()):
        yield f"{manifest}: all checks have 0 points; give at least one of them points"
    yield from _without_tests(assignment, [path for _, _, path in files])
    yield from _foreign_solutions(assignment)
    yield from open_methods(assignment)
    yield from _answers(assignment)
    yield from giveaways(assignment.course, _files_for_students(assignment))
    if trouble := trouble_with_name(assignment.name):
        yield f"{assignment.folder}: {trouble}; rename this folder, and the folder of this name in solutions/"


def check_rules(assignment: Assignment, name: str) -> Iterator[str]:
    """Yield the faults of the hints and the files of one check."""
    manifest = assignment.folder / "assignment.yaml"
    if assignment.manifest.checks[name].manual:
        return
    if len(assignment.manifest.checks[name].hints) == 0:
        yield f"{manifest}: check `{name}` has no hints; write some, from a nudge to nearly the answer"
    mine = [path for check, _, path in assignment.check_files() if check == name]
    if not mine:
        yield f"{manifest}: check `{name}` has no test_{name}.py in {assignment.checks_folder('visible')}; write this file"
    nodes = [node for path in mine for node in ast.walk(parse_source(read_text(path)))]
    known = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
    for other in assignment.manifest.checks[name].weights:
        if other not in known:
            yield f"{manifest}: `checks.{name}.weights` has `{other}`, but there is no such test{nearest(other, known)}; write the name of a test"
    for path in mine:
        yield from _docstrings(path)
        yield from (f"{path}, line {line}: {what}" for line, what in loopholes(read_text(path)))


def _docstrings(path: Path) -> Iterator[str]:
    tree = parse_source(read_text(path))
    if tree.body and not ast.get_docstring(tree):
        yield f"{path}: this file has no docstring; write one, whose first line is the check's title"
    for node in tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and not ast.get_docstring(node)
        ):
            yield f"{path}, line {node.lineno}: {node.name} has no docstring; write one, because students read it when the test fails"


def _titles(assignment: Assignment) -> Iterator[str]:
    """Yield the titles that two checks or two assignments share."""
    manifest, course = assignment.folder / "assignment.yaml", assignment.course
    for name in course.names[: course.names.index(assignment.name)]:
        if course.assignment(name).manifest.title == assignment.manifest.title:
            yield f"{manifest}: {name} has the same title, {assignment.manifest.title!r}; change one of the two titles"
    first: dict[str, str] = {}
    titles = [(check, _title(path), path) for check, _, path in assignment.check_files()]
    titles += [
        (check, spec.title, manifest) for check, spec in assignment.manifest.checks.items() if spec.title
    ]
    for check, title, path in titles:
        if title and (other := first.setdefault(title, check)) != check:
            yield f"{path}: check `{other}` has the same title, {title!r}; change one of the two titles"


def _title(path: Path) -> str:
    """Return the first line of the file's docstring."""
    return (ast.get_docstring(parse_source(read_text(path))) or "").partition("\n")[0].strip()


def _without_tests(assignment: Assignment, files: list[Path]) -> Iterator[str]:
    """Yield check files without a test, and other files whose tests are never run."""
    for path in files:
        if not _has_tests(path):
            yield f"{path}: this file has no test; write `def test_...(student):` outside of any unittest class"
    beside = [*assignment.folder.rglob("test*.py"), *assignment.solutions.rglob("*.py")]
    beside += assignment.checks_folder("visible").rglob("*.py")
    for path in sorted(set(beside).difference(files, [assignment.reference])):
        is_hidden = any(part.startswith(".") for part in path.relative_to(assignment.course.root).parts)
        if not is_hidden and parse_source(read_text(path)).body and _has_tests(path):
            side = "visible" if path.is_relative_to(assignment.folder) else "hidden"
            yield f"{path}: its tests are never run; rename it to {assignment.checks_folder(side)}/test_<check>.py"


def _has_tests(path: Path) -> bool:
    """Return True if pytest finds a test in a file, or if it does not parse (another function reports that)."""
    tree = parse_source(read_text(path))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return not tree.body or bool(tests_in(tree) or any(map(tests_in, classes)))


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
                    f"{assignment.stub}: this notebook holds a solution of {name} from `{wanted[0]}` on; "
                    f"put these lines between solution markers in {assignment.reference}"
                )


def _answers(assignment: Assignment) -> Iterator[str]:
    """Yield the faults of answers.yaml, and each file for students that gives an answer away."""
    source = assignment.solutions / SOURCE
    answers = read_answers(source)
    yield from (f"{source}: {fault}" for fault in faults(answers, public_salt(assignment.salt)))
    for path, text in _files_for_students(assignment).items() if answers else ():
        whole = "\n".join(part.text for part in file_parts(path, text))
        for name in lays_open(whole, answers):
            yield (
                f"{path}: students get this file, which gives away the answer `{name}` or its feedback; "
                f"keep both only in {source}"
            )


def _files_for_students(assignment: Assignment) -> dict[Path, str]:
    """Return the texts in an assignment's folder."""
    paths = sorted(path for path in assignment.folder.rglob("*") if path.suffix in TEXTS and path.is_file())
    return {path: read_text(path) for path in paths}


# --- Calls in a check that make its result random, or that stop grading

_RANDOM = re.compile(
    r"random\.(?!Random$|seed$).+|numpy\.random\.(?!default_rng$|RandomState$|seed$).+|secrets\..+"
    r"|uuid\.uuid[14]|os\.urandom"
)
_SEEDED = re.compile(r"random\.Random|numpy\.random\.(default_rng|RandomState)")  # by an argument of the call
_SEEDS = re.compile(r"(numpy\.)?random\.seed")
_CLOCK = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time|thread_time)(_ns)?|time\.(localtime|gmtime)"
    r"|datetime\.(datetime|date)\.(now|today|utcnow)"
)
UNSEEDED = "is not seeded, so each run tests other numbers; take random numbers from the fixture `rng`"
_ASKS = re.compile(r"breakpoint|input|i?pdb\.\w+")


def pitfalls(source: str) -> Iterator[tuple[ast.Call, str]]:
    """Yield each call in a check's source that must go, and its problem with the remedy.

    Nothing for a source that does not parse: the suite reports that.
    """
    tree = parse_source(source)
    origins = _origins(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [(node, _origin(node.func, origins)) for node in calls]
    seeded = any(_SEEDS.fullmatch(name) and node.args for node, name in called)
    for node, name in sorted(called, key=lambda pair: pair[0].lineno):
        if problem := _problem(name, given=bool(node.args or node.keywords), seeded=seeded):
            yield node, problem


def _problem(name: str, *, given: bool, seeded: bool) -> str:
    if _ASKS.fullmatch(name):
        return "waits for keyboard input, which stops grading; remove it"
    if _CLOCK.fullmatch(name):
        return "returns a different value in each run, so results cannot be repeated; remove it"
    lucky = not seeded if _RANDOM.fullmatch(name) else not given and _SEEDED.fullmatch(name)
    return UNSEEDED if lucky else ""


def _origins(tree: ast.Module) -> dict[str, str]:
    """Map each imported name to its full name: `r` to `numpy.random` after `import numpy.random as r`."""
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
    """Return the full name of a called function; empty for an expression or a name that the check defines."""
    if isinstance(function, ast.Attribute):
        of = _origin(function.value, origins)
        return f"{of}.{function.attr}" if of else ""
    if not isinstance(function, ast.Name):
        return ""
    return origins.get(function.id) or ("" if function.id not in {"breakpoint", "input"} else function.id)
