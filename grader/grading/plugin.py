"""The plugin of pytest that collects check files and runs their tests, one at a time, over a submission.

`open_session` (session.py) opens the session of pytest; suite.py decides which tests have to run.
"""

from __future__ import annotations

import contextlib
import random
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from grader.errors import Broken
from grader.grading.answers import Answers, NotLookedAt
from grader.grading.failures import asserted_at, compared_inside, explain, of_the_wrong_kind
from grader.grading.fingerprints import fingerprint
from grader.grading.sharing import look
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
from grader.topic import Failure, Test, TestOutcome, TestResult, Topic, Unavailable, helpers_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import FunctionType, TracebackType

    from grader.grading.answers import Table
    from grader.grading.run import CheckFile, Running
    from grader.sandbox import Deadline, ReadEvent

# Exceptions in a check's own code that are the author's fault. Any other exception can come from an unexpected value of
# the student's, which may fail a check but never makes it ungradable; so can some of these (`_outcome`).
AUTHORS_FAULT = (NameError, ImportError, SyntaxError, OSError, Broken, Unavailable)


class Plugin:
    """The plugin of one session. `collect` collects check files, `run` runs a test.

    `titles` has the first lines of docstrings by file, `broken` the reason why pytest cannot use a file, by check.
    """

    def __init__(
        self,
        files: Iterable[CheckFile],
        salts: Mapping[str, str],
        topic: Topic,
        tables: Mapping[str, Table],
        *,
        arrays: bool = False,
    ) -> None:
        self.files = {file.path.resolve(): file for file in files}
        self._by_check = {(file.check, file.visibility): file for file in self.files.values()}
        self.salts, self.topic, self.tables, self.arrays = salts, topic, tables, arrays
        self.titles: dict[Path, str] = {}
        self.broken: dict[str, str] = {}
        # By file, with the path as the suite knows it.
        self.tests: dict[Path, dict[Test, pytest.Function]] = {}
        self.names: dict[pytest.Item, Test] = {}
        self.session: pytest.Session | None = None
        self._running: Running | None = None

    # Judging

    def run(self, running: Running, test: Test) -> None:
        """Run one test; keep its result in `running`."""
        path = self._file_of(test).path
        item, trouble = self.tests[path].get(test), "is missing: the file was changed"
        if item is not None:
            self._running = running
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            finally:
                self._running = None
            path, trouble = item.path, f"could not be set up{running.obstacle}"
        if test not in running.results:
            error = Broken(f"{path}: the test {test.name} {trouble}")
            running.results[test] = TestResult(test, TestOutcome.UNGRADABLE, error=error)

    def _file_of(self, test: Test) -> CheckFile:
        return self._by_check[test.check, test.visibility]

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Run one test and judge it as it ends."""
        running, test = self._running, self.names.get(pyfuncitem)
        if running is None or test is None:
            return (yield)
        running.comparisons.clear()
        running.right.clear()
        sandbox = running.sandbox
        # A test that loads nothing must not see the record of the previous test.
        sandbox.record = Record()
        before, waited = sandbox.budget.tested, sandbox.budget.waits()
        error: BaseException | None = None
        line = 0
        try:
            with sandbox.budget.within("check_seconds", running.seconds_left(test.check)):
                yield
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            line = _line_in(pyfuncitem.path, raised.__traceback__)
            running.comparisons += safely(partial(compared_inside, raised), [])
            # without frames: they hold large values, and pytest would render them for nothing
            error = raised.with_traceback(None)
        seconds = sandbox.budget.tested - before
        running.spend(test.check, seconds - max(0.0, sandbox.budget.waits() - waited))
        if isinstance(error, SubmissionStopped) and error.limit:
            running.out_of_time[test.check] = error.bare()
        running.results[test] = self._judge(running, test, error, line=line, seconds=seconds)
        return True

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Keep the reason why a test cannot be set up; errors of the test itself never get here."""
        if self._running is not None and call.excinfo is not None:
            self._running.obstacle = _obstacle(call.excinfo.value)

    def _judge(
        self, running: Running, test: Test, error: BaseException | None, *, line: int, seconds: float
    ) -> TestResult:
        """Return the verdict with its explanation; an explanation that fails or comes too late is left out."""
        outcome, record, path = _outcome(error), running.sandbox.record, self._file_of(test).path
        ended, explained = error, self._explanation_fields(running, test, outcome, error)
        if explained.get("failure") == Failure() and test.visibility == "visible":
            explained["failure"] = Failure(asserted=safely(partial(asserted_at, path, line), ""))
        if outcome is TestOutcome.UNGRADABLE and not isinstance(error, SandboxUnavailable | Unavailable):
            ended = Broken(f"{path}, line {line}: {test.name}: {type(error).__name__}: {error}")
        return TestResult(
            test,
            outcome,
            error=ended,
            line=line,
            seconds=seconds,
            used=record.used,
            answers=tuple(record.answers),
            functions=frozenset(record.functions),
            right=tuple(running.right),
            why=tuple(filter(None, running.right.values())),
            **explained,
        )

    def _explanation_fields(
        self, running: Running, test: Test, outcome: TestOutcome, error: BaseException | None
    ) -> dict[str, Any]:
        """Return the fields `failure`, `looked`, `chart` and `fingerprint` of a result, as far as time allows."""
        sandbox, failed, topic = running.sandbox, outcome is TestOutcome.FAILED, self.topic
        charted = self._file_of(test).chart and outcome in (TestOutcome.PASSED, TestOutcome.FAILED)
        marked = failed and running.fingerprinted(test)
        found: dict[str, Any] = {}
        if failed:
            found["failure"] = safely(partial(_failure, error, running, topic), None)
        rows: list[dict[str, Any]] = []
        if marked or charted:
            rows = sandbox.budget.deadline.attempt(partial(self._observe, test, sandbox), rows)
        if failed and self._is_first(running, test):
            found["looked"] = sandbox.budget.deadline.attempt(partial(look, sandbox), None)
        if charted:
            found["chart"] = sandbox.budget.deadline.attempt(lambda: topic.chart(sandbox.record, rows), None)
        if marked:
            events = _until(sandbox.record.events, sandbox.budget.deadline)
            found["fingerprint"] = sandbox.budget.deadline.attempt(
                lambda: fingerprint(events, rows, error), ""
            )
        return found

    @staticmethod
    def _is_first(running: Running, test: Test) -> bool:
        """Return True for a visible test if no other test of its check has failed yet: the message will be about it."""
        failed = (t.check for t, result in running.results.items() if result.outcome is TestOutcome.FAILED)
        return test.visibility == "visible" and test.check not in failed

    def _observe(self, test: Test, sandbox: Sandbox) -> list[dict[str, Any]]:
        with contextlib.suppress(SubmissionStopped, StudentError), sandbox.explaining():
            return sandbox.peek(self.topic.attributes_to_read(self._file_of(test).path, sandbox))
        return []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> Generator[None, Any, Any]:
        """Keep the values of a comparison; rendering them must not send requests to the jail."""
        if self._running is None:
            return (yield)
        self._running.comparisons.append((op, left, right))
        with self._running.sandbox.refuse_requests():
            return (yield)

    # Collecting

    def collect(self, files: Iterable[CheckFile]) -> None:
        """Collect the files that are not collected yet."""
        new = [file for file in files if file.path not in self.tests]
        if not new or self.session is None:
            return
        self.tests |= {file.path: {} for file in new}
        try:
            with _approx_of_arrays() if self.arrays else contextlib.nullcontext():
                self._collect(self.session, [file.path for file in new])
        except (Exception, SystemExit) as error:
            if not self.broken:  # else the report names the file
                why = f"{type(error).__name__}: {error}"
                raise Broken(f"pytest could not run the checks ({why})") from error

    @staticmethod
    def _collect(session: pytest.Session, paths: Iterable[Path]) -> None:
        """Collect files without the folders around them.

        Source: `Session.perform_collect` of _pytest/main.py, pytest 9.2, which also lists every folder on the way.
        """
        modules = [pytest.Module.from_parent(session, path=path.resolve()) for path in paths]
        session.items = [item for module in modules for item in session.genitems(module)]
        hook = session.config.hook
        hook.pytest_collection_modifyitems(session=session, config=session.config, items=session.items)
        hook.pytest_collection_finish(session=session)

    def function_of(self, test: Test) -> FunctionType:
        """Return the function of a test that was collected."""
        function: FunctionType = self.tests[self._file_of(test).path][test].function
        return function

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test of a check with `orders` under every order."""
        file = self.files[metafunc.definition.path]
        if "student" in metafunc.fixturenames:
            orders = ORDERS if file.orders else ORDERS[:1]
            metafunc.parametrize("student", orders, indirect=True)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Give each test a unique name and keep the titles."""
        config.option.tbstyle = "line"  # unused tracebacks would take half of a failed test's time
        for item in items:
            assert isinstance(item, pytest.Function)
            file = self.files[item.path]
            if blind := _blind_fixture(item):
                self.broken.setdefault(file.check, blind)
                continue
            test, number = self._describe(item), 1
            while test in self.tests[file.path]:  # two cases with the same values as text
                number += 1
                test = replace(self._describe(item), name=f"{self._describe(item).name}#{number}")
            self.tests[file.path][test], self.names[item] = item, test
            title = (item.module.__doc__ or "").strip().split("\n")[0]
            self.titles.setdefault(file.path, title.strip())

    def _describe(self, item: pytest.Function) -> Test:
        file = self.files[item.path]
        parameters: dict[str, Any] = dict(item.callspec.params) if hasattr(item, "callspec") else {}
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
        order = self._running.order or self.names[request.node].order
        return self.topic.student(self._running.sandbox, order)

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
        salt = self.salts[test.visibility]
        return random.Random(f"{salt}/{test.check}/{test.name}")  # noqa: S311  numbers, not secrets


