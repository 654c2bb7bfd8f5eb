"""Runs of walks over graphs, from the validated replies of the jail.

A walk that calls closures is a run of calls. If nodes keep local gradients, there are no calls: the order is read
from the changes of gradients, and each change is attributed to the node that handed it on.
"""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from grader.autograd.walks.graphs import Graph, closest, graphs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    Gradient = float | None
    Kids = tuple[tuple[int, ...], ...]  # the children of each node, as a loop over them meets them
    Pairs = Sequence[Sequence[tuple[int, float]]]  # the same with local derivatives

CALL, GRAD, READ, CUT, CHANGED, HANDED, BACK, MARK = range(8)  # the codes of inside/recording.py
ROUNDING = 1e-9  # of doubles near 0
EARLIER, FOREIGN = -2, -1  # a node of a graph that was walked before; an object that is not a node


Place = Annotated[int, msgspec.Meta(ge=-2, le=400)]


class WalkEvent(NamedTuple):
    """An event of a node in a walk; `value` is None if it is not a number. inside/recording.py describes the codes."""

    code: int
    node: Place
    value: float | None


class TracedEvent(NamedTuple):
    """An event in a test, with its number as shown: a text for anything that is not a finite number."""

    code: int
    node: int
    value: float | str | None


class WalkRun(msgspec.Struct, frozen=True):
    """One walk over one graph; `fair` are the gradients after a right walk with the same rules.

    With `pairs` there are no calls: each node hands its gradient on in a loop over the children and local gradients that
    it keeps. Then `noted` has every access to a gradient, and `events` the calls that these stand for (`turned`). The
    changes of a call may follow it as HANDED.
    """

    graph: Graph
    events: Sequence[Any]  # a WalkEvent, or Noted in a test
    before: Sequence[Gradient]
    after: Sequence[Gradient] = ()
    fair: Sequence[Gradient] = ()
    kids: Kids | None = None
    held: str = ""  # the attribute that holds the children, if it has the course's name
    counts: bool = False  # an extra call is wrong even if no gradient shows it
    pairs: Pairs = ()
    noted: Sequence[Any] = ()
    rules_right: bool = True  # False if a node may hand on wrong contributions
    known: bool = True  # False if the events do not explain the gradients
    left_out: dict[int, tuple[int, ...]] = {}  # children to which a node hands nothing

    @property
    def calls(self) -> list[int]:
        """The inner nodes that were called, in order; a leaf's `_backward` changes nothing."""
        known = {*self.graph.inner, EARLIER}
        return [event.node for event in self.events if event.code == CALL and event.node in known]

    def is_right(self) -> bool:
        """Return True if the gradients are right, the graph is whole and, if it counts, no call is too many."""
        whole = not (self.nodes_without(CUT) or self.nodes_without(CHANGED)) and all(
            map(close, self.after, self.fair)
        )
        return whole and (not self.counts or self.closest()[1] is None)

    def nodes_without(self, code: int) -> list[int]:
        """Return the inner nodes that the walk left without children (CUT), or with another `_backward` (CHANGED)."""
        return [event.node for event in self.events if event.code == code and event.node in self.graph.inner]

    def closest(self) -> tuple[list[int], int | None]:
        """Return the right order that is closest to the calls, and the first call that differs."""
        users = {node: self.graph.users(node) for node in self.graph.inner}
        return closest(self.calls, self.graph.inner[::-1], users.__getitem__)


def close(x: Gradient, y: Gradient, rounding: float = ROUNDING) -> bool:
    """Return True for gradients that differ by `rounding` or a hundred-thousandth; None counts as 0."""
    return math.isclose(x or 0.0, y or 0.0, rel_tol=1e-5, abs_tol=rounding)


def right_gradients(before: Sequence[Gradient], pairs: Pairs) -> tuple[Gradient, ...]:
    """Return the gradients after a right walk over nodes with these gradients before; the root is last.

    >>> right_gradients([0.0, 0.0, 0.0], [(), ((0, 3.0),), ((0, 2.0), (1, 4.0))])
    (14.0, 4.0, 1.0)
    """
    found = [*(number or 0.0 for number in before[:-1]), 1.0]
    for node in reversed(range(len(pairs))):
        for child, slope in pairs[node]:
            if child >= 0:
                found[child] += slope * found[node]
    return tuple(found)


# --- The jail's replies


