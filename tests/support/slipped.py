"""Engines with random slips: nine operations in four shapes, from a seed.

What an engine does is written as statements over `self`, `other`, `out`, `n` and `math`; the same statements are
executed here, beside any grader, to know its numbers.
"""

from __future__ import annotations

import ast
import copy
import functools
import math
import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType

SHAPES = ("closures", "switch", "local", "whole")
UP = "out.grad"

# The forward pass, and for each input its contribution as students write it.
RIGHT = {
    "+": ("self.data + other.data", ["out.grad"], ["out.grad"]),
    "-": ("self.data - other.data", ["out.grad"], ["-out.grad", "-1 * out.grad"]),
    "*": ("self.data * other.data", ["other.data * out.grad"], ["self.data * out.grad"]),
    "/": (
        "self.data / other.data",
        ["1 / other.data * out.grad", "out.grad / other.data"],
        ["-self.data / other.data**2 * out.grad", "-(self.data / other.data**2) * out.grad"],
    ),
    "**": ("self.data**n", ["n * self.data ** (n - 1) * out.grad", "(n * self.data ** (n - 1)) * out.grad"]),
    "neg": ("-self.data", ["-out.grad", "-1 * out.grad"]),
    "exp": ("math.exp(self.data)", ["out.data * out.grad", "math.exp(self.data) * out.grad"]),
    "tanh": (
        "math.tanh(self.data)",
        ["(1 - out.data**2) * out.grad", "(1 - math.tanh(self.data) ** 2) * out.grad"],
    ),
    "relu": ("max(0.0, self.data)", ["(self.data > 0) * out.grad", "(out.data > 0) * out.grad"]),
}
BINARY = ("+", "-", "*", "/")
METHODS = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "**": "__pow__",
    "neg": "__neg__",
    "exp": "exp",
    "tanh": "tanh",
    "relu": "relu",
}


@dataclass
class Rules:
    """The statements of one operation of an engine; `slip` is the kind of its fault, empty if it is right."""

    name: str
    forward: str
    lines: dict[str, str]  # input -> statement, in the order of execution; "pass" for nothing
    slip: str = ""
    wrong: set[str] = field(default_factory=set)  # inputs, and `out`

    @property
    def inputs(self) -> tuple[str, ...]:
        return ("self", "other") if self.name in BINARY else ("self",)


# --- Slips


def right_rules(name: str, rng: random.Random | None = None) -> Rules:
    """Return the right rules, in one of their spellings: the first, unless one is drawn."""
    forward, *contributions = RIGHT[name]
    inputs = ("self", "other")[: len(contributions)]
    lines = {
        i: f"{i}.grad += {rng.choice(spelled) if rng else spelled[0]}"
        for i, spelled in zip(inputs, contributions, strict=True)
    }
    return Rules(name, forward, lines)


def slipped(name: str, shape: str, rng: random.Random) -> Rules:
    """The rules of an operation with a random slip that changes its numbers."""
    while True:
        rules = right_rules(name, rng)
        kinds = ["formula"] * 7 + ["forward"]
        if shape != "local":
            kinds += ["operator"] * 2 + ["upstream"] * 2 + ["nothing"]
            kinds += ["dependent"] * (name in BINARY)
            kinds += ["early", "on_input", "data", "unset"] * 2 if shape == "closures" else []
        kinds += ["gate"] * 6 if name == "relu" else ["exponent"] * 6 if name == "**" else []
        rules.slip = rng.choice(kinds)
        SLIPS[rules.slip](rules, shape, rng)
        if _is_wrong(rules):
            return rules


def _formula(rules: Rules, shape: str, rng: random.Random) -> None:
    """One edit or two of the local derivative of an input."""
    name = rng.choice(rules.inputs)
    target, _, contribution = rules.lines[name].partition(" += ")
    for _ in range(rng.choice((1, 1, 1, 2))):
        contribution = _edited(contribution, rules.inputs, shape, rng)
    rules.lines[name] = f"{target} += {contribution}"


def _operator(rules: Rules, shape: str, rng: random.Random) -> None:
    """`=`, `-=` or `=-` for `+=`."""
    name = rng.choice(rules.inputs)
    rules.lines[name] = rules.lines[name].replace(" += ", rng.choice((" = ", " = ", " -= ", " =- ")), 1)


