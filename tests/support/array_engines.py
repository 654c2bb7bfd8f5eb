"""Engines of arrays as text: right ones in many spellings, and random slips, which know nothing of the reader.

A slip is an edit of the syntax tree of one rule, or of `unbroadcast`.
"""

from __future__ import annotations

import ast
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from slipped import closure, replaced

from grader.autograd.arrays.operations import (
    DEFAULT,
    ArrayOperation,
    ArrayTrial,
    evaluate_formula,
    readable_operations,
    trials_of,
)
from grader.autograd.arrays.probe import _read_trial, request
from grader.autograd.arrays.reductions import NONE, PARTNERS, REDUCTIONS, RIGHT
from grader.autograd.arrays.search import NumpyError, Read, grad_after, read_operation
from grader.autograd.inside import source as inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

JAIL: dict[str, Any] = {}
exec(inside("application", "arrays"), JAIL)

UNBROADCAST = """
def unbroadcast(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and grad.shape[axis] != 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
"""
BASE = """
class Tensor:
    def __init__(self, data, _children=()):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self._backward = lambda: None
        self._prev = tuple(_children)
"""
_AXIS = "back = lambda g: g if axis is None or keepdims else np.expand_dims(g, axis)"
_GIVEN = ", axis=None, keepdims=False"


class Method(NamedTuple):
    """A method: its result, the statement for each input, further parameters, a line before all."""

    out: str
    rules: tuple[str, ...]
    parameters: str = ""
    before: str = "pass"


def _binary(out: str, left: str, right: str, call: str = "unbroadcast({}, {}.data.shape)") -> Method:
    pairs = (("self", left), ("other", right))
    return Method(out, tuple(f"{name}.grad += {call.format(rule, name)}" for name, rule in pairs), ", other")


def _unary(out: str, rule: str, parameters: str = "", before: str = "pass") -> Method:
    return Method(out, (f"self.grad += {rule}",), parameters, before)


METHODS = {
    "__add__": _binary("self.data + other.data", "out.grad", "out.grad"),
    "__sub__": _binary("self.data - other.data", "out.grad", "-out.grad"),
    "__mul__": _binary("self.data * other.data", "other.data * out.grad", "self.data * out.grad"),
    "__truediv__": _binary(
        "self.data / other.data", "out.grad / other.data", "-self.data * out.grad / other.data**2"
    ),
    "__matmul__": _binary(
        "self.data @ other.data", "out.grad @ other.data.T", "self.data.T @ out.grad", "{}"
    ),
    "__neg__": _unary("-self.data", "-out.grad"),
    "exp": _unary("np.exp(self.data)", "out.data * out.grad"),
    "log": _unary("np.log(self.data)", "out.grad / self.data"),
    "tanh": _unary("np.tanh(self.data)", "(1 - out.data**2) * out.grad"),
    "relu": _unary("np.maximum(self.data, 0)", "(self.data > 0) * out.grad"),
    "sigmoid": _unary("1 / (1 + np.exp(-self.data))", "out.data * (1 - out.data) * out.grad"),
    "sqrt": _unary("np.sqrt(self.data)", "0.5 / out.data * out.grad"),
    "abs": _unary("np.abs(self.data)", "np.sign(self.data) * out.grad"),
    "__pow__": _unary("self.data ** n", "n * self.data ** (n - 1) * out.grad", ", n"),
    "sum": _unary(
        "self.data.sum(axis=axis, keepdims=keepdims)",
        "np.ones_like(self.data) * back(out.grad)",
        _GIVEN,
        _AXIS,
    ),
    "mean": _unary(
        "self.data.mean(axis=axis, keepdims=keepdims)",
        "np.ones_like(self.data) * back(out.grad) * out.data.size / self.data.size",
        _GIVEN,
        _AXIS,
    ),
    "max": _unary(
        "self.data.max(axis=axis, keepdims=keepdims)",
        "(self.data == back(out.data)) * back(out.grad)",
        _GIVEN,
        _AXIS,
    ),
    "reshape": _unary("self.data.reshape(*shape)", "out.grad.reshape(self.data.shape)", ", *shape"),
    "transpose": _unary("self.data.T", "out.grad.T"),
    "__getitem__": Method("self.data[rows]", ("np.add.at(self.grad, rows, out.grad)",), ", rows"),
    "softmax": _unary(
        "np.exp(self.data) / np.exp(self.data).sum(axis=axis, keepdims=True)",
        "out.data * (out.grad - (out.grad * out.data).sum(axis=axis, keepdims=True))",
        ", axis=-1",
    ),
    "log_softmax": _unary(
        "self.data - np.log(np.exp(self.data).sum(axis=axis, keepdims=True))",
        "out.grad - np.exp(out.data) * out.grad.sum(axis=axis, keepdims=True)",
        ", axis=-1",
    ),
    "cross_entropy": _unary(
        "-np.log(p[np.arange(len(p)), targets]).mean()",
        "out.grad * (p - np.eye(p.shape[1])[targets]) / len(p)",
        ", targets",
        "p = np.exp(self.data) / np.exp(self.data).sum(axis=1, keepdims=True)",
    ),
}
NAMES = {
    "__add__": "+",
    "__sub__": "-",
    "__mul__": "*",
    "__truediv__": "/",
    "__matmul__": "@",
    "__neg__": "neg",
}
NAMES |= {"__pow__": "**", "__getitem__": "[]"}


