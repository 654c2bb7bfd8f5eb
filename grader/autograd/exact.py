"""Exact derivatives without PyTorch, for records that are made where it is not installed.

A leaf moves by a step along the imaginary axis. Then the real part of a textbook function is its value, and the imaginary
part is the step times its derivative. No difference loses digits (Squire and Trapp, "Using complex variables to estimate
derivatives of real functions", 1998). A record differs from PyTorch's only in the last digits
(tests/autograd/test_exact.py compares all records of the course).
"""

from __future__ import annotations

import cmath
import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 1e-100  # added to any number, its square is 0
NOT_REAL = "its value is not a real number"
NO_RULE: Any = None  # for absolute values, which have no derivative along the imaginary axis


def _step_operation(apply: Callable[..., Any]) -> Any:
    """Return an operation whose result also has the methods of a node."""
    return lambda *numbers: StepNumber(apply(*numbers))


class StepNumber(complex):
    """A number with the methods of a node."""

    __abs__ = NO_RULE
    __add__ = __radd__ = _step_operation(complex.__add__)
    __mul__ = __rmul__ = _step_operation(complex.__mul__)
    __sub__, __rsub__ = _step_operation(complex.__sub__), _step_operation(complex.__rsub__)
    __truediv__, __rtruediv__ = _step_operation(complex.__truediv__), _step_operation(complex.__rtruediv__)
    __pow__, __neg__ = _step_operation(complex.__pow__), _step_operation(complex.__neg__)
    exp, log, tanh = _step_operation(cmath.exp), _step_operation(cmath.log), _step_operation(cmath.tanh)
    relu = _step_operation(
        lambda number: number if number.real > 0 else 0
    )  # the derivative at 0 is PyTorch's


def derivatives(expression: Callable[..., Any], leaves: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the value of an expression of named leaves, and each leaf's gradient: numbers, or nested lists.

    Raises AttributeError and TypeError for an operation without a rule, ValueError if the value is not a real number.
    """
    if any(isinstance(leaf, list) for leaf in leaves.values()):
        return _of_arrays(expression, leaves)
    numbers = {name: StepNumber(leaf) for name, leaf in leaves.items()}
    root = expression(**numbers)
    if root.imag:
        raise ValueError(NOT_REAL)
    slopes = {
        name: expression(**numbers | {name: StepNumber(leaf, STEP)}).imag / STEP
        for name, leaf in leaves.items()
    }
    return root.real, slopes


def _of_arrays(expression: Callable[..., Any], leaves: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the same for arrays; the gradients are those of the sum of all entries."""
    import numpy as np  # late: only a course with arrays has it

    class SteppedArray(np.ndarray[Any, np.dtype[np.complex128]]):
        __abs__ = conj = std = var = NO_RULE
        exp, log, tanh = map(functools.partialmethod, (np.exp, np.log, np.tanh))

        def relu(self) -> Any:
            return self * (self.real > 0)

        def log_softmax(self, axis: int) -> Any:
            shifted = self - self.real.max(axis=axis, keepdims=True)
            return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))

    arrays = {name: np.array(leaf, dtype=complex).view(SteppedArray) for name, leaf in leaves.items()}

    def slope(name: str, place: tuple[int, ...]) -> float:
        moved = arrays[name].copy()
        moved[place] += STEP * 1j
        return float(np.sum(expression(**arrays | {name: moved})).imag / STEP)

    gradients = {
        name: np.reshape([slope(name, place) for place in np.ndindex(array.shape)], array.shape).tolist()
        for name, array in arrays.items()
    }
    root = np.asarray(expression(**arrays))
    if root.imag.any():
        raise ValueError(NOT_REAL)
    return root.real.tolist(), gradients
