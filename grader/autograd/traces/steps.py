"""Both walks of a test as steps: the student's, the right one, and the first step at which they differ.

Each walk of the test is also a run for walks/findings.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from msgspec.structs import replace

from grader.autograd.engine import COURSE, EngineNames
from grader.autograd.facts import WalkFact
from grader.autograd.traces.graph import (
    PLAIN,
    GraphSnapshot,
    Number,
    TracedGraph,
    alike,
    arrays_late,
    finite_or_text,
    number_of,
    shape_of,
)
from grader.autograd.walks.findings import first_wrong
from grader.autograd.walks.runs import (
    BACK,
    CALL,
    EARLIER,
    GRAD,
    HANDED,
    MARK,
    TracedEvent,
    WalkEvent,
    WalkRun,
    calls_at_turns,
    close,
    right_gradients,
)
from grader.autograd.words import STEPS, attribute, walk_sentence
from grader.autograd.words.own import in_names
from grader.report import Trace, TraceInput, TraceNode, TraceStep, cap
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from grader.autograd.walks.runs import Pairs

    Kind = Literal["forward", "seed", "call", "set"]

MAX_LEAVES = 8  # in the line about the graph
MAX_CHANGES = 3  # gradients in one sentence


# --- Requests


class WalkRequest(NamedTuple):
    """A request of the test that may walk: it sets a gradient, calls a `_backward`, or calls another function.

    `node` is the index of the node with the gradient or the `_backward`, or of the root of the walk; None if it is not a
    node. `name` is the name of the attribute or function; "" for all calls of a test in a student's order.
    """

    kind: str  # "set", "rule" or "walk"
    node: int | None
    name: str


def _steps_of(events: Iterable[TracedEvent | WalkEvent]) -> list[TraceStep]:
    """Return the calls, each with the gradients that it changed, and the gradients that were set, in order.

    Raises IndexError for a change without its call.
    """
    found, running = list[TraceStep](), list[TraceStep]()
    for event in events:
        value = "None" if event.value is None else event.value
        if event.code in {CALL, GRAD}:
            found.append(TraceStep("call" if event.code == CALL else "set", event.node, []))
            running += found[-1:] if event.code == CALL else []
        if event.code == BACK:
            del running[-1:]
        if event.code in {GRAD, HANDED}:
            (found if event.code == GRAD else running)[-1].changes.append((event.node, value))
    return found


def _walk_requests(
    events: Sequence[TracedEvent], asked: Sequence[WalkRequest]
) -> Iterator[tuple[WalkRequest | None, list[TracedEvent]]]:
    """Yield each request that may walk with its events, and None with the events of no such request."""
    place, part = -1, list[TracedEvent]()
    for event in [*events, TracedEvent(MARK, -1, None)]:
        if event.code != MARK:
            part.append(event)
            continue
        if part or 0 <= place < len(asked):
            yield asked[place] if 0 <= place < len(asked) else None, part
        place, part = event.node, []


# --- Runs


def _run_below(
    graph: TracedGraph,
    root: int,
    before: Sequence[Number],
    events: Sequence[TracedEvent | WalkEvent],
    *,
    earlier: Collection[int] = (),
    pairs: Pairs = (),
) -> tuple[list[int], WalkRun]:
    """Return the nodes below `root`, and the walk over them, which began with the gradients `before`.

    `earlier` are nodes of earlier walks, `pairs` the pairs that nodes keep.
    """
    nodes = graph.below([root])
    place, part = {node: i for i, node in enumerate(nodes)}, graph.part(nodes)
    start = [_plain(before[node]) for node in nodes]
    mine = [
        WalkEvent(event.code, place.get(event.node, EARLIER), _plain(event.value))
        for event in events
        if event.node in place or (event.code == CALL and event.node in earlier)
    ]
    texts = {each for each in [*before, *(event.value for event in events)] if isinstance(each, str)}
    after, due, known = list(start), [number or 0.0 for number in start], texts <= {"None"}
    for code, node, value in mine:
        if code in (GRAD, HANDED):
            after[node] = value
        if code == GRAD:
            due[node] = value or 0.0
        if code == CALL and node != EARLIER:
            known &= close(value, after[node])  # else a change is missing among the events
            for child, slope in part.pairs[node]:
                due[child] += slope * due[node]
    fair, right = right_gradients(start, part.pairs), all(map(close, after, due))
    return nodes, WalkRun(
        part, mine, start, after, fair, counts=True, pairs=pairs, rules_right=right, known=known
    )


def _fault_words(name: str, run: WalkRun, engine: EngineNames = COURSE) -> str:
    """Return the sentence about the first fault, in an engine's names; empty if the walk is right or not known."""
    seeded = bool(name) or run.before[-1] == 1.0  # else the test seeds in another way
    found = first_wrong(run, name) if run.known and seeded else None
    return walk_sentence(WalkFact.read(in_names(found.fact.fact(), engine))) if found else ""


