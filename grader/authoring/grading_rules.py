"""The faults that `grade validate` finds by grading the reference, the stub, null submissions and mistakes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.authoring.generated import make_files, make_records, start_replay
from grader.authoring.mistakes import MistakeRun, run_mistakes, sealed_mistakes, ways_of
from grader.authoring.reference import parse_source, read_text, reference_blocks
from grader.authoring.results import REVERSED, CodeCase, location
from grader.errors import nearest
from grader.grading import records
from grader.grading.answerkey import SOURCE
from grader.grading.fingerprints import diagnose
from grader.report import Outcome
from grader.sandbox import StudentError, SubmissionStopped
from grader.submissions.intake import continued_blocks
from grader.submissions.submission import Block, read_submission
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.authoring.mistakes import Way
    from grader.authoring.results import JudgedTest
    from grader.authoring.runner import Runner
    from grader.grading.fingerprints import SealedMistakes
    from grader.topic import Test

# --- The reference


def unusable(runner: Runner, only: str | None = None) -> Iterator[str]:
    """Yield broken check files, or else the faults of the reference; with either, the other findings would mislead."""
    if broken := [text for check, text in runner.broken_files().items() if only in (None, check)]:
        yield from (f"{text}; fix the check file" for text in broken)
        return
    make_records(runner)  # first, because computing them may take longer than a check has
    reference, blocks = runner.assignment.reference, reference_blocks(runner.assignment)
    checks = None if only is None else {only}
    results = runner.results(CodeCase(blocks, checks))
    notes = continued_blocks(runner.assignment, read_submission(reference))[1]
    notes += [
        f"a cell of the reference stops in the jail, at {note}" for note in runner.notes(blocks, checks)
    ]
    yield from (f"{reference}: {note}; fix the reference" for note in notes)
    if not notes:
        yield from _wrong_checks(runner.assignment, results)
        if only is None:
            yield from _report_unjudged(runner, results)
            yield from _misread(runner)


def _misread(runner: Runner) -> Iterator[str]:
    """Yield the rules of the reference that the topic would explain to students as wrong."""
    blocks, manifest = reference_blocks(runner.assignment), runner.assignment.manifest
    with runner.grader.sandbox(blocks) as sandbox, sandbox.explaining():
        try:
            problems = [*runner.grader.suite.topic.misread(sandbox, manifest)]
        except (StudentError, SubmissionStopped):
            return  # no rule is read back, so students would read none
    yield from (f"{runner.assignment.folder / 'assignment.yaml'}: {problem}" for problem in problems)


def _wrong_checks(assignment: Assignment, results: list[JudgedTest]) -> Iterator[str]:
    """Yield each check that the reference does not pass: the first of those that need each other, each missing name once."""
    reference = assignment.reference
    wrong: dict[str, JudgedTest] = {}
    for result in results:
        if result.outcome is not TestOutcome.PASSED and not _is_skipped_beside_others(result, results):
            wrong.setdefault(result.test.check, result)
    missing: dict[str, list[str]] = {}
    for check, result in wrong.items():
        if result.undefined:
            missing.setdefault(result.undefined, []).append(check)
        elif result.outcome is TestOutcome.UNGRADABLE:
            yield f"check `{check}` cannot be used: {result.said}; fix the check file"
        elif not wrong.keys() & set(assignment.manifest.checks[check].needs):
            yield (
                f"{reference}: the reference does not pass `{check}`, in {result.words}; "
                "fix the reference or the check"
            )
    for name, checks in missing.items():
        asked = ", ".join(f"`{check}`" for check in checks)
        yield (
            f"{reference}: the reference does not define `{name}`, which {asked} "
            f"{'use' if len(checks) > 1 else 'uses'} ({location(assignment, wrong[checks[0]])}); "
            "define it, or correct the name in the check"
        )


def _report_unjudged(runner: Runner, results: list[JudgedTest]) -> Iterator[str]:
    """Yield the answers that no passing test judges."""
    right = {name for result in results for name in result.right}
    for name in {name: 0 for table in runner.grader.suite.tables.values() for name in table}:
        if name not in right:
            yield (
                f"{runner.assignment.solutions / SOURCE}: no passing test judges the answer `{name}`; "
                f'write one with `answers.judge("{name}")`; for a letter, write a hidden one'
            )


def _is_skipped_beside_others(result: JudgedTest, results: list[JudgedTest]) -> bool:
    """Return True for a skipped test of a check with tests that were not: the others decide."""
    outcomes = {r.outcome for r in results if r.test.check == result.test.check}
    return result.outcome is TestOutcome.SKIPPED and outcomes != {TestOutcome.SKIPPED}


def grading_rules(runner: Runner, *, sound: bool) -> Iterator[str]:
    """Yield the faults of the stub, the checks, the generated files and the mistakes.

    An outdated replay.json is reported only if the course is `sound` so far: fixing a check makes one.
    """
    assignment, checks = runner.assignment, runner.assignment.manifest.checks
    runner.grader.known_mistakes  # noqa: B018  raises Broken for a damaged file
    ways, plain = ways_of(assignment), {name for name, spec in checks.items() if not spec.orders}
    start_replay(runner)
    _prepare(runner, ways, None, plain)
    files, runs, faults = make_files(runner, ways)
    yield from _stub(runner)
    yield from _nulls(runner, runs)
    yield from faults
    for path, text in files.items():
        if (path.is_file() and path.read_bytes() == text.encode()) or (
            path.name == records.FILE and not sound
        ):
            continue
        if path != assignment.stub or path.is_file():
            yield f"{path}: this file is missing or out of date; run `grade stub {assignment.name}`"
    known = sealed_mistakes(runs, runner.settings.salt)
    for name in dict.fromkeys(run.mistake.name for run in runs):
        yield from _mistake(assignment, [run for run in runs if run.mistake.name == name], runs, known)
    yield from _orders(runner, runs, plain)


def one_check_rules(runner: Runner, check: str) -> Iterator[str]:
    """Yield the faults of one check, run over the stub, null submissions and every mistake."""
    only, ways = {check}, ways_of(runner.assignment)
    plain = set() if runner.assignment.manifest.checks[check].orders else only
    _prepare(runner, ways, only, plain)
    runs = run_mistakes(runner, ways, only)
    yield from _stub(runner, check)
    yield from _nulls(runner, runs, check)
    for mistake in {run.mistake.name: run.mistake for run in runs}.values():
        yield from _mistake_of_check([run for run in runs if run.mistake is mistake], check)
    yield from _orders(runner, runs, plain)


def _prepare(
    runner: Runner, ways: Sequence[Way], only: Collection[str] | None, plain: Collection[str]
) -> None:
    """Run all code that `grade validate` judges, divided among workers."""
    assignment, reference = runner.assignment, reference_blocks(runner.assignment)
    stub = [_stub_blocks(assignment)] if assignment.stub.is_file() else []
    nulls = [_null_blocks(reference, title) for title in NULLS]
    wrong = [CodeCase(way.blocks, only, spares_hidden=True) for way in ways]
    usual = [*(CodeCase(blocks, only) for blocks in [*stub, *nulls, reference]), *wrong]
    turned = [case._replace(only=plain, order=REVERSED) for case in [CodeCase(reference), *wrong]]
    runner.prepare([*usual, *turned] if plain else usual)


def _mistake_of_check(ways: list[MistakeRun], check: str) -> Iterator[str]:
    mistake, fails = ways[0].mistake, any(run.failing_checks for run in ways)
    if fails != (check in mistake.fails):
        yield (
            f'{mistake.location} declares `fails="{" ".join(mistake.fails)}"`, but '
            f"{'fails' if fails else 'passes'} `{check}`; correct `fails` or the check{_report_unexpected(ways)}"
        )


def _stub_blocks(assignment: Assignment) -> list[Block]:
    """Return the blocks of earlier work, if the assignment continues one, and of the stub."""
    stub = read_submission(assignment.stub)
    return [*continued_blocks(assignment, stub)[0], *stub.blocks]


def _stub(runner: Runner, only: str | None = None) -> Iterator[str]:
    assignment, stub = runner.assignment, runner.assignment.stub
    if not stub.is_file():
        yield f"{stub}: there is no stub; run `grade stub {assignment.name}`"
        return
    results = runner.results(CodeCase(_stub_blocks(assignment), None if only is None else {only}))
    # `file_rules` reports checks without a file.
    written = {check for check, _, _ in assignment.check_files()}
    for check in runner.grader.verdicts.of(results, only):
        if check.id in written and check.outcome not in (Outcome.TODO, Outcome.BLOCKED):
            yield (
                f"{stub}: with the stub, check `{check.id}` is {check.outcome}, but it must be todo or blocked; put the "
                "code that the check needs between `### BEGIN SOLUTION` and `### END SOLUTION` in "
                f"{assignment.reference}"
            )
        elif check.score:
            yield (
                f"{stub}: the stub earns {check.score:g} points for `{check.id}`, but must earn none; write tests "
                "that the untouched notebook does not pass"
            )


def _nulls(runner: Runner, runs: list[MistakeRun], only: str | None = None) -> Iterator[str]:
    """Yield each check that a null submission passes, and the weak tests of the other checks."""
    assignment, reference = runner.assignment, reference_blocks(runner.assignment)
    passed: dict[Test, dict[str, int]] = {}  # by test, under any order, the null submissions that pass it
    given_away: set[str] = set()
    has_tables = any(name.partition(".")[0] == "pandas" for name in assignment.manifest.imports)
    for title in [*NULLS, *(_OF_TABLES if has_tables else ())]:
        results = runner.results(CodeCase(_null_blocks(reference, title), None if only is None else {only}))
        for name in [only] if only else assignment.manifest.checks:
            mine = [r for r in results if r.test.check == name and r.outcome is not TestOutcome.SKIPPED]
            right = [r.test for r in mine if r.outcome is TestOutcome.PASSED]
            for test in right if title not in _DIFFERENCES else ():
                passed.setdefault(replace(test, order=""), {})[title] = 0
            if mine and len(right) == len(mine) and not (title in _DIFFERENCES and name in given_away):
                given_away.add(name)
                remedy = COMPARE_BETTER
                if title in _DIFFERENCES:
                    remedy = "the student's code computes the difference, so compare the value itself with `== approx(...)`"
                yield (
                    f"check `{name}` of {assignment.name}: code that knows nothing passes it with {title}; {remedy}"
                )
    for test, titles in passed.items():
        partial = assignment.manifest.checks[test.check].partial  # then each test is worth points
        if len(titles) > 1 and test.check not in given_away and (partial or not _is_proved(test, runs)):
            what = f"{_place(assignment, test)}: code that knows nothing passes this test with {', '.join(titles)}"
            if partial:
                yield f"{what}, and earns the test's share of `{test.check}`; {COMPARE_BETTER}"
            else:
                yield f"{what}, and no mistake fails the test; {COMPARE_BETTER}, or write a mistake that fails the test"


def _is_proved(test: Test, runs: list[MistakeRun]) -> bool:
    """Return True if a mistake fails a test, or the check of a hidden one, which does not run after a visible one failed."""
    if test.visibility == "hidden" and any(test.check in run.failing_checks for run in runs):
        return True
    return any(
        r.test.key == test.key and r.outcome is TestOutcome.FAILED for run in runs for r in run.results
    )


def _place(assignment: Assignment, test: Test) -> str:
    """Return the file, the line and the name of a test."""
    path = assignment.checks_folder(test.visibility) / f"test_{test.check}.py"
    name = test.name.partition("[")[0].rpartition("::")[2]
    nodes = ast.walk(parse_source(read_text(path)))
    line = next((n.lineno for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name), 1)
    return f"{path}, line {line}: {test.name}"


def _mistake(
    assignment: Assignment, ways: list[MistakeRun], runs: list[MistakeRun], known: SealedMistakes
) -> Iterator[str]:
    """Yield the faults of one mistake. `ways` are its own runs, `runs` the runs of all mistakes."""
    mistake, checks = ways[0].mistake, assignment.manifest.checks
    if unknown := [name for name in mistake.fails if name not in checks]:
        yield from (
            f"{mistake.location} has `{name}` in `fails`, but there is no check of this name{nearest(name, list(checks))}; "
            f"write names of checks: {', '.join(checks)}"
            for name in unknown
        )
        return
    for run in ways:
        if not run.failing_checks:
            yield f"{_way(run)} fails no check; write a test that fails for this mistake"
            return
    failing = set().union(*(run.failing_checks for run in ways))
    if set(mistake.fails) != failing:
        found = " ".join(name for name in checks if name in failing)
        yield (
            f'{mistake.location} declares `fails="{" ".join(mistake.fails)}"`, but fails `{found}`; '
            f"correct `fails` or the checks{_report_unexpected(ways)}"
        )
    for run in ways:
        visible = [result for result in run.results if result.test.visibility == "visible"]
        recognised = diagnose(visible, known)
        names = {match.name for matches in recognised.values() for match in matches}
        if not any(_reads(run)):
            yield (
                f"{_way(run)} fails only hidden tests, and only visible tests recognise a mistake; write a visible test "
                "that fails for this mistake"
            )
        elif names != {mistake.name}:
            yield (
                f"{_way(run)} is recognised as {', '.join(sorted(names)) or 'no mistake'}; write a test that "
                f"distinguishes this mistake from {_twins(run, runs) or 'the others'}, or remove one of them"
            )
        elif run.worded.isdisjoint(recognised):
            told = ", ".join(f"`{check}`" for check in recognised)
            yield f"{_way(run)} has words that no student reads, because {told} shows a fact about their code instead; remove this mistake"


def _way(run: MistakeRun) -> str:
    way = f", edits {run.number + 1} of {len(run.mistake.edits)}," if len(run.mistake.edits) > 1 else ""
    return f"{run.mistake.location}{way}"


def _report_unexpected(ways: list[MistakeRun]) -> str:
    """Return a line for each check that a mistake fails and does not declare: its first failing test."""
    for run in ways:
        firsts: dict[str, JudgedTest] = {}
        for result in run.results:
            if result.outcome is not TestOutcome.PASSED and result.test.check in run.failing_checks:
                firsts.setdefault(result.test.check, result)
        if lines := [f"\n  {r.words}" for name, r in firsts.items() if name not in run.mistake.fails]:
            return "".join(lines)
    return ""


def _twins(run: MistakeRun, runs: list[MistakeRun]) -> str:
    """Return the names of the mistakes that have the same fingerprint in every visible test."""
    twins = [other for other in runs if other is not run and _reads(other) == _reads(run)]
    return " and ".join(twin.mistake.name for twin in twins)


def _reads(run: MistakeRun) -> set[tuple[str, str]]:
    """Return the fingerprints of the visible tests that fail."""
    return {
        (result.test.key, result.fingerprint)
        for result in run.results
        if result.test.visibility == "visible" and result.outcome is TestOutcome.FAILED
    }


def _orders(runner: Runner, runs: list[MistakeRun], plain: set[str]) -> Iterator[str]:
    """Yield each check of `plain`, those without `orders`, whose result changes with the order of sets."""
    if not plain:
        return
    cases = [("the reference", CodeCase(runner.reference, plain))]
    cases += [
        (f"the mistake `{run.mistake.name}`", CodeCase(run.blocks, plain, spares_hidden=True)) for run in runs
    ]
    differing: dict[str, str] = {}
    for title, case in cases:
        results = zip(runner.results(case), runner.results(case._replace(order=REVERSED)), strict=True)
        for one, two in results:
            if (one.outcome, one.fingerprint) != (two.outcome, two.fingerprint):
                differing.setdefault(one.test.check, title)
    for check in (name for name in runner.assignment.manifest.checks if name in differing):
        yield (
            f"check `{check}` of {runner.assignment.name}: with {differing[check]}, its result depends on the order of sets; "
            "write `orders: true` for this check in the manifest"
        )


# --- Null submissions: they have every name and compute nothing

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
{more}
def null_function(*args, **keywords):
    return {result}

SAME = Null()
null_answer = {answer}
"""
# Makes `abs(student.x - 3) < 1e-9` true for any number.
_AGREEING = """
    def __sub__(self, other):
        return 0.0
    def __truediv__(self, other):
        return 1.0
    def __getitem__(self, key):
        return self
    def __iter__(self):
        return iter([self] * 50)
    __rsub__ = __sub__
"""
_SAME = {"attribute": "SAME", "result": "SAME", "answer": "SAME"}
COMPARE_BETTER = "compare with a right value that such code cannot have"
AGREEING = "objects whose `-` gives 0 and whose `/` gives 1"
NULLS = {
    "all zeros": {"attribute": "0.0", "result": "0.0", "answer": "0.0"},
    "all ones": {"attribute": "1.0", "result": "1.0", "answer": "1.0"},
    "its first argument": {
        "attribute": 'self.__dict__["first"]',
        "result": "args[0] if args else None",
        "answer": "[]",
    },
    "empty lists": dict.fromkeys(("attribute", "result", "answer"), "[]"),
    "the same object everywhere": _SAME,
    AGREEING: _SAME | {"more": _AGREEING},
}
TABLES = "empty tables"
NO_DIFFERENCE = "objects whose `-` gives a table of zeros"
_DIFFERENCES = frozenset({AGREEING, NO_DIFFERENCE})
_OF_TABLES = {  # where the manifest allows pandas
    TABLES: dict.fromkeys(("attribute", "result", "answer"), '__import__("pandas").Series(dtype=float)'),
    NO_DIFFERENCE: _SAME | {"more": _AGREEING.replace("0.0", '__import__("pandas").Series([0.0])')},
}


def _null_blocks(reference: list[Block], title: str) -> list[Block]:
    return [Block("null", None, 1, null_submission(reference, title))]


def null_submission(blocks: list[Block], title: str) -> str:
    """Return a submission that defines every name of the reference and computes nothing."""
    functions = set().union(*(functions_of_objects(block.source) for block in blocks))
    source = [_NULL.format(**{"more": ""} | (NULLS | _OF_TABLES)[title], functions=sorted(functions))]
    for block in blocks:
        for node in parse_source(block.source).body:
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


def functions_of_objects(source: str) -> set[str]:
    """Return the names of methods, and of attributes to which a function is assigned."""
    nodes = list(ast.walk(parse_source(source)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    names = {function.name for function in functions}
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    called = {
        f.name
        for f in functions
        if any(f in body for body in bodies) and "property" not in map(ast.unparse, f.decorator_list)
    }
    for node in nodes:
        if isinstance(node, ast.Assign) and (
            isinstance(node.value, ast.Lambda) or ast.unparse(node.value) in names
        ):
            called |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return {name for name in called if not name.startswith("__")}
