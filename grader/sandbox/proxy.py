"""The student's objects as a check sees them: proxies and readings over one jail.

A proxy stands for an object in the jail. Operators, attributes and calls are carried
out there, one request each, at once. Comparison, hash and `repr` are local: nothing
that the student wrote takes part in them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox import wire
from grader.sandbox.errors import StudentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.sandbox.session import Sandbox

MAX_LABEL = 120
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 3, "/": 3, "@": 3, "**": 5}
_SIGN = 4  # a minus before something binds less than a power


class Reading:
    """A number that was read from the jail; remembers what it is the value of."""

    label: str


class FloatReading(Reading, float):
    """A float that was read."""


class IntReading(Reading, int):
    """An int that was read."""


def labelled(value: Any, label: str) -> Any:
    """A number as a Reading; anything else as it is."""
    if type(value) is float:
        reading: Any = FloatReading(value)
    elif type(value) is int:
        reading = IntReading(value)
    else:
        return value
    reading.label = label
    return reading


class Proxy:
    """An object of the student's; see the module's docstring."""

    __slots__ = ("__handle", "__label", "__sandbox")  # names that no student uses

    def __init__(self, sandbox: Sandbox, handle: wire.Handle, label: str) -> None:
        object.__setattr__(self, "_Proxy__sandbox", sandbox)
        object.__setattr__(self, "_Proxy__handle", handle)
        object.__setattr__(self, "_Proxy__label", label[:MAX_LABEL])

    # What is local is identity and text

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return handle_of(self).id

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        label, handle = label_of(self), handle_of(self)
        return label or f"<{handle.cls} {handle.kind}>"

    # In the jail

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _box(self).ask("attr", f"{_operand(self)}.{name}", h=handle_of(self).id, name=name)

    def __setattr__(self, name: str, value: object) -> None:
        box = _box(self)
        label = f"{_operand(self)}.{name} = ..."
        try:
            box.request({"op": "set", "h": handle_of(self).id, "name": name, "v": box.encode(value)})
        except StudentError as error:
            box.note(label, error)
            raise

    def __call__(self, *args: object, **keywords: object) -> Any:
        box = _box(self)
        shown = [short(arg) for arg in args]
        shown += [f"{name}={short(arg)}" for name, arg in keywords.items()]
        return box.ask(
            "call",
            f"{_operand(self)}({', '.join(shown)})",
            h=handle_of(self).id,
            args=[box.encode(arg) for arg in args],
            kw={name: box.encode(arg) for name, arg in keywords.items()},
        )

    def __len__(self) -> int:
        label = f"len({label_of(self)})"
        length = _apply(self, "len", label, self)
        if not isinstance(length, IntReading) or not 0 <= length < 1 << 63:
            raise _box(self).violation("a length that is not one")
        if length > wire.MAX_ITEMS:  # `list` would ask for that much memory at once
            raise TypeError(f"{label} is {length}: more items than a check goes through")
        return int(length)

    def __iter__(self) -> Iterator[Any]:
        label = f"list({label_of(self)})"
        items = _apply(self, "list", label, self)
        if isinstance(items, wire.Oversize):
            raise TypeError(f"{label} is a value that was not read: {items.why}")
        if not isinstance(items, list):
            raise _box(self).violation("items that are no list")
        return iter(items)

    def __contains__(self, item: object) -> bool:
        return any(item is found or (not isinstance(found, Proxy) and item == found) for found in self)

    def __getitem__(self, key: object) -> Any:
        return _apply(self, "getitem", f"{_operand(self)}[{key!r}]", self, key)

    def __neg__(self) -> Any:
        return _apply(self, "neg", f"-{_inside(self, _SIGN)}", self)

    def __add__(self, other: object) -> Any:
        return _binary(self, "add", self, other)

    def __radd__(self, other: object) -> Any:
        return _binary(self, "add", other, self)

    def __sub__(self, other: object) -> Any:
        return _binary(self, "sub", self, other)

    def __rsub__(self, other: object) -> Any:
        return _binary(self, "sub", other, self)

    def __mul__(self, other: object) -> Any:
        return _binary(self, "mul", self, other)

    def __rmul__(self, other: object) -> Any:
        return _binary(self, "mul", other, self)

    def __truediv__(self, other: object) -> Any:
        return _binary(self, "truediv", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _binary(self, "truediv", other, self)

    def __pow__(self, other: object) -> Any:
        return _binary(self, "pow", self, other)

    def __rpow__(self, other: object) -> Any:
        return _binary(self, "pow", other, self)

    def __matmul__(self, other: object) -> Any:
        return _binary(self, "matmul", self, other)

    def __rmatmul__(self, other: object) -> Any:
        return _binary(self, "matmul", other, self)


class ClassProxy(Proxy):
    """A class of the student's: callable, and good for `isinstance`."""

    __slots__ = ()

    def __instancecheck__(self, instance: object) -> bool:
        if not isinstance(instance, Proxy):
            return False
        request = {"op": "isinstance", "h": handle_of(instance).id, "cls": handle_of(self).id}
        return _box(self).request(request) is True


