"""The first step at which two walks differ, in words: what the engine did, and what a right walk does there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.autograd.traces.graph import alike
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.traces.graph import TracedGraph
    from grader.autograd.traces.noted import Number
    from grader.report import TraceStep

MOST = 3  # gradients that one sentence names


def forward_words(graph: TracedGraph, node: int, begin: Number) -> str:
    """Return a sentence about a node whose data, or first gradient `begin`, is wrong."""
    found, right = _text(graph.found[node]), _text(graph.data[node])
    if alike(graph.found[node], graph.data[node]):
        return f"`{graph.names[node]}` begins with a gradient of {_text(begin)}; a right one is 0."
    return f"`{graph.names[node]}` is {found}; a right forward pass gives {right}."


class Difference:
    """The step `at` of the student's walk and of the right one; all gradients begin with 0."""

    def __init__(
        self, graph: TracedGraph, ours: Sequence[TraceStep], theirs: Sequence[TraceStep], at: int
    ) -> None:
        self.graph = graph
        self.before: list[Number] = [0.0 for _ in graph.ops]
        self.step = ours[at] if at < len(ours) else None
        self.other = theirs[at] if at < len(theirs) else None
        self.rest = theirs[at:]
        self.done = [step.node for step in ours[:at] if step.kind == "call"]
        for step in theirs[:at]:
            self._apply(self.before, step)

    @staticmethod
    def _apply(grads: list[Number], step: TraceStep) -> list[Number]:
        for i, number in step.changes:
            grads[i] = number
        return grads

    def words(self) -> str:
        """Return a sentence about the step."""
        step, other = self.step, self.other
        if step is None:
            return self._missing()
        if step.kind == "seed" and other is not None and other.kind == "seed":
            return f"{self._grad(step.node)} is seeded with {_text(step.changes[0][1])}; a right walk seeds it with 1."
        if step.kind != "call":
            return self._set(step)
        if other is not None and other.kind == "seed":
            root = self._grad(other.node)
            return f"`{self._name(step.node)}` is called while {root} is not seeded; a right walk first sets it to 1."
        if other is None or step.node != other.node:
            return self._order(step.node)
        return self._changes(step, other)

    def _name(self, node: int) -> str:
        return self.graph.names[node]

    def _grad(self, node: int) -> str:
        name = self._name(node)
        return f"`({name}).grad`" if " " in name else f"`{name}.grad`"

    def _missing(self) -> str:
        """Return the words for a walk that stops here."""
        if self.other is None:
            return "The walk stops here."
        if self.other.kind == "seed":
            return f"The walk stops here: {self._grad(self.other.node)} is not seeded with 1."
        names = [f"`{self._name(step.node)}`" for step in self.rest if step.kind == "call"]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        return f"The walk stops here: what {listed} should hand on is missing."

    def _set(self, step: TraceStep) -> str:
        """Return the words for a gradient that changes outside of a call."""
        new, other = _text(step.changes[0][1]), self.other
        if other is not None and other.kind == "call" and step.node in dict(other.changes):
            right = _text(dict(other.changes)[step.node])
            return (
                f"{self._grad(step.node)} becomes {new}; in a right walk `{self._name(other.node)}` "
                f"hands on here, and it becomes {right}."
            )
        return f"{self._grad(step.node)} is set to {new} here; a right walk does not do that."

    def _order(self, node: int) -> str:
        """Return the words for a node that a right walk does not call here."""
        name = f"`{self._name(node)}`"
        if node in self.done:
            return f"{name} is called once more, so it hands on again what it has handed on already."
        waiting = [f"`{self._name(user)}`" for user in self.graph.users(node) if user not in self.done]
        if waiting:
            users = " and ".join(waiting)
            return f"{name} is called before {users}, so its gradient is not complete when it hands it on."
        return f"{name} is called here; a right walk does not call it."

    def _changes(self, step: TraceStep, other: TraceStep) -> str:
        """Return what a call of the right node changed, and what it should have changed."""
        before = self.before
        ours, theirs = self._apply([*before], step), self._apply([*before], other)
        changed = [i for i, (x, y) in enumerate(zip(ours, theirs, strict=True)) if not alike(x, y)]
        found = [
            f"{self._grad(i)} {'stays' if alike(ours[i], before[i]) else 'becomes'} {_text(ours[i])}, "
            f"and {_text(theirs[i])} in a right walk"
            for i in changed[:MOST]
        ]
        upstream = _text(before[step.node])
        return f"`{self._name(step.node)}` is called with an upstream gradient of {upstream}: {'; '.join(found)}."


def _text(number: Number) -> str:
    return number if isinstance(number, str) else short(number)