def _plain(number: Number | None) -> float | None:
    return None if number in (None, "None") else number_of(number)


# --- Both walks


class _Walk:
    """Steps, each with the number of its request, and the gradients before and after it."""

    def __init__(self, before: Sequence[Number]) -> None:
        self.grads = list(before)
        self.part = 0
        self.made: list[tuple[int, TraceStep, list[Number], list[Number]]] = []

    @property
    def steps(self) -> list[TraceStep]:
        """The steps, in order."""
        return [step for _, step, *_ in self.made]

    def at(self, index: int) -> tuple[int, TraceStep | None]:
        """Return a step with its request; after the end, None with the last request."""
        return self.made[index][:2] if index < len(self.made) else (self.part, None)

    def add(self, kind: Kind, node: int, changes: Iterable[tuple[int, Number]]) -> None:
        """Add a step; of several changes of one node, the last counts."""
        last, before = dict(changes), self.grads
        self.grads = [last.get(i, number) for i, number in enumerate(before)]
        self.made.append((self.part, TraceStep(kind, node, list(last.items())), before, self.grads))

    def call(self, node: int, graph: TracedGraph) -> None:
        """Call the right `_backward` of a node of the graph."""
        grads = list(self.grads)
        for child, amount in graph.contributions(node, grads[node]):
            grads[child] = graph.add_to(grads[child], amount)
        self.add("call", node, [(child, grads[child]) for child, _ in graph.pairs[node]])


