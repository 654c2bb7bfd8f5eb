"""The plugin of pytest that runs an assignment's checks over one submission after another.

`open_suite` (session.py) collects a suite once; `Suite.run` then judges any number of submissions.
"""

from __future__ import annotations

import contextlib
import random
import re
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from grader.errors import Broken
from grader.grading.answers import Answers
from grader.grading.failures import explain, of_the_wrong_kind
from grader.grading.fingerprints import fingerprint
from grader.sandbox import (
    ORDERS,
    Record,
    Sandbox,
    SandboxUnavailable,
    StudentError,
    SubmissionStopped,
    Undefined,
    safely,
)
from grader.sandbox.student import Student, Unanswered
from grader.topic import HELPERS, Test, TestOutcome, TestResult, Topic, Unavailable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path
    from types import TracebackType

    from grader.grading.answers import Table
    from grader.sandbox import Deadline
    from grader.topic import Failure

T = TypeVar("T")

# Exceptions in a check's own code that are always its author's fault. Any other can come from a student's value of
# an unexpected type. Such a value can fail a check, but never make it ungradable.
AUTHORS_FAULT = (NameError, ImportError, SyntaxError, OSError, Broken, Unavailable)


@dataclass
class _Running:
    """The state of one run over one submission."""

    sandbox: Sandbox
    order: str | None
    spent: dict[str, float] = field(default_factory=dict)  # check -> seconds of its tests so far
    results: dict[Test, TestResult] = field(default_factory=dict)
    comparisons: list[tuple[str, Any, Any]] = field(default_factory=list)
    # Name of a right answer -> why it is right, or nothing.
    right: dict[str, str] = field(default_factory=dict)
    out_of_time: set[str] = field(default_factory=set)  # checks; the checks that need them do not run
    obstacle: str = ""  # why the last test could not be set up


@dataclass(frozen=True)
class CheckFile:
    """One file of a check. With `orders` its tests run under several orders of sets, with `chart` they draw a chart."""

    check: str
    visibility: str
    path: Path
    orders: bool
    needs: tuple[str, ...] = ()
    chart: bool = False


