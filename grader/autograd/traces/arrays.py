"""Arrays of a trace: their texts, and right results and contributions of operations, computed beside the jail.

The jail notes a small array exactly, as `(2, 3) [[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]]`, and of a large one its shape and sum.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from grader.autograd.arrays.operations import (
    ArrayOperation,
    ArrayTrial,
    evaluate_formula,
    readable_operations,
)
from grader.autograd.arrays.reductions import REDUCTIONS, RIGHT, Array

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TEXT = re.compile(r"\(([\d, ]+)\) (\[.*\])")
_ENTRY = re.compile(r"-?(?:\d[\d.]*(?:e[-+]?\d+)?|inf|nan)")
MOST_SHOWN = 12  # entries
_REDUCES = frozenset({"sum", "mean", "max"})


def array_of(value: float | str) -> Array:
    """Return a number or the array of a text. Raises ValueError for any other text.

    >>> array_of("(2,) [1.0, 2.5]").tolist()
    [1.0, 2.5]
    """
    if not isinstance(value, str):
        return np.float64(value)
    if value in {"None", "nan", "inf", "-inf"}:
        return np.float64(0.0 if value == "None" else value)
    match = _TEXT.fullmatch(value)
    if match is None:
        raise ValueError(value)
    shape = [int(size) for size in match[1].split(",") if size.strip()]
    return np.array([float(entry) for entry in _ENTRY.findall(match[2])]).reshape(shape)


def text_of(array: Array) -> float | str:
    """Return the exact text of an array; a number without a shape as it is."""
    if np.ndim(array):
        return f"{np.shape(array)} {np.asarray(array).tolist()}"
    return float(array) if np.isfinite(array) else str(float(array))


def array_text(value: float | str) -> float | str:
    """Return the text of an array as a student reads it: entries with few digits, or the sum of many."""
    try:
        array = array_of(value)
    except ValueError:
        return value
    if not array.ndim:
        return value
    if array.size > MOST_SHOWN:
        return f"{array.shape} sum {float(array.sum()):.6g}"
    entries = np.array2string(
        array, separator=", ", formatter={"float_kind": "{:.4g}".format}, max_line_width=10_000
    )
    return f"{array.shape} {' '.join(entries.split())}"


def largest_entry(values: Iterable[float | str]) -> float:
    """Return the largest finite entry without its sign, 1 if all are smaller. Raises ValueError for texts of no arrays."""
    finite = (np.nan_to_num(array_of(value), posinf=0.0, neginf=0.0) for value in values)
    return max(1.0, *(float(np.abs(array).max()) for array in finite))


def same_arrays(one: float | str, other: float | str, rounding: float) -> bool:
    """Return True for equal shapes with entries that differ by rounding; zeros of any shape are 0."""
    try:
        x, y = array_of(one), array_of(other)
    except ValueError:
        return one == other
    if not (x.ndim and y.ndim) and not (x.any() or y.any()):
        return True
    return bool(x.shape == y.shape and np.allclose(x, y, rtol=1e-5, atol=rounding, equal_nan=True))


def result(op: str, operands: Sequence[float | str]) -> float | str:
    """Return the right result of an operation. Raises LookupError, TypeError, ValueError if it is not known."""
    operation, leaves = _array_operation(op, operands)
    return text_of(evaluate_formula(operation, operation.out, ArrayTrial(leaves, (), (), None, None)))


def contribution(
    op: str, operands: Sequence[float | str], place: int, out: float | str, upstream: float | str
) -> Array:
    """Return what a right rule adds to the gradient of one input. Raises as `result` does."""
    operation, leaves = _array_operation(op, operands)
    up = np.broadcast_to(array_of(upstream), np.shape(array_of(out)))
    trial = ArrayTrial(leaves, (), (), array_of(out), up)
    found = evaluate_formula(operation, operation.rules[place], trial, place)
    return REDUCTIONS[RIGHT](found, np.shape(leaves[place])) if operation.broadcasts else found


def _array_operation(op: str, operands: Sequence[float | str]) -> tuple[ArrayOperation, tuple[Array, ...]]:
    """Return the operation, its further arguments, and the data of its operands."""
    texts = [one for one in operands if isinstance(one, str) and "=" in one]
    given = [one for one in operands if one not in texts]
    leaves = tuple(array_of(one) for one in given)
    options: dict[str, Any] = {
        name: ast.literal_eval(value) for name, _, value in (text.partition("=") for text in texts)
    }
    if op == "@" and any(leaf.ndim != 2 for leaf in leaves):
        op = "@ 1-d" if any(leaf.ndim == 1 for leaf in leaves) else "@ batched"
    operation = {each.name: each for each in reversed(readable_operations())}[op]
    if op in _REDUCES:
        rest = [None if one == "None" else int(one) for one in given[1:]]
        options |= dict(zip(("axis", "keepdims"), rest, strict=False))
        return replace(operation, keywords=options, names=lambda *_: {"keywords": options}), leaves[:1]
    if op in ("**", "[]"):
        beside = {"n": leaves[1], "rows": leaves[1].astype(int)}
        return replace(operation, names=lambda *_: {**operation.names(*_), **beside}), leaves[:1]
    if len(leaves) != len(operation.rules) or options or "None" in given:
        raise LookupError(op)
    return operation, leaves
