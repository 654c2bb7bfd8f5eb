"""Runs of walks over graphs, made from the jail's answers, which are validated first.

A walk that calls closures is a run of calls. If nodes keep local gradients, there are no calls: the order is read
from the changes of gradients, and each change is attributed to the node that handed it on.
"""

from __future__ import annotations

import functools
import json
import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from grader.autograd.walks.graphs import Graph, WalkOrder, closest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

    Gradient = float | None
    Kids = tuple[tuple[int, ...], ...]  # the children of each node, as a loop over them meets them
    Pairs = Sequence[Sequence[tuple[int, float]]]  # the same with local derivatives

CALL, GRAD, DATA, READ, CUT, CHANGED, HANDED, BACK, MARK = range(9)  # the codes of inside/recording.py
EARLIER, FOREIGN = -2, -1  # a node of a graph that was walked before; an object that is not a node


Place = Annotated[int, msgspec.Meta(ge=-2, le=400)]


class WalkEvent(NamedTuple):
    """Something that happened to a node in a walk; `value` is None if it is not a number. The codes are described in the jail's file."""

    code: int
    node: Place
    value: float | None


class WalkRun(msgspec.Struct, frozen=True):
    """One walk over one graph; `fair` are the gradients that a right walk leaves with the same rules.

    What a call has changed may follow it as HANDED.
    """

    graph: Graph
    events: tuple[WalkEvent, ...]
    before: tuple[Gradient, ...]
    after: tuple[Gradient, ...]
    fair: tuple[Gradient, ...]
    kids: Kids | None
    held: str = ""  # the attribute that holds the children, if it has the course's name
    counts: bool = False  # an extra call is wrong even if no gradient shows it
    hands: bool = False  # no calls: each node hands its gradient on in a loop over its children
    rules_right: bool = True  # False if a node may hand on wrong contributions
    # Children to which a node hands nothing.
    left_out: dict[int, tuple[int, ...]] = {}

    @property
    def calls(self) -> list[int]:
        """The inner nodes that were called, in order; a leaf's `_backward` changes nothing."""
        known = {*self.graph.inner, EARLIER}
        return [event.node for event in self.events if event.code == CALL and event.node in known]

    def seen(self) -> WalkOrder:
        """Return the order of the calls, to be compared with well-known ones."""
        return WalkOrder(self.graph, tuple(self.calls), self.kids, leaves=False)

    def is_right(self) -> bool:
        """Return True if the gradients are those of a right walk, the graph is whole and, if that counts, no call is too many."""
        if self.left(CUT) or self.left(CHANGED):
            return False
        alike = all(map(close, self.after, self.fair))
        return alike and (not self.counts or self.closest()[1] is None)

    def left(self, code: int) -> list[int]:
        """Return the inner nodes that the walk left without children (CUT), or with another `_backward` (CHANGED)."""
        return [event.node for event in self.events if event.code == code and event.node in self.graph.inner]

    def closest(self) -> tuple[list[int], int | None]:
        """Return the right order that is closest to the calls, and the first call that differs."""
        users = {node: self.graph.users(node) for node in self.graph.inner}
        return closest(self.calls, self.graph.inner[::-1], users.__getitem__)


def close(x: Gradient, y: Gradient) -> bool:
    """Return True for gradients that differ only by rounding; None counts as 0."""
    return math.isclose(x or 0.0, y or 0.0, rel_tol=1e-5, abs_tol=1e-9)


def right_gradients(graph: Graph, before: Sequence[Gradient], pairs: Pairs) -> tuple[Gradient, ...]:
    """Return the gradients that a right walk leaves on nodes that held these before."""
    found = [number or 0.0 for number in before]
    found[graph.root] = 1.0
    for node in reversed(graph.inner):
        for child, slope in pairs[node]:
            if child >= 0:
                found[child] += slope * found[node]
    return tuple(found)


# --- The jail's answers


