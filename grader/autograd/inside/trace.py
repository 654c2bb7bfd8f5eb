"""One test, watched: the graph that it builds, and what happens to its nodes. Sent together with recording.py.

The grader calls `watch(command, ...)` between the requests of the test. It reports and does not judge.
"""

import functools
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.recording import MARK, Recorder, _pairs_of, _place_of, _plain_float, attempt  # noqa: TC004

CHUNK = 60_000  # characters of one text in a reply
MAX_NODES, MAX_STEPS = 400, 12_000
MOST_ENTRIES = 64  # of an array that is noted entry by entry
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%", "matmul": "@",
    "neg": "neg", "getitem": "[]",
}  # fmt: skip


def _short_value(value: Any) -> Any:
    """Return a finite number as a float; for any other value a short text, for an array its shape and its entries."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None):
        # The sum in the place of many entries: what changes it changes the text.
        many = value.size > MOST_ENTRIES
        return f"{value.shape} {f'sum {float(value.sum()):.6g}' if many else _rows(value.tolist())}"
    plain = _plain_float(value)
    if plain is None:
        return "None" if value is None else f"a {type(value).__name__}"[:40]
    return plain if math.isfinite(plain) else str(plain)


def _float_bytes(value: Any) -> int:
    """Return the bytes of one float of an array or a number of numpy; for any other value those of Python's floats."""
    dtype = getattr(value, "dtype", None) if type(value).__module__ == "numpy" else None
    return dtype.itemsize if dtype is not None and dtype.kind == "f" else 8


def _rows(entries: Any) -> str:
    """Return nested lists with exact numbers."""
    if isinstance(entries, list):
        return f"[{', '.join(map(_rows, entries))}]"
    return repr(float(entries)) if isinstance(entries, (float, int)) else str(type(entries).__name__)


def _rows_text(rows: Any) -> Any:
    """Return the number of a row, several numbers as the text of an array, and only the type of any other index."""
    rows = rows.tolist() if type(rows).__module__ == "numpy" else rows
    if type(rows) is list and {*map(type, rows)} == {int}:
        return f"({len(rows)},) {rows}"
    return rows if type(rows) is int else f"a {type(rows).__name__}"[:40]


def _option(name: str, value: Any) -> str:
    """Return a keyword of a call with its plain value, or only with the type of any other value."""
    plain = (
        value is None or type(value) in (bool, int) or (type(value) is tuple and {*map(type, value)} <= {int})
    )
    return f"{name}={value!r}"[:40] if plain else f"{name}={type(value).__name__}"[:40]


