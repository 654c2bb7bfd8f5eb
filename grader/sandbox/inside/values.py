"""The values of the submission in the form of the wire (`../wire.py`).

The type of a value decides how it is written; the object itself is never asked, so that no code of the student
(`__str__`, `__class__`, a metaclass) changes the reply.
"""

import math
import sys
import types
from typing import Any

from .arrays import Arrays, is_one
from .holding import _mro, _name_of, _names_of, _own
from .tables import ITEMS, Tables

MAX_DEPTH, MAX_ITEMS, MAX_TEXT, MAX_DIGITS = 12, 10_000, 60_000, 3_900
_format_int = int.__repr__


class Values:
    """The objects behind the grader's handles; writes values for the grader and reads its values."""

    def __init__(self, *, arrays: bool) -> None:
        """With `arrays`, numpy arrays are values, if numpy is loaded."""
        self.arrays = Arrays(sys.modules["numpy"]) if arrays and "numpy" in sys.modules else None
        self.tables: Tables | None = None
        self.objects: dict[int, Any] = {}  # by the number of their handle
        self.numbers: dict[int, int] = {}  # of handles, by the id of their object
        self.values = 0  # encoded so far for the current reply

    def encode(self, value: Any, depth: int = 0) -> Any:
        """Return `value` in the form of the wire."""
        self.values = 0 if depth == 0 else self.values + 1
        if depth > MAX_DEPTH or self.values > MAX_ITEMS:
            return {"x": "it is nested too deeply" if depth > MAX_DEPTH else "it is too long"}
        if value is None or value is True or value is False:
            return value
        if value is Ellipsis:
            return {"..": 1}
        kind = type(value)
        if kind is float or kind is int:
            return _float(value) if kind is float else _int(value)
        mro = _mro(kind)
        if (float in mro or int in mro) and not is_node(value, mro):
            return _float(float.__float__(value)) if float in mro else _int(int.__int__(value))
        if str in mro:
            text = str.__str__(value) if kind is str else str.__getitem__(value, slice(None))
            return clean(text) if len(text) <= MAX_TEXT else {"x": "it is too long a text"}
        for tag, container in (("l", list), ("t", tuple), ("s", set), ("z", frozenset)):
            if kind is container:
                if len(value) > MAX_ITEMS - self.values:
                    return {"x": "it is too long"}
                return {tag: [self.encode(item, depth + 1) for item in value]}
        if kind is dict:
            if len(value) > MAX_ITEMS - self.values:
                return {"x": "it is too long"}
            return {"d": [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]}
        if self.tables is not None and (table := self.tables.to_wire(value)):
            self.values += ITEMS * len(table["p"][-1])
            return table
        found = self.of_numpy(value, mro, depth)
        return self.handle(value, mro) if found is None else found

    def of_numpy(self, value: Any, mro: tuple[type, ...], depth: int) -> Any:
        """Return a numpy scalar or array in the form of the wire, or the reason why it is not read; None for other values."""
        if self.arrays is not None and self.arrays.ndarray in mro:
            return self.arrays.to_wire(value, type(value))
        if not is_one(value, mro):
            return None
        is_long = (
            getattr(getattr(value, "dtype", None), "char", "") == "g"
        )  # a longdouble, whose `item` is no float
        number = self.encode(float(value) if is_long else value.item(), depth + 1)  # a class may define both
        return {"f4": number} if type(number) is float and value.dtype.char == "f" else number

    def handle(self, value: Any, mro: tuple[type, ...]) -> dict[str, Any]:
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = len(self.objects) + 1
            self.objects[number] = value
        known = [_KINDS[id(t)] for t in mro if id(t) in _KINDS]
        kind = min(known)[1] if known else "instance"
        if kind == "instance" and has_attribute(mro, "__call__") and not has_attribute(mro, "__add__"):
            kind = "function"  # functools.partial, or a student's object used as a function
        return {
            "h": number,
            "k": kind,
            "c": _brought(value) or name_of_class(value if kind == "class" else mro[0]),
        }

    def decode(self, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "h" in data:
            return self.objects[data["h"]]
        tag, body = next(iter(data.items()))
        if tag in {"f", "f4"}:
            return float(body)
        if tag == "i":
            return int(body)
        if tag == "a" and self.arrays is not None:
            return self.arrays.from_wire(body)
        if tag == "p" and self.tables is not None:
            return self.tables.from_wire(body)
        if tag == "..":
            return ...
        if tag == "d":
            return {self.decode(k): self.decode(v) for k, v in body}
        return {"l": list, "t": tuple, "s": set, "z": frozenset}[tag](map(self.decode, body))


_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)
_KINDS = {  # by the id of a class, because a student's metaclass may define equality; the lowest rank counts
    id(type): (0, "class"),
    **{id(function): (1, "function") for function in _FUNCTIONS},
    id(types.ModuleType): (2, "module"),
    id(BaseException): (3, "exception"),
}


def is_node(value: Any, mro: tuple[type, ...]) -> bool:
    """Return True for a number of a student's class that has + and attributes of its own: it is more than its number."""
    own = mro[: mro.index(float if float in mro else int)]
    return has_attribute(own, "__add__") and bool(_own(value))


def name_of_class(cls: type) -> str:
    """Return the name of a class, whatever its metaclass says."""
    return clean(_name_of(cls))[:100]


def _brought(value: Any) -> str:
    """Return the name of a function from Python or numpy, such as `math.exp`; empty for anything else."""
    kind = type(value)
    if kind is types.BuiltinFunctionType:
        module, name = value.__module__, value.__name__
        return clean(name if module in {None, "builtins"} else f"{module}.{name}")[:100]
    numpy = sys.modules.get("numpy")
    of_numpy = isinstance(numpy, types.ModuleType) and kind is vars(numpy).get("ufunc")
    return f"np.{clean(value.__name__)}"[:100] if of_numpy else ""


def has_attribute(mro: tuple[type, ...], name: str) -> bool:
    """Return True if one of these classes has an attribute of that name."""
    return any(name in names for names in map(_names_of, mro))


def clean(text: object) -> str:
    """Return a plain string without lone surrogates, which UTF-8 cannot write; '' for a value that is not a string."""
    if not isinstance(text, str):
        return ""
    if type(text) is str and text.isascii():
        return text
    return str.encode(text, "utf-8", "replace").decode()


def _float(value: float) -> Any:
    return value if math.isfinite(value) else {"f": str(value)}


def _int(value: int) -> Any:
    if -(2**63) <= value < 2**63:
        return value
    if value.bit_length() > MAX_DIGITS * 3:
        return {"x": "it is an integer of more than a thousand digits"}
    return {"i": _format_int(value)}
