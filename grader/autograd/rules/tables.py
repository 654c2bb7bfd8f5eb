"""Tables of small expressions: the search for `a op (b op c)`, by meeting in the middle.

For each small `a`, the value that `b op c` must have at one point is looked up in a sorted list of all of them; then
a second point and all points decide. So a million expressions are tried in a few hundredths of a second.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import operator
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.rules.candidates import inputs_of, local_edits, nice
from grader.autograd.rules.edits import UPSTREAM, RuleEdit
from grader.autograd.rules.expressions import (
    UPDATED,
    Expression,
    Points,
    atoms,
    cost,
    natural,
    parts_of,
    product,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.autograd.rules.observations import Target
    from grader.autograd.rules.operations import Operation
    from grader.sandbox import Deadline

NEAR = 1.5e-5  # relative distance in a look-up
FAR = 1e4  # distance from 0, in tolerances, of a value at a point that decides
PIVOTS = 8
CROWD = 40  # expressions that are tried of all with the same value at the first point, such as 1 or 0.5
MOST = 400  # expressions with the right values at a few points; the simplest of them is taken
LARGEST = 7.5  # the highest cost of local edits that are combined with others

_JOIN: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    " /": lambda left, right: right / left,
}
# For each form of `a op b`: the expression, and the value of b that gives the target.
_SOLVE: tuple[tuple[Callable[[Expression, Expression], Expression], Callable[[float, float], float]], ...] = (
    (lambda a, b: ("*", a, b), lambda target, a: target / a),
    (lambda a, b: ("+", a, b), lambda target, a: target - a),
    (lambda a, b: ("-", b, a), lambda target, a: target + a),
    (lambda a, b: ("/", b, a), lambda target, a: target * a),
    (lambda a, b: ("/", a, b), lambda target, a: a / target),
    (lambda a, b: ("**", a, b), lambda target, a: math.log(target) / math.log(a)),
    (lambda a, b: ("*", a, ("math.exp", b)), lambda target, a: math.log(target / a)),
    (lambda a, b: ("*", a, ("**", b, 2)), lambda target, a: math.sqrt(target / a)),
)


class _Small(NamedTuple):
    """A small expression with its values."""

    expression: Expression
    values: list[float]


class Table:
    """The small expressions of an operation at some points, and a search for combinations of them."""

    def __init__(self, operation: Operation, points: Points, *, forward: bool = False) -> None:
        self.points = points
        inputs = sorted(inputs_of(operation))
        self._gradients = [] if forward else [UPSTREAM, *(f"{name}.grad" for name in operation.rules)]
        self._basic: list[Expression] = [*inputs, *([] if forward else ["out.data"]), *self._gradients]
        basic = [*self._basic, 1, 2, 3, 0.5]
        wrapped = [wrap for atom in self._basic for wrap in _wrapped(atom)]
        seeds = [*basic, *wrapped]
        if not forward:
            for name in operation.rules:
                seeds += [
                    part
                    for edit in local_edits(operation, name)
                    # Gates with a threshold are too many to be combined with others.
                    if cost(edit.expression) < LARGEST and "gate_threshold" not in edit.relations
                    for part in parts_of(edit.expression)
                ]
        self._small = list(self._known(seeds))
        self._core = list(
            self._known([*basic, *(wrap for atom in self._basic for wrap in _wrapped(atom)[:4])])
        )
        self._indexes: dict[int, tuple[list[float], list[tuple[str, int, int]]]] = {}

    def _known(self, expressions: list[Expression]) -> Iterator[_Small]:
        known = set()
        for expression in sorted(dict.fromkeys(expressions), key=cost):
            if not set(UPDATED.values()) & set(atoms(expression)):
                values = self.points.values(expression)
                key = tuple(round(value, 9) for value in values)
                if key not in known and any(map(math.isfinite, values)):
                    known.add(key)
                    yield _Small(expression, values)

    def find(self, target: Target, points: Points, deadline: Deadline) -> Iterator[RuleEdit]:
        """Yield expressions with the target's values, in no order: a small one or `a op (b op c)`, times a gradient or alone."""
        pivots = _pivots(target)
        if len(pivots) < 2:
            return
        factors: list[Expression] = [1, *self._gradients]
        found = (
            tidy(product(inside, factor))
            for factor in factors
            for inside in self._inside(target, points.values(factor), pivots, deadline)
        )
        for expression in itertools.islice(found, MOST):
            if target.agrees(points.values(expression)):
                yield RuleEdit(natural(expression))

    def _inside(
        self, target: Target, factor: list[float], pivots: list[int], deadline: Deadline
    ) -> Iterator[Expression]:
        """Yield expressions that are right at the pivots, times a factor: a multiple of a small one, or `a op (b op c)`."""
        wanted = [_or_nan(operator.truediv, target.values[place], factor[place]) for place in pivots]
        if not all(map(math.isfinite, wanted)):
            return
        keys, made = self._index(pivots[0])
        for count, small in enumerate(self._small):
            if count % 16 == 0:
                deadline.check()
            at = [small.values[place] for place in pivots]
            yield from _multiples(small.expression, at, wanted)
            for build, solve in _SOLVE:
                needed = _or_nan(solve, wanted[0], at[0])
                if not 1e-9 < abs(needed) < 1e12 or not (near := _near(keys, abs(needed))):
                    continue
                second = abs(_or_nan(solve, wanted[1], at[1]))
                for place in near[:CROWD]:
                    if not abs(abs(self._value(made[place], pivots[1])) - second) <= 2 * NEAR * second:
                        continue  # most end here
                    needs = (_or_nan(solve, *pair) for pair in zip(wanted, at, strict=True))
                    if expression := self._confirmed(made[place], needs, pivots):
                        yield build(small.expression, expression)

    def _value(self, made: tuple[str, int, int], place: int) -> float:
        """Return the value of `b op c` at a point."""
        name, left, right = made
        return _or_nan(_JOIN[name], self._core[left].values[place], self._small[right].values[place])

    def _confirmed(
        self, made: tuple[str, int, int], needs: Iterator[float], pivots: list[int]
    ) -> Expression | None:
        """Return `b op c`, or minus it, if it has the needed values at all pivots."""
        sign = 0.0
        for place, needed in zip(pivots, needs, strict=True):
            found = self._value(made, place)
            sign = sign or math.copysign(1, found * needed)
            if not abs(sign * found - needed) <= 2 * NEAR * abs(needed):
                return None
        name, left, right = made
        parts = self._core[left].expression, self._small[right].expression
        expression = (name, *parts) if name != " /" else ("/", *reversed(parts))
        return expression if sign > 0 else ("neg", expression)

    def _index(self, place: int) -> tuple[list[float], list[tuple[str, int, int]]]:
        """Return the sizes of all `b op c` at a point, sorted, and beside each its parts."""
        if place not in self._indexes:
            pairs = [
                (name, left, right)
                for left in range(len(self._core))
                for right in range(len(self._small))
                for name in _JOIN
            ]
            rows = [(size, *pair) for pair in pairs if (size := abs(self._value(pair, place))) < math.inf]
            rows.sort()
            self._indexes[place] = [row[0] for row in rows], [row[1:] for row in rows]
        return self._indexes[place]


