"""replay.json: the requests that the reference causes, test by test, and marks of its answers.

The reference is graded three times: twice alike, and once with every number that it answers changed in the tenth digit. A
test whose requests differ between the first two depends on something else than answers, such as the time or a counter. A
test whose requests differ in the third sends numbers that it has read: a record would tell them to the jail early. Neither
is recorded; nor is a test that names the clock or chance, or one that the reference does not pass. A group of tests with
one of these is not replayed.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import itertools
import math
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from grader.authoring.reference import reference_blocks
from grader.authoring.runner import environment
from grader.authoring.runner import hash_parts as kept_key
from grader.files import read_cache, write_cache
from grader.grading.fingerprints import nine_digits
from grader.grading.records import (
    FILE,
    RecordedCheck,
    RecordedTest,
    encode_replay,
    mark_of,
    record_key,
    replay_group,
    replies_text,
    values_key,
)
from grader.grading.run import Running
from grader.grading.sealed import mark, mask
from grader.sandbox.loading import LOADING
from grader.sandbox.replay import ReplayingSandbox, Script, Tape
from grader.topic import Test, TestOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from grader.grading.grader import Grader
    from grader.grading.run import CheckFile
    from grader.sandbox.asked import Opens
    from grader.topic import TestResult

NUDGE = 1e-10  # relative; far below what `approx` notices
_encode = msgspec.json.Encoder().encode


class _RecordedTape(Tape):
    """The tape of one test: its requests, those with answers that it does not see, the names that it reads."""

    unseen: dict[int, str] = msgspec.field(default_factory=dict)
    asked: dict[str, None] = msgspec.field(default_factory=dict)

    def values(self, answers: Sequence[Any]) -> dict[str, Any]:
        """Return the student's plain values that the test has read, such as quiz answers; no objects."""
        asked = [msgspec.json.decode(request) for request in self.requests]
        return {
            request["name"]: answer
            for i, (request, answer) in enumerate(zip(asked, answers, strict=True))
            if request["op"] == "get"
            and i not in self.unseen
            and not (isinstance(answer, dict) and "h" in answer)
        }


class _TapingSandbox(ReplayingSandbox):
    """A sandbox that records each request of a test. With `nudge` it changes every number that the test reads."""

    nudge = 0.0
    script_seconds = math.inf  # a slow machine records the same as a fast one

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.tape: _RecordedTape = _RecordedTape()

    def request(self, request: dict[str, Any]) -> Any:
        """Send and write down one request."""
        if request["op"] in LOADING:
            return super().request(request)
        if self.purpose:
            self.tape.unseen[len(self.tape.requests)] = f"{self.purpose} {request['name']}"
        if request["op"] == "get":
            self.tape.asked[request["name"]] = None
        answer = super().request(request)
        return (
            _change_numbers(
                answer, lambda value: value * (1 + self.nudge), lambda data: _arrays().nudge_array(data)
            )
            if self.nudge
            else answer
        )

    def _decode(self, data: Any, label: str = "") -> Any:
        """Return the value of an answer; a nudged array equals what it was before."""
        value = super()._decode(data, label)
        return _arrays().as_before(value) if self.nudge and self.has_arrays else value


def _change_numbers(answer: Any, of_number: Callable[[float], Any], of_array: Callable[[Any], Any]) -> Any:
    """Return an answer as JSON with every float and the data of every array changed."""
    if isinstance(answer, float):
        return of_number(answer)
    if isinstance(answer, list):
        return [_change_numbers(item, of_number, of_array) for item in answer]
    if isinstance(answer, dict):
        return {
            k: of_array(v) if k == "a" else _change_numbers(v, of_number, of_array) for k, v in answer.items()
        }
    return answer


def _arrays() -> Any:
    from grader.authoring import arrays  # late: it imports numpy

    return arrays


class _CachedRecord(msgspec.Struct):
    """The cached record of a check file, with the faults of its tests."""

    record: RecordedCheck
    faults: list[str]


def make_replay(grader: Grader, new: Mapping[Path, str]) -> tuple[dict[Path, str], list[str]]:
    """Return the text of replay.json for each side, and the faults of tests that cannot be replayed.

    `new` are the texts of files that are still to be written. Records are kept by check file: after an edit of one
    check, only its tests are recorded.
    """
    suite, blocks = grader.suite, [block.source for block in reference_blocks(grader.assignment)]
    salt = mark(suite.salts["hidden"], FILE)
    files = list(suite.files.values())
    keys = [record_key(file, suite.salts[file.visibility], suite.topic.record, new) for file in files]
    places = [
        kept_key(str(file.path), key, salt, environment(), *blocks)
        for file, key in zip(files, keys, strict=True)
    ]
    kept = {
        file: msgspec.json.decode(data, type=_CachedRecord)
        for file, place in zip(files, places, strict=True)
        if (data := read_cache("record", place))
    }
    missing = [file for file in files if file not in kept]
    if missing:
        recorder = _Recorder(
            grader, [test for file in missing for test in suite.collect([file]).tests[file.path]]
        )
        for file in missing:
            kept[file] = recorder.of_file(file, salt)
    checks: dict[Path, dict[str, tuple[str, RecordedCheck]]] = {}
    for file, key, place in zip(files, keys, places, strict=True):
        if file in missing:
            write_cache("record", place, _encode(kept[file]))
        checks.setdefault(file.path.with_name(FILE), {})[file.check] = key, kept[file].record
    faults = [fault for file in files for fault in kept[file].faults]
    return {path: encode_replay(of_side) for path, of_side in checks.items()}, faults


