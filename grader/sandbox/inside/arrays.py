"""Arrays and scalars of numpy in the form of the wire: see `../wire.py` and `../arrays.py`."""

import binascii
import sys
import types
from typing import Any

MAX_RANK, MAX_ELEMENTS = 8, 16_384  # of an array
# By numpy's character: the name on the wire, and the form of the bytes.
DTYPES = {"d": ("float64", "<f8"), "f": ("float32", "<f4"), "l": ("int64", "<i8"), "q": ("int64", "<i8")}
DTYPES |= {"i": ("int32", "<i4"), "?": ("bool", "|b1")}
_name_of = type.__dict__["__name__"].__get__


class Arrays:
    """Writes arrays for the grader and takes those that it sends.

    It keeps its own references to numpy's functions, because a submission may rebind the module's names.
    """

    def __init__(self, numpy: Any) -> None:
        self.ndarray, self.frombuffer = numpy.ndarray, numpy.frombuffer

    def to_wire(self, value: Any, kind: type) -> dict[str, Any]:
        """Return an array in the form of the wire, or the reason why it is not read. Runs no code of the student."""
        if kind is not self.ndarray:
            return {
                "x": f"it is a {_name_of(kind)[:100]}, a subclass of numpy's array; only plain numpy arrays are read"
            }
        name, form = DTYPES.get(value.dtype.char, ("", ""))
        if not name:
            return {
                "x": f"its dtype is {str(value.dtype)[:40]}; only float64, float32, int64, int32 and bool are read"
            }
        if value.ndim > MAX_RANK or value.size > MAX_ELEMENTS:
            return {
                "x": f"its shape is {value.shape}; only arrays of at most {MAX_ELEMENTS} numbers and {MAX_RANK} axes are read"
            }
        raw = binascii.b2a_base64(value.astype(form).tobytes(), newline=False)
        return {"a": [name, list(value.shape), raw.decode()]}

    def from_wire(self, body: list[Any]) -> Any:
        """Return the array that the grader has sent; the submission may change it."""
        name, shape, text = body
        form = next(form for known, form in DTYPES.values() if known == name)
        return self.frombuffer(binascii.a2b_base64(text), form).reshape(shape).copy()


def is_one(value: Any, mro: tuple[type, ...]) -> bool:
    """Return True for a numpy scalar, or a numpy array without dimensions."""
    numpy = sys.modules.get("numpy")
    if not isinstance(numpy, types.ModuleType):
        return False
    array = getattr(numpy, "ndarray", None) is type(value) and value.ndim == 0
    return array or getattr(numpy, "generic", None) in mro
