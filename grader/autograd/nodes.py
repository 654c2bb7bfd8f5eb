"""Helpers for checks: a walk over the student's closures, and nodes that only log theirs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox import StudentError, Undefined
from grader.sandbox.proxy import relabel, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from grader.autograd.topic import AutogradStudent

# Executed in the jail. Every second node holds the same number: who takes equal numbers for one node, and who
# lists the root alone, lists others. A node keeps its children in a set, as micrograd does, and its
# `_backward` notes its name and hands each child a fixed multiple of its own gradient.
_NODES = """
def build(edges, log):
    class Node:
        def __init__(self, name, data, children):
            self.label, self.data, self.grad, self._op = name, data, 0.0, ""
            self._prev = set(children)
            self._backward = lambda: None

        def __repr__(self):
            return f"Node({self.label})"

    def closure(node, slopes):
        def _backward():
            log.append(node.label)
            for child, slope in slopes:
                child.grad += slope * node.grad
        return _backward

    nodes = {}
    for name, slopes in edges:
        inputs = [(nodes[child], slope) for child, slope in slopes]
        node = nodes[name] = Node(name, float(len(nodes) % 2), [child for child, _ in inputs])
        node._backward = closure(node, inputs)
    return nodes

def graph():
    log = []

    def some(edges, names):
        nodes = build(edges, log)
        return {name: nodes[name] for name in names}

    return some, lambda: list(log)
"""


class PlainNodes:
    """A graph of plain nodes in the jail: `nodes[name]`, and `log()`, the calls so far."""

    def __init__(self, nodes: dict[str, Any], log: Callable[[], list[str]]) -> None:
        self.nodes, self.log = nodes, log

    def __getitem__(self, name: str) -> Any:
        return self.nodes[name]

    def names(self, found: object) -> list[str]:
        """The names of the nodes in a list of the student's."""
        known = {id(node): name for name, node in self.nodes.items()}
        items = found if isinstance(found, list | tuple) else [found]
        return [known.get(id(item)) or f"{short(item)}, which is no node" for item in items]


def plain_nodes(
    student: AutogradStudent, edges: Mapping[str, Mapping[str, float]], only: Iterable[str] | None = None
) -> PlainNodes:
    """Nodes that belong to no engine, children first: `{"a": {}, "b": {"a": 1.0}}`.

    The number at an edge is the local derivative; each node's `_backward` logs its name.
    Of a large graph, `only` names the nodes that the check will use.
    """
    build, log = student.helper(_NODES, "graph")()
    rows = [(name, list(slopes.items())) for name, slopes in edges.items()]
    names = list(edges if only is None else only)
    found = build(rows, names)
    nodes = {name: found[name] for name in names}  # by our names: what else the jail sent is left alone
    for name, node in nodes.items():
        relabel(node, name)
    return PlainNodes(nodes, log)


def walk(nodes: Iterable[Any], root: Any, seed: float = 1.0) -> None:
    """Seed the root and call `_backward` of each node in that order."""
    root.grad = seed
    for node in nodes:
        node._backward()  # noqa: SLF001  the name that the course gives it


def visit_order(
    student: AutogradStudent, name: str, nodes: Mapping[str, Any], leaves: Iterable[str] = ()
) -> list[str]:
    """The student's answer `name`, a list of names of nodes, without the leaves in it.

    Leaves may be listed, for their `_backward` does nothing. Raises AssertionError with
    words for an answer that is no list of these names.
    """
    answer, allowed = student.quietly(name), [*nodes, *leaves]
    known = f"the nodes are {', '.join(allowed)}"
    assert isinstance(answer, list | tuple), (
        f"`{name}` must be a list of names, such as [{allowed[0]!r}, ...]; {known}."
    )
    for item in answer:
        assert isinstance(item, str), f"`{name}` holds something that is not a name in quotes; {known}."
        assert item in allowed, f"`{name}` names {item[:20]!r}; {known}."
    return [item for item in answer if item in nodes]


def judge_order(student: AutogradStudent, name: str, edges: dict[str, dict[str, float]]) -> None:
    """Walk plain nodes in the student's answer `name`, a list of names, and look at every gradient.

    `edges` are as in `plain_nodes`; the last one is the root. Raises AssertionError that says what the order does,
    and no gradient.
    """
    inner, leaves = {n: s for n, s in edges.items() if s}, [n for n, s in edges.items() if not s]
    order = visit_order(student, name, dict.fromkeys(reversed(inner)), leaves)
    nodes = plain_nodes(student, edges)
    walk([nodes[item] for item in order], nodes[next(reversed(inner))])
    right = _gradients(edges)
    whole = all(math.isclose(float(nodes[n].grad), right[n], rel_tol=1e-9) for n in edges)
    assert whole, f"`{name}` {order_words(order, inner)}"


def _gradients(edges: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the gradient of every node; the last one is the root."""
    found = dict.fromkeys(edges, 0.0)
    found[next(reversed(edges))] = 1.0
    for node in reversed(edges):
        for child, slope in edges[node].items():
            found[child] += slope * found[node]
    return found


def order_words(order: Sequence[str], inner: dict[str, dict[str, float]]) -> str:
    """Say what is wrong with an order of calls; `inner` are the children of each node that has some, root last."""
    root = next(reversed(inner))
    if root not in order:
        return (
            f"leaves out the root. {root} is seeded with 1, but somebody has to call its `_backward`, or nothing "
            "arrives below it."
        )
    if len(order) > 1 and list(order) == [name for name in inner if name in order]:
        return (
            "goes from the inputs to the output. A node may hand its gradient on only when it has all of it: begin "
            "at the root."
        )
    for name in reversed(inner):
        if name not in order:
            below = " and ".join(inner[name])
            return f"leaves out {name}, so what {name} has to hand on never reaches {below}."
    for name in order:
        if order.count(name) > 1:
            below = " and ".join(inner[name])
            return f"calls {name} more than once, so it hands on to {below} each time. Every node is called once."
    for name in order:
        for user in (user for user, children in inner.items() if name in children):
            if order.index(name) < order.index(user):
                below = " and ".join(inner[name])
                return (
                    f"calls {name} before {user}: {name} hands its gradient on before {user} has given it any, and "
                    f"that contribution to {below} is lost."
                )
    return "does not bring every gradient where it belongs."


def trusted(student: AutogradStudent, answer: str = "", *, tanh: bool = False) -> bool:
    """Tell whether the student's + and × (and tanh) give right gradients, so that answers can be compared with them.

    Raises Undefined or Unanswered where `answer` is still to be written. What stands there is not kept among
    what the test read: where the engine is wrong, it has no part in the failure.
    """
    if answer:
        student.glance(answer)
    try:
        with student.trial():
            right = _right_product_and_sum(student)
            return right and (not tanh or all(_right_tanh(student, x) for x in (0.5, -0.8)))
    except (StudentError, Undefined, AttributeError, TypeError, ValueError):
        return False


def _right_product_and_sum(student: AutogradStudent) -> bool:
    a, b, c = student.leaves(a=5.0, b=-7.0, c=0.5)
    d = a * b
    e = d + c
    f = e * a
    walk([f, e, d], f)
    return (float(a.grad), float(b.grad), float(c.grad)) == (-69.5, 25.0, 5.0)


def _right_tanh(student: AutogradStudent, number: float) -> bool:
    (x,) = student.leaves(x=number)
    t = x.tanh()
    y = t * 2
    walk([y, t], y)
    return math.isclose(float(x.grad), 2 * (1 - math.tanh(number) ** 2), rel_tol=1e-9)
