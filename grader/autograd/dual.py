"""Exact derivatives without PyTorch: forward-mode dual numbers, for records that are made where it is not installed.

A dual number carries a value and its derivative by each leaf; an array of leaves is an array of them. Every operation
has the derivative of the textbook, in float64, so a record differs from PyTorch's only in the last digits
(tests/autograd/test_dual.py compares all records of the course).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Name: TypeAlias = str | tuple[str, tuple[int, ...]]  # of a leaf, or of an entry of one


def _lifted(number: Dual | float) -> Dual:
    return number if isinstance(number, Dual) else Dual(float(number))


def _of_two(
    rule: Callable[[float, float], tuple[float, float, float]],
) -> tuple[Callable[[Dual, Any], Dual], Callable[[Dual, float], Dual]]:
    """Return an operation and the one with exchanged operands, by a rule for the value and both local derivatives."""

    def apply(left: Dual, other: Dual | float) -> Dual:
        if not isinstance(other, Dual | float | int):
            return NotImplemented  # an array applies the operation to its entries
        right = _lifted(other)
        value, by_left, by_right = rule(left.value, right.value)
        names = left.slopes | right.slopes
        slopes = {n: by_left * left.slopes.get(n, 0.0) + by_right * right.slopes.get(n, 0.0) for n in names}
        return Dual(value, slopes)

    return apply, lambda right, left: apply(_lifted(left), right)


def _of_one(rule: Callable[[float], tuple[float, float]]) -> Callable[[Dual], Dual]:
    """Return an operation by a rule for the value and the derivative."""

    def apply(of: Dual) -> Dual:
        value, slope = rule(of.value)
        return Dual(value, {name: slope * own for name, own in of.slopes.items()})

    return apply


class Dual:
    """A value, and its derivatives by the names of leaves, or of their entries."""

    def __init__(self, value: float, slopes: dict[Name, float] | None = None) -> None:
        self.value, self.slopes = value, slopes or {}

    __add__, __radd__ = _of_two(lambda a, b: (a + b, 1.0, 1.0))
    __sub__, __rsub__ = _of_two(lambda a, b: (a - b, 1.0, -1.0))
    __mul__, __rmul__ = _of_two(lambda a, b: (a * b, b, a))
    __truediv__, __rtruediv__ = _of_two(lambda a, b: (a / b, 1 / b, -a / (b * b)))
    __neg__ = _of_one(lambda a: (-a, -1.0))
    exp = _of_one(lambda a: (math.exp(a), math.exp(a)))
    tanh = _of_one(lambda a: (math.tanh(a), 1 - math.tanh(a) * math.tanh(a)))
    relu = _of_one(lambda a: (max(0.0, a), float(a > 0)))  # the derivative at 0 is PyTorch's
    log = _of_one(lambda a: (math.log(a), 1 / a))

    def __pow__(self, exponent: float) -> Dual:
        slope = exponent * self.value ** (exponent - 1) if exponent else 0.0
        return _of_one(lambda a: (a**exponent, slope))(self)


def derivatives(expression: Callable[..., Any], leaves: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the value of an expression of named leaves, and each leaf's gradient: numbers, or nested lists.

    Raises AttributeError and TypeError for an operation without a rule.
    """
    if not any(isinstance(leaf, list) for leaf in leaves.values()):
        root = expression(**{name: Dual(float(value), {name: 1.0}) for name, value in leaves.items()})
        return root.value, {name: root.slopes.get(name, 0.0) for name in leaves}
    import numpy as np  # late: only a course with arrays has it

    shapes = {name: np.shape(leaf) for name, leaf in leaves.items()}
    root = np.asarray(expression(**{name: _array(name, leaf) for name, leaf in leaves.items()}))
    total = sum(root.ravel().tolist(), Dual(0.0))
    gradients = {
        name: np.reshape([total.slopes.get((name, at), 0.0) for at in np.ndindex(shape)], shape).tolist()
        for name, shape in shapes.items()
    }
    values = np.reshape([dual.value for dual in root.ravel().tolist()], root.shape).tolist()
    return values, gradients


def _array(name: str, numbers: Any) -> Any:
    """Return an array of duals, whose entries are called `(name, index)`: a numpy array with methods of one input."""
    import numpy as np

    class DualArray(np.ndarray[Any, np.dtype[np.object_]]):
        def __getattr__(self, method: str) -> Any:
            if method not in ("exp", "log", "tanh", "relu"):
                raise AttributeError(method)
            return lambda: np.frompyfunc(lambda dual: getattr(dual, method)(), 1, 1)(self)

        def log_softmax(self, axis: int) -> Any:
            top = np.frompyfunc(lambda dual: dual.value, 1, 1)(self).max(axis=axis, keepdims=True)
            shifted = self - top
            return shifted - shifted.exp().sum(axis=axis, keepdims=True).log()

    values = np.array(numbers, dtype=float)
    duals = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        duals[index] = Dual(float(value), {(name, index): 1.0})
    return duals.view(DualArray)