def _upstream(rules: Rules, shape: str, rng: random.Random) -> None:
    """Another upstream gradient, in one line or in all."""
    other = rng.choice(
        ("1", "out.grad**2", "abs(out.grad)", "(1 + out.grad)", "self.grad", "-out.grad", "out.data")
    )
    for name in rules.inputs if rng.random() < 0.5 else [rng.choice(rules.inputs)]:
        rules.lines[name] = rules.lines[name].replace(UP, other)


def _nothing(rules: Rules, shape: str, rng: random.Random) -> None:
    rules.lines[rng.choice(rules.inputs)] = "pass"


def _dependent(rules: Rules, shape: str, rng: random.Random) -> None:
    """A line that reads what the other one has just written, or is about to write."""
    first, second = rng.sample(rules.inputs, 2)
    lines = {
        first: rules.lines[first],
        second: f"{second}.grad += {first}.{rng.choice(('grad', 'grad * out.grad'))}",
    }
    order = [first, second] if rng.random() < 0.7 else [second, first]
    rules.lines = {name: lines[name] for name in order}


def _gate(rules: Rules, shape: str, rng: random.Random) -> None:
    threshold, leak = rng.choice((-0.5, 0.1, 0.25, 0.5, 1, 2)), rng.choice((0.01, 0.1, 0.2, 0.3))
    gates = [f"(self.data > {threshold}) * out.grad", f"(out.data > {abs(threshold)}) * out.grad"]
    gates += ["(self.data < 0) * out.grad", f"(1.0 if self.data > 0 else {leak}) * out.grad"]
    if shape != "local":
        gates += ["(out.grad > 0) * out.grad", "max(0, out.grad)"]
    rules.lines["self"] = f"self.grad += {rng.choice(gates)}"


def _exponent(rules: Rules, shape: str, rng: random.Random) -> None:
    wrong = rng.choice(("n", "(n - 2)", "(n + 1)", "2", "(1 - n)", "1.5", "(n - 0.5)"))
    rules.lines["self"] = f"self.grad += n * self.data ** {wrong} * out.grad"


_FORWARDS = {
    "+": ("self.data - other.data", "self.data * other.data", "self.data", "abs(self.data + other.data)"),
    "-": ("other.data - self.data", "self.data + other.data", "-self.data - other.data"),
    "*": (
        "self.data + other.data",
        "self.data * self.data",
        "self.data / other.data",
        "abs(self.data * other.data)",
    ),
    "/": ("other.data / self.data", "self.data * other.data", "self.data // other.data", "1 / other.data"),
    "**": ("self.data * n", "n**self.data if n > 0 else 0.0", "self.data ** (n - 1)", "self.data**2"),
    "neg": ("self.data", "abs(self.data)", "1 / self.data", "1 - self.data"),
    "exp": ("2**self.data", "1 + self.data", "math.exp(-self.data)", "math.e * self.data"),
    "tanh": (
        "math.tan(self.data)",
        "math.atan(self.data)",
        "math.tanh(2 * self.data)",
        "math.tanh(self.data) ** 2",
    ),
    "relu": ("self.data", "abs(self.data)", "min(0.0, self.data)", "max(0.1 * self.data, self.data)"),
}


def _forward(rules: Rules, shape: str, rng: random.Random) -> None:
    rules.forward = rng.choice(_FORWARDS[rules.name])


def _data(rules: Rules, shape: str, rng: random.Random) -> None:
    name = rng.choice(rules.inputs)
    rules.lines[name] = rules.lines[name].replace(".grad +=", ".data +=", 1)


def _leave(rules: Rules, shape: str, rng: random.Random) -> None:
    """The lines stay as they are: it is the engine that does not run them, or too early."""


SLIPS = {
    "formula": _formula,
    "operator": _operator,
    "upstream": _upstream,
    "nothing": _nothing,
    "dependent": _dependent,
    "gate": _gate,
    "exponent": _exponent,
    "forward": _forward,
    "early": _leave,
    "on_input": _leave,
    "unset": _leave,
    "data": _data,
}
CAUSES = {"early": "backward_ran_early", "on_input": "backward_on_input", "unset": "backward_unset"}
CAUSES["data"] = "changes_data"


