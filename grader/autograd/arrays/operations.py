"""Operations of arrays: their calls, right results and rules, and formulas that an engine may have instead.

Formulas are Python over numpy. `x` is the data of the input that gets the gradient, `y` the data of the other input, `out`
the data of the result, `up` its gradient. `along(v)` puts the reduced axis back into a result, `summed(v)` brings `v` to the
shape of `x`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from grader.autograd.arrays.formulas import (
    BROADCAST,
    ELEMENTWISE,
    LARGEST,
    MOVED,
    PICKED,
    PLAIN,
    REDUCED,
    SUMMED_FIRST,
    products,
)
from grader.autograd.arrays.reductions import REDUCTIONS, RIGHT, Array
from grader.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.manifest import OperationSpec

VERIFYING = 4  # the last shapes, which the search does not use

_PAIRS = (
    *(((2, 3), (2, 3)), ((3, 4), (4,)), ((3, 3), (3,)), ((3, 3), (3, 3)), ((2, 3), (2, 1)), ((1, 4), (3, 4))),
    *(
        ((4,), (2, 4)),
        ((3, 1), (1, 4)),
        ((3,), (2, 1)),
        ((2, 3), ()),
        ((), (3, 2)),
        ((2, 3, 4), (3, 1)),
        ((2, 1), (2, 5)),
    ),
    *(((5, 2), (2,)), ((4, 1, 3), (2, 1)), ((2, 2), (2, 2)), ((4, 1), (3,))),
)
_ALIKE = tuple(
    (each, each) for each in ((2, 3), (3, 3), (4,), (1, 4), (3, 1, 2), (), (5, 2), (2, 2), (6,), (4, 1))
)
_PRODUCTS = (
    ((3, 4), (4, 5)),
    ((3, 3), (3, 3)),
    ((2, 3), (3, 2)),
    ((1, 4), (4, 2)),
    ((4, 2), (2, 5)),
    ((2, 2), (2, 2)),
    ((5, 1), (1, 3)),
    ((4, 4), (4, 4)),
)
_BATCHES = (
    ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 3), (2, 3, 3)),
    ((2, 3, 4), (4, 5)),
    ((4, 3, 2), (4, 2, 3)),
    ((3, 2, 2), (2, 2)),
    ((2, 2, 5), (2, 5, 3)),
    ((2, 4, 4), (4, 4)),
)
_VECTORS = (
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((3,), (3, 2)),
    ((3, 3), (3,)),
    ((5,), (5,)),
    ((2, 5), (5,)),
    ((2,), (2, 2)),
    ((4,), (4, 3)),
)
_SHAPES = (((2, 3),), ((3, 3),), ((4,),), ((1, 4),), ((3, 1, 2),), ((5, 2),), ((2, 2),), ((6,),))
_TABLES = (((2, 3),), ((3, 3),), ((4, 2),), ((3, 1),), ((5, 3),), ((2, 4),), ((2, 2),), ((4, 5),))
_WIDE = (((3, 4),), ((3, 3),), ((2, 5),), ((4, 3),), ((5, 4),), ((2, 3),), ((4, 4),))


class ArrayOperation(msgspec.Struct, frozen=True, eq=False):
    """One way to apply an operation of arrays; it is equal only to itself.

    `call` is its Python, with braces for the operands. `rules` has the right formula for each input, in the shape to which
    broadcasting stretches it, `spellings` other ways to write it, `more` other formulas that an engine may have. `args`
    returns further arguments of the call, `names` further names in the formulas; `outs` are wrong results that an engine may
    have.
    """

    name: str
    call: str
    out: str
    rules: tuple[str, ...]
    shapes: Sequence[tuple[tuple[int, ...], ...]]
    spellings: Mapping[int, Sequence[str]] = {}
    more: Sequence[str] = ()
    broadcasts: bool = False
    args: Callable[[Array], tuple[Any, ...]] = lambda _: ()
    keywords: Mapping[str, Any] = {}
    positive: bool = False
    names: Callable[[Array, tuple[Any, ...]], Mapping[str, Any]] = lambda *_: {}
    outs: tuple[str, ...] = ()

    @property
    def as_function(self) -> str:
        """The call of a function outside of the class: `f({}, 2)` for `{}.f(2)`; the call of an operator is unchanged."""
        return self.call.replace(f"{{}}.{self.name}(", f"{self.name}({{}}, ").replace(", )", ")")

    @property
    def is_binary(self) -> bool:
        """True if both operands are tensors."""
        return len(self.rules) == 2


class ArrayTrial(NamedTuple):
    """Leaves, the gradients that they hold before (empty for new leaves), and the right result with its gradient."""

    leaves: tuple[Array, ...]
    priors: tuple[Array, ...]
    args: tuple[Any, ...]
    out: Array
    upstream: Array


def evaluate_formula(operation: ArrayOperation, formula: str, trial: ArrayTrial, place: int = 0) -> Array:
    """Return the value of a formula for the input at this place. Raises what numpy raises."""
    x, y = trial.leaves[place], trial.leaves[1 - place] if operation.is_binary else None
    axis, kept = operation.keywords.get("axis"), operation.keywords.get("keepdims", False)
    names = {
        "np": np,
        "x": x,
        "y": y,
        "out": trial.out,
        "up": trial.upstream,
        "axis": axis,
        "along": lambda v: v if kept or axis is None else np.expand_dims(v, axis),
        **operation.names(x, trial.args),
    }
    with np.errstate(all="ignore"):
        return eval(_code(formula), names)  # noqa: S307  a formula of this module


@functools.cache
def _code(formula: str) -> Any:
    return compile(formula, "<formula>", "eval")


@functools.cache
def trials_of(operation: ArrayOperation) -> list[ArrayTrial]:
    """Return the trials of an operation: each shape with new leaves, and with leaves that hold gradients."""
    rng = np.random.default_rng(20)
    # A gate that compares the whole array shows only if all entries have one sign.
    last = len(operation.shapes) - 1 if operation.name == "relu" else 0
    signs = {last - 1: 1.0, last: -1.0} if last else {}
    trials = []
    for place, shapes in enumerate(operation.shapes):
        leaves = tuple(_numbers(rng, shape, positive=operation.positive) for shape in shapes)
        leaves = tuple(np.abs(leaf) * signs[place] for leaf in leaves) if place in signs else leaves
        if last and place not in signs:  # `x < 0` and `x <= 0` differ only at 0
            leaves[0].flat[0] = 0.0
        args = operation.args(leaves[0])
        out = evaluate_formula(operation, operation.out, ArrayTrial(leaves, (), args, None, None))
        trials.append(ArrayTrial(leaves, (), args, out, _numbers(rng, np.shape(out))))
        trials.append(trials[-1]._replace(priors=tuple(_numbers(rng, shape) for shape in shapes)))
    return trials


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], *, positive: bool = False) -> Array:
    """Return different numbers with absolute values between 0.3 and 2."""
    size = int(np.prod(shape))
    numbers = rng.permutation(np.linspace(0.3, 2.0, size + 7))[:size] + rng.uniform(0, 0.04, size)
    signs = (
        1.0
        if positive
        else np.where(rng.permutation(size) % 2, 1.0, -1.0)
        if size > 1
        else rng.choice((-1, 1))
    )
    return np.asarray((numbers * signs).reshape(shape))


# --- The operations

# Operations on arrays of one shape, and products of vectors or stacks of matrices, have other rules: a manifest names them.
DEFAULT = (
    *(
        "+",
        "-",
        "*",
        "/",
        "@",
        "**",
        "neg",
        "exp",
        "log",
        "sqrt",
        "tanh",
        "relu",
        "sigmoid",
        "abs",
        "sum",
        "mean",
        "max",
    ),
    *("reshape", "T", "transpose", "[]", "softmax", "log_softmax", "cross_entropy"),
)


METHODS = tuple(name for name in DEFAULT if name.isidentifier() and name != "neg")


def names_of_operations(operations: Sequence[str | OperationSpec] | None) -> tuple[str, ...]:
    """Return the names of a manifest's operations, or the default ones."""
    return DEFAULT if operations is None else tuple(each for each in operations if isinstance(each, str))


