"""The jail's answers about walks: checked, and made into runs over graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from grader.autograd.walks.findings import (
    CALL,
    GRAD,
    Event,
    Finding,
    Listed,
    Run,
    close,
    first_wrong_list,
    right_gradients,
)
from grader.autograd.walks.graphs import Graph, Seen
from grader.autograd.walks.pairs import Kept, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Place = Annotated[int, msgspec.Meta(ge=-2, le=100)]
_Raised = Annotated[str, msgspec.Meta(max_length=100)]
_Many = msgspec.Meta(max_length=400)
_Some = msgspec.Meta(max_length=20)
_Numbers = Annotated[list[float | None], _Some]
_Kids = tuple[Literal["", "_prev", "_children"], Annotated[list[Annotated[list[_Place], _Some]], _Some]]
_Pairs = Annotated[list[Annotated[list[tuple[_Place, float]], _Some]], _Some]
_Events = Annotated[list[tuple[int, _Place, float | None]], _Many]
_Lists = Annotated[
    list[tuple[_Raised, _Raised, Annotated[list[_Place], _Many]]], msgspec.Meta(min_length=2, max_length=2)
]
SORTED = tuple[_Lists, _Kids | None]
WALKED = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None]
CALLED = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None, _Numbers, _Numbers | None]
HANDED_ON = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None, _Pairs, _Numbers | None]


class Unreadable(Exception):
    """The walk is not understood: nothing is told of it."""


def checked(answer: Any, of: Any, some: Sequence[Graph]) -> list[Any]:
    """The runs of an answer of the jail's, one for each graph. Raises Unreadable for what is not of the format."""
    try:
        runs: list[Any] = msgspec.convert(answer, list[of | None])
    except msgspec.ValidationError:
        raise Unreadable from None
    if len(runs) != len(some) or not all(map(_fits, some, runs)):
        raise Unreadable
    return runs


def _fits(graph: Graph, run: Any) -> bool:
    """Tell whether a run is about the nodes of this graph."""
    size = len(graph.names)
    if run is None:
        return True
    if len(run) == 2:  # lists
        return all(place < size for twice in run[0] for place in twice[2])
    _, events, before, after, kids, *rest = run
    held = kids[1] if kids else []
    rows = [row for row in (before, after, held or None, *rest) if row is not None]
    known = [event[1] for event in events] + [child for row in held for child in row]
    known += [pair[0] for row in rest for pairs in row or [] if isinstance(pairs, list) for pair in pairs]
    return all(len(row) == size for row in rows) and all(place < size for place in known)


# --- Graphs for the jail


def plain_row(graph: Graph) -> list[Any]:
    nodes = range(len(graph.names))
    return [[graph.names[i], graph.data[i], [list(pair) for pair in graph.pairs(i)]] for i in nodes]


def own_row(graph: Graph) -> list[Any]:
    return [[step.op, *([x] if type(x) is int else x for x in step.operands)] for step in graph.steps]


# --- Runs


def _kids(kids: tuple[str, list[list[int]]] | None) -> tuple[tuple[int, ...], ...] | None:
    """The children of each node that are nodes of the graph."""
    return None if kids is None else tuple(tuple(child for child in row if child >= 0) for row in kids[1])


def listed(graph: Graph, run: Any, name: str) -> Finding | None:
    lists, _ = run
    first, second = (Listed(kind, tuple(places)) for _, kind, places in lists)
    return first_wrong_list(graph, first, second, name)


def seen_list(graph: Graph, run: Any) -> Seen:
    lists, kids = run
    return Seen(graph, tuple(lists[0][2][::-1]), _kids(kids), leaves=True)


def plain_run(graph: Graph, run: Any) -> Run:
    _, events, before, after, kids = run
    slopes = [graph.pairs(node) for node in range(len(graph.names))]
    fair = right_gradients(graph, before, slopes)
    followed = tuple(_followed(graph, [Event(*event) for event in events], before))
    return Run(graph, followed, tuple(before), tuple(after), fair, _kids(kids), counts=True)


def _followed(graph: Graph, events: Iterable[Event], before: Sequence[float | None]) -> Iterable[Event]:
    """The events without those that change no gradient below the root."""
    grads = [number or 0.0 for number in before]
    for event in events:
        if event.node >= 0 and event.code == CALL:
            for child, slope in graph.pairs(event.node):
                grads[child] += slope * grads[event.node]
        if event.node >= 0 and event.code == GRAD:
            same = close(grads[event.node], event.value)
            grads[event.node] = event.value or 0.0
            if same and event.node != graph.root:
                continue
        yield event


def called_run(graph: Graph, run: Any) -> Run | None:
    """Return None where the walk goes on in another way when it is noted, or without the `_backward` of the nodes."""
    _, events, before, after, kids, fair, free = run
    if free is not None and not all(map(close, after, free)):
        return None
    made = Run(
        graph, tuple(Event(*event) for event in events), tuple(before), tuple(after), tuple(fair),
        _kids(kids), kids[0] if kids else "",
    )  # fmt: skip
    others = any(not close(x, y) for x, y in zip(after[:-1], before[:-1], strict=True))
    return None if others and not made.calls else made


def kept_of(graph: Graph, run: Any) -> Kept:
    _, events, before, _, _, pairs, _ = run
    return Kept(graph, [Event(*event) for event in events], before, [list(map(tuple, row)) for row in pairs])


def pairs_run(graph: Graph, run: Any) -> Run | None:
    """Return None where the walk goes on in another way when it is noted, or hands on something else."""
    _, _, before, after, kids, _, free = run
    kept = kept_of(graph, run)
    turns = turns_of(kept)
    ends = _last(kept)
    if turns is None or not all(map(close, after, free or after)) or not all(map(close, after, ends)):
        return None
    fair = right_gradients(graph, before, kept.pairs)
    cleared = right_gradients(graph, [0.0] * len(before), kept.pairs)
    return Run(
        graph, tuple(turns.events), tuple(before), tuple(after), cleared if all(map(close, after, cleared)) else fair,
        _kids(kids), kids[0] if kids else "", hands=True, left_out=turns.left_out,
    )  # fmt: skip


def _last(kept: Kept) -> list[float | None]:
    """Return the gradients after all changes that were seen."""
    grads = list(kept.before)
    for event in kept.events:
        if event.node >= 0 and event.code == GRAD:
            grads[event.node] = event.value
    return grads
