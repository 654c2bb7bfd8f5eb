"""The grader's readers of a jail's answers, as three functions of any bytes.

They return when the bytes were read as plain data within the caps or refused with one of the
documented errors, and raise for everything else. `test_fuzz_wire.py` gives them what Hypothesis
makes up, `fuzz_wire.py` what a fuzzer finds that follows the coverage.
"""

from __future__ import annotations

import copy
import json
import random
from typing import TYPE_CHECKING, Any

from stopped import forged

from grader.manifest import Limits
from grader.sandbox import (
    Frame,
    Process,
    Proxy,
    Sandbox,
    StudentError,
    SubmissionStopped,
    Undefined,
    wire,
)
from grader.sandbox.arrays import ArrayReading, read
from grader.sandbox.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER = b"@"  # in an answer: the number of its request
HONEST = {
    "names": {"l": [{"l": ["x"]}]},
    "output": {"size": 5, "text": "hello"},
    "reload": [],
    "get": {"h": 1, "k": "instance", "c": "Value"},
    "attr": 1.5,
    "peek": [{"data": 1.5}],
    "defined": [[0, 1, "f"], None],
    "apply": {"l": [1, {"h": 2, "k": "instance", "c": "Value"}]},
    "items": {"items": {"l": [1, {"h": 3, "k": "instance", "c": "Value"}]}, "rest": 4},
}


def honest(op: str) -> dict[str, Any]:
    """The honest answer to a request; the only cell raises, so that its names are asked for."""
    return {"e": ERROR} if op == "run" else {"v": HONEST.get(op)}


class Peer(Stream):
    """The other end of a jail's pipe: answers each request with the next line, behind its length.

    An empty line, and what comes after the last one, is an honest answer. With `raw`, the bytes
    answer the first request as they are, in small pieces, and nothing follows.
    """

    def __init__(self, data: bytes, *, raw: bool = False) -> None:
        super().__init__()
        self.raw, self.lines = raw, [data] if raw else data.split(b"\n")[::-1]
        self.waiting = [wire.pack({"n": 0, "v": None})]  # what every jail says first

    def send(self, data: bytes, deadline: float) -> None:
        request = json.loads(data[4:])
        line = self.lines.pop() if self.lines else b""
        body = line.replace(NUMBER, b"%-15d" % request["n"])  # of the same length in every run
        if self.raw:
            self.waiting += [body[i : i + 7] for i in range(0, len(body), 7)]
        elif body:
            self.waiting.append(len(body).to_bytes(4, "big") + body)
        else:
            self.waiting.append(wire.pack({"n": request["n"]} | honest(request["op"])))

    def more(self, deadline: float) -> bytes:
        if not self.waiting:
            raise EOFError
        return self.waiting.pop(0)

    def close(self) -> None:
        self.waiting = []


class Peers:
    """Stands for the launcher: every jail that it opens is a peer, and dies with that wait status."""

    def __init__(self, data: bytes = b"", status: int = 0) -> None:
        self.data, self.status = data, status

    def open(
        self, limits: Limits, imports: list[str], *, arrays: bool = False, sealed: bool = False
    ) -> Process:
        data, self.data = self.data, b""  # a jail that replaces another one is honest
        return Process(Peer(data), self, 1, limits)

    def end(self, child: int, *, died: bool) -> int:
        return self.status

    def count_killed(self) -> None:
        """Nobody asks how many."""


# --- What is fuzzed


def decoder(body: bytes) -> None:
    """A frame's body, and each value in it."""
    try:
        message = wire.unpack(body)
    except SubmissionStopped as error:
        if not forged(error):
            raise
        return
    for data in message.values():
        try:
            value = wire.decode(data, lambda handle: handle, read)
        except SubmissionStopped as error:
            if not forged(error):
                raise
            continue
        assert_plain(value)


def framing(data: bytes, status: int = 0) -> None:
    """All that a jail sends in reply to one request, lengths and all; it dies with that wait status."""
    process = Process(Peer(data, raw=True), Peers(status=status), 1, Limits())
    try:
        answer = process.ask({"op": "get"}, deadline=0)
    except SubmissionStopped as error:
        assert_bounded(error)
        answer = {}
    assert process.ended or answer
    assert isinstance(answer, dict)


def items(box: Sandbox) -> Any:
    """The items of an object, or that they were too large to be read."""
    try:
        return box.items(1, 64, "list(x)")
    except StudentError:
        raise
    except TypeError as error:
        assert_bounded(error)


def session(lines: bytes) -> None:
    """The bodies of a jail's answers: the submission is loaded, asked, and loaded again."""
    box = Sandbox(Peers(lines), ["x = 1"], Limits(), arrays=True)
    for step in (
        box.load,
        lambda: box.get("x"),
        lambda: box.ask("attr", "x.data", h=1, name="data"),
        lambda: box.peek(["data"]),
        lambda: assert_places(box.defined(["x", "y.z"])),
        lambda: box.ask("apply", "x + 1", name="add", args=[]),
        lambda: items(box),
        lambda: box.load("reverse"),
        lambda: box.get("x"),
    ):
        try:
            assert_plain(step())
        except (StudentError, SubmissionStopped, Undefined) as error:
            assert_bounded(error)
            if isinstance(error, SubmissionStopped):
                break
    assert set(box.errors) <= {0}, "there is one cell"
    for error in box.errors.values():
        assert_bounded(error)
    box._end()
    box.load()
    assert isinstance(box.get("x"), Proxy), "a jail that has ended is replaced"