HOLDERS = ("", "_prev", "_children")  # as inside/walks.py counts them
_Text = Annotated[str, msgspec.Meta(max_length=100)]
_Many = msgspec.Meta(max_length=400)
_Some = msgspec.Meta(max_length=20)
_Numbers = Annotated[list[float | None], _Some]
_Rows = Annotated[list[Annotated[list[Place], _Some]], _Some]
_Held = (
    tuple[Literal[0, 1, 2], _Rows] | None
)  # the holder, and the children of each node as a loop meets them
_Lists = Annotated[
    list[tuple[_Text, _Text, Annotated[list[Place], _Many]]], msgspec.Meta(min_length=2, max_length=2)
]


class ListAnswer(NamedTuple):
    """What a sort gave in two calls: the error that it raised, the type of what is no list, and the nodes of a list."""

    lists: _Lists
    kids: _Held


class WalkAnswer(NamedTuple):
    """What a walk did to the nodes of one graph.

    Of a student's own nodes also the gradients that a right walk leaves with the same rules, or the pairs that the nodes
    keep; and those after a second walk, which was not recorded, where it met children in the same order.
    """

    raised: _Text
    events: Annotated[list[WalkEvent], _Many]
    before: _Numbers
    after: _Numbers
    kids: _Held
    fair: _Numbers | None = None
    pairs: Annotated[list[Annotated[list[tuple[Place, float]], _Some]], _Some] | None = None
    free: _Numbers | None = None


def checked(answer: Any, of: Any, over: Sequence[Graph]) -> list[Any]:
    """Return the jail's answer, one for each graph. Raises ValueError for another format."""
    try:
        found = [json.loads(text) for text in msgspec.convert(answer, list[str])]
    except RecursionError as error:
        raise ValueError("an answer that is nested too deeply") from error
    answers: list[Any] = msgspec.convert(found, list[of])
    if len(answers) != len(over) or not all(map(_is_about, over, answers)):
        raise ValueError("an answer about other graphs")
    return answers


def _is_about(graph: Graph, seen: Any) -> bool:
    """Return True if an answer is about the nodes of this graph."""
    if seen is None:
        return True
    kids = seen.kids[1] if seen.kids else []
    rows, known = [kids] if kids else [], [child for row in kids for child in row]
    if isinstance(seen, ListAnswer):
        known += [place for _, _, places in seen.lists for place in places]
    else:
        rows += [
            row for row in (seen.before, seen.after, seen.fair, seen.pairs, seen.free) if row is not None
        ]
        known += [node for _, node, _ in seen.events]
        known += [child for row in seen.pairs or () for child, _ in row]
    return all(len(row) == len(graph.names) for row in rows) and max(known, default=0) < len(graph.names)


# --- Graphs for the jail


def plain_row(graph: Graph) -> list[Any]:
    """Return the name, the data and the pairs of each node."""
    return [[graph.names[i], graph.data[i], graph.pairs[i]] for i in graph.nodes]


def own_row(graph: Graph) -> list[Any]:
    """Return the operation and the operands of each node."""
    return [[step.op, *([x] if type(x) is int else x for x in step.operands)] for step in graph.steps]


# --- Runs


class WalkRuns(msgspec.Struct, frozen=True):
    """The runs of a walk over graphs, in one way: on plain nodes, by calls, or by the pairs that nodes keep.

    A run is None where nothing can be said about it.
    """

    raised: bool  # an error, which the message shows
    said: bool = False  # some node was called, or keeps pairs
    runs: Sequence[WalkRun | None] = ()
    kept: Sequence[Kept] = ()
    unread: bool = False  # some of the changes are not contributions of the kept pairs
    key: tuple[Hashable, ...] = ()  # what was read


