"""submission_metadata.yml: who handed in which folder of a Gradescope export, and when.

It is read event by event, and of what it holds only this is kept: outputs of autograders and the history of
uploads stand in it too, and are passed over. Its form is shown in platforms.py.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from grader.errors import Refused
from grader.submissions.submission import SubmissionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.submissions.tree import Tree

DEEPEST = 4  # a submitter's name is in a mapping in a list in a mapping in the file
METADATA = "submission_metadata.yml"
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEPT = frozenset({":submitters", ":created_at", ":name", ":email", ":sid"})


@dataclass(frozen=True, slots=True)
class Submitter:
    """One person who handed it in; each part may be empty."""

    name: str = ""
    email: str = ""
    sid: str = ""


@dataclass(frozen=True, slots=True)
class Submitted:
    """One submission; `created_at` is in UTC, None where none can be read."""

    submitters: tuple[Submitter, ...] = ()
    created_at: dt.datetime | None = None


def read_metadata(source: str, tree: Tree) -> dict[str, Submitted]:
    """The submissions by the names of their folders. Raises Refused."""
    try:
        events = yaml.parse(tree.read(METADATA), Loader=_PARSER)
        read = _value(_started(events), deep=0)
    except SubmissionError as trouble:
        raise Refused(f"{source}: {METADATA}: {trouble}") from None
    except (yaml.YAMLError, UnicodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise Refused(f"{source}: {METADATA}{line}: this is not YAML; export them again") from None
    if not isinstance(read, dict):
        raise Refused(f"{source}: {METADATA} names no submissions; export them again")
    return {name: _submitted(told) for name, told in read.items()}


def _submitted(told: object) -> Submitted:
    told = told if isinstance(told, dict) else {}
    people = told.get(":submitters")
    people = people if isinstance(people, list) else []
    made = (_submitter(person) for person in people if isinstance(person, dict))
    return Submitted(tuple(made), _utc(told.get(":created_at")))


def _submitter(person: dict[str, Any]) -> Submitter:
    name, email, sid = (person.get(key) for key in (":name", ":email", ":sid"))
    return Submitter(*(part if isinstance(part, str) else "" for part in (name, email, sid)))


def _utc(told: object) -> dt.datetime | None:
    """The moment that Ruby wrote: to the nanosecond, with `Z` or an offset."""
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d))",
        told if isinstance(told, str) else "",
    )
    if match is None:
        return None
    offset = "+00:00" if match[3] else f"{match[4]}:{match[5]}"
    try:
        return dt.datetime.fromisoformat(f"{match[1]}T{match[2]}{offset}").astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None


# --- YAML, of which only a few keys are kept


def _started(events: Iterator[yaml.Event]) -> _Events:
    stream = _Events(events)
    while isinstance(stream.next, yaml.StreamStartEvent | yaml.DocumentStartEvent):
        stream.take()
    return stream


class _Events:
    """Events, one of which can be seen before it is taken."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self.named: dict[str, str] = {}  # texts that stand once and are pointed at
        self.next: yaml.Event | None = next(events, None)

    def take(self) -> yaml.Event | None:
        taken, self.next = self.next, next(self._events, None)
        if isinstance(taken, yaml.ScalarEvent) and taken.anchor:
            self.named[taken.anchor] = taken.value
        return taken


def _value(events: _Events, deep: int) -> Any:
    """A mapping, a list or a text; below the first level, mappings keep only what is known."""
    if deep > DEEPEST:
        return _pass(events)
    event = events.take()
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    if isinstance(event, yaml.AliasEvent):
        return events.named.get(event.anchor or "")
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, deep)
    if isinstance(event, yaml.SequenceStartEvent):
        found = []
        while events.next is not None and not isinstance(events.next, yaml.SequenceEndEvent):
            found.append(_value(events, deep + 1))
        events.take()
        return found
    return None


def _mapping(events: _Events, deep: int) -> dict[str, Any]:
    found = {}
    while events.next is not None and not isinstance(events.next, yaml.MappingEndEvent):
        key = events.next.value if isinstance(events.next, yaml.ScalarEvent) else None
        _pass(events)
        if isinstance(key, str) and (deep == 0 or key in _KEPT):
            found[key] = _value(events, deep + 1)
        else:
            _pass(events)
    events.take()
    return found


def _pass(events: _Events) -> None:
    """Take the next value, however deep it is, and keep nothing of it."""
    deep = 0
    while True:
        event = events.take()
        deep += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if event is None or deep <= 0:
            return