def assert_plain(value: Any, depth: int = 0) -> int:
    """Assert that the value is plain data within the caps; return the number of its values."""
    assert depth <= wire.MAX_DEPTH + 1
    if isinstance(value, list | tuple | set | frozenset):
        inner = list(value)
    elif isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    else:
        assert_plain_scalar(value)
        return 1
    number = 1 + sum(assert_plain(item, depth + 1) for item in inner)
    assert number <= wire.MAX_ITEMS
    return number


def assert_plain_scalar(value: Any) -> None:
    if isinstance(value, str):
        assert len(value) <= wire.MAX_TEXT
        value.encode()  # no lone surrogates
    elif isinstance(value, int):
        float(value)
    elif isinstance(value, wire.Handle):
        assert 0 < value.id < wire.MAX_HANDLE
        assert value.kind in wire.KINDS
        assert len(value.cls) <= 100
    elif isinstance(value, wire.Oversize):
        assert len(value.why) <= 200
    else:
        assert value is None or value is ... or isinstance(value, float | Proxy | ArrayReading)


def assert_places(places: list[Frame | None]) -> None:
    """One for each name, within bounds."""
    assert len(places) == 2
    for place in places:
        assert place is None or assert_frame(place) is None


def assert_frame(frame: Frame) -> None:
    """Numbers that have room in a report, and a name that has room in a line."""
    assert 0 <= frame.block <= 1 << 30
    assert 0 <= frame.line <= 1 << 30
    assert len(frame.function) <= 80


def assert_bounded(error: Exception) -> None:
    """Assert that the text of an error from the jail fits into a report."""
    assert len(str(error)) <= 2200
    if isinstance(error, StudentError):
        assert len(error.frames) <= 6
        assert len(error.missing_name) <= 100
        for frame in error.frames:
            assert_frame(frame)


# --- What it is made of: honest messages, and what may become of them

ERROR = {"type": "E", "bases": ["KeyError", "object"], "text": "t", "name": "n", "frames": [[0, 1, "f"]]}
VALUES = [
    {"l": [None, True, -1, 1500.0, "aé", {"t": []}, {"s": [1, {"z": ["a"]}]}, {"i": str(2**64)}]},
    {"d": [["k", {"f": "nan"}], [{"..": 1}, {"x": "why"}], [{"t": [-1]}, {"d": []}]]},
    {"l": [{"a": ["float64", [2, 1], "AAAAAAAA+D8AAAAAAAAEQA=="]}, {"a": ["bool", [1], "AQ=="]}]},
    {"s": [{"h": 7, "k": "instance", "c": "Value"}, {"h": 8, "k": "class", "c": "V"}, {"f": "-inf"}]},
]
ASKED = (
    "open begin run names output reload get attr peek defined apply items reload get".split()
)  # by `session`, in order
ODD = [
    *(None, True, 0, -1, 1.0, 2**53, 2**63, 10**400, 1e308, "", "nan", "-inf", "instance", "x" * 70_000),
    *(
        "\0",
        "é",
        "AAAAAAAA8D8=",
        {"a": ["float64", [1], "éAAAAAAAA+H8="]},
        {"a": ["float64", [], "AAAAAAAA8D8="]},
    ),
    *("9" * 400, "KeyError", "ExceptionGroup", [], {}, [[]], [0, 1, "f"], {"..": 1}, {"x": "y"}),
    *({tag: [1]} for tag in "ltszd"),
    *({"h": number, "k": "class", "c": "V" * 300} for number in (1, 2, 0, 2**60)),
    *({"x": "y" * 300}, {"f": [[]]}, {"d": [[1, 2, 3]]}),
]


def messages() -> list[list[dict[str, Any]]]:
    """For each request of `session`, what may honestly answer it."""
    answers: dict[str, list[Any]] = {op: [honest(op)] for op in ASKED}
    answers["run"].append({"v": None})
    answers["reload"].append({"v": [[0, ERROR]]})
    answers["attr"] += [{"e": ERROR}, *({"v": value} for value in VALUES)]
    return [[{"n": "@"} | answer for answer in answers[op]] for op in ASKED]


def line(message: dict[str, Any]) -> bytes:
    """A message as a peer sends it."""
    return json.dumps(message).encode().replace(b'"@"', NUMBER)


def variants(value: Any) -> Iterator[Any]:
    """Yield the value with each value in it replaced by an odd one."""
    yield from ODD
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for odd in variants(value[key]):
                changed = value.copy()
                changed[key] = odd
                yield changed


def change(where: Any, dice: random.Random) -> None:
    """Replace, remove, wrap or repeat one of the values in there."""
    keys = list(where) if isinstance(where, dict) else list(range(len(where)))
    if not keys:
        return
    key = dice.choice(keys)
    if isinstance(where[key], dict | list) and where[key] and dice.random() < 0.7:
        change(where[key], dice)
        return
    match dice.randrange(5):
        case 0 | 1:
            where[key] = copy.deepcopy(dice.choice(ODD))  # a later change must not change it
        case 2:
            where[key] = {dice.choice("ltszd"): [where[key]] * dice.choice((1, 2, 3, 100))}
        case 3:
            del where[key]
        case _:
            if isinstance(where, dict):
                where[dice.choice("hkcxevlif")] = copy.deepcopy(where[key])
            else:
                where.append(copy.deepcopy(where[key]))