def engine(methods: dict[str, Method] = METHODS, unbroadcast: str = UNBROADCAST, base: str = BASE) -> str:
    """Return the source of an engine."""
    parts = [unbroadcast, base]
    for name, method in methods.items():
        inputs = "(self, other)" if len(method.rules) == 2 else "(self,)"
        parts.append(f"""
    def {name}(self{method.parameters}):
        {method.before}
        out = Tensor({method.out}, {inputs})
{closure(method.rules)}

        out._backward = _backward
        return out
""")
    return "".join(parts) + "\n    @property\n    def T(self):\n        return self.transpose()\n"


# --- Right spellings


def _spelled(pattern: str, instead: str, base: str = BASE) -> str:
    """Return the engine with every statement that adds in place written in another way."""
    methods = {
        name: method._replace(rules=tuple(re.sub(pattern, instead, rule) for rule in method.rules))
        for name, method in METHODS.items()
    }
    rows = "g = np.zeros_like(self.data); np.add.at(g, rows, out.grad); self.grad += g"
    methods["__getitem__"] = METHODS["__getitem__"]._replace(rules=(re.sub(pattern, instead, rows),))
    return engine(methods, base=base)


def _with(unbroadcast: str = UNBROADCAST, **rules: tuple[str, str, str]) -> str:
    """Return the engine with another rule of `@`, and another `unbroadcast`."""
    methods = {**METHODS}
    for name, (out, left, right) in rules.items():
        methods[f"__{name}__"] = Method(out, (left, right), ", other")
    return engine(methods, unbroadcast)