def problems(operations: Sequence[str | OperationSpec]) -> Iterator[str]:
    """Yield the faults of the operations that a manifest declares for arrays, each with its remedy."""
    names = list(dict.fromkeys(each.name for each in readable_operations()))
    for each in operations:
        if not isinstance(each, str):
            yield f"`operations.{each.name}` has formulas, which are for numbers: with `arrays: true`, write only names"
        elif each not in names:
            near = nearest(each, names)
            yield f"`operations` names `{each}`, which is not known for arrays{near}; known are {', '.join(names)}"


@functools.cache
def readable_operations() -> tuple[ArrayOperation, ...]:
    """Return all ways to apply the operations that can be read back."""
    return (*_SIGNED, *_MULTIPLIED, *_OF_ONE, *_POWERS, *_REDUCTIONS, *_MOVES, *_LOSSES)


def _left_of(up: Array, y: Array) -> Array:
    """Return the gradient of the left factor of a product with a vector."""
    if np.ndim(up) == np.ndim(y) == 1:
        return np.outer(up, y)
    return up * y if np.ndim(up) == 0 else up @ y.T


def _right_of(y: Array, up: Array) -> Array:
    """Return the gradient of the right factor of a product with a vector; `y` is the left factor."""
    if np.ndim(y) == 1:
        return y * up if np.ndim(up) == 0 else np.outer(y, up)
    return y.T @ up


