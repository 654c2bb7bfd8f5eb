"""Walks over graphs, recorded as they are made. It reports and does not judge. Sent together with recording.py.

Each function takes a list of graphs: one row for each graph, with one part for each node, children first, the root
last. A node is given by its index in the row; -1 is any other object, -2 a node of a graph that was tried before. A
run is [name of the error that was raised, events, gradients before, gradients after, the children of each node as a
loop meets them, ...]. The events are those of recording.py.
"""

import contextlib
import json
import random
import types
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.recording import (  # noqa: TC004
        CALL,
        CHANGED,
        CUT,
        Recorder,
        _pairs_of,
        _place_of,
        _plain_float,
        attempt,
    )

MAX_ITEMS = 100
HOLDERS = ("_prev", "_children")  # where the course's nodes hold their children
TOGETHER = 13  # graphs whose nodes are known as earlier ones


def ask(name: str, rows: str, functions: Sequence[Any], calls: Sequence[Any]) -> list[list[str]]:
    """Return the runs of each call over the first graphs of `rows`. Rows and runs are JSON.

    `name` is a function of this file, which takes the student's `functions`; a call is the number of graphs, and further
    arguments. A call in which a walk raised is the last one.
    """
    graphs, found = json.loads(rows), []
    for many, *args in calls:
        parts = [graphs[first : min(many, first + TOGETHER)] for first in range(0, many, TOGETHER)]
        runs = [run for part in parts for run in globals()[name](part, *functions, *args)]
        found.append([json.dumps(run) for run in runs])
        if any(run and run[0] and type(run[0]) is str for run in runs):
            break
    return found


@contextlib.contextmanager
def _swap_names(of: Any, **instead: Any) -> Iterator[None]:
    """Bind global names of the student's module to other objects inside the block."""
    space = getattr(getattr(of, "__func__", of), "__globals__", {})
    before = {name: space[name] for name in instead if name in space}
    space.update({name: instead[name] for name in before})
    try:
        yield
    finally:
        space.update(before)


# --- Plain nodes, which belong to no engine and have every attribute that the course gives a node


class _HashedNode:
    """A node with a fixed hash, so that a set of nodes has the same order in every run, or exactly the reverse."""

    def __init__(self, mark: int, label: str, data: float, pairs: Sequence[Any]) -> None:
        self.mark, self.label, self._op, self.data, self.grad = mark, label, "", data, 0.0
        self._prev = {child for child, _ in pairs}
        self._children = tuple(child for child, _ in pairs)  # the last: both may have one name
        self._local_grads = tuple(slope for _, slope in pairs)
        self._backward = self.rule

    def __hash__(self) -> int:
        return self.mark

    def __repr__(self) -> str:
        return f"Node({self.label})"

    def rule(self, *_: object) -> None:
        """Add to each child's gradient its local derivative times this node's gradient."""
        for child, slope in zip(self._children, self._local_grads, strict=True):
            child.grad += slope * self.grad


def _plain_nodes(row: Sequence[Any], *, turned: bool) -> list[Any]:
    """Return the nodes of a row, whose parts are label, data, and pairs of child and local derivative."""
    nodes: list[Any] = []
    for place, (label, data, pairs) in enumerate(row, 1):
        children = [(nodes[child], slope) for child, slope in pairs]
        nodes.append(_HashedNode(~place if turned else place, label, data, children))
    return nodes


def sorts(rows: Sequence[Any], build_topo: Any, turned: bool) -> list[Any]:
    """Return the lists that `build_topo` gives for the root of each graph, in two calls.

    Each is the error that was raised, the type of a result that is not a list, and the indices of the listed nodes.
    """
    met: list[Any] = []
    runs = []
    for row in rows:
        nodes, lists = _plain_nodes(row, turned=turned), []
        for _ in range(2):
            found, raised = attempt(lambda: build_topo(nodes[-1]))  # noqa: B023  called at once
            is_list = not raised and issubclass(type(found), (list, tuple))
            items = list(found)[:MAX_ITEMS] if is_list else []
            places = [-2 if _place_of(met, item) >= 0 else _place_of(nodes, item) for item in items]
            lists.append([raised, "" if is_list else type(found).__name__, places])
        runs.append([lists, _kids(nodes)])
        met += nodes
    return runs


