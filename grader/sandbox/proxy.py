"""The student's objects as a check sees them: proxies and readings over one jail.

A proxy represents an object in the jail. An operator, attribute, call, `str` or `format` is one request to the jail,
sent at once. Comparison, hash and `repr` are local: they run no code of the student.
"""

from __future__ import annotations

import itertools
import math
import sys
from typing import TYPE_CHECKING, Any, Protocol

from grader.sandbox import wire
from grader.sandbox.errors import StudentError, SubmissionStopped

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LABEL = 120
OF_PROXIES = "_Proxy__"  # prefix of attributes that only proxies have: code that reads one of another value needs an object
FIRST_ITEMS = 64  # in the first read of a generator; each further read doubles the total
MAX_ITERATED = 8_192  # items of an object without a length
SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}
_FUNCTIONS = frozenset({"function", "method"})  # class names; other callables have `__call__`
_PRECEDENCE = {"+": 1, "-": 1, "*": 3, "/": 3, "@": 3, "**": 5}
_SIGN = 4  # a leading minus binds less than a power


class Reading:
    """A number or an array that was read from the jail, with its expression."""

    label: str


class _FloatReading(Reading, float):
    """A float that was read."""


class _SingleReading(Reading, wire.Float32):
    """A float of single precision that was read."""


class _IntReading(Reading, int):
    """An int that was read."""


# An author reads these names in Python's own errors, as in "'int' object is not subscriptable".
_FloatReading.__name__, _IntReading.__name__ = "float", "int"


def label_value(value: Any, label: str) -> Any:
    """Return a number or an array as a Reading; any other value unchanged."""
    if isinstance(value, Reading):
        value.label = label
        return value
    if type(value) is float:
        reading: Any = _FloatReading(value)
    elif type(value) is int:
        reading = _IntReading(value)
    elif type(value) is wire.Float32:
        reading = _SingleReading(value)
    else:
        return value
    reading.label = label
    return reading


class Requester(Protocol):
    """The methods of a sandbox that a proxy calls."""

    @property
    def is_muted(self) -> bool:
        """True while requests are refused."""

    def encode(self, value: object) -> Any:
        """Return the value as it goes into a request."""

    def request(self, request: dict[str, Any]) -> Any:
        """Send one request; return its reply as JSON."""

    def ask(self, op: str, label: str, **fields: Any) -> Any:
        """Send one request; return and record the value that it gives."""

    def text(self, name: str, label: str, *args: object) -> str:
        """Return what `str` or `format` gives."""

    def items(self, handle: int, count: int, label: str) -> tuple[list[Any], int | None]:
        """Return the first items of an object, and the handle of the iterator over the rest."""

    def note(self, label: str, value: Any) -> None:
        """Record a value that the test read, or an error that it got."""

    def note_use(self, operation: str, operands: tuple[str, ...]) -> None:
        """Record the first use of an operation and the labels of its operands."""

    def note_given(self, place: str, value: object) -> None:
        """Record an array that the test has put into an attribute, such as `box.size`."""

    def violation(self, what: str) -> SubmissionStopped:
        """End the jail; return the error for a reply that is not of the format."""


class Proxy:
    """An object of the student; see the module's docstring."""

    __slots__ = ("__handle", "__label", "__sandbox")  # names that no student uses

    def __init__(self, sandbox: Requester, handle: wire.Handle, label: str) -> None:
        object.__setattr__(self, "_Proxy__sandbox", sandbox)
        object.__setattr__(self, "_Proxy__handle", handle)
        object.__setattr__(self, "_Proxy__label", label[:MAX_LABEL])

    # Identity and text are local

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return handle_of(self).id

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Return the label in angle brackets, a form that students rarely give their own `__repr__`."""
        label = label_of(self)
        return f"<{label}>" if label else _proxy_text(self)

    def __str__(self) -> str:
        return _asked_text(self, "str", f"str({_proxy_text(self)})")

    def __format__(self, spec: str) -> str:
        label = f'f"{{{_proxy_text(self)}{":" if spec else ""}{spec}}}"'
        return _asked_text(self, "format", label, spec)

    # In the jail

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return box_of(self).ask("attr", f"{operand(self)}.{name}", h=handle_of(self).id, name=name)

    def __setattr__(self, name: str, value: object) -> None:
        box = box_of(self)
        label = f"{operand(self)}.{name} = ..."
        try:
            box.request({"op": "set", "h": handle_of(self).id, "name": name, "v": box.encode(value)})
        except StudentError as error:
            box.note(label, error)
            raise
        box.note_given(f"{operand(self)}.{name}", value)

    def __call__(self, *args: object, **keywords: object) -> Any:
        box = box_of(self)
        shown = [short(arg) for arg in args]
        shown += [f"{name}={short(arg)}" for name, arg in keywords.items()]
        receiver, _, function = label_of(self).rpartition(".")
        box.note_use(function, (*filter(None, [receiver]), *shown))
        if object_kind(self) == "function" and class_name_of(self) not in _FUNCTIONS:
            box.note_use("__call__", (label_of(self), *shown))
        return box.ask(
            "call",
            f"{operand(self)}({', '.join(shown)})",
            h=handle_of(self).id,
            args=[box.encode(arg) for arg in args],
            kw={name: box.encode(arg) for name, arg in keywords.items()},
        )

    def __len__(self) -> int:
        label = f"len({label_of(self)})"
        length = _apply(self, "len", label, self)
        if not isinstance(length, _IntReading) or not 0 <= length < 1 << 63:
            raise box_of(self).violation("an invalid length")
        if length > wire.MAX_ITEMS:  # `list` would ask for that much memory at once
            raise TypeError(f"{label} is {length}; a check reads at most {wire.MAX_ITEMS} items")
        return int(length)

    def __iter__(self) -> Iterator[Any]:
        items, rest = box_of(self).items(handle_of(self).id, FIRST_ITEMS, f"list({label_of(self)})")
        return iter(items) if rest is None else itertools.chain(items, _further(self, len(items), rest))

    def __contains__(self, item: object) -> bool:
        return any(item is found or (not isinstance(found, Proxy) and item == found) for found in self)

    def __getitem__(self, key: object) -> Any:
        return _apply(self, "getitem", f"{operand(self)}[{_text(key)}]", self, key)

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
    """A class of the student: callable, and usable in `isinstance`."""

    __slots__ = ()

    def __instancecheck__(self, instance: object) -> bool:
        if not isinstance(instance, Proxy):
            return False
        request = {"op": "isinstance", "h": handle_of(instance).id, "cls": handle_of(self).id}
        return box_of(self).request(request) is True


def handle_of(proxy: Proxy) -> wire.Handle:
    """Return the handle of a proxy's object."""
    handle: wire.Handle = object.__getattribute__(proxy, "_Proxy__handle")
    return handle


