"""The record of one test: the objects that it met, the values that it read, the operations that it used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.sandbox.proxy import Proxy


@dataclass(slots=True)
class Event:
    """One thing that a test learned: a value that it read, or the error that it got instead."""

    label: str
    value: Any


@dataclass(slots=True)
class Record:
    """The record of one test; every load begins a new one."""

    events: list[Event] = field(default_factory=list)
    # Objects that it named, with the values that they were made from.
    named: dict[str, Any] = field(default_factory=dict)
    proxies: dict[int, Proxy] = field(default_factory=dict)  # by the number of their handle
    trials: set[str] = field(default_factory=set)  # names of objects that a check only tried
    answers: list[str] = field(default_factory=list)  # names that hold plain values, not objects
    functions: set[str] = field(default_factory=set)  # names of functions that it asked for
    used: dict[str, tuple[str, ...]] = field(default_factory=dict)  # operation: labels of its first operands
