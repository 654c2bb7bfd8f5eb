"""The graphs of examinations: small numbers, so that students can compute everything on paper.

Graded sheets and practice have different graphs: three leaves and four or five operations, with some results used twice;
or two leaves and three operations.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from grader.autograd.exact import derivatives

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

LARGEST = 60  # the size of every number in the forward pass
NUMBERS = (-4, -3, -2, 2, 3, 4, 5)  # 0, 1 and -1 hide mistakes
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
}
NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "@": "matmul"}  # names of the methods


class MadeNode(msgspec.Struct, frozen=True):
    """A node that is made from others: `p = a * b`, or `p = a.sum()` without `right`."""

    name: str
    op: str
    left: str
    right: str = ""

    @property
    def text(self) -> str:
        """The expression that makes it: `a * b`."""
        return f"{self.left} {self.op} {self.right}" if self.right else f"{self.left}.{self.op}()"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of its inputs, with repeats."""
        return (self.left, self.right) if self.right else (self.left,)

    def apply(self, nodes: Mapping[str, Any]) -> Any:
        """Return the result on nodes of any type that has the operators."""
        if not self.right:
            return getattr(nodes[self.left], self.op)()
        return OPERATORS[self.op](nodes[self.left], nodes[self.right])


class GraphPlan(NamedTuple):
    """A graph: the numbers of its leaves, and its operations in order; the last one makes the root."""

    leaves: dict[str, Any]
    steps: tuple[MadeNode, ...]
    node: str = "Value"

    @property
    def root(self) -> str:
        """The name of the root."""
        return self.steps[-1].name

    @property
    def lines(self) -> list[str]:
        """The graph as lines of Python."""
        leaves = [f"{name} = {self.node}({number})" for name, number in self.leaves.items()]
        return [*leaves, *(f"{step.name} = {step.text}" for step in self.steps)]

    @property
    def names(self) -> list[str]:
        """The names of all nodes, in order."""
        return [*self.leaves, *(step.name for step in self.steps)]

    def nudge(self, name: str, place: Sequence[int], amount: float) -> GraphPlan:
        """Return the same graph with another number in one place of a leaf."""
        return self._replace(leaves=self.leaves | {name: _add_at(self.leaves[name], place, amount)})

    def right(self, name: str) -> tuple[Any, dict[str, Any]]:
        """Return the right value of a node, and each leaf's gradient with this node as the root."""

        def made(**nodes: Any) -> Any:
            for step in self.steps:
                nodes[step.name] = step.apply(nodes)
            return nodes[name]

        return derivatives(made, self.leaves)

    def build(self, student: Any) -> dict[str, Any]:
        """Return the nodes in a student's engine, by name. Raises StudentError, SubmissionStopped."""
        nodes = dict(zip(self.leaves, student.leaves(**self.leaves), strict=True))
        for step in self.steps:
            nodes[step.name] = step.apply(nodes)
            student.name(**{step.name: nodes[step.name]})
        return nodes


def places_in(value: Any) -> Iterator[tuple[int, ...]]:
    """Yield the index of each number in nested lists; the empty one for a number.

    >>> list(places_in([[1.0, 2.0]])), list(places_in(3.0))
    ([(0, 0), (0, 1)], [()])
    """
    if isinstance(value, list):
        yield from ((i, *rest) for i, part in enumerate(value) for rest in places_in(part))
    else:
        yield ()


def _add_at(value: Any, place: Sequence[int], amount: float) -> Any:
    if not place:
        return value + amount
    return [_add_at(part, place[1:], amount) if i == place[0] else part for i, part in enumerate(value)]


def scalars(rng: random.Random, operations: Sequence[str], node: str, *, practice: bool) -> GraphPlan:
    """Return a random graph of numbers, made of + and *, and of - if it is among `operations`."""
    leaves = "xy" if practice else "abc"
    inner = ("u", "v", "z") if practice else ("p", "q", "r", "s", "L")[-rng.choice((4, 5)) :]
    known = [op for op in ("+", "*", "-") if op in operations] or ["+", "*"]
    half = 0.5 if practice else 0  # no graded sheet has halves
    while True:
        picked = rng.sample(NUMBERS, len(leaves))
        numbers: dict[str, float] = {name: one + half for name, one in zip(leaves, picked, strict=True)}
        data, steps = dict(numbers), list[MadeNode]()
        for name in inner:
            left, right = rng.choice([*data]), rng.choice([*data])
            steps.append(MadeNode(name, rng.choice(known), left, right))
            data[name] = steps[-1].apply(data)
        plan = GraphPlan(numbers, tuple(steps), node)
        used = [name for step in steps for name in step.inputs]
        are_used = {*used} == {*plan.names[:-1]} and any(used.count(name) > 1 for name in inner)
        are_plain = len({*map(abs, data.values())}) == len(data) and all(
            1 < abs(number) <= LARGEST for number in data.values()
        )
        if are_used and are_plain and {"+", "*"} <= {step.op for step in steps}:
            return plan


def arrays(rng: random.Random, node: str, *, practice: bool) -> GraphPlan:
    """Return a random graph of small arrays, one of which is stretched."""
    entries = [number + 0.5 for number in NUMBERS] if practice else NUMBERS
    matrix = [[float(rng.choice(entries)) for _ in range(2)] for _ in range(2)]
    row = [float(number) for number in rng.sample(entries, 2)]
    first, second = rng.sample(("+", "*"), 2)
    if practice:
        steps = (MadeNode("U", first, "X", "y"), MadeNode("V", second, "U", "X"), MadeNode("z", "sum", "V"))
        return GraphPlan({"X": matrix, "y": row}, steps, node)
    other = [float(number) for number in rng.sample(entries, 2)]
    longer = (
        MadeNode("P", first, *rng.sample(("A", "b"), 2)),
        MadeNode("Q", second, *rng.sample(("P", "c"), 2)),
        MadeNode("R", rng.choice(("+", "*")), *rng.sample(("Q", "P"), 2)),
        MadeNode("L", "sum", "R"),
    )
    return GraphPlan({"A": matrix, "b": row, "c": other}, longer, node)