def _walk_from_root(backward: Any, nodes: Sequence[Any], log: "Recorder", sort: str) -> list[Any]:
    """Walk from the root, and return the run."""
    before, held, rules, kids = _gradients(nodes), _holder(nodes), _rules_of(nodes), _kids(nodes)
    inner = [place for place, row in enumerate(kids[1] if kids else ()) if row]
    log.events.clear()
    with _swap_names(
        backward, **{sort: lambda root: list(nodes[: _place_of(nodes, root) + 1])} if sort else {}
    ):
        _, raised = attempt(lambda: backward(nodes[-1]))
    if not raised:
        _, raised = attempt(log.look)
    events, log.quiet = [*log.events], 1
    if not raised:
        events += [[CUT, place, None] for place in inner if not _inputs_of(nodes, nodes[place], held)]
        changed = [new is not old and new != old for old, new in zip(rules, _rules_of(nodes), strict=True)]
        events += [[CHANGED, place, None] for place in inner if changed[place]]
    after = _gradients(nodes)
    # Nothing can be read from a gradient that is an object and no number.
    unread = (node for node, number in zip(nodes, after, strict=True) if number is None)
    odd = any(getattr(node, "grad", None) is not None for node in unread)
    return [raised or log.odd or ("object" if odd else ""), events, before, after, kids]


def _rules_of(nodes: Sequence[Any]) -> list[Any]:
    """Return the `_backward` of each node; None for one without, and for an object that compares in a way of its own."""
    found = [getattr(node, "_backward", None) for node in nodes]
    return [rule if type(rule) in (types.FunctionType, types.MethodType) else None for rule in found]


def _gradients(nodes: Sequence[Any]) -> list[float | None]:
    """Return the gradient of each node; None if it is not a number."""
    return [_plain_float(getattr(node, "grad", None)) for node in nodes]


# --- Nodes of the student's own engine


def _build_nodes(make: Any, row: Sequence[Any], *, turned: bool = False) -> list[Any]:
    """Return the nodes of a row, whose parts are an operation and its operands: numbers, or lists of one index.

    Without a class they are plain nodes.
    """
    if make is None:
        return _plain_nodes(row, turned=turned)
    nodes: list[Any] = []
    for op, *operands in row:
        if op == "leaf":
            nodes.append(make(operands[0]))
            continue
        left, right = (nodes[x[0]] if type(x) is list else x for x in operands)
        rules = _rules_of(nodes)
        nodes.append(left + right if op == "+" else left * right)
        if _rules_of(nodes[:-1]) != rules:
            raise ValueError("an operation replaces the `_backward` of an operand")
    if len(set(map(id, nodes))) < len(nodes):
        raise ValueError("an operation gives one of its operands back")
    return nodes


def _kids(nodes: Sequence[Any]) -> list[Any] | None:
    """Return the attribute that holds the children, and the children of each node as a loop meets them; else None."""
    name = _holder(nodes)
    place = HOLDERS.index(name) + 1 if name in HOLDERS else 0
    return [place, [_inputs_of(nodes, node, name) for node in nodes]] if name else None


def _holder(nodes: Sequence[Any]) -> str:
    """Return the name of the attribute that holds the children; "" if there is none."""
    names: list[str] = sorted(getattr(nodes[-1], "__dict__", {}))
    for name in (*HOLDERS, *names):
        rows, _ = attempt(
            lambda: [[_place_of(nodes, kid) for kid in getattr(node, name)] for node in nodes]  # noqa: B023  called at once
        )
        if any(place >= 0 for row in rows or () for place in row):
            return name
    return ""


def _inputs_of(nodes: Sequence[Any], node: Any, name: str) -> list[int]:
    """Return the items of a node's attribute, as a loop meets them; none if the loop raises."""
    return attempt(lambda: [_place_of(nodes, child) for child in getattr(node, name)])[0] or []


def passed_on(_: Sequence[Any], make: Any, name: str) -> list[list[bool]]:
    """Return True in a run if the method calls the global function of the same name, and uses no other name or attribute."""
    calls: list[int] = []
    walk, node = getattr(make, name), make(1.0)
    with _swap_names(walk, **{name: lambda *_: calls.append(1)}):
        attempt(lambda: walk(node))
    return [[bool(calls) and getattr(walk, "__code__", passed_on.__code__).co_names == (name,)]]


