"""What makes a course sound: every rule of `grade validate`, each with its remedy."""

from __future__ import annotations

import ast
import subprocess
from typing import TYPE_CHECKING

from grader.assignment import trouble_with_name
from grader.course import (
    SIDES,
    MistakeRun,
    apply_mistake,
    for_instructors,
    generated,
    make_notebook,
    read_reference,
    read_text,
    reference_blocks,
    solution_blocks,
    top_level,
)
from grader.diagnosis import read_known
from grader.grading import Grader, diagnosis_of, with_grader
from grader.intake import missing_imports
from grader.render.words import reading_words
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submission import Block, read_submission
from grader.suite import is_of_the_checks_own

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.report import CheckResult, Report

KERNEL_SECONDS = 120
SHORTEST_SOLUTION = 20  # characters: shorter blocks say too little to be recognised

# Code that knows nothing. Whatever it earns, a check gives away.
_NULL = """
class Null:
    def __init__(self, *args, **keywords):
        self.__dict__["first"] = args[0] if args else 0.0
    def __getattr__(self, name):
        if name in {functions}:
            return self._same
        return {attribute}
    def _same(self, *args, **keywords):
        return self
    __call__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = _same
    __truediv__ = __rtruediv__ = __pow__ = _same

def null_function(*args, **keywords):
    return {result}

SAME = Null()
null_answer = {answer}
"""
NULLS = {
    "all zeros": {"attribute": "0.0", "result": "0.0", "answer": "0.0"},
    "all ones": {"attribute": "1.0", "result": "1.0", "answer": "1.0"},
    "echo": {"attribute": 'self.__dict__["first"]', "result": "args[0] if args else None", "answer": "[]"},
    "the same object everywhere": {"attribute": "SAME", "result": "SAME", "answer": "SAME"},
}


def validate(assignment: Assignment) -> list[str]:
    """Everything that is wrong with an assignment, in words; nothing is changed.

    Raises AssignmentError, CourseError, SuiteError when it cannot be read at all.
    """
    read_reference(assignment)
    with Launcher() as launcher:
        problems = with_grader(assignment, launcher, lambda grader: list(_grading_rules(grader)))
    return [*_file_rules(assignment), *problems, *_kernel_rules(assignment)]


# --- The author's files


def _file_rules(assignment: Assignment) -> Iterator[str]:
    manifest = assignment.folder / "assignment.yaml"
    files = assignment.check_files()
    if assignment.continues_nothing:
        yield assignment.continues_nothing
    if missing := missing_imports(assignment):
        yield missing
    for name, spec in assignment.manifest.checks.items():
        if len(spec.hints) == 0:
            yield f"{manifest}: check `{name}` has no hints; write some, from a nudge to nearly the answer"
        mine = [path for check, _, path in files if check == name]
        if not mine:
            yield f"{manifest}: check `{name}` has no test_{name}.py in {assignment.side('visible')}; write it"
        for path in mine:
            yield from _docstrings(path)
    yield from _without_tests(assignment, [path for _, _, path in files])
    yield from _foreign_solutions(assignment)
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


# --- What grading says


def _grading_rules(grader: Grader) -> Iterator[str]:
    assignment = grader.assignment
    broken = list(grader.suite.broken.values())
    if broken:
        yield from (f"{text}; mend the check file" for text in broken)
        return
    wrong = list(_reference(grader))
    if wrong:
        yield from wrong
        return  # the rest compares with the reference
    yield from _stub(grader)
    yield from _nulls(grader)
    files, runs = generated(assignment, grader)
    for path, text in files.items():
        if path.is_file() and path.read_bytes() == text.encode():
            continue
        if path != assignment.stub or path.is_file():
            yield f"{path}: out of date; run `grade stub {assignment.name}`"
    yield from _mistakes(grader, runs)
    yield from _orders(grader, runs)


def _reference(grader: Grader) -> Iterator[str]:
    report = grader.grade(read_submission(grader.assignment.reference))
    yield from (f"{grader.assignment.reference}: {note}; mend the reference" for note in report.notes)
    for check in _with_a_file(grader.assignment, report):
        if check.outcome is Outcome.UNGRADABLE:
            yield f"check `{check.id}` cannot be used: {check.message}; mend the check file"
        elif check.outcome is not Outcome.PASSED:
            rows = "; ".join(map(reading_words, check.readings))
            said = [f"{check.outcome}:", check.message, rows, _own_error(grader, check)]
            yield (
                f"{grader.assignment.reference}: the reference does not pass `{check.id}` "
                f"({' '.join(filter(None, said))}); "
                "mend the reference or the check"
            )


def _own_error(grader: Grader, check: CheckResult) -> str:
    """What the check's own code raised over the reference, where the message for a student leaves it out."""
    _, results = grader.run(reference_blocks(grader.assignment), {check.id})
    errors = [r.error for r in results if is_of_the_checks_own(r.error)]
    own = [error for error in errors if str(error) not in check.message]
    return f"{type(own[0]).__name__}: {own[0]}" if own else ""


def _with_a_file(assignment: Assignment, report: Report) -> list[CheckResult]:
    """Its checks without those that nobody has written, of which `_file_rules` speaks."""
    written = {check for check, _, _ in assignment.check_files()}
    return [check for check in report.checks if check.id in written]


def _stub(grader: Grader) -> Iterator[str]:
    stub = grader.assignment.stub
    if not stub.is_file():
        yield f"{stub}: there is no stub; run `grade stub {grader.assignment.name}`"
        return
    for check in _with_a_file(grader.assignment, grader.grade(read_submission(stub))):
        if check.outcome not in (Outcome.TODO, Outcome.BLOCKED):
            yield (
                f"{stub}: the stub's `{check.id}` is {check.outcome}, it should be todo or blocked; "
                "take out of the stub what the check needs: it belongs between `### BEGIN SOLUTION` and "
                f"`### END SOLUTION` in {grader.assignment.reference}"
            )


