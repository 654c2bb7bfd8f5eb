"""The order in which nodes hand on, read from how gradients change where nodes keep local gradients."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.walks.findings import CALL, GRAD, READ, Event

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from grader.autograd.walks.findings import Gradient, Pairs
    from grader.autograd.walks.graphs import Graph


class Kept(NamedTuple):
    """One walk over nodes with local gradients: every access to a gradient, and the pairs of each node."""

    graph: Graph
    events: Sequence[Event]
    before: Sequence[Gradient]
    pairs: Pairs


class Turns(NamedTuple):
    """The same walk as calls: one at the first contribution of each turn of a node."""

    events: list[Event]
    left_out: dict[int, tuple[int, ...]]  # children to which a node handed nothing in its first turn


class _Change(NamedTuple):
    """A gradient that was set, what it was, the state at that moment, and what was read since the one before."""

    node: int
    old: float
    new: float
    grads: Sequence[float]
    reads: Sequence[int]


def turns_of(kept: Kept) -> Turns | None:
    """Read the walk as turns; nothing where a change is no contribution of a node to its child."""
    events: list[Event] = []
    served: dict[int, set[int]] = {}
    current, used = -1, set[int]()
    for change in _changes(kept):
        found = _contributor(kept, change, current, used)
        if found is None:
            known = change.new == change.old or any(_near(change.new, x) for x in (0.0, 1.0))
            if change.node != kept.graph.root and not known:
                return None
            if change.node == kept.graph.root or change.new != change.old:
                events.append(Event(GRAD, change.node, change.new))
            continue
        node, place = found
        if node != current or place in used:
            events.append(Event(CALL, node, change.grads[node]))
            current, used = node, set()
        used.add(place)
        served.setdefault(node, set()).add(place)
    left = {node: _unserved(kept.pairs[node], places) for node, places in served.items()}
    return Turns(events, {node: children for node, children in left.items() if children})


def _unserved(pairs: Sequence[tuple[int, float]], places: set[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(child for i, (child, _) in enumerate(pairs) if child >= 0 and i not in places))


def _changes(kept: Kept) -> Iterator[_Change]:
    """Every gradient that was set, in order."""
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
    """The node that handed this on, and the place of the pair: in the `current` turn one that is not `used`."""
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


# --- Loops whose contribution is another one


class _Case(NamedTuple):
    """One pair at one moment: the child's gradient and data, the node's, the pair's number, and those beside it."""

    child: float
    child_data: float
    node: float
    node_data: float
    local: float
    first: float
    turned: float


_OWN = "`local` is the local gradient that {node} keeps for {child}."
_FORMULAS: tuple[tuple[str, str, Callable[[_Case], float]], ...] = (
    ("{child}.grad = local * {node}.grad", _OWN, lambda c: c.local * c.node),
    ("{child}.grad += local", _OWN, lambda c: c.child + c.local),
    ("{child}.grad += {node}.grad", "", lambda c: c.child + c.node),
    ("{child}.grad += local + {node}.grad", _OWN, lambda c: c.child + c.local + c.node),
    ("{child}.grad -= local * {node}.grad", _OWN, lambda c: c.child - c.local * c.node),
    ("{child}.grad *= local * {node}.grad", _OWN, lambda c: c.child * c.local * c.node),
    ("{child}.grad += local * {child}.grad", _OWN, lambda c: c.child + c.local * c.child),
    ("{child}.grad += {child}.data * {node}.grad", "", lambda c: c.child + c.child_data * c.node),
    ("{child}.grad += local * {node}.data", _OWN, lambda c: c.child + c.local * c.node_data),
    (
        "{child}.grad += local * {node}.grad",
        "`local` is the local gradient that {node} keeps for {first}, its first child.",
        lambda c: c.child + c.first * c.node,
    ),
    (
        "{child}.grad += local * {node}.grad",
        "`local` is the local gradient that {node} keeps for {first}.",
        lambda c: c.child + c.turned * c.node,
    ),
)
_WRITES_NODE = ("{node}.grad += local * {child}.grad", _OWN)
_ENOUGH = 10  # changes that nothing but this formula explains


def formula_of(runs: Sequence[Kept]) -> tuple[str, str] | None:
    """The one statement, over `{child}` and `{node}`, that explains every change of all runs; else nothing.

    With it goes what `local` in it is.
    """
    changes = [(kept, change) for kept in runs for change in _changes(kept)]
    found = [
        (does, local)
        for does, local, formula in _FORMULAS
        if _explains(changes, functools.partial(_fits, formula))
    ]
    if _explains(changes, _fits_node):
        found.append(_WRITES_NODE)
    return found[0] if len(found) == 1 else None


def _explains(changes: Sequence[tuple[Kept, _Change]], fits: Callable[[Kept, _Change], bool]) -> bool:
    alone = 0
    for kept, change in changes:
        if fits(kept, change):
            alone += _contributor(kept, change) is None and not _is_set(kept, change)
        elif change.new != change.old and not _is_set(kept, change):
            return False
    return alone >= _ENOUGH


def _is_set(kept: Kept, change: _Change) -> bool:
    """Tell whether it may be the seed, or gradients that are cleared beforehand."""
    return change.new == 0.0 or (change.node == kept.graph.root and change.new == 1.0)


def _fits(formula: Callable[[_Case], float], kept: Kept, change: _Change) -> bool:
    graph = kept.graph
    for node, place, slope in _users(kept, change.node):
        numbers = [number for _, number in kept.pairs[node]]
        case = _Case(
            change.old, graph.data[change.node], change.grads[node], graph.data[node],
            slope, numbers[0], numbers[::-1][place],
        )  # fmt: skip
        if _near(change.new, formula(case)):
            return True
    return False


def _fits_node(kept: Kept, change: _Change) -> bool:
    pairs = kept.pairs[change.node]
    return any(
        child >= 0 and _near(change.new, change.old + slope * change.grads[child]) for child, slope in pairs
    )
