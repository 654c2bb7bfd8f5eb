"""Traces of checks: after everything else is final, one test of each runs again while the topic watches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.report import Outcome
from grader.sandbox import StudentError, SubmissionStopped
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.grading.suite import Suite
    from grader.manifest import Manifest
    from grader.report import CheckResult, Trace
    from grader.sandbox import Sandbox
    from grader.topic import TestResult

SECONDS = 2.0  # for all traces of one submission, wall time
TRIED = 8  # tests of one check


def with_traces(  # noqa: PLR0917  a trace is made of all of it
    checks: Sequence[CheckResult],
    results: Sequence[TestResult],
    sandbox: Sandbox,
    suite: Suite,
    manifest: Manifest,
    wanted: Iterable[str] | None = None,
) -> list[CheckResult]:
    """Return the checks with traces: for checks that failed by their walk, or for the `wanted` ones, right or wrong.

    A trace that fails or is too late is left out. Numbers of hidden tests stay hidden.
    """
    asked = [c for c in checks if (c.outcome is Outcome.FAILED if wanted is None else c.id in wanted)]
    with sandbox.budget.another_deadline(SECONDS):
        traces = {
            check.id: sandbox.budget.deadline.attempt(
                partial(_trace, _tests(check, results), sandbox, suite, manifest), None
            )
            for check in asked
        }
    if wanted is None and not manifest.arrays:  # of large arrays, no step is known to be wrong
        traces = {
            name: trace if trace and trace.wrong is not None else None for name, trace in traces.items()
        }
    return [replace(check, trace=traces[check.id]) if check.id in traces else check for check in checks]


def _tests(check: CheckResult, results: Iterable[TestResult]) -> list[TestResult]:
    """Return a check's visible tests: the passed ones if the check passed, else the failed ones."""
    own = [result for result in results if result.test.check == check.id]
    shown = [result for result in own if result.test.visibility == "visible"]
    outcome = TestOutcome.PASSED if check.outcome is Outcome.PASSED else TestOutcome.FAILED
    return [result for result in shown if result.outcome is outcome]


def _trace(tests: Sequence[TestResult], sandbox: Sandbox, suite: Suite, manifest: Manifest) -> Trace | None:
    """Return the first trace with a difference from a right walk; else the largest, preferably with a right walk."""
    found: list[Trace] = []
    for result in tests[:TRIED]:
        if trace := _trace_of(result, sandbox, suite, manifest):
            found.append(trace)
            if trace.wrong is not None:
                return trace
    return max(found, key=lambda trace: (bool(trace.right), len(trace.nodes)), default=None)


def _trace_of(result: TestResult, sandbox: Sandbox, suite: Suite, manifest: Manifest) -> Trace | None:
    watcher = suite.topic.watcher(sandbox, manifest)
    if watcher is None:
        return None
    with sandbox.explaining():
        try:
            outcome = suite.watch(sandbox, result.test, watcher.around).outcome
            passed = outcome is TestOutcome.PASSED
            trace = watcher.trace(sandbox.record, passed=passed, hide=bool(result.answers))
            watcher.close()
        except (StudentError, SubmissionStopped):
            return None
    # A test that ends differently now depends on the tests before it.
    return trace if outcome is result.outcome else None
