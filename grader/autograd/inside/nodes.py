"""Nodes that belong to no engine, for checks: each logs the calls of its `_backward`.

Every second node holds the same number, so a search that mistakes equal numbers for one node gives a wrong list,
and so does one that lists only the root. A node keeps its children in `_prev`, a set, as micrograd does, or in `_children`,
a tuple.
"""

from collections.abc import Callable, Mapping
from typing import Any


class PlainNode:
    """A node with the attributes that the course gives one, and a `_backward` that does nothing."""

    def __init__(self, name: str, data: float, children: list[Any], kept: str) -> None:
        self.label, self.data, self.grad, self._op = name, data, 0.0, "*" if children else ""
        setattr(self, kept, set(children) if kept == "_prev" else tuple(children))
        self._backward: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        return f"Node({self.label})"


def closure(name: str, node: Any, slopes: list[tuple[Any, float]], log: list[str]) -> Callable[[], None]:
    """Return a `_backward` that logs the node's name and hands each child a fixed multiple of its gradient."""

    def _backward() -> None:
        log.append(name)
        for child, slope in slopes:
            child.grad += slope * node.grad

    return _backward


def build(edges: list[Any], log: list[str], kept: str) -> dict[str, PlainNode]:
    """Return the nodes by name; `edges` has a name and pairs of child and local derivative for each, children first."""
    nodes: dict[str, PlainNode] = {}
    for name, slopes in edges:
        inputs = [(nodes[child], slope) for child, slope in slopes]
        node = nodes[name] = PlainNode(name, float(len(nodes) % 2), [child for child, _ in inputs], kept)
        node._backward = closure(name, node, inputs, log)  # the course's name
    return nodes


def graph(kept: str) -> Any:
    """Return two functions: one builds a graph and gives the named nodes, the other gives the log.

    `kept` is the attribute in which a node keeps its children: `_prev` or `_children`.
    """
    return _graph(lambda edges, log: build(edges, log, kept))


def _graph(make: Callable[[list[Any], list[str]], Mapping[str, Any]]) -> Any:
    log: list[str] = []

    def some(edges: list[Any], names: list[str]) -> dict[str, Any]:
        nodes = make(edges, log)
        return {name: nodes[name] for name in names}

    return some, lambda: list(log)
