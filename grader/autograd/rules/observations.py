"""Observations of an operation, read from an engine, and the values that a statement has to give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.rules.expressions import UPDATED, Points, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.autograd.rules.expressions import Vector
    from grader.autograd.rules.operations import Operation

PRECISION = 1e-5  # relative: float32 is silent
OF_PRIOR = 1e-6  # how exactly the gradient before is known in the gradient after, relative


@dataclass(frozen=True)
class Observation:
    """One application of an operation, read from the engine.

    `before` holds `self.data`, `out.grad`, `self.grad` and, where they apply, `other.data`, `other.grad`, `n`;
    `out` is what the forward pass gave, `after` the gradient of each input after `_backward`.
    """

    before: Mapping[str, float]
    out: float
    after: Mapping[str, float]


class Target(NamedTuple):
    """Values to be found, and how far off each may be."""

    values: Vector
    tolerances: Vector

    def agrees(self, found: Vector) -> bool:
        """Return True if each value is met; infinity and NaN are met by each other alone."""
        for got, wanted, tolerance in zip(found, self.values, self.tolerances, strict=True):
            if not abs(got - wanted) <= tolerance and (math.isfinite(got) or math.isfinite(wanted)):
                return False
        return True

    def at(self, places: Sequence[int]) -> Target:
        """Return the target at some of the points."""
        return Target([self.values[place] for place in places], [self.tolerances[place] for place in places])


def around(values: Vector, precision: float = PRECISION) -> Target:
    """Return values as a target, each with a relative tolerance."""
    return Target(values, [precision * abs(value) + 1e-12 for value in values])


class Seen:
    """Observations as columns: the atoms at each point, the output, the gradients after."""

    def __init__(self, operation: Operation, observations: Sequence[Observation]) -> None:
        self.observations = observations
        self.out = [float(each.out) for each in observations]
        self.after = {
            name: [float(each.after.get(name, math.nan)) for each in observations] for name in operation.rules
        }
        self.before = Points([each.before for each in observations])
        self.right_out = self.before.values(parse(operation.out))
        self.forward_right = around(self.right_out).agrees(self.out)
        self.points = self._with_output(self.right_out if self.forward_right else self.out)

    def _with_output(self, out: Vector) -> Points:
        rows = []
        for place, each in enumerate(self.observations):
            updated = {UPDATED[f"{name}.grad"]: after[place] for name, after in self.after.items()}
            rows.append({**each.before, "out.data": out[place], **updated})
        return Points(rows)

    def outputs(self) -> list[Points]:
        """Return the points with the output that the engine computed and, if that is wrong, with the right one."""
        return [self.points] if self.forward_right else [self.points, self._with_output(self.right_out)]

    def prior(self, name: str) -> Vector:
        """Return the gradient of an input before."""
        return self.points.values(f"{name}.grad")

    def target(self, name: str, operator: str) -> Target:
        """Return what the right side of a statement with `+=`, `=` or `*=` is for an input."""
        after, priors = self.after[name], self.prior(name)
        if operator == "=":
            return around(after)
        if operator == "*=":
            return around(self.points.apply("/", after, priors))
        added = self.points.apply("-", after, priors)
        exact = around(added)
        of_prior = [OF_PRIOR * abs(prior) for prior in priors]
        return Target(added, self.points.apply("+", exact.tolerances, of_prior))

    def is_right(self, name: str, contribution: Vector) -> bool:
        """Return True if the contribution was added to an input's gradient."""
        wanted = self.points.apply("+", self.prior(name), contribution)
        sizes = self.points.apply(
            "+", self.points.apply("abs", self.prior(name)), self.points.apply("abs", contribution)
        )
        return Target(wanted, [PRECISION * size for size in sizes]).agrees(self.after[name])

    def is_left_alone(self, name: str) -> bool:
        """Return True if an input's gradient is what it was before."""
        prior = self.prior(name)
        return Target(prior, [OF_PRIOR * abs(each) for each in prior]).agrees(self.after[name])
