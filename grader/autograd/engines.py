"""Whether a whole engine can be trusted: what a visible check of an answer asks before it compares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.student import Student


def _twice(a: Any) -> Any:
    b = 3 * a
    return (b + 1) * (b * 2)


def _far(a: Any) -> Any:
    b = 3 * a
    return b * (3 * (b + 1))


# Each with its leaves and their gradients, worked out by hand. What is wrong is caught under every
# order of sets: `=` for `+=` by the first ones, values told apart by their number by the relu of
# 2 * a, a node called at its first use by _twice, one called level by level by _far.
_CASES: list[tuple[Callable[..., Any], dict[str, float], tuple[float, ...]]] = [
    (lambda a, b: (a + b) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: (b + a) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: a * b + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b: b * a + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b, c: (3 * a - b) ** 2 / c, {"a": 2.0, "b": 4.0, "c": -4.0}, (-3.0, 1.0, -0.25)),
    (lambda a: 5 * (a.relu() + a), {"a": 2.0}, (10.0,)),
    (lambda a: 5 * (a.relu() + a), {"a": -1.0}, (5.0,)),
    (lambda a: 3 * (2 * a).relu(), {"a": 2.0}, (6.0,)),
    (lambda a: 2 * a.tanh() + a, {"a": 0.5}, (3 - 2 * math.tanh(0.5) ** 2,)),
    (_twice, {"a": 2.0}, (78.0,)),
    (_far, {"a": 2.0}, (117.0,)),
]


def trusted_engine(student: Student) -> bool:
    """Whether + - × / ** tanh relu and `backward()` give right gradients.

    It uses the public surface alone, so that engines with and without closures are tried alike.
    """
    try:
        return all(_right(student, *case) for case in _CASES)
    except (StudentError, Undefined, TypeError, ValueError):
        return False


def _right(
    student: Student, build: Callable[..., Any], numbers: dict[str, float], slopes: tuple[float, ...]
) -> bool:
    leaves = student.leaves(**numbers)
    build(*leaves).backward()
    return all(
        math.isclose(float(leaf.grad), slope, abs_tol=1e-9)
        for leaf, slope in zip(leaves, slopes, strict=True)
    )
