"""Checks of an author's declarations in the manifest: right rules are derivatives, and walks are functions of the reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.autograd.rules.expressions import parse, value
from grader.autograd.rules.operations import operations_of
from grader.errors import nearest
from grader.manifest import AssignmentError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from grader.autograd.rules.operations import Operation
    from grader.manifest import Manifest

# Where rules are compared with slopes: both signs, both sides of 1, and upstream gradients other than 1.
ROWS = (
    {"self.data": 0.5, "other.data": 1.5, "n": 2.0, "out.grad": 1.0},
    {"self.data": 1.7, "other.data": -0.6, "n": 3.0, "out.grad": -0.8},
    {"self.data": -0.9, "other.data": 2.2, "n": 4.0, "out.grad": 1.4},
    {"self.data": -2.3, "other.data": -1.3, "n": -1.0, "out.grad": 0.6},
    {"self.data": 2.6, "other.data": 0.7, "n": 0.5, "out.grad": -1.9},
)
STEP = 1e-5
PRECISION = 1e-4  # relative, and absolute below 1


def problems_of(manifest: Manifest, names: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with `operations` and `walks`; `names` are what the reference defines."""
    try:
        operations = operations_of(manifest.operations or ())
    except AssignmentError as error:
        yield str(error)
    else:
        for operation in operations:
            yield from _wrong_rules(operation)
    for walk in manifest.walks or ():
        if walk not in names:
            yield (
                f"`walks` names `{walk}`, which the reference does not define{nearest(walk, list(names))}; "
                "write a function's name or a method's, such as `Value.backward`"
            )


def _wrong_rules(operation: Operation) -> Iterator[str]:
    """Yield each declared rule that is not the derivative, at the first row that shows it."""
    place = f"`operations.{operation.name}"
    rows = [row for row in ROWS if math.isfinite(value(parse(operation.out), row))]
    if not rows:
        tried = ", ".join(f"{row['self.data']:g}" for row in ROWS)
        yield f"{place}.out` has no value for self.data = {tried}; write one that has, for there it is tried"
    for name, rule in operation.rules.items():
        if found := next(filter(None, (_difference(operation, name, rule, row) for row in rows)), ""):
            yield f"{place}.{name}` is not the derivative of its `out`: {found}; correct one of them"


def _difference(operation: Operation, name: str, rule: str, row: Mapping[str, float]) -> str:
    """Return how the rule differs from the slope at a row in words; nothing where it does not, or has none."""
    out = parse(operation.out)
    here = value(out, row)
    above, below = (value(out, {**row, f"{name}.data": row[f"{name}.data"] + h}) for h in (STEP, -STEP))
    if not _alike(above - here, here - below, STEP):  # a corner, or the end of where it is defined
        return ""
    slope = (above - below) / (2 * STEP)
    told, right = value(parse(rule), {**row, "out.data": here}), slope * row["out.grad"]
    if _alike(told, right, 1.0):
        return ""
    used = ["self.data", *["other.data"] * operation.binary, *["n"] * operation.takes_n, "out.grad"]
    point = ", ".join(f"{atom} = {row[atom]:g}" for atom in used)
    return f"at {point} it gives {told:.4g}, the slope times out.grad is {right:.4g}"


def _alike(one: float, other: float, scale: float) -> bool:
    """Return True for two numbers that differ by no more than the precision; NaN is like nothing."""
    return abs(one - other) <= PRECISION * max(scale, abs(one), abs(other))
