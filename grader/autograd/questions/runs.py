"""Graphs in a student's engine: data, gradients and calls, as `grade walk` records them; also a graph that a student typed."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.autograd.engine import engine_with, node_data, set_grad
from grader.autograd.questions.graphs import NAMES, OPERATORS, GraphPlan, places_in
from grader.sandbox import Sandbox, StudentError, Undefined
from grader.sandbox.proxy import Proxy, object_kind, short
from grader.sandbox.student import Unanswered
from grader.topic.questions import (
    Asking,
    Box,
    Question,
    QuestionedWork,
    SceneWords,
    SourceEdit,
    Statement,
    as_code,
    sheet_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


CLOSE = 1e-3  # relative: arrays may have few digits
_APPLIED: dict[str, Callable[..., Any]] = {**OPERATORS, "**": operator.pow, "neg": operator.neg}


class Call(NamedTuple):
    """A call of a node's `_backward`: the gradients of all nodes before it, and those that it changed."""

    node: str
    before: dict[str, Any]
    changes: dict[str, Any]


class GraphRun(NamedTuple):
    """A graph in the student's engine: data and gradients at the end, and the calls of results in order.

    `way` is the call of the backward pass, `L.backward()`, or the nodes in the order in which they were called by hand; empty
    without a backward pass. `calls` is empty if they could not be recorded. `closure` is the attribute with a node's rule;
    empty if nodes keep local gradients.
    """

    way: str
    data: dict[str, Any]
    grads: dict[str, Any]
    calls: list[Call]
    closure: str

    @property
    def once(self) -> list[Call]:
        """The calls of nodes that are called once."""
        called = [call.node for call in self.calls]
        return [call for call in self.calls if called.count(call.node) == 1]


