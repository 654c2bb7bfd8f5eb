"""Rules with two pieces, `a if x > 0 else b`, and numbers that are fitted: `0.3 * out.grad`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.autograd.rules.candidates import local_of, right_rule
from grader.autograd.rules.edits import UPSTREAM, Edit, is_gate
from grader.autograd.rules.expressions import Expression, Points, atoms, cost, negated, product, text, tidy
from grader.autograd.rules.points import THRESHOLDS, has_gate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.rules.observations import Target
    from grader.autograd.rules.operations import Operation
    from grader.sandbox import Deadline

FEWEST = 5  # points on either side of a gate
EXACT = 1e-5


def nice(number: float) -> float | None:
    """Return a number of at most three digits that is as good as equal, or None."""
    if not math.isfinite(number) or number == 0:
        return None
    rounded = float(f"{number:.3g}")
    return rounded if abs(rounded - number) <= EXACT * abs(number) else None


def pieces(
    operation: Operation, name: str, target: Target, points: Points, deadline: Deadline
) -> Iterator[Edit]:
    """Yield rules that do one thing where a value passes a number and another where it does not."""
    parts = _parts(operation, name)
    gated = has_gate(operation)
    right = right_rule(operation, name)
    for condition, above, below in _conditions(operation, points, gated=gated):
        deadline.check()
        then = _piece(parts, target, points, above)
        otherwise = None if then is None else _piece(parts, target, points, below)
        if then is None or otherwise is None or then == otherwise:
            continue
        chosen = _chosen(then, condition, otherwise, gated=gated)
        yield Edit(chosen, _relations(chosen, right, condition, then, otherwise, gated=gated))


def _relations(
    chosen: Expression,
    right: Expression,
    condition: Expression,
    then: Expression,
    otherwise: Expression,
    *,
    gated: bool,
) -> tuple[str, ...]:
    if right == ("*", condition, UPSTREAM) and then == UPSTREAM and UPSTREAM in atoms(otherwise):
        return ("leaky",)
    if gated:
        return ()
    return ("sign_only",) if "math.copysign" in text(chosen) else ("gate_added",)


def _parts(operation: Operation, name: str) -> list[Expression]:
    """Return what a piece may be a multiple of, likelier things first."""
    right = right_rule(operation, name)
    local = local_of(right)
    values = [*(f"{each}.data" for each in operation.rules), "out.data"]
    parts: list[Expression] = [UPSTREAM, right, *([] if local is None else [local]), 1]
    parts += [product(value, UPSTREAM) for value in values]
    parts += [
        *values,
        *(f"{each}.grad" for each in operation.rules),
        ("max", 0, UPSTREAM),
        ("**", UPSTREAM, 2),
    ]
    return list(dict.fromkeys(part for part in parts if not is_gate(part)))


def _conditions(
    operation: Operation, points: Points, *, gated: bool
) -> Iterator[tuple[Expression, list[int], list[int]]]:
    """Yield conditions, with the points where they hold and where they do not; one for each way to part them."""
    known = set()
    atoms = [*(f"{each}.data" for each in operation.rules), UPSTREAM, "out.data", *["n"] * operation.takes_n]
    for atom in atoms:
        for threshold in (0, *(THRESHOLDS if gated and atom == "self.data" else (0.5, 1, -1))):
            above: list[int] = []
            below: list[int] = []
            for place, number in enumerate(points.values(atom)):
                (above if number > threshold else below).append(place)
            if min(len(above), len(below)) >= FEWEST and tuple(above) not in known:
                known.add(tuple(above))
                yield (">", atom, threshold), above, below


def _piece(
    parts: Sequence[Expression], target: Target, points: Points, places: list[int]
) -> Expression | None:
    """Return what gives the values at these points: 0, one of the parts, or a plain multiple of one."""
    here = target.at(places)
    if here.agrees([0.0] * len(places)):
        return 0
    for part in parts:
        values = points.values(part)
        found = [values[place] for place in places]
        factor = fitted(found, here)
        if factor is not None:
            return tidy(product(factor, part))
    return None


def fitted(values: list[float], target: Target) -> float | None:
    """Return the plain number by which all values must be multiplied to meet the target, or None."""
    for value, wanted, tolerance in zip(values, target.values, target.tolerances, strict=True):
        if abs(wanted) > 100 * tolerance and value:
            factor = nice(wanted / value)
            return (
                factor if factor is not None and target.agrees([factor * each for each in values]) else None
            )
    return None


def _chosen(then: Expression, condition: Expression, otherwise: Expression, *, gated: bool) -> Expression:
    """Return the two pieces as one writes them, with a common upstream gradient behind."""
    turned = ("<", *condition[1:])  # type: ignore[index]
    if otherwise == 0:
        return product(condition, then)
    if then == 0:
        return product(turned, otherwise)
    first, second = local_of(then), local_of(otherwise)
    if first is None or second is None:
        return ("if", then, condition, otherwise)
    if not gated and condition[2] == 0 and first == negated(second):  # type: ignore[index]
        return tidy(("*", _sized(first, condition[1]), UPSTREAM))  # type: ignore[index]
    return ("*", ("if", first, condition, second), UPSTREAM)


def _sized(positive: Expression, atom: Expression) -> Expression:
    """Return what is `positive` above 0 and minus that below: an absolute value, or a product with the sign."""
    return ("abs", atom) if positive == atom else product(positive, ("math.copysign", 1, atom))


def simplest(found: Sequence[Edit]) -> list[Edit]:
    """Return the edits, the easiest to read first; of equal ones the earlier."""
    return sorted(found, key=lambda edit: cost(edit.expression) + edit.penalty)
