"""Both walks of a test as steps: the student's, the right one, and the first step at which they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from grader.autograd.traces.graph import PLAIN, alike, finite_or_text, number_of, shape_of
from grader.autograd.traces.walked import Recorded, done, recorded, turned, walk_requests
from grader.autograd.walks.runs import CALL
from grader.autograd.words import STEPS, attribute
from grader.report import Trace, TraceInput, TraceNode, TraceStep, cap
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.traces.graph import GraphSnapshot, Local, Number, TracedGraph
    from grader.autograd.traces.walked import WalkRequest
    from grader.autograd.walks.runs import Noted, WalkEvent

    Kind = Literal["forward", "seed", "call", "set"]

MAX_LEAVES = 8  # that the line about the graph names
MAX_CHANGES = 3  # gradients that one sentence names
_ZERO = (0.0, "None")


class Walk:
    """Steps, each with the number of the request that made it, and the gradients after them."""

    def __init__(self, before: Sequence[Number]) -> None:
        self.grads = list(before)
        self.part = 0
        self.made: list[tuple[int, TraceStep]] = []

    @property
    def steps(self) -> list[TraceStep]:
        """The steps, in order."""
        return [step for _, step in self.made]

    def at(self, index: int) -> tuple[int, TraceStep | None]:
        """Return a step with its request; after the end no step of the last request."""
        return self.made[index] if index < len(self.made) else (self.part, None)

    def add(self, kind: Kind, node: int, changes: Iterable[tuple[int, Number]]) -> None:
        """Add a step; of several changes of one node, the last counts."""
        last = list(dict(changes).items())
        for i, number in last:
            self.grads[i] = number
        self.made.append((self.part, TraceStep(kind, node, last)))

    def call(self, node: int, operands: Sequence[Local]) -> None:
        """Call the right `_backward` of a node."""
        new: dict[int, float] = {}
        for operand in operands:
            if operand.node is not None:
                before = new.get(operand.node, self._grad(operand.node))
                new[operand.node] = before + operand.slope * self._grad(node)
        self.add("call", node, [(i, finite_or_text(grad)) for i, grad in new.items()])

    def _grad(self, node: int) -> float:
        """Return a gradient as a number: None counts as 0."""
        return 0.0 if self.grads[node] == "None" else number_of(self.grads[node])


class Walks:
    """The student's walk and the right one. The right one clears gradients where the student's does, if it may.

    The test calls nodes in an order that the check gives, or with `answered` in that of an answer of the student's.
    """

    def __init__(
        self,
        graph: TracedGraph,
        seen: GraphSnapshot,
        asked: Sequence[WalkRequest],
        *,
        answered: bool,
        may_clear: bool,
    ) -> None:
        self.graph, self.seen, self.may_clear = graph, seen, may_clear
        self.student, self.right = Walk(seen.before), Walk([0.0 for _ in seen.before])
        self.before: list[Number] = []  # the right gradients before the first difference
        self.clears = False  # True if gradients were cleared before a walk
        self.recorded: dict[int, Recorded] = {}  # by the number of a request
        self.walked: set[int] = set()  # the nodes of all walks until now
        parts = [*walk_requests(seen.events, asked)]
        rules = [(one.node, part) for one, part in parts if one and one.kind == "rule"]
        answered = answered and any(node in graph.inner for node, _ in rules)
        self.order = [event for _, part in rules for event in part] if answered else None
        self.answer: int | None = None  # the request with which the walk in the student's order began
        for number, (request, part) in enumerate(parts):
            self.student.part = self.right.part = number
            if request is None:
                self._set(part, self.student)
            elif request.kind == "set":
                if request.name == self.graph.engine.data:
                    raise ValueError("a test that sets data")
                self._set(part, self.student, self.right, seeds=True)
            elif request.kind == "rule":
                self._called_by_test(request, part)
            else:
                self._walked(request, part)

    def _set(self, part: Iterable[Noted | WalkEvent], *walks: Walk, seeds: bool = False) -> None:
        for i, number in (change for step in done(part) for change in step.changes):
            kind: Kind = "seed" if seeds and self.graph.ops[i] and number not in _ZERO else "set"
            for walk in walks:
                walk.add(kind, i, [(i, number)])

    def _called_by_test(self, request: WalkRequest, part: Sequence[Noted]) -> None:
        node = request.node
        if self.answer is not None:
            self.student.part = self.answer
        elif node is not None and self.order is not None:
            self.answer = self.right.part
            seeds = [step.node for step in self.right.steps if step.kind == "seed"]
            self._walk_right(recorded("", self.graph, [node, *seeds][-1], self.student.grads, self.order))
        elif node is not None and self.graph.ops[node]:
            self.right.call(node, self.graph.locals[node])
        self._done(part, None)

    def _walked(self, request: WalkRequest, part: Sequence[Noted]) -> None:
        """Add what a function did: a walk, or anything else that changes gradients, such as clearing them."""
        hands = any(self.seen.kept) and not _calls(part)
        before = [*self.student.grads]
        turns = turned(part, self.graph, self.seen, before) if hands else None
        events: Sequence[Noted | WalkEvent] = turns.events if turns else part
        calls = any(self.graph.ops[node] for node in _calls(events))
        if not calls and not self.graph.engine.is_walk(request.name):
            self._set(events, self.student, self.right)
            return
        if request.node is None:
            raise ValueError("a walk from no node")
        self._done(events, request.node)
        made = recorded(
            request.name, self.graph, request.node, before, events, earlier=self.walked, hands=hands
        )
        self._walk_right(made._replace(clear=made.clear and (turns is None or turns.exact)))

    def _done(self, events: Iterable[Noted | WalkEvent], root: int | None) -> None:
        """Add steps to the student's walk, and to the right one what it may clear."""
        called: set[int] = set()
        for step in done(events):
            if step.kind == "call":
                called.add(step.node)
                if self.graph.ops[step.node]:
                    self.student.add("call", step.node, step.changes)
                continue
            (change,) = step.changes
            cleared = change[1] in _ZERO
            seeds = step.node == root and not cleared and root not in called
            self.student.add("seed" if seeds else "set", step.node, [change])
            if cleared and not called:
                self.clears = True
                if self.may_clear and root is not None:
                    self.right.add("set", step.node, [change])

    def _walk_right(self, made: Recorded) -> None:
        """Walk from the root, in the right order that is closest to the student's calls."""
        self.recorded[self.right.part] = made
        self.walked.update(made.nodes)
        root = made.nodes[-1]
        if self.right.grads[root] != 1.0:
            self.right.add("seed", root, [(root, 1.0)])
        for place in made.run.closest()[0] if self.graph.consistent else ():
            self.right.call(made.nodes[place], self.graph.locals[made.nodes[place]])

    def about(self, nodes: Sequence[int]) -> None:
        """Leave out the steps about other nodes, and put the forward pass before them; plain nodes have none."""
        computed = [] if any(self.graph.ops[i] == PLAIN for i in nodes) else nodes
        for walk, data in ((self.student, self.graph.found), (self.right, self.graph.data)):
            forward = [(0, TraceStep("forward", i, [(i, data[i])])) for i in computed]
            walk.made = forward + [(part, step) for part, step in walk.made if step.node in nodes]

    def first_difference(self, nodes: Sequence[int]) -> int | None:
        """Return the first step at which data or gradients of these nodes, or the steps, differ."""
        ours: list[Number] = list(self.seen.before)
        theirs: list[Number] = [0.0 for _ in ours]
        for at, (step, other) in enumerate(zip(self.student.steps, self.right.steps, strict=False)):
            self.before, ours, theirs = theirs, after(ours, step), after(theirs, other)
            same = (step.kind, step.node) == (other.kind, other.node)
            if step.kind == "forward":
                i = step.node
                same = alike(self.graph.found[i], self.graph.data[i]) and alike(self.seen.before[i], 0.0)
            elif same:
                same = all(alike(ours[i], theirs[i]) for i in nodes)
            if not same:
                return at
        shorter, longer = sorted((len(self.student.steps), len(self.right.steps)))
        return shorter if shorter < longer else None

    # Words

    def words(self, at: int, error: str, *, hide: bool) -> str:
        """Return the sentence about the step at which the walks differ first; `error` ended the student's.

        A wrong number is told as such, anything else as the finding about the first of the walks that it may be of.
        """
        (part, step), (due, other) = self.student.at(at), self.right.at(at)
        if step and step.kind == "forward":
            ours, right = self.graph.found[step.node], self.graph.data[step.node]
            if alike(ours, right):
                return self._said("begin", step.node, self.seen.before[step.node])
            return self._said("forward", step.node, ours, right)
        made = self.recorded.get(min(part, due))
        called = {each.node for each in self.student.steps[:at] if each.kind == "call"}
        if step and other and step.kind == other.kind == "call" and step.node == other.node:
            said = self._call_words(step, other)
        elif made and not error and (fault := made.words(self.graph.engine)):
            said = fault
        elif step and step.kind == "call" and step.node in called:
            said = self._said("again", step.node)
        elif hide or other is None:  # what a right walk does would be an answer where it is to hide
            said = "" if error and not other else STEPS["hidden" if hide else "right end"]
        elif other.kind == "call":
            said = self._said("right call", other.node)
        else:
            said = self._said("right change", other.node, right=other.changes[0][1])
        return f"{said} Your code raises {error}.".strip() if error else said

    def _said(self, what: str, node: int, ours: Number = "", right: Number = "", changes: str = "") -> str:
        name = self.graph.names[node]
        grad = attribute(name, self.graph.engine.grad)
        return STEPS[what].format(node=name, grad=grad, ours=_text(ours), right=_text(right), changes=changes)

    def _call_words(self, step: TraceStep, other: TraceStep) -> str:
        """Return what a call of the right node changed, and what it should have changed."""
        numbers = enumerate(
            zip(self.before, after(self.before, step), after(self.before, other), strict=True)
        )
        said = [
            self._said("stays" if alike(ours, before) else "becomes", i, ours, right)
            for i, (before, ours, right) in numbers
            if not alike(ours, right)
        ]
        changes = "; ".join(said[:MAX_CHANGES])
        return self._said("call", step.node, self.before[step.node], changes=changes)


