"""Enumeration: all of `a op (b op c)` over small expressions, met in the middle.

For each small `a` the value that `b op c` must have is looked up, at one point, in a sorted list of all of them;
a second point and then all points decide. So a million expressions are tried in a few hundredths of a second.
"""

from __future__ import annotations

import bisect
import functools
import math
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.candidates import inputs_of, local_edits
from grader.autograd.edits import UPSTREAM, Edit
from grader.autograd.expressions import UPDATED, Expression, Points, atoms, cost, product, tidy
from grader.autograd.pieces import nice
from grader.autograd.relations import RELATIONS  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.autograd.observations import Target
    from grader.autograd.operations import Operation
    from grader.sandbox import Deadline

NEAR = 1.5e-5  # relative, of a value that is looked up
MOST = 120  # expressions with the right values, of which the simplest is taken
LARGEST = 9.0  # the cost of the local edits that others are combined with

_JOIN: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "**": math.pow,
}
# What b must be if a and the target are known: how they are put together, then b from target and a.
_SOLVE: tuple[
    tuple[str, Callable[[Expression, Expression], Expression], Callable[[float, float], float]], ...
] = (
    ("*", lambda a, b: ("*", a, b), lambda target, a: target / a),
    ("+", lambda a, b: ("+", a, b), lambda target, a: target - a),
    ("-", lambda a, b: ("-", b, a), lambda target, a: target + a),
    ("/", lambda a, b: ("/", b, a), lambda target, a: target * a),
    ("/", lambda a, b: ("/", a, b), lambda target, a: a / target),
    ("**", lambda a, b: ("**", a, b), lambda target, a: math.log(target) / math.log(a)),
    ("exp", lambda a, b: ("*", a, ("math.exp", b)), lambda target, a: math.log(target / a)),
    ("square", lambda a, b: ("*", a, ("**", b, 2)), lambda target, a: math.sqrt(target / a)),
)


class _Small(NamedTuple):
    """A small expression with its values."""

    expression: Expression
    values: list[float]


class _Frame(NamedTuple):
    """What the outermost part of a rule is, such as `... * out.grad`: how it is taken off and put back."""

    part: Expression
    off: Callable[[float, float], float]
    on: Callable[[Expression, Expression], Expression]


_FACTOR = (lambda target, part: target / part, lambda part, inside: product(inside, part))
_TERM = (lambda target, part: target - part, lambda part, inside: ("+", inside, part))


