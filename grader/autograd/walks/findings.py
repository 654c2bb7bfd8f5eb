"""The first thing that is wrong with a walk over one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.facts import WalkFact
from grader.autograd.walks.graphs import Graph, closest
from grader.autograd.walks.runs import (
    CALL,
    CHANGED,
    CUT,
    DATA,
    EARLIER,
    FOREIGN,
    GRAD,
    close,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.walks.runs import Gradient, ListAnswer, WalkEvent, WalkRun
    from grader.sandbox import Frame

    Fault = tuple[str, dict[str, Any]]  # a key of `words.WALKS`, and fields of a WalkFact


class WalkFinding(msgspec.Struct, frozen=True):
    """A fault of one walk, and the graph on which it was seen; `of` is the location of the function, or its name."""

    graph: Graph
    fact: WalkFact
    of: Frame | str = ""

    @property
    def kind(self) -> str:
        """The kind of the fault, such as `seed` or `early`."""
        return self.fact.fault.partition("_")[0]


def finding_of(
    fault: Fault, graph: Graph, name: str, orders: tuple[Iterable[int], Iterable[int], int | None]
) -> WalkFinding:
    """Return a fault of the function `name` as a finding; `orders` are its calls, the right ones, and the first wrong one."""
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
    return finding_of(fault, run.graph, name, (run.calls, *run.closest()))


class _Walk:
    """One run, read event by event."""

    def __init__(self, run: WalkRun) -> None:
        self.run, self.graph, self.names = run, run.graph, run.graph.names
        self.calls = run.calls
        self.done: list[int] = []
        self.set: list[WalkEvent] = []  # gradients and data that were set before the current call

    def first(self) -> Fault | None:
        """Return the first fault; gradients that are cleared before the walk come last."""
        cleared: Fault | None = None
        for event in self.run.events:
            if event.node == EARLIER:
                return "earlier", {}
            if event.code == CALL and event.node in self.graph.inner:
                found = self._at_call(event.node, event.value)
                self.done.append(event.node)
            else:
                if self._is_strange(event):
                    return None
                found = self._at_set(event)
                if found and found[0] == "clears_before":
                    cleared, found = cleared or found, None
            if found:
                return found
        return self._at_end() or cleared

    def _names(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in nodes)

    # Gradients and data that are set

    def _is_strange(self, event: WalkEvent) -> bool:
        """Return True if a gradient changed between recorded calls as a rule would change it: a call was not recorded."""
        below = event.code == GRAD and event.node != self.graph.root
        noted = self.run.counts or self.run.pairs
        return below and not noted and bool(event.value) and not close(event.value, 1.0)

    def _at_set(self, event: WalkEvent) -> Fault | None:
        node, value = event.node, event.value
        if event.code not in (GRAD, DATA) or node < 0:
            return None
        self.set.append(event)
        if event.code == DATA:
            return None
        if value and node != self.graph.root:
            return self._seeded(node, value)
        return None if value or (node == self.graph.root and not self.done) else self._cleared(node)

    def _seeded(self, node: int, value: float) -> Fault:
        if any(user in self.done for user in self.graph.users(node)):
            return "seeds_amid", self._at(node, value) | {"users": self._from(node)}
        first = next((i for i, e in enumerate(self.run.events) if e.code == CALL), len(self.run.events))
        same = {
            e.node for e in self.run.events[:first] if e.code == GRAD and e.value == value and e.node >= 0
        }
        nodes = self._names(sorted(same - {self.graph.root}) or [node])
        return "seeds_before", {"nodes": nodes, "number": f"{value:g}"}

    def _at(self, node: int, gradient: Gradient) -> dict[str, Any]:
        return {"node": self.names[node], "number": f"{gradient or 0.0:g}"}

    def _cleared(self, node: int) -> Fault:
        if self.done == self.calls and self.done:
            last = max((i for i, e in enumerate(self.run.events) if e.code == CALL), default=-1)
            events = self.run.events[last + 1 :]
            gone = {e.node for e in events if e.code == GRAD and not e.value and e.node >= 0}
            return "clears_end", {"nodes": self._names(sorted(gone))}
        if not self.done:
            return "clears_before", self._at(node, self.run.before[node])
        if node in self.done:
            return "clears_after", {"node": self.names[node]}
        return "clears_amid", {"node": self.names[node], "users": self._from(node)}

    def _from(self, node: int) -> tuple[str, ...]:
        """Name the users that have brought something; a turn that goes on may not have come to this node."""
        done = self.done[:-1] if self.run.pairs else self.done
        return self._names(i for i in self.graph.users(node) if i in done)

    # Calls

    def _at_call(self, node: int, gradient: Gradient) -> Fault | None:
        if node == self.graph.root and node not in self.done and not close(gradient, 1.0):
            return self._seed(gradient)
        if node in self.done:
            return self._again(node)
        early = [user for user in self.graph.users(node) if user not in self.done]
        if any(user not in self.calls for user in early):
            return self._never()
        if early:
            return self._early(node, early, gradient)
        if left := self.run.left_out.get(node):
            return "partial", {"node": self.names[node], "users": self._names(left)}
        return None

    def _seed(self, gradient: Gradient) -> Fault:
        at = self._at(self.graph.root, gradient)
        seeds = [event.value for event in self.set if event.node == self.graph.root and event.code == GRAD]
        written = [event.value for event in self.set if event.node == self.graph.root and event.code == DATA]
        others = [event for event in self.set if event.node != self.graph.root and event.value]
        later = [e.value for e in self.run.events if e.code == GRAD and e.node == self.graph.root and e.value]
        if written and not seeds and written[-1] is not None:
            return "seed_data", at | {"other": f"{written[-1]:g}"}
        if seeds and close(gradient, self.graph.data[self.graph.root]):
            return "seed_own", at
        if seeds and any(close(value, 1.0) for value in seeds):
            return "seed_changed", at
        if seeds:
            return "seed_wrong", at
        if others:
            last = others[-1]
            return "seed_elsewhere", at | {"users": self._names([last.node]), "other": f"{last.value:g}"}
        if later:
            return "seed_late", at | {"other": f"{later[-1]:g}"}
        return "seed_handed" if self.run.rules_right else "seed", at

    def _never(self) -> Fault:
        missing = [i for i in reversed(self.graph.inner) if i not in self.calls]
        often = next((i for i in self.calls if self.calls.count(i) > 1), None)
        fault, fields = "never", dict[str, Any](nodes=self._names(missing))
        if often is not None:
            fault = "never_often"
            fields |= {"node": self.names[often], "times": self.calls.count(often)}
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
            fields |= {"users": self._names([child]), "other": f"{self.names[user]}.{self.run.held}"}
        return fault, fields

    def _again(self, node: int) -> Fault:
        if any(i not in self.calls for i in self.graph.inner):
            return self._never()
        fields = {"node": self.names[node], "times": self.calls.count(node)}
        return "twice_handed" if self.run.rules_right else "twice", fields

    def _early(self, node: int, early: list[int], gradient: Gradient) -> Fault:
        fields = self._at(node, gradient) | {"users": self._names(early)}
        if (times := self.calls.count(node)) > 1:
            return "early_often", fields | {"times": times}
        changed = any(event.code == GRAD and event.node == node for event in self.run.events)
        more = (self.run.after[node] or 0.0) - (gradient or 0.0)
        repeated = len(set(self.calls)) < len(self.calls)
        if changed or repeated or close(more, 0.0):
            return "early", fields
        if self.run.pairs:  # the numbers would confuse: here nodes hold gradients before the walk
            return "early_lost", fields
        return "early_short", fields | {"other": f"{more:g}"}

    def _at_end(self) -> Fault | None:
        gradient = self.run.after[self.graph.root]
        if not self.graph.inner:
            return None if close(gradient, 1.0) else ("seed_left", self._at(self.graph.root, gradient))
        if not self.calls:
            if any(not close(self.run.after[i], self.run.before[i]) for i in range(self.graph.root)):
                return None  # gradients were handed on in an unknown way
            return "never_any", {"node": self.names[self.graph.root]}
        if any(i not in self.calls for i in self.graph.inner):
            return self._never()
        if cut := self.run.left(CUT):
            return "apart_cut", {"nodes": self._names(cut), "other": self.run.held}
        if changed := self.run.left(CHANGED):
            return "apart_changed", {"nodes": self._names(changed)}
        return None


# --- Lists


def first_wrong_list(graph: Graph, seen: ListAnswer, name: str) -> WalkFinding | None:
    """Return the first fault in the lists that a sort gave for the same root in two calls; None if both are right."""
    (_, kind, nodes), (_, again, others) = seen.lists
    found = _wrong_list(graph, kind, nodes)
    if not found and (again or closest(others, graph.nodes, graph.children)[1] is not None):
        found, nodes = ("keeps", _shown(graph, again, others)), others
    orders = (nodes, *closest(nodes, graph.nodes, graph.children))
    return finding_of(found, graph, name, orders) if found else None


def _shown(graph: Graph, kind: str, nodes: Sequence[int]) -> dict[str, Any]:
    names = [*graph.names, "?", "?"]
    return {"nodes": tuple(names[i] for i in nodes), "other": kind}


def _wrong_list(graph: Graph, kind: str, nodes: Sequence[int]) -> Fault | None:
    names = graph.names
    shown = _shown(graph, kind, nodes)
    if kind:
        return "no_list", shown
    if EARLIER in nodes:
        return "earlier_listed", {}
    if FOREIGN in nodes:
        return "foreign", {}
    if not nodes:
        return "missing_all", {}
    missing = tuple(names[i] for i in graph.nodes if i not in nodes)
    twice = next((i for i in nodes if nodes.count(i) > 1), None)
    often = {"node": names[twice], "times": nodes.count(twice)} if twice is not None else {}
    if missing:
        return "missing_twice" if often else "missing", {**shown, **often, "users": missing}
    if often:
        return "twice_listed", shown | often
    for place, node in enumerate(nodes):
        after = tuple(names[i] for i in dict.fromkeys(graph.children(node)) if i not in nodes[:place])
        if after:
            return "early_listed", {**shown, "node": names[node], "users": after}
    return None
