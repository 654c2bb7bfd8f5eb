"""The checks of an assignment, ready to judge one submission after another.

A test whose recorded requests (records.py) get the answers of the reference has the reference's result. Answers that
another submission gave before have the result that they had then. Every other test runs in a session of pytest
(plugin.py), which is opened when the first test needs it.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec.structs import replace

from grader.grading.answers import Answers, NotLookedAt
from grader.grading.records import mark_of
from grader.grading.run import CheckFile, Running
from grader.sandbox import ORDERS, SubmissionStopped, Undefined
from grader.sandbox.replay import Answered, ReplayingSandbox, Script
from grader.topic import Test, TestOutcome, TestResult, Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from grader.grading.answers import Table
    from grader.grading.plugin import Plugin
    from grader.grading.records import RecordedCheck, RecordedTest
    from grader.sandbox import Sandbox

REMEMBERED = 10_000  # results of tests, of one class
Around: TypeAlias = (
    "Callable[[dict[str, Any], Callable[[dict[str, Any]], Any]], Any]"  # takes a request and what sends it
)
# The test, its requests, how many answers it read, and their hash.
_Key: TypeAlias = tuple[str, bytes, int, bytes]


@contextlib.contextmanager
def open_suite(
    files: Iterable[CheckFile],
    salts: Mapping[str, str],
    topic: Topic | None = None,
    answers: Mapping[str, Table] | None = None,
    **how: Any,
) -> Generator[Suite]:
    """Yield a Suite; its session of pytest, if it opens one, ends with the block."""
    with contextlib.ExitStack() as stack:
        yield Suite(files, salts, topic, answers, stack, **how)


class Suite:
    """The tests of the check files, in the order of the files; opens pytest in `stack` when it has to.

    `salts` and `tables` are those of each visibility: for random numbers, and the sealed answers to judge by. `records`
    has the record of each file that may be replayed. With `plain`, nothing is replayed. With `arrays`, `approx` takes nested lists.
    """

    def __init__(
        self,
        files: Iterable[CheckFile],
        salts: Mapping[str, str],
        topic: Topic | None,
        answers: Mapping[str, Table] | None,
        stack: contextlib.ExitStack,
        *,
        records: Mapping[Path, RecordedCheck] | None = None,
        plain: bool = False,
        arrays: bool = False,
    ) -> None:
        self.files = {file.path: file for file in files}
        self._files = {(file.check, file.visibility): file for file in self.files.values()}
        self.salts, self.topic = salts, topic or Topic()
        self.tables: Mapping[str, Table] = answers or {}
        self.arrays, self._stack = arrays, stack
        known = {
            path: record.known(self.files[path].check, self.files[path].visibility)
            for path, record in (records or {}).items()
        }
        self._used = known
        self._records = {} if plain else dict(records or {})
        self._recorded = {} if plain else known
        self._scripts: dict[Test, Script | None] = {}
        self._plugin: Plugin | None = None
        self._memory = Memory()

    # Tests and titles

    @property
    def tests(self) -> list[Test]:
        """Every test, in order."""
        return list(self.tests_of())

    @property
    def broken(self) -> dict[str, str]:
        """The reason why pytest cannot use a file, by check; of the files that were collected so far."""
        return {} if self._plugin is None else self._plugin.broken

    def title(self, check: str) -> str:
        """Return the first line of a check's docstring, or its name."""
        titles = (self._title_of(file) for file in self.files.values() if file.check == check)
        return next(filter(None, titles), check)

    def _title_of(self, file: CheckFile) -> str:
        if file.path in self._records:
            return self._records[file.path].title
        return self.collect([file]).titles.get(file.path, "")

    def collect(self, files: Iterable[CheckFile] | None = None) -> Plugin:
        """Collect these files, or all, as far as that is still to be done; return the session's plugin.

        Raises Broken when pytest itself cannot start.
        """
        if self._plugin is None:
            from grader.grading.plugin import Plugin  # late: pytest takes time to import
            from grader.grading.session import open_session

            plugin = Plugin(self.files.values(), self.salts, self.topic, self.tables, arrays=self.arrays)
            self._stack.enter_context(open_session(plugin))
            self._plugin = plugin
        self._plugin.collect(self.files.values() if files is None else files)
        return self._plugin

    # Judging

    def run(
        self,
        sandbox: Sandbox,
        only: str | AbstractSet[str] | None = None,
        *,
        visibility: str | None = None,
        order: str | None = None,
        fingerprinted: Callable[[Test], bool] = lambda _: True,
        patient: bool = False,
        replay: bool = True,
    ) -> list[TestResult]:
        """Judge one submission by every test, or by those of the checks `only` or of one `visibility`.

        A test that skips has the outcome `skipped`, whatever the reference does: for an author, and for a record.
        With `order` sets are iterated in this order, whatever the manifest says. Failed tests that are `fingerprinted`
        get a fingerprint; with `patient`, one that costs a load is left to `TestResult.later`. Without `replay` every
        test runs. Raises Broken for a damaged record of the topic.
        """
        only = {only} if isinstance(only, str) else only
        tests = (t for t in self.tests_of(only) if visibility in (None, t.visibility))
        return self._results(Running(sandbox, order, fingerprinted, patient), tests, replay=replay)

    def tests_of(self, only: AbstractSet[str] | None = None) -> Iterator[Test]:
        """Yield the tests of all checks, or of those in `only`."""
        for file in self.files.values():
            if only is None or file.check in only:
                known = self._recorded.get(file.path)
                yield from self.collect([file]).tests[file.path] if known is None else known

    def judge(self, running: Running, tests: Iterable[Test], *, replay: bool = True) -> list[TestResult]:
        """Judge the submission of a run by these tests; a test that skips it and not the reference is `unjudged`.

        Raises Broken for a damaged record of the topic.
        """
        results = self._results(running, tests, replay=replay)
        return [
            replace(result, outcome=TestOutcome.UNJUDGED) if self._is_unjudged(result) else result
            for result in results
        ]

    def _is_unjudged(self, result: TestResult) -> bool:
        """Return True for a skipped test that the reference passes, as far as its record says."""
        if result.outcome is not TestOutcome.SKIPPED or isinstance(result.error, NotLookedAt):
            return False
        file = self._files[result.test.check, result.test.visibility]
        recorded = self._used.get(file.path, {}).get(result.test)
        return recorded is None or not recorded.skipped

    def _results(self, running: Running, tests: Iterable[Test], *, replay: bool) -> list[TestResult]:
        self.topic.prepare()
        tests = list(tests)
        running.replays = replay and isinstance(running.sandbox, ReplayingSandbox)
        values = self._values(running, tests) if running.replays else {}
        orders = ORDERS if running.order is None else (None,)
        for order in orders:  # one after the other: cells run once an order
            turn: dict[CheckFile, list[Test]] = {}
            for test in tests:
                if test.order == (order or test.order):
                    turn.setdefault(self._files[test.check, test.visibility], []).append(test)
            found = dict(self._replayed(running, turn, values)) if running.replays else {}
            self._collect_needed(turn, found)
            self._judge(running, turn, found)
        skipped = [test for test in tests if self._is_out_of_time(running, test)]
        running.results |= {test: TestResult(test, TestOutcome.SKIPPED) for test in skipped}
        return [running.results[test] for test in tests]

    def _is_out_of_time(self, running: Running, test: Test) -> bool:
        """Return True if a check that this one needs ran out of time."""
        return bool(running.out_of_time.keys() & set(self._files[test.check, test.visibility].needs))

    def _judge(
        self,
        running: Running,
        turn: Mapping[CheckFile, Iterable[Test]],
        found: Mapping[Test, TestResult | Answered],
    ) -> None:
        for test in (test for tests in turn.values() for test in tests):
            if self._is_out_of_time(running, test):
                continue
            result = found.get(test)
            if isinstance(result, TestResult):
                running.results[test] = result
            elif result is not None and (recalled := self._recalled(running, test, result)):
                running.spend(test.check, result.seconds)
                self._waste(running, result, -1)
                running.results[test] = recalled
            elif stopped := running.out_of_time.get(test.check):
                running.results[test] = TestResult(test, TestOutcome.FAILED, error=stopped)
            else:
                self._run(running, test, result)

    def sends_nothing_hidden(self, test: Test) -> bool:
        """Return True for a visible test, and for a hidden one that only judges answers: it sends their names alone."""
        if test.visibility == "visible":
            return True
        file = self._files[test.check, test.visibility]
        recorded = self._recorded.get(file.path, {}).get(test)
        if recorded is not None and recorded.mark:
            return recorded.judges_alone
        fixtures = self.collect([file]).fixtures_of(test)
        return "answers" in fixtures and fixtures.isdisjoint({"student", "request"})

    def scripts(self, visibility: str) -> list[list[Script]]:
        """Return the recorded requests of tests, by file, but for those that values of a student's open."""
        found = [
            [
                script
                for test, each in tests.items()
                if each.mark and (script := self._script_of(test, each, self._records[path].salt, {}))
            ]
            for path, tests in self._recorded.items()
            if self.files[path].visibility == visibility
        ]
        return [*filter(None, found)]

    def recorded_use(self, check: str) -> TestResult | None:
        """Return a failed result with all that the reference used in the hidden tests of a check; None without a record."""
        file = self._files.get((check, "hidden"))
        recorded = self._used.get(file.path) if file else None
        if not recorded:
            return None
        return TestResult(
            next(iter(recorded)),
            TestOutcome.FAILED,
            used={name: () for each in recorded.values() for name in (*each.used, *each.functions)},
            answers=tuple(dict.fromkeys(name for each in recorded.values() for name in each.answers)),
            functions=frozenset(name for each in recorded.values() for name in each.functions),
        )

    def _collect_needed(
        self, turn: Mapping[CheckFile, Iterable[Test]], found: Mapping[Test, TestResult | Answered]
    ) -> None:
        """Collect at once all files with a test that has to run."""
        needed = [
            file
            for file, tests in turn.items()
            if not all(isinstance(found.get(test), TestResult) for test in tests)
        ]
        if needed:
            self.collect(needed)

    def _run(self, running: Running, test: Test, answered: Answered | None) -> None:
        """Run one test in pytest, with the answers that a replay has kept."""
        assert self._plugin is not None
        self._plugin.run(running, test, answered)
        result = running.results[test]
        if answered is None:
            return
        if answered.decided:
            self._waste(running, answered, -1)
        if _depends_on_answers_alone(result, answered, running):
            self._memory.keep(answered, result)
        running.results[test] = self._with_later(running, result, answered)

    def _with_later(self, running: Running, result: TestResult, answered: Answered) -> TestResult:
        """Return the result of a failed test with a way to its fingerprint: the test runs again for it."""
        wanted = running.patient and result.outcome is TestOutcome.FAILED and not result.fingerprint
        if not wanted or not running.fingerprinted(result.test):
            return result

        def fingerprint() -> str:
            again = Running(running.sandbox, running.order, lambda _: True)
            with running.sandbox.explaining():
                self.collect([self._files[result.test.check, result.test.visibility]])
                assert self._plugin is not None
                self._plugin.run(again, result.test, answered)
            return again.results[result.test].fingerprint

        return replace(result, later=fingerprint)

    def watch(self, sandbox: Sandbox, test: Test, around: Around) -> TestResult:
        """Run one test once more while `around` sees its requests and sends them; return its result."""
        running = Running(sandbox, None, lambda _: False)
        plugin = self.collect([self._files[test.check, test.visibility]])
        sandbox.watcher = around
        try:
            plugin.run(running, test)
        finally:
            sandbox.watcher = None
        return running.results[test]

    # Replay

    def _replayed(
        self, running: Running, turn: Mapping[CheckFile, Sequence[Test]], values: Mapping[str, Any]
    ) -> Iterator[tuple[Test, TestResult | Answered]]:
        """Yield the tests of recorded files with their result, or else with the answers to their script."""
        sandbox = running.sandbox
        assert isinstance(sandbox, ReplayingSandbox)
        for file, of_file in turn.items():
            if file.path not in self._records or not sandbox.may_replay:
                continue
            salt, tests, scripts = self._records[file.path].salt, {}, []
            for test in of_file:
                each = self._recorded[file.path][test]
                if each.mark and (script := self._script_of(test, each, salt, values)):
                    tests[test] = each
                    order = running.order or script.order
                    scripts.append(script if order == script.order else replace(script, order=order))
            if not scripts:
                continue
            replayed = sandbox.replay(scripts, running.left(file.check))
            for (test, recorded), answered in zip(tests.items(), replayed, strict=False):
                result = None
                if answered.complete:
                    result = self._settled(running, file, test, recorded, answered)
                    yield test, result or answered
                if result is None:
                    self._waste(running, answered)
            if len(replayed) < len(scripts):
                running.replays = False
                return  # a limit or a death in a script decides nothing: the rest runs as it is

    def _waste(self, running: Running, answered: Answered, factor: int = 1) -> None:
        running.sandbox.budget.waste(factor * (answered.loading + answered.seconds))

    def _script_of(
        self, test: Test, recorded: RecordedTest, salt: str, values: Mapping[str, Any]
    ) -> Script | None:
        """Return the script of a test; one that needs no value of the student's is made once."""
        if recorded.key:
            return recorded.script(salt, values)
        if test not in self._scripts:
            self._scripts[test] = recorded.script(salt, values)
        return self._scripts[test]

    def _values(self, running: Running, tests: Iterable[Test]) -> dict[str, Any]:
        """Return the student's plain values that open requests, as the jail sends them."""
        sandbox, order = running.sandbox, running.order or "forward"
        assert isinstance(sandbox, ReplayingSandbox)
        files = {test: self._files[test.check, test.visibility].path for test in tests}
        recorded = (self._recorded[path][test] for test, path in files.items() if path in self._recorded)
        names = list(dict.fromkeys(name for each in recorded for name in each.key))
        if not names:
            return {}
        requests = msgspec.json.encode([{"op": "get", "name": name} for name in names])
        replayed = sandbox.replay([Script(order, requests)], sandbox.limits.check_seconds)
        return dict(zip(names, replayed[0].answers, strict=False)) if replayed else {}

    def _settled(
        self, running: Running, file: CheckFile, test: Test, recorded: RecordedTest, answered: Answered
    ) -> TestResult | None:
        """Return the result that these answers have for certain, if they are the reference's or are remembered."""
        salt = self._records[file.path].salt
        if mark_of(salt, answered.answers, recorded.unseen) == recorded.mark:
            result = self._recalled(running, test, answered) if recorded.unseen else None
            if result is None:
                result = self._as_recorded(running, test, recorded, answered, salt)
        else:
            result = self._recalled(running, test, answered)
        if result is not None:
            running.spend(test.check, answered.seconds)
        return result

    def _as_recorded(
        self, running: Running, test: Test, recorded: RecordedTest, answered: Answered, salt: str
    ) -> TestResult | None:
        """Return the recorded result, if what the test judges by sealed answers is right."""
        right: dict[str, str] = {}
        try:
            ended = self._judged(running, test, recorded, answered, right)
        except Exception:
            return None
        if (ended is not None) is not recorded.skipped:
            return None
        running.sandbox.asked.update(recorded.asked)
        result = TestResult(
            test,
            recorded.outcome,
            error=ended,
            seconds=answered.seconds,
            used=dict.fromkeys(recorded.used, ()),
            answers=recorded.answers,
            functions=frozenset(recorded.functions),
            chart=recorded.opened(salt, answered.answers),
            right=tuple(right),
            why=tuple(filter(None, right.values())),
        )
        if recorded.unseen:
            answered.read = len(answered.script.steps)
            self._memory.keep(answered, result)
        return result

    def _recalled(self, running: Running, test: Test, answered: Answered) -> TestResult | None:
        """Return the result that the same answers had before, unless its fingerprint is wanted at once."""
        found = self._memory.recall(test, answered)
        if found is None:
            return None
        at_once = running.fingerprinted(test) and not running.patient
        if at_once and found.outcome is TestOutcome.FAILED:
            return None
        running.sandbox.asked |= answered.script.names(answered.read)
        return self._with_later(running, found, answered)

    def _judged(
        self, running: Running, test: Test, recorded: RecordedTest, answered: Answered, right: dict[str, str]
    ) -> NotLookedAt | None:
        """Judge the answers that the test would judge; return what ends the test. Raises for one that is not right."""
        if not recorded.unseen:
            return None
        sandbox = running.sandbox
        assert isinstance(sandbox, ReplayingSandbox)
        student = self.topic.student(sandbox, test.order)
        judge = Answers(student, self.tables.get(test.visibility, {}), right.__setitem__)
        with sandbox.kept(answered):
            for index, unseen in recorded.unseen.items():
                purpose, _, name = unseen.partition(" ")
                answered.read = index
                try:
                    (judge.judge if purpose == "judge" else student.glance)(name)
                except NotLookedAt as error:
                    return error
        return None


