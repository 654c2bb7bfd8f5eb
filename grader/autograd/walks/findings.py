"""The first thing that is wrong with a walk over one graph, in words about the nodes of that graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

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
    right_gradients,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.walks.runs import Event, Gradient, Listed, Loop, Run


class Finding(msgspec.Struct, frozen=True):
    """A fault of one walk and its step; both orders are names of nodes."""

    kind: str
    graph: Graph
    words: str
    student: tuple[str, ...]
    right: tuple[str, ...]
    wrong: int | None


def _finding(
    kind: str, graph: Graph, words: str, orders: tuple[Iterable[int], Iterable[int], int | None]
) -> Finding:
    names = [*graph.names, "?", "?"]  # -1 and -2 are not nodes of the graph
    student, right = (tuple(names[i] for i in order) for order in orders[:2])
    return Finding(kind, graph, f"On {graph.title()}, {words}", student, right, orders[2])


# --- Calls


def first_wrong(run: Run, name: str) -> Finding | None:
    """Return the first fault in a run of the function `name`; None if the run is right or cannot be read."""
    found = None if run.is_right() else _Walk(run, name).first()
    return found and _finding(found[0], run.graph, found[1], (run.calls, *run.closest()))


def wrong_loop(loop: Loop, name: str) -> Finding:
    """Return the finding for a loop over children and local gradients that computes a wrong contribution."""
    graph, node, child, first = loop.at
    names = {"node": graph.names[node], "child": graph.names[child], "first": graph.names[first]}
    words = f"your `{name}` does `{loop.does}` where {{node}} hands on to {{child}}. {loop.local}"
    return _finding("loop", graph, words.format(**names).strip(), ((), (), None))


class _Walk:
    """One run, read event by event."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.graph, self.names = run, run.graph, run.graph.names
        self.your = f"your `{name}`"
        self.calls = run.calls
        self.root = self.graph.root
        self.root_name = self.names[self.root]
        self.done: list[int] = []
        self.set: list[Event] = []  # gradients and data that were set before the current call

    def first(self) -> tuple[str, str] | None:
        """Return kind and words of the first fault; gradients that are cleared before the walk come last."""
        cleared: tuple[str, str] | None = None
        for event in self.run.events:
            if event.node == EARLIER:
                return "earlier", f"{self.your} comes to nodes of a graph that it has walked before."
            if event.code == CALL and event.node in self.graph.inner:
                found = self._at_call(event.node, event.value)
                self.done.append(event.node)
            else:
                if self._is_strange(event):
                    return None
                found = self._at_set(event)
                if found and found[0] == "clears" and not self.done:
                    cleared, found = cleared or found, None
            if found:
                return found
        return self._at_end() or cleared

    @property
    def _rules_are_right(self) -> bool:
        """True if each node is known to hand on the right contributions: the student's own rules may be wrong."""
        pairs = [self.graph.pairs(node) for node in range(len(self.names))]
        usual = right_gradients(self.graph, self.run.before, pairs)
        return self.run.hands or all(map(close, self.run.fair, usual))

    def _acts(self, nodes: Iterable[int]) -> str:
        """Return the words for a walk that calls these nodes, or lets them hand on."""
        names = self._and(nodes)
        return f"lets {names} hand on" if self.run.hands else f"calls {names}"

    def _and(self, nodes: Iterable[int], of: str = "") -> str:
        return _and(f"{self.names[i]}{of}" for i in nodes)

    # Gradients and data that are set

    def _is_strange(self, event: Event) -> bool:
        """Return True if a gradient changed between recorded calls as a rule would change it: a call was not recorded."""
        below = event.code == GRAD and event.node != self.root
        noted = self.run.counts or self.run.hands
        return below and not noted and bool(event.value) and not close(event.value, 1.0)

    def _at_set(self, event: Event) -> tuple[str, str] | None:
        node, value = event.node, event.value
        if event.code not in (GRAD, DATA) or node < 0:
            return None
        self.set.append(event)
        if event.code == DATA:
            return None
        if value and node != self.root:
            return "seeds", self._seeded(node, value)
        return None if value or (node == self.root and not self.done) else self._cleared(node)

    def _seeded(self, node: int, value: float) -> str:
        if any(user in self.done for user in self.graph.users(node)):
            return f"{self.your} sets {self.names[node]}.grad to {value:g} and overwrites what {self._from(node)} brought there."
        first = next((i for i, e in enumerate(self.run.events) if e.code == CALL), len(self.run.events))
        same = {
            e.node for e in self.run.events[:first] if e.code == GRAD and e.value == value and e.node >= 0
        }
        labels = self._and(sorted(same - {self.root}) or [node], ".grad")
        return (
            f"{self.your} sets {labels} to {value:g} before the walk. Arriving gradients are added to that."
        )

    def _cleared(self, node: int) -> tuple[str, str] | None:
        label = f"{self.names[node]}.grad"
        if self.done == self.calls and self.done:
            return self._cleared_at_the_end()
        if not self.done:
            was = self.run.before[node] or 0.0
            return (
                "clears",
                f"{label} is {was:g} before the walk, and {self.your} sets it to 0 before anything arrives.",
            )
        if node in self.done:
            return "clears", f"{self.your} sets {label} to 0 after {self.names[node]} has handed it on."
        return "clears", f"{self.your} sets {label} to 0, and what {self._from(node)} brought there is lost."

    def _cleared_at_the_end(self) -> tuple[str, str]:
        last = max((i for i, e in enumerate(self.run.events) if e.code == CALL), default=-1)
        gone = {e.node for e in self.run.events[last + 1 :] if e.code == GRAD and not e.value and e.node >= 0}
        return (
            "clears",
            f"{self.your} sets {self._and(sorted(gone), '.grad')} to 0 at its end: nothing is left to read.",
        )

    def _from(self, node: int) -> str:
        """Name the users that have brought something; a turn that goes on may not have come to this node."""
        done = self.done[:-1] if self.run.hands else self.done
        return self._and(i for i in self.graph.users(node) if i in done) or "the walk"

    # Calls

    def _at_call(self, node: int, gradient: Gradient) -> tuple[str, str] | None:
        if node == self.root and node not in self.done and not close(gradient, 1.0):
            return "seed", self._seed(gradient)
        if node in self.done:
            return self._again(node)
        early = [user for user in self.graph.users(node) if user not in self.done]
        if any(user not in self.calls for user in early):
            return "never", self._never()
        if early:
            return "early", self._early(node, early, gradient)
        if left := self.run.left_out.get(node):
            return "partial", f"{self.your} hands nothing on from {self.names[node]} to {self._and(left)}."
        return None

    def _seed(self, gradient: Gradient) -> str:
        label, act = f"{self.root_name}.grad", self._acts([self.root])
        number = f"{gradient or 0.0:g}"
        now = f"{label} is {number} when {self.your} {act}"
        seeds = [event.value for event in self.set if event.node == self.root and event.code == GRAD]
        written = [event.value for event in self.set if event.node == self.root and event.code == DATA]
        other = [event for event in self.set if event.node != self.root and event.value]
        later = [e.value for e in self.run.events if e.code == GRAD and e.node == self.root and e.value]
        if written and not seeds and written[-1] is not None:
            return f"{self.your} sets {self.root_name}.data to {written[-1]:g}, and {now}."
        if seeds and close(gradient, self.graph.data[self.root]):
            return f"{self.your} sets {label} to {number}, the number in {self.root_name}.data."
        if seeds and any(close(value, 1.0) for value in seeds):
            return f"{self.your} sets {label} to 1 and then to {number} before it {act}."
        if seeds:
            return (
                f"{self.your} sets {label} to {number} before it {act}, and {self.root_name} hands that on."
            )
        if other:
            return f"{self.your} sets {self.names[other[-1].node]}.grad to {other[-1].value:g}, and {now}."
        if later:
            return f"{now}. It is set to {later[-1]:g} only afterwards."
        return f"{now}, so {self.root_name} hands on {number}." if self._rules_are_right else f"{now}."

    def _never(self) -> str:
        missing = [i for i in reversed(self.graph.inner) if i not in self.calls]
        often = next((i for i in self.calls if self.calls.count(i) > 1), None)
        more = f", and it {self._acts([often])} {self.calls.count(often)} times" if often is not None else ""
        words = f"{self.your} never {self._acts(missing)}{more}"
        kids = self.run.kids if self.run.held else None
        lost = [
            (user, child)
            for child in missing
            for user in self.graph.users(child)
            if kids is not None and user not in missing and child not in kids[user]
        ]
        if lost:
            user, child = (self.names[i] for i in lost[0])
            return f"{words}: {child} is not in {user}.{self.run.held}."
        return f"{words}."

    def _again(self, node: int) -> tuple[str, str]:
        if any(i not in self.calls for i in self.graph.inner):
            return "never", self._never()
        name = self.names[node]
        words = f"{self.your} {self._acts([node])} {self.calls.count(node)} times"
        if not self._rules_are_right:
            return "twice", f"{words}; each node has one turn."
        return (
            "twice",
            f"{words}. Each time {name} hands on all of {name}.grad, including what it has handed on before.",
        )

    def _early(self, node: int, early: list[int], gradient: Gradient) -> str:
        name, users = self.names[node], self._and(early)
        made = "is" if len(early) == 1 else "are"
        words = f"{self.your} {self._acts([node])} before {users}, which {made} made from {name}."
        if self.calls.count(node) > 1:
            return f"{words} It {self._acts([node])} {self.calls.count(node)} times in all."
        changed = any(event.code == GRAD and event.node == node for event in self.run.events)
        more = (self.run.after[node] or 0.0) - (gradient or 0.0)
        repeated = len(set(self.calls)) < len(self.calls)
        if changed or repeated or close(more, 0.0):
            return words
        if self.run.hands:  # the numbers would confuse: here nodes hold gradients before the walk
            return f"{words} What {users} {_verb(early, 'brings', 'bring')} to {name}.grad afterwards is not handed on."
        return (
            f"{words} {name}.grad is {gradient or 0.0:g} at that moment; {name} does not hand on the {more:g} that {users} "
            f"{_verb(early, 'brings', 'bring')} later."
        )

    def _at_end(self) -> tuple[str, str] | None:
        gradient = self.run.after[self.root]
        if not self.graph.inner:
            if close(gradient, 1.0):
                return None
            return "seed", f"{self.root_name}.grad is {gradient or 0.0:g} after {self.your}."
        if not self.calls:
            if any(not close(self.run.after[i], self.run.before[i]) for i in range(self.root)):
                return None  # gradients were handed on in an unknown way
            what = "lets no node hand on" if self.run.hands else "calls no `_backward`"
            return "never", f"{self.your} {what}: no gradient below {self.root_name} changes."
        if any(i not in self.calls for i in self.graph.inner):
            return "never", self._never()
        return self._apart()

    def _apart(self) -> tuple[str, str] | None:
        held = f"`{self.run.held}` of " if self.run.held else ""
        if cut := self.run.left(CUT):
            return (
                "apart",
                f"{self.your} takes the children out of {held}{self._and(cut)}. A later walk goes no further there.",
            )
        if changed := self.run.left(CHANGED):
            nodes = self._and(changed)
            return "apart", f"{self.your} gives {nodes} another `_backward`. A later walk calls that one."
        return None