class EngineScene:
    """A graph in a student's engine, and runs of it and of other graphs; each run is made once."""

    def __init__(self, work: QuestionedWork, plan: GraphPlan) -> None:
        self.work, self.plan = work, plan
        self.engine = engine_with(work.manifest.names, arrays=work.manifest.arrays)
        self._kept: dict[Any, GraphRun | None] = {}

    def restart(self, work: QuestionedWork) -> EngineScene:
        """Return the same graph for independent runs."""
        return EngineScene(work, self.plan)

    # --- Runs

    @property
    def run(self) -> GraphRun | None:
        """The run of the graph; None if it fails."""
        return self.run_of(self.plan)

    def run_of(self, plan: GraphPlan, sources: list[str] | None = None) -> GraphRun | None:
        """Build a graph and run the backward pass; None if that fails. `sources` are the blocks of an edited submission."""
        key = (tuple(plan.lines), None if sources is None else tuple(sources))
        if key not in self._kept:
            self._kept[key] = self.work.attempt(sources, lambda student, box: self._run(plan, student, box))
        return self._kept[key]

    def edit(self, statement: Statement, edit: SourceEdit) -> GraphRun | None:
        """Return the run of the graph after an edit; None if it fails or does not fit."""
        sources = self.work.edit(statement, edit)
        return self.run_of(self.plan, sources) if sources else None

    def roots(self, plans: Sequence[GraphPlan]) -> list[float] | None:
        """Return the root's data of each of these graphs."""
        found: list[float] | None = self.work.attempt(
            None, lambda student, _: [float(node_data(plan.build(student)[plan.root])) for plan in plans]
        )
        return found

    def _run(self, plan: GraphPlan, student: Any, sandbox: Sandbox) -> GraphRun:
        student.node_class  # loads the submission before the watching begins  # noqa: B018
        watcher = self.work.topic.watcher(sandbox, self.work.manifest)
        assert watcher is not None
        sandbox.watcher = watcher.around
        try:
            run = _play_graph(student, plan)
        finally:
            sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=True, hide=False) if run.way else None
        return run._replace(calls=_calls_of(trace, plan) if trace else [])

    # --- The graph on a sheet

    def forward_is_theirs(self, statements: Sequence[Statement]) -> bool:
        """Return False if the student wrote only the rules of the graph's operations: given lines compute the results."""
        own = [one.function for one in statements if any(is_of(one, step.op) for step in self.plan.steps)]
        return not own or not all(function.endswith(f".{self.engine.closure}") for function in own)

    def words(self) -> SceneWords:
        """Return the graph as Python and as boxes: leaves with their numbers, results with their operations."""
        place = {name: i for i, name in enumerate(self.plan.names)}
        boxes: list[Box] = [
            *(([name, str(number)], "", []) for name, number in self.plan.leaves.items()),
            *(([step.name, ""], step.op, [place[name] for name in step.inputs]) for step in self.plan.steps),
        ]
        after = way_words(self.run.way, self.engine.grad, self.run.closure) if self.run else ""
        return SceneWords(
            f"Your own code, unchanged, runs these lines. {after}".strip(), self.plan.lines, boxes
        )

    def play(self, student: Any) -> None:
        """Build the graph and run the backward pass. Raises StudentError, SubmissionStopped."""
        _go_back(student, self.plan.build(student), len(self.plan.leaves))

    def compare(self) -> None:
        """Run the graph as grading does; add a doubt about the first number that differs."""
        asked = self.work.as_graded(lambda student: _play_graph(student, self.plan))
        own, graded = (
            {place: sheet_number(number) for place, number in self._numbers(run).items()}
            for run in (self.run, asked)
        )
        for place in [place for place in own if graded.get(place) != own[place]][:1]:
            self.work.doubt(place, graded.get(place, ""), own[place])

    def _numbers(self, run: GraphRun | None) -> dict[str, float]:
        """Return all values and gradients of a run, by their expressions."""
        fields = ((self.engine.data, run.data), (self.engine.grad, run.grads)) if run else ()
        named = [(f"{name}.{field}", value) for field, values in fields for name, value in values.items()]
        return dict(itertools.chain.from_iterable(itertools.starmap(entries_of, named)))

    def differences(self) -> Iterator[tuple[str, str, str]]:
        """Yield wrong values and wrong gradients of leaves: the expression, the student's number, the right one."""
        run, plan = self.run, self.plan
        if run is None:
            return
        data, grads = {name: plan.right(name)[0] for name in plan.names}, plan.right(plan.root)[1]
        right = self._numbers(run._replace(data=data, grads=grads if run.way else {}))
        theirs = self._numbers(run)
        for place, number in right.items():
            own = theirs.get(place)
            if own is None or abs(own - number) > CLOSE * max(1.0, abs(number)):
                yield place, "no number" if own is None else sheet_number(own), sheet_number(number)


def way_words(way: str, field: str, closure: str) -> str:
    """Return the sentence about the backward pass, after the lines of a graph; empty if there is none."""
    if way and not way.endswith(")"):  # an order in which nodes are called by hand
        nodes = way.split(", ")
        several = f"`{closure}()` of {as_code(nodes)}, in this order"
        return f"Then come `{nodes[0]}.{field} = 1.0` and {several if nodes[1:] else f'`{way}.{closure}()`'}."
    return f"Then `{way}` is called." if way else ""


def _play_graph(student: Any, plan: GraphPlan) -> GraphRun:
    """Build a graph, run the backward pass, and return the numbers in its nodes. Raises StudentError, SubmissionStopped."""
    nodes, way, engine = plan.build(student), "", student.engine
    with contextlib.suppress(StudentError):  # the backward pass may not be written yet
        way = _go_back(student, nodes, len(plan.leaves))
    data = {name: _plain(getattr(node, engine.data)) for name, node in nodes.items()}
    grads = {name: _plain(getattr(node, engine.grad)) for name, node in nodes.items()} if way else {}
    rule = _callable_of(lambda: getattr(nodes[plan.root], engine.closure))
    return GraphRun(way, data, grads, [], "" if rule is None else engine.closure)


