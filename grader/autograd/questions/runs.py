"""Graphs in a student's engine: data, gradients and calls, as `grade walk` records them."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.autograd.engine import engine_with, node_data, set_grad
from grader.autograd.questions.graphs import NAMES
from grader.sandbox import StudentError, Undefined
from grader.sandbox.proxy import Proxy, object_kind
from grader.sandbox.student import Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.autograd.engine import EngineNames
    from grader.autograd.questions.graphs import GraphPlan
    from grader.sandbox import Sandbox
    from grader.topic.questions import QuestionedWork, Statement


class Call(NamedTuple):
    """A call of a node's `_backward`, with the gradients of all nodes before and after it."""

    node: str
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def changes(self) -> dict[str, Any]:
        """The gradients that it changed, with the new ones."""
        return {name: new for name, new in self.after.items() if new != self.before.get(name)}


class GraphRun(NamedTuple):
    """A graph in the student's engine: data and gradients at the end, and the calls in order.

    `way` is the call that went back, `L.backward()`, or the nodes in the order in which they were called by hand; empty
    if nothing goes back. `calls` is None where they could not be recorded. Nodes without closures keep local gradients.
    """

    way: str
    data: dict[str, Any]
    grads: dict[str, Any]
    calls: list[Call] | None
    has_closures: bool


class Runs:
    """The graphs that one submission was asked to make; each is made once."""

    def __init__(self, work: QuestionedWork, failed: Mapping[Any, None] | None = None) -> None:
        """`failed` are graphs that need not be tried again."""
        self.work = work
        self._kept: dict[Any, GraphRun | None] = {**(failed or {})}

    @property
    def engine(self) -> EngineNames:
        """The names of the submission's engine."""
        return engine_with(self.work.manifest.names, arrays=self.work.manifest.arrays)

    def again(self, work: QuestionedWork) -> Runs:
        """Return independent runs of the same submission."""
        return Runs(work, {key: run for key, run in self._kept.items() if run is None})

    def run(self, plan: GraphPlan, sources: list[str] | None = None) -> GraphRun | None:
        """Build a graph and go back from its root; None if that fails. `sources` are those of an edited submission."""
        key = (tuple(plan.lines), None if sources is None else tuple(sources))
        if key not in self._kept:
            self._kept[key] = self.work.attempt(sources, lambda student, box: self._run(plan, student, box))
        return self._kept[key]

    def roots(self, plans: Sequence[GraphPlan]) -> list[float] | None:
        """Return the root's data of each of these graphs."""

        def build(student: Any, _: Sandbox) -> list[float]:
            return [float(node_data(plan.build(student)[plan.root])) for plan in plans]

        found: list[float] | None = self.work.attempt(None, build)
        return found

    def _run(self, plan: GraphPlan, student: Any, sandbox: Sandbox) -> GraphRun:
        student.node_class  # loads the submission, which is not to be watched  # noqa: B018
        watcher = self.work.topic.watcher(sandbox, self.work.manifest)
        assert watcher is not None
        sandbox.watcher = watcher.around
        try:
            nodes, way = played(student, plan)
        finally:
            sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=True, hide=False) if way else None
        return read_nodes(student, plan, nodes, way)._replace(calls=calls_of(trace, plan) if trace else None)


def played(student: Any, plan: GraphPlan) -> tuple[dict[str, Any], str]:
    """Build a graph and go back from its root; return the nodes, and the way. Raises StudentError, SubmissionStopped."""
    nodes, way = plan.build(student), ""
    with contextlib.suppress(StudentError):  # the forward pass alone may be written
        way = go_back(student, plan, nodes)
    return nodes, way


def read_nodes(student: Any, plan: GraphPlan, nodes: Mapping[str, Any], way: str) -> GraphRun:
    """Return what stands in the nodes of a graph, without the calls. Raises StudentError, SubmissionStopped."""
    engine = student.engine
    data = {name: plain(getattr(node, engine.data)) for name, node in nodes.items()}
    grads = {name: plain(getattr(node, engine.grad)) for name, node in nodes.items()} if way else {}
    rule = callable_of(lambda: getattr(nodes[plan.root], engine.closure))
    return GraphRun(way, data, grads, None, rule is not None)


def go_back(student: Any, plan: GraphPlan, nodes: Mapping[str, Any]) -> str:
    """Go back from the root as the submission does, and return the way; "" if it has none.

    By a method, by a function called `backward`, or by calling each `_backward` by hand from the last node to the first.
    Raises StudentError, SubmissionStopped.
    """
    engine, root = student.engine, nodes[plan.root]
    if callable_of(lambda: getattr(root, engine.backward)):
        getattr(root, engine.backward)()
        return f"{plan.root}.{engine.backward}()"
    if function := callable_of(lambda: student.quietly(engine.backward)):
        function(root)
        return f"{engine.backward}({plan.root})"
    if not callable_of(lambda: getattr(root, engine.closure)):
        return ""
    set_grad(root, 1.0)
    order = [step.name for step in reversed(plan.steps)]
    for name in order:
        getattr(nodes[name], engine.closure)()
    return ", ".join(order)


def callable_of(read: Callable[[], Any]) -> Any:
    """Return a function or a method of theirs; None if there is no such thing."""
    try:
        found = read()
    except (StudentError, Undefined, Unanswered):
        return None
    return found if isinstance(found, Proxy) and object_kind(found) == "function" else None


def plain(value: Any) -> Any:
    """Return a number or the entries of an array as plain data; None for anything else or what is not finite."""
    if hasattr(value, "tolist") and not isinstance(value, Proxy):
        value = value.tolist()
    if isinstance(value, list):
        entries = [plain(entry) for entry in value]
        return None if None in entries else entries
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def calls_of(trace: Any, plan: GraphPlan) -> list[Call] | None:
    """Return the calls of a trace, in order; None if a node was called that has no name on the sheet."""
    names = [node.name for node in trace.nodes]
    grads: dict[str, Any] = dict.fromkeys(names, 0.0)
    calls = list[Call]()
    for step in trace.student:
        if step.kind == "forward":
            continue
        before = dict(grads)
        grads.update({names[node]: number for node, number in step.changes})
        if step.kind == "call":
            if names[step.node] not in plan.names:
                return None
            calls.append(Call(names[step.node], before, dict(grads)))
    return calls


def entries_of(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value with their expressions: `a.grad`, or `A.grad[0, 1]` for an array."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            rows = entries_of("", part)
            yield from ((f"{name}[{i}{', ' + rest[1:-1] if rest else ''}]", number) for rest, number in rows)
    elif value is not None:
        yield name, value


def is_of(statement: Statement, op: str) -> bool:
    """Return True for a statement in the method of an operation."""
    return (f"__{NAMES[op]}__" if op in NAMES else op) in statement.function.split(".")