def after(grads: Sequence[Number], step: TraceStep) -> list[Number]:
    """Return the gradients after a step."""
    found = list(grads)
    for i, number in step.changes if step.kind != "forward" else ():
        found[i] = number
    return found


def _calls(events: Iterable[Noted | WalkEvent]) -> list[int]:
    return [event.node for event in events if event.code == CALL]


def _text(number: Number) -> str:
    return number if isinstance(number, str) else short(number)


# --- The trace


def trace_of(
    graph: TracedGraph,
    seen: GraphSnapshot,
    asked: Sequence[WalkRequest],
    error: str,
    *,
    passed: bool,
    hide: bool,
) -> Trace | None:
    """Return the trace of a test; None if it has neither a forward pass nor a walk. Raises LookupError, TypeError, ValueError.

    `error` is the error that ended the walk. With `hide` there is no right walk: it would be an answer.
    """
    for may_clear in (True, False):  # clearing is a fault only where there is no other
        walks = Walks(graph, seen, asked, answered=hide, may_clear=may_clear)
        nodes = _nodes_of(graph, walks.student, asked)
        walks.about(nodes)
        at = walks.first_difference(nodes)
        if passed or at is not None or not walks.clears:
            break
    if not graph.inner or not (walks.student.steps or walks.right.steps):
        return None
    at = len(walks.student.steps) if error and at is None else at
    wrong = None if passed or not graph.has_right else at
    place = {node: i for i, node in enumerate(nodes)}
    student, right = (
        [
            TraceStep(step.kind, place[step.node], [(place[i], x) for i, x in step.changes if i in place])
            for step in walk.steps
        ]
        for walk in (walks.student, walks.right)
    )
    return Trace(
        given=cap(_given(graph, nodes)),
        nodes=[_node(graph, i, place) for i in nodes],
        student=student,
        right=[] if hide or not graph.has_right else right,
        wrong=wrong,
        words="" if wrong is None else cap(walks.words(wrong, error, hide=hide)),
        field=graph.engine.grad,
    )


