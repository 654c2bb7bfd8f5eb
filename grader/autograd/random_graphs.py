"""Random expression graphs: the same graph runs on the student's values, on tensors and on symbols.

    expression, leaves = random_graph(rng, ("+", "*", "tanh"))
    expected = oracle(expression, **leaves)
    root = expression(*student.leaves(**leaves))

A check draws its graph with the fixture `rng`, so every student gets the same graph.
"""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.autograd.exact import StepNumber
from grader.autograd.parity import Symbol

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg,
    **{name: operator.methodcaller(name) for name in ("exp", "tanh", "relu")},
}
OPERATIONS = (*BINARY, "**", *UNARY)
EXPONENTS = (2, 3, -1, 0.5, -2)
SMALLEST, LARGEST = 0.2, 6.0  # size of every value except relu's 0: far from kinks, poles and overflow
LONGEST = 600  # characters of the expression written out


class _RandomStep(NamedTuple):
    """One operation on earlier nodes, by index; `compute` takes these nodes, and has any plain number built in."""

    operation: str
    inputs: tuple[int, ...]
    compute: Callable[..., Any]

    def apply(self, nodes: Sequence[Any]) -> Any:
        """Return the result on nodes of any type that has the operators and methods."""
        return self.compute(*(nodes[i] for i in self.inputs))


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
        if plan and len(str(_expression(plan)(*map(Symbol, names)))) <= LONGEST:
            return _expression(plan), dict(zip(names, numbers, strict=True))


def _plan(
    rng: random.Random, operations: Sequence[str], numbers: Sequence[float], steps: int
) -> list[_RandomStep] | None:
    """Return the steps, of which the last join unused nodes to the root; None if that is not possible."""
    wanted = [*rng.sample(list(operations), len(operations))] if steps >= len(operations) else []
    wanted += [rng.choice(list(operations)) for _ in range(steps - len(wanted))]
    values, plan = [StepNumber(n) for n in numbers], list[_RandomStep]()

    def add(tried: Iterable[_RandomStep]) -> bool:
        """Add the first tame step; False if there is none."""
        for step in tried:
            if _is_tame(step, values):
                plan.append(step)
                values.append(step.apply(values))
                return True
        return False

    if not all(add(_step(rng, operation, len(values)) for _ in range(20)) for operation in wanted):
        return None
    join = next((o for o in ("+", *operations) if o in BINARY and o in operations), "")
    used = set[int]().union(*(step.inputs for step in plan))
    loose = [i for i in range(len(values) - 1) if i not in used]
    joined = all(join and add([_RandomStep(join, (len(values) - 1, i), BINARY[join])]) for i in loose)
    return plan if joined else None


def _step(rng: random.Random, operation: str, count: int) -> _RandomStep:
    recent = max(0, count - 4)
    left = rng.randrange(recent, count) if rng.random() < 0.7 else rng.randrange(count)
    if operation == "**":
        exponent = rng.choice(EXPONENTS)
        return _RandomStep(operation, (left,), lambda node: node**exponent)
    if operation in UNARY:
        return _RandomStep(operation, (left,), UNARY[operation])
    chance, number, compute = rng.random(), round(rng.uniform(0.5, 3.0), 2), BINARY[operation]
    if chance < 0.15:
        return _RandomStep(operation, (left,), partial(compute, number))
    if chance < 0.3:
        return _RandomStep(operation, (left,), lambda node: compute(node, number))
    return _RandomStep(operation, (left, rng.randrange(count)), compute)


def _is_tame(step: _RandomStep, values: Sequence[StepNumber]) -> bool:
    try:
        value = step.apply(values)
    except (ArithmeticError, ValueError):
        return False
    if value.imag or not math.isfinite(value.real):
        return False
    size, most = (
        (abs(values[step.inputs[0]].real), math.inf)
        if step.operation == "relu"
        else (abs(value.real), LARGEST)
    )
    return bool(SMALLEST <= size <= most)


def _expression(plan: Sequence[_RandomStep]) -> Callable[..., Any]:
    def expression(*args: Any, **named: Any) -> Any:
        nodes = [*args, *named.values()]
        for step in plan:
            nodes.append(step.apply(nodes))
        return nodes[-1]

    return expression
