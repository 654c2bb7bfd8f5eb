"""The operations whose rules are read back: the forward pass and the right contributions of each."""

from __future__ import annotations

import functools
import keyword
import math
from typing import TYPE_CHECKING

import msgspec

from grader.autograd.rules.expressions import atoms, parse, value
from grader.errors import Refused, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.manifest import OperationSpec

INPUTS = ("self", "other")
SYMBOLS = ("+", "-", "*", "/", "**", "//", "%", "@")


class Operation(msgspec.Struct, frozen=True, dict=True):
    """An operation: its forward pass and the right contribution for each input.

    `spellings` are other ways to write the same contributions; the search starts from them, too.
    """

    name: str
    out: str
    rules: Mapping[str, str]
    spellings: Mapping[str, Sequence[str]] = {}

    def __hash__(self) -> int:
        return hash((self.name, self.out))

    @property
    def binary(self) -> bool:
        """True if both inputs are nodes."""
        return "other" in self.rules

    @functools.cached_property
    def takes_n(self) -> bool:
        """True if a plain number `n` is an operand."""
        return any("n" in atoms(parse(formula)) for formula in (self.out, *self.rules.values()))

    @property
    def symbol(self) -> str:
        """The operator between the operands, or `-` of a negation; empty for a method."""
        return "-" if self.name == "neg" else self.name if self.name in SYMBOLS else ""

    def call_text(self, left: str, right: str = "") -> str:
        """Return the operation as Python: `a * b`, `-a`, `a ** 2`, `a.tanh()`, `a.scale(2)`."""
        if self.name == "neg":
            return f"-{left}"
        return f"{left} {self.symbol} {right}" if self.symbol else f"{left}.{self.name}({right})"


def _operation(name: str, out: str, *rules: str, **spellings: Sequence[str]) -> Operation:
    return Operation(name, out, dict(zip(INPUTS, rules, strict=False)), spellings)


KNOWN = {
    operation.name: operation
    for operation in (
        _operation("+", "self.data + other.data", "out.grad", "out.grad"),
        _operation("-", "self.data - other.data", "out.grad", "-out.grad"),
        _operation("*", "self.data * other.data", "other.data * out.grad", "self.data * out.grad"),
        _operation(
            "/",
            "self.data / other.data",
            "out.grad / other.data",
            "-self.data / other.data**2 * out.grad",
            self=["other.data**-1 * out.grad"],
            other=["-out.data / other.data * out.grad", "-self.data * other.data**-2 * out.grad"],
        ),
        _operation(
            "**",
            "self.data**n",
            "n * self.data ** (n - 1) * out.grad",
            self=["n * out.data / self.data * out.grad"],
        ),
        _operation("neg", "-self.data", "-out.grad"),
        _operation(
            "exp", "math.exp(self.data)", "out.data * out.grad", self=["math.exp(self.data) * out.grad"]
        ),
        _operation(
            "tanh",
            "math.tanh(self.data)",
            "(1 - out.data**2) * out.grad",
            self=["(1 - math.tanh(self.data) ** 2) * out.grad"],
        ),
        _operation(
            "relu", "max(0, self.data)", "(self.data > 0) * out.grad", self=["(out.data > 0) * out.grad"]
        ),
    )
}


def operations_of(declared: Iterable[str | OperationSpec]) -> list[Operation]:
    """Return the operations that a manifest declares.

    Raises Refused for an unknown name, a name declared twice, and a formula that is not of the language.
    """
    operations = [_find_operation(entry) if isinstance(entry, str) else _of_spec(entry) for entry in declared]
    names = [operation.name for operation in operations]
    for name in names:
        if names.count(name) > 1:
            raise Refused(f"`operations` names `{name}` twice; keep one of them")
    return operations


def _find_operation(name: str) -> Operation:
    if name not in KNOWN:
        raise Refused(
            f"`operations` names `{name}`, which is not known here{nearest(name, list(KNOWN))}; known are "
            f"{', '.join(KNOWN)}; for another write its rule: `{{name: {name}, out: ..., self: ...}}`"
        )
    return KNOWN[name]


