"""The checks of an assignment, ready to judge one submission after another.

If the recorded requests of a check (records.py) get the reference's replies under one order of sets, the check has the
reference's results there. Every other check runs, from its first test, in a session of pytest (plugin.py), which opens
when the first check needs it.
"""

from __future__ import annotations

import contextlib
import inspect
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from grader.grading.answers import Answers, NotLookedAt
from grader.grading.records import mark_of, replay_group
from grader.grading.run import CheckFile, Running
from grader.sandbox import ORDERS
from grader.sandbox.replay import OtherRequest, ReplayingSandbox, Script, Tape
from grader.topic import Test, TestOutcome, TestResult, Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.grading.answers import Table
    from grader.grading.plugin import Plugin
    from grader.grading.records import RecordedCheck, RecordedTest
    from grader.grading.run import Around
    from grader.sandbox import Sandbox
    from grader.sandbox.replay import ScriptReplies

WASTED = 0.5  # seconds of fruitless replays, loads included; then the rest of the checks run


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
    """The tests of the check files, in the order of the files; opens pytest in `stack` when a test has to run.

    `salts` (for random numbers) and `tables` (sealed answers) are by visibility. `records` has the record of each file
    that may be replayed. With `arrays`, `approx` takes nested lists.
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
        arrays: bool = False,
    ) -> None:
        self.files = {file.path: file for file in files}
        self._files = {(file.check, file.visibility): file for file in self.files.values()}
        self.salts, self.topic = salts, topic or Topic()
        self.tables: Mapping[str, Table] = answers or {}
        self.arrays, self._stack = arrays, stack
        self._records = dict(records or {})
        self._recorded = {
            path: record.tests_of(self.files[path].check, self.files[path].visibility)
            for path, record in self._records.items()
        }
        self._scripts: dict[tuple[Path, str], Script | None] = {}
        self._plugin: Plugin | None = None

    # Tests and titles

    @property
    def tests(self) -> list[Test]:
        """Every test, in order."""
        return list(self.tests_of())

    @property
    def broken(self) -> dict[str, str]:
        """The reasons why pytest cannot use files, by check, among the files collected so far."""
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
        """Collect these files, or all, unless they are collected already; return the session's plugin.

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
        only: str | Collection[str] | None = None,
        *,
        visibility: str | None = None,
        order: str | None = None,
        fingerprinted: Callable[[Test], bool] = lambda _: True,
        replay: bool = True,
    ) -> list[TestResult]:
        """Judge one submission by every test, or by those of the checks `only` or of one `visibility`.

        For authors and for records: a test that skips has the outcome `skipped`, whatever the reference does. `order`
        overrides the manifest's orders of sets. Failed tests that are `fingerprinted` get a fingerprint. Without
        `replay`, every test runs. Raises Broken for a damaged record of the topic.
        """
        only = {only} if isinstance(only, str) else only
        tests = (t for t in self.tests_of(only) if visibility in (None, t.visibility))
        return self._results(Running(sandbox, order, fingerprinted), tests, replay=replay)

    def tests_of(self, only: Collection[str] | None = None) -> Iterator[Test]:
        """Yield the tests of all checks, or of those in `only`."""
        for file in self.files.values():
            if only is None or file.check in only:
                known = self._recorded.get(file.path)
                yield from self.collect([file]).tests[file.path] if known is None else known

    def judge(
        self,
        running: Running,
        tests: Iterable[Test],
        before: Iterable[TestResult] = (),
        *,
        replay: bool = True,
    ) -> list[TestResult]:
        """Judge the submission of a run by these tests; a test that skips it but not the reference is `unjudged`.

        It is `passed` if it is excused by a failed check, in these results or in those `before`. Raises Broken for a
        damaged record of the topic.
        """
        found = self._results(running, tests, replay=replay)
        seen = [*before, *found]
        excused = [self.excuse(result, seen) if self._is_unjudged(result) else result for result in found]
        return [
            replace(result, outcome=TestOutcome.UNJUDGED) if self._is_unjudged(result) else result
            for result in excused
        ]

    def excuse(self, result: TestResult, found: Iterable[TestResult]) -> TestResult:
        """Return a skipped test as passed if the check that it names has failed, or was not asked for."""
        excuses = {*getattr(result.error, "__notes__", ())} & {check for check, _ in self._files}
        others = {other.outcome for other in found if other.test.check in excuses}
        is_void = others and others <= {TestOutcome.PASSED, TestOutcome.SKIPPED}
        is_excused = result.outcome is TestOutcome.SKIPPED and excuses and not is_void
        return replace(result, outcome=TestOutcome.PASSED) if is_excused else result

    def _is_unjudged(self, result: TestResult) -> bool:
        """Return True for a skipped test that the reference passes; without a record, for any skipped test."""
        if result.outcome is not TestOutcome.SKIPPED or isinstance(result.error, NotLookedAt):
            return False
        path = self._files[result.test.check, result.test.visibility].path
        recorded = self._recorded.get(path, {}).get(result.test)
        return recorded is None or not recorded.skipped

    def _results(self, running: Running, tests: Iterable[Test], *, replay: bool) -> list[TestResult]:
        self.topic.prepare()
        tests = list(tests)
        running.replays = replay and isinstance(running.sandbox, ReplayingSandbox)
        values = self._values(running, tests) if running.replays else {}
        for order in ORDERS:  # one after the other
            turn: dict[CheckFile, list[Test]] = {}
            for test in tests:
                if test.order == order:
                    turn.setdefault(self._files[test.check, test.visibility], []).append(test)
            for file, of_file in turn.items():
                self._judge(running, file, of_file, values)
        skipped = [test for test in tests if self._is_out_of_time(running, test)]
        running.results |= {test: TestResult(test, TestOutcome.SKIPPED) for test in skipped}
        return [running.results[test] for test in tests]

    def _is_out_of_time(self, running: Running, test: Test) -> bool:
        """Return True if a check that this one needs ran out of time."""
        return bool(running.out_of_time.keys() & set(self._files[test.check, test.visibility].needs))

    def _judge(
        self, running: Running, file: CheckFile, tests: Sequence[Test], values: Mapping[str, Any]
    ) -> None:
        """Judge by the tests of one check file under one order of sets; they share a load."""
        if self._is_out_of_time(running, tests[0]):
            return
        running.sandbox.turn_to(file.visibility)
        found = []
        if not running.out_of_time.get(file.check):
            found = self._replay(running, file, tests, values) or self._repeat(running, file, tests)
        if found:
            running.results |= {result.test: result for result in found}
        else:
            self._run(running, file, tests)

    def _run(self, running: Running, file: CheckFile, tests: Sequence[Test]) -> None:
        """Run the tests of one check file under one order of sets; tape their requests if another order may follow."""
        sandbox, plugin, tape = running.sandbox, self.collect([file]), None
        sandbox.begin_check()
        if isinstance(sandbox, ReplayingSandbox) and self._may_repeat(running, file, tests):
            tape = sandbox.tape = Tape()
        try:
            for test in tests:
                if stopped := running.out_of_time.get(file.check):
                    running.results[test] = TestResult(test, TestOutcome.FAILED, error=stopped)
                else:
                    plugin.run(running, test)
        finally:
            if isinstance(sandbox, ReplayingSandbox):
                sandbox.tape = None
        if tape and not tape.is_torn and len(tape.answers) == len(tape.requests):
            running.taped[file.path] = tape, [running.results[test] for test in tests]

    def sends_nothing_hidden(self, test: Test) -> bool:
        """Return True for a visible test, and for a hidden one that only judges answers: it sends only their names."""
        if test.visibility == "visible":
            return True
        recorded = self._recorded.get(self._files[test.check, test.visibility].path, {}).get(test)
        return self.only_judges_answers(test) if recorded is None else recorded.alone

    def only_judges_answers(self, test: Test) -> bool:
        """Return True for a test that only judges answers: it uses neither the submission nor pytest's request."""
        function = self.collect([self._files[test.check, test.visibility]]).function_of(test)
        fixtures = inspect.signature(function).parameters.keys()
        return "answers" in fixtures and fixtures.isdisjoint({"student", "request"})

    def scripts(self, visibility: str) -> list[Script]:
        """Return the recorded requests of checks, except those that only a student's values open."""
        found = [
            self._script(path, group, {})
            for path, record in self._records.items()
            if self.files[path].visibility == visibility
            for group in record.marks
        ]
        return [*filter(None, found)]

    def recorded_use(self, check: str) -> TestResult | None:
        """Return a failed result with everything that the reference uses in a check's hidden tests; None without a record."""
        file = self._files.get((check, "hidden"))
        recorded = self._recorded.get(file.path) if file else None
        if not recorded:
            return None
        return TestResult(
            next(iter(recorded)),
            TestOutcome.FAILED,
            used={name: () for each in recorded.values() for name in (*each.used, *each.functions)},
            answers=tuple(dict.fromkeys(name for each in recorded.values() for name in each.answers)),
            functions=frozenset(name for each in recorded.values() for name in each.functions),
        )

    def watch(self, sandbox: Sandbox, test: Test, around: Around) -> TestResult:
        """Run one test again while `around` sees its requests and sends them; return the result."""
        running = Running(sandbox, None, lambda _: False)
        plugin = self.collect([self._files[test.check, test.visibility]])
        sandbox.watcher = around
        sandbox.begin_check()
        try:
            plugin.run(running, test)
        finally:
            sandbox.watcher = None
        return running.results[test]

    # Replay

    def _replay(
        self, running: Running, file: CheckFile, tests: Sequence[Test], values: Mapping[str, Any]
    ) -> list[TestResult]:
        """Return the results of these tests if a replay decides all of them, else none."""
        known = self._recorded.get(file.path, {})
        if not known or not running.replays or file.check in running.unsettled:
            return []
        group = replay_group(tests[0], known[tests[0]])
        script = self._script(file.path, group, values)
        if script is None or [*tests] != self._tests_in(file.path, group):
            return []
        found = self._send(running, tests[0], script.requests, partial(self._settle, running, file, group))
        if not found:
            running.unsettled.add(file.check)
        return found

    def _send(
        self,
        running: Running,
        test: Test,
        requests: bytes,
        settled: Callable[[ScriptReplies], list[TestResult]],
    ) -> list[TestResult]:
        """Send these requests under the test's order of sets; return the results if the replies decide them, else none."""
        sandbox, order = running.sandbox, running.order or test.order
        assert isinstance(sandbox, ReplayingSandbox)
        if sandbox.hangs.found or not sandbox.budget.may_load(order):
            return []
        began = sandbox.budget.now
        answered = sandbox.replay(Script(order, requests), running.seconds_left(test.check))
        if answered is None:  # a limit or a crash in a script decides nothing: the other checks run
            running.replays = False
        elif found := settled(answered):
            running.spend(test.check, sum(result.seconds for result in found))
            return found
        else:
            sandbox.budget.waste(answered.seconds)
            running.wasted += sandbox.budget.now - began
            running.replays = running.wasted < WASTED
        return []

    def _may_repeat(self, running: Running, file: CheckFile, tests: Sequence[Test]) -> bool:
        """Return True if the requests of a check under its first order of sets may be replayed under the next."""
        known = self._recorded.get(file.path, {})
        is_first = file.orders and running.order is None and tests[0].order == ORDERS[0]
        return (
            is_first
            and bool(known)
            and replay_group(tests[0], known[tests[0]]) in self._records[file.path].marks
        )

    def _repeat(self, running: Running, file: CheckFile, tests: Sequence[Test]) -> list[TestResult]:
        """Return the results of these tests under the first order of sets if all replies are the same now; else none."""
        if not running.replays or file.path not in running.taped:
            return []
        tape, before = running.taped.pop(file.path)
        if [(test.name, test.doc) for test in tests] != [(r.test.name, r.test.doc) for r in before]:
            return []

        def settled(answered: ScriptReplies) -> list[TestResult]:
            if not tape.is_equal(answered):
                return []
            running.taped[file.path] = tape, before
            return [replace(result, test=test) for result, test in zip(before, tests, strict=True)]

        return self._send(running, tests[0], tape.script, settled)

    def _tests_in(self, path: Path, group: str) -> list[Test]:
        return [test for test, each in self._recorded[path].items() if replay_group(test, each) == group]

    def _script(self, path: Path, group: str, values: Mapping[str, Any]) -> Script | None:
        """Return the requests of a group of tests; a script that no student's value opens is built once."""
        record, key = self._records[path], (path, group)
        if group not in record.marks:
            return None
        if key in self._scripts:
            return self._scripts[key]
        tests = [self._recorded[path][test] for test in self._tests_in(path, group)]
        parts = [each.unbox(record.salt, values) for each in tests]
        whole = b",".join(part[1:-1] for part in parts if part and part != b"[]")
        script = None if None in parts else Script(tests[0].order, b"[" + whole + b"]")
        if not any(each.key for each in tests):
            self._scripts[key] = script
        return script

    def _values(self, running: Running, tests: Iterable[Test]) -> dict[str, Any]:
        """Return the student's plain values that open recorded requests, as the jail sends them."""
        sandbox, order = running.sandbox, running.order or "forward"
        assert isinstance(sandbox, ReplayingSandbox)
        files = {test: self._files[test.check, test.visibility].path for test in tests}
        recorded = (self._recorded[path][test] for test, path in files.items() if path in self._recorded)
        names = list(dict.fromkeys(name for each in recorded for name in each.key))
        if not names:
            return {}
        requests = msgspec.json.encode([{"op": "get", "name": name} for name in names])
        answered = sandbox.replay(Script(order, requests), sandbox.limits.check_seconds)
        running.replays = answered is not None
        return dict(zip(names, answered.answers, strict=True)) if answered else {}

    def _settle(
        self, running: Running, file: CheckFile, group: str, answered: ScriptReplies
    ) -> list[TestResult]:
        """Return the recorded results if these are the reference's replies and sealed answers are right; else none."""
        record, found = self._records[file.path], list[TestResult]()
        tests = {test: self._recorded[file.path][test] for test in self._tests_in(file.path, group)}
        answers = iter(answered.answers)
        parts = [[*islice(answers, each.count)] for each in tests.values()]
        if mark_of(record.salt, parts, [each.unseen for each in tests.values()]) != record.marks[group]:
            return []
        steps = iter(answered.script.steps)
        for (test, each), part in zip(tests.items(), parts, strict=True):
            pairs = [*zip(islice(steps, each.count), part, strict=True)]
            result = self._as_recorded(running, test, each, pairs, record.salt)
            if result is None:
                return []
            found.append(replace(result, seconds=answered.seconds / len(tests)))
        return found

    def _as_recorded(
        self,
        running: Running,
        test: Test,
        recorded: RecordedTest,
        pairs: Sequence[tuple[bytes, Any]],
        salt: str,
    ) -> TestResult | None:
        """Return the recorded result if the sealed answers that the test judges are right; else None."""
        right: dict[str, str] = {}
        try:
            ended = self._judge_answers(running, test, recorded, pairs, right)
        except (Exception, OtherRequest):
            return None
        if (ended is not None) is not recorded.skipped:
            return None
        running.sandbox.asked.update(recorded.asked)
        return TestResult(
            test,
            TestOutcome.SKIPPED if recorded.skipped else TestOutcome.PASSED,
            error=ended,
            used=dict.fromkeys(recorded.used, ()),
            answers=recorded.answers,
            functions=frozenset(recorded.functions),
            chart=recorded.open_chart(salt, [answer for _, answer in pairs]),
            right=tuple(right),
            why=tuple(filter(None, right.values())),
        )

    def _judge_answers(
        self,
        running: Running,
        test: Test,
        recorded: RecordedTest,
        pairs: Sequence[tuple[bytes, Any]],
        right: dict[str, str],
    ) -> NotLookedAt | None:
        """Judge the answers as the test would; return the exception that ends it, if any. Raises for a wrong answer."""
        sandbox = running.sandbox
        if not recorded.unseen:
            return None
        assert isinstance(sandbox, ReplayingSandbox)
        student = self.topic.student(sandbox, test.order)
        judge = Answers(student, self.tables.get(test.visibility, {}), right.__setitem__)
        for index, unseen in recorded.unseen.items():
            purpose, _, name = unseen.partition(" ")
            with sandbox.given([pairs[index]]):
                try:
                    (judge.judge if purpose == "judge" else student.glance)(name)
                except NotLookedAt as error:
                    return error
        return None
