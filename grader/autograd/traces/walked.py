"""The walks of a test: its requests and what they did, and each walk as a run, which walks/findings.py reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.engine import COURSE
from grader.autograd.facts import WalkFact
from grader.autograd.traces.graph import number_of
from grader.autograd.walks.findings import first_wrong
from grader.autograd.walks.runs import (
    BACK,
    CALL,
    EARLIER,
    GRAD,
    HANDED,
    MARK,
    Kept,
    Noted,
    WalkEvent,
    WalkRun,
    close,
    right_gradients,
    turns_of,
)
from grader.autograd.words import walk_sentence
from grader.autograd.words.own import in_names
from grader.report import TraceStep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from grader.autograd.engine import EngineNames
    from grader.autograd.traces.graph import GraphSnapshot, Number, TracedGraph
    from grader.autograd.walks.runs import NodeTurns


class WalkRequest(NamedTuple):
    """A request of the test that may walk: it sets a gradient, calls a `_backward`, or calls another function.

    `node` is the index of the node: whose gradient, whose `_backward`, or the root of the walk; None if it is no node.
    `name` is that of the attribute or function.
    """

    kind: str  # "set", "rule" or "walk"
    node: int | None
    name: str


def done(events: Iterable[Noted | WalkEvent]) -> list[TraceStep]:
    """Return the calls, each with the gradients that it changed, and the gradients that were set, in order.

    Raises IndexError for a change without its call.
    """
    found, running = list[TraceStep](), list[TraceStep]()
    for event in events:
        value = "None" if event.value is None else event.value
        if event.code in {CALL, GRAD}:
            found.append(TraceStep("call" if event.code == CALL else "set", event.node, []))
            running += found[-1:] if event.code == CALL else []
        if event.code == BACK:
            del running[-1:]
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


# --- Runs


class Recorded(NamedTuple):
    """One walk: the name of the function, the nodes of its run, and True if the run says what has happened.

    A test that calls each `_backward` in a student's order has no name for it.
    """

    name: str
    nodes: list[int]
    run: WalkRun
    clear: bool

    def words(self, engine: EngineNames = COURSE) -> str:
        """Return the sentence about the first fault, in an engine's names; empty if the walk is right or nothing is known."""
        seeded = bool(self.name) or self.run.before[-1] == 1.0  # else the test has seeded in its own way
        found = first_wrong(self.run, self.name) if self.clear and seeded else None
        fact = found and in_names(found.fact.fact(), engine)
        return walk_sentence(WalkFact.read(fact)) if fact else ""


def recorded(
    name: str,
    graph: TracedGraph,
    root: int,
    before: Sequence[Number],
    events: Sequence[Noted | WalkEvent],
    *,
    earlier: Collection[int] = (),
    hands: bool = False,
) -> Recorded:
    """Return the walk below `root`, which began with the gradients `before`; `earlier` are nodes of walks before."""
    nodes = graph.below([root])
    place, part = {node: i for i, node in enumerate(nodes)}, graph.part(nodes)
    start = [_plain(before[node]) for node in nodes]
    mine = [
        WalkEvent(event.code, place.get(event.node, EARLIER), _plain(event.value))
        for event in events
        if event.node in place or (event.code == CALL and event.node in earlier)
    ]
    texts = {each for each in [*before, *(event.value for event in events)] if isinstance(each, str)}
    after, due, clear = list(start), [number or 0.0 for number in start], texts <= {"None"}
    for code, node, value in mine:
        if code in (GRAD, HANDED):
            after[node] = value
        if code == GRAD:
            due[node] = value or 0.0
        if code == CALL and node != EARLIER:
            clear &= close(value, after[node])  # else something changed that is not among the events
            for child, slope in part.pairs[node]:
                due[child] += slope * due[node]
    fair = right_gradients(part, start, part.pairs)
    run = WalkRun(
        part, tuple(mine), tuple(start), tuple(after), fair, None,
        counts=True, hands=hands, rules_right=all(map(close, after, due)),
    )  # fmt: skip
    return Recorded(name, nodes, run, clear)


def _plain(number: Number | None) -> float | None:
    return None if number in (None, "None") else number_of(number)


# --- Nodes that keep local gradients


def turned(
    events: Sequence[Noted], graph: TracedGraph, seen: GraphSnapshot, before: Sequence[Number]
) -> NodeTurns:
    """Return the calls that changes of gradients stand for, of nodes that keep local gradients and have no closures.

    `before` are the gradients before these events.
    """
    whole = graph.part(range(len(graph.ops)))
    pairs = [[(i, number_of(slope)) for i, slope in kept or ()] for kept in seen.kept]
    return turns_of(Kept(whole, events, [*map(_plain, before)], pairs))