class Table:
    """The small expressions of an operation at some points; finds what is made of them."""

    def __init__(self, operation: Operation, points: Points, *, forward: bool = False) -> None:
        self.points = points
        inputs = sorted(inputs_of(operation))
        self._basic: list[Expression] = list(inputs)
        if not forward:
            self._basic += ["out.data", UPSTREAM, *(f"{name}.grad" for name in operation.rules)]
        basic = [*self._basic, 1, 2, 3, 0.5]
        wrapped = [wrap for atom in self._basic for wrap in _wrapped(atom)]
        seeds = [*basic, *wrapped]
        if not forward:
            for name in operation.rules:
                seeds += [
                    edit.expression
                    for edit in local_edits(operation, name)
                    if cost(edit.expression) < LARGEST
                ]
        self._small = list(self._known(seeds))
        self._core = list(
            self._known([*basic, *(wrap for atom in self._basic for wrap in _wrapped(atom)[:4])])
        )
        self._indexes: dict[int, tuple[list[float], list[tuple[str, int, int]]]] = {}

    def _known(self, expressions: list[Expression]) -> Iterator[_Small]:
        for expression in dict.fromkeys(expressions):
            if not set(UPDATED.values()) & set(atoms(expression)):
                values = self.points.values(expression)
                if any(math.isfinite(value) for value in values):
                    yield _Small(expression, values)

    def find(self, target: Target, points: Points, deadline: Deadline) -> Iterator[Edit]:
        """Yield expressions with the target's values, in no order; `points` may know more atoms than the table."""
        pivots = _pivots(target)
        if len(pivots) < 2:  # noqa: PLR2004
            return
        updated = [name for name in UPDATED.values() if name in points.atoms]
        extra = [_Small(name, points.values(name)) for name in updated]
        count = 0
        for frame in self._frames(extra):
            part = points.values(frame.part)
            wanted = []
            for place in pivots:
                try:
                    wanted.append(frame.off(target.values[place], part[place]))
                except ZeroDivisionError:
                    wanted.append(math.nan)
            for inside in self._inside(wanted, pivots, extra, deadline):
                expression = tidy(frame.on(frame.part, inside))
                if target.agrees(points.values(expression)):
                    yield Edit(expression)
                    count += 1
                    if count >= MOST:
                        return

    def _frames(self, extra: list[_Small]) -> Iterator[_Frame]:
        yield _Frame(1, *_FACTOR)
        parts = [atom for atom in self._basic if isinstance(atom, str) and atom.endswith(".grad")]
        for part in (*parts, *(each.expression for each in extra)):
            yield _Frame(part, *_FACTOR)
            yield _Frame(part, *_TERM)

    def _inside(
        self, wanted: list[float], pivots: list[int], extra: list[_Small], deadline: Deadline
    ) -> Iterator[Expression]:
        """Yield what has the wanted values at both pivots: a multiple of a small one, or `a op (b op c)`."""
        first, second = pivots
        if not all(map(math.isfinite, wanted)):
            return
        keys, made = self._index(first)
        for count, small in enumerate([*self._small, *extra]):
            if count % 16 == 0:
                deadline.check()
            one, two = small.values[first], small.values[second]
            yield from _multiples(small.expression, (one, two), wanted)
            for _, build, solve in _SOLVE:
                try:
                    needed, again = solve(wanted[0], one), solve(wanted[1], two)
                except (ArithmeticError, ValueError):
                    continue
                for expression in self._looked_up(keys, made, needed, again, second):
                    yield build(small.expression, expression)

    def _looked_up(
        self, keys: list[float], made: list[tuple[str, int, int]], needed: float, again: float, second: int
    ) -> Iterator[Expression]:
        """Yield `b op c`, or minus it, that is `needed` at the first pivot and `again` at the second."""
        size = abs(needed)
        if not 1e-9 < size < 1e12:  # noqa: PLR2004
            return
        for place in range(bisect.bisect_left(keys, size * (1 - NEAR)), len(keys)):
            if keys[place] > size * (1 + NEAR):
                return
            name, left, right = made[place]
            b, c = self._core[left], self._small[right]
            turned = name.startswith(" ")
            b, c = (c, b) if turned else (b, c)
            try:
                found = _JOIN[name.strip()](b.values[second], c.values[second])
            except (ArithmeticError, ValueError):
                continue
            if abs(abs(found) - abs(again)) <= NEAR * abs(again):
                expression: Expression = (name.strip(), b.expression, c.expression)
                yield expression if found * again > 0 else ("neg", expression)

    def _index(self, place: int) -> tuple[list[float], list[tuple[str, int, int]]]:
        """Return the sizes of all `b op c` at a point, sorted, and which they are."""
        if place not in self._indexes:
            rows: list[tuple[float, str, int, int]] = []
            for left, b in enumerate(self._core):
                for right, c in enumerate(self._small):
                    one, two = b.values[place], c.values[place]
                    rows += [(abs(one + two), "+", left, right), (abs(one - two), "-", left, right)]
                    rows.append((abs(one * two), "*", left, right))
                    if two:
                        rows.append((abs(one / two), "/", left, right))
                    if one:
                        rows.append((abs(two / one), " /", left, right))
            rows = [row for row in rows if row[0] == row[0] and row[0] < math.inf]  # noqa: PLR0124  NaN
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


def _multiples(expression: Expression, at: tuple[float, float], wanted: list[float]) -> Iterator[Expression]:
    """Yield a plain multiple of an expression, or it and a plain number, if that has the wanted values."""
    one, two = at
    if one and two and abs(wanted[0] * two - wanted[1] * one) <= NEAR * abs(wanted[1] * one):
        factor = nice(wanted[0] / one)
        if factor is not None:
            yield tidy(product(factor, expression))
    difference = wanted[0] - one
    if abs(difference - (wanted[1] - two)) <= NEAR * abs(difference):
        term = nice(difference)
        if term is not None:
            yield tidy(("+", expression, term))


def _pivots(target: Target) -> list[int]:
    """Return two points at which the target says most: the first ones with a finite value far from 0."""
    known = [
        place
        for place, (value, tolerance) in enumerate(zip(target.values, target.tolerances, strict=True))
        if math.isfinite(value) and abs(value) > 1e4 * tolerance
    ]
    return known[:2]


@functools.lru_cache(maxsize=32)
def table(
    operation: Operation, names: tuple[str, ...], rows: tuple[tuple[float, ...], ...], *, forward: bool
) -> Table:
    """Return the table of an operation at some points, built once: with right outputs it is the same for all engines."""
    return Table(operation, Points([dict(zip(names, row, strict=True)) for row in rows]), forward=forward)


def table_of(operation: Operation, points: Points, *, forward: bool = False) -> Table:
    """Return the table of an operation at points, without the gradients that earlier lines left."""
    names = tuple(name for name in points.atoms if name not in UPDATED.values())
    rows = tuple(zip(*(points.values(name) for name in names), strict=True))
    return table(operation, names, rows, forward=forward)