def _edited(text: str, inputs: Sequence[str], shape: str, rng: random.Random) -> str:
    """An expression with one node of its tree changed; the upstream gradient stays for local gradients."""
    tree = ast.parse(text, mode="eval")
    kinds = ast.Attribute | ast.BinOp | ast.UnaryOp | ast.Constant
    places = [
        node for node in ast.walk(tree) if isinstance(node, kinds) and "math" not in ast.unparse(node)[:4]
    ]
    places = [place for place in places if not (shape == "local" and UP in ast.unparse(place))]
    if not places:
        return f"{rng.choice(('2', '0.5', 'self.data', '-1'))} * {text}"
    chosen = rng.choice(places)
    atoms = [*(f"{name}.data" for name in inputs), "out.data", "1", "2", "0.5"]
    new: str
    if isinstance(chosen, ast.BinOp) and rng.random() < 0.8:
        changed = copy.deepcopy(chosen)
        operators = [ast.Add(), ast.Sub(), ast.Mult(), ast.Div()]
        changed.op = rng.choice(operators)
        sides = [ast.unparse(chosen.left), ast.unparse(chosen.right)]
        new = ast.unparse(changed) if rng.random() < 0.6 else rng.choice(sides)
    elif isinstance(chosen, ast.UnaryOp):
        new = ast.unparse(chosen.operand)
    else:
        old = ast.unparse(chosen)
        new = rng.choice([*atoms, f"abs({old})", f"{old}**2", f"-{old}", f"math.copysign(1, {old})"])
    return replaced(tree, chosen, new)


def replaced(tree: ast.AST, old: ast.AST, new: str) -> str:
    """Return the text of a tree with another statement or expression in the place of a node."""
    made: Any = ast.parse(new).body[0]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is old:
                return made if isinstance(node, ast.stmt) else made.value
            return super().generic_visit(node)

    return ast.unparse(Swap().visit(tree))


# --- What it computes


def executed(
    inputs: Iterable[str], statements: Iterable[str], point: dict[str, float], forward: str
) -> dict[str, float]:
    """Execute statements at a point; gives the output, the gradients after and the data after.

    Where Python raises, or a number is complex, everything is NaN.
    """
    nodes = {name: SimpleNamespace(data=point[f"{name}.data"], grad=point[f"{name}.grad"]) for name in inputs}
    out = SimpleNamespace(data=math.nan, grad=point["out.grad"])
    names = {**nodes, "out": out, "n": point.get("n", 0.0), "math": math}
    try:
        out.data = eval(_code(forward, "eval"), dict(names))
        for statement in statements:
            exec(_code(statement, "exec"), dict(names))
        found = {"out": float(out.data)} | {name: float(node.grad) for name, node in nodes.items()}
        return found | {f"{name}.data": float(node.data) for name, node in nodes.items()}
    except (ArithmeticError, ValueError, TypeError):
        return dict.fromkeys(["out", *nodes, *(f"{name}.data" for name in nodes)], math.nan)


@functools.cache
def _code(text: str, mode: str) -> CodeType:
    return compile(text, "<engine>", mode)


def fresh(rules: Rules, rng: random.Random) -> dict[str, float]:
    """Return a point that no probe uses."""

    def size() -> float:
        return rng.choice((-1, 1)) * rng.uniform(0.05, 2.5)

    point = {f"{name}.{what}": size() for name in rules.inputs for what in ("data", "grad")}
    point["out.grad"] = size()
    if rules.name == "**":
        point["n"] = rng.choice((-2, 2, 3, 4, -1, 0.5))
        if point["n"] == 0.5:
            point["self.data"] = abs(point["self.data"])
    return point


def same(got: float, wanted: float) -> bool:
    """Return True for numbers that are equal in float32; any number equals NaN, for Python raises there."""
    return math.isnan(wanted) or math.isclose(got, wanted, rel_tol=2e-5, abs_tol=1e-9)


def _is_wrong(rules: Rules) -> bool:
    """Note the inputs that differ from the right rules; an engine that fails at most points does not count."""
    if rules.slip in CAUSES:
        rules.wrong = set(rules.inputs)
        return True
    rng = random.Random(1)
    right_one, points = right_rules(rules.name, rng), [fresh(rules, rng) for _ in range(60)]
    rules.wrong, failed = set(), 0
    for point in points:
        got = executed(rules.inputs, rules.lines.values(), point, rules.forward)
        wanted = executed(rules.inputs, right_one.lines.values(), point, right_one.forward)
        # Rules that read the output read the engine's own.
        own = executed(rules.inputs, right_one.lines.values(), point, rules.forward)
        failed += math.isnan(got["out"])
        for name in ("out", *rules.inputs):
            right = (wanted,) if name == "out" else (wanted, own)
            if not math.isnan(got[name]) and not any(same(got[name], each[name]) for each in right):
                rules.wrong.add(name)
    return bool(rules.wrong) and failed <= len(points) // 4


