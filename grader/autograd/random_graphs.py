"""Random expression graphs: the same one runs on the student's values, on tensors and on symbols.

    expression, leaves = random_graph(rng, ("+", "*", "tanh"))
    expected = oracle(expression, **leaves)
    root = expression(*student.leaves(**leaves))

A check draws its graph with the fixture `rng`, so every student gets the same graph.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.parity import Symbol

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
UNARY: dict[str, Callable[[float], float]] = {
    "neg": operator.neg,
    "exp": math.exp,
    "tanh": math.tanh,
    "relu": lambda x: max(0.0, x),
}
OPERATIONS = (*BINARY, "**", *UNARY)
EXPONENTS = (2, 3, -1, 0.5, -2)
SMALLEST, LARGEST = 0.2, 6.0  # size of every value except relu's 0: far from kinks, poles and overflow
LONGEST = 600  # characters of the expression written out


class RandomStep(msgspec.Struct, frozen=True):
    """One operation on earlier nodes, by index, or on a plain number, which is a float or an exponent."""

    operation: str
    left: int | float
    right: int | float = 0

    def apply(self, nodes: Sequence[Any]) -> Any:
        """Return the result on nodes of any type that has the operators and methods."""
        if self.operation == "**":
            return nodes[int(self.left)] ** self.right
        left, right = (nodes[one] if isinstance(one, int) else one for one in (self.left, self.right))
        if self.operation == "neg":
            return -left
        if self.operation in UNARY:
            return getattr(left, self.operation)()
        return BINARY[self.operation](left, right)

    @property
    def inputs(self) -> set[int]:
        """The indices of the nodes that it uses."""
        operands = (self.left, self.right) if self.operation in BINARY else (self.left,)
        return {one for one in operands if isinstance(one, int)}


class _Number(float):
    """A float with the methods of a Value, to try a step on."""

    def __getattr__(self, name: str) -> Callable[[], float]:
        return lambda: UNARY[name](self)


def random_graph(
    rng: random.Random, operations: Sequence[str] = OPERATIONS, *, leaves: int = 3, steps: int = 8
) -> tuple[Callable[..., Any], dict[str, float]]:
    """Return an expression of leaves a, b, c, ... and the numbers of the leaves.

    Every leaf takes part, and inner nodes may be used more than once. No node lies near a kink or a
    pole. Every one of `operations` is used at least once where `steps` is at least their number.
    """
    names = [chr(ord("a") + i) for i in range(leaves)]
    while True:
        numbers = [round(rng.uniform(0.4, 2.0) * rng.choice((-1, 1)), 3) for _ in names]
        plan = _plan(rng, operations, numbers, steps)
        if plan is not None and len(str(_expression(plan)(*map(Symbol, names)))) <= LONGEST:
            return _expression(plan), dict(zip(names, numbers, strict=True))


def _plan(
    rng: random.Random, operations: Sequence[str], numbers: Sequence[float], steps: int
) -> list[RandomStep] | None:
    wanted = [*rng.sample(list(operations), len(operations))] if steps >= len(operations) else []
    wanted += [rng.choice(list(operations)) for _ in range(steps - len(wanted))]
    values, plan = [_Number(n) for n in numbers], list[RandomStep]()
    for operation in wanted:
        tried = (_step(rng, operation, len(values)) for _ in range(20))
        found = next((s for s in tried if _is_tame(s, values)), None)
        if found is None:
            return None
        plan.append(found)
        values.append(_Number(found.apply(values)))
    return _joined(plan, values, len(numbers), operations)


def _step(rng: random.Random, operation: str, count: int) -> RandomStep:
    recent = max(0, count - 4)
    left = rng.randrange(recent, count) if rng.random() < 0.7 else rng.randrange(count)
    if operation == "**":
        return RandomStep(operation, left, rng.choice(EXPONENTS))
    if operation in UNARY:
        return RandomStep(operation, left)
    chance, number = rng.random(), round(rng.uniform(0.5, 3.0), 2)
    if chance < 0.15:
        return RandomStep(operation, number, left)
    if chance < 0.3:
        return RandomStep(operation, left, number)
    return RandomStep(operation, left, rng.randrange(count))


def _is_tame(step: RandomStep, values: Sequence[_Number]) -> bool:
    try:
        value = step.apply(values)
    except (ArithmeticError, ValueError):
        return False
    if isinstance(value, complex) or not math.isfinite(value):
        return False
    if step.operation == "relu":
        return abs(values[int(step.left)]) >= SMALLEST
    return bool(SMALLEST <= abs(value) <= LARGEST)


def _joined(
    plan: list[RandomStep], values: list[_Number], leaves: int, operations: Sequence[str]
) -> list[RandomStep] | None:
    """Join each unused node to the last one, so that all nodes reach the root. None if that is not possible."""
    join = "+" if "+" in operations else next((o for o in operations if o in BINARY), None)
    used = set().union(*(step.inputs for step in plan))
    for loose in [i for i in range(len(values) - 1) if i not in used]:
        step = RandomStep(join or "+", len(values) - 1, loose)
        if join is None or not _is_tame(step, values):
            return None
        plan.append(step)
        values.append(_Number(step.apply(values)))
    return plan if len(values) > leaves else None


def _expression(plan: Sequence[RandomStep]) -> Callable[..., Any]:
    def expression(*args: Any, **named: Any) -> Any:
        nodes = [*args, *named.values()]
        for step in plan:
            nodes.append(step.apply(nodes))
        return nodes[-1]

    return expression
