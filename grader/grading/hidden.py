"""Hidden tests: judged in their own jail, which reveals only outcomes.

The reader of the feedback may have written the code that its texts come from, and a submission sees every request to its
jail. So a process that has seen a hidden request gives nothing but outcomes. One grading opens up to three jails, one
after another:

A  visible tests, hidden tests that only judge answers (they send no input), and all explanations of these
B  the other hidden tests: a HiddenResult for each check
C  if only hidden tests fail a check: the topic reads back what these tests use, according to the reference's record

Only A decides what B executes and how much time it may take. Decision 32 has the reasons.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from grader.grading.explanations import topic_facts
from grader.grading.feedback import NO_THREAD, WRONG
from grader.grading.locations import find_definitions, locate_checks
from grader.grading.verdicts import outcome_of, passed_names
from grader.report import CheckResult, Fact, Location, Outcome
from grader.sandbox import Frame, StudentError, SubmissionStopped, safely
from grader.topic import Failing, TestOutcome, sort_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from grader.grading.run import Running
    from grader.grading.suite import Suite
    from grader.manifest import Limits, Manifest
    from grader.sandbox import Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import Test, TestResult, Topic

BLANK = "A hidden test of this check needs something that is still to be written."
# Sentences about the limit that a hidden test exceeded, by its name in the manifest or by its kind.
_LIMITS = {
    "load_seconds": "executing the cells took longer than the limit `load_seconds`",
    "check_seconds": "the tests of this check took longer than {0.check_seconds:g} s, the limit `check_seconds`",
    "total_seconds": "grading took longer than {0.total_seconds:g} s, the limit `total_seconds`",
    "memory": "your code asked for more than {0.memory_mb} MB of memory, the limit `memory_mb`",
    "recursion": "a function called itself more often than Python allows",
    "messages": "the submission wrote to the grader's own channel",
    "process": "the submission's process ended",
    "threads": "your code started a thread; hidden tests run without threads",
}
_LIMITS_OF_ERRORS = {"MemoryError": "memory", "RecursionError": "recursion"}


class HiddenResult(msgspec.Struct, frozen=True):
    """The results of a check's hidden tests, reduced to what the report may use.

    `passed` has the name of each test that was not skipped. `limit` names the limit that a failed test exceeded. `error`
    is for the instructor: the reason why the check cannot be graded.
    """

    outcome: TestOutcome
    passed: dict[str, bool] = {}
    limit: str = ""
    error: str = ""

    def words(self, limits: Limits) -> str:
        """Return the sentence for the student about a failed check or one to do."""
        if self.outcome is TestOutcome.TODO:
            return BLANK
        return f"In a hidden test, {_LIMITS[self.limit].format(limits)}." if self.limit else WRONG


def _reveal(results: Sequence[TestResult]) -> HiddenResult:
    outcome = outcome_of(result.outcome for result in results)
    assert outcome is not None
    errors = [result.error for result in results if result.outcome is outcome]
    return HiddenResult(
        outcome,
        passed_names(results),
        next(filter(None, map(_limit, errors)), "") if outcome is TestOutcome.FAILED else "",
        str(errors[0]) if outcome is TestOutcome.UNGRADABLE else "",
    )


def _limit(error: BaseException | None) -> str:
    if isinstance(error, SubmissionStopped):
        return error.limit or ("messages" if error.forged else "process")
    if not isinstance(error, StudentError):
        return ""
    return "threads" if NO_THREAD in error.text else _LIMITS_OF_ERRORS.get(error.type, "")


class HiddenTests(msgspec.Struct, frozen=True):
    """The hidden `tests` of one grading. `running` has ended in jail A; `opened` opens the sandbox of the next jail.

    `opened(True)` seals the sandbox, for hidden requests.
    """

    suite: Suite
    manifest: Manifest
    sources: Sources
    running: Running
    tests: Sequence[Test]
    opened: Callable[[bool], AbstractContextManager[Sandbox]]

    def judge(self) -> dict[str, HiddenResult]:
        """Judge the submission in jail B; return the results by check. Raises SandboxUnavailable."""
        failed = {
            test.check
            for test, result in self.running.results.items()
            if result.outcome is TestOutcome.FAILED
        }
        known = {check for check in failed if not self.manifest.checks[check].partial}
        tests = [test for test in self.tests if test.check not in known]
        found: dict[str, list[TestResult]] = {}
        if tests:
            with self.opened(True) as sandbox:
                seen = self.running.results.values()
                for result in self.suite.judge(self.running.in_another(sandbox), tests, seen):
                    found.setdefault(result.test.check, []).append(result)
        return {test.check: HiddenResult(TestOutcome.FAILED) for test in self.tests} | {
            check: _reveal(results) for check, results in found.items()
        }

    def explain(self, verdicts: Iterable[CheckResult], seen: Iterable[CheckResult]) -> list[CheckResult]:
        """Return the final verdicts with explanations: those of jail A (`seen`) that fit the verdict, else its own.

        An explanation that fails or is too late is left out.
        """
        by_name = {check.id: check for check in seen}
        checks = [_merge(verdict, by_name.get(verdict.id)) for verdict in verdicts]
        known = {name for name, check in by_name.items() if check.outcome is Outcome.FAILED}
        only_hidden = [check for check in checks if check.outcome is Outcome.FAILED and check.id not in known]
        if not only_hidden:
            return checks
        is_whole = len(checks) == len(self.manifest.checks)
        waiting = [check for check in checks if check.outcome is Outcome.BLOCKED] if is_whole else None
        probed = {check.id: check for check in safely(lambda: self._probe(only_hidden, waiting), only_hidden)}
        return [probed.get(check.id, check) for check in checks]

    def _probe(
        self, checks: Sequence[CheckResult], waiting: Sequence[CheckResult] | None
    ) -> list[CheckResult]:
        """Return these checks with what jail C finds about everything that their hidden tests use: rules, walks, places."""
        uses = {check.id: use for check in checks if (use := self.suite.recorded_use(check.id))}
        if not (uses and self.running.sandbox.budget.deadline.left):
            return list(checks)
        others = [use for check in waiting or () if (use := self.suite.recorded_use(check.id))]
        used = None if waiting is None else {name for use in others for name in use.used}
        failing = [Failing(name, [use]) for name, use in uses.items()]
        found, places, topic = dict[str, list[Fact]](), dict[str, Frame](), self.suite.topic
        with self.opened(False) as sandbox, contextlib.suppress(StudentError, SubmissionStopped):
            sandbox.load()
            attempt = sandbox.budget.deadline.attempt
            found = attempt(
                lambda: topic_facts(failing, used, sandbox, self.sources, self.manifest, topic), found
            )
            places = attempt(lambda: find_definitions(uses, sandbox, self.sources), places)
        told = [_with_facts(check, found.get(check.id, []), topic) for check in checks]
        where = safely(lambda: locate_checks(told, uses, places, self.sources), dict[str, Location]())
        return [replace(check, where=where.get(check.id)) for check in told]


def _with_facts(check: CheckResult, facts: list[Fact], topic: Topic) -> CheckResult:
    told = topic.words_for(facts)
    return replace(check, facts=sort_facts(facts), rules=told.rules, walk=told.walk)


def _merge(verdict: CheckResult, seen: CheckResult | None) -> CheckResult:
    if seen is None:
        return verdict
    if seen.outcome is verdict.outcome:
        own = seen.message if verdict.outcome in {Outcome.FAILED, Outcome.TODO} else verdict.message
        return replace(seen, score=verdict.score, visibility=verdict.visibility, message=own)
    if seen.outcome is Outcome.TODO and verdict.outcome is Outcome.FAILED:  # neither hides the other
        return replace(verdict, message=f"{verdict.message} {seen.message}", where=seen.where)
    return verdict