def _line_in(path: Path, trace: TracebackType | None) -> int:
    """Return the last line of a file that an error passed through; 0 if it passed through none."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# Fixtures of pytest that see only the grader's process, each with the recipe that works instead.
_BLIND = {
    **dict.fromkeys(
        ("capsys", "capsysbinary", "capfd", "capfdbinary", "capteesys"), "Catch what is printed with a helper"
    ),
    **dict.fromkeys(
        ("tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"),
        "Give the student's function its files with a helper",
    ),
    "monkeypatch": "Replace `input`, `open` and the like with a helper",
    **dict.fromkeys(("caplog", "recwarn", "pytestconfig", "cache"), "Ask with a helper"),
}


@contextlib.contextmanager
def _approx_of_arrays() -> Iterator[None]:
    """Give check files that are imported in this block an `approx` that takes nested lists, too."""
    from grader.sandbox.arrays import approx  # late: numpy takes time to import

    pytests, pytest.approx = pytest.approx, approx
    try:
        yield
    finally:
        pytest.approx = pytests


def _blind_fixture(item: pytest.Function) -> str:
    """Return the reason why a test with one of these fixtures cannot run; "" for any other test."""
    name = next((name for name in _BLIND if name in item.fixturenames), None)
    if name is None:
        return ""
    return (
        f"{item.path}, line {item.function.__code__.co_firstlineno}: {item.originalname} uses the fixture `{name}`, which "
        f"does not reach the student's code: that runs in another process, the jail. {_BLIND[name]} that runs in the jail "
        "(docs/authors-reference.md, Recipes)"
    )


def _place_of_error(trace: str, check: Path) -> str:
    """Return the file and line that pytest names last, in `_helpers.py` or in the check."""
    for path in (helpers_of(check), check):
        if lines := re.findall(rf'{re.escape(path.name)}(?:", line |:)(\d+)', trace):
            return f"{path}, line {lines[-1]}"
    return str(check)


def is_of_the_checks_own(error: BaseException | None) -> bool:
    """Return True for an exception that a check's own code raised because of an unexpected value."""
    students = StudentError | SubmissionStopped | Undefined | Unanswered
    return isinstance(error, Exception) and not isinstance(error, AssertionError | students)