HOLDERS = ("", "_prev", "_children")  # as inside/walks.py counts them
_Text = Annotated[str, msgspec.Meta(max_length=100)]
_Many = msgspec.Meta(max_length=400)
_Some = msgspec.Meta(max_length=20)
_Numbers = Annotated[list[float | None], _Some]
_Rows = Annotated[list[Annotated[list[Place], _Some]], _Some]
_Held = (
    tuple[Literal[0, 1, 2], _Rows] | None
)  # the holder, and the children of each node as a loop meets them
_List = tuple[_Text, _Text, Annotated[list[Place], _Many]]


class ListReply(NamedTuple):
    """The results of a sort in two calls: its error, the type of a result that is not a list, and the nodes of a list."""

    lists: tuple[_List, _List]
    kids: _Held


class _WalkReply(NamedTuple):
    """A walk over the nodes of one graph, as the jail noted it.

    It has either `fair`, the gradients after a right walk with the same rules, or `pairs`, which the nodes keep. `free` are
    the gradients after a second walk without recording, if it met children in the same order.
    """

    raised: _Text
    events: Annotated[list[WalkEvent], _Many]
    before: _Numbers
    after: _Numbers
    kids: _Held
    fair: _Numbers | None = None
    pairs: Annotated[list[Annotated[list[tuple[Place, float]], _Some]], _Some] | None = None
    free: _Numbers | None = None


def read_replies(texts: Any, of: Any, over: Sequence[Graph]) -> list[Any]:
    """Return the jail's reply, one for each graph. Raises ValueError for another format."""
    try:
        found = [json.loads(text) for text in msgspec.convert(texts, list[str])]
    except RecursionError as error:
        raise ValueError("a reply that is nested too deeply") from error
    replies: list[Any] = msgspec.convert(found, list[of])
    if len(replies) != len(over) or not all(map(_is_about, over, replies)):
        raise ValueError("a reply about other graphs")
    return replies


def _is_about(graph: Graph, seen: Any) -> bool:
    """Return True if a reply is about the nodes of this graph."""
    if seen is None:
        return True
    kids = seen.kids[1] if seen.kids else []
    rows, known = [kids] if kids else [], [child for row in kids for child in row]
    if isinstance(seen, ListReply):
        known += [place for _, _, places in seen.lists for place in places]
    else:
        known += [node for _, node, _ in seen.events] + [
            child for row in seen.pairs or () for child, _ in row
        ]
        numbers = (seen.before, seen.after, seen.fair, seen.pairs, seen.free)
        rows += [row for row in numbers if row is not None]
    return all(len(row) == len(graph.names) for row in rows) and max(known, default=0) < len(graph.names)


# --- Runs


@functools.lru_cache(400)
def runs_of(texts: tuple[str, ...], *, sums: bool, plain: bool) -> list[WalkRun] | None:
    """Return the runs over the first graphs in a reply of the jail; None if a walk raised an error. Raises ValueError.

    The cache serves all students of a class.
    """
    over = graphs(sums=sums)[: len(texts)]
    found = zip(over, read_replies(texts, _WalkReply | None, over), strict=True)
    answers: list[tuple[Graph, _WalkReply]] = [(graph, seen) for graph, seen in found if seen]
    if any(seen.raised for _, seen in answers):
        return None
    runs = [_run_of(graph, seen, plain=plain) for graph, seen in answers]
    # On at least one graph a walk without recording must give the same: on most, it may meet children in another order.
    told = (run.known and seen.free and run.graph.inner for run, (_, seen) in zip(runs, answers, strict=True))
    return runs if any(told) else [replace(run, known=False) for run in runs]


def children_of(seen: _WalkReply | ListReply) -> Kids | None:
    """Return the children of each node that are nodes of the graph."""
    return seen.kids and tuple(tuple(child for child in row if child >= 0) for row in seen.kids[1])


