"""Both walks of a test as steps: the student's, the right one, and the first step at which they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from grader.autograd.traces.graph import PLAIN, alike, number_of, shown
from grader.autograd.traces.noted import Call, Read, Set, Unreadable, Write, changes_of, parts_of
from grader.autograd.traces.words import Difference, forward_words
from grader.autograd.walks.graphs import Graph, Step, closest
from grader.autograd.walks.runs import CALL, GRAD, READ, Event, Kept, turns_of
from grader.report import Trace, TraceInput, TraceNode, TraceStep, cap
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.autograd.traces.graph import Local, TracedGraph
    from grader.autograd.traces.noted import Asked, Noted, Number, Seen

    Kind = Literal["forward", "seed", "call", "set"]

MAX_LEAVES = 8  # that the line about the graph names
_ZERO = (0.0, "None")


class Walk:
    """Steps, and the gradients after them."""

    def __init__(self, before: Sequence[Number]) -> None:
        self.grads = list(before)
        self.steps: list[TraceStep] = []

    def add(self, kind: Kind, node: int, changes: Iterable[tuple[int, Number]]) -> None:
        """Add a step; of several changes of one node, the last counts."""
        last = list(dict(changes).items())
        for i, number in last:
            self.grads[i] = number
        self.steps.append(TraceStep(kind, node, last))

    def call(self, node: int, operands: Sequence[Local]) -> None:
        """Call the right `_backward` of a node."""
        new: dict[int, float] = {}
        for operand in operands:
            if operand.node is not None:
                before = new.get(operand.node, self._grad(operand.node))
                new[operand.node] = before + operand.slope * self._grad(node)
        self.add("call", node, [(i, shown(grad)) for i, grad in new.items()])

    def _grad(self, node: int) -> float:
        """Return a gradient as a number: None counts as 0."""
        return 0.0 if self.grads[node] == "None" else number_of(self.grads[node])


class Walks:
    """The student's walk and the right one. The right one clears gradients where the student's does, if it may.

    The test calls nodes in an order that the check gives, or with `answered` in that of an answer of the student's.
    """

    def __init__(
        self, graph: TracedGraph, seen: Seen, asked: Sequence[Asked], *, answered: bool, may_clear: bool
    ) -> None:
        self.graph, self.seen, self.may_clear = graph, seen, may_clear
        # The student's order, until the right walk has begun.
        self.answer = [r.node for r in asked if answered and r.kind == "rule" and r.node in graph.inner]
        self.student, self.right = Walk(seen.before), Walk([0.0 for _ in seen.before])
        self.answered = False
        self.clears = False  # True if gradients were cleared before a walk
        for request, part in parts_of(seen.steps, asked):
            if request is None:
                self._set(self.student, part)
            elif request.kind == "set":
                self._set_by_test(request, part)
            elif request.kind == "rule":
                self._called_by_test(request, part)
            else:
                self._walked(request, part)

    @staticmethod
    def _set(walk: Walk, part: Iterable[Noted]) -> None:
        for i, number in changes_of(part):
            walk.add("set", i, [(i, number)])

    def _set_by_test(self, request: Asked, part: Iterable[Noted]) -> None:
        if request.name == "data":
            raise Unreadable
        for i, number in changes_of(part):
            for walk in (self.student, self.right):
                walk.add("seed" if self.graph.ops[i] and number not in _ZERO else "set", i, [(i, number)])

    def _called_by_test(self, request: Asked, part: Iterable[Noted]) -> None:
        node = request.node
        if self.answer and node is not None:
            roots = [step.node for step in self.right.steps if step.kind == "seed"]
            self._walk_right(roots[-1] if roots else node, self.answer)
            self.answered, self.answer = True, []
        elif node is not None and self.graph.ops[node] and not self.answered:
            self.right.call(node, self.graph.locals[node])
        self._done(part, None)

    def _walked(self, request: Asked, part: Sequence[Noted]) -> None:
        """Add what a function did: a walk, or anything else that changes gradients, such as clearing them."""
        has_calls = any(isinstance(step, Call) for step in part)
        steps = part if has_calls else turns(part, self.graph, self.seen)
        calls = [step.node for step in steps if isinstance(step, Call) and self.graph.ops[step.node]]
        if not calls and not request.name.endswith("backward"):
            for walk in (self.student, self.right):
                self._set(walk, steps)
            return
        if request.node is None:
            raise Unreadable
        self._done(steps, request.node)
        self._walk_right(request.node, calls)

    def _done(self, steps: Iterable[Noted], root: int | None) -> None:
        """Add steps to the student's walk, and to the right one what it may clear."""
        called: set[int] = set()
        for step in steps:
            if isinstance(step, Call):
                called.add(step.node)
                if self.graph.ops[step.node]:
                    self.student.add("call", step.node, step.changes)
                continue
            for i, number in sorted(changes_of([step]), key=lambda change: change[0] == root):
                seeds = i == root and number not in _ZERO and i not in called
                self.student.add("seed" if seeds else "set", i, [(i, number)])
                if number in _ZERO and not called:
                    self.clears = True
                    if self.may_clear and root is not None:
                        self.right.add("set", i, [(i, number)])

    def _walk_right(self, root: int, calls: Sequence[int]) -> None:
        """Walk from the root, in the right order that is closest to the student's calls."""
        if self.right.grads[root] != 1.0:
            self.right.add("seed", root, [(root, 1.0)])
        if self.graph.consistent:
            inner = [i for i in self.graph.below([root]) if self.graph.ops[i]]
            users = {i: [user for user in self.graph.users(i) if user in inner] for i in inner}
            order, _ = closest(calls, inner[::-1], lambda node: users.get(node, []))
            for node in order:
                self.right.call(node, self.graph.locals[node])

    def keep(self, nodes: Sequence[int]) -> None:
        """Leave out the steps about other nodes."""
        for walk in (self.student, self.right):
            walk.steps = [step for step in walk.steps if step.node in nodes]

    def first_difference(self, nodes: Sequence[int]) -> int | None:
        """Return the first step at which the gradients of these nodes, or the steps, differ."""
        ours: list[Number] = list(self.seen.before)
        theirs: list[Number] = [0.0 for _ in ours]
        for at, (step, other) in enumerate(zip(self.student.steps, self.right.steps, strict=False)):
            ours, theirs = after(ours, step), after(theirs, other)
            same = (step.kind, step.node) == (other.kind, other.node)
            if not same or not all(alike(ours[i], theirs[i]) for i in nodes):
                return at
        shorter, longer = sorted((len(self.student.steps), len(self.right.steps)))
        return shorter if shorter < longer else None