def _failure(error: BaseException | None, running: Running, topic: Topic) -> Failure | None:
    """Return the failure of a test in the course's own code as data; None if the student's code raised."""
    if error is not None and is_of_the_checks_own(error):
        owner_of = partial(topic.owner_of, running.sandbox)
        return of_the_wrong_kind(error, running.sandbox.record, owner_of)
    if isinstance(error, StudentError) or not isinstance(error, AssertionError | pytest.fail.Exception):
        return None
    with running.sandbox.refuse_requests():
        return explain(error, running.comparisons, running.sandbox.record)


def _until(events: Iterable[ReadEvent], deadline: Deadline) -> Iterator[ReadEvent]:
    """Yield the events as long as time allows. Raises OutOfTime."""
    for event in events:
        deadline.check()
        yield event


def _obstacle(error: BaseException) -> str:
    if isinstance(error, pytest.FixtureLookupError) and error.argname:
        return (
            f": there is no fixture `{error.argname}`; if a topic provides it, name the topic in the manifest"
        )
    return f": {type(error).__name__}: {error}"


def _case(parameters: dict[str, object], item: pytest.Function) -> str:
    """Return the values of a case as text: numbers and texts themselves, other values by index."""
    plain = str | int | float | None
    return "-".join(
        str(value) if isinstance(value, plain) else f"{name}{item.callspec.indices[name]}"
        for name, value in parameters.items()
    )


def _outcome(error: BaseException | None) -> TestOutcome:
    if error is None:
        return TestOutcome.PASSED
    if isinstance(error, NotLookedAt | pytest.skip.Exception):
        return TestOutcome.SKIPPED
    if isinstance(error, Unanswered) or (isinstance(error, Undefined) and _is_unfinished(error.cause)):
        return TestOutcome.TODO
    if isinstance(error, StudentError | SubmissionStopped | Undefined):
        return TestOutcome.TODO if _is_unfinished(error) else TestOutcome.FAILED
    # A student's text that does not parse is in no file; for data that does not unpack, the system has no number.
    is_of_a_value = isinstance(error, SyntaxError) and (error.filename or "<").startswith("<")
    is_of_a_value |= isinstance(error, OSError) and error.errno is None
    # A loop over an empty value leaves a variable of the check unbound; pandas' `query` names a missing column.
    is_of_a_value |= isinstance(error, NameError) and type(error) is not NameError
    if isinstance(error, AUTHORS_FAULT) and not is_of_a_value:
        return TestOutcome.UNGRADABLE
    raised = isinstance(error, Exception | pytest.fail.Exception)
    return TestOutcome.FAILED if raised else TestOutcome.UNGRADABLE


def _is_unfinished(error: BaseException | None) -> bool:
    return error is None or (isinstance(error, StudentError) and error.type == "NotImplementedError")
