"""Arrays from the jail and for it, and their comparison with the array that a check expects.

Imported only for assignments with `arrays: true`, because numpy takes a tenth of a second to import. An array enters or
leaves the jail as dtype, shape and bytes in base64 (wire.py); no object of the student's comes with it.
"""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from grader.sandbox import wire
from grader.sandbox.errors import forged_data
from grader.sandbox.inside import arrays as inside
from grader.sandbox.inside.arrays import MAX_ELEMENTS, MAX_RANK
from grader.sandbox.kinds import kind_words
from grader.sandbox.proxy import Reading, label_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

DTYPES = dict(inside.DTYPES.values())  # the form of the bytes by name
ROUGH = {"float32": (wire.SINGLE_REL, wire.SINGLE_ABS)}  # tolerances, relative and absolute


class _Shape(Reading, tuple[int, ...]):  # noqa: SLOT001  it has a label
    """The shape of an array that was read."""


class ArrayReading(Reading, np.ndarray):
    """An array that was read, with its expression. It is immutable: `a.x += 1` makes a new one.

    `==` with a list, an array or `approx(...)` is one bool: True if the shapes and all numbers are equal. An entry is a
    number with its own expression, a slice is an array.
    """

    label: str

    def __array_finalize__(self, _: object) -> None:
        self.label = ""

    @property  # type: ignore[misc]
    def shape(self) -> _Shape:  # type: ignore[override]
        """The shape, which an assert may compare."""
        found = _Shape(np.ndarray.shape.__get__(self))
        found.label = f"{self.label}.shape" if self.label else ""
        return found

    @property
    def data(self) -> Any:
        """Raise AttributeError, so that no check reads numpy's memory as the data of a node."""
        raise AttributeError("an array has no attribute `data` here", name="data", obj=self)

    @data.setter
    def data(self, _: object) -> None:
        _ = self.data

    def __getitem__(self, key: Any) -> Any:
        found: Any = np.ndarray.__getitem__(self, key)
        label = f"{self.label}[{_index_text(key)}]" if self.label else ""
        if isinstance(found, np.generic):
            number = found.item()
            return label_value(wire.Float32(number) if found.dtype.char == "f" else number, label)
        found.label = label
        return found

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, pytest.Approx):
            return bool(np.all(_close(self, other)))
        wanted = np.asarray(other)
        return wanted.shape == np.shape(self) and bool(np.all(np.equal(self, wanted)))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self / other

    def __repr__(self) -> str:
        return _format_numbers(self)

    __str__ = __repr__


def _index_text(key: Any) -> str:
    return ", ".join(_part(each) for each in (key if isinstance(key, tuple) else (key,)))


def _part(key: Any) -> str:
    if not isinstance(key, slice):
        return str(key)
    ends = [key.start, key.stop] if key.step is None else [key.start, key.stop, key.step]
    return ":".join("" if end is None else str(end) for end in ends)


def _format_numbers(array: Any) -> str:
    """Return the numbers as nested lists, in six figures."""
    array = np.asarray(array)
    if array.ndim:
        return f"[{', '.join(_format_numbers(array[i]) for i in range(len(array)))}]"
    number = array.item()
    return (
        str(number)
        if isinstance(number, bool)
        else f"{number:.6g}"
        if isinstance(number, float)
        else str(number)
    )


def make_array(numbers: Any, dtype: str) -> ArrayReading:
    """Return an array of these nested lists. Raises TypeError for rows of different lengths and unknown dtypes."""
    if dtype not in DTYPES:
        raise TypeError(f"`{dtype}` is not a dtype that a check can use; use one of {', '.join(DTYPES)}")
    try:
        found = np.array(numbers, dtype).view(ArrayReading)
    except ValueError:
        raise TypeError(
            f"{numbers!r} cannot become an array; give all rows the same length, and only numbers"
        ) from None
    found.flags.writeable = False
    return found


# --- The wire


def decode_array(data: Any) -> ArrayReading:
    """Return the array in the body of `{"a": ...}`. Raises SubmissionStopped for any other data."""
    if not isinstance(data, list) or len(data) != 3:
        raise forged_data("an invalid array")
    name, shape, text = data
    if (
        not isinstance(name, str)
        or name not in DTYPES
        or not isinstance(text, str)
        or not isinstance(shape, list)
    ):
        raise forged_data("an invalid array")
    if len(shape) > MAX_RANK or not all(type(n) is int and 0 <= n <= MAX_ELEMENTS for n in shape):
        raise forged_data("an array of an invalid shape")
    dtype, size = np.dtype(DTYPES[name]), math.prod(shape)
    if size > MAX_ELEMENTS:
        raise forged_data(f"an array of more than {MAX_ELEMENTS} numbers")
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:  # also of a text that is no ASCII
        raise forged_data("an array whose numbers are not in base64") from None
    if len(raw) != size * dtype.itemsize or (name == "bool" and not set(raw) <= {0, 1}):
        raise forged_data("an array with other numbers than its shape says")
    return np.frombuffer(raw, dtype).reshape(shape).view(ArrayReading)


def encode_array(value: object) -> Any:
    """Return the data of a numpy array or number, None for any other value.

    Raises TypeError for a dtype or a size that cannot go into the jail.
    """
    if isinstance(value, np.generic):
        value = np.asarray(value)
    return {"a": _to_wire(value)} if isinstance(value, np.ndarray) else None


