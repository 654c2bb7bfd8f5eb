"""Whether a whole engine can be trusted: what a visible check of an answer asks before it compares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.student import Student


def _reuse(a: Any) -> Any:
    b = 3 * a
    return b * (a + b)


def _reuse_turned(a: Any) -> Any:
    b = a * 3
    return (b + a) * b


def _deep(a: Any) -> Any:
    b = a * a
    c = b * b
    d = c * b + c
    return d * c + b


def _deep_turned(a: Any) -> Any:
    b = a * a
    c = b * b
    d = c + b * c
    return b + c * d


# Each with its leaves and their gradients, worked out by hand. A wrong engine fails one of them
# under every order of sets: the first ones catch `=` for `+=`, the last four a wrong order.
_CASES: list[tuple[Callable[..., Any], dict[str, float], tuple[float, ...]]] = [
    (lambda a, b: (a + b) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: (b + a) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: a * b + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b: b * a + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b, c: (3 * a - b) ** 2 / c, {"a": 2.0, "b": 4.0, "c": -4.0}, (-3.0, 1.0, -0.25)),
    (lambda a: 5 * (a.relu() + a), {"a": 2.0}, (10.0,)),
    (lambda a: 5 * (a.relu() + a), {"a": -1.0}, (5.0,)),
    (lambda a: 2 * a.tanh() + a, {"a": 0.5}, (3 - 2 * math.tanh(0.5) ** 2,)),
    (_reuse, {"a": 2.0}, (48.0,)),
    (_reuse_turned, {"a": 2.0}, (48.0,)),
    (_deep, {"a": 2.0}, (6148.0,)),
    (_deep_turned, {"a": 2.0}, (6148.0,)),
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
