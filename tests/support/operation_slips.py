"""The slips of one operation, as edits of the method in a reference: rules, upstream gradient, children, number."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slip_table import Edit


class Input(NamedTuple):
    """What an operation adds to the gradient of one input: signed, without upstream, and with the wrong number."""

    sign: str
    right: str
    bare: str
    own: str


METHODS = {
    "+": "__add__(self",
    "*": "__mul__(self",
    "-": "__sub__(self",
    "/": "__truediv__(self",
    "**": "__pow__(self",
    "neg": "__neg__(self",
    "exp": "exp(self",
    "tanh": "tanh(self",
    "relu": "relu(self",
}
GATE = "1.0 if self.data > 0 else 0.0"
CLOSURES = {
    "+": [
        Input("+", "out.grad", "1.0", "self.data * out.grad"),
        Input("+", "out.grad", "1.0", "other.data * out.grad"),
    ],
    "*": [
        Input("+", "other.data * out.grad", "other.data", "self.data * out.grad"),
        Input("+", "self.data * out.grad", "self.data", "other.data * out.grad"),
    ],
    "-": [
        Input("+", "out.grad", "1.0", "self.data * out.grad"),
        Input("-", "out.grad", "1.0", "other.data * out.grad"),
    ],
    "/": [
        Input("+", "out.grad / other.data", "1 / other.data", "out.grad / self.data"),
        Input(
            "-",
            "out.grad * self.data / other.data**2",
            "self.data / other.data**2",
            "out.grad * other.data / self.data**2",
        ),
    ],
    "**": [
        Input(
            "+",
            "n * self.data ** (n - 1) * out.grad",
            "n * self.data ** (n - 1)",
            "n * self.data**n * out.grad",
        )
    ],
    "neg": [Input("-", "out.grad", "1.0", "self.data * out.grad")],
    "exp": [Input("+", "out.data * out.grad", "out.data", "self.data * out.grad")],
    "tanh": [Input("+", "(1 - t**2) * out.grad", "1 - t**2", "(1 - self.data**2) * out.grad")],
    "relu": [Input("+", f"({GATE}) * out.grad", GATE, "max(0.0, self.data) * out.grad")],
}
# Of each input the kept local gradient, and one with the wrong number.
PAIRS = {
    "+": [("1.0", "self.data"), ("1.0", "other.data")],
    "*": [("other.data", "self.data"), ("self.data", "other.data")],
    "-": [("1.0", "self.data"), ("-1.0", "-other.data")],
    "/": [("1 / b", "1 / a"), ("-a / b**2", "-b / a**2")],
    "**": [("exponent * self.data ** (exponent - 1)", "exponent * self.data**exponent")],
    "neg": [("-1.0", "-self.data")],
    "exp": [("e", "self.data")],
    "tanh": [("1 - t**2", "1 - self.data**2")],
    "relu": [(GATE, "max(0.0, self.data)")],
}


def closure_edits(operation: str) -> dict[str, list[Edit]]:
    """Return the slips of an operation with a closure."""
    names = ("self", "other")
    parts = list(zip(names, CLOSURES[operation]))
    lines = [f"{name}.grad {part.sign}= {part.right}" for name, part in parts]
    found: dict[str, list[Edit]] = {}
    for line, (name, part) in zip(lines, parts):
        other = "-" if part.sign == "+" else "+"
        found[f"wrong sign, {name}"] = [(line, f"{name}.grad {other}= {part.right}")]
    found["= for +="] = [
        (line, f"{name}.grad = {'' if part.sign == '+' else '-'}{part.right}")
        for line, (name, part) in zip(lines, parts)
    ]
    found["no upstream"] = [
        (line, f"{name}.grad {part.sign}= {part.bare}") for line, (name, part) in zip(lines, parts)
    ]
    found["own value"] = [
        (line, f"{name}.grad {part.sign}= {part.own}") for line, (name, part) in zip(lines, parts)
    ]
    if operation in {"-", "/"}:
        found["operands exchanged"] = [
            (line, f"{name}.grad {part.sign}= {part.right}")
            for line, name, (_, part) in zip(lines, names, reversed(parts))
        ]
    if operation == "**":
        found["operands exchanged"] = [(lines[0], "self.grad += self.data * n ** (self.data - 1) * out.grad")]
    for line, (name, _) in zip(lines, parts):
        found[f"nothing to {name}"] = [(line, "pass")]
    return found | _common(operation, "out = Value(", "return out", "return {}.setdefault({}, out)")


def pair_edits(operation: str) -> dict[str, list[Edit]]:
    """Return the slips of an operation that keeps pairs."""
    parts = PAIRS[operation]
    right, own = [part[0] for part in parts], [part[1] for part in parts]
    names = ["self", "other"][: len(parts)]
    line = f"{_tuple(names)}, {_tuple(right)})"
    found: dict[str, list[Edit]] = {}

    def keep(title: str, local: list[str], children: list[str] = names) -> None:
        found[title] = [(line, f"{_tuple(children)}, {_tuple(local)})")]

    for i, name in enumerate(names):
        keep(f"wrong sign, {name}", [*right[:i], f"-({right[i]})", *right[i + 1 :]])
        keep(f"nothing to {name}", [*right[:i], "0.0", *right[i + 1 :]])
    keep("own value", own)
    if operation in {"-", "/"}:
        keep("operands exchanged", right[::-1])
    keep("child dropped", right[:-1], names[:-1])
    kept = f"*zip(*(pair for pair in zip({_tuple(names)}, {_tuple(right)}) if pair[0].data)))"
    found["children of 0 dropped"] = [(line, kept)]
    forward = "return Value("
    found["wrong value"] = [(forward, f"{forward}1 + ")]
    found["earlier node for equal numbers"] = [
        (forward, f"return {_STORE}.setdefault({_key(operation, 'exponent')}, Value("),
        (line, f"{line})"),
    ]
    return found


# The slips of the forward pass.
FORWARD = ("child dropped", "children of 0 dropped", "wrong value", "earlier node for equal numbers")
_STORE = 'globals().setdefault("_made", {})'


def _key(operation: str, power: str) -> str:
    """Return the numbers by which an earlier node is found; `power` is the name of the exponent."""
    others = {**dict.fromkeys("+*-/", ", other.data"), "**": f", {power}"}
    return f'("{operation}", self.data{others.get(operation, "")})'


def _common(operation: str, forward: str, end: str, kept: str) -> dict[str, list[Edit]]:
    """Return the slips of the forward pass."""
    children = '(self, other), "' if operation in {"+", "*", "-", "/"} else "(self,), "
    fewer = '(self,), "' if operation in {"+", "*", "-", "/"} else "(), "
    every = children.rpartition(",")[0]
    without_0 = f"tuple(one for one in {every} if one.data)"
    found = {
        "child dropped": [(children, fewer)],
        "children of 0 dropped": [(children, children.replace(every, without_0))],
        "wrong value": [(forward, f"{forward}1 + ")],
        "earlier node for equal numbers": [(end, kept.format(_STORE, _key(operation, "n")))],
    }
    if operation == "tanh":
        found["negative upstream dropped"] = [("(1 - t**2) * out.grad", "(1 - t**2) * max(0.0, out.grad)")]
    if operation == "relu":
        found["gate up to 6"] = [(f"({GATE})", "(1.0 if 0 < self.data < 6 else 0.0)")]
    return found


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