def _to_wire(array: np.ndarray[Any, Any]) -> list[Any]:
    name = array.dtype.name
    if name not in DTYPES:
        raise TypeError(
            f"an array of dtype {name} cannot be sent into the jail; use one of {', '.join(DTYPES)}"
        )
    if array.ndim > MAX_RANK or array.size > MAX_ELEMENTS:
        raise TypeError(
            f"an array of shape {np.shape(array)} cannot be sent into the jail; "
            f"the jail takes at most {MAX_ELEMENTS:,} numbers and {MAX_RANK} axes"
        )
    raw = np.asarray(array).astype(DTYPES[name]).tobytes()
    return [name, [*np.shape(array)], base64.b64encode(raw).decode()]


# --- What is expected


class _NearArray(pytest.Approx[Any]):
    """An `approx` of nested lists or of an array, which compares the shape, too."""

    def __init__(self, expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> None:  # noqa: A002, FBT001, FBT002  pytest's own
        super().__init__(np.asarray(expected), rel, abs, nan_ok)

    def __repr__(self) -> str:
        return f"approx({_format_numbers(self.expected)})"

    def __eq__(self, actual: object) -> bool:
        return bool(np.all(_close(actual, self)))

    __hash__ = None


def approx(expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> Any:  # noqa: A002, FBT001, FBT002  pytest's own
    """Return pytest's `approx`, extended to nested lists. Raises TypeError for rows of different lengths."""
    rows = isinstance(expected, list | tuple) and any(
        isinstance(row, list | tuple | np.ndarray) for row in expected
    )
    if not rows and not isinstance(expected, np.ndarray):
        return pytest.approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)
    try:
        return _NearArray(expected, rel, abs, nan_ok)
    except ValueError:
        raise TypeError(f"approx(...): the rows of {expected!r} differ in length") from None


def _close(actual: object, wanted: Any) -> Any:
    """Return True or False for each entry: is it near enough? One False if the shapes differ or there are no numbers."""
    expected = np.asarray(wanted.expected)
    try:
        found = np.asarray(actual)
    except ValueError:  # rows of different lengths
        return np.False_
    if found.shape != expected.shape or found.dtype.kind not in "fib":
        return np.False_
    usual = ROUGH.get(found.dtype.name, (1e-6, 1e-12))  # the second pair is pytest's
    # As in pytest: with only an absolute tolerance, no relative one applies.
    rel = wanted.rel if wanted.rel is not None else 0.0 if wanted.abs is not None else usual[0]
    least = usual[1] if wanted.abs is None else wanted.abs
    with np.errstate(invalid="ignore"):
        near = np.isfinite(expected) & (np.abs(found - expected) <= np.maximum(rel * np.abs(expected), least))
    same = found == expected
    return near | same | (np.isnan(found) & np.isnan(expected)) if wanted.nan_ok else near | same


_TOLERANCES: dict[
    str, Callable[[dict[str, Any]], tuple[float, float]]
] = {  # by the function of numpy.testing that compares, its relative and absolute ones
    "assert_allclose": lambda given: (given["rtol"], given["atol"]),
    "assert_array_almost_equal": lambda given: (0.0, 1.5 * 10.0 ** -given["decimal"]),
    "assert_almost_equal": lambda given: (0.0, 1.5 * 10.0 ** -given["decimal"]),
    "assert_array_equal": lambda _: (0.0, 0.0),
    "assert_equal": lambda _: (0.0, 0.0),
}


def compared_arrays(trace: TracebackType | None) -> tuple[Any, Any] | None:
    """Return the value in a failed comparison of numpy.testing, and the expected value as `approx`.

    None unless the value is an array that was read and the expected numbers are finite.
    """
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        name = frame.f_code.co_name
        if name not in _TOLERANCES or not frame.f_globals.get("__name__", "").startswith("numpy.testing."):
            continue
        left, right = (frame.f_locals[each] for each in frame.f_code.co_varnames[:2])
        if isinstance(right, Reading) and not isinstance(left, Reading):  # the student's comes last
            left, right = right, left
        want = np.asarray(right)
        if not isinstance(left, ArrayReading) or want.dtype.kind not in "fib" or not np.isfinite(want).all():
            return None
        rel, least = _TOLERANCES[name](frame.f_locals)
        whole = want if want.ndim else np.broadcast_to(want, left.shape)
        return left, pytest.approx(whole, rel=rel, abs=least)
    return None


def difference(actual: Any, expected: Any, wanted: Any) -> tuple[str, str, str] | None:
    """Return the first difference, in shape or in an entry: its part of an expression, its value, the expected value.

    `wanted` holds the plain numbers of `expected`, which may be an `approx`. None if one side holds no numbers.
    """
    try:
        have, want = np.asarray(actual), np.asarray(wanted)
    except ValueError:
        return None
    if have.dtype.kind not in "fib" or want.dtype.kind not in "fib":
        return None
    if have.shape != want.shape:
        if not isinstance(actual, np.ndarray):
            return "", kind_words(actual), f"an array of shape {want.shape}"
        if not want.shape and not isinstance(wanted, np.ndarray):
            return "", kind_words(actual), kind_words(wanted)
        return ".shape", str(have.shape), str(want.shape) if want.shape else "(), that of one number"
    near = _close(actual, expected) if isinstance(expected, pytest.Approx) else have == want
    wrong = np.argwhere(~near)
    if not len(wrong):
        return None
    first = tuple(map(int, wrong[0]))
    more = f"; {len(wrong)} of {have.size} entries are wrong" if len(wrong) > 1 else ""
    at = f"[{_index_text(first)}]" if first else ""
    return at, _format_numbers(have[first]), f"{_format_numbers(want[first])}{more}"
