"""Jails that tests answer for: what the grader reads is whatever bytes a test chooses.

`MESSAGES` are the honest answers to the requests of one submission, `WRONG` those with one value replaced.
"""

from __future__ import annotations

import functools
import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, settings
from sampled import WHOLE
from stopped import forged

from grader.sandbox import Process, Proxy, SubmissionStopped, wire
from grader.sandbox.arrays import ArrayReading
from grader.sandbox.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from grader.manifest import Limits

fuzz = settings(
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=300 if WHOLE else 50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

NUMBER = b"@"  # in an answer: the number of its request
ERROR = {"type": "E", "bases": ["KeyError", "object"], "text": "t", "name": "n", "frames": [[0, 1, "f"]]}
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
    """Return the honest answer to a request; the only cell raises, so that its names are asked for."""
    return {"e": ERROR} if op == "run" else {"v": HONEST.get(op)}


def numbered(body: bytes, number: int) -> bytes:
    """Return a body with the number of its request, of the same length in every run."""
    return body.replace(NUMBER, b"%-15d" % number)


def framed(body: bytes) -> bytes:
    """Return a body behind its length."""
    return len(numbered(body, 0)).to_bytes(4, "big") + body


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
        body = numbered(line, request["n"])
        if self.raw:
            self.waiting += [body[i : i + 7] for i in range(0, len(body), 7)]
        elif body:
            self.waiting.append(framed(body))
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


# --- Honest messages, and what may become of them


def handle(number: Any = 1, kind: Any = "instance", cls: Any = "V", **more: Any) -> dict[str, Any]:
    """Return an object of the jail, as it is on the wire."""
    return {"h": number, "k": kind, "c": cls} | more


ASKED = "open begin run names output reload get attr peek defined apply items reload get".split()  # in order
ATTRIBUTES = [
    {"l": [None, True, -1, 1500.0, "aé", {"t": []}, {"s": [1, {"z": ["a"]}]}, {"i": str(2**64)}]},
    {"d": [["k", {"f": "nan"}], [{"..": 1}, {"x": "why"}], [{"t": [-1]}, {"d": []}]]},
    {"l": [{"a": ["float64", [2, 1], "AAAAAAAA+D8AAAAAAAAEQA=="]}, {"a": ["bool", [1], "AQ=="]}]},
    {"s": [handle(7), handle(8, "class"), {"f": "-inf"}]},
]
MORE: dict[str, list[dict[str, Any]]] = {
    "run": [{"v": None}],
    "reload": [{"v": [[0, ERROR]]}],
    "attr": [{"e": ERROR}, *({"v": value} for value in ATTRIBUTES)],
}
MESSAGES = [[{"n": "@"} | answer for answer in (honest(op), *MORE.get(op, []))] for op in ASKED]
ODD = [
    *(None, True, 0, -1, 1.0, 2**53, 2**63, 10**400, 1e308, "", "nan", "-inf", "instance", "x" * 70_000, "\0", "é"),
    *("AAAAAAAA8D8=", {"a": ["float64", [1], "éAAAAAAAA+H8="]}, {"a": ["float64", [], "AAAAAAAA8D8="]}),
    *("9" * 400, "KeyError", "ExceptionGroup", [], {}, [[]], [0, 1, "f"], {"..": 1}, {"x": "y"}),
    *({tag: [1]} for tag in "ltszd"),
    *(handle(number, "class", "V" * 300) for number in (1, 2, 0, 2**60)),
    *({"x": "y" * 300}, {"f": [[]]}, {"d": [[1, 2, 3]]}),
]  # fmt: skip


def line(message: dict[str, Any]) -> bytes:
    """Return a message as a peer sends it."""
    return json.dumps(message).encode().replace(b'"@"', NUMBER)


def answering(op: str, answer: dict[str, Any]) -> bytes:
    """Return the lines of a peer that gives this answer to the first request of its kind, and honest ones before."""
    return b"\n" * ASKED.index(op) + line({"n": "@"} | answer)


def variants(value: Any) -> Iterator[Any]:
    """Yield the value with each value in it replaced by an odd one."""
    yield from ODD
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for odd in variants(value[key]):
                changed = value.copy()
                changed[key] = odd
                yield changed


WRONG = [list(chain.from_iterable(map(variants, messages))) for messages in MESSAGES]


# --- What a property says of them


def examples(rows: Iterable[Sequence[Any]]) -> Callable[[Any], Any]:
    """Give a property each of these rows of arguments as an example."""
    return lambda test: functools.reduce(lambda made, row: example(*row)(made), rows, test)


def violation(error: SubmissionStopped) -> str:
    """Return what the jail sent, for one that was ended for it."""
    said, _, what = str(error).partition("the submission's process sent ")
    return what if forged(error) and not said else pytest.fail(f"not a violation: {error}")


def assert_plain(value: Any, depth: int = 0) -> int:
    """Assert that the value is plain data within the caps; return the number of its values."""
    assert depth <= wire.MAX_DEPTH + 1
    if isinstance(value, list | tuple | set | frozenset | dict):
        inner = chain(value.keys(), value.values()) if isinstance(value, dict) else value
        number = 1 + sum(assert_plain(item, depth + 1) for item in inner)
        assert number <= wire.MAX_ITEMS
        return number
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
    return 1