def _wrapped(atom: Expression) -> list[Expression]:
    """Return an atom in the functions and gates that rules use."""
    absolute = ("abs", atom)
    return [
        ("**", atom, 2),
        absolute,
        ("math.exp", atom),
        (">", atom, 0),
        ("math.tanh", atom),
        ("math.log", absolute),
        ("math.log", atom),
        ("math.copysign", 1, atom),
        ("math.sqrt", absolute),
        ("**", atom, 3),
        ("max", 0, atom),
        ("<", atom, 0),
        (">", atom, 0.5),
        (">", atom, 1),
        ("math.sin", atom),
        ("math.cos", atom),
    ]


def _multiples(expression: Expression, at: list[float], wanted: list[float]) -> Iterator[Expression]:
    """Yield a plain multiple of an expression, or it and a plain number, if that has the wanted values."""
    if at[0]:
        factor = nice(wanted[0] / at[0])
        if factor is not None and _all_near(wanted, [factor * value for value in at]):
            yield tidy(product(factor, expression))
    term = nice(wanted[0] - at[0])
    if term is not None and _all_near(wanted, [value + term for value in at]):
        yield tidy(("+", expression, term))


def _all_near(wanted: list[float], found: list[float]) -> bool:
    return all(abs(one - other) <= NEAR * abs(one) for one, other in zip(wanted, found, strict=True))


def _near(keys: list[float], size: float) -> range:
    """Return the indices of the sorted keys that are near a size."""
    return range(bisect.bisect_left(keys, size * (1 - NEAR)), bisect.bisect_right(keys, size * (1 + NEAR)))


def _or_nan(compute: Callable[[float, float], float], left: float, right: float) -> float:
    try:
        return compute(left, right)
    except (ArithmeticError, ValueError):
        return math.nan


def _pivots(target: Target) -> list[int]:
    """Return the indices of decisive points: with a finite value far from 0, spread over all."""
    known = [
        place
        for place, (value, tolerance) in enumerate(zip(target.values, target.tolerances, strict=True))
        if math.isfinite(value) and abs(value) > FAR * tolerance
    ]
    return known[:3] + known[3 :: max(1, len(known) // PIVOTS)]


@functools.lru_cache(maxsize=32)
def operation_table(
    operation: Operation, names: tuple[str, ...], rows: tuple[tuple[float, ...], ...], *, forward: bool
) -> Table:
    """Return the table of an operation at some points, built once: with right outputs it is the same for all engines."""
    return Table(operation, Points([dict(zip(names, row, strict=True)) for row in rows]), forward=forward)


def table_of(operation: Operation, points: Points, *, forward: bool = False) -> Table:
    """Return the table of an operation at points, without the gradients that earlier lines left."""
    names = tuple(name for name in points.atoms if name not in UPDATED.values())
    rows = tuple(zip(*(points.values(name) for name in names), strict=True))
    return operation_table(operation, names, rows, forward=forward)
