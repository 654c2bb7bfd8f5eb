"""The graphs for reading walks back, and the orders of well-known walks on them."""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Kids = Sequence[Sequence[int]]  # the children of each node, in the order of a loop over them


class Graph(msgspec.Struct, frozen=True):
    """A small expression graph; nodes are indices in the order of creation, the root is the last.

    `text` is the expression. `pairs` are the children of each node with their local derivatives. `rows` have the operation and
    the operands of each node: numbers, or lists of one index. With `twins`, different nodes hold the same number.

    >>> one = graph("b = a + 1; c = a * b", {"a": 4.0})
    >>> one.data, one.pairs[2], one.title()
    ((4.0, 5.0, 20.0), ((0, 5.0), (1, 4.0)), 'b = a + 1; c = a * b with a = 4')
    """

    text: str
    names: tuple[str, ...]
    data: tuple[float, ...]
    pairs: tuple[tuple[tuple[int, float], ...], ...]
    rows: list[list[Any]] = []
    twins: bool = False

    @property
    def nodes(self) -> range:
        """All nodes."""
        return range(len(self.names))

    @property
    def root(self) -> int:
        """The node that no other node uses."""
        return len(self.names) - 1

    @property
    def inner(self) -> list[int]:
        """The nodes that are made from others; only their `_backward` does something."""
        return [i for i, pairs in enumerate(self.pairs) if pairs]

    def children(self, node: int) -> list[int]:
        """Return the nodes that a node is made from, in the order of the operands, with repeats."""
        return [child for child, _ in self.pairs[node]]

    def users(self, node: int) -> list[int]:
        """Return the nodes that are made from this one."""
        return [user for user in self.inner if node in self.children(user)]

    def title(self) -> str:
        """Return the expression and its numbers, for a sentence."""
        leaves = zip(self.names, self.data, self.pairs, strict=True)
        numbers = ", ".join(f"{name} = {number:g}" for name, number, pairs in leaves if not pairs)
        return f"{self.text} with {numbers}" if self.text else f"one leaf, {numbers}"


def graph(text: str, leaves: Mapping[str, float], *, exchanged: bool = False, twins: bool = False) -> Graph:
    """Return the graph of a text such as `b = a + 1; c = a * b`, with the numbers of its leaves."""
    names, data = list(leaves), list(leaves.values())
    rows: list[list[Any]] = [["leaf", number] for number in data]
    lines = list[str]()
    pairs: list[tuple[tuple[int, float], ...]] = [() for _ in data]
    for line in filter(None, text.split("; ")):
        name, _, left, op, right = line.split()
        left, right = (right, left) if exchanged else (left, right)
        operands = tuple(names.index(x) if x in names else float(x) for x in (left, right))
        x, y = (data[o] if type(o) is int else o for o in operands)
        rows.append([op, *([o] if type(o) is int else o for o in operands)])
        slopes = zip(operands, (y, x) if op == "*" else (1.0, 1.0), strict=True)
        pairs.append(tuple((o, slope) for o, slope in slopes if type(o) is int))
        names.append(name)
        data.append(x + y if op == "+" else x * y)
        lines.append(f"{name} = {left} {op} {right}")
    return Graph("; ".join(lines), tuple(names), tuple(data), tuple(pairs), rows, twins)


# With + and *; then with only + and no plain numbers. The course's own graphs come first: a finding is reported on the first
# graph that shows it. The last ones, except a single leaf, were drawn at random: the next node and others use every node, and
# all numbers differ.
_GRAPHS: tuple[tuple[tuple[str, Mapping[str, float]], ...], ...] = (
    (
        ("b = a + 1; c = a * 3; d = b * c", {"a": 4.0}),
        ("b = 3 * a; c = a + b; d = b * c", {"a": 2.0}),
        ("b = 3 * a; c = b + 1; d = c * a; e = b * d", {"a": -2.0}),
        ("c = a * b; d = c + a; e = d * b", {"a": -1.5, "b": 2.5}),
        ("b = a * a; c = b * b; p = c * b; d = p + c; q = d * c; e = q + b", {"a": 1.5}),
        ("c = 3 * a; d = 3 * b; e = c + d", {"a": 2.0, "b": 2.0}),
        ("c = 3 * a; d = b * 3; e = d * c", {"a": 2.0, "b": 2.0}),
        ("b = a * a; c = b * b; d = b * c; e = d * b", {"a": 1.7}),
        ("c = a * a; d = c * b; e = d * d", {"a": 2.2, "b": -1.4}),
        ("b = a + a; c = a * b; d = a * c; e = b * d", {"a": 1.9}),
        ("b = a * a; c = b * b; d = c + b; e = a * d; f = c + e; g = f + b", {"a": -1.7}),
        ("c = a * a; d = c + b; e = d * d; f = e + e; g = f * f", {"a": 0.5, "b": -1.3}),
        ("b = a + a; c = b * a; d = b + c; e = a * d; f = d * e; g = f * a", {"a": -1.8}),
        ("c = a + a; d = c * c; e = c + d; f = b + e; g = f * b; h = b + g", {"a": -1.1, "b": -0.7}),
        ("c = a + a; d = c + c; e = d * b; f = e * e; g = f + b; h = g * g", {"a": 1.1, "b": -0.6}),
        ("", {"a": 2.5}),
    ),
    (
        ("b = a + x; c = a + y; d = b + c", {"a": 4.0, "x": 1.0, "y": 3.0}),
        ("b = x + a; c = a + b; d = b + c", {"a": 2.0, "x": 3.0}),
        ("b = x + a; c = b + y; d = c + a; e = b + d", {"a": -2.0, "x": 3.0, "y": 1.0}),
        ("c = a + b; d = c + a; e = d + b", {"a": -1.5, "b": 2.5}),
        ("b = a + a; c = b + b; p = c + b; d = p + c; q = d + c; e = q + b", {"a": 1.5}),
        ("c = x + a; d = x + b; e = c + d", {"a": 2.0, "b": 2.0, "x": 3.0}),
        ("c = x + a; d = b + x; e = d + c", {"a": 2.0, "b": 2.0, "x": 3.0}),
        ("b = a + a; c = b + b; d = b + c; e = d + b", {"a": 1.7}),
        ("c = a + a; d = c + b; e = d + d", {"a": 2.2, "b": -1.4}),
        ("b = a + a; c = a + b; d = a + c; e = b + d", {"a": 1.9}),
        ("b = a + a; c = b + a; d = c + c; e = d + c; f = e + a", {"a": -1.9}),
        ("b = a + a; c = b + b; d = c + b; e = a + d; f = c + e; g = f + b", {"a": -1.7}),
        ("c = a + a; d = c + b; e = d + d; f = e + e; g = f + f", {"a": 0.5, "b": -1.3}),
        ("b = a + a; c = a + b; d = c + b; e = d + d; f = e + c; g = d + f", {"a": 1.9}),
        ("c = a + a; d = c + c; e = c + d; f = b + e; g = f + b; h = b + g", {"a": -1.1, "b": -0.7}),
        ("", {"a": 2.5}),
    ),
)


