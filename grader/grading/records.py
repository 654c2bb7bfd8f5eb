"""replay.json: the requests that each test of a check sends when it runs on the reference, and marks of the replies.

`grade stub` writes one file next to the visible checks and one next to the hidden ones, with a line for each check. If
all requests of a check's tests, sent in one load, get the reference's replies to the bit, the tests have the reference's
results. The file contains no reply: only a salted SHA-256 of all replies under one order of sets, and charts that only
the replies to their test open. Sealed answers are judged anew each time. If a test reads other answers of the student,
such as an order, only these answers open its requests.

A record is valid for the check file, helpers, topic records, salt and manifest flags that it was made with. An invalid
or damaged record is not used, and the grader says so. Verdicts do not depend on it, with one exception: only a record
says that a test skips the reference itself.
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
UNBOXED = 1_000  # scripts opened by students' values: most students of a class have the same

_encode = msgspec.json.Encoder().encode


class RecordedTest(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """A test with its requests; a test that cannot be replayed has none, and only notes what it used.

    `unseen` has the requests whose value the test does not see, by index: `judge NAME` for a sealed answer, `glance
    NAME` for one that must only exist. `key` has the names of the student's values that open `requests`, which are then
    a box (sealed.py). A test that is `alone` is hidden and only judges answers. `used`, `answers` and `functions` are as
    in a TestResult, `asked` has the names that the test read, and `chart` is a box that the replies open.
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
        """True if all submissions that give the same replies get the same requests."""
        return self.count > 0

    def unbox(self, salt: str, values: Mapping[str, Any]) -> bytes | None:
        """Return the requests as a JSON list; None if the student's values do not open them."""
        if not self.key:
            return bytes(self.requests)
        if any(name not in values for name in self.key):
            return None
        return _unbox(bytes(self.requests), salt, values_key(self.key, values))

    def open_chart(self, salt: str, answers: Sequence[Any]) -> Chart | None:
        """Return the chart that these replies open. Raises ValueError for a box that they do not open."""
        if not self.chart:
            return None
        return msgspec.json.decode(mask(self.chart, salt, replies_text(answers, self.unseen)), type=Chart)


class RecordedCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tests of one check file in order, with the title from its docstring.

    `marks` has the mark of all replies for each group of tests (`replay_group`) that can be replayed. `alike` is the mark
    of all requests and answers with rounded numbers, the same on every machine.
    """

    title: str
    tests: list[RecordedTest]
    salt: str
    marks: dict[str, str] = {}
    alike: str = ""

    def tests_of(self, check: str, visibility: str) -> dict[Test, RecordedTest]:
        """Return the tests as the suite knows them."""
        return {Test(check, visibility, each.name, each.order, each.doc): each for each in self.tests}


def replay_group(test: Test, recorded: RecordedTest) -> str:
    """Return the name of the group of tests that share a load with this one: those under the same order of sets.

    Hidden tests that only judge answers run in another jail than the others.
    """
    return f"{test.order} answers" if recorded.alone else test.order


@functools.lru_cache(UNBOXED)
def _unbox(box: bytes, salt: str, key: str) -> bytes | None:
    with contextlib.suppress(ValueError, msgspec.DecodeError):
        requests = mask(msgspec.json.decode(box, type=bytes), salt, key)
        msgspec.json.decode(requests, type=list[msgspec.Raw])
        return requests
    return None


def values_key(names: Iterable[str], values: Mapping[str, Any]) -> str:
    """Return the text that opens the requests of a test which reads these values."""
    return _encode(["requests", *([name, values[name]] for name in names)]).decode()


def replies_text(answers: Sequence[Any], unseen: Iterable[int]) -> str:
    """Return the replies to a script as one text, without those that the test does not see."""
    return _encode([answer for i, answer in enumerate(answers) if i not in unseen]).decode()


def mark_of(salt: str, answers: Iterable[Sequence[Any]], unseen: Iterable[Iterable[int]]) -> str:
    """Return the mark of the replies to several tests, without the replies that a test does not see."""
    texts = [replies_text(each, without) for each, without in zip(answers, unseen, strict=True)]
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
    """Return the key of a check file's record: the hash of everything that its tests depend on.

    `salt` seeds its random numbers, `record` is the name of the topic's record, and `new` has the texts of files that
    are not written yet.
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
    """Return the new text of a file; a line of the old file stays if only last digits of its replies differ."""
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
    """Return the record of each check file that has a valid one, and the faults of each replay.json."""
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


def _read_file(path: Path) -> dict[str, _Line] | str:
    """Return the lines of a file by check, or the fault of the file."""
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