def runs_of(way: Literal["plain", "calls", "pairs"], texts: Sequence[str], over: Sequence[Graph]) -> WalkRuns:
    """Return the runs in an answer of the jail. Raises ValueError."""
    answers = [*zip(over, checked(texts, WalkAnswer | None, over), strict=True)]
    if any(seen and seen.raised for _, seen in answers):
        return WalkRuns(raised=True)
    read = {"plain": _plain_run, "calls": _called_run, "pairs": _pairs_run}[way]
    runs = [seen and read(graph, seen) for graph, seen in answers]
    # The same without recording on some graph at least: children may be met in another order on most.
    if way != "plain" and not any(
        run and seen.free and run.graph.inner for run, (_, seen) in zip(runs, answers, strict=True)
    ):
        runs = [None for _ in runs]
    if way != "pairs":
        return WalkRuns(raised=False, said=any(run and run.calls for run in runs), runs=runs)
    said = any(seen and graph.inner for graph, seen in answers)
    kept = [_kept_of(graph, seen) for graph, seen in answers if seen]
    unread = said and any(seen and run is None for run, (_, seen) in zip(runs, answers, strict=True))
    return WalkRuns(False, said, runs, kept, unread)


def _run(
    graph: Graph,
    seen: WalkAnswer,
    events: Iterable[WalkEvent],
    fair: Sequence[Gradient],
    **more: Any,
) -> WalkRun:
    before, after = tuple(seen.before), tuple(seen.after)
    held = HOLDERS[seen.kids[0]] if seen.kids else ""
    return WalkRun(graph, tuple(events), before, after, tuple(fair), children_of(seen), held, **more)


def children_of(seen: WalkAnswer | ListAnswer) -> Kids | None:
    """Return the children of each node that are nodes of the graph."""
    return seen.kids and tuple(tuple(child for child in row if child >= 0) for row in seen.kids[1])


def _plain_run(graph: Graph, seen: WalkAnswer) -> WalkRun:
    return _run(
        graph, seen, _followed(graph, seen), right_gradients(graph, seen.before, graph.pairs), counts=True
    )


def _followed(graph: Graph, seen: WalkAnswer) -> Iterator[WalkEvent]:
    """Yield the events without those that change no gradient below the root."""
    grads = [number or 0.0 for number in seen.before]
    for event in seen.events:
        code, node, value = event
        old = grads[node]
        if node >= 0 and code == CALL:
            for child, slope in graph.pairs[node]:
                grads[child] += slope * grads[node]
        if node >= 0 and code == GRAD:
            grads[node] = value or 0.0
        if not (0 <= node != graph.root and code == GRAD and close(old, value)):
            yield event


def _called_run(graph: Graph, seen: WalkAnswer) -> WalkRun | None:
    """Return the run; None if the recording changes the walk, or if it does not use the `_backward` of the nodes."""
    fair = seen.fair or ()
    if not all(map(close, seen.after, seen.free or ())):
        return None
    rules_right = all(map(close, fair, right_gradients(graph, seen.before, graph.pairs)))
    made = _run(graph, seen, seen.events, fair, rules_right=rules_right)
    others = not all(map(close, seen.after[:-1], seen.before[:-1]))
    return None if others and not made.calls else made


def _pairs_run(graph: Graph, seen: WalkAnswer) -> WalkRun | None:
    """Return the run; None if the recording changes the walk, or if changes are not contributions of the kept pairs."""
    kept = _kept_of(graph, seen)
    turns, ends = turns_of(kept), list(seen.before)
    for change in _changes(kept):
        ends[change.node] = change.new
    if (
        turns is None
        or not all(map(close, seen.after, seen.free or ()))
        or not all(map(close, seen.after, ends))
    ):
        return None
    apart = [event for event in seen.events if event.code in {CUT, CHANGED}]
    fair = right_gradients(graph, seen.before, kept.pairs)
    cleared = right_gradients(graph, [0.0] * len(ends), kept.pairs)
    fair = cleared if all(map(close, seen.after, cleared)) else fair
    return _run(graph, seen, [*turns[0], *apart], fair, hands=True, left_out=turns[1])


def _kept_of(graph: Graph, seen: WalkAnswer) -> Kept:
    return Kept(graph, seen.events, seen.before, seen.pairs or ())


# --- Nodes that keep local gradients