class _Walks:
    """The student's walk and the right one, which clears gradients where the student's does if `may_clear`.

    The test calls nodes in an order that the check gives or, with `answered`, in the order of a student's answer.
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
        self.student, self.right = _Walk(seen.before), _Walk([0.0 for _ in seen.before])
        self.clears = False  # True if gradients were cleared before a walk
        self.runs: dict[int, tuple[str, WalkRun]] = {}  # with its function, by the number of a request
        self.walked: set[int] = set()  # the nodes of all walks until now
        unclear = enumerate([] if PLAIN in graph.ops else seen.before)
        self._set([TracedEvent(GRAD, *one) for one in unclear if not alike(one[1], 0.0)], self.student)
        parts = [*_walk_requests(seen.events, asked)]
        rules = [(one, part) for one, part in parts if one and one.kind == "rule"]
        if answered and any(one.node in graph.inner for one, _ in rules):  # all are one walk
            first = parts.index(rules[0])
            all_rules = (
                WalkRequest("walk", rules[0][0].node, ""),
                [event for _, part in rules for event in part],
            )
            parts[first:] = [all_rules, *(each for each in parts[first:] if each not in rules)]
        for number, (request, part) in enumerate(parts):
            self.student.part = self.right.part = number
            if request is None:
                self._set(part, self.student)
            elif request.kind == "set":
                if request.name == graph.engine.data:
                    raise ValueError("a test that sets data")
                self._set(part, self.student, self.right, seeds=True)
            elif request.kind == "rule":
                if request.node is not None and graph.ops[request.node]:
                    self._call(request.node)
                self._add_done(part, None)
            else:
                self._add_walk(request, part)
        self.rounding = graph.rounding(number for step in self.right.steps for _, number in step.changes)

    def _set(self, part: Iterable[TracedEvent | WalkEvent], *walks: _Walk, seeds: bool = False) -> None:
        for i, number in (change for step in _steps_of(part) for change in step.changes):
            kind: Kind = "seed" if seeds and self.graph.ops[i] and not alike(number, 0.0) else "set"
            for walk in walks:
                walk.add(kind, i, [(i, number)])

    def _add_walk(self, request: WalkRequest, part: Sequence[TracedEvent]) -> None:
        """Add the steps of a function: a walk, or other changes of gradients, such as clearing them."""
        graph, before, root = self.graph, self.student.grads, request.node
        events, pairs, known = list[Any](part), list[Any](), not graph.arrays
        if any(self.seen.kept) and not any(event.code == CALL for event in part):
            # Without closures, turns are read from the changes of gradients.
            pairs = [[(i, number_of(slope)) for i, slope in kept or ()] for kept in self.seen.kept]
            whole = graph.part(range(len(graph.ops)))
            run = calls_at_turns(WalkRun(whole, part, [*map(_plain, before)], pairs=pairs))
            events, known = [*run.events], run.known
        calls = any(event.code == CALL and graph.ops[event.node] for event in events)
        if request.name and not calls and not graph.engine.is_walk(request.name):
            self._set(events, self.student, self.right)
            return
        if not request.name:
            root = [root, *(step.node for step in self.right.steps if step.kind == "seed")][-1]
        if root is None:
            raise ValueError("a walk from no node")
        nodes, run = _run_below(graph, root, before, events, earlier=self.walked, pairs=pairs)
        self.runs[self.right.part] = request.name, replace(run, known=run.known and known)
        self.walked.update(nodes)
        self._add_done(events, root if request.name else None)
        if graph.has_right and not alike(self.right.grads[root], seed := graph.seed(root)):
            self.right.add("seed", root, [(root, seed)])
        for place in run.closest()[0] if graph.consistent else ():
            self._call(nodes[place])

    def _call(self, node: int) -> None:
        if self.graph.has_right:
            self.right.call(node, self.graph)

    def _add_done(self, events: Iterable[TracedEvent | WalkEvent], root: int | None) -> None:
        """Add steps to the student's walk, and to the right walk the gradients that it may clear."""
        called: set[int] = set()
        for step in _steps_of(events):
            if step.kind == "call":
                called.add(step.node)
                if self.graph.ops[step.node]:
                    self.student.add("call", step.node, step.changes)
                continue
            (change,) = step.changes
            cleared = alike(change[1], 0.0)
            seeds = step.node == root and not cleared and root not in called
            self.student.add("seed" if seeds else "set", step.node, [change])
            if cleared and not called:
                self.clears = True
                if self.may_clear and root is not None:
                    self.right.add("set", step.node, [change])

    def about(self, nodes: Sequence[int]) -> None:
        """Leave out the steps of other nodes, and put the forward pass before the rest; plain nodes have none."""
        computed = [] if any(self.graph.ops[i] == PLAIN for i in nodes) else nodes
        for walk, data in ((self.student, self.graph.found), (self.right, self.graph.data)):
            forward: list[Any] = [
                (0, TraceStep("forward", i, [(i, data[i])]), [0.0], [0.0]) for i in computed
            ]
            walk.made = [*forward, *(each for each in walk.made if each[1].node in nodes)]

    def first_difference(self, nodes: Sequence[int]) -> int | None:
        """Return the first step at which data or gradients of these nodes, or the steps, differ."""
        for at, ((_, step, _, ours), (_, other, _, right)) in enumerate(
            zip(self.student.made, self.right.made, strict=False)
        ):
            same = (step.kind, step.node) == (other.kind, other.node)
            if step.kind == "forward":
                i = step.node
                same = self._alike(self.graph.found[i], self.graph.data[i]) and alike(
                    self.seen.before[i], 0.0
                )
            elif same:
                same = all(self._alike(ours[i], right[i]) for i in nodes)
            if not same:
                return at
        shorter, longer = sorted((len(self.student.made), len(self.right.made)))
        return shorter if shorter < longer else None

    def _alike(self, ours: Number, right: Number) -> bool:
        return alike(ours, right, self.rounding)

    # Words

    def words(self, at: int, error: str, *, hide: bool) -> str:
        """Return the sentence about the first step at which the walks differ; `error` ended the student's walk.

        The sentence shows a wrong number, or else the finding about the first walk that may have caused the difference.
        """
        (part, step), (due, other) = self.student.at(at), self.right.at(at)
        if step and step.kind == "forward":
            ours, right = self.graph.found[step.node], self.graph.data[step.node]
            if self._alike(ours, right):
                return self._step_words("begin", step.node, self.seen.before[step.node])
            return self._step_words("forward", step.node, ours, right)
        name, run = self.runs.get(min(part, due), ("", None))
        called = {each.node for each in self.student.steps[:at] if each.kind == "call"}
        if step and other and step.kind == other.kind == "call" and step.node == other.node:
            said = self._call_words(at)
        elif run and not error and (fault := _fault_words(name, run, self.graph.engine)):
            said = fault
        elif step and step.kind == "call" and step.node in called:
            said = self._step_words("again", step.node)
        elif hide or other is None:  # with `hide`, a step of the right walk would give an answer away
            said = "" if error and not other else STEPS["hidden" if hide else "right end"]
        else:
            right = other.changes[0][1] if other.kind != "call" else ""
            said = self._step_words(
                f"right {'call' if other.kind == 'call' else 'change'}", other.node, right=right
            )
        return f"{said} Your code raises {error}.".strip() if error else said

    def _call_words(self, at: int) -> str:
        """Return the sentence about a call of the right node: its changes, and the right ones."""
        (_, step, _, student), (_, _, before, right) = self.student.made[at], self.right.made[at]
        said = [
            self._step_words("stays" if alike(ours, then) else "becomes", i, ours, due)
            for i, (then, ours, due) in enumerate(zip(before, student, right, strict=True))
            if not self._alike(ours, due)
        ]
        return self._step_words("call", step.node, before[step.node], changes="; ".join(said[:MAX_CHANGES]))

    def _step_words(
        self, what: str, node: int, ours: Number = "", right: Number = "", changes: str = ""
    ) -> str:
        name = self.graph.names[node]
        grad = attribute(name, self.graph.engine.grad)
        return STEPS[what].format(node=name, grad=grad, ours=_text(ours), right=_text(right), changes=changes)


