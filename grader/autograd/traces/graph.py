"""The graph of a test from the notes of the jail (inside/trace.py), with right data and right local derivatives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from grader.autograd.engine import COURSE, EngineNames
from grader.autograd.rules.expressions import parse, value
from grader.autograd.walks.graphs import Graph
from grader.autograd.walks.runs import MARK, ROUNDING, TracedEvent, close
from grader.report import cap
from grader.sandbox.proxy import short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.autograd.rules.operations import Operation

Number: TypeAlias = float | str  # a text for anything that is not a finite number
MAX_NAME = 40  # characters
BINARY = frozenset({"+", "-", "*", "/", "@", "**", "//", "%"})
PLAIN = "plain"  # the operation of a plain node: it has local derivatives and no data of its own
SINGLE_BYTES = 4  # of a float
SINGLE_ROUNDING = 4e-6  # of the largest number
Operand: TypeAlias = "int | Number"  # an int is the index of a node


# --- The notes of the jail


class GraphSnapshot(msgspec.Struct, array_like=True):
    """The reply of the jail: nodes with operation, operands and data; gradients before; events; kept pairs; places.

    `places` are the indices of the objects that the grader asked about, -1 for one that is not a node. `bytes` has the
    shortest float of the data and gradients.
    """

    whole: bool
    made: list[tuple[str, list[list[float] | float | str], Number]]
    before: list[Number]
    events: list[TracedEvent]
    kept: list[list[tuple[int, float | None]] | None]
    places: list[int]
    bytes: int = 8

    @classmethod
    def read(cls, texts: Any, count: int) -> GraphSnapshot:
        """Return the notes of the jail; `count` is the number of places.

        Raises ValueError, TypeError, also for a graph that is too large, or for indices of other nodes.
        """
        seen = msgspec.json.decode("".join(texts), type=cls)
        size = len(seen.made)
        whole = seen.whole and len(seen.before) == len(seen.kept) == size and len(seen.places) == count
        above = (_index_of(o) >= i for i, (_, operands, _) in enumerate(seen.made) for o in operands)
        places = [*(place for row in seen.kept for place, _ in row or ()), *seen.places]
        nodes = [event.node for event in seen.events if event.code != MARK]
        known = max([*places, *nodes], default=-1) < size and min(nodes, default=0) >= 0
        if not whole or any(above) or not known:
            raise ValueError("a reply about other nodes")
        return seen


def _index_of(operand: list[float] | float | str) -> int:
    """Return the index of an operand that is a node, -1 for a number. Raises ValueError."""
    if not isinstance(operand, list):
        return -1
    if not operand or operand[0] != int(operand[0]) or operand[0] < 0:
        raise ValueError("an operand that is no node")
    return int(operand[0])


# --- The graph


class TracedGraph:
    """The nodes of a test, children before parents, by index.

    `applied` are the operations that the test applied, by the node of their result; `names` are the names that the test
    gave nodes, `given` the numbers of its leaves; `engine` has the names of attributes. With `arrays` data are texts, and
    local derivatives are not numbers. `has_right` is True if every operation is known.

    Raises KeyError, IndexError and ValueError for an unknown operation.
    """

    def __init__(
        self,
        seen: GraphSnapshot,
        operations: Mapping[str, Operation],
        applied: Mapping[int, tuple[str, Sequence[Operand]]],
        names: Mapping[int, str],
        given: Mapping[str, float],
        *,
        engine: EngineNames = COURSE,
        arrays: bool = False,
    ) -> None:
        self.engine, self.operations, self.arrays = engine, operations, arrays
        self.bytes = seen.bytes
        self.ops = [op for op, _, _ in seen.made]
        self.inner = [i for i, op in enumerate(self.ops) if op]
        self.found = [data for _, _, data in seen.made]  # the data that the engine has computed
        self.operands: list[list[Operand]] = []
        self.names: list[str] = []
        self.data: list[Number] = []  # right ones
        self.locals: list[list[tuple[Operand, float]]] = []  # operands with right local derivatives
        # False if the engine makes an operation of others with another result.
        self.consistent = True
        self.has_right = seen.bytes >= SINGLE_BYTES  # half precision leaves too few digits
        for i, (op, noted, found) in enumerate(seen.made):
            own: list[Operand] = [_index_of(o) if isinstance(o, list) else o for o in noted]
            self.operands.append(own)
            self.names.append(cap(names.get(i) or self.expression(i), MAX_NAME))
            if arrays or op in ("", PLAIN):
                self.data.append(
                    self._array(applied.get(i, (op, own)), (op, own), found)
                    if arrays
                    else found
                    if op
                    else given.get(self.names[i], found)
                )
                slopes = [[*o, math.nan][1] if isinstance(o, list) else math.nan for o in noted]
            else:
                right, asked = self._compute(op, own), applied.get(i, (op, own))
                if asked != (op, own):
                    right, inner = self._compute(*asked), right
                    self.consistent &= close(number_of(inner), number_of(right))
                self.data.append(right)
                row, rules = self._row(op, own, number_of(right)), operations[op].rules
                slopes = [
                    value(parse(rules[name]), row) if type(o) is int else 0.0
                    for name, o in zip(("self", "other"), own, strict=False)
                ]
            self.locals.append([*zip(own, slopes, strict=False)])
        # For each node, the nodes that it was made from.
        self.pairs = [[(o, slope) for o, slope in row if type(o) is int] for row in self.locals]

    def _array(
        self, asked: tuple[str, Sequence[Operand]], own: tuple[str, Sequence[Operand]], found: Number
    ) -> Number:
        """Return the right data of a node of arrays; the found ones, and no right walk, where they cannot be known."""
        try:
            if own[0] not in ("", PLAIN) and " sum " not in str(found):
                right, made = (
                    arrays_late().result(op, self._values(operands)) for op, operands in (asked, own)
                )
                self.consistent &= alike(right, made)
                return cast("Number", right)
            arrays_late().array_of(found)  # a large one is noted by its sum
        except (LookupError, TypeError, ValueError, ArithmeticError, SyntaxError):
            self.has_right = False
        return found

    def _values(self, operands: Sequence[Operand]) -> list[Number]:
        return [self.data[o] if type(o) is int else o for o in operands]

    def contributions(self, node: int, upstream: Number) -> list[tuple[int, Any]]:
        """Return what a right call of a node adds to each of its inputs: numbers or arrays."""
        if not self.arrays or self.ops[node] == PLAIN:
            own = 0.0 if upstream == "None" else number_of(upstream)
            return [(child, slope * own) for child, slope in self.pairs[node]]
        operands = self.operands[node]
        given = (self.ops[node], self._values(operands))
        return [
            (o, arrays_late().contribution(*given, place, self.data[node], upstream))
            for place, o in enumerate(operands)
            if type(o) is int
        ]

    def add_to(self, grad: Number, amount: Any) -> Number:
        """Return a gradient with a contribution added to it."""
        if not self.arrays:
            return finite_or_text((0.0 if grad == "None" else number_of(grad)) + amount)
        return cast("Number", arrays_late().text_of(arrays_late().array_of(grad) + amount))

    def seed(self, root: int) -> Number:
        """Return the right seed of a root: 1, or ones of its shape."""
        if not shape_of(self.data[root]):
            return 1.0
        return cast("Number", arrays_late().text_of(arrays_late().array_of(self.data[root]) ** 0))

    def rounding(self, numbers: Iterable[Number]) -> float:
        """Return how far gradients near 0 differ by rounding; in single precision it grows with the largest right number."""
        if self.bytes > SINGLE_BYTES or not self.has_right:
            return ROUNDING
        return SINGLE_ROUNDING * float(arrays_late().largest_entry([*self.data, *numbers]))

    def below(self, roots: Iterable[int]) -> list[int]:
        """Return these nodes and all below them, in the order in which they were made."""
        found = set(roots)
        for node in reversed(range(len(self.pairs))):  # users first
            found |= {child for child, _ in self.pairs[node] if node in found}
        return sorted(found)

    def part(self, nodes: Sequence[int]) -> Graph:
        """Return these nodes, with all below them, as a graph without the plain numbers."""
        place = {node: i for i, node in enumerate(nodes)}
        pairs = (tuple((place[child], slope) for child, slope in self.pairs[node]) for node in nodes)
        data = tuple(number_of(self.data[node]) for node in nodes)
        return Graph("", tuple(self.names[node] for node in nodes), data, tuple(pairs))

    def expression(self, node: int) -> str:
        """Return the expression of a node, from the names of its inputs; it names nodes without a name."""
        op, operands = self.ops[node], self.operands[node]
        if not op:
            return shape_of(self.found[node]) or short(self.found[node])
        names = [f"({name})" if " " in name else name for name in self.names]
        texts = [
            names[o] if type(o) is int else shape_of(o) or (o if isinstance(o, str) else short(o))
            for o in operands
        ]
        operation = self.operations.get(op)
        if operation and texts:
            return operation.call_text(*texts[:2])
        if op in BINARY and len(texts) == 2:
            return f"{texts[0]} {op} {texts[1]}"
        if op == "[]":
            return f"{texts[0]}[{'rows' if isinstance(operands[1], str) else texts[1]}]"
        return f"{texts[0]}.{op}({', '.join(texts[1:])})"

    def _compute(self, op: str, operands: Sequence[Operand]) -> Number:
        """Return the right result of an operation."""
        return finite_or_text(value(parse(self.operations[op].out), self._row(op, operands)))

    def _row(self, op: str, operands: Sequence[Operand], out: float = 0.0) -> dict[str, float]:
        """Return the numbers for an operation's formulas. Raises ValueError for operands that do not fit."""
        operation = self.operations[op]
        second = ["other.data"] if operation.binary else ["n"] if operation.takes_n else []
        numbers = [number_of(self.data[o] if type(o) is int else o) for o in operands]
        row = dict(zip(["self.data", *second], numbers, strict=True))
        return {**row, "out.data": out, "out.grad": 1.0}


def arrays_late() -> Any:
    """Return the module of arrays, late: only courses or engines with arrays have numpy."""
    from grader.autograd.traces import arrays

    return arrays


def shape_of(shown: Operand) -> str:
    """Return the shape in the text of an array; "" for anything else."""
    return shown.partition(") ")[0] + ")" if isinstance(shown, str) and shown.startswith("(") else ""


def number_of(shown: Number | None) -> float:
    """Return a number as a float; NaN for a text."""
    return float(shown) if isinstance(shown, int | float) else math.nan


def finite_or_text(number: float) -> Number:
    """Return a finite number unchanged, any other as a text."""
    return number if math.isfinite(number) else str(number)


def alike(x: Number, y: Number, rounding: float = ROUNDING) -> bool:
    """Return True for numbers that differ by rounding, near 0 by at most `rounding`, or equal texts; None counts as 0."""
    if shape_of(x) or shape_of(y):
        return bool(arrays_late().same_arrays(x, y, rounding))
    x, y = (0.0 if number == "None" else number for number in (x, y))
    return close(x, y, rounding) if isinstance(x, float) and isinstance(y, float) else x == y
