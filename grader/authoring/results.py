"""Results of checks over an author's code: the form in the cache, and the form for `grade validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.console import quiet
from grader.grading.explanations import topic_facts
from grader.grading.feedback import load_notes
from grader.grading.plugin import is_of_the_checks_own
from grader.grading.verdicts import ran_out_of_time
from grader.render.words import reading_words
from grader.report import cap
from grader.sandbox import SandboxUnavailable, Undefined
from grader.submissions.submission import Sources
from grader.topic import Failing, Test, TestOutcome, TestResult, Unavailable, is_exact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.grading.grader import Grader
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Block


REVERSED = "reverse"  # the order of sets that is compared with the usual one


class JudgedTest(TestResult, frozen=True):
    """The result of one test without the objects that explain it, but with the words that an author reads."""

    words: str = ""  # location and reason if it did not pass
    said: str = ""  # the text of its error
    undefined: str = ""  # the name that the code does not define


class _StoredResult(msgspec.Struct, frozen=True, array_like=True):
    """A `JudgedTest` in the cache. Its place in the list says which test it is."""

    outcome: TestOutcome
    fingerprint: str = ""
    line: int = 0
    used: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    words: str = ""
    said: str = ""
    undefined: str = ""


class CheckResults(msgspec.Struct, frozen=True, array_like=True):
    """The results of one check over one piece of code."""

    rows: list[_StoredResult]
    noted: bool  # running the cells gave notes
    out_of_time: bool = False  # then the checks that need it are skipped
    passing: bool = False  # another run may give other results, so these are not kept
    worded: bool = False  # the words of a mistake that explains its failed tests are in the report


class CodeCase(NamedTuple):
    """A piece of code with the checks that judge it; sets are iterated in the `order` of the tests, or in this one.

    If it `spares_hidden`, the hidden tests of a check run only while no visible one has failed.
    """

    blocks: Sequence[Block]
    only: Collection[str] | None = None
    order: str | None = None
    spares_hidden: bool = False


def judge(grader: Grader, case: CodeCase) -> dict[str, CheckResults]:
    """Run the checks of a case. Their output is hidden: cached results would have none."""
    with quiet(), grader.sandbox(case.blocks, of_author=True) as sandbox:
        found = list(_results(grader, sandbox, case))
        results = [grader.suite.excuse(result, found) for result in found]
        notes = load_notes(sandbox, Sources(case.blocks), of_time=False)
        worded = _checks_with_words(grader, sandbox, case, results)
    by_check: dict[str, list[TestResult]] = {}
    for result in results:
        by_check.setdefault(result.test.check, []).append(result)
    entries = {
        check: _entry(grader.assignment, of_check, noted=bool(notes), worded=check in worded)
        for check, of_check in by_check.items()
    }
    late, specs = {c for c, entry in entries.items() if entry.out_of_time}, grader.assignment.manifest.checks
    return {check: entry for check, entry in entries.items() if not late & set(specs[check].needs)}


def _results(grader: Grader, sandbox: Sandbox, case: CodeCase) -> Iterator[TestResult]:
    """Yield the results of the tests. A test that does not run is skipped."""
    checks = grader.assignment.manifest.checks
    only = set(checks if case.only is None else case.only)
    if not case.spares_hidden:
        yield from grader.suite.run(sandbox, only, order=case.order)
        return
    visible = grader.suite.run(sandbox, only, visibility="visible", order=case.order)
    yield from visible
    failed = {r.test.check for r in visible if r.outcome not in (TestOutcome.PASSED, TestOutcome.SKIPPED)}
    late = {result.test.check for result in visible if ran_out_of_time([result])}
    left = {check for check in only - failed if not late & set(checks[check].needs)}
    yield from grader.suite.run(sandbox, left, visibility="hidden", order=case.order)
    spared = (test for test in grader.suite.tests_of(failed) if test.visibility == "hidden")
    yield from (TestResult(test, TestOutcome.SKIPPED) for test in spared)


def _checks_with_words(
    grader: Grader, sandbox: Sandbox, case: CodeCase, results: list[TestResult]
) -> set[str]:
    """Return the failed checks whose report has the words of a mistake: not blocked, and without an exact fact.

    Empty for a case without a mistake, and under another order of sets.
    """
    if not case.spares_hidden or case.order:
        return set()
    manifest, failed = grader.assignment.manifest, dict[str, list[TestResult]]()
    for result in results:
        if result.outcome is TestOutcome.FAILED:
            failed.setdefault(result.test.check, []).append(result)
    first = [check for check in failed if failed.keys().isdisjoint(manifest.checks[check].needs)]
    failing = [Failing(check, failed[check]) for check in first]
    used = {name for check in failed.keys() - set(first) for result in failed[check] for name in result.used}
    found = topic_facts(failing, used, sandbox, Sources(case.blocks), manifest, grader.suite.topic)
    return {check for check in first if not is_exact(found.get(check, []))}


def _entry(assignment: Assignment, results: list[TestResult], *, noted: bool, worded: bool) -> CheckResults:
    errors = [result.error for result in results]
    late = ran_out_of_time(results)
    missing = any(isinstance(error, SandboxUnavailable | Unavailable) for error in errors)
    rows = [_row(assignment, result) for result in results]
    return CheckResults(rows, noted, late, late or missing, worded)


def _row(assignment: Assignment, result: TestResult) -> _StoredResult:
    error = result.error
    return _StoredResult(
        result.outcome,
        result.fingerprint,
        result.line,
        tuple(result.used),
        result.right,
        "" if result.outcome is TestOutcome.PASSED else _words(assignment, result),
        "" if error is None else str(error),
        error.name if isinstance(error, Undefined) else "",
    )


def location(assignment: Assignment, result: TestResult) -> str:
    """Return the file, the line and the name of a test."""
    test, line = result.test, f", line {result.line}" if result.line else ""
    path = assignment.checks_folder(test.visibility) / f"test_{test.check}.py"
    return f"{path.relative_to(assignment.course.root)}{line}, {test.name}"


def _words(assignment: Assignment, result: TestResult) -> str:
    """Return the location and the reason of a failed test. The author sees numbers of hidden tests, too."""
    rows = result.failure.readings if result.failure else []
    parts = [result.test.doc, "; ".join(map(reading_words, rows)), *_reasons(result)]
    text = " ".join(filter(None, [f"{location(assignment, result)}:", *parts]))
    if any(row.actual.startswith("the text '<") for row in rows):
        text += ". `repr` gives an object's expression in angle brackets, and `str` the student's own text"
    return cap(text)


def _reasons(result: TestResult) -> Iterator[str]:
    """Yield the failure's text and the error of a test, without the compared values."""
    failure, error = result.failure, result.error
    if failure and failure.text:
        yield failure.text
    if is_of_the_checks_own(error):
        yield f"{type(error).__name__}: {error}"
    elif error is not None and not (failure and (failure.text or failure.readings)):
        yield str(error).partition("\n")[0]


def make_skipped_result(assignment: Assignment, test: Test) -> JudgedTest:
    """Return the result of a test whose check waits for one that ran out of time."""
    return restore_result(test, _row(assignment, TestResult(test, TestOutcome.SKIPPED)))


def restore_result(test: Test, row: _StoredResult) -> JudgedTest:
    """Return a cached result with its test."""
    return JudgedTest(test, **msgspec.structs.asdict(row) | {"used": dict.fromkeys(row.used, ())})