@cache
def graphs(*, sums: bool = False) -> tuple[Graph, ...]:
    """Return all graphs, most of them also with exchanged operands.

    With `sums` they have only `+`, and no plain numbers.
    """
    found: list[Graph] = []
    for text, leaves in _GRAPHS[sums]:
        twins = len({*leaves.values()}) < len(leaves)
        ways = (False, True) if text and not twins else (False,)
        found += [graph(text, leaves, exchanged=each, twins=twins) for each in ways]
    return tuple(found)


# --- Orders


def _depth_first(kind: str, root: int, kids: Kids) -> list[int]:
    """Return the nodes in the order of a depth-first search.

    It lists a node as it reaches it (pre-order), after its children (post-order), at every arrival after the children of
    the first one, or on every path.
    """
    order: list[int] = []
    visited: set[int] = set()

    def visit(node: int) -> None:
        new = node not in visited or kind == "by paths"
        visited.add(node)
        if new and kind in {"pre-order", "by paths"}:
            order.append(node)
        for child in kids[node] if new else ():
            visit(child)
        if kind == "every arrival" or (new and kind == "post-order"):
            order.append(node)

    visit(root)
    return order


def _breadth_first(kind: str, root: int, kids: Kids) -> list[int]:
    order = [root]
    for node in order:
        new = kids[node] if "paths" in kind else dict.fromkeys(kids[node])
        order += [child for child in new if "paths" in kind or child not in order]
    return order


class WalkOrder(NamedTuple):
    """The order of one walk: calls, or a list in reverse. Without `leaves` only inner nodes are compared."""

    graph: Graph
    order: tuple[int, ...]
    kids: tuple[tuple[int, ...], ...] | None  # children in the order of a loop over them; None if unknown
    leaves: bool


# The well-known walks. For "turned", the order of calls is the reverse of the walk; a list has the opposite order.
ORDERS = (
    *("pre-order", "pre-order, turned", "by paths", "by paths, turned", "by levels", "by levels, turned"),
    *("by levels and paths", "by levels and paths, turned", "post-order"),
    *("every arrival", "every arrival, turned", "largest first", "smallest first"),
)
# Children as kept or in the order of the operands, reversed or not, each once or once for each use.
_WAYS = tuple(itertools.product((False, True), repeat=3))


def look_of(seen: Sequence[WalkOrder]) -> str:
    """Return the name of the only well-known walk with all these orders; empty if there is none, or several."""
    names = [
        look
        for look in ORDERS
        if seen and any(all(_order_of(one, look, way) == one.order for one in seen) for way in _WAYS)
    ]
    return names[0] if len(names) == 1 else ""


def _order_of(seen: WalkOrder, look: str, way: Sequence[bool]) -> tuple[int, ...]:
    """Return the order of a well-known walk over the graph of `seen`."""
    graph, kind = seen.graph, look.removesuffix(", turned")
    operands, turned, once = way
    kept = [graph.children(node) for node in graph.nodes] if operands or not seen.kids else seen.kids
    kids = [(list(dict.fromkeys(row)) if once else list(row))[:: -1 if turned else 1] for row in kept]
    order = (
        sorted(graph.nodes, key=graph.data.__getitem__, reverse=kind == "largest first")
        if kind in {"largest first", "smallest first"}
        else (_breadth_first if "levels" in kind else _depth_first)(kind, graph.root, kids)
    )
    inner = graph.inner
    return tuple(node for node in order[:: 1 if kind == look else -1] if seen.leaves or node in inner)


def closest(
    order: Sequence[int], nodes: Sequence[int], before: Callable[[int], Sequence[int]]
) -> tuple[list[int], int | None]:
    """Return the right order of `nodes` that shares the most first steps with `order`.

    Also return the index of the first wrong step of `order`: its length if steps are missing, None if it is right.
    `before(node)` are the nodes that must come before a node.
    """
    right, waiting = list[int](), set(nodes)

    def ready(node: int) -> bool:
        return node in waiting and not any(x in waiting for x in before(node))

    def take(node: int) -> None:
        right.append(node)
        waiting.remove(node)

    for node in order:
        if not ready(node):
            break
        take(node)
    shared = len(right)
    wanted = [*dict.fromkeys(order), *nodes]
    while waiting:
        take(next(node for node in wanted if ready(node)))
    return right, None if shared == len(nodes) == len(order) else shared
