"""One walk of a test: its events as calls, and the run over its graph, which findings read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.traces.graph import number_of, shown
from grader.autograd.traces.noted import Noted, Unreadable, done
from grader.autograd.walks.findings import first_wrong
from grader.autograd.walks.graphs import Graph, Step
from grader.autograd.walks.runs import (
    CALL,
    EARLIER,
    GRAD,
    HANDED,
    READ,
    Event,
    Kept,
    Run,
    close,
    right_gradients,
    turns_of,
)
from grader.autograd.words import walk_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.traces.graph import TracedGraph
    from grader.autograd.traces.noted import Number, Seen


class Recorded(msgspec.Struct):
    """One walk over the nodes below `root`, and the gradients before it. `earlier` are nodes of the walks before.

    `name` is that of the function; a test that calls each `_backward` in a student's order has none.
    """

    name: str
    root: int
    before: list[Number]
    earlier: set[int]
    events: list[Noted]
    hands: bool = False  # no calls: each node hands its gradient on in a loop over its children

    def words(self, graph: TracedGraph) -> str:
        """Return the sentence about the first fault of the walk; empty if it is right or cannot be read."""
        if not self.name and self.before[self.root] != 1.0:
            return ""  # the test has seeded it in its own way
        try:
            run = self.run(graph)
        except Unreadable:
            return ""
        found = first_wrong(run, self.name)
        return walk_sentence(found.fact) if found else ""

    def run(self, graph: TracedGraph) -> Run:
        """Return the run over the graph. Raises Unreadable for gradients that are not numbers."""
        nodes = graph.below([self.root])
        place = {node: i for i, node in enumerate(nodes)}
        before, after = [[_plain(grads[node]) for node in nodes] for grads in (self.before, self._after())]
        small, pairs = _graph(graph, nodes), [_pairs(graph, node, place) for node in nodes]
        events = [
            Event(event.code, place.get(event.node, EARLIER), _plain(event.value))
            for event in self.events
            if event.node in place or (event.code == CALL and event.node in self.earlier)
        ]
        return Run(
            small, tuple(events), tuple(before), tuple(after), right_gradients(small, before, pairs), None,
            counts=True, hands=self.hands, rules_right=self._rules_right(graph),
        )  # fmt: skip

    def _after(self) -> list[Number]:
        grads = list(self.before)
        for step in done(self.events):
            for node, number in step.changes:
                grads[node] = number
        return grads

    def _rules_right(self, graph: TracedGraph) -> bool:
        """Return True if each call changed the gradients that a right one changes there."""
        grads, right = [_plain(grad) or 0.0 for grad in self.before], True
        for step in done(self.events):
            due, old = list(grads), grads[step.node]
            for one in graph.locals[step.node] if step.code == CALL else ():
                if one.node is not None:
                    due[one.node] += one.slope * old
            for node, number in step.changes:
                grads[node] = _plain(number) or 0.0
            right &= step.code != CALL or all(map(close, grads, due))
        return right


def _plain(number: Number | None) -> float | None:
    """Return a gradient as a number. Raises Unreadable for another object."""
    if number is None or number == "None":
        return None
    try:
        return float(number)
    except ValueError as error:
        raise Unreadable from error


def _graph(graph: TracedGraph, nodes: Sequence[int]) -> Graph:
    """Return these nodes, which are all below one of them, as a graph of their own."""
    place = {node: i for i, node in enumerate(nodes)}
    steps = tuple(_step(graph, node, place) for node in nodes)
    data = tuple(number_of(graph.data[node]) for node in nodes)
    slopes = tuple(tuple(_pairs(graph, node, place)) for node in nodes)
    return Graph("", tuple(graph.names[node] for node in nodes), steps, data, slopes=slopes)


def _step(graph: TracedGraph, node: int, place: dict[int, int]) -> Step:
    op: Any = graph.ops[node] or "leaf"  # other operations than those of Step, too
    return Step(op, tuple(place[o] if type(o) is int else number_of(o) for o in graph.operands[node]))


def _pairs(graph: TracedGraph, node: int, place: dict[int, int]) -> list[tuple[int, float]]:
    return [(place[one.node], one.slope) for one in graph.locals[node] if one.node is not None]


# --- Nodes that keep local gradients


def turned(
    events: Sequence[Noted], graph: TracedGraph, seen: Seen, before: Sequence[Number]
) -> list[Noted] | None:
    """Return the calls that changes of gradients stand for; None if a change is not a contribution of a kept pair.

    `before` are the gradients before these events, of nodes that keep local gradients and have no closures.
    """
    found = turns_of(
        Kept(
            _graph(graph, range(len(graph.ops))),
            [Event(e.code, e.node, number_of(e.value) if e.code == GRAD else None) for e in events],
            [0.0 if grad == "None" else number_of(grad) for grad in before],
            [[(i, number_of(slope)) for i, slope in kept or ()] for kept in seen.kept],
        )
    )
    return found and [Noted(e.code, e.node, shown(e.value or 0.0)) for e in found.events]


def by_reads(events: Iterable[Noted], graph: TracedGraph) -> list[Noted]:
    """Return the likely calls where contributions are wrong.

    A change of a child's gradient belongs to its only user, or to one whose gradient was read just before.
    """
    found: list[Noted] = []
    last = current = -1
    for event in events:
        if event.code == READ:
            last = event.node
        if event.code != GRAD:
            continue
        users = graph.users(event.node)
        node = last if last in users else users[0] if len(users) == 1 else -1
        if node >= 0 and node != current:
            found.append(Noted(CALL, node, None))
        found.append(event if node < 0 else event._replace(code=HANDED))
        current = node
    return found
