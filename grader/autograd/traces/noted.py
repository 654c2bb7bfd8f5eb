"""The notes of inside/trace.py about one test, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Number: TypeAlias = float | str  # a text for anything that is not a finite number


class Unreadable(Exception):
    """The graph or the walk of a test cannot be traced."""


class Mark(msgspec.Struct, array_like=True, tag="mark"):
    """The test sends this request now."""

    place: int


class Call(msgspec.Struct, array_like=True, tag="call"):
    """A node's `_backward` was called, with this gradient of its own; it changed these gradients."""

    node: int
    upstream: Number
    changes: list[tuple[int, Number]]


class Set(msgspec.Struct, array_like=True, tag="set"):
    """Gradients changed outside of every call."""

    changes: list[tuple[int, Number]]


class Read(msgspec.Struct, array_like=True, tag="read"):
    """A gradient was read, of a node that keeps local gradients."""

    node: int


class Write(msgspec.Struct, array_like=True, tag="write"):
    """A gradient was set, of a node that keeps local gradients."""

    node: int
    value: Number


Noted: TypeAlias = Mark | Call | Set | Read | Write


class Seen(msgspec.Struct, array_like=True):
    """The answer of the jail: nodes with operation, operands and data; gradients before; steps; kept pairs; places.

    `places` are the indices of the objects that the grader asked about, -1 for one that is not a node.
    """

    whole: bool
    made: list[tuple[str, list[list[float] | float | str], Number]]
    before: list[Number]
    steps: list[Noted]
    kept: list[list[tuple[int, float | None]] | None]
    places: list[int]

    def check(self, count: int) -> None:
        """Raise Unreadable for a graph that is too large, or for indices that are not of its nodes."""
        size = len(self.made)
        good = self.whole and len(self.before) == len(self.kept) == size and len(self.places) == count
        good = good and all(index_of(o) < i for i, (_, operands, _) in enumerate(self.made) for o in operands)
        good = (
            good
            and all(i < size for row in self.kept for i, _ in row or ())
            and max(self.places, default=0) < size
        )
        if not good or not all(0 <= i < size for step in self.steps for i in _nodes_of(step)):
            raise Unreadable


class Asked(NamedTuple):
    """A request of the test that may walk: it sets a gradient, calls a `_backward`, or calls another function.

    `node` is the index of the node: whose gradient, whose `_backward`, or the root of the walk; None if it is no node.
    `name` is that of the attribute or function.
    """

    kind: str  # "set", "rule" or "walk"
    node: int | None
    name: str


def index_of(operand: list[float] | float | str) -> int:
    """Return the index of the node that an operand is, -1 for a number. Raises Unreadable."""
    if not isinstance(operand, list):
        return -1
    if not operand or operand[0] != int(operand[0]) or operand[0] < 0:
        raise Unreadable
    return int(operand[0])


def changes_of(steps: Iterable[Noted]) -> Iterator[tuple[int, Number]]:
    """Yield every gradient that these steps changed, with its new value."""
    for step in steps:
        if isinstance(step, Call | Set):
            yield from step.changes
        elif isinstance(step, Write):
            yield step.node, step.value


def _nodes_of(step: Noted) -> Iterator[int]:
    if isinstance(step, Call | Read | Write):
        yield step.node
    yield from (i for i, _ in changes_of([step]))


def parts_of(steps: Sequence[Noted], asked: Sequence[Asked]) -> Iterator[tuple[Asked | None, list[Noted]]]:
    """Yield each request that may walk with the steps that it made; None with those that no such request made."""
    place, part = -1, list[Noted]()
    for step in [*steps, Mark(-1)]:
        if not isinstance(step, Mark):
            part.append(step)
            continue
        if part or 0 <= place < len(asked):
            yield asked[place] if 0 <= place < len(asked) else None, part
        place, part = step.place, []


def read_seen(texts: Any, count: int) -> Seen:
    """Return what the jail noted; `count` is the number of places. Raises Unreadable."""
    try:
        seen = msgspec.json.decode("".join(texts), type=Seen)
    except (TypeError, msgspec.DecodeError) as error:
        raise Unreadable from error
    seen.check(count)
    return seen