def play_typed(
    student: Any, leaves: Mapping[str, Any], steps: Sequence[tuple[str, str, Sequence[Any]]]
) -> None:
    """Build the graph and go back from its root. Raises the errors of the student's code and of its proxies.

    A step has a name, an operation, and operands: names of nodes, or numbers; the last may be an option, "axis=0".
    A result that is no node ends the graph: without it, the rest would be another graph than the one typed.
    """
    node = student.engine.node
    made = zip(leaves, student.leaves(**leaves), strict=True)
    nodes = {name: _node_of(leaf, node, node) for name, leaf in made}
    for name, op, operands in steps:
        own, *others = [nodes.get(one, one) for one in operands]
        found = (
            _APPLIED[op](own, *others)
            if op in _APPLIED
            else getattr(own, op)(**{key: int(value) for key, value in (one.split("=") for one in others)})
        )
        nodes[name] = _node_of(found, op, node)
        if name.isidentifier():
            student.name(**{name: found})
    _go_back(student, nodes, len(leaves))


def _node_of(found: Any, maker: str, node: str) -> Any:
    """Return the result of an operation or of the class. Raises AssertionError unless it is an object of the student's."""
    assert isinstance(found, Proxy), f"`{maker}` returned {short(found)}. Return a {node}."
    return found


def _go_back(student: Any, nodes: Mapping[str, Any], leaves: int) -> str:
    """Run the submission's backward pass from the last node, and return the call; "" if it has none.

    The first nodes are the leaves; their number is `leaves`.
    It is a method, a function called `backward`, or a call of each `_backward` by hand, from the last node to the first.
    Raises StudentError, SubmissionStopped.
    """
    order = [*nodes][: leaves - 1 : -1]
    engine, root = student.engine, nodes[order[0]]
    if method := _callable_of(lambda: getattr(root, engine.backward)):
        method()
        return f"{order[0]}.{engine.backward}()"
    if function := _callable_of(lambda: student.quietly(engine.backward)):
        function(root)
        return f"{engine.backward}({order[0]})"
    if not _callable_of(lambda: getattr(root, engine.closure)):
        return ""
    data = node_data(root)
    set_grad(root, data**0 if hasattr(data, "tolist") and not isinstance(data, Proxy) else 1.0)
    for name in order:
        getattr(nodes[name], engine.closure)()
    return ", ".join(order)


def _callable_of(read: Callable[[], Any]) -> Any:
    """Return a function or method of the student; None if it does not exist."""
    try:
        found = read()
    except (StudentError, Undefined, Unanswered):
        return None
    return found if isinstance(found, Proxy) and object_kind(found) == "function" else None


def _plain(value: Any) -> Any:
    """Return a number or the entries of an array as plain data; None for anything else or for numbers that are not finite."""
    if hasattr(value, "tolist") and not isinstance(value, Proxy):
        value = value.tolist()
    if isinstance(value, list):
        entries = [_plain(entry) for entry in value]
        return None if None in entries else entries
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _calls_of(trace: Any, plan: GraphPlan) -> list[Call]:
    """Return the calls of a trace, in order; none if one is of a node without a name on the sheet."""
    names = [node.name for node in trace.nodes]
    grads: dict[str, Any] = dict.fromkeys(names, 0.0)
    calls = list[Call]()
    for step in [one for one in trace.student if one.kind != "forward"]:
        changes = {
            names[node]: number for node, number in sorted(step.changes) if number != grads[names[node]]
        }
        if step.kind == "call":
            calls.append(Call(names[step.node], grads, changes))
        grads = grads | changes
    return calls if {call.node for call in calls} <= {*plan.names} else []


def entries_of(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value with their expressions: `a.grad`, or `A.grad[0, 1]` for an array."""
    for place in places_in(value) if value is not None else ():
        at = f"[{', '.join(map(str, place))}]" if place else ""
        yield f"{name}{at}", functools.reduce(operator.getitem, place, value)


def is_of(statement: Statement, op: str) -> bool:
    """Return True for a statement in the method of an operation."""
    return (f"__{NAMES[op]}__" if op in NAMES else op) in statement.function.split(".")


def about_run(
    ask: Callable[[Asking, EngineScene, GraphRun], Iterator[Question]],
) -> Callable[[Asking], Iterator[Question]]:
    """Decorate a function that asks about the run of the sheet's graph: if the run fails, it asks nothing."""

    def of_run(asking: Asking) -> Iterator[Question]:
        run = asking.scene.run
        return iter(()) if run is None else ask(asking, asking.scene, run)

    return of_run