def after(grads: Sequence[Number], step: TraceStep) -> list[Number]:
    """Return the gradients after a step."""
    found = list(grads)
    for i, number in step.changes:
        found[i] = number
    return found


# --- Nodes that keep local gradients


def turns(part: Sequence[Noted], graph: TracedGraph, seen: Seen) -> list[Noted]:
    """Return the calls that changes of gradients stand for, where nodes keep local gradients and have no closures."""
    accesses = [step for step in part if isinstance(step, Read | Write)]
    if not accesses:
        return [step for step in part if isinstance(step, Set)]
    events = [
        Event(GRAD, s.node, number_of(s.value)) if isinstance(s, Write) else Event(READ, s.node, None)
        for s in accesses
    ]
    steps = tuple(Step(op or "leaf", tuple(graph.operands[i])) for i, op in enumerate(graph.ops))  # type: ignore[arg-type]  # other operations, too
    small = Graph("", tuple(graph.names), steps, tuple(map(number_of, graph.data)))
    pairs = [[(i, number_of(slope)) for i, slope in kept or ()] for kept in seen.kept]
    found = turns_of(Kept(small, events, _before(accesses[0], seen), pairs))
    if found is None:
        return _turns_by_reads(accesses, graph)
    return [
        Call(event.node, event.value or 0.0, [(i, shown(x)) for i, x in changes])
        if event.code == CALL
        else Set([(event.node, event.value or 0.0)])
        for event, changes in zip(found.events, found.changes, strict=True)
    ]


def _turns_by_reads(accesses: Iterable[Read | Write], graph: TracedGraph) -> list[Noted]:
    """Return the calls where contributions are wrong.

    A change of a child's gradient belongs to its only user, or to one whose gradient was read just before.
    """
    found: list[Noted] = []
    last = -1
    for step in accesses:
        if isinstance(step, Read):
            last = step.node
            continue
        change, users = (step.node, step.value), graph.users(step.node)
        node = last if last in users else users[0] if len(users) == 1 else None
        if node is None:
            found.append(Set([change]))
        elif found and isinstance(found[-1], Call) and found[-1].node == node:
            found[-1].changes.append(change)
        else:
            found.append(Call(node, 0.0, [change]))
    return found


def _before(first: Noted, seen: Seen) -> list[float]:
    """Return the gradients before a step."""
    grads = list(seen.before)
    for step in seen.steps:
        if step is first:
            break
        for i, number in changes_of([step]):
            grads[i] = number
    return [0.0 if grad == "None" else number_of(grad) for grad in grads]