class Suite:
    """The plugin. `titles` are the checks' docstrings; `broken` has, by check, the reason why pytest cannot use its file.

    `tables` are the sealed answers that the tests of each visibility judge by.
    """

    def __init__(
        self,
        files: list[CheckFile],
        salts: Mapping[str, str],
        topic: Topic | None = None,
        answers: Mapping[str, Table] | None = None,
    ) -> None:
        self.files = {file.path.resolve(): file for file in files}
        self.salts, self.topic = salts, topic or Topic()
        self.tables: Mapping[str, Table] = answers or {}
        self.charted = {file.check for file in files if file.chart}
        self.titles: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.tests: dict[Test, pytest.Item] = {}
        self.names: dict[pytest.Item, Test] = {}
        self._running: _Running | None = None

    # Judging

    def run(
        self,
        sandbox: Sandbox,
        only: str | AbstractSet[str] | None = None,
        *,
        visibility: str | None = None,
        order: str | None = None,
    ) -> list[TestResult]:
        """Judge one submission by every test, or by those of the checks `only` or of one `visibility`.

        With `order` sets are iterated in this order, whatever the manifest says.
        Raises Broken for a damaged record of the topic.
        """
        self.topic.prepare()
        only = {only} if isinstance(only, str) else only
        running = self._running = _Running(sandbox, order)
        for test, item in self.tests.items():
            if (only is not None and test.check not in only) or visibility not in (None, test.visibility):
                continue
            if running.out_of_time & set(self.files[item.path.resolve()].needs):
                running.results[test] = TestResult(test, TestOutcome.SKIPPED)
                continue
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if test not in running.results:
                text = f"{item.path}: the test {test.name} could not be set up{running.obstacle}"
                running.results[test] = TestResult(test, TestOutcome.UNGRADABLE, error=Broken(text))
        self._running = None
        return list(running.results.values())

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Run one test and judge it as it ends."""
        running, test = self._running, self.names.get(pyfuncitem)
        if running is None or test is None:
            return (yield)
        running.comparisons.clear()
        running.right.clear()
        # A test that loads nothing must not see the record of the test before it.
        running.sandbox.record = Record()
        limits = running.sandbox.limits
        left = max(0.0, limits.check_seconds - running.spent.get(test.check, 0.0))
        started, loading = time.perf_counter(), running.sandbox.loading
        error: BaseException | None = None
        line = 0
        try:
            with running.sandbox.budget("check_seconds", left):
                yield
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            line = _line_in(pyfuncitem.path, raised.__traceback__)
            # kept without frames: these hold large values, and pytest would render them in vain
            error = raised.with_traceback(None)
        finally:
            seconds = time.perf_counter() - started - (running.sandbox.loading - loading)
            running.spent[test.check] = running.spent.get(test.check, 0.0) + seconds
            if isinstance(error, SubmissionStopped) and error.limit:
                running.out_of_time.add(test.check)
            running.results[test] = self._judge(running, test, error, line=line, seconds=seconds)
        return True

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Keep the reason why a test cannot be set up; errors of the test itself never come here."""
        if self._running is not None and call.excinfo is not None:
            self._running.obstacle = _obstacle(call.excinfo.value)

    def _judge(
        self, running: _Running, test: Test, error: BaseException | None, *, line: int, seconds: float
    ) -> TestResult:
        """Return the verdict with its explanation; an explanation that fails or comes too late is left out."""
        outcome, record, path = _outcome(error), running.sandbox.record, self.tests[test].path
        answers, functions = tuple(record.answers), frozenset(record.functions)
        ended, explained = error, self._explained(running, test, outcome, error)
        if outcome is TestOutcome.UNGRADABLE and not isinstance(error, SandboxUnavailable | Unavailable):
            ended = Broken(f"{path}, line {line}: {test.name}: {type(error).__name__}: {error}")
        return TestResult(
            test,
            outcome,
            error=ended,
            line=line,
            seconds=seconds,
            used=record.used,
            answers=answers,
            functions=functions,
            right=tuple(running.right),
            why=tuple(filter(None, running.right.values())),
            **explained,
        )

    def _explained(
        self, running: _Running, test: Test, outcome: TestOutcome, error: BaseException | None
    ) -> dict[str, Any]:
        """Return the fields `failure`, `chart` and `fingerprint` of a result, as far as time allows."""
        sandbox, failed = running.sandbox, outcome is TestOutcome.FAILED
        charted = test.check in self.charted and outcome in (TestOutcome.PASSED, TestOutcome.FAILED)
        found: dict[str, Any] = {}
        if failed:
            found["failure"] = safely(partial(_failure, error, running), None)
        rows: list[dict[str, Any]] = []
        if failed or charted:
            rows = sandbox.deadline.attempt(partial(self._observed, test, sandbox), rows)
        if charted:
            found["chart"] = sandbox.deadline.attempt(lambda: self.topic.chart(sandbox.record, rows), None)
        if failed:
            events = _until(sandbox.record.events, sandbox.deadline)
            found["fingerprint"] = sandbox.deadline.attempt(lambda: fingerprint(events, rows, error), "")
        return found

    def _observed(self, test: Test, sandbox: Sandbox) -> list[dict[str, Any]]:
        with contextlib.suppress(SubmissionStopped, StudentError), sandbox.explaining():
            return sandbox.peek(self.topic.observed(self.tests[test].path))
        return []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> Generator[None, Any, Any]:
        """Keep the values of a comparison; rendering them must not ask the jail."""
        if self._running is None:
            return (yield)
        self._running.comparisons.append((op, left, right))
        with self._running.sandbox.muted():
            return (yield)

    # Collecting

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test of a check with `orders` under every order."""
        file = self.files[metafunc.definition.path.resolve()]
        if "student" in metafunc.fixturenames:
            orders = ORDERS if file.orders else ORDERS[:1]
            metafunc.parametrize("student", orders, indirect=True)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Sort the tests in the order of the manifest, give each a unique name and keep the titles."""
        config.option.tbstyle = "line"  # unused tracebacks would cost half of the time of a failed test
        place = {path: i for i, path in enumerate(self.files)}
        items.sort(key=lambda item: place[item.path.resolve()])
        for item in items:
            assert isinstance(item, pytest.Function)
            if blind := _blind_fixture(item):
                self.broken.setdefault(self.files[item.path.resolve()].check, blind)
                continue
            test, number = self._describe(item), 1
            while test in self.tests:  # two cases with the same text
                number += 1
                test = replace(self._describe(item), name=f"{self._describe(item).name}#{number}")
            self.tests[test], self.names[item] = item, test
            title = (item.module.__doc__ or "").strip().split("\n")[0]
            if title:
                self.titles.setdefault(test.check, title.strip())

    def _describe(self, item: pytest.Function) -> Test:
        file = self.files[item.path.resolve()]
        parameters = dict(getattr(item, "callspec", None).params) if hasattr(item, "callspec") else {}  # type: ignore[union-attr]
        order = parameters.pop("student", "forward")
        name = item.originalname + (f"[{_case(parameters, item)}]" if parameters else "")
        if item.cls is not None:
            name = f"{item.cls.__name__}.{name}"
        doc = " ".join((item.function.__doc__ or "").split())
        return Test(file.check, file.visibility, name, order, doc)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Mark the check of a file that cannot be collected as ungradable."""
        if report.failed:
            path = next((p for p in self.files if p.as_posix().endswith(f"/{report.nodeid}")), None)
            trace = str(report.longrepr).strip()
            text = trace.split("\n")[-1].removeprefix("E").strip()
            for file in [self.files[path]] if path else self.files.values():
                self.broken[file.check] = f"{_place_of_error(trace, file.path)}: {text}"

    # Fixtures

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """Return the submission under test."""
        assert self._running is not None
        return self.topic.student(self._running.sandbox, self._running.order or request.param)

    @pytest.fixture
    def answers(self, request: pytest.FixtureRequest, student: Student) -> Answers:
        """Return the judge of the student's answers: `answers.judge("quiz_length")`."""
        assert self._running is not None
        table = self.tables.get(self.names[request.node].visibility, {})
        return Answers(student, table, self._running.right.__setitem__)

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> random.Random:
        """Return a source of random numbers that are the same for every student."""
        test = self.names[request.node]
        return random.Random(f"{self.salts[test.visibility]}/{test.check}/{test.name}")  # noqa: S311  numbers, not secrets


