"""The graphs on which walks are read back, and the orders of well-known walks on them."""

from __future__ import annotations

import itertools
import random
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Kids = Sequence[Sequence[int]]  # the children of each node, in the order of a loop over them

_LETTERS = "abcdefgh"
_RANDOM = 8  # graphs; each is also tried with its operands exchanged


class GraphStep(NamedTuple):
    """One node of a graph: a leaf's number, or an operation on nodes (by index) and plain numbers."""

    op: str  # "leaf", "+" or "*"
    operands: tuple[int | float, ...]  # an int is the index of a node, a float is a number


class Graph(msgspec.Struct, frozen=True):
    """A small expression graph; nodes are indices in the order of creation, the root is the last.

    `text` is the expression. In a graph of `twins` different nodes hold the same number. `slopes` are the pairs of
    each node, in a graph with other operations than + and *.
    """

    text: str
    names: tuple[str, ...]
    steps: tuple[GraphStep, ...]
    data: tuple[float, ...]
    twins: bool = False
    slopes: tuple[tuple[tuple[int, float], ...], ...] = ()

    @property
    def root(self) -> int:
        """The node that no other node uses."""
        return len(self.names) - 1

    @property
    def inner(self) -> list[int]:
        """The nodes that are made from others; only their `_backward` does something."""
        return [i for i, step in enumerate(self.steps) if step.op != "leaf"]

    def children(self, node: int) -> list[int]:
        """Return the nodes that a node is made from, in the order of the operands; one that is used twice appears twice."""
        step = self.steps[node]
        return [] if step.op == "leaf" else [x for x in step.operands if type(x) is int]

    def pairs(self, node: int) -> list[tuple[int, float]]:
        """Return each child of a node with its local derivative."""
        step = self.steps[node]
        if step.op == "leaf":
            return []
        if self.slopes:
            return list(self.slopes[node])
        numbers = [self.data[x] if type(x) is int else x for x in step.operands]
        local = numbers[::-1] if step.op == "*" else [1.0, 1.0]
        return [(x, slope) for x, slope in zip(step.operands, local, strict=True) if type(x) is int]

    def users(self, node: int) -> list[int]:
        """Return the nodes that are made from this one."""
        return [user for user in self.inner if node in self.children(user)]

    def title(self) -> str:
        """Return the expression and its numbers, for a sentence."""
        leaves = [i for i, step in enumerate(self.steps) if step.op == "leaf"]
        numbers = ", ".join(f"{self.names[i]} = {self.data[i]:g}" for i in leaves)
        return f"{self.text} with {numbers}" if self.text else f"one leaf, {numbers}"


def graph(text: str, leaves: Mapping[str, float], *, exchanged: bool = False, twins: bool = False) -> Graph:
    """Return the graph of a text such as `b = a + 1; c = a * b`, with the numbers of its leaves."""
    names, data = list(leaves), list(leaves.values())
    steps = [GraphStep("leaf", (number,)) for number in data]
    lines = []
    for line in filter(None, text.split("; ")):
        name, _, left, op, right = line.split()
        left, right = (right, left) if exchanged else (left, right)
        operands = tuple(names.index(x) if x in names else float(x) for x in (left, right))
        x, y = (data[o] if type(o) is int else o for o in operands)
        steps.append(GraphStep(op, operands))
        names.append(name)
        data.append(x + y if op == "+" else x * y)
        lines.append(f"{name} = {left} {op} {right}")
    return Graph("; ".join(lines), tuple(names), tuple(steps), tuple(data), twins)


# The course's own first: a finding is reported on the first graph that shows it.
_COURSE: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("b = a + 1; c = a * 3; d = b * c", {"a": 4.0}),
    ("b = 3 * a; c = a + b; d = b * c", {"a": 2.0}),
    ("b = 3 * a; c = b + 1; d = c * a; e = b * d", {"a": -2.0}),
    ("c = a * b; d = c + a; e = d * b", {"a": -1.5, "b": 2.5}),
    ("b = a * a; c = b * b; p = c * b; d = p + c; q = d * c; e = q + b", {"a": 1.5}),
)


@cache
def graphs(*, sums: bool = False) -> tuple[Graph, ...]:
    """Return all graphs; a finding is reported on the first graph that shows it.

    For `sums` they have no other operation than `+`, and no plain numbers.
    """
    made = _sum if sums else graph
    found = [made(text, leaves, exchanged=e) for text, leaves in _COURSE for e in (False, True)]
    found.append(made("c = 3 * a; d = 3 * b; e = c + d", {"a": 2.0, "b": 2.0}, twins=True))
    found.append(made("c = 3 * a; d = b * 3; e = d * c", {"a": 2.0, "b": 2.0}, twins=True))
    found += sorted(_random_graphs("+" if sums else "+*"), key=lambda made: len(made.names))
    found.append(graph("", {"a": 2.5}))
    return tuple(found)


def _sum(text: str, leaves: Mapping[str, float], *, exchanged: bool = False, twins: bool = False) -> Graph:
    """Return the graph of a text with `+` for every operation, and a leaf for every number."""
    numbers = dict(zip("xyz", dict.fromkeys(re.findall(r"\d", text)), strict=False))
    for name, number in numbers.items():
        text = text.replace(number, name)
    more = {name: float(number) for name, number in numbers.items()}
    return graph(text.replace("*", "+"), {**leaves, **more}, exchanged=exchanged, twins=twins)