def own(
    rows: Sequence[Any],
    make: Any,
    backward: Any,
    sort: str,
    turned: bool,
    held: Sequence[float],
    before: Sequence[float],
) -> list[Any]:
    """Return the walks over graphs of the student's own nodes, or of plain ones, as the calls of their `_backward`.

    The global function `sort` is replaced by a right one. The first nodes begin with the gradients `held`. If nodes keep
    local gradients and have no `_backward`, a walk is recorded as accesses to gradients, and the nodes below the root begin
    with the gradients `before`.

    A run ends with three items: the gradients of a right walk through the same rules, or None; the kept pairs, or None; and
    the gradients of a second walk without recording, None if it met children in another order. A graph that cannot be walked
    in either way has None instead of a run.
    """
    walk = getattr(make, backward) if isinstance(backward, str) else backward
    met: list[Any] = []  # keeps all nodes alive, so that no later node gets the id of an earlier one
    runs, logs = list[Any](), list[Any]()
    for row in rows:
        found: Any = None
        for grads, by_calls in ((held, True), (before, False))[: 1 + (make is not None)]:
            made, _ = attempt(lambda: [_build_nodes(make, row, turned=turned) for _ in range(3)])  # noqa: B023  called at once
            met.append(made)
            # An operation gives back a node of an equal graph, or a leaf has inputs: all nodes share them, so that a walk
            # over one graph is one over all so far.
            if made and (
                len({id(node) for nodes in made for node in nodes}) < 3 * len(row)
                or any(place >= 0 for name in HOLDERS for place in _inputs_of(made[0], made[0][0], name))
            ):
                return [None for _ in rows]
            found = (made and attempt(lambda: _run(walk, sort, grads, made, row, by_calls, logs))[0]) or found  # noqa: B023
            if found and (found[0] or any(code == CALL for code, _, _ in found[1])):
                break
        runs.append(found)
        if found and found[0]:
            break  # the error is reported elsewhere, and endless recursion would take its time on each graph
    return runs + [None for _ in rows[len(runs) :]]


def _run(
    backward: Any,
    sort: str,
    before: Sequence[float],
    made: Sequence[list[Any]],
    row: Sequence[Any],
    by_calls: bool,
    logs: list[tuple[Any, int]],
) -> list[Any] | None:
    """Return one run of `own`, over three equal graphs; `logs` has earlier recorders, each with its number of events."""
    nodes, right, free = made
    inner = [place for place, part in enumerate(row) if part[0] != "leaf" and part[-1] != []]
    for each in made if by_calls else (nodes, free):
        for node, grad in zip(each[:-1], before, strict=False):
            node.grad = grad
    fair, pairs, log = None, None, Recorder(nodes)
    if by_calls:
        fair = _right_ends(right, inner)
        attempt(lambda: log.note_accesses(len(nodes) - 1))  # of the root every gradient that is set
    else:
        pairs = [[[child, float(slope)] for child, slope in _pairs_of(nodes, node)] for node in nodes]
    if not (fair or pairs):
        return None
    for place in inner if by_calls else range(len(nodes)):
        (log.note_calls if by_calls else log.note_accesses)(place)
    chance = random.getstate()
    run = _walk_from_root(backward, nodes, log, sort)
    *_, again, kids = _walk_from_root(backward, free, Recorder([]), sort)
    fresh = _walk_from_root(backward, right, Recorder([]), sort)[3] if pairs else []
    if random.getstate() != chance:  # comparing the state takes as long as a walk
        raise ValueError("its order depends on chance")
    if any(end and now == was for end, was, now in zip(fresh[:-1], *run[2:4], strict=False)):
        return None  # it asks what a gradient holds, and hands on only where that is 0
    earlier = [[CALL, -2, None] for other, count in logs if len(other.events) > count]
    logs.append((log, len(log.events)))
    log.test, log.most = True, len(log.events) + 1  # one more says enough, and ends no later walk
    raised, events, *rest = run
    again = again if kids == run[4] else None
    return None if log.nested else [raised, earlier[:1] + events, *rest, fair, pairs, again]


def _right_ends(nodes: Sequence[Any], inner: Sequence[int]) -> list[float | None] | None:
    """Return the gradients after a right walk; None unless each inner node has a `_backward` that changes gradients."""
    if not all(callable(getattr(nodes[place], "_backward", None)) for place in inner):
        return None
    data: Any = getattr(nodes[-1], "data", None)
    nodes[-1].grad = data * 0.0 + 1.0 if type(data).__module__ == "numpy" else 1.0
    handed_back = [nodes[place]._backward() for place in reversed(inner)]
    if any(each is not None for each in handed_back) and not any(
        _plain_float(node.grad) for node in nodes[:-1]
    ):
        return None  # the rules return their contributions, and `backward` adds them
    return _gradients(nodes)
