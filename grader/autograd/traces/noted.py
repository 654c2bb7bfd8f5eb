"""The notes of inside/trace.py about one test, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from grader.autograd.walks.runs import BACK, CALL, GRAD, HANDED, MARK
from grader.report import TraceStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Number: TypeAlias = float | str  # a text for anything that is not a finite number


class Untraceable(Exception):
    """The graph or the walk of a test cannot be traced."""


class Noted(NamedTuple):
    """An event of inside/recording.py, with numbers as they are shown."""

    code: int
    node: int
    value: Number | None


class GraphSnapshot(msgspec.Struct, array_like=True):
    """The answer of the jail: nodes with operation, operands and data; gradients before; events; kept pairs; places.

    `places` are the indices of the objects that the grader asked about, -1 for one that is not a node.
    """

    whole: bool
    made: list[tuple[str, list[list[float] | float | str], Number]]
    before: list[Number]
    events: list[Noted]
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
        if not good or not all(0 <= event.node < size for event in self.events if event.code != MARK):
            raise Untraceable


class WalkRequest(NamedTuple):
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
        raise Untraceable
    return int(operand[0])


def done(events: Iterable[Noted]) -> list[TraceStep]:
    """Return the calls, each with the gradients that it changed, and the gradients that were set, in order.

    Raises Untraceable for a change without its call.
    """
    found, running = list[TraceStep](), list[TraceStep]()
    for event in events:
        value = "None" if event.value is None else event.value
        if event.code in {CALL, GRAD}:
            found.append(TraceStep("call" if event.code == CALL else "set", event.node, []))
            running += found[-1:] if event.code == CALL else []
        if event.code == BACK:
            del running[-1:]
        if event.code == HANDED and not running:
            raise Untraceable
        if event.code in {GRAD, HANDED}:
            (found if event.code == GRAD else running)[-1].changes.append((event.node, value))
    return found


def walk_requests(
    events: Sequence[Noted], asked: Sequence[WalkRequest]
) -> Iterator[tuple[WalkRequest | None, list[Noted]]]:
    """Yield each request that may walk with its events; None with those that no such request made."""
    place, part = -1, list[Noted]()
    for event in [*events, Noted(MARK, -1, None)]:
        if event.code != MARK:
            part.append(event)
            continue
        if part or 0 <= place < len(asked):
            yield asked[place] if 0 <= place < len(asked) else None, part
        place, part = event.node, []


def read_seen(texts: Any, count: int) -> GraphSnapshot:
    """Return what the jail noted; `count` is the number of places. Raises Unreadable."""
    try:
        seen = msgspec.json.decode("".join(texts), type=GraphSnapshot)
    except (TypeError, msgspec.DecodeError) as error:
        raise Untraceable from error
    seen.check(count)
    return seen