def _random_graphs(operations: str) -> list[Graph]:
    """Return graphs in which every node is used by the next one and by others; all their numbers differ."""
    rng, found = random.Random(14), list[Graph]()  # noqa: S311  the same in every process
    while len(found) < 2 * _RANDOM:
        size = rng.choice((5, 6, 7, 8))
        leaves = {
            name: rng.choice((-1, 1)) * rng.uniform(0.4, 2.2) for name in _LETTERS[: rng.choice((1, 2))]
        }
        leaves = {name: round(number, 1) for name, number in leaves.items()}
        lines, names = list[str](), list(leaves)
        while len(names) < size:
            last = names[-1] if len(names) >= len(leaves) + 1 else names[len(lines)]
            pair = [last, names[0] if len(leaves) > 1 and not lines else rng.choice(names)]
            rng.shuffle(pair)
            names.append(_LETTERS[len(names)])
            lines.append(f"{names[-1]} = {pair[0]} {rng.choice(operations)} {pair[1]}")
        text = "; ".join(lines)
        made = graph(text, leaves)
        gaps = [abs(x - y) for x, y in itertools.combinations(made.data, 2)]
        if min(gaps) > 0.01 and max(map(abs, made.data)) < 100 and all(map(made.users, range(made.root))):
            found += [made, graph(text, leaves, exchanged=True)]
    return found


# --- Orders


def _pre_order(root: int, kids: Kids) -> list[int]:
    order: list[int] = []

    def visit(node: int) -> None:
        if node not in order:
            order.append(node)
            for child in kids[node]:
                visit(child)

    visit(root)
    return order


def _pre_order_repeated(root: int, kids: Kids) -> list[int]:
    return [root, *(node for child in kids[root] for node in _pre_order_repeated(child, kids))]


def _post_order(root: int, kids: Kids) -> list[int]:
    order: list[int] = []

    def visit(node: int) -> None:
        if node not in order:
            for child in kids[node]:
                visit(child)
            order.append(node)

    visit(root)
    return order


def _every_arrival(root: int, kids: Kids) -> list[int]:
    """Return children first, and a node again at every arrival of the search."""
    order: list[int] = []
    visited: set[int] = set()

    def visit(node: int) -> None:
        if node not in visited:
            visited.add(node)
            for child in kids[node]:
                visit(child)
        order.append(node)

    visit(root)
    return order


def _breadth_first(root: int, kids: Kids) -> list[int]:
    order = [root]
    for node in order:
        order += [child for child in dict.fromkeys(kids[node]) if child not in order]
    return order


def _breadth_first_repeated(root: int, kids: Kids) -> list[int]:
    order = [root]
    for node in order:
        order += kids[node]
    return order


class Look(NamedTuple):
    """A well-known walk: its name, and its order from `root`."""

    name: str
    order: Callable[[int, Kids], list[int]]
    turned: bool = (
        False  # True if the order of calls is the reverse of this one; a list has the opposite order
    )


_LOOKS: tuple[Look, ...] = (
    Look("pre-order", _pre_order),
    Look("pre-order, turned", _pre_order, turned=True),
    Look("by paths", _pre_order_repeated),  # the reverse of a walk with children first
    Look("by paths, turned", _pre_order_repeated, turned=True),
    Look("by levels", _breadth_first),
    Look("by levels, turned", _breadth_first, turned=True),
    Look("by levels and paths", _breadth_first_repeated),
    Look("by levels and paths, turned", _breadth_first_repeated, turned=True),
    Look("post-order", _post_order),
    Look("every arrival", _every_arrival),
    Look("every arrival, turned", _every_arrival, turned=True),
)
_BY_DATA = (("largest first", True), ("smallest first", False))


class WalkOrder(NamedTuple):
    """The order of one walk: calls, or a list in reverse. Without `leaves` only inner nodes are compared."""

    graph: Graph
    order: tuple[int, ...]
    kids: tuple[tuple[int, ...], ...] | None  # children in the order of a loop over them; None if unknown
    leaves: bool


def look_of(seen: Sequence[WalkOrder]) -> str:
    """Return the name of the one well-known walk with the order of all of these; empty for none or several."""
    if not seen:
        return ""
    names = [
        look.name
        for look in _LOOKS
        if any(all(_ordered(one, look, way) == one.order for one in seen) for way in _WAYS)
    ]
    names += [
        name for name, largest in _BY_DATA if all(_by_data(one, largest=largest) == one.order for one in seen)
    ]
    return names[0] if len(names) == 1 else ""


# Children as they are kept or in the order of the operands, reversed or not, each once or once for each use.
_WAYS = tuple(itertools.product((False, True), repeat=3))


def _ordered(seen: WalkOrder, look: Look, way: tuple[bool, ...]) -> tuple[int, ...]:
    operands, turned, once = way
    kids = (not operands and seen.kids) or tuple(
        tuple(seen.graph.children(i)) for i in range(len(seen.graph.names))
    )
    kids = tuple(tuple(dict.fromkeys(row)) if once else tuple(row) for row in kids)
    kids = tuple(row[::-1] for row in kids) if turned else kids
    order = look.order(seen.graph.root, kids)
    return _kept(seen, order[::-1] if look.turned else order)


def _by_data(seen: WalkOrder, *, largest: bool) -> tuple[int, ...]:
    nodes = range(len(seen.graph.names))
    return _kept(seen, sorted(nodes, key=lambda node: seen.graph.data[node], reverse=largest))


def _kept(seen: WalkOrder, order: Sequence[int]) -> tuple[int, ...]:
    inner = seen.graph.inner
    return tuple(node for node in order if seen.leaves or node in inner)


def closest(
    order: Sequence[int], nodes: Sequence[int], before: Callable[[int], Sequence[int]]
) -> tuple[list[int], int | None]:
    """Return the right order of `nodes` that shares the most first steps with `order`.

    Also return the first wrong step of `order`: its length if steps are missing, None if it is right. `before(node)`
    are the nodes that must come before a node.
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