def _nulls(grader: Grader) -> Iterator[str]:
    for title in NULLS:
        source = null_submission(reference_blocks(grader.assignment), title)
        _, results = grader.run([Block("null", None, 1, source)])
        for name in grader.assignment.manifest.checks:
            mine = [r.outcome for r in results if r.test.check == name]
            judged = [outcome for outcome in mine if outcome is not Outcome.BLOCKED]
            if judged and all(outcome is Outcome.PASSED for outcome in judged):
                yield (
                    f"check `{name}` of {grader.assignment.name}: code that knows nothing passes it "
                    f"({title}); compare with what does not come from the submission"
                )


def null_submission(blocks: list[Block], title: str) -> str:
    """A submission that defines every name of the reference and knows nothing."""
    functions = set().union(*(_functions_of_objects(block.source) for block in blocks))
    source = [_NULL.format(**NULLS[title], functions=sorted(functions))]
    for block in blocks:
        for node in top_level(block.source):
            if isinstance(node, ast.ClassDef):
                source.append(f"{node.name} = Null")
            elif isinstance(node, ast.FunctionDef):
                source.append(f"{node.name} = null_function")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                stored = [
                    n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                ]
                source += [f"{name.id} = null_answer" for name in stored]
    return "\n".join(source)


def _functions_of_objects(source: str) -> set[str]:
    """What is called on objects: methods, and attributes to which a function is assigned."""
    nodes = [node for statement in top_level(source) for node in ast.walk(statement)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    names = {function.name for function in functions}
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    called = {f.name for f in functions if any(f in body for body in bodies) and not _is_property(f)}
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_function(node.value, names):
            called |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return {name for name in called if not name.startswith("__")}


def _is_property(function: ast.FunctionDef) -> bool:
    return "property" in map(ast.unparse, function.decorator_list)


def _is_function(value: ast.expr, names: set[str]) -> bool:
    return isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in names)


def _mistakes(grader: Grader, runs: list[MistakeRun]) -> Iterator[str]:
    assignment = grader.assignment
    known = read_known(assignment.side(side) / "mistakes.json" for side in SIDES)
    ids = {run.mistake.id for run in runs}
    for run in runs:
        mistake = run.mistake
        if mistake.same_as and mistake.same_as not in ids:
            yield f"{mistake.path}: `same_as: {mistake.same_as}` names no mistake; correct the name"
            continue
        if set(mistake.fails) != run.failing_checks:
            failing = [name for name in assignment.manifest.checks if name in run.failing_checks]
            yield (
                f"{mistake.path}: declares `# fails: {' '.join(mistake.fails)}`, "
                f"but it fails {' '.join(failing) or 'nothing'}; "
                f"{'correct the line or the checks' if failing else 'write a test that it does not pass'}"
            )
        if not run.failing_checks and mistake.fails:
            continue  # what fails nothing is never diagnosed
        named = {name for names in diagnosis_of(run.results, known).values() for name in names}
        if named != {mistake.same_as or mistake.id}:
            remedy = (
                f"it does not read as {mistake.same_as} does, so take out `# same_as:`"
                if mistake.same_as
                else f"write a check that tells it from {_twins(run, runs) or 'the others'}, "
                "or name the other as `# same_as:`"
            )
            yield f"{mistake.path}: is diagnosed as {', '.join(sorted(named)) or 'nothing'}; {remedy}"


def _twins(run: MistakeRun, runs: list[MistakeRun]) -> str:
    """The mistakes that read the same in every test."""
    twins = [other for other in runs if other is not run and _reads(other) == _reads(run)]
    return " and ".join(twin.mistake.id for twin in twins)


def _reads(run: MistakeRun) -> set[tuple[str, str]]:
    return {(result.test.key, result.fingerprint) for result in run.results}


def _orders(grader: Grader, runs: list[MistakeRun]) -> Iterator[str]:
    """A check without `orders` must not depend on the order of sets."""
    plain = {name for name, spec in grader.assignment.manifest.checks.items() if not spec.orders}
    if not plain:
        return
    reference = reference_blocks(grader.assignment)
    cases = [("the reference", reference, grader.run(reference)[1])]
    cases += [(f"the mistake {r.mistake.id}", apply_mistake(reference, r.mistake), r.results) for r in runs]
    differing: dict[str, str] = {}
    grader.suite.order = "reverse"
    try:
        for title, blocks, results in cases:
            before = {r.test.key: (r.outcome, r.fingerprint) for r in results}
            for r in grader.run(blocks, plain)[1]:
                if before[r.test.key] != (r.outcome, r.fingerprint):
                    differing.setdefault(r.test.check, title)
    finally:
        grader.suite.order = None
    for check in (name for name in grader.assignment.manifest.checks if name in differing):
        yield (
            f"check `{check}` of {grader.assignment.name}: its result depends on the order of sets "
            f"(with {differing[check]}); write `orders: true` for it in the manifest"
        )


# --- A real kernel


def _kernel_rules(assignment: Assignment) -> Iterator[str]:
    for solved, allowed in ((True, set[str]()), (False, {"NotImplementedError", "NameError"})):
        name = "reference" if solved else "stub"
        for number, error, text in kernel_errors(make_notebook(assignment, solved=solved)):
            if error not in allowed:
                yield f"{assignment.reference}: in a kernel, cell {number} of the {name} raises {error}: {text}; mend it"


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
