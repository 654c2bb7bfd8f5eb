"""Runs of walks over graphs, made from the jail's answers, which are validated first.

A walk that calls closures is a run of calls. If nodes keep local gradients, there are no calls: the order is read
from the changes of gradients, and each change is attributed to the node that handed it on.
"""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from grader.autograd.walks.graphs import Graph, WalkOrder, closest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    Gradient = float | None
    Kids = tuple[tuple[int, ...], ...]  # the children of each node, as a loop over them meets them
    Pairs = Sequence[Sequence[tuple[int, float]]]  # the same with local derivatives

CALL, GRAD, DATA, READ, CUT, CHANGED, HANDED, BACK, MARK = range(9)  # the codes of inside/recording.py
EARLIER, FOREIGN = -2, -1  # a node of a graph that was walked before; an object that is not a node


class WalkEvent(NamedTuple):
    """Something that happened to a node in a walk; `value` is None if it is not a number. The codes are described in the jail's file."""

    code: int
    node: int
    value: Gradient


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


class SortResult(NamedTuple):
    """A sort's result for the root of a graph: the type of a result that is not a list, and the nodes of a list."""

    kind: str
    nodes: tuple[int, ...]


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
_Place = Annotated[int, msgspec.Meta(ge=-2, le=100)]
_Raised = Annotated[str, msgspec.Meta(max_length=100)]
_Many = msgspec.Meta(max_length=400)
_Some = msgspec.Meta(max_length=20)
_Numbers = Annotated[list[float | None], _Some]
_Kids = tuple[Literal[0, 1, 2], Annotated[list[Annotated[list[_Place], _Some]], _Some]]
_Pairs = Annotated[list[Annotated[list[tuple[_Place, float]], _Some]], _Some]
_Events = Annotated[list[tuple[int, _Place, float | None]], _Many]
_Lists = Annotated[
    list[tuple[_Raised, _Raised, Annotated[list[_Place], _Many]]], msgspec.Meta(min_length=2, max_length=2)
]
SORTED = tuple[_Lists, _Kids | None]
WALKED = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None]
CALLED = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None, _Numbers, _Numbers | None]
HANDED_ON = tuple[_Raised, _Events, _Numbers, _Numbers, _Kids | None, _Pairs, _Numbers | None]


_DECODER = json.JSONDecoder(parse_constant=float)  # a new NaN each time: one and the same would equal itself


def checked(answer: Any, of: Any, some: Sequence[Graph]) -> list[Any]:
    """Return the runs in an answer of the jail, one for each graph. Raises ValueError for another format."""
    try:
        decoded = [_DECODER.decode(text) for text in msgspec.convert(answer, list[str])]
    except RecursionError as error:
        raise ValueError("an answer that is nested too deeply") from error
    runs: list[Any] = msgspec.convert(decoded, list[of | None])
    if len(runs) != len(some) or not all(map(_is_about, some, runs)):
        raise ValueError("an answer about other graphs")
    return runs


def _is_about(graph: Graph, run: Any) -> bool:
    """Return True if a run is about the nodes of this graph."""
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


def _held(kids: tuple[int, list[list[int]]] | None) -> str:
    return HOLDERS[kids[0]] if kids else ""


def _kids(kids: tuple[int, list[list[int]]] | None) -> tuple[tuple[int, ...], ...] | None:
    """Return the children of each node that are nodes of the graph."""
    return None if kids is None else tuple(tuple(child for child in row if child >= 0) for row in kids[1])


def listed(run: Any) -> tuple[SortResult, SortResult]:
    """Return the lists that a sort gave in its two calls."""
    lists, _ = run
    first, second = (SortResult(kind, tuple(places)) for _, kind, places in lists)
    return first, second


def seen_list(graph: Graph, run: Any) -> WalkOrder:
    lists, kids = run
    return WalkOrder(graph, tuple(lists[0][2][::-1]), _kids(kids), leaves=True)


def plain_run(graph: Graph, run: Any) -> WalkRun:
    _, events, before, after, kids = run
    slopes = [graph.pairs(node) for node in range(len(graph.names))]
    fair = right_gradients(graph, before, slopes)
    followed = tuple(_followed(graph, [WalkEvent(*event) for event in events], before))
    return WalkRun(graph, followed, tuple(before), tuple(after), fair, _kids(kids), _held(kids), counts=True)


def _followed(
    graph: Graph, events: Iterable[WalkEvent], before: Sequence[float | None]
) -> Iterable[WalkEvent]:
    """Yield the events without those that change no gradient below the root."""
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


def called_run(graph: Graph, run: Any) -> WalkRun | None:
    """Return the run; None if the recording changes the walk, or if it does not use the `_backward` of the nodes."""
    _, events, before, after, kids, fair, free = run
    if free is not None and not all(map(close, after, free)):
        return None
    usual = right_gradients(graph, before, [graph.pairs(node) for node in range(len(graph.names))])
    made = WalkRun(
        graph, tuple(WalkEvent(*event) for event in events), tuple(before), tuple(after), tuple(fair),
        _kids(kids), _held(kids), rules_right=all(map(close, fair, usual)),
    )  # fmt: skip
    others = any(not close(x, y) for x, y in zip(after[:-1], before[:-1], strict=True))
    return None if others and not made.calls else made


