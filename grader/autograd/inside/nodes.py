"""Nodes for checks, which log the calls of their `_backward`: of no engine, or of the student's class.

Every second node holds the same number, so a search that mistakes equal numbers for one node gives a wrong list,
and so does one that lists only the root. A plain node keeps its children in a set, as micrograd does.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

CONTAINERS = (set, frozenset, tuple, list)


class Node:
    """A node with the attributes that the course gives one, and a `_backward` that does nothing."""

    def __init__(self, name: str, data: float, children: list[Any]) -> None:
        self.label, self.data, self.grad, self._op = name, data, 0.0, ""
        self._prev = set(children)
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


def build(edges: list[Any], log: list[str]) -> dict[str, Node]:
    """Return the nodes by name; `edges` has a name and pairs of child and local derivative for each, children first."""
    nodes: dict[str, Node] = {}
    for name, slopes in edges:
        inputs = [(nodes[child], slope) for child, slope in slopes]
        node = nodes[name] = Node(name, float(len(nodes) % 2), [child for child, _ in inputs])
        node._backward = closure(name, node, inputs, log)  # the course's name
    return nodes


def graph() -> Any:
    """Return two functions: one builds a graph and gives the named nodes, the other gives the log."""
    return _graph(build)


def _graph(make: Callable[[list[Any], list[str]], Mapping[str, Any]]) -> Any:
    log: list[str] = []

    def some(edges: list[Any], names: list[str]) -> dict[str, Any]:
        nodes = make(edges, log)
        return {name: nodes[name] for name in names}

    return some, lambda: list(log)


# --- Nodes of the student's class, whose children and local derivatives the check chooses

OPERATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add,
    operator.mul,
    operator.sub,
    operator.truediv,
    lambda x, _: -x,
    lambda x, _: x.tanh(),
)
NAMES = ("_prev", "_children")  # the course's


def own_graph(make: Callable[[float], Any]) -> Any:
    """Return what `graph` returns, for nodes that `make` makes; None where it cannot be seen how they keep children.

    Nodes that keep `_local_grads` get local gradients, others a `_backward`, which logs.
    """
    try:
        place = _place(make)
        if place is None:
            return None
        kinds, pairs = place
        for attribute, kind in kinds.items():
            setattr(make(0.5), attribute, kind([]))
    except Exception:  # no engine, or one whose nodes cannot be told what they were made from
        return None

    def own(edges: list[Any], log: list[str]) -> dict[str, Any]:
        nodes: dict[str, Any] = {}
        for name, slopes in edges:
            node = nodes[name] = make(float(len(nodes) % 2))
            inputs = [(nodes[child], float(slope)) for child, slope in slopes]
            node.grad = 0.0
            for attribute, kind in kinds.items():
                setattr(node, attribute, kind([child for child, _ in inputs]))
            if pairs is not None:
                node._local_grads = pairs([slope for _, slope in inputs])
            elif inputs:
                node._backward = closure(name, node, inputs, log)
        return nodes

    return _graph(own)


def _place(make: Callable[[float], Any]) -> tuple[dict[str, Any], Any] | None:
    """Return the attributes in which a result keeps its inputs, with their types, and the type of `_local_grads`.

    The last is None for a result with a `_backward`; one with neither can only be walked as the engine makes it.
    """
    for operation in OPERATIONS:
        x = make(0.5)
        try:
            result = operation(x, make(0.25))
        except Exception:  # not written, or wrong: another one may do
            continue
        held = [(name, value) for name, value in _attributes(result).items() if type(value) in CONTAINERS]
        if names := [name for name, value in held if any(item is x for item in value)]:
            return _kinds(result, names)
    leaf = make(0.5)
    names = [name for name in NAMES if type(getattr(leaf, name, None)) in CONTAINERS]
    return _kinds(leaf, names) if names else None


def _kinds(node: Any, names: list[str]) -> tuple[dict[str, Any], Any] | None:
    kinds = {name: type(getattr(node, name)) for name in names}
    pairs = getattr(node, "_local_grads", None)
    if type(pairs) in CONTAINERS:  # one for each child, so both need an order
        if "_children" in kinds:
            kinds["_children"] = _ordered(kinds["_children"])
        return kinds, _ordered(type(pairs))
    return (kinds, None) if callable(getattr(node, "_backward", None)) else None


def _ordered(kind: type) -> type:
    return kind if kind in {tuple, list} else tuple


def double(node: Any) -> bool:
    """Double the local gradients that a node keeps; False if they cannot be set."""
    kept = node._local_grads
    try:
        node._local_grads = (
            type(kept)(2 * number for number in kept) if type(kept) in CONTAINERS else 2 * kept
        )
    except AttributeError:
        return False
    return True


def _attributes(node: Any) -> dict[str, Any]:
    """Return what a node holds, in slots and in its dictionary."""
    names = [name for kind in type(node).__mro__ for name in _slots(kind)]
    return {name: getattr(node, name) for name in names if hasattr(node, name)} | getattr(
        node, "__dict__", {}
    )


def _slots(kind: type) -> list[str]:
    slots = kind.__dict__.get("__slots__", ())
    private = f"_{kind.__name__.lstrip('_')}"
    names = [slots] if isinstance(slots, str) else list(slots)
    return [private + name if name.startswith("__") and not name.endswith("__") else name for name in names]