def _nodes_of(graph: TracedGraph, student: Walk, asked: Sequence[WalkRequest]) -> list[int]:
    """Return the nodes that the walks are about: below the roots and the calls; else below the last node."""
    roots = {step.node for step in student.steps if step.kind in ("seed", "call")}
    roots |= {request.node for request in asked if request.kind != "set" and request.node is not None}
    return graph.below(roots & {*graph.inner} or graph.inner[-1:])


def _given(graph: TracedGraph, nodes: Sequence[int]) -> str:
    """Return the numbers of the leaves, and how the nodes with a name are made; else the expression of the last node."""
    if any(graph.ops[i] == PLAIN for i in nodes):
        graphs = [", ".join(graph.names[i] for i in part) for part in _apart(graph, nodes)]
        return f"{'plain nodes ' if len(graphs) == 1 else 'graphs of plain nodes: '}{'; '.join(graphs)}"
    shapes = {
        i: shape_of(graph.found[i]) for i in nodes if not graph.ops[i] and graph.names[i].isidentifier()
    }
    leaves = [
        f"{graph.names[i]} of shape {shape}" if shape else f"{graph.names[i]} = {_text(graph.found[i])}"
        for i, shape in shapes.items()
    ]
    named = [i for i in nodes if graph.ops[i] and graph.names[i].isidentifier()]
    numbers = ", ".join(leaves[:MAX_LEAVES])
    if not named:
        return f"{numbers} in {graph.names[nodes[-1]]}"
    return "; ".join([numbers, *(f"{graph.names[i]} = {graph.expression(i)}" for i in named)])


def _apart(graph: TracedGraph, nodes: Sequence[int]) -> list[list[int]]:
    """Return these nodes as graphs that share none."""
    found: list[list[int]] = []
    for node in nodes:
        children = {one.node for one in graph.locals[node]}
        joined = [part for part in found if children.intersection(part)]
        found = [part for part in found if part not in joined]
        found.append(sorted([node, *(i for part in joined for i in part)]))
    return found


def _node(graph: TracedGraph, node: int, place: dict[int, int]) -> TraceNode:
    op: Any = "" if graph.ops[node] == PLAIN else graph.ops[node]
    inputs = [
        TraceInput(
            None if one.node is None else place[one.node],
            one.number,
            finite_or_text(one.slope) if graph.has_right else "",
        )
        for one in graph.locals[node]
    ]
    return TraceNode(graph.names[node], op, inputs)
