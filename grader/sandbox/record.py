"""The record of one test: the objects that it met, the values that it read, the operations that it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from grader.sandbox.proxy import Proxy


class ReadEvent(msgspec.Struct):
    """One thing that a test learned: a value that it read, or the error that it got instead."""

    label: str
    value: Any


class Record(msgspec.Struct):
    """The record of one test; every load begins a new one."""

    events: list[ReadEvent] = []
    # Objects that it named, with the values that they were made from.
    named: dict[str, Any] = {}
    given: dict[str, Any] = {}  # arrays that it has put into attributes, by their place: `box.size`
    proxies: dict[int, Proxy] = {}  # by the number of their handle
    made: list[tuple[int, Any]] = []  # handles of results, each with the operands as they were sent
    trials: set[str] = set()  # names of objects that a check only tried
    answers: list[str] = []  # names that hold plain values, not objects
    functions: set[str] = set()  # names of functions that it asked for
    used: dict[str, tuple[str, ...]] = {}  # operation: labels of its first operands