def _of_spec(spec: OperationSpec) -> Operation:
    if spec.name not in SYMBOLS and spec.name != "neg":
        if not spec.name.isidentifier() or keyword.iskeyword(spec.name):
            raise Refused(
                f"`operations` has the name `{spec.name}`; write a method's name or one of {' '.join(SYMBOLS)}"
            )
    elif (spec.name == "neg") == bool(spec.other):
        many = "one input: remove `other`" if spec.other else "two inputs: add a line `other: ...`"
        if spec.name != "**":
            raise Refused(f"`operations.{spec.name}`: it has {many}")
    rules = {"self": spec.self} | ({"other": spec.other} if spec.other else {})
    data = {f"{name}.data" for name in rules} | {"n"}
    _check(spec.name, "out", spec.out, data)
    for name, formula in rules.items():
        _check(spec.name, name, formula, data | {"out.data", "out.grad"})
        if "out.grad" not in atoms(parse(formula)):
            raise Refused(
                f"`operations.{spec.name}.{name}`: `{formula}` lacks the upstream gradient; write the whole "
                "contribution, such as `other.data * out.grad`"
            )
    return Operation(spec.name, spec.out, rules)


def _check(operation: str, key: str, formula: str, allowed: set[str]) -> None:
    place = f"`operations.{operation}.{key}`"
    try:
        used = set(atoms(parse(formula)))
    except ValueError as error:
        raise Refused(f"{place}: {error}") from error
    for name in sorted(used - allowed):
        raise Refused(f"{place}: `{name}` is not allowed there; allowed are {', '.join(sorted(allowed))}")


# --- Declared rules that are not the derivative


# The points at which rules are compared with slopes: both signs, both sides of 1, several upstream gradients.
ROWS = (
    {"self.data": 0.5, "other.data": 1.5, "n": 2.0, "out.grad": 1.0},
    {"self.data": 1.7, "other.data": -0.6, "n": 3.0, "out.grad": -0.8},
    {"self.data": -0.9, "other.data": 2.2, "n": 4.0, "out.grad": 1.4},
    {"self.data": -2.3, "other.data": -1.3, "n": -1.0, "out.grad": 0.6},
    {"self.data": 2.6, "other.data": 0.7, "n": 0.5, "out.grad": -1.9},
)
STEP = 1e-5
PRECISION = 1e-4  # relative, and absolute below 1


def wrong_rules(operation: Operation) -> Iterator[str]:
    """Yield each declared rule that is not the derivative, at the first row that shows it."""
    place = f"`operations.{operation.name}"
    rows = [row for row in ROWS if math.isfinite(value(parse(operation.out), row))]
    if not rows:
        tried = ", ".join(f"{row['self.data']:g}" for row in ROWS)
        yield f"{place}.out` has no value at self.data = {tried}, and grading compares rules there; write a formula with a value there"
    for name, rule in operation.rules.items():
        if found := next(filter(None, (_difference(operation, name, rule, row) for row in rows)), ""):
            yield f"{place}.{name}` does not fit {place}.out`: {found}; correct one of the two"


def _difference(operation: Operation, name: str, rule: str, row: Mapping[str, float]) -> str:
    """Return a phrase about the difference between rule and slope at a row; empty if there is none or no slope."""
    out = parse(operation.out)
    here = value(out, row)
    above, below = (value(out, {**row, f"{name}.data": row[f"{name}.data"] + h}) for h in (STEP, -STEP))
    if not _alike(above - here, here - below, STEP):  # a corner, or the edge of the domain
        return ""
    slope = (above - below) / (2 * STEP)
    given, right = value(parse(rule), {**row, "out.data": here}), slope * row["out.grad"]
    if _alike(given, right, 1.0):
        return ""
    used = ["self.data", *["other.data"] * operation.binary, *["n"] * operation.takes_n, "out.grad"]
    point = ", ".join(f"{atom} = {row[atom]:g}" for atom in used)
    return f"at {point} it gives {given:.4g}, but the slope of `out` times out.grad is {right:.4g}"


def _alike(one: float, other: float, scale: float) -> bool:
    """Return True for two numbers that differ by no more than the precision; NaN equals nothing."""
    return abs(one - other) <= PRECISION * max(scale, abs(one), abs(other))
