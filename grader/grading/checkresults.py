"""The checks of a report from the results of their tests: outcome, points and message, before any explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.grading.feedback import SKIPS
from grader.grading.verdicts import decide, is_open, outcome_of, passed_names, points_of
from grader.report import CheckResult, Outcome, round_score
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.grading.hidden import HiddenResult
    from grader.grading.suite import Suite
    from grader.manifest import CheckSpec
    from grader.topic import TestResult


class Verdicts:
    """Gives the checks of an assignment their outcomes, points and messages."""

    def __init__(self, assignment: Assignment, suite: Suite) -> None:
        self.manifest, self.suite = assignment.manifest, suite
        self.has_hidden = assignment.has_hidden  # needed for each check, and it lists a folder

    def of(
        self,
        results: Sequence[TestResult],
        only: str | None = None,
        hidden: Mapping[str, HiddenResult] | None = None,
        *,
        without: Collection[str] = (),
    ) -> list[CheckResult]:
        """Return the checks with outcome and points, still without explanations; those in `without` are left out.

        `hidden` has the results, by check, of hidden tests that are not among the `results`.
        """
        checks: list[CheckResult] = []
        for name, spec in self.manifest.checks.items():
            if only in (None, name) and name not in without:
                mine = [result for result in results if result.test.check == name]
                checks.append(self._check(name, spec, mine, (hidden or {}).get(name), checks))
        return checks

    def title(self, name: str) -> str:
        """Return the title of a check: from the manifest, or from its file."""
        return self.manifest.checks[name].title or self.suite.title(name)

    def _check(
        self,
        name: str,
        spec: CheckSpec,
        results: list[TestResult],
        hidden: HiddenResult | None,
        before: list[CheckResult],
    ) -> CheckResult:
        found = {result.test.visibility for result in results} | ({"hidden"} if hidden else set())
        of_tests = outcome_of(
            [*(result.outcome for result in results), *([hidden.outcome] if hidden else [])]
        )
        if name in self.suite.broken:
            of_tests = TestOutcome.UNGRADABLE
        outcome = decide(of_tests, spec, before)
        return CheckResult(
            id=name,
            title=self.title(name),
            outcome=outcome,
            score=round_score(
                points_of(spec, outcome, passed_names(results, hidden.passed if hidden else None))
            ),
            max_score=spec.points,
            visibility="both" if len(found) == 2 else (found or {"visible"}).pop(),
            message=self._message(name, spec, outcome, results, hidden, before),
            seconds=round(sum(result.seconds for result in results), 3),
        )

    def _message(  # noqa: PLR0917  a message is made of all of it
        self,
        name: str,
        spec: CheckSpec,
        outcome: Outcome,
        results: list[TestResult],
        hidden: HiddenResult | None,
        before: list[CheckResult],
    ) -> str:
        """Return the message of a verdict. A check that failed or is to do gets an explanation in its place."""
        if outcome is Outcome.MANUAL:
            return "Your instructor grades this."
        if outcome is Outcome.UNGRADABLE:
            errors = [str(r.error) for r in results if r.outcome is TestOutcome.UNGRADABLE]
            errors += [hidden.error if hidden else "", self._without_tests(name)]
            return self.suite.broken.get(name) or next(filter(None, errors))
        if outcome is Outcome.PASSED and not self.has_hidden:
            return " ".join(_skips(results))
        if outcome in {Outcome.FAILED, Outcome.TODO} and hidden:
            return hidden.words(self.manifest.limits)
        if outcome is not Outcome.BLOCKED:
            return ""
        waits = [other.id for other in before if other.id in spec.needs and is_open(other)]
        reasons = _skips(results) or [f"waits for {next(filter(is_open, before)).id}"]
        return f"waits for {' and '.join(waits)}" if waits else reasons[0]

    def _without_tests(self, name: str) -> str:
        paths = [str(path) for path, file in self.suite.files.items() if file.check == name]
        return (
            f"{paths[0]}: this file has no test"
            if paths
            else f"test_{name}.py is not in the folder `checks`; get this file from the course again"
        )


def _skips(results: list[TestResult]) -> list[str]:
    """Return the reasons that the skipped tests of a check give."""
    return list(dict.fromkeys(str(r.error) for r in results if r.outcome in SKIPS and r.error is not None))
