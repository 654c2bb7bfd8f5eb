"""Tables of small expressions: the search for `a op (b op c)`, by meeting in the middle.

For each small `a`, the search looks up the value that `b op c` must have at one point, in a sorted list of all values. Then
a second point decides, and at last all points. So it tries a million expressions in a few hundredths of a second.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import operator
from typing import TYPE_CHECKING

from grader.autograd.rules.candidates import inputs_of, local_edits, nice
from grader.autograd.rules.edits import UPSTREAM, RuleEdit
from grader.autograd.rules.expressions import (
    UPDATED,
    Expression,
    Points,
    Vector,
    atoms,
    cost,
    natural,
    or_nan,
    parts_of,
    product,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.autograd.rules.observations import Target
    from grader.autograd.rules.operations import Operation
    from grader.sandbox import Deadline

NEAR = 1.5e-5  # relative distance in a look-up
FAR = 1e4  # distance from 0, in tolerances, of a value at a point that decides
PIVOTS = 8
CROWD = 40  # expressions to try among those with the same value at the first point, such as 1 or 0.5
MOST = 400  # expressions with the right values at a few points; the simplest one is taken
LARGEST = 7.5  # the highest cost of a local edit in a combination

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


class _Table:
    """The small expressions of an operation at some points, and a search for combinations of them."""

    def __init__(
        self, operation: Operation, names: Sequence[str], rows: Sequence[Sequence[float]], *, forward: bool
    ) -> None:
        self.points = Points([dict(zip(names, row, strict=True)) for row in rows])
        self._gradients = [] if forward else [UPSTREAM, *(f"{name}.grad" for name in operation.rules)]
        values = [*sorted(inputs_of(operation)), *([] if forward else ["out.data"]), *self._gradients]
        basic: list[Expression] = [*values, 1, 2, 3, 0.5]
        parts = (
            part
            for name in operation.rules
            for edit in (() if forward else local_edits(operation, name))
            # There are too many gates with a threshold to combine them.
            if cost(edit.expression) < LARGEST and "gate_threshold" not in edit.relations
            for part in parts_of(edit.expression)
        )
        wrapped = [_wrap_atom(value) for value in values]
        self._small = [*self._add_vectors([*basic, *itertools.chain(*wrapped), *parts])]
        self._core = [*self._add_vectors([*basic, *(each for row in wrapped for each in row[:4])])]
        self._index = functools.cache(self._index_of)

    def _add_vectors(self, expressions: list[Expression]) -> Iterator[tuple[Expression, Vector]]:
        known = set()
        for expression in sorted(dict.fromkeys(expressions), key=cost):
            if not set(UPDATED.values()) & set(atoms(expression)):
                values = self.points.values(expression)
                key = tuple(round(value, 9) for value in values)
                if key not in known and any(map(math.isfinite, values)):
                    known.add(key)
                    yield expression, values

    def find(self, target: Target, points: Points, deadline: Deadline) -> Iterator[RuleEdit]:
        """Yield expressions with the target's values, in no order: small ones or `a op (b op c)`, with or without a gradient."""
        pairs = enumerate(zip(target.values, target.tolerances, strict=True))
        far = [at for at, (value, tolerance) in pairs if FAR * tolerance < abs(value) < math.inf]
        pivots = far[:3] + far[3 :: max(1, len(far) // PIVOTS)]  # points that decide, spread over all
        factors: list[Expression] = [1, *self._gradients]
        found = (
            tidy(product(inside, factor))
            for factor in factors
            for inside in self._inside(target, points.values(factor), pivots, deadline)
        )
        for expression in itertools.islice(found, MOST) if len(pivots) > 1 else ():
            if target.agrees(points.values(expression)):
                yield RuleEdit(natural(expression))

    def _inside(
        self, target: Target, factor: list[float], pivots: list[int], deadline: Deadline
    ) -> Iterator[Expression]:
        """Yield expressions that are right at the pivots, times a factor: a multiple of a small one, or `a op (b op c)`."""
        wanted = [or_nan(operator.truediv, target.values[place], factor[place]) for place in pivots]
        if not all(map(math.isfinite, wanted)):
            return
        keys, made = self._index(pivots[0])
        for count, (small, values) in enumerate(self._small):
            if count % 16 == 0:
                deadline.check()
            at = [values[place] for place in pivots]
            yield from _multiples(small, at, wanted)
            for build, solve in _SOLVE:
                needed = or_nan(solve, wanted[0], at[0])
                if not 1e-9 < abs(needed) < 1e12:
                    continue
                first = bisect.bisect_left(keys, abs(needed) * (1 - NEAR))
                last = bisect.bisect_right(keys, abs(needed) * (1 + NEAR))
                second = abs(or_nan(solve, wanted[1], at[1])) if first < last else 0.0
                for place in range(first, min(last, first + CROWD)):
                    if not abs(abs(self._value(made[place], pivots[1])) - second) <= 2 * NEAR * second:
                        continue  # most end here
                    sign = math.copysign(1, self._value(made[place], pivots[0]) * needed)
                    needs = (or_nan(solve, *pair) for pair in zip(wanted, at, strict=True))
                    pairs = (
                        (need, sign * self._value(made[place], i))
                        for i, need in zip(pivots, needs, strict=True)
                    )
                    if all(abs(found - need) <= 2 * NEAR * abs(need) for need, found in pairs):
                        yield build(small, self._expression(made[place], sign))

    def _value(self, made: tuple[str, int, int], place: int) -> float:
        """Return the value of `b op c` at a point."""
        name, left, right = made
        return or_nan(_JOIN[name], self._core[left][1][place], self._small[right][1][place])

    def _expression(self, made: tuple[str, int, int], sign: float) -> Expression:
        """Return `b op c`, or minus it."""
        name, left, right = made
        parts = self._core[left][0], self._small[right][0]
        expression = (name, *parts) if name != " /" else ("/", *reversed(parts))
        return expression if sign > 0 else ("neg", expression)

    def _index_of(self, place: int) -> tuple[list[float], list[tuple[str, int, int]]]:
        """Return the sizes of all `b op c` at a point, sorted, and beside each its parts."""
        pairs = itertools.product(_JOIN, range(len(self._core)), range(len(self._small)))
        rows = sorted((size, pair) for pair in pairs if (size := abs(self._value(pair, place))) < math.inf)
        return [size for size, _ in rows], [pair for _, pair in rows]


def _wrap_atom(atom: Expression) -> list[Expression]:
    """Return the functions and gates of an atom that rules use."""
    return [
        ("**", atom, 2),
        ("abs", atom),
        ("math.exp", atom),
        (">", atom, 0),
        ("math.tanh", atom),
        ("math.log", ("abs", atom)),
        ("math.log", atom),
        ("math.copysign", 1, atom),
        ("math.sqrt", ("abs", atom)),
        ("**", atom, 3),
        ("max", 0, atom),
        ("<", atom, 0),
        (">", atom, 0.5),
        (">", atom, 1),
        ("math.sin", atom),
        ("math.cos", atom),
    ]


def _multiples(expression: Expression, at: list[float], wanted: list[float]) -> Iterator[Expression]:
    """Yield a plain multiple of an expression, and its sum with a plain number, if these have the wanted values."""
    factor, term = nice(wanted[0] / at[0]) if at[0] else None, nice(wanted[0] - at[0])
    if factor is not None and _all_near(wanted, [factor * value for value in at]):
        yield tidy(product(factor, expression))
    if term is not None and _all_near(wanted, [value + term for value in at]):
        yield tidy(("+", expression, term))


def _all_near(wanted: list[float], found: list[float]) -> bool:
    return all(abs(one - other) <= NEAR * abs(one) for one, other in zip(wanted, found, strict=True))


_made = functools.lru_cache(maxsize=32)(_Table)  # with right outputs a table is the same for all engines


def table_of(operation: Operation, points: Points, *, forward: bool = False) -> _Table:
    """Return the cached table of an operation at points, without gradients that earlier lines wrote."""
    names = tuple(name for name in points.atoms if name not in UPDATED.values())
    rows = tuple(zip(*(points.values(name) for name in names), strict=True))
    return _made(operation, names, rows, forward=forward)