def kept_of(graph: Graph, run: Any) -> Kept:
    _, events, before, _, _, pairs, _ = run
    return Kept(
        graph, [WalkEvent(*event) for event in events], before, [list(map(tuple, row)) for row in pairs]
    )


def pairs_run(graph: Graph, run: Any) -> WalkRun | None:
    """Return the run; None if the recording changes the walk, or if changes are not contributions of the kept pairs."""
    _, _, before, after, kids, _, free = run
    kept = kept_of(graph, run)
    turns, apart = turns_of(kept), [event for event in kept.events if event.code in (CUT, CHANGED)]
    ends = _last(kept)
    if turns is None or not all(map(close, after, free or after)) or not all(map(close, after, ends)):
        return None
    fair = right_gradients(graph, before, kept.pairs)
    cleared = right_gradients(graph, [0.0] * len(before), kept.pairs)
    return WalkRun(
        graph, (*turns.events, *apart), tuple(before), tuple(after), cleared if all(map(close, after, cleared)) else fair,
        _kids(kids), _held(kids), hands=True, left_out=turns.left_out,
    )  # fmt: skip


def _last(kept: Kept) -> list[float | None]:
    """Return the gradients after all recorded changes."""
    grads = list(kept.before)
    for event in kept.events:
        if event.node >= 0 and event.code == GRAD:
            grads[event.node] = event.value
    return grads


# --- Nodes that keep local gradients


class Kept(NamedTuple):
    """One walk over nodes with local gradients: every access to a gradient, and the pairs of each node."""

    graph: Graph
    events: Sequence[WalkEvent]
    before: Sequence[Gradient]
    pairs: Pairs


class TurnCalls(NamedTuple):
    """The same walk as calls: one at the first contribution of each turn of a node."""

    events: list[WalkEvent]
    left_out: dict[int, tuple[int, ...]]  # children to which a node handed nothing


class _Change(NamedTuple):
    """A gradient that was set: old and new value, all gradients at that moment, and the reads since the last change."""

    node: int
    old: float
    new: float
    grads: Sequence[float]
    reads: Sequence[int]


def turns_of(kept: Kept) -> TurnCalls | None:
    """Return the walk as turns; None if a change is not a contribution of a node to its child."""
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
    left = {node: _unserved(kept.pairs[node], places) for node, places in served.items()}
    return TurnCalls(events, {node: children for node, children in left.items() if children})


def _unserved(pairs: Sequence[tuple[int, float]], places: set[int]) -> tuple[int, ...]:
    """Return the children to which nothing was handed at any of their places."""
    served = {child for i, (child, _) in enumerate(pairs) if i in places}
    return tuple(dict.fromkeys(child for child, _ in pairs if child >= 0 and child not in served))


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


class _Case(NamedTuple):
    """One pair at one moment: gradient and data of child and node, and the local gradients of this and other pairs."""

    child: float
    child_data: float
    node: float
    node_data: float
    local: float
    first: float
    turned: float


_OWN = "own"
_FORMULAS: tuple[tuple[str, str, Callable[[_Case], float]], ...] = (
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
)
_WRITES_NODE = ("{node}.grad += local * {child}.grad", _OWN)
_ENOUGH = 10  # changes that only this formula explains


class Loop(NamedTuple):
    """A statement over `{child}` and `{node}`, and the first pair for which it does something wrong.

    `local` says which local gradient the word means, if the statement has it.
    """

    does: str
    local: str
    at: _Pair


class _Pair(NamedTuple):
    graph: Graph
    node: int
    child: int
    first: int  # the first child that the node keeps


def formula_of(runs: Sequence[Kept]) -> Loop | None:
    """Return the one statement that explains every change of all runs, else None."""
    changes = [(kept, change) for kept in runs for change in _changes(kept)]
    found = [
        Loop(does, local, place)
        for does, local, formula in _FORMULAS
        if (place := _explains(changes, functools.partial(_fits, formula)))
    ]
    if place := _explains(changes, _fits_node):
        found.append(Loop(*_WRITES_NODE, place))
    return found[0] if len(found) == 1 else None


def _explains(
    changes: Sequence[tuple[Kept, _Change]], fits: Callable[[Kept, _Change], tuple[int, int] | None]
) -> _Pair | None:
    """Return the first pair of a second child at which only this statement explains a change; None if it does not explain all."""
    alone: list[_Pair] = []
    for kept, change in changes:
        if pair := fits(kept, change):
            if _contributor(kept, change) is None and not _is_set(kept, change):
                alone.append(_Pair(kept.graph, *pair, kept.pairs[pair[0]][0][0]))
        elif change.new != change.old and not _is_set(kept, change):
            return None
    if len(alone) < _ENOUGH:
        return None
    return next((one for one in alone if 0 <= one.first != one.child), None)


def _is_set(kept: Kept, change: _Change) -> bool:
    """Return True if the change may be the seed, or a gradient that is cleared before the walk."""
    return change.new == 0.0 or (change.node == kept.graph.root and change.new == 1.0)


def _fits(formula: Callable[[_Case], float], kept: Kept, change: _Change) -> tuple[int, int] | None:
    """Return the node and the child of a pair for which the formula makes this change."""
    graph = kept.graph
    for node, place, slope in _users(kept, change.node):
        numbers = [number for _, number in kept.pairs[node]]
        case = _Case(
            change.old, graph.data[change.node], change.grads[node], graph.data[node],
            slope, numbers[0], numbers[::-1][place],
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