def _depends_on_answers_alone(result: TestResult, answered: Answered, running: Running) -> bool:
    """Return True if every run with these answers has this result."""
    error = result.error
    return (
        not answered.left
        and result.outcome is not TestOutcome.UNGRADABLE
        and not isinstance(error, Undefined | SubmissionStopped)
        and running.sandbox.budget.deadline.left > 0
    )


class Memory:
    """Results of tests by the requests that they sent and the answers that they read; the oldest are forgotten.

    Under each order of sets a test is the same function of its answers.
    """

    def __init__(self) -> None:
        self._results: OrderedDict[_Key, TestResult] = OrderedDict()
        self._lengths: dict[str, dict[int, None]] = {}  # how many answers were read, by test

    def keep(self, answered: Answered, result: TestResult) -> None:
        """Remember the result of a test that read the first `answered.read` answers."""
        key = self._key(result.test, answered, answered.read)
        self._lengths.setdefault(result.test.key, {})[answered.read] = None
        self._results[key] = result
        if len(self._results) > REMEMBERED:
            self._results.popitem(last=False)

    def recall(self, test: Test, answered: Answered) -> TestResult | None:
        """Return the result that a test had with these answers."""
        for read in self._lengths.get(test.key, ()):
            if found := self._results.get(self._key(test, answered, read)):
                answered.read = read
                fingerprint = found.fingerprint if found.test == test else ""
                return replace(found, test=test, seconds=answered.seconds, fingerprint=fingerprint)
        return None

    @staticmethod
    def _key(test: Test, answered: Answered, read: int) -> _Key:
        answers = hashlib.sha256(b"\n".join(answered.texts[:read])).digest()
        return test.key, answered.script.requests, read, answers
