"""Arrays in the answers that are recorded: changed a little, or rounded. Imported late, for it imports numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.grading.fingerprints import number
from grader.sandbox import wire
from grader.sandbox.arrays import ArrayReading, data_of, read

SINGLE_NUDGE = 1e-6  # relative; a float32 has seven digits


class NudgedArray(ArrayReading):
    """An array whose numbers were nudged: for `==` it is as it was, so a test goes on to its next request."""

    def __eq__(self, other: object) -> bool:
        wanted = np.asarray(other)
        if wanted.dtype.kind not in "fib" or wanted.shape != np.shape(self):
            return super().__eq__(other)
        return bool(np.allclose(np.asarray(self), wanted, rtol=2 * SINGLE_NUDGE, atol=0, equal_nan=True))

    __hash__ = None


def as_before(value: Any) -> Any:
    """Return a nudged array as one that equals what it was before, any other value as it is."""
    if not isinstance(value, ArrayReading):
        return value
    found = value.view(NudgedArray)
    found.label = value.label
    return found


def nudged(data: Any, nudge: float) -> Any:
    """Return the data of an array with every float multiplied by 1 + `nudge`; a float32 by what it can hold."""
    array = np.asarray(read(data))
    if array.dtype.kind != "f":
        return data
    factor = 1 + (nudge if array.dtype == np.float64 else SINGLE_NUDGE)
    return data_of((array * factor).astype(array.dtype))["a"]


def rounded(data: Any) -> list[Any]:
    """Return the dtype and the shape of an array, and its numbers as texts: the same ones on every processor.

    A float64 has 9 significant digits, a float32 three.
    """
    array = np.asarray(read(data))
    text = number if array.dtype == np.float64 else _short if array.dtype.kind == "f" else str
    return [*data[:2], *map(text, array.reshape(-1).tolist())]


def _short(value: float) -> str:
    return "0" if abs(value) < wire.SINGLE_ABS else f"{value:.3g}"