# --- The trace


def trace_of(
    graph: TracedGraph, seen: Seen, asked: Sequence[Asked], error: str, *, passed: bool, hide: bool
) -> Trace | None:
    """Return the trace of a test; None if it has neither a forward pass nor a walk. Raises Unreadable.

    `error` is the error that ended the walk. With `hide` there is no right walk: it would be an answer.
    """
    walks = Walks(graph, seen, asked, answered=hide, may_clear=True)
    nodes = _nodes_of(graph, walks.student, asked)
    wrong, at = _differ(graph, walks, nodes)
    if (
        at is wrong is None and walks.clears and not passed
    ):  # clearing is a fault only where there is no other
        walks = Walks(graph, seen, asked, answered=hide, may_clear=False)
        wrong, at = _differ(graph, walks, nodes)
    computed = _computed(graph, nodes)
    if not graph.inner or not (computed or walks.student.steps or walks.right.steps):
        return None
    if error and at is wrong is None:
        at = len(walks.student.steps)
    first = None if passed else wrong if wrong is not None else None if at is None else len(computed) + at
    words = ""
    if first is not None and first < len(computed):
        words = forward_words(graph, computed[first], seen.before[computed[first]])
    elif first is not None:
        difference = Difference(graph, walks.student.steps, walks.right.steps, first - len(computed))
        words = f"{difference.words()}{f' Your code raises {error}.' if error else ''}"
    place = {node: i for i, node in enumerate(nodes)}
    forward, right = (
        [TraceStep("forward", place[i], [(place[i], data[i])]) for i in computed]
        for data in (graph.found, graph.data)
    )
    return Trace(
        given=cap(_given(graph, nodes)),
        nodes=[_node(graph, i, place) for i in nodes],
        student=forward + [_renumbered(step, place) for step in walks.student.steps],
        right=[] if hide else right + [_renumbered(step, place) for step in walks.right.steps],
        wrong=first,
        words=cap(words),
        field="grad",
    )


def _differ(graph: TracedGraph, walks: Walks, nodes: Sequence[int]) -> tuple[int | None, int | None]:
    """Return the first wrong step of the forward pass, and of the walk."""
    walks.keep(nodes)
    computed = _computed(graph, nodes)
    before = walks.seen.before
    wrong = next(
        (
            at
            for at, i in enumerate(computed)
            if not alike(graph.found[i], graph.data[i]) or not alike(before[i], 0.0)
        ),
        None,
    )
    return wrong, walks.first_difference(nodes)


def _nodes_of(graph: TracedGraph, student: Walk, asked: Sequence[Asked]) -> list[int]:
    """Return the nodes that the walks are about: below the roots and the calls; else below the last node."""
    roots = {step.node for step in student.steps if step.kind in ("seed", "call")}
    roots |= {request.node for request in asked if request.kind != "set" and request.node is not None}
    return graph.below(roots & {*graph.inner} or graph.inner[-1:])


def _computed(graph: TracedGraph, nodes: Sequence[int]) -> list[int]:
    """Return the nodes of the forward pass; plain nodes have none."""
    return [] if any(graph.ops[i] == PLAIN for i in nodes) else list(nodes)


def _given(graph: TracedGraph, nodes: Sequence[int]) -> str:
    """Return the numbers of the leaves, and the expression of the last node."""
    if any(graph.ops[i] == PLAIN for i in nodes):
        return f"plain nodes {', '.join(graph.names[i] for i in nodes)}"
    leaves = [
        f"{graph.names[i]} = {short(graph.found[i])}"
        for i in nodes
        if not graph.ops[i] and graph.names[i].isidentifier()
    ]
    return f"{', '.join(leaves[:MAX_LEAVES])} in {graph.names[nodes[-1]]}"


def _node(graph: TracedGraph, node: int, place: dict[int, int]) -> TraceNode:
    op: Any = "" if graph.ops[node] == PLAIN else graph.ops[node]
    inputs = [
        TraceInput(None if one.node is None else place[one.node], one.number, shown(one.slope))
        for one in graph.locals[node]
    ]
    return TraceNode(graph.names[node], op, inputs)


def _renumbered(step: TraceStep, place: dict[int, int]) -> TraceStep:
    """Return a step with the indices of the shown nodes; changes of other nodes are left out."""
    return TraceStep(step.kind, place[step.node], [(place[i], x) for i, x in step.changes if i in place])