class Kept(NamedTuple):
    """One walk over nodes with local gradients: every access to a gradient, and the pairs of each node."""

    graph: Graph
    events: Sequence[WalkEvent]
    before: Sequence[Gradient]
    pairs: Pairs


class _Change(NamedTuple):
    """A gradient that was set: old and new value, all gradients at that moment, and the reads since the last change."""

    node: int
    old: float
    new: float
    grads: Sequence[float]
    reads: Sequence[int]


def turns_of(kept: Kept) -> tuple[list[WalkEvent], dict[int, tuple[int, ...]]] | None:
    """Return the walk as calls, one at the first contribution of each turn of a node; None if a change is no contribution.

    Also return the children to which a node handed nothing.
    """
    events: list[WalkEvent] = []
    served: dict[int, set[int]] = {}
    current, used = -1, set[int]()
    for change in _changes(kept):
        found = _contributor(kept, change, current, used)
        if found is None:
            known = change.new == change.old or any(_near(change.new, x) for x in (0.0, 1.0))
            if change.node != kept.graph.root and not known:
                return None
            harmless = current >= 0 and not change.new and change.old == (kept.before[change.node] or 0.0)
            if change.node == kept.graph.root or (change.new != change.old and not harmless):
                events.append(WalkEvent(GRAD, change.node, change.new))
            continue
        node, place = found
        if node != current or place in used:
            events.append(WalkEvent(CALL, node, change.grads[node]))
            current, used = node, set()
        events.append(WalkEvent(HANDED, change.node, change.new))
        used.add(place)
        served.setdefault(node, set()).add(place)
    left: dict[int, tuple[int, ...]] = {}
    for node, places in served.items():
        given = {-1} | {kept.pairs[node][place][0] for place in places}
        if children := tuple(dict.fromkeys(child for child, _ in kept.pairs[node] if child not in given)):
            left[node] = children
    return events, left


def _changes(kept: Kept) -> Iterator[_Change]:
    """Yield every gradient that was set, in order."""
    grads = [number or 0.0 for number in kept.before]
    reads: list[int] = []
    for event in kept.events:
        if event.node < 0:
            continue
        if event.code == READ:
            reads.append(event.node)
        elif event.code == GRAD:
            new = event.value or 0.0
            yield _Change(event.node, grads[event.node], new, tuple(grads), tuple(reads))
            grads[event.node], reads = new, []


def _contributor(
    kept: Kept, change: _Change, current: int = -1, used: Collection[int] = ()
) -> tuple[int, int] | None:
    """Return the node that handed this on, and the index of its pair; in the `current` turn one that is not `used`."""
    fits = [
        (node, place)
        for node, place, slope in _users(kept, change.node)
        if _near(change.new, change.old + slope * change.grads[node])
    ]
    recent = [node for node in reversed(change.reads) if any(node == fit[0] for fit in fits)]
    new = [fit for fit in fits if fit[0] == current and fit[1] not in used]
    if change.new == change.old and not recent:  # perhaps nothing was handed on
        return next(iter(new), None)
    fits = [fit for fit in fits if not recent or fit[0] == recent[0]]
    return next(iter([fit for fit in fits if fit in new] or fits), None)


def _users(kept: Kept, child: int) -> Iterator[tuple[int, int, float]]:
    for node in kept.graph.users(child):
        for place, (other, slope) in enumerate(kept.pairs[node]):
            if other == child:
                yield node, place, slope


def _near(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)


# --- Loops with a wrong contribution