_ADDED = r"(self|other)\.grad \+= (.*)$"
_FLOAT = BASE.replace("np.zeros_like(self.data)", "0.0")
_SINGLE = BASE.replace("dtype=float", "dtype=np.float32")
RIGHT_ENGINES = {
    "in place": engine(),
    "a new array": _spelled(_ADDED, r"\1.grad = \1.grad + \2"),
    "begins as 0.0": _spelled(_ADDED, r"\1.grad = \1.grad + \2", _FLOAT),
    "begins as 0.0, then in place": _spelled(_ADDED, r"\1.grad += \2", _FLOAT),
    "begins as None": _spelled(
        _ADDED,
        r"\1.grad = \2 if \1.grad is None else \1.grad + \2",
        BASE.replace("np.zeros_like(self.data)", "None"),
    ),
    "float32": engine(base=_SINGLE),
    "float32, a new array": _spelled(_ADDED, r"\1.grad = \1.grad + \2", _SINGLE),
    "gradients that are views": engine(
        base=BASE.replace("np.zeros_like(self.data)", "np.zeros(self.data.shape + (2,))[..., 0]")
    ),
    "einsum": _with(
        matmul=(
            "np.einsum('ij,jk->ik', self.data, other.data)",
            "self.grad += np.einsum('ik,jk->ij', out.grad, other.data)",
            "other.grad += np.einsum('ij,ik->jk', self.data, out.grad)",
        )
    ),
    "tensordot": _with(
        matmul=(
            "np.tensordot(self.data, other.data, axes=1)",
            "self.grad += np.tensordot(out.grad, other.data, axes=((1,), (1,)))",
            "other.grad += np.tensordot(self.data, out.grad, axes=((0,), (0,)))",
        )
    ),
    "explicit loops": _with(
        """
def unbroadcast(grad, shape):
    found = np.zeros(shape)
    for index in np.ndindex(*grad.shape):
        own = index[len(index) - len(shape):]
        found[tuple(i if n > 1 else 0 for i, n in zip(own, shape))] += grad[index]
    return found

def product(a, b):
    out = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                out[i, j] += a[i, k] * b[k, j]
    return out
""",
        matmul=(
            "product(self.data, other.data)",
            "self.grad += product(out.grad, other.data.T)",
            "other.grad += product(self.data.T, out.grad)",
        ),
    ),
    "one sum": _with("""
def unbroadcast(grad, shape):
    lead = grad.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1)
    return grad.sum(axis=axes).reshape(shape) if axes else grad
"""),
    "operations made of others": engine(
        {
            name: method
            for name, method in METHODS.items()
            if name not in {"__sub__", "__truediv__", "mean", "__neg__"}
        }
    )
    + """
    def __neg__(self):
        return self * Tensor(-1.0)
    def __sub__(self, other):
        return self + (-other)
    def __truediv__(self, other):
        return self * other ** -1
    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * Tensor(total.data.size / self.data.size)
""",
    "products of vectors": _with(
        matmul=(
            "self.data @ other.data",
            "self.grad += np.outer(out.grad, other.data) if out.grad.ndim == other.data.ndim == 1 else "
            "out.grad * other.data if out.grad.ndim == 0 else out.grad @ other.data.T",
            "other.grad += self.data * out.grad if out.grad.ndim == 0 else "
            "np.outer(self.data, out.grad) if self.data.ndim == 1 else self.data.T @ out.grad",
        )
    ),
    "stacks of matrices": _with(
        matmul=(
            "self.data @ other.data",
            "self.grad += unbroadcast(out.grad @ other.data.swapaxes(-1, -2), self.data.shape)",
            "other.grad += unbroadcast(self.data.swapaxes(-1, -2) @ out.grad, other.data.shape)",
        )
    ),
    "two axes at most": _with("""
def unbroadcast(grad, shape):
    if len(shape) == 1:
        return grad.sum(axis=0) if grad.ndim == 2 else grad
    if shape[0] == 1 and grad.shape[0] != 1:
        grad = grad.sum(axis=0, keepdims=True)
    if shape[1] == 1 and grad.shape[1] != 1:
        grad = grad.sum(axis=1, keepdims=True)
    return grad
"""),
}


# --- Reading an engine in this process


def namespace(source: str) -> dict[str, Any]:
    """Return what the source of an engine defines."""
    space: dict[str, Any] = {"np": np}
    exec(source, space)
    return space


def applied(source: str, operation: ArrayOperation, trials: Sequence[ArrayTrial]) -> list[Any]:
    """Return what the engine did at each trial."""
    space = namespace(source)
    ask = request(operation, trials)
    return [_read_trial(row) for row in JAIL["probe"](space["Tensor"], space, [ask], 30)[0]["rows"]]


def readings(source: str, names: Sequence[str] = DEFAULT) -> list[Read]:
    """Return what is read back as wrong."""
    with np.errstate(all="ignore"):
        found = [
            read_operation(each, applied(source, each, trials_of(each)))
            for each in readable_operations()
            if each.name in names
        ]
    return [each for each in found if each]


# --- Slips

_SHRUNK = (
    ("grad = grad.sum(axis=0)", "grad = grad.mean(axis=0)"),
    ("grad = grad.sum(axis=0)", "grad = grad[0]"),
    ("grad = grad.sum(axis=0)", "grad = grad.sum(axis=-1)"),
    ("grad = grad.sum(axis=0)", "grad = grad.max(axis=0)"),
    ("if size == 1 and grad.shape[axis] != 1:", "if False:"),
    ("keepdims=True", "keepdims=False"),
    ("grad.sum(axis=axis, keepdims=True)", "grad.mean(axis=axis, keepdims=True)"),
    ("while grad.ndim > len(shape):", "while False:"),
    ("    return grad\n", "    return np.full(shape, grad.sum()) if grad.shape != shape else grad\n"),
    ("    return grad\n", "    return grad * 2\n"),
    ("    return grad\n", "    return grad.reshape(shape)\n"),
)
_OTHER = {
    ast.Mult: ("/", "+"),
    ast.Div: ("*",),
    ast.Sub: ("+",),
    ast.Pow: ("*",),
    ast.MatMult: ("*",),
    ast.Add: ("-",),
}