def _text(number: Number) -> str:
    return str(_show_number(number)) if isinstance(number, str) else short(number)


def _show_number(number: Number) -> Number:
    """Return a number as it is; the text of an array as a student reads it."""
    if not shape_of(number):
        return number
    return cast("Number", arrays_late().array_text(number))


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

    `error` is the error that ended the walk. With `hide` there is no right walk, which would give an answer away.
    """
    for may_clear in (True, False):  # clearing counts as a fault only without another fault
        walks = _Walks(graph, seen, asked, answered=hide, may_clear=may_clear)
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
            TraceStep(
                step.kind,
                place[step.node],
                [(place[i], _show_number(x)) for i, x in step.changes if i in place],
            )
            for step in walk.steps
        ]
        for walk in (walks.student, walks.right)
    )
    return Trace(
        given=cap(_leaves_text(graph, nodes)),
        nodes=[_node(graph, i, place) for i in nodes],
        student=student,
        right=[] if hide or not graph.has_right else right,
        wrong=wrong,
        words="" if wrong is None else cap(walks.words(wrong, error, hide=hide)),
        field=graph.engine.grad,
        rounding=walks.rounding,
    )


def _nodes_of(graph: TracedGraph, student: _Walk, asked: Sequence[WalkRequest]) -> list[int]:
    """Return the nodes of the walks: below the roots and the calls, else below the last node."""
    roots = {
        *(step.node for step in student.steps if step.kind in ("seed", "call")),
        *(request.node for request in asked if request.kind != "set" and request.node is not None),
    }
    return graph.below(roots & {*graph.inner} or graph.inner[-1:])


def _leaves_text(graph: TracedGraph, nodes: Sequence[int]) -> str:
    """Return the numbers of the leaves, and the expressions of the named nodes, or else of the last node."""
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
    """Return these nodes as separate graphs."""
    found: list[list[int]] = []
    for node in nodes:
        children = {child for child, _ in graph.pairs[node]}
        joined = [part for part in found if children.intersection(part)]
        found = [part for part in found if part not in joined]
        found.append(sorted([node, *(i for part in joined for i in part)]))
    return found


def _node(graph: TracedGraph, node: int, place: dict[int, int]) -> TraceNode:
    op: Any = "" if graph.ops[node] == PLAIN else graph.ops[node]
    slopes = ["" if graph.arrays else finite_or_text(slope) for _, slope in graph.locals[node]]
    inputs = [
        TraceInput(place[operand], 0.0, slope)
        if type(operand) is int
        else TraceInput(None, _show_number(operand), slope)
        for (operand, _), slope in zip(graph.locals[node], slopes, strict=True)
    ]
    return TraceNode(graph.names[node], op, inputs)