def _line_in(path: Path, trace: TracebackType | None) -> int:
    """Return the last line of a file that an error passed through; 0 if it passed through none."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# Fixtures of pytest that look at the grader's process, each with the recipe that works instead.
_BLIND = {
    **dict.fromkeys(
        ("capsys", "capsysbinary", "capfd", "capfdbinary", "capteesys"), "catch what is printed with a helper"
    ),
    **dict.fromkeys(
        ("tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"),
        "give the student's function its files with a helper",
    ),
    "monkeypatch": "replace `input`, `open` and the like with a helper",
    **dict.fromkeys(("caplog", "recwarn", "pytestconfig", "cache"), "ask with a helper"),
}


def _blind_fixture(item: pytest.Function) -> str:
    """Return why a test that uses one of these fixtures cannot run; empty for any other test."""
    name = next((name for name in _BLIND if name in item.fixturenames), None)
    if name is None:
        return ""
    return (
        f"{item.path}, line {item.function.__code__.co_firstlineno}: `{name}` of {item.originalname} looks at "
        f"the grader's process, in which no code of the student's runs; {_BLIND[name]} that runs in the jail "
        "(docs/authors-reference.md, Recipes)"
    )


def _place_of_error(trace: str, check: Path) -> str:
    """Return the file and line that pytest names last, in `_helpers.py` or in the check."""
    for path in (check.with_name(HELPERS), check):
        if lines := re.findall(rf'{re.escape(path.name)}(?:", line |:)(\d+)', trace):
            return f"{path}, line {lines[-1]}"
    return str(check)


def is_of_the_checks_own(error: BaseException | None) -> bool:
    """Return True for an exception that a check's own code raised over a value that it did not expect."""
    students = StudentError | SubmissionStopped | Undefined | Unanswered
    return isinstance(error, Exception) and not isinstance(error, AssertionError | students)


def _failure(error: BaseException | None, running: _Running) -> Failure | None:
    """Return as data the reason why a test failed in the course's own code; None if the student's code raised."""
    if is_of_the_checks_own(error):
        return of_the_wrong_kind(running.sandbox.record)
    if isinstance(error, StudentError) or not isinstance(error, AssertionError | pytest.fail.Exception):
        return None
    with running.sandbox.muted():
        return explain(error, running.comparisons, running.sandbox.record)


def _until(events: Iterable[T], deadline: Deadline) -> Iterator[T]:
    """Yield the events as long as time allows. Raises OutOfTime."""
    for event in events:
        deadline.check()
        yield event


def _obstacle(error: BaseException) -> str:
    if isinstance(error, pytest.FixtureLookupError) and error.argname:
        return (
            f": there is no fixture `{error.argname}`; where it is a topic's, name the topic in the manifest"
        )
    return f": {type(error).__name__}: {error}"


def _case(parameters: dict[str, object], item: pytest.Function) -> str:
    """Return the values of a case as text: numbers and texts as they are, other values by index."""
    plain = str | int | float | None
    return "-".join(
        str(value) if isinstance(value, plain) else f"{name}{item.callspec.indices[name]}"
        for name, value in parameters.items()
    )


def _outcome(error: BaseException | None) -> TestOutcome:
    if error is None:
        return TestOutcome.PASSED
    if isinstance(error, pytest.skip.Exception):
        return TestOutcome.SKIPPED
    if isinstance(error, Unanswered) or (isinstance(error, Undefined) and _unfinished(error.cause)):
        return TestOutcome.TODO
    if isinstance(error, StudentError | SubmissionStopped | Undefined):
        return TestOutcome.TODO if _unfinished(error) else TestOutcome.FAILED
    # A loop of the check over none of the student's values leaves its variable unbound: not the author's fault.
    if isinstance(error, AUTHORS_FAULT) and not isinstance(error, UnboundLocalError):
        return TestOutcome.UNGRADABLE
    raised = isinstance(error, Exception | pytest.fail.Exception)
    return TestOutcome.FAILED if raised else TestOutcome.UNGRADABLE


def _unfinished(error: BaseException | None) -> bool:
    return error is None or (isinstance(error, StudentError) and error.type == "NotImplementedError")