def box_of(proxy: Proxy) -> Requester:
    """Return the sandbox of a proxy's object."""
    box: Requester = object.__getattribute__(proxy, "_Proxy__sandbox")
    return box


def _asked_text(proxy: Proxy, name: str, label: str, *args: object) -> str:
    box = box_of(proxy)
    # Muted means that a failure is being explained: pytest calls this, not the check.
    return _proxy_text(proxy) if box.is_muted else box.text(name, label, proxy, *args)


def _proxy_text(proxy: Proxy) -> str:
    handle = handle_of(proxy)
    return label_of(proxy) or f"<{handle.cls} {handle.kind}>"


def _further(proxy: Proxy, seen: int, rest: int | None) -> Iterator[Any]:
    """Yield the items after the first `seen`; each request doubles the total.

    Raises AssertionError if there are more than MAX_ITERATED.
    """
    while rest is not None:
        if seen >= MAX_ITERATED:
            raise AssertionError(
                f"{_proxy_text(proxy)} has more than {seen:,} items, or never ends; no more are read."
            )
        items, rest = box_of(proxy).items(rest, seen, f"list({label_of(proxy)})[{seen}:]")
        yield from items
        seen += len(items)


def label_of(proxy: Proxy) -> str:
    """Return the expression that made the object, as the student would write it."""
    label: str = object.__getattribute__(proxy, "_Proxy__label")
    return label


def relabel(proxy: Proxy, label: object) -> None:
    """Change the label of an object. A label from the jail may be of any type."""
    text = label if isinstance(label, str) else short(label)
    object.__setattr__(proxy, "_Proxy__label", text[:MAX_LABEL])


def object_kind(proxy: Proxy) -> str:
    """Return the kind of its object: instance, class, function, module or exception."""
    return handle_of(proxy).kind


def class_name_of(proxy: Proxy) -> str:
    """Return the class name of its object; for a class, its name."""
    return handle_of(proxy).cls


def _apply(proxy: Proxy, name: str, label: str, *args: object) -> Any:
    box = box_of(proxy)
    box.note_use(SYMBOLS.get(name, name), tuple(map(short, args)))
    return box.ask("apply", label, name=name, args=[box.encode(arg) for arg in args])


def _binary(proxy: Proxy, name: str, left: object, right: object) -> Any:
    symbol = SYMBOLS[name]
    binds = _PRECEDENCE[symbol]
    before, after = (binds + 1, _SIGN) if symbol == "**" else (binds, binds + 1)  # ** groups from the right
    return _apply(proxy, name, f"{_inside(left, before)} {symbol} {_inside(right, after)}", left, right)


def operand(value: object) -> str:
    """Return the label of an object for use before a dot, a bracket or an index, in parentheses if necessary."""
    return _inside(value, 9)


def _inside(value: object, precedence: int) -> str:
    """Return the operand of an operator of that precedence, in parentheses if it binds less."""
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
    """Return a value in at most MAX_LABEL characters, for a person."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        if abs(value) < 10**15:
            return str(int(value))
        exponent = int(value.bit_length() * math.log10(2))
        return f"{float(value):.6g}" if exponent < 308 else f"{'-' if value < 0 else ''}10**{exponent} or so"
    if isinstance(value, float):
        return f"{float(value):.6g}" if math.isfinite(value) else str(float(value))
    if isinstance(value, wire.Oversize):
        return f"a value that was not read: {value.why}"
    text = _text(value)
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 3] + "..."


def is_table(value: object) -> bool:
    """Return True for a DataFrame or a Series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame | pandas.Series)


def _text(value: Any) -> str:
    """Return the `repr`, with the items of sets in a fixed order."""
    if isinstance(value, Proxy):
        return _proxy_text(value)
    if is_table(value):
        rows, *columns = value.shape
        wide = f" and {columns[0]} column{'s' * (columns[0] != 1)}" if columns else ""
        return f"a {type(value).__name__} of {rows} row{'s' * (rows != 1)}{wide}"
    if isinstance(value, set | frozenset) and value:
        items = "{" + ", ".join(sorted(map(_text, value))) + "}"
        return items if isinstance(value, set) else f"frozenset({items})"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_text, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in dict.items(value)) + "}"
    return repr(value)
