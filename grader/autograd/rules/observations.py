"""Observations of an operation: the points at which it is probed, and the engine's numbers there.

A point holds inputs, upstream gradient, and the gradients that the inputs held before.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.autograd.rules.expressions import UPDATED, Points, Vector, parse, value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.autograd.rules.operations import Operation

# --- Points


TRIED, FRESH = 36, 40  # points to search with, and to verify on
ANEW = 4  # at one fresh point in four the gradients before are 0, as in new leaves
TWINS = 2  # points that are repeated

# Thresholds of gates: an operation with a gate is probed close to both sides of each.
THRESHOLDS = (
    *(0.5, 1, 0.1, 0.01, 0.2, 0.25, 0.3, 0.4, 0.6, 0.7, 0.75, 0.8, 0.9, 1.5, 2, 0.05, 0.001),
    *(-1, -0.5, -0.1, -0.01, -0.2, -0.25, -0.3, -0.4, -0.6, -0.7, -0.75, -0.8, -0.9, -1.5, -2, -0.05, -0.001),
)
CLOSE = 0.0004

# Both signs, and close to both sides of the usual thresholds: 0, 0.5, 1, 2.
_DATA = (
    *(
        1.37,
        -0.83,
        2.21,
        -1.74,
        0.03,
        -0.03,
        0.494,
        0.506,
        0.992,
        1.008,
        -0.992,
        -1.008,
        0.71,
        -0.494,
        -0.506,
        1.992,
    ),
    *(2.008, 0.12, -0.09, 0.0042, -0.0042, 2.6, -2.3, 0.27, -0.31, -0.62, 1.52, 0.86),
)
_UPSTREAM = (
    *(
        0.74,
        -1.31,
        1.93,
        -0.58,
        -2.17,
        1.12,
        0.39,
        -0.88,
        0.012,
        2.41,
        -0.012,
        1.57,
        -0.67,
        0.93,
        0.55,
        -0.44,
        -1.69,
    ),
    *(0.495, 0.507, 1.009, 0.991, -1.009, -0.991, -0.495, -0.507, 0.04, -0.05, 2.009, 1.991),
)
_EXPONENTS = (-2, 3, 2, 4, -1, 0.5)


def observation_points(operation: Operation, count: int = TRIED, seed: int = 0) -> list[dict[str, float]]:
    """Return points for an operation: fixed ones for seed 0, random ones for any other seed.

    Each has `self.data`, `out.grad`, `self.grad` and, where the operation has them, `other.data`, `other.grad`
    and `n`. The gradients before are generic and not zero. After the fixed points, the first two are repeated: once
    with another gradient before, once unchanged. An operation with a gate has more than `count` points. The right
    forward pass is a finite number at every point.
    """
    rng = _rng("points", seed)
    twins = TWINS if seed == 0 and count > 4 else 0
    drawn = (
        _random(operation, rng) if seed else _fixed_values(operation, place) for place in range(20 * count)
    )
    usable = (row for row in drawn if _usable(operation, row))
    rows = [*itertools.islice(usable, count - 2 * twins)]
    if seed == 0 and has_gate(operation):
        rows += _around_gates(operation)
    return rows + [_twin(operation, row, place) for place, row in enumerate(rows[:twins])] + rows[:twins]


def fresh_points(operation: Operation) -> list[dict[str, float]]:
    """Return the points for verifying a statement; at some of them the gradients before are 0."""
    rows = observation_points(operation, FRESH, seed=1)
    first = dict.fromkeys([f"{name}.grad" for name in operation.rules], 0.0)
    return [row | first if place % ANEW == 0 else row for place, row in enumerate(rows)]


def _twin(operation: Operation, row: dict[str, float], place: int) -> dict[str, float]:
    """Return the point with another gradient before, of the first input or the second in turn."""
    names = list(operation.rules)
    changed = f"{names[place % len(names)]}.grad"
    return row | {changed: row[changed] + 0.7 + place}


def _rng(name: str, number: int) -> random.Random:
    return random.Random(f"{name} {number}")  # noqa: S311  not a secret


def has_gate(operation: Operation) -> bool:
    """Return True if a right rule compares something."""
    return any(sign in rule for rule in operation.rules.values() for sign in "<>")


def _around_gates(operation: Operation) -> list[dict[str, float]]:
    """Return points close to either side of each threshold, for each input, and of 0 for its gradient."""
    rows = []
    for name in operation.rules:
        for place, threshold in enumerate(THRESHOLDS):
            row = _fixed_values(operation, place)
            rows += [row | {f"{name}.data": threshold + side * CLOSE} for side in (-1, 1)]
        rows += [_fixed_values(operation, 0) | {f"{name}.grad": side * CLOSE / 3} for side in (-1, 1)]
    return [row for row in rows if _usable(operation, row)]


def _fixed_values(operation: Operation, place: int) -> dict[str, float]:
    n = _EXPONENTS[(place + place // len(_EXPONENTS)) % len(_EXPONENTS)]
    return {
        "self.data": _DATA[place % len(_DATA)],
        "out.grad": _UPSTREAM[place % len(_UPSTREAM)],
        **({"other.data": _DATA[(5 * place + 3) % len(_DATA)]} if operation.binary else {}),
        **({"n": n} if operation.takes_n else {}),
        **_priors(operation, _rng("priors", place)),
    }


def _random(operation: Operation, rng: random.Random) -> dict[str, float]:
    return {
        "self.data": _number(rng),
        "out.grad": _number(rng),
        **({"other.data": _number(rng)} if operation.binary else {}),
        **({"n": rng.choice((*_EXPONENTS, 1.5, 5, -3))} if operation.takes_n else {}),
        **_priors(operation, rng),
    }


def _number(rng: random.Random) -> float:
    """Return a number between -3 and 3; one in three is close to a usual threshold."""
    if rng.random() < 1 / 3:
        return float(rng.choice((0, 0.5, 1, -1, -0.5, 2))) + rng.choice((-1, 1)) * rng.uniform(0.002, 0.2)
    return rng.choice((-1, 1)) * rng.uniform(0.05, 3)


def _priors(operation: Operation, rng: random.Random) -> dict[str, float]:
    return {f"{name}.grad": rng.choice((-1, 1)) * rng.uniform(0.2, 2) for name in operation.rules}


def _usable(operation: Operation, row: dict[str, float]) -> bool:
    """Return True if the forward pass is a finite number; a negative base gets a whole exponent."""
    if operation.takes_n and row["self.data"] < 0 and row["n"] != int(row["n"]):
        row["n"] = 3
    return math.isfinite(value(parse(operation.out), row))


# --- The engine's numbers at the points


PRECISION = 1e-5  # relative: a right engine in float32 stays right
OF_PRIOR = 1e-6  # relative precision of the gradient before within the gradient after


class Observation(msgspec.Struct, frozen=True):
    """One application of an operation by the engine.

    `before` holds `self.data`, `out.grad`, `self.grad` and, where they apply, `other.data`, `other.grad`, `n`;
    `out` is the result of the forward pass, `after` the gradient of each input after `_backward`.
    """

    before: Mapping[str, float]
    out: float
    after: Mapping[str, float]


class Target(NamedTuple):
    """Values to be found, each with a tolerance."""

    values: Vector
    tolerances: Vector

    def agrees(self, found: Vector) -> bool:
        """Return True if each value is within its tolerance; infinity and NaN agree only with each other."""
        for got, wanted, tolerance in zip(found, self.values, self.tolerances, strict=True):
            if not abs(got - wanted) <= tolerance and (math.isfinite(got) or math.isfinite(wanted)):
                return False
        return True


def around(values: Vector, precision: float = PRECISION) -> Target:
    """Return values as a target, each with a relative tolerance."""
    return Target(values, [precision * abs(value) + 1e-12 for value in values])


class ObservationTable:
    """Observations as columns: the atoms at each point, the output, the gradients after."""

    def __init__(self, operation: Operation, observations: Sequence[Observation]) -> None:
        self.operation, self.observations = operation, observations
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

    def prior(self, name: str) -> Vector:
        """Return the gradient that an input held before."""
        return self.points.values(f"{name}.grad")

    def target(self, name: str, operator: str) -> Target:
        """Return the values of the right side of a statement with `+=` or `=` for an input."""
        after, priors = self.after[name], self.prior(name)
        if operator == "=":
            return around(after)
        exact = around(self.points.apply("-", after, priors))
        of_prior = [OF_PRIOR * abs(prior) for prior in priors]
        return Target(exact.values, self.points.apply("+", exact.tolerances, of_prior))

    def is_right(self, name: str, contribution: Vector) -> bool:
        """Return True if the contribution was added to an input's gradient."""
        wanted = self.points.apply("+", self.prior(name), contribution)
        sizes = self.points.apply(
            "+", self.points.apply("abs", self.prior(name)), self.points.apply("abs", contribution)
        )
        return Target(wanted, [PRECISION * size for size in sizes]).agrees(self.after[name])

    def has_right(self, name: str) -> bool:
        """Return True if the right contribution was added, with the engine's output or the right one."""
        rule = parse(self.operation.rules[name])
        outputs = [self.points, *([] if self.forward_right else [self._with_output(self.right_out)])]
        return any(self.is_right(name, known.values(rule)) for known in outputs)

    def is_left_alone(self, name: str) -> bool:
        """Return True if an input's gradient did not change."""
        prior = self.prior(name)
        return Target(prior, [OF_PRIOR * abs(each) for each in prior]).agrees(self.after[name])
