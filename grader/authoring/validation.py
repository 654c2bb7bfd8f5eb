"""What makes a course sound: every rule of `grade validate`, each with its remedy."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from grader.assignment import trouble_with_name
from grader.authoring.generated import (
    SIDES,
    MistakeRun,
    generated,
    kernel_errors,
    make_notebook,
    read_reference,
    read_sealed_answers,
    reference_blocks,
    sealed_mistakes,
    solution_blocks,
    tables_of,
    top_level,
    topic_problems,
)
from grader.authoring.mistakes import read_text
from grader.authoring.nulls import NULLS, null_submission
from grader.authoring.pitfalls import pitfalls
from grader.errors import nearest
from grader.grading.answerkey import SOURCE, faults, lays_open, read_answers
from grader.grading.answers import salt_of
from grader.grading.feedback import load_notes
from grader.grading.fingerprints import Known, diagnose
from grader.grading.grader import Grader, with_grader
from grader.grading.suite import is_of_the_checks_own
from grader.render.words import reading_words
from grader.report import Outcome, clean
from grader.sandbox import Launcher, Undefined
from grader.submissions.intake import continued_blocks, missing_imports
from grader.submissions.submission import Block, Sources, read_submission
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.authoring.mistakes import Mistake
    from grader.report import CheckResult, Report
    from grader.topic import TestResult

SHORTEST_SOLUTION = 20  # characters: shorter blocks say too little to be recognised


def validate(assignment: Assignment) -> list[str]:
    """Return everything that is wrong with an assignment, in words, causes first; change nothing.

    What only follows from something else is left out: it comes to light once that is mended.
    Raises Broken, Refused when the assignment cannot be read at all.
    """
    with Launcher() as launcher:
        problems, usable = without_kernel(assignment, launcher)
    return [*problems, *(_kernel_rules(assignment) if usable else ())]


def without_kernel(assignment: Assignment, launcher: Launcher) -> tuple[list[str], bool]:
    """Return what is wrong but for what only a kernel can tell, and whether the reference can be graded."""
    read_reference(assignment)
    causes, others = list(_causes(assignment)), list(_file_rules(assignment))
    if causes:
        return [*causes, *others], False
    answers = tables_of(read_sealed_answers(assignment, assignment.salt))
    return with_grader(assignment, launcher, lambda grader: _graded(grader, others), answers=answers)


def _graded(grader: Grader, problems: list[str]) -> tuple[list[str], bool]:
    if unusable := list(_unusable(grader)):
        return [*problems, *unusable], False
    return [*problems, *_grading_rules(grader)], True


# --- What makes grading luck, or stops it


def _causes(assignment: Assignment) -> Iterator[str]:
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


def _file_rules(assignment: Assignment) -> Iterator[str]:
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


# --- What grading says


def _unusable(grader: Grader) -> Iterator[str]:
    """Yield why nothing can be compared with the reference: checks that are broken, or a reference that is wrong."""
    if broken := grader.suite.broken.values():
        yield from (f"{text}; mend the check file" for text in broken)
        return
    reference, blocks = grader.assignment.reference, reference_blocks(grader.assignment)
    grader.suite.judged.clear()
    sandbox, results = grader.run(blocks)
    notes = continued_blocks(grader.assignment, read_submission(reference))[1]
    notes += [f"executing its cells in the jail: {note}" for note in load_notes(sandbox, Sources(blocks))]
    yield from (f"{reference}: {note}; mend the reference" for note in notes)
    if not notes:
        yield from _wrong_checks(grader, results)
        yield from _unjudged(grader)


def _wrong_checks(grader: Grader, results: list[TestResult]) -> Iterator[str]:
    """Yield what the checks say of the reference, without what waits for another check, and each missing name once."""
    reference = grader.assignment.reference
    wrong: dict[str, TestResult] = {}
    for result in results:
        if result.outcome is not Outcome.PASSED and not _is_beside_the_point(result, results):
            wrong.setdefault(result.test.check, result)
    missing: dict[str, list[str]] = {}
    for check, result in wrong.items():
        if isinstance(result.error, Undefined):
            missing.setdefault(result.error.name, []).append(check)
        elif result.outcome is Outcome.UNGRADABLE:
            yield f"check `{check}` cannot be used: {result.error}; mend the check file"
        elif not wrong.keys() & set(grader.assignment.manifest.checks[check].needs):
            yield (
                f"{reference}: the reference does not pass `{check}`: {_told(grader, result)}; "
                "mend the reference or the check"
            )
    for name, checks in missing.items():
        asked = ", ".join(f"`{check}`" for check in checks)
        yield (
            f"{reference}: the reference does not define `{name}`, for which {asked} "
            f"{'ask' if len(checks) > 1 else 'asks'} ({_place(grader, wrong[checks[0]])}); "
            "define it, or correct the name in the check"
        )


def _unjudged(grader: Grader) -> Iterator[str]:
    """Yield the answers that no check asks for, unless a check of them failed."""
    for name in {name: 0 for table in grader.suite.tables.values() for name in table}:
        if name not in grader.suite.judged:
            yield (
                f"{grader.assignment.solutions / SOURCE}: no test passes with `{name}`; "
                f'write one with `answers.judge("{name}")`, of a letter among the hidden checks'
            )


def _is_beside_the_point(result: TestResult, results: list[TestResult]) -> bool:
    """Return True for a skipped test of a check that has others: it says nothing either way."""
    said = {r.outcome for r in results if r.test.check == result.test.check}
    return result.outcome is Outcome.BLOCKED and said != {Outcome.BLOCKED}


def _place(grader: Grader, result: TestResult) -> str:
    test, line = result.test, f", line {result.line}" if result.line else ""
    path = grader.assignment.side(test.visibility) / f"test_{test.check}.py"
    return f"{path.relative_to(grader.assignment.course.root)}{line}, {test.name}"


def _told(grader: Grader, result: TestResult) -> str:
    """Return where a test failed and at what, with the numbers that a student may not see."""
    rows = result.failure.readings if result.failure else []
    said = [result.test.doc, "; ".join(map(reading_words, rows)), *_said(result)]
    text = " ".join(filter(None, [f"{_place(grader, result)}:", *said]))
    if any(row.actual.startswith("the text '<") for row in rows):
        text += " (`repr` gives an object's expression in angle brackets; `str` gives the student's own text)"
    return clean(text)


def _said(result: TestResult) -> Iterator[str]:
    """Yield what ended a test in words, but for what was compared."""
    failure, error = result.failure, result.error
    if failure and failure.text:
        yield failure.text
    if is_of_the_checks_own(error):
        yield f"{type(error).__name__}: {error}"
    elif error is not None and not (failure and (failure.text or failure.readings)):
        yield str(error).partition("\n")[0]


def _grading_rules(grader: Grader) -> Iterator[str]:
    assignment = grader.assignment
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
        elif check.score:
            yield (
                f"{stub}: the stub has {check.score:g} points for `{check.id}`, it should have none; write tests "
                "that the untouched notebook does not pass"
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


def _mistakes(grader: Grader, runs: list[MistakeRun]) -> Iterator[str]:
    known = Known(tuple(sealed_mistakes(runs, grader.assignment.salt).values()))
    for mistake in dict.fromkeys(run.mistake.name for run in runs):
        yield from _mistake(grader, [run for run in runs if run.mistake.name == mistake], runs, known)


def _mistake(grader: Grader, ways: list[MistakeRun], runs: list[MistakeRun], known: Known) -> Iterator[str]:
    """Yield what is wrong with one mistake; `ways` are its own runs."""
    mistake, checks = ways[0].mistake, grader.assignment.manifest.checks
    if unknown := [name for name in mistake.fails if name not in checks]:
        yield from (_no_check(mistake, name, list(checks)) for name in unknown)
        return
    for run in ways:
        if not run.failing_checks:
            yield f"{_way(run)}: fails nothing; write a test that it does not pass"
            return
    failing = set().union(*(run.failing_checks for run in ways))
    if set(mistake.fails) != failing:
        found = " ".join(name for name in checks if name in failing)
        unexpected = next(filter(None, (_unexpected(grader, run) for run in ways)), "")
        yield (
            f'{mistake.place}: declares `fails="{" ".join(mistake.fails)}"`, but it fails {found}{unexpected}; '
            "correct `fails` or the checks"
        )
    for run in ways:
        names = {told.name for mistakes in diagnose(run.results, known).values() for told in mistakes}
        if names != {mistake.name}:
            yield (
                f"{_way(run)}: is told as {', '.join(sorted(names)) or 'nothing'}; "
                f"write a check that tells it from {_twins(run, runs) or 'the others'}, or take one of them out"
            )


def _way(run: MistakeRun) -> str:
    way = f", edits {run.way + 1} of {len(run.mistake.edits)}" if len(run.mistake.edits) > 1 else ""
    return f"{run.mistake.place}{way}"


def _no_check(mistake: Mistake, name: str, checks: list[str]) -> str:
    return (
        f"{mistake.place}: `fails` names `{name}`, which is no check{nearest(name, checks)}; "
        f"this assignment has {', '.join(checks)}"
    )


def _unexpected(grader: Grader, run: MistakeRun) -> str:
    """Return the first test of each check that a mistake fails and does not declare."""
    firsts: dict[str, TestResult] = {}
    for result in run.results:
        if result.outcome is not Outcome.PASSED and result.test.check in run.failing_checks:
            firsts.setdefault(result.test.check, result)
    return "".join(f" ({_told(grader, r)})" for name, r in firsts.items() if name not in run.mistake.fails)


def _twins(run: MistakeRun, runs: list[MistakeRun]) -> str:
    """The mistakes that read the same in every test."""
    twins = [other for other in runs if other is not run and _reads(other) == _reads(run)]
    return " and ".join(twin.mistake.name for twin in twins)


def _reads(run: MistakeRun) -> set[tuple[str, str]]:
    return {(result.test.key, result.fingerprint) for result in run.results}


def _orders(grader: Grader, runs: list[MistakeRun]) -> Iterator[str]:
    """A check without `orders` must not depend on the order of sets."""
    plain = {name for name, spec in grader.assignment.manifest.checks.items() if not spec.orders}
    if not plain:
        return
    reference = reference_blocks(grader.assignment)
    cases = [("the reference", reference, grader.run(reference)[1])]
    cases += [(f"the mistake {run.mistake.name}", run.blocks, run.results) for run in runs]
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