# --- The engines


def engine(all_rules: Sequence[Rules], shape: str) -> str:
    """Return the source of an engine."""
    head = _HEADS[shape]
    methods = [_method(rules, shape) for rules in all_rules]
    tail = _TAILS[shape].replace("    BRANCHES", "\n".join(_branch(rules) for rules in all_rules))
    return "\n".join([head, *methods, _REFLECTED, tail])


def _method(rules: Rules, shape: str) -> str:
    binary, takes_n = rules.name in BINARY, rules.name == "**"
    lines = [f"    def {METHODS[rules.name]}(self{', other' * binary}{', n' * takes_n}):"]
    if binary:
        lines.append("        other = other if isinstance(other, Value) else Value(other)")
    children = "(self, other)" if binary else "(self,)"
    extra = ", n" if takes_n else ""
    lines.append(f"        out = Value({rules.forward}, {children}, {rules.name!r}{extra})")
    if shape == "local":
        kept = [_local(rules.lines[name]) for name in rules.inputs]
        lines.append(f"        out._local_grads = ({', '.join(kept)},)")
    if shape == "closures":
        lines += [closure(rules.lines.values()), *_stored(rules.slip)]
    return "\n".join([*lines, "        return out"])


def closure(lines: Iterable[str]) -> str:
    """Return the definition of `_backward` in a method."""
    return "\n".join(["        def _backward():", *(f"            {line}" for line in lines)])


def _stored(slip: str) -> list[str]:
    return {
        "early": ["        out._backward = _backward()"],
        "on_input": ["        self._backward = _backward"],
        "unset": [],
    }.get(slip, ["        out._backward = _backward"])


def _local(line: str) -> str:
    """Return the factor beside the upstream gradient."""
    contribution = line.partition(" += ")[2]
    if contribution.endswith(f" * {UP}"):
        return contribution.removesuffix(f" * {UP}")
    return f"({contribution})".replace(UP, "1.0")


def _branch(rules: Rules) -> str:
    inputs = "self, other" if rules.name in BINARY else "(self,)"
    body = [
        f"            {inputs} = out._prev",
        "            n = out.n",
        *(f"            {line}" for line in rules.lines.values()),
    ]
    return "\n".join([f"        {'if'} out._op == {rules.name!r}:", *body])


_INIT = """import math


class Value:
    def __init__(self, data, _children=(), _op="", n=None):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._op = _op
        self.n = n
"""
_HEADS = {
    "closures": _INIT + "        self._backward = lambda: None\n",
    "switch": _INIT,
    "local": _INIT + "        self._children = _children\n        self._local_grads = ()\n",
    "whole": _INIT,
}
_REFLECTED = """
    def __radd__(self, other):
        return Value(other) + self

    def __rmul__(self, other):
        return Value(other) * self

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self
"""
_WALK = """
    def backward(self):
        topo, visited = [], set()

        def visit(node):
            if id(node) not in visited:
                visited.add(id(node))
                for child in node._prev:
                    visit(child)
                topo.append(node)

        visit(self)
        self.grad = 1.0
        for out in reversed(topo):
"""
_TAILS = {
    "closures": _WALK + "            out._backward()\n",
    "switch": "    def _backward(out):\n    BRANCHES\n" + _WALK + "            out._backward()\n",
    "local": _WALK
    + "            for child, local in zip(out._children, out._local_grads):\n                child.grad += local * out.grad\n",
    "whole": _WALK + "            self._pass_on(out)\n\n    def _pass_on(_, out):\n    BRANCHES\n",
}


@functools.cache
def drawn(seed: int) -> tuple[str, list[Rules]]:
    """Return the shape and the rules of the engine of a seed: one wrong operation, or two."""
    rng = random.Random(f"slips {seed}")
    shape = SHAPES[seed % len(SHAPES)]
    names = list(RIGHT)
    wrong = rng.sample(names, rng.choice((1, 1, 2)))
    return shape, [slipped(name, shape, rng) if name in wrong else right_rules(name, rng) for name in names]