_OWN = "own"
# A statement, what `local` means in it, and the new gradient of a child from what there is at that moment: the gradients and
# data of child and node, and the local gradient of this pair, of the first one, and of the one in the opposite place.
_FORMULAS: tuple[tuple[str, str, Callable[[Any], float] | None], ...] = (
    ("{child}.grad = local * {node}.grad", _OWN, lambda c: c.local * c.node),
    ("{child}.grad += local", _OWN, lambda c: c.child + c.local),
    ("{child}.grad += {node}.grad", "", lambda c: c.child + c.node),
    ("{child}.grad += local + {node}.grad", _OWN, lambda c: c.child + c.local + c.node),
    ("{child}.grad -= local * {node}.grad", _OWN, lambda c: c.child - c.local * c.node),
    ("{child}.grad *= local * {node}.grad", _OWN, lambda c: c.child * c.local * c.node),
    ("{child}.grad += local * {child}.grad", _OWN, lambda c: c.child + c.local * c.child),
    ("{child}.grad += {child}.data * {node}.grad", "", lambda c: c.child + c.child_data * c.node),
    (
        "{child}.grad += local * {child}.data * {node}.grad",
        _OWN,
        lambda c: c.child + c.local * c.child_data * c.node,
    ),
    (
        "{child}.grad += local * {node}.data * {node}.grad",
        _OWN,
        lambda c: c.child + c.local * c.node_data * c.node,
    ),
    ("{child}.grad += local * {node}.data", _OWN, lambda c: c.child + c.local * c.node_data),
    (
        "{child}.grad += local * {node}.grad",
        "first",
        lambda c: c.child + c.first * c.node,
    ),
    (
        "{child}.grad += local * {node}.grad",
        "turned",
        lambda c: c.child + c.turned * c.node,
    ),
    ("{node}.grad += local * {child}.grad", _OWN, None),  # takes from the child
)
_ENOUGH = 10  # changes that only this formula explains


class Loop(NamedTuple):
    """A statement over `{child}` and `{node}`, and the first pair for which it does something wrong.

    `local` says which local gradient the word means, if the statement has it.
    """

    does: str
    local: str
    graph: Graph
    node: int
    child: int
    first: int  # the first child that the node keeps


def formula_of(runs: Sequence[Kept]) -> Loop | None:
    """Return the one statement that explains every change of all runs, else None."""
    changes = [(kept, change) for kept in runs for change in _changes(kept)]
    found = [
        Loop(does, local, *place)
        for does, local, formula in _FORMULAS
        if (place := _explains(changes, functools.partial(_fits, formula) if formula else _fits_node))
    ]
    return found[0] if len(found) == 1 else None


def _explains(
    changes: Sequence[tuple[Kept, _Change]], fits: Callable[[Kept, _Change], tuple[int, int] | None]
) -> tuple[Graph, int, int, int] | None:
    """Return the first pair of a second child at which only this statement explains a change; None if it does not explain all."""
    alone: list[tuple[Graph, int, int, int]] = []
    for kept, change in changes:
        if pair := fits(kept, change):
            if _contributor(kept, change) is None and not _is_set(kept, change):
                alone.append((kept.graph, *pair, kept.pairs[pair[0]][0][0]))
        elif change.new != change.old and not _is_set(kept, change):
            return None
    return next((one for one in alone if 0 <= one[3] != one[2]), None) if len(alone) >= _ENOUGH else None


def _is_set(kept: Kept, change: _Change) -> bool:
    """Return True if the change may be the seed, or a gradient that is cleared before the walk."""
    return change.new == 0.0 or (change.node == kept.graph.root and change.new == 1.0)


def _fits(formula: Callable[[Any], float], kept: Kept, change: _Change) -> tuple[int, int] | None:
    """Return the node and the child of a pair for which the formula makes this change."""
    data = kept.graph.data
    for node, place, slope in _users(kept, change.node):
        numbers = [number for _, number in kept.pairs[node]]
        case = SimpleNamespace(
            child=change.old, child_data=data[change.node], node=change.grads[node], node_data=data[node],
            local=slope, first=numbers[0], turned=numbers[::-1][place],
        )  # fmt: skip
        if _near(change.new, formula(case)):
            return node, change.node
    return None


def _fits_node(kept: Kept, change: _Change) -> tuple[int, int] | None:
    """Return a node and its child, if the node took from this child instead of handing on to it."""
    for child, slope in kept.pairs[change.node][::-1]:
        if child >= 0 and _near(change.new, change.old + slope * change.grads[child]):
            return change.node, child
    return None