class _Recorder:
    """Records tests over the reference. `unsteady` has the reason why a test's result may change."""

    def __init__(self, grader: Grader, tests: Sequence[Test]) -> None:
        self.grader, self.suite = grader, grader.suite
        self.blocks = [block.source for block in reference_blocks(grader.assignment)]
        functions = {test: inspect.unwrap(self.suite.collect().function_of(test)) for test in tests}
        self.groups: dict[tuple[str, str, str], list[Test]] = {}
        for test in tests:
            recorded = RecordedTest(test.name, test.order, test.doc, alone=self._is_alone(test))
            self.groups.setdefault((test.check, test.visibility, replay_group(test, recorded)), []).append(
                test
            )
        before = _plain_values(functions.values())
        first, again, nudged = self._tape_all(), self._tape_all(), self._tape_all(NUDGE)
        after = _plain_values(functions.values())
        changed = {key for key, text in before.items() if after[key] != text}
        self.unsteady = {
            test: f"`{name}`, which changes from test to test"
            for test in tests
            if (name := _changed_value(functions[test], changed))
        }
        for test in tests:
            if first[test][0].requests != again[test][0].requests:
                self.unsteady.setdefault(test, "something that changes between two runs")
        self.results = {test: result for test, (_, result) in first.items()}
        self.taped = {
            test: (tape, result)
            for test, (tape, result) in first.items()
            if tape.requests
            and test not in self.unsteady
            and not _names_luck(functions[test])
            and tape.requests == again[test][0].requests == nudged[test][0].requests
            and result.outcome in (TestOutcome.PASSED, TestOutcome.SKIPPED)
        }
        same = self._replay_answers(self.grader.launcher)
        whole = [tests for tests in self.groups.values() if same.keys() >= set(tests)]
        self.answered = {test: same[test] for tests in whole for test in tests}

    def _is_alone(self, test: Test) -> bool:
        return test.visibility == "hidden" and self.suite.only_judges_answers(test)

    def _tape_all(self, nudge: float = 0.0) -> dict[Test, tuple[_RecordedTape, TestResult]]:
        plugin, found = self.suite.collect(), {}
        self.suite.topic.prepare()
        with self._open_sandbox(self.grader.launcher) as sandbox:
            sandbox.nudge = nudge
            for (_, visibility, _), tests in self.groups.items():
                sandbox.turn_to(visibility)
                sandbox.begin_check()
                for test in tests:
                    sandbox.tape, running = _RecordedTape(), Running(sandbox, None, lambda _: False)
                    plugin.run(running, test)
                    found[test] = sandbox.tape, running.results[test]
        return found

    def _replay_answers(self, launcher: Opens) -> dict[Test, list[Any]]:
        """Return the answers of each test that gets the same ones by replay as one by one."""
        found = {}
        with self._open_sandbox(launcher) as sandbox:
            for (_, visibility, _), tests in self.groups.items():
                sandbox.turn_to(visibility)
                if not self.taped.keys() >= set(tests):
                    continue
                tapes = [self.taped[test][0] for test in tests]
                steps = b",".join(step for tape in tapes for step in tape.requests)
                answered = sandbox.replay(
                    Script(tests[0].order, b"[" + steps + b"]"), sandbox.limits.check_seconds
                )
                answers = iter(answered.answers if answered else [])
                for test, tape in zip(tests, tapes, strict=True):
                    part = list(itertools.islice(answers, len(tape.requests)))
                    if _encode(part) == _encode(tape.answers):
                        found[test] = part
        return found

    @contextlib.contextmanager
    def _open_sandbox(self, launcher: Opens) -> Iterator[_TapingSandbox]:
        assignment, manifest = self.grader.assignment, self.grader.assignment.manifest
        how: dict[str, Any] = {"arrays": manifest.arrays, "data": assignment.data, "names": manifest.names}
        sandbox = _TapingSandbox(launcher, self.blocks, manifest.limits, manifest.imports, **how)
        try:
            yield sandbox
        finally:
            sandbox.close()

    def of_file(self, file: CheckFile, salt: str) -> _CachedRecord:
        """Return the record of a check file, with the faults of its tests."""
        plugin = self.suite.collect([file])
        tests = plugin.tests[file.path]
        faults = [
            f"{file.path}: the test {test.name} depends on {self.unsteady[test]}, so its result may differ from run to "
            "run; let it use only the submission and the fixture `rng`"
            for test in tests
            if test in self.unsteady
        ]
        title, alike = plugin.titles.get(file.path, ""), mark(salt, self._as_text(tests))
        recorded = [self._record_test(test, salt) for test in tests]
        record = RecordedCheck(title, recorded, salt, self._marks(file, salt), alike)
        return _CachedRecord(record, faults)

    def _marks(self, file: CheckFile, salt: str) -> dict[str, str]:
        """Return the mark of each group of a file that is replayed."""
        found = {}
        for (check, visibility, group), tests in self.groups.items():
            if (check, visibility) == (file.check, file.visibility) and self.answered.keys() >= set(tests):
                unseen = [self.taped[test][0].unseen for test in tests]
                found[group] = mark_of(salt, [self.answered[test] for test in tests], unseen)
        return found

    def _as_text(self, tests: Iterable[Test]) -> str:
        """Return the records of these tests as one text, with the numbers of answers rounded."""
        rows: list[Any] = []
        for test in tests:
            recorded = self._record_test(test, "")
            requests = self.taped[test][0].script if recorded.is_taped else b""
            answers = [a for i, a in enumerate(self.answered.get(test, ())) if i not in recorded.unseen]
            row = replace(recorded, requests=msgspec.Raw(b"[]"), chart=b"")
            rows.append(
                [
                    row,
                    requests.decode(),
                    _change_numbers(answers, nine_digits, lambda data: _arrays().round_array(data)),
                ]
            )
        return _encode(rows).decode()

    def _record_test(self, test: Test, salt: str) -> RecordedTest:
        """Return the record of a test. Without replay it has only the names that the test used."""
        result = self.results[test]
        of_test = RecordedTest(
            test.name,
            test.order,
            test.doc,
            alone=self._is_alone(test),
            used=tuple(result.used),
            answers=result.answers,
            functions=tuple(sorted(result.functions)),
        )
        if test not in self.answered:
            return of_test
        (tape, _), answers = self.taped[test], self.answered[test]
        requests, values = tape.script, tape.values(answers)
        if values:
            requests = _encode(mask(requests, salt, values_key(values, values)))
        chart = _encode(result.chart) if result.chart else b""
        return msgspec.structs.replace(
            of_test,
            count=len(answers),
            requests=msgspec.Raw(requests),
            unseen=tape.unseen,
            key=tuple(values),
            skipped=result.outcome is TestOutcome.SKIPPED,
            asked=tuple(tape.asked),
            chart=mask(chart, salt, replies_text(answers, tape.unseen)),
        )