def _add_rows(x: Array, rows: list[int], values: Array, *, once: bool = False) -> Array:
    """Return zeros with values added to rows; with `once`, a row that is taken twice keeps only the last value."""
    found = np.zeros_like(x)
    if once:
        found[rows] = values
    else:
        np.add.at(found, rows, values)
    return found


def _soft(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _same(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def _keywords_text(keywords: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in keywords.items())


_SIGNED = [
    ArrayOperation(
        f"{sign}{where}",
        f"{{}} {sign} {{}}",
        f"x {sign} y",
        rules,
        shapes,
        spellings={1: ("-up * (out / x)", "up * (-y / x**2)")} if sign == "/" else {},
        more=(*PLAIN, *BROADCAST, *SUMMED_FIRST),
        broadcasts=not where,
        positive=sign == "/",
        names=lambda x, _: {"summed": lambda v: REDUCTIONS[RIGHT](v, np.shape(x))},
        outs=("x + y", "x - y", "y - x", "x * y", "x / y", "y / x", "x", "y"),
    )
    for sign, rules in (
        ("+", ("up", "up")),
        ("-", ("up", "-up")),
        ("*", ("up * y", "up * y")),
        ("/", ("up / y", "-up * y / x**2")),
    )
    for where, shapes in (("", _PAIRS), (" same shape", _ALIKE))
]
_TURNED = "{}.swapaxes(-1, -2)"
_MATRICES = (*PLAIN, *products("{}", "{}.T"))
_MULTIPLIED = [
    ArrayOperation(
        name,
        "{} @ {}",
        "x @ y",
        rules,
        shapes,
        more=more,
        broadcasts=name == "@ batched",
        names=_same({"left_of": _left_of, "right_of": _right_of}),
        outs=("y @ x", "x.T @ y", "x @ y.T", "x * y", "(x @ y).T"),
    )
    for name, rules, shapes, more in (
        ("@", ("up @ y.T", "y.T @ up"), _PRODUCTS, _MATRICES),
        (
            "@ batched",
            (f"up @ {_TURNED.format('y')}", f"{_TURNED.format('y')} @ up"),
            _BATCHES,
            (*PLAIN, *products("{}", "{}.T", _TURNED)),
        ),
        ("@ 1-d", ("left_of(up, y)", "right_of(y, up)"), _VECTORS, _MATRICES),
    )
]
_OF_ONE = [
    ArrayOperation(
        name,
        call.format(name),
        out,
        (rule,),
        _SHAPES,
        spellings={0: spellings},
        more=(*PLAIN, *ELEMENTWISE),
        positive=name in {"log", "sqrt"},
        outs=("x", "-x", "np.exp(-x)", "np.minimum(x, 0)", "np.log10(x)", "np.log2(x)", "np.log1p(x)"),
    )
    for name, call, out, rule, *spellings in (
        ("neg", "-{{}}", "-x", "-up"),
        ("exp", "{{}}.{}()", "np.exp(x)", "up * out", "up * np.exp(x)"),
        ("log", "{{}}.{}()", "np.log(x)", "up / x", "up * (1 / x)"),
        ("sqrt", "{{}}.{}()", "np.sqrt(x)", "up * (0.5 / out)", "up / (2 * out)", "up * 0.5 * x**-0.5"),
        ("tanh", "{{}}.{}()", "np.tanh(x)", "up * (1 - out**2)", "up * (1 - np.tanh(x)**2)"),
        ("relu", "{{}}.{}()", "np.maximum(x, 0)", "up * (x > 0)", "up * (out > 0)", "up * (x >= 0)"),
        (
            "sigmoid",
            "{{}}.{}()",
            "1 / (1 + np.exp(-x))",
            "up * (out * (1 - out))",
            "up * np.exp(-x) / (1 + np.exp(-x))**2",
        ),
        ("abs", "{{}}.{}()", "np.abs(x)", "up * np.sign(x)"),
    )
]
_POWERS = [
    ArrayOperation(
        "**",
        f"{{}} ** {n}",
        "x**n",
        ("up * (n * x**(n - 1))",),
        _SHAPES,
        more=(*PLAIN, *ELEMENTWISE),
        args=_same((n,)),
        positive=True,
        names=_same({"n": n}),
        outs=("x * n", "n**x", "x"),
    )
    for n in (3, 2)
]
_REDUCTIONS = [
    ArrayOperation(
        name,
        f"{{}}.{name}({_keywords_text(keywords)})",
        f"x.{name}(**keywords)",
        (rule,),
        _TABLES,
        spellings={0: spellings},
        more=(*PLAIN, *more),
        keywords=keywords,
        names=_same({"keywords": keywords}),
    )
    for name, more, rule, *spellings in (
        ("sum", REDUCED, "along(up) * np.ones_like(x)"),
        (
            "mean",
            REDUCED,
            "along(up) * np.size(out) / x.size * np.ones_like(x)",
            "along(up) / (x.size / np.size(out)) * np.ones_like(x)",
        ),
        ("max", LARGEST, "(x == along(out)) * along(up)", "np.where(x == along(out), along(up), 0)"),
    )
    for keywords in (
        *({}, {"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}),
        *({"axis": -1, "keepdims": True}, {"axis": 0, "keepdims": True}),
    )
]
_ROWS = [2, 0, 2]
_MOVES = [
    *(
        ArrayOperation(
            "reshape",
            f"{{}}.reshape({', '.join(map(str, args))})",
            "x.reshape(4, 3)",
            ("up.reshape(x.shape)",),
            (((2, 6),), ((3, 4),), ((4, 3),), ((12,),), ((6, 2),), ((12, 1),), ((2, 2, 3),), ((1, 12),)),
            more=(*PLAIN, *MOVED),
            args=_same(args),
        )
        for args in ((4, 3), ((4, 3),))
    ),
    *(
        ArrayOperation(
            name,
            call,
            "x.T",
            ("up.T",),
            (((2, 3),), ((3, 3),), ((4, 2),), ((3, 5),), ((5, 2),), ((2, 2),), ((1, 4),)),
            more=(*PLAIN, *MOVED),
        )
        for name, call in (("T", "{}.T"), ("transpose", "{}.transpose()"))
    ),
    ArrayOperation(
        "[]",
        "{}[[2, 0, 2]]",
        "x[rows]",
        ("added(x, rows, up)",),
        (((3, 4),), ((4,),), ((3, 3),), ((5, 2),), ((4, 3),), ((6,),), ((4, 4),)),
        more=(*PLAIN, *PICKED),
        args=_same((_ROWS,)),
        names=_same({"rows": _ROWS, "added": _add_rows, "put": functools.partial(_add_rows, once=True)}),
    ),
]
_LOSSES = [
    *(
        ArrayOperation(
            name,
            f"{{}}.{name}({_keywords_text(keywords)})",
            out,
            (rule,),
            _WIDE,
            spellings={0: spellings},
            more=(*PLAIN, *ELEMENTWISE),
            keywords=keywords,
            names=_same({"soft": _soft}),
        )
        for keywords in ({}, {"axis": -1}, {"axis": 1})
        for name, out, rule, *spellings in (
            (
                "softmax",
                "soft(x)",
                "out * (up - (up * out).sum(-1, keepdims=True))",
                "out * up - out * (up * out).sum(-1, keepdims=True)",
            ),
            ("log_softmax", "np.log(soft(x))", "up - np.exp(out) * up.sum(-1, keepdims=True)"),
        )
    ),
    ArrayOperation(
        "cross_entropy",
        "{}.cross_entropy(targets)",
        "-np.log(p[hot > 0]).mean()",
        ("up * (p - hot) / len(x)",),
        _WIDE,
        spellings={0: ("up * p / len(x) - up * hot / len(x)", "up * (p - hot) / x.shape[0]")},
        more=(
            *(*PLAIN, "-hot / p", "-hot / p / len(x)", "up * -hot / p / len(x)", "p", "hot", "hot - p"),
            *("(p - hot) / x.size", "up * (p - hot) / x.size", "up * (p - 1) / len(x)"),
            *("up * (hot - p) / len(x)", "up * (p - hot) / len(x)**2"),
        ),
        args=lambda x: (np.array([(2 * i + 1) % min(3, x.shape[1]) for i in range(len(x))]),),
        names=lambda x, args: {"p": _soft(x), "hot": np.eye(x.shape[1])[args[0]]} if args else {},
    ),
]