def handle_of(proxy: Proxy) -> wire.Handle:
    """The handle of its object in the jail."""
    handle: wire.Handle = object.__getattribute__(proxy, "_Proxy__handle")
    return handle


def _box(proxy: Proxy) -> Sandbox:
    box: Sandbox = object.__getattribute__(proxy, "_Proxy__sandbox")
    return box


def label_of(proxy: Proxy) -> str:
    """The expression that made it, as the student would write it."""
    label: str = object.__getattribute__(proxy, "_Proxy__label")
    return label


def relabel(proxy: Proxy, label: object) -> None:
    """Call it by a name, as a check does with what it makes; one that comes from the jail may be no text."""
    text = label if isinstance(label, str) else short(label)
    object.__setattr__(proxy, "_Proxy__label", text[:MAX_LABEL])


def kind_of(proxy: Proxy) -> str:
    """instance, class, function, module or exception."""
    return handle_of(proxy).kind


def class_name_of(proxy: Proxy) -> str:
    """The name of its class; of the class itself for a class."""
    return handle_of(proxy).cls


def _apply(proxy: Proxy, name: str, label: str, *args: object) -> Any:
    box = _box(proxy)
    return box.ask("apply", label, name=name, args=[box.encode(arg) for arg in args])


def _binary(proxy: Proxy, name: str, left: object, right: object) -> Any:
    symbol = _SYMBOLS[name]
    binds = _PRECEDENCE[symbol]
    before, after = (binds + 1, _SIGN) if symbol == "**" else (binds, binds + 1)  # ** groups from the right
    return _apply(proxy, name, f"{_inside(left, before)} {symbol} {_inside(right, after)}", left, right)


def _operand(value: object) -> str:
    return _inside(value, 9)


def _inside(value: object, precedence: int) -> str:
    """As it stands beside an operator of that precedence: in parentheses where it binds less."""
    text = short(value)
    return f"({text})" if _precedence(text) < precedence else text


def _precedence(text: str) -> int:
    depth, lowest = 0, _SIGN if text.startswith("-") else 9
    for word in text.split(" "):
        if depth == 0 and word in _PRECEDENCE:
            lowest = min(lowest, _PRECEDENCE[word])
        depth += word.count("(") + word.count("[") - word.count(")") - word.count("]")
    return lowest


def short(value: object) -> str:
    """A value in a few characters, for a person."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        if abs(value) < 10**15:
            return str(int(value))
        exponent = int(value.bit_length() * math.log10(2))
        return f"{float(value):.6g}" if exponent < 308 else f"{'-' if value < 0 else ''}10**{exponent} or so"
    if isinstance(value, float):
        return f"{float(value):.6g}" if math.isfinite(value) else str(float(value))
    if isinstance(value, Proxy):
        return repr(value)
    if isinstance(value, wire.Oversize):
        return f"a value that was not read: {value.why}"
    text = _text(value)
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 3] + "..."


def _text(value: object) -> str:
    """`repr`, with the items of sets in an order that is the same in every process."""
    if isinstance(value, set | frozenset) and value:
        items = "{" + ", ".join(sorted(map(_text, value))) + "}"
        return items if isinstance(value, set) else f"frozenset({items})"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_text, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items()) + "}"
    return repr(value)