# --- Other things that a test may depend on


_UNSTEADY = frozenset(
    {"time", "datetime", "random", "secrets", "uuid", "os", "_random", "_thread", "threading"}
)

Place = tuple[int, str]  # a module, by the id of its names, and a name


def _plain_values(functions: Iterable[types.FunctionType]) -> dict[Place, str]:
    """Return the text of every plain value in the modules of these tests and their helpers."""
    modules = {id(each.__globals__): each.__globals__ for function in functions for each in _own(function)}
    return {
        (number, name): repr(value)
        for number, names in modules.items()
        for name, value in names.items()
        if isinstance(value, list | dict | set | itertools.count | int | float) and not name.startswith("__")
    }


def _changed_value(function: types.FunctionType, changed: AbstractSet[Place]) -> str:
    """Return the name of a changed value that a test reads; empty if there is none."""
    named = ((id(each.__globals__), name) for each in _own(function) for name in _names(each.__code__))
    return next((place[1] for place in named if place in changed), "")


def _names_luck(function: types.FunctionType) -> bool:
    """Return True if a test names anything of a module by which its result could differ, such as the clock."""
    return any(
        _module_of(name, each.__globals__.get(name)).partition(".")[0] in _UNSTEADY
        for each in _own(function)
        for name in _names(each.__code__)
    )


def _module_of(name: str, value: object) -> str:
    """Return the module of a global value. A name without a value is a module that is imported later."""
    if value is None or isinstance(value, types.ModuleType):
        return name if value is None else value.__name__
    module = getattr(value, "__module__", None)
    return str(module or type(getattr(value, "__self__", None)).__module__)


def _own(function: types.FunctionType) -> list[types.FunctionType]:
    """Return a function and the helpers that it names in its own folder."""
    folder, found, waiting = Path(function.__code__.co_filename).parent, {function: None}, [function]
    while waiting:
        of = waiting.pop()
        named = [of.__globals__.get(name) for name in _names(of.__code__)]
        new = [f for f in named if isinstance(f, types.FunctionType) and f not in found]
        new = [f for f in new if Path(f.__code__.co_filename).parent == folder]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


@functools.cache
def _names(code: types.CodeType) -> list[str]:
    """Return the global names and the imported modules of code, inner functions included."""
    steps = dis.get_instructions(code)
    names = [step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "IMPORT_NAME")]
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return names + [name for part in inner for name in _names(part)]