def _run_of(graph: Graph, seen: _WalkReply, *, plain: bool) -> WalkRun:
    """Return a run on plain nodes, by calls, or by the pairs that nodes keep.

    It is not `known` if the recording changes the walk, or if gradients change in another way than by the `_backward` of
    nodes or by contributions of kept pairs.
    """
    due = right_gradients(seen.before, seen.pairs or graph.pairs)
    fair, same = seen.fair or due, all(map(close, seen.after, seen.free or ()))
    run = WalkRun(
        graph, seen.events, seen.before, seen.after, fair, children_of(seen),
        held=HOLDERS[seen.kids[0]] if seen.kids else "", counts=plain, pairs=seen.pairs or (),
        rules_right=all(map(close, fair, due)), known=same,
    )  # fmt: skip
    if seen.pairs:
        ends = {
            **dict(enumerate(seen.before)),
            **{change.event.node: change.new for change in changes_of(run)},
        }
        cleared = right_gradients([0.0] * len(due), seen.pairs)
        fair = cleared if all(map(close, seen.after, cleared)) else due
        return calls_at_turns(
            replace(run, fair=fair, known=same and all(map(close, seen.after, ends.values())))
        )
    others = seen.fair and not all(map(close, seen.after[:-1], seen.before[:-1]))
    return replace(run, known=same and not (others and not run.calls))


# --- Nodes that keep local gradients


class Change(NamedTuple):
    """A gradient that was set: old and new value, all gradients at that moment, and the reads since the last change."""

    event: WalkEvent | TracedEvent
    old: float
    new: float
    grads: Sequence[float]
    reads: Sequence[int]


def calls_at_turns(run: WalkRun) -> WalkRun:
    """Return a run with a call at the first contribution of each turn of a node; it is not `known` if some are only likely.

    A change that is not a contribution belongs to a node whose gradient was read just before.
    """
    events = list[Any]()
    served: dict[int, set[int]] = {}
    current, used, exact = -1, set[int](), True
    for change in changes_of(run):
        found, root = contributor(run, change, current, used), change.event.node == run.graph.root
        known = root or any(near(change.new, x) for x in (0.0, 1.0))
        if not (found or known or (exact and change.new == change.old)):
            exact, found = False, contributor(run, change, current, used, likely=True)
        if found is None:
            harmless = (
                current >= 0 and not change.new and change.old == (run.before[change.event.node] or 0.0)
            )
            if root or (change.new != change.old and not harmless):
                events.append(change.event)
            continue
        node, place = found
        if node != current or place in used:
            events.append(WalkEvent(CALL, node, change.grads[node]))
            current, used = node, set()
        events.append(change.event._replace(code=HANDED))
        used.add(place)
        served.setdefault(node, {-1}).add(change.event.node)
    events += [event for event in run.events if event.code in {CUT, CHANGED}]
    left_out = {
        node: tuple(dict.fromkeys(child for child, _ in run.pairs[node] if child not in given))
        for node, given in served.items()
    }
    return replace(run, events=events, noted=run.events, left_out=left_out, known=run.known and exact)


def changes_of(run: WalkRun) -> Iterator[Change]:
    """Yield every gradient that was set, in order; NaN stands for a text."""
    grads = [number or 0.0 for number in run.before]
    reads: list[int] = []
    for event in run.noted or run.events:
        if event.node >= 0 and event.code == READ:
            reads.append(event.node)
        elif event.node >= 0 and event.code == GRAD:
            new = math.nan if isinstance(event.value, str) else event.value or 0.0
            yield Change(event, grads[event.node], new, tuple(grads), tuple(reads))
            grads[event.node], reads = new, []


def contributor(
    run: WalkRun, change: Change, current: int = -1, used: Collection[int] = (), *, likely: bool = False
) -> tuple[int, int] | None:
    """Return the node that made this change, and the index of its pair; in the `current` turn, a pair that is not `used`.

    With `likely`, the change may be any number.
    """
    fits = [
        (node, place)
        for node, place, slope in users_of(run, change.event.node)
        if likely or near(change.new, change.old + slope * change.grads[node])
    ]
    recent = [node for node in reversed(change.reads) if any(node == fit[0] for fit in fits)]
    new = [fit for fit in fits if fit[0] == current and fit[1] not in used]
    if change.new == change.old and not recent:  # perhaps nothing was handed on
        return next(iter(new), None)
    fits = [fit for fit in fits if not recent or fit[0] == recent[0]]
    return next(iter([fit for fit in fits if fit in new] or fits), None)


def users_of(run: WalkRun, child: int) -> Iterator[tuple[int, int, float]]:
    """Yield the nodes made from this one, with the index and the local gradient of each pair."""
    for node in run.graph.users(child):
        for place, (other, slope) in enumerate(run.pairs[node]):
            if other == child:
                yield node, place, slope


def near(x: float, y: float) -> bool:
    """Return True for numbers that differ only in the last digits."""
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)
