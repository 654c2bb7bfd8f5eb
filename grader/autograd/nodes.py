"""Helpers for checks: a walk over the student's closures, and nodes that only log theirs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox import StudentError, Undefined
from grader.sandbox.proxy import relabel, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
    order = [item for item in answer if item in nodes]
    student.note(name, order)
    return order


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
