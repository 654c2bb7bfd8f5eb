"""The record of one test: the objects that it met, the values that it read, the operations that it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from grader.sandbox.proxy import Proxy


class ReadEvent(msgspec.Struct):
    """A value that a test read, with its expression, or the error that it got instead."""

    label: str
    value: Any


class Record(msgspec.Struct):
    """The record of one test; every load begins a new one.

    After a test has added its objects `p` and `q` and read an attribute of the sum, `used` is `{"+": ("p", "q")}`, and the
    last of the `events` has a label such as `(p + q).size`.
    """

    events: list[ReadEvent] = []
    # Values from which the test made objects, by the objects' names.
    named: dict[str, Any] = {}
    given: dict[str, Any] = {}  # arrays that the test has put into attributes, by place: `box.size`
    proxies: dict[int, Proxy] = {}  # by the number of their handle
    made: list[tuple[int, Any]] = []  # handles of results, each with its operands as sent
    trials: set[str] = set()  # names of objects that a check only tried
    answers: list[str] = []  # names that hold plain values, not objects
    functions: set[str] = set()  # names of functions that the test read
    used: dict[str, tuple[str, ...]] = {}  # operation: labels of its first operands