class _TestTrace:
    """The nodes of one test, and the events about them.

    A node is [operation, operands, data]. An operand is [index] or a number; of a plain node it is [index, slope].
    """

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.log = Recorder(self.nodes, MAX_STEPS, _short_value, test=True)
        self.made: list[list[Any]] = []
        self.known: set[str] = set()  # methods that are operations
        self.kinds: list[type] = []
        self.hooks: list[tuple[type, str, Any]] = []
        self.kept: dict[int, list[list[Any]]] = {}  # the pairs of a node without `_backward`
        self.before: list[Any] = []
        self.bytes = 8  # of the shortest float

    # The graph

    def hook(self, node: Any, methods: Sequence[str]) -> None:
        """Note from now on every node that an operator or one of these methods of this class makes."""
        self.known.update(methods)
        own = type(node).__module__
        if not hasattr(node, "data") or not hasattr(type(node), "__add__"):
            return
        for kind in type(node).__mro__:
            if kind is object or kind in self.kinds or kind.__module__ != own:
                continue
            self.kinds.append(kind)
            for name, function in list(vars(kind).items()):
                op, turned = self.operation(name)
                is_property = isinstance(function, property) and function.fget
                if op and (is_property or (callable(function) and not isinstance(function, type))):
                    self.hooks.append((kind, name, function))
                    noting = self.noting(op, turned, function.fget if is_property else function)
                    setattr(kind, name, property(noting) if is_property else noting)

    def operation(self, name: str) -> tuple[str, bool]:
        """Return the operation of a method, and True for one with the operands exchanged."""
        bare = name.strip("_") if name.startswith("__") else ""
        turned = bare not in _SYMBOLS and bare[:1] == "r" and bare[1:] in _SYMBOLS
        return _SYMBOLS.get(bare[turned:], name if name in self.known else ""), turned

    def noting(self, op: str, turned: bool, function: Any) -> Any:
        def method(*args: Any, **keywords: Any) -> Any:
            out = function(*args, **keywords)
            if self.hooks and self.is_node(out) and _place_of(self.nodes, out) < 0:
                self.learn(out, op, args[::-1] if turned else args, keywords)
            return out

        return method

    def unhook(self) -> None:
        """Put the student's own methods back."""
        for kind, name, function in reversed(self.hooks):
            setattr(kind, name, function)
        self.hooks.clear()

    def is_node(self, value: Any) -> bool:
        return any(kind in self.kinds for kind in type(value).__mro__)

    def meet(self, node: Any) -> None:
        """Add a leaf: an operand, or a node whose gradient the test sets before it uses the node."""
        if self.is_node(node) and _place_of(self.nodes, node) < 0:
            self.learn(node, "", ())

    def learn(self, node: Any, op: str, operands: Sequence[Any], keywords: Mapping[str, Any] = {}) -> None:
        """Add a node made from these operands: nodes and numbers."""
        if len(self.nodes) > MAX_NODES:
            return
        made: list[Any] = []
        for operand in operands:
            if self.is_node(operand):
                self.meet(operand)
                made.append([_place_of(self.nodes, operand)])
            else:
                made.append(_rows_text(operand) if op == "[]" else _short_value(operand))
        # `axis=None` and `keepdims=False` are numpy's own.
        made += [_option(*each) for each in keywords.items() if each[1] is not None and each[1] is not False]
        self.enter(node, [op, made, _short_value(getattr(node, "data", None))])

    def enter(self, node: Any, row: list[Any]) -> None:
        grad = getattr(node, "grad", None)
        self.nodes.append(node)
        self.made.append(row)
        self.before.append(_short_value(grad))
        self.bytes = min(self.bytes, _float_bytes(grad), _float_bytes(getattr(node, "data", None)))
        self.log.last.append(self.before[-1])

    def plain(self, nodes: Sequence[Any], rows: Sequence[Any]) -> None:
        """Add plain nodes that a helper has made; a row has pairs of place among them and slope."""
        first = len(self.nodes)
        for node, row in zip(nodes, rows, strict=True):
            pairs = [[first + place, slope] for place, slope in row]
            self.enter(node, ["plain" if pairs else "", pairs, _short_value(getattr(node, "data", None))])

    # The events

    def mark(self, place: int) -> None:
        """Note that the test sends this request now; -1 after its end."""
        self.log.look()
        for i in range(len(self.nodes)):
            if self.made[i][0]:
                attempt(lambda: self.record(i))  # noqa: B023  called at once
        self.log.note(MARK, place, None)

    def record(self, i: int) -> None:
        """Record the calls of a node's `_backward`; of one without, each access to the gradients around it."""
        node = self.nodes[i]
        if callable(getattr(node, "_backward", None)):
            self.log.note_calls(i)
        elif i not in self.kept:
            self.kept[i] = _pairs_of(self.nodes, node)
            for place in (i, *(place for place, _ in self.kept[i] if place >= 0)):
                self.log.note_accesses(place)

    # The reply

    def answer(self, found: Sequence[Any]) -> list[str]:
        """Return all that was noted, and the indices of the objects in `found`, as JSON in texts that fit."""
        self.log.look()
        kept = [self.kept.get(i) for i in range(len(self.nodes))]
        places = [_place_of(self.nodes, one) for one in found]
        whole = len(self.nodes) <= MAX_NODES and not self.log.full
        text = json.dumps([whole, self.made, self.before, self.log.events, kept, places, self.bytes])
        return [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]


_make = functools.cache(_TestTrace)  # one a load


def watch(command: str, *args: Any) -> Any:
    """Carry out one command of the grader."""
    return getattr(_make(), command)(*args)