# --- Lists


def first_wrong_list(graph: Graph, first: Listed, second: Listed, name: str) -> Finding | None:
    """Return the first fault in the lists that a sort gave for the same root in two calls; None if both are right."""
    call = f"`{name}({graph.names[graph.root]})`"
    if found := _wrong_list(graph, first, call):
        return _finding(*_kind_and(found, graph), _orders(graph, first))
    if _orders(graph, second)[2] is None and not second.kind:
        return None
    words = f"the first call of {call} gives a right list, the second gives {_shown(graph, second)}."
    return _finding("keeps", graph, words, _orders(graph, second))


def _kind_and(found: tuple[str, str], graph: Graph) -> tuple[str, Graph, str]:
    return found[0], graph, found[1]


def _orders(graph: Graph, listed: Listed) -> tuple[Sequence[int], Sequence[int], int | None]:
    return (listed.nodes, *closest(listed.nodes, range(len(graph.names)), graph.children))


def _shown(graph: Graph, listed: Listed) -> str:
    if listed.kind == "NoneType":
        return "None"
    if listed.kind:
        known = listed.kind.isidentifier() and len(listed.kind) < 40
        return f"an object of type {listed.kind}, not a list" if known else "an object that is not a list"
    shown = ", ".join([*graph.names, "?", "?"][i] for i in listed.nodes[:12])
    return f"{shown}{', ...' if len(listed.nodes) > 12 else ''}" if shown else "an empty list"


