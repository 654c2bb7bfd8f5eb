"""Faults of a walk over one graph: the first fault of its calls or of a list, or the statement of its loop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.facts import WalkFact
from grader.autograd.walks.graphs import Graph, closest
from grader.autograd.walks.runs import (
    CALL,
    CHANGED,
    CUT,
    EARLIER,
    FOREIGN,
    GRAD,
    changes_of,
    close,
    contributor,
    near,
    users_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from grader.autograd.walks.runs import Change, Gradient, ListReply, WalkEvent, WalkRun
    from grader.sandbox import Frame

    Formula = Callable[[Any], float] | None
    Fault = tuple[str, dict[str, Any]]  # a key of `words.WALKS`, and fields of a WalkFact


class WalkFinding(msgspec.Struct, frozen=True):
    """A fault of one walk, with the graph that shows it; `of` is the location of the function, or its name."""

    graph: Graph
    fact: WalkFact
    of: Frame | str = ""

    @property
    def kind(self) -> str:
        """The kind of the fault, such as `seed` or `early`."""
        return self.fact.fault.partition("_")[0]


def _finding_of(
    fault: Fault, graph: Graph, name: str, orders: tuple[Iterable[int], Iterable[int], int | None]
) -> WalkFinding:
    """Return a fault of the function `name` as a finding; `orders` are its calls, right calls, and the first wrong call."""
    names = [*graph.names, "?", "?"]  # -1 and -2 are not nodes of the graph
    student, right = (tuple(names[i] for i in order) for order in orders[:2])
    wrong = -1 if orders[2] is None else orders[2]
    of_graph: dict[str, Any] = {"graph": graph.title(), "root": names[graph.root], **fault[1]}
    return WalkFinding(graph, WalkFact(name, fault[0], student=student, right=right, wrong=wrong, **of_graph))


# --- Calls


def first_wrong(run: WalkRun, name: str) -> WalkFinding | None:
    """Return the first fault in a run of the function `name`; None if the run is right or cannot be read."""
    if run.is_right() or (found := _Walk(run).first()) is None:
        return None
    fault = found[0], {"hands": bool(run.pairs), **found[1]}
    return _finding_of(fault, run.graph, name, (run.calls, *run.closest()))


class _Walk:
    """One run, read event by event."""

    def __init__(self, run: WalkRun) -> None:
        self.run, self.graph, self.calls = run, run.graph, run.calls
        self.done: list[int] = []
        self.set: list[WalkEvent] = []  # gradients that were set before the current call

    def first(self) -> Fault | None:
        """Return the first fault; gradients that are cleared before the walk come last."""
        cleared: Fault | None = None
        for event in self.run.events:
            node, value, found = event.node, event.value, None
            if node == EARLIER:
                return "earlier", {}
            if event.code == CALL and node in self.graph.inner:
                found = self._at_call(node, value)
                self.done.append(node)
            elif event.code == GRAD and self._is_handed(node, value):
                return None
            elif event.code == GRAD and node >= 0:
                self.set.append(event)
                found = self._at_set(node, value)
            if found and found[0] == "clears_before":
                cleared = cleared or found
            elif found:
                return found
        return self._at_end() or cleared

    def _is_handed(self, node: int, value: Gradient) -> bool:
        """Return True if a gradient changed between recorded calls as a rule would change it: a call was not recorded."""
        noted = self.run.counts or self.run.pairs or node == self.graph.root
        return not noted and bool(value) and not close(value, 1.0)

    def _names(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.graph.names[i] for i in nodes)

    def _at(self, node: int, gradient: Gradient) -> dict[str, Any]:
        return {"node": self.graph.names[node], "number": f"{gradient or 0.0:g}"}

    # Gradients that are set

    def _at_set(self, node: int, value: Gradient) -> Fault | None:
        root, events = self.graph.root, self.run.events
        calls = [i for i, event in enumerate(events) if event.code == CALL]
        # The users that have contributed; the current turn may not have reached this node yet.
        done = self.done[:-1] if self.run.pairs else self.done
        users = {"users": self._names(user for user in self.graph.users(node) if user in done)}
        if value and node != root:
            if any(user in self.done for user in self.graph.users(node)):
                return "seeds_amid", self._at(node, value) | users
            before = [e for e in events[: calls[0] if calls else None] if e.code == GRAD and e.node >= 0]
            same = {e.node for e in before if e.value == value} - {root}
            return "seeds_before", {"nodes": self._names(sorted(same) or [node]), "number": f"{value:g}"}
        if value or (node == root and not self.done):
            return None
        if self.done == self.calls and self.done:
            gone = {e.node for e in events[calls[-1] + 1 :] if e.code == GRAD and not e.value and e.node >= 0}
            return "clears_end", {"nodes": self._names(sorted(gone))}
        if not self.done:
            return "clears_before", self._at(node, self.run.before[node])
        named = {"node": self.graph.names[node]}
        return ("clears_after", named) if node in self.done else ("clears_amid", named | users)

    # Calls

    def _at_call(self, node: int, gradient: Gradient) -> Fault | None:
        if node == self.graph.root and node not in self.done and not close(gradient, 1.0):
            return self._seed(gradient)
        early = [user for user in self.graph.users(node) if user not in self.done]
        again, times = node in self.done, self.calls.count(node)
        # A node that is never called comes before a wrong order of the others.
        if any(user not in self.calls for user in (self.graph.inner if again else early)):
            return self._never()
        if again:
            fields = {"node": self.graph.names[node], "times": times}
            return "twice_handed" if self.run.rules_right else "twice", fields
        if early:
            return self._early(node, early, gradient, times)
        if left := self.run.left_out.get(node):
            return "partial", {"node": self.graph.names[node], "users": self._names(left)}
        return None

    def _seed(self, gradient: Gradient) -> Fault:
        root = self.graph.root
        at = self._at(root, gradient)
        seeds = [event.value for event in self.set if event.node == root]
        later = [e.value for e in self.run.events if e.code == GRAD and e.node == root and e.value]
        if seeds:
            is_own, was_right = close(gradient, self.graph.data[root]), any(close(x, 1.0) for x in seeds)
            return "seed_own" if is_own else "seed_changed" if was_right else "seed_wrong", at
        if later:
            return "seed_late", at | {"other": f"{later[-1]:g}"}
        return "seed_handed" if self.run.rules_right else "seed", at

    def _never(self) -> Fault:
        missing = [i for i in reversed(self.graph.inner) if i not in self.calls]
        often = next((i for i in self.calls if self.calls.count(i) > 1), None)
        fault, fields = "never", dict[str, Any](nodes=self._names(missing))
        if often is not None:
            fault = "never_often"
            fields |= {"node": self.graph.names[often], "times": self.calls.count(often)}
        kids = self.run.kids if self.run.held else None
        lost = [
            (user, child)
            for child in missing
            for user in self.graph.users(child)
            if kids is not None and user not in missing and child not in kids[user]
        ]
        if lost:
            user, child = lost[0]
            fault = f"{fault}_lost"
            fields |= {"users": self._names([child]), "other": f"{self.graph.names[user]}.{self.run.held}"}
        return fault, fields

    def _early(self, node: int, early: list[int], gradient: Gradient, times: int) -> Fault:
        fields = self._at(node, gradient) | {"users": self._names(early)}
        if times > 1:
            return "early_often", fields | {"times": times}
        changed = any(event.code == GRAD and event.node == node for event in self.run.events)
        more = (self.run.after[node] or 0.0) - (gradient or 0.0)
        repeated = len(set(self.calls)) < len(self.calls)
        if changed or repeated or close(more, 0.0):
            return "early", fields
        if self.run.pairs:  # without numbers, which would confuse: here nodes hold gradients before the walk
            return "early_lost", fields
        return "early_short", fields | {"other": f"{more:g}"}

    def _at_end(self) -> Fault | None:
        root, gradient = self.graph.root, self.run.after[self.graph.root]
        if not self.graph.inner:
            return None if close(gradient, 1.0) else ("seed_left", self._at(root, gradient))
        if not self.calls:
            if any(not close(self.run.after[i], self.run.before[i]) for i in range(root)):
                return None  # gradients were handed on in an unknown way
            return "never_any", {"node": self.graph.names[root]}
        if any(i not in self.calls for i in self.graph.inner):
            return self._never()
        if cut := self.run.nodes_without(CUT):
            return "apart_cut", {"nodes": self._names(cut), "other": self.run.held}
        if changed := self.run.nodes_without(CHANGED):
            return "apart_changed", {"nodes": self._names(changed)}
        return None


# --- Lists


def first_wrong_list(graph: Graph, seen: ListReply, name: str) -> WalkFinding | None:
    """Return the first fault in the lists of a sort in two calls with the same root; None if both are right."""
    for call, (_, kind, nodes) in enumerate(seen.lists):
        if found := _wrong_list(graph, kind, nodes):
            fault = ("keeps", _node_fields(graph, kind, nodes)) if call else found
            return _finding_of(fault, graph, name, (nodes, *closest(nodes, graph.nodes, graph.children)))
    return None


def _node_fields(graph: Graph, kind: str, nodes: Sequence[int]) -> dict[str, Any]:
    names = [*graph.names, "?", "?"]
    return {"nodes": tuple(names[i] for i in nodes), "other": kind}


def _wrong_list(graph: Graph, kind: str, nodes: Sequence[int]) -> Fault | None:
    names, shown = graph.names, _node_fields(graph, kind, nodes)
    missing = tuple(names[i] for i in graph.nodes if i not in nodes)
    twice = next((i for i in nodes if nodes.count(i) > 1), None)
    often = {"node": names[twice], "times": nodes.count(twice)} if twice is not None else {}
    faults: tuple[tuple[object, str, dict[str, Any]], ...] = (
        (kind, "no_list", shown),
        (EARLIER in nodes, "earlier_listed", {}),
        (FOREIGN in nodes, "foreign", {}),
        (not nodes, "missing_all", {}),
        (missing and often, "missing_twice", {**shown, **often, "users": missing}),
        (missing, "missing", {**shown, "users": missing}),
        (often, "twice_listed", shown | often),
    )
    for holds, fault, fields in faults:
        if holds:
            return fault, fields
    for place, node in enumerate(nodes):
        after = tuple(names[i] for i in dict.fromkeys(graph.children(node)) if i not in nodes[:place])
        if after:
            return "early_listed", {**shown, "node": names[node], "users": after}
    return None


# --- Loops with wrong contributions, over nodes that keep local gradients: read from the changes of gradients


_OWN = "own"
# A statement, the meaning of `local` in it, and the new gradient of a child. It is computed from the gradients and data of
# child and node, and from the local gradient of this pair, of the first pair, and of the pair in the opposite place.
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
    """Return the finding about the only statement that explains every change in all runs of the function `name`, else None."""
    changes = [
        (run, change)
        for run in runs
        for change in changes_of(run)
        # Leave out the seed, and gradients that are cleared before the walk.
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
    return _finding_of(("loop", fields), run.graph, name, ((), (), None))


def _explains(changes: Sequence[tuple[WalkRun, Change]], formula: Formula) -> tuple[WalkRun, int, int] | None:
    """Return the first pair of a second child whose change only this statement explains; None if it leaves one unexplained."""
    explained: list[tuple[WalkRun, int, int]] = []
    for run, change in changes:
        pair = _fits(formula, run, change)
        if pair is None and change.new != change.old:
            return None
        if pair and contributor(run, change) is None:
            explained.append((run, *pair))
    second = (one for one in explained if 0 <= one[0].pairs[one[1]][0][0] != one[2])
    return next(second, None) if len(explained) >= _ENOUGH else None


def _fits(formula: Formula, run: WalkRun, change: Change) -> tuple[int, int] | None:
    """Return the node and the child of a pair with this change by the formula; without a formula, a node takes from its child."""
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