class Slipped(NamedTuple):
    """An engine with one or two slips, in words, and the names of the operations that have them."""

    source: str
    slips: list[str]
    operations: set[str]


def slipped(seed: int) -> Slipped:
    """Return an engine with one or two random slips."""
    rng = random.Random(seed)
    methods, unbroadcast, slips, touched = {**METHODS}, UNBROADCAST, [], set[str]()
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.12:
            old, new = rng.choice(_SHRUNK)
            unbroadcast = unbroadcast.replace(old, new, 1)
            slips.append(f"unbroadcast: {new.strip()}")
            touched |= {"+", "-", "*", "/"}
            continue
        name = rng.choice([*METHODS, *[each for each in METHODS if len(METHODS[each].rules) == 2] * 3])
        rules = [*methods[name].rules]
        place = rng.randrange(len(rules))
        rules[place] = _slip(rules[place], rng)
        methods[name] = methods[name]._replace(rules=tuple(rules))
        slips.append(f"{name}: {rules[place]}")
        touched.add(NAMES.get(name, name))
    return Slipped(engine(methods, unbroadcast), slips, touched)


def _slip(statement: str, rng: random.Random) -> str:
    """Return the statement with one random edit of its syntax tree."""
    tree = ast.parse(statement)
    edits = [
        (i, new)
        for i, node in enumerate(ast.walk(tree))
        if not isinstance(getattr(node, "ctx", None), ast.Store)
        for new in _edits(node)
    ]
    place, new = rng.choice(edits)
    return replaced(tree, [*ast.walk(tree)][place], new)


def _edits(node: ast.AST) -> Iterator[str]:  # noqa: PLR0912  a list of cases
    """Yield what a tired student may write in the place of a node."""
    text = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else ""
    match node:
        case ast.AugAssign(target, _, value):
            left, right = ast.unparse(target), ast.unparse(value)
            yield from (f"{left} = {right}", f"{left} -= {right}", "pass")
        case ast.Expr(ast.Call(args=[_, rows, values])):  # np.add.at
            yield f"self.grad[{ast.unparse(rows)}] += {ast.unparse(values)}"
        case ast.BinOp(left, op, right):
            one, two = f"({ast.unparse(left)})", f"({ast.unparse(right)})"
            yield from (one, two)
            yield from (f"{one} {other} {two}" for other in _OTHER[type(op)])
            if isinstance(op, ast.MatMult | ast.Div | ast.Sub):
                yield f"{two} {ast.unparse(ast.BinOp(ast.Name('a'), op, ast.Name('b')))[2:-2]} {one}"
        case ast.Attribute(value, "T"):
            yield ast.unparse(value)
        case ast.Attribute() if text in {"self.data", "other.data", "out.data"}:
            yield from (
                other for other in ("self.data", "other.data", "out.data", f"{text}.T") if other != text
            )
        case ast.Attribute() if text == "out.grad":
            yield from (
                "np.ones_like(out.grad)",
                "out.data",
                "out.grad.sum()",
                "out.grad.T",
                "out.grad.mean()",
            )
        case ast.UnaryOp(operand=operand):
            yield ast.unparse(operand)
        case ast.Compare(left, [ast.Gt() | ast.Eq() as op], [right]):
            yield f"{ast.unparse(left)} {'<' if isinstance(op, ast.Gt) else '!='} {ast.unparse(right)}"
        case ast.Constant(int() | float() as number) if number:
            yield from (str(number + 1), str(number * 0.5))
        case ast.Call(ast.Name("unbroadcast" | "back"), [value, *_]):
            inner = ast.unparse(value)
            yield from (inner, f"np.sum({inner})", f"np.sum({inner}, axis=0)", f"np.mean({inner}, axis=0)")
            yield f"np.sum({inner}, axis=-1)"
        case ast.Call(ast.Attribute(value, "sum")):
            yield from (
                text.replace(".sum(", ".mean(", 1),
                f"({ast.unparse(value)}).sum()",
                ast.unparse(value),
            )
        case ast.Call(ast.Attribute(value, "reshape")):
            yield ast.unparse(value)


