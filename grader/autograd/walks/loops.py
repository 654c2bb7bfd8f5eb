"""Loops that hand a wrong contribution on to children, of nodes that keep local gradients: read from the changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from grader.autograd.walks.findings import finding_of
from grader.autograd.walks.runs import changes_of, contributor, near, users_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.autograd.walks.findings import WalkFinding
    from grader.autograd.walks.runs import Change, WalkRun

    Formula = Callable[[Any], float] | None

_OWN = "own"
# A statement, what `local` means in it, and the new gradient of a child from what there is at that moment: the gradients and
# data of child and node, and the local gradient of this pair, of the first one, and of the one in the opposite place.
_FORMULAS: tuple[tuple[str, str, Formula], ...] = (
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


def wrong_loop(runs: Sequence[WalkRun], name: str) -> WalkFinding | None:
    """Return the finding about the one statement that explains every change of all runs of the function `name`, else None."""
    changes = [
        (run, change)
        for run in runs
        for change in changes_of(run)
        # Not the seed, nor a gradient that is cleared before the walk.
        if change.new != 0.0 and (change.event.node != run.graph.root or change.new != 1.0)
    ]
    found = [
        (does, local, *place) for does, local, formula in _FORMULAS if (place := _explains(changes, formula))
    ]
    if len(found) != 1:
        return None
    [(does, local, run, *pair)] = found
    node, child, first = (run.graph.names[i] for i in (*pair, run.pairs[pair[0]][0][0]))
    does = does.format(child=child, node=node)
    fields = {"node": node, "nodes": (first,), "users": (child,), "other": does, "number": local}
    return finding_of(("loop", fields), run.graph, name, ((), (), None))


def _explains(changes: Sequence[tuple[WalkRun, Change]], formula: Formula) -> tuple[WalkRun, int, int] | None:
    """Return the first pair of a second child at which only this statement explains a change; None if it does not explain all."""
    alone: list[tuple[WalkRun, int, int]] = []
    for run, change in changes:
        pair = _fits(formula, run, change)
        if pair is None and change.new != change.old:
            return None
        if pair and contributor(run, change) is None:
            alone.append((run, *pair))
    second = (one for one in alone if 0 <= one[0].pairs[one[1]][0][0] != one[2])
    return next(second, None) if len(alone) >= _ENOUGH else None


def _fits(formula: Formula, run: WalkRun, change: Change) -> tuple[int, int] | None:
    """Return the node and the child of a pair for which the formula makes this change; without one, the node takes from it."""
    data, grads = run.graph.data, change.grads
    if formula is None:
        pairs = run.pairs[change.event.node][::-1]
        taken = (
            child
            for child, slope in pairs
            if child >= 0 and near(change.new, change.old + slope * grads[child])
        )
        return next(((change.event.node, child) for child in taken), None)
    for node, place, slope in users_of(run, change.event.node):
        numbers = [number for _, number in run.pairs[node]]
        case = SimpleNamespace(
            child=change.old, child_data=data[change.event.node], node=grads[node], node_data=data[node],
            local=slope, first=numbers[0], turned=numbers[::-1][place],
        )  # fmt: skip
        if near(change.new, formula(case)):
            return node, change.event.node
    return None
