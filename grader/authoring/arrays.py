"""Arrays in recorded answers: nudged or rounded. Imported late: it imports numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.grading.fingerprints import nine_digits
from grader.sandbox import wire
from grader.sandbox.arrays import ArrayReading, decode_array, encode_array

NUDGES = {
    "float64": 1e-10,
    "float32": 1e-6,
}  # relative: of a float64 as of a number, of a float32 what it can hold


class _NudgedArray(ArrayReading):
    """A nudged array. It still equals the original, so a test continues to its next request."""

    def __eq__(self, other: object) -> bool:
        wanted, nudge = np.asarray(other), NUDGES.get(self.dtype.name, 0.0)
        if wanted.dtype.kind not in "fib" or wanted.shape != np.shape(self):
            return super().__eq__(other)
        return bool(np.allclose(np.asarray(self), wanted, rtol=2 * nudge, atol=0))

    __hash__ = None


def as_before(value: Any) -> Any:
    """Return a nudged array as one that still equals the original. Any other value is unchanged."""
    if not isinstance(value, ArrayReading):
        return value
    found = value.view(_NudgedArray)
    found.label = value.label
    return found


def nudge_array(data: Any) -> Any:
    """Return the data of an array with every float changed by its nudge."""
    array = np.asarray(decode_array(data))
    if array.dtype.name not in NUDGES:
        return data
    return encode_array((array * (1 + NUDGES[array.dtype.name])).astype(array.dtype))["a"]


def round_array(data: Any) -> list[Any]:
    """Return the dtype and the shape of an array, and its numbers as texts: the same ones on every processor.

    A float64 has 9 significant digits, a float32 three.
    """
    array = np.asarray(decode_array(data))
    text = nine_digits if array.dtype == np.float64 else _short if array.dtype.kind == "f" else str
    return [*data[:2], *map(text, array.reshape(-1).tolist())]


def _short(value: float) -> str:
    return "0" if abs(value) < wire.SINGLE_ABS else f"{value:.3g}"