# --- Is what is told true?

_STRETCHED = (
    *(((4, 3), (3,)), ((4, 3), (1, 3)), ((4, 1), (4, 6)), ((3,), (5, 3)), ((2, 2), (2, 2)), ((5, 4), (5, 1))),
    *(
        ((2, 5, 3), (5, 1)),
        ((4, 1), (1, 3)),
        ((3,), (4, 1)),
        ((5, 1), (2,)),
        ((3, 2, 4), (2, 1)),
        ((2, 1, 3), (4, 3)),
    ),
    *(((3, 3), (1, 3)), ((3, 3), (3, 1)), ((1, 1), (4, 4)), ((), (3, 2)), ((4, 4), (4, 4))),
)
_FRESH = {
    "@": (((5, 2), (2, 3)), ((4, 4), (4, 4)), ((1, 3), (3, 1)), ((2, 7), (7, 3))),
    "reshape": (((12,),), ((6, 2),), ((2, 2, 3),)),
}


def fresh(operation: ArrayOperation, seed: int) -> list[ArrayTrial]:
    """Return trials with other shapes and numbers than those that the reader has."""
    rng, found = np.random.default_rng(seed), []
    for shapes in (
        _STRETCHED if operation.broadcasts else _FRESH.get(operation.name, (((6, 4),), ((4, 4),), ((3, 7),)))
    ):
        leaves = tuple(rng.normal(0, 1, shape) for shape in shapes)
        leaves = tuple(np.abs(leaf) + 0.2 for leaf in leaves) if operation.positive else leaves
        args = operation.args(leaves[0])
        out = evaluate_formula(operation, operation.out, ArrayTrial(leaves, (), args, None, None))
        upstream = rng.normal(0, 1, np.shape(out))
        before = tuple(rng.normal(0, 1, shape) for shape in shapes)
        found += [ArrayTrial(leaves, priors, args, out, upstream) for priors in ((), before)]
    return found


def is_wrong(source: str, operation: ArrayOperation, seed: int) -> bool:
    """Return True if the engine differs from a right one, and does not raise an error at every trial, which is told."""
    trials = fresh(operation, seed)
    mine, right = (applied(each, operation, trials) for each in (source, engine()))
    if all(each.error for each in mine):
        return False
    return any(
        one.error != two.error or not all(map(_alike, one.grads, two.grads))
        for one, two in zip(mine, right, strict=True)
    )


def lies(source: str, found: Read, seed: int) -> list[str]:
    """Return where the engine does something else than what is told of it."""
    trials = fresh(found.operation, seed)
    wrong = []
    for trial, did in zip(trials, applied(source, found.operation, trials), strict=True):
        for place, reading in found.readings.items():
            changed = not _alike(did.firsts[place], did.grads[place])
            said = grad_after(
                reading.write, did.firsts[place], _value(found.operation, place, reading, trial)
            )
            if (not did.error or changed) and (
                isinstance(said, NumpyError) or not _alike(said, did.grads[place])
            ):
                wrong.append(f"{[each.shape for each in trial.leaves]}: {reading}")
    return wrong


def _value(operation: ArrayOperation, place: int, reading: Any, trial: ArrayTrial) -> Any:
    if not reading.write:
        return None
    reduce: Callable[..., Any] = REDUCTIONS[RIGHT if reading.reduction == PARTNERS else reading.reduction]
    shape = trial.leaves[1 - place if reading.reduction == PARTNERS else place].shape
    try:
        v = evaluate_formula(operation, reading.core, trial, place)
        return v if reading.reduction == NONE else reduce(v, shape)
    except (ValueError, IndexError, TypeError) as error:
        return NumpyError(type(error).__name__, str(error))


def _alike(one: Any, other: Any) -> bool:
    return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-6, atol=1e-9))
