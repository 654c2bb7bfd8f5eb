"""Where a test went, as the jail tells it: the grader's side of `inside/trail.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from grader.sandbox.errors import Frame

MAX_LINE = 1 << 30
MAX_NAME = 80
MAX_UNITS = 200  # of a test
ROOT, LATER = 1, 2  # carried out a request itself; was entered when no new object was made

Count = Annotated[int, msgspec.Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Unit:
    """A function of the student's, what it was to a test, and the rule that it left to be called later."""

    place: Frame
    role: int
    rule: Frame | None


@dataclass(frozen=True, slots=True)
class Went:
    """Where a test went; `answer` is the line that assigns the name that was asked for."""

    units: tuple[Unit, ...] = ()
    answer: Frame | None = None


class _Unit(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    block: Count
    line: Count
    name: str
    role: int
    rule: tuple[Count, Count, str] | None


class _Went(msgspec.Struct, forbid_unknown_fields=True):
    units: list[_Unit]
    lines: list[tuple[Count, Count]]


def read_went(data: Any) -> Went:
    """From decoded JSON. Raises msgspec.ValidationError."""
    went = msgspec.convert(data, _Went)
    units = tuple(
        Unit(frame(u.block, u.line, u.name), u.role & (ROOT | LATER), frame(*u.rule) if u.rule else None)
        for u in went.units[:MAX_UNITS]
    )
    return Went(units, frame(*went.lines[-1], "") if went.lines else None)


def frame(block: int, line: int, name: str) -> Frame:
    """A Frame of what the jail says, within bounds."""
    return Frame(min(block, MAX_LINE), min(line, MAX_LINE), name[:MAX_NAME])
