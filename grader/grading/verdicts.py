"""Verdicts: from the outcomes of tests to the outcome and the points of a check, and of the whole."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grader.report import AssignmentInfo, CheckResult, Outcome, Report, SubmissionInfo, round_score
from grader.sandbox import SubmissionStopped
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.manifest import CheckSpec
    from grader.report import GraderInfo
    from grader.topic import TestResult

# From the most serious: the outcome of several tests is the first of these that one of them has.
_ORDER = (
    TestOutcome.UNGRADABLE,
    TestOutcome.FAILED,
    TestOutcome.TODO,
    TestOutcome.UNJUDGED,
    TestOutcome.PASSED,
    TestOutcome.SKIPPED,
)


def outcome_of(outcomes: Iterable[TestOutcome]) -> TestOutcome | None:
    """Return the outcome of several tests together: skipped only if all are, None if there are none."""
    found = set(outcomes)
    return next((outcome for outcome in _ORDER if outcome in found), None)


def ran_out_of_time(results: Iterable[TestResult]) -> bool:
    """Return True if a test exceeded a limit, for example in an endless loop: its explanation would, too."""
    return any(isinstance(r.error, SubmissionStopped) and r.error.limit for r in results)


def passed_names(results: Iterable[TestResult], others: Mapping[str, bool] | None = None) -> dict[str, bool]:
    """Return the names of the tests that were not skipped, each with True if it passed in every run.

    A test of this name may run among visible and hidden tests, and under several orders of sets. `others` has the names
    of further tests.
    """
    passed = dict(others or {})
    for result in results:
        if result.outcome is not TestOutcome.SKIPPED:
            name = result.test.name
            passed[name] = passed.get(name, True) and result.outcome is TestOutcome.PASSED
    return passed


def decide(of_tests: TestOutcome | None, spec: CheckSpec, before: Sequence[CheckResult]) -> Outcome:
    """Return the outcome of a check; `of_tests` is the outcome of its tests together, None without tests."""
    if spec.manual:
        return Outcome.MANUAL
    if of_tests in {None, TestOutcome.UNGRADABLE}:
        return Outcome.UNGRADABLE
    if of_tests is TestOutcome.FAILED:
        waiting = any(check.id in spec.needs and is_open(check) for check in before)
        return Outcome.BLOCKED if waiting else Outcome.FAILED
    if of_tests is TestOutcome.TODO:
        return Outcome.TODO
    if of_tests is TestOutcome.PASSED:
        return Outcome.PASSED
    if any(map(is_open, before)):  # the tests need other checks first
        return Outcome.BLOCKED
    return Outcome.FAILED if of_tests is TestOutcome.UNJUDGED else Outcome.TODO


def is_open(check: CheckResult) -> bool:
    return check.outcome not in (Outcome.PASSED, Outcome.MANUAL)


def points_of(spec: CheckSpec, outcome: Outcome, passed: Mapping[str, bool]) -> Fraction:
    """Return the points of a check; `passed` has its tests by name, as pytest calls them."""
    points = Fraction(spec.points)
    if outcome is Outcome.PASSED:
        return points
    if not spec.partial or outcome is Outcome.UNGRADABLE:
        return Fraction(0)
    functions = {name: name.partition("[")[0].rpartition(".")[2] for name in passed}
    weights = {name: Fraction(spec.weights.get(of, 1)) for name, of in functions.items()}
    return points * sum(weights[name] for name in passed if passed[name]) / (sum(weights.values()) or 1)


def score_of(checks: Sequence[CheckResult]) -> float | None:
    if any(check.outcome is Outcome.UNGRADABLE for check in checks):
        return None
    return round_score(sum(Fraction(check.score) for check in checks))


def overall(checks: Sequence[CheckResult]) -> Outcome:
    """Return the outcome of a report; manual checks count only if there are no others."""
    outcomes = {check.outcome for check in checks}
    if outcomes > {Outcome.MANUAL}:
        outcomes -= {Outcome.MANUAL}
    if outcomes == {Outcome.MANUAL}:
        return Outcome.MANUAL
    if Outcome.UNGRADABLE in outcomes:
        return Outcome.UNGRADABLE
    if outcomes <= {Outcome.PASSED}:
        return Outcome.PASSED
    return Outcome.TODO if outcomes <= {Outcome.TODO, Outcome.BLOCKED} else Outcome.FAILED


def report_without_tests(
    assignment: Assignment,
    outcome: Outcome,
    why: str,
    *,
    submission: SubmissionInfo,
    grader: GraderInfo,
    started: str,
    titles: Mapping[str, str],
) -> Report:
    """Return the report on work that was not tested: every check in `titles` has this outcome and no points.

    `why` is the message of the first check.
    """
    rest = "not graded" if outcome is Outcome.UNGRADABLE else "nothing to grade"
    has_hidden = assignment.has_hidden
    checks = [
        CheckResult(
            id=name,
            title=title,
            outcome=outcome,
            score=0.0,
            max_score=assignment.manifest.checks[name].points,
            visibility="both" if has_hidden else "visible",
            message=rest if number else why,
        )
        for number, (name, title) in enumerate(titles.items())
    ]
    return Report(
        assignment=AssignmentInfo(assignment.name, assignment.manifest.title),
        submission=submission,
        grader=grader,
        started=started,
        seconds=0.0,
        score=score_of(checks),
        max_score=round_score(sum(Fraction(check.max_score) for check in checks)),
        outcome=overall(checks),
        hidden_checks=has_hidden,
        checks=checks,
    )