def _wrong_list(graph: Graph, listed: Listed, call: str) -> tuple[str, str] | None:
    nodes, names = listed.nodes, graph.names
    shown = _shown(graph, listed)
    if listed.kind:
        order = "; a set has no order" if listed.kind in ("set", "frozenset") else ""
        return "no list", f"{call} gives {shown}{order}."
    if EARLIER in nodes:
        return "earlier", f"{call} also lists nodes of the graph of an earlier call."
    if FOREIGN in nodes:
        return "foreign", f"{call} lists something that is not a node of the graph."
    if not nodes:
        return "missing", f"{call} gives an empty list."
    missing = [names[i] for i in range(len(names)) if i not in nodes]
    twice = next((i for i in nodes if nodes.count(i) > 1), None)
    often = f"{names[twice]} appears {nodes.count(twice)} times" if twice is not None else ""
    if missing:
        gone = f"{_and(missing)} {_verb(missing, 'is', 'are')} missing"
        return "missing", f"{call} lists {shown}: {gone}{', and ' if often else ''}{often}."
    if often:
        return "twice", f"{call} lists {shown}: {often}."
    for place, node in enumerate(nodes):
        after = [names[i] for i in dict.fromkeys(graph.children(node)) if i not in nodes[:place]]
        if after:
            here = names[node]
            return (
                "early",
                f"{call} lists {shown}: {here} comes before {_and(after)}, and {here} is made from {_it(after)}.",
            )
    return None


def _it(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _and(names: Iterable[str]) -> str:
    *most, last = list(names) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def _verb(things: Sequence[object], one: str, more: str) -> str:
    return one if len(things) == 1 else more
