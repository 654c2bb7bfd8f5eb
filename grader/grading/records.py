"""replay.json: the requests of each test of a check, as the reference caused them, and marks of its answers.

`grade stub` writes one file beside the visible checks and one beside the hidden ones, a line for each check. Where the
requests of a check's tests, in one load, all get the answers of the reference, to the bit, they have the results of the
reference. The file has no answer: only a salted SHA-256 of all answers in one order of sets, and charts that only a
test's answers open. What a test judges
by sealed answers is judged again each time, and the requests of a test that reads other answers of the student's, such
as an order, are opened by these answers alone.

A record counts for the check file, helpers, records of the topic, salt and manifest's flags that it was made with.
One that is damaged or of anything else is not used, and the grader says so; verdicts stay the same, but where a test
skips the reference itself, which only a record says.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from grader.grading.sealed import key_bytes, mask
from grader.report import Chart
from grader.topic import Test, helpers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.grading.run import CheckFile

FILE = "replay.json"
FORMAT = 2
PROTOCOL = 2  # of requests and answers: count it up when the same test would ask or read something else
MOST_BYTES = 64 << 20  # of one check, unpacked
UNBOXED = 1_000  # scripts that a student's values have opened: most of a class have the same values

_encode = msgspec.json.Encoder().encode


class RecordedTest(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """A test: its requests; one that is not taped has none, and only says what it used.

    `unseen` has the requests whose value the test does not see, by index: `judge NAME` for a sealed answer, `glance
    NAME` for one that must only be there. `key` has the names of the student's values that open `requests`, which are
    then a box (sealed.py). One that is `alone` is hidden and only judges answers. `used`, `answers` and `functions` are as in a TestResult, `asked` has the names that the
    test asked for, `chart` is a box that the answers open.
    """

    name: str
    order: str
    doc: str
    count: int = 0  # requests
    requests: msgspec.Raw = msgspec.Raw(b"[]")
    unseen: dict[int, str] = {}
    key: tuple[str, ...] = ()
    alone: bool = False
    skipped: bool = False
    used: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    chart: bytes = b""

    @property
    def is_taped(self) -> bool:
        """True if its requests are the same for each submission that gives the same answers."""
        return self.count > 0

    def unboxed(self, salt: str, values: Mapping[str, Any]) -> bytes | None:
        """Return the requests as a list in JSON; None if the student's values do not open them."""
        if not self.key:
            return bytes(self.requests)
        if any(name not in values for name in self.key):
            return None
        return _unboxed(bytes(self.requests), salt, values_key(self.key, values))

    def opened(self, salt: str, answers: Sequence[Any]) -> Chart | None:
        """Return the chart that these answers open. Raises ValueError for a box that they do not open."""
        if not self.chart:
            return None
        return msgspec.json.decode(mask(self.chart, salt, answers_text(answers, self.unseen)), type=Chart)


class RecordedCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tests of one check file in their order, with the title that its docstring gives.

    `marks` has the mark of all answers to a group of tests (`replay_group`), where all of them are taped. `alike` is the mark of all requests and answers with numbers rounded: two machines have the same one. `varies` has
    the indices of tests whose arrays have other last digits in the arithmetic of another processor.
    """

    title: str
    tests: list[RecordedTest]
    salt: str
    marks: dict[str, str] = {}
    alike: str = ""
    varies: tuple[int, ...] = ()

    def known(self, check: str, visibility: str) -> dict[Test, RecordedTest]:
        """Return the tests as the suite knows them."""
        return {Test(check, visibility, each.name, each.order, each.doc): each for each in self.tests}


def replay_group(test: Test, recorded: RecordedTest) -> str:
    """Return the name of the tests that share a load with this one: those of one order of sets.

    Hidden tests that only judge answers run in another jail than the others.
    """
    return f"{test.order} answers" if recorded.alone else test.order


@functools.lru_cache(UNBOXED)
def _unboxed(box: bytes, salt: str, key: str) -> bytes | None:
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        requests = mask(msgspec.json.decode(box, type=bytes), salt, key)
        msgspec.json.decode(requests, type=list[msgspec.Raw])
        return requests
    return None


def values_key(names: Iterable[str], values: Mapping[str, Any]) -> str:
    """Return the text that opens the requests of a test which reads these values."""
    return _encode(["requests", *([name, values[name]] for name in names)]).decode()


def answers_text(answers: Sequence[Any], unseen: Iterable[int]) -> str:
    """Return the answers to a script as one text, without those that the test does not see."""
    seen = [answer for i, answer in enumerate(answers) if i not in unseen] if unseen else answers
    return _encode(seen).decode()


def mark_of(salt: str, answers: Iterable[Sequence[Any]], unseen: Iterable[Iterable[int]]) -> str:
    """Return the mark of the answers to several tests, of which each may not see some."""
    texts = [answers_text(each, without) for each, without in zip(answers, unseen, strict=True)]
    return hashlib.sha256(key_bytes("answers", salt, *texts)).hexdigest()


# --- The file


class _Line(msgspec.Struct, frozen=True):
    key: str
    sum: str
    data: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    checks: dict[str, _Line]


def record_key(file: CheckFile, salt: str, record: str, new: Mapping[Path, str] | None = None) -> str:
    """Return the key of a check file's record: the hash of all that its tests depend on.

    `salt` is that of its random numbers, `record` the name of the topic's record, `new` the texts of files that are
    still to be written.
    """
    new = new or {}
    digest = hashlib.sha256(
        key_bytes(str(PROTOCOL), salt, str(file.orders), str(file.chart), *filter(None, [file.data]))
    )
    beside = [file.path.with_name(record)] if record else []
    for path in (file.path, helpers_of(file.path), *beside):
        text = new[path].encode() if path in new else path.read_bytes() if path.is_file() else b""
        digest.update(hashlib.sha256(text).digest())
    return digest.hexdigest()


def encode_replay(checks: Mapping[str, tuple[str, RecordedCheck]]) -> str:
    """Return the text of a file; `checks` has the key and the record of each check."""
    lines = {}
    for name, (key, check) in checks.items():
        data = _encode(check)
        packed = base64.b64encode(zlib.compress(data, 9)).decode()
        lines[name] = _Line(key, hashlib.sha256(data).hexdigest(), packed)
    return _text(lines)


def _text(lines: Mapping[str, _Line]) -> str:
    rows = [f'"{name}": {_encode(line).decode()}' for name, line in lines.items()]
    return f'{{"format": {FORMAT}, "checks": {{\n' + ",\n".join(rows) + "}}\n"


def keep_unchanged(path: Path, text: str) -> str:
    """Return the new text of a file, with each line that is there and differs in the last digits of answers alone."""
    lines, there = msgspec.json.decode(text, type=_File).checks, _read_file(path)
    if isinstance(there, str):
        return text
    for check, line in lines.items():
        old, new = (_read_record(of, check, line.key) for of in (there, lines))
        if isinstance(old, RecordedCheck) and isinstance(new, RecordedCheck) and old.alike == new.alike:
            lines[check] = there[check]
    return _text(lines)


def read_replays(
    files: Iterable[CheckFile], salts: Mapping[str, str], record: str
) -> tuple[dict[Path, RecordedCheck], list[tuple[Path, str]]]:
    """Return the record of each check file that has one, and what is wrong with a replay.json."""
    found: dict[Path, RecordedCheck] = {}
    wrong: dict[tuple[Path, str], None] = {}
    lines: dict[Path, Mapping[str, _Line] | str] = {}
    for file in files:
        path = file.path.with_name(FILE)
        if path not in lines:
            lines[path] = _read_file(path)
        of_file = lines[path]
        key = record_key(file, salts[file.visibility], record)
        one = of_file if isinstance(of_file, str) else _read_record(of_file, file.check, key)
        if isinstance(one, str):
            wrong[path, one] = None
        else:
            found[file.path] = one
    return found, list(wrong)


def steady_in(path: Path) -> tuple[int, int]:
    """Return how many tests of a replay.json give the same answers on another processor, and how many can be replayed."""
    lines = _read_file(path)
    checks = (
        []
        if isinstance(lines, str)
        else [_read_record(lines, name, line.key) for name, line in lines.items()]
    )
    found = [each for each in checks if isinstance(each, RecordedCheck)]
    recorded = sum(test.is_taped for each in found for test in each.tests)
    return recorded - sum(len(each.varies) for each in found), recorded


def _read_file(path: Path) -> dict[str, _Line] | str:
    """Return the lines of a file by check, or what is wrong with it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "is damaged"
    return file.checks if file.format == FORMAT else "is of another version"


def _read_record(lines: Mapping[str, _Line], check: str, key: str) -> RecordedCheck | str:
    """Return the record of a check, or why there is none."""
    line = lines.get(check)
    if line is None:
        return "is incomplete"
    if line.key != key:
        return "is out of date"
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(line.data, validate=True), MOST_BYTES)
        if hashlib.sha256(data).hexdigest() != line.sum:
            return "is damaged"
        return msgspec.json.decode(data, type=RecordedCheck)
    except (ValueError, zlib.error, msgspec.DecodeError, RecursionError):
        return "is damaged"
