"""Operations of arrays: how they are applied, their right results and rules, and formulas that an engine may have instead.

Formulas are Python over numpy. `x` is the data of the input that gets the gradient, `y` that of the other input, `out`
the result's data, `up` its gradient. `along(v)` puts back the axis over which a result was reduced, `summed(v)` brings
`v` to the shape of `x`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

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
    edited,
    products,
    regrouped,
)
from grader.autograd.arrays.reductions import REDUCTIONS, RIGHT
from grader.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.manifest import OperationSpec

Array = Any  # np.ndarray, or a float of no dimension
VERIFYING = 4  # shapes at the end that the search does not choose from

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
_SHAPES = ((2, 3), (3, 3), (4,), (1, 4), (3, 1, 2), (5, 2), (2, 2), (6,))
_TABLES = ((2, 3), (3, 3), (4, 2), (3, 1), (5, 3), (2, 4), (2, 2), (4, 5))
_WIDE = ((3, 4), (3, 3), (2, 5), (4, 3), (5, 4), (2, 3), (4, 4))


def _always(value: Any, *_: object) -> Any:
    return value


_OF_ENTRIES = frozenset(
    ["+", "-", "*", "/", "**", "neg", "exp", "log", "sqrt", "tanh", "relu", "sigmoid", "abs"]
)


class ArrayOperation(NamedTuple):
    """One way to apply an operation of arrays.

    `call` is how it looks with the operands' names in braces. `rules` has the right formula for each input, with the shape
    to which broadcasting stretches it, `spellings` further ways to write it, `more` what else an engine may compute.
    """

    name: str
    call: str
    out: str
    rules: tuple[str, ...]
    shapes: Sequence[tuple[tuple[int, ...], ...]]
    spellings: Mapping[int, Sequence[str]] = {}
    more: Sequence[str] = ()
    broadcasts: bool = False
    args: Callable[[Array], tuple[Any, ...]] = lambda _: ()  # beside the operands
    keywords: Mapping[str, Any] = {}
    positive: bool = False
    names: Callable[[Array, tuple[Any, ...]], Mapping[str, Any]] = lambda *_: {}  # more, for the formulas
    outs: tuple[str, ...] = ()  # results that an engine may have instead

    @property
    def as_function(self) -> str:
        """`call` for a function that stands beside the class: `f({}, 2)` for `{}.f(2)`; an operator's stays as it is."""
        method = f"{{}}.{self.name}("
        if not self.call.startswith(method):
            return self.call
        given = self.call.removeprefix(method).removesuffix(")")
        return f"{self.name}({', '.join(filter(None, ['{}', given]))})"

    @property
    def is_of_entries(self) -> bool:
        """True if an entry of the result depends on that entry of the operands alone."""
        return self.name.partition(" ")[0] in _OF_ENTRIES

    @property
    def is_binary(self) -> bool:
        """True if both operands are tensors."""
        return len(self.rules) == 2


class ArrayTrial(NamedTuple):
    """Leaves, the gradients that they hold before (empty for those of new leaves), and the right result and its gradient."""

    leaves: tuple[Array, ...]
    priors: tuple[Array, ...]
    args: tuple[Any, ...]
    out: Array
    upstream: Array


def evaluated(operation: ArrayOperation, formula: str, trial: ArrayTrial, place: int = 0) -> Array:
    """Return the value of a formula for the input at this place. Raises what numpy raises."""
    x, y = trial.leaves[place], trial.leaves[1 - place] if operation.is_binary else None
    names = {"np": np, "x": x, "y": y, "out": trial.out, "up": trial.upstream}
    axis, kept = operation.keywords.get("axis"), operation.keywords.get("keepdims", False)
    names |= {"axis": axis, "along": lambda v: v if kept or axis is None else np.expand_dims(v, axis)}
    names |= operation.names(x, trial.args)
    with np.errstate(all="ignore"):
        return eval(_code(formula), names)  # noqa: S307  a formula of this module


@functools.cache
def _code(formula: str) -> Any:
    return compile(formula, "<formula>", "eval")


def cores_of(operation: ArrayOperation, place: int) -> Iterator[str]:
    """Yield the formulas that an input's rule is compared with: the right one first, then each that is an edit away.

    Edits are made in every spelling of the right rule; those of another input and further formulas follow.
    """
    right, other = operation.rules[place], operation.rules[-1 - place]
    seen = dict.fromkeys([right, other, *operation.more])
    for spelling in (right, *operation.spellings.get(place, ())):
        seen |= dict.fromkeys([spelling, *edited(spelling, binary=operation.is_binary), *regrouped(spelling)])
    yield from seen


@functools.cache
def trials_of(operation_name: str, call: str) -> list[ArrayTrial]:
    """Return the trials of an operation, each shape with new leaves and with gradients before."""
    operation = next(each for each in known() if (each.name, each.call) == (operation_name, call))
    return list(_trials(operation))


def _trials(operation: ArrayOperation) -> Iterator[ArrayTrial]:
    rng = np.random.default_rng(20)
    # A gate that asks about the whole array shows where all entries have one sign.
    signs = (
        {len(operation.shapes) - 2: 1.0, len(operation.shapes) - 1: -1.0} if operation.name == "relu" else {}
    )
    for place, shapes in enumerate(operation.shapes):
        leaves = tuple(_numbers(rng, shape, positive=operation.positive) for shape in shapes)
        leaves = tuple(np.abs(leaf) * signs[place] for leaf in leaves) if place in signs else leaves
        args = operation.args(leaves[0])
        out = evaluated(operation, operation.out, ArrayTrial(leaves, (), args, None, None))
        upstream = _numbers(rng, np.shape(out))
        yield ArrayTrial(leaves, (), args, out, upstream)
        yield ArrayTrial(leaves, tuple(_numbers(rng, shape) for shape in shapes), args, out, upstream)


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], *, positive: bool = False) -> Array:
    """Return numbers between 0.3 and 2 in size, all different."""
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


@functools.cache
def known() -> tuple[ArrayOperation, ...]:
    """Return every way to apply an operation that can be read back."""
    return (*_binary(), *_of_one(), *_reductions(), *_moves(), *_losses())


# Arrays of one shape, products of vectors and of stacks of matrices have other rules: a manifest names them.
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


def declared(operations: Sequence[str | OperationSpec] | None) -> tuple[str, ...]:
    """Return the names of a manifest's operations, or those of every engine."""
    return DEFAULT if operations is None else tuple(each for each in operations if isinstance(each, str))


def problems(operations: Sequence[str | OperationSpec]) -> Iterator[str]:
    """Yield what is wrong with the operations that a manifest declares for arrays, each with its remedy."""
    names = list(dict.fromkeys(each.name for each in known()))
    for each in operations:
        if not isinstance(each, str):
            yield f"`operations.{each.name}` has formulas, which are for numbers: with `arrays: true` write names alone"
        elif each not in names:
            near = nearest(each, names)
            yield f"`operations` names `{each}`, which is not known for arrays{near}; known are {', '.join(names)}"


def _binary() -> Iterator[ArrayOperation]:
    outs: tuple[str, ...] = ("x + y", "x - y", "y - x", "x * y", "x / y", "y / x", "x", "y")
    for sign, rules in {
        "+": ("up", "up"),
        "-": ("up", "-up"),
        "*": ("up * y", "up * y"),
        "/": ("up / y", "-up * y / x**2"),
    }.items():
        how: dict[str, Any] = {
            "broadcasts": True,
            "positive": sign == "/",
            "outs": outs,
            "more": (*PLAIN, *BROADCAST, *SUMMED_FIRST),
            "names": lambda x, _: {"summed": lambda v: REDUCTIONS[RIGHT](v, np.shape(x))},
        }
        spellings: dict[int, tuple[str, ...]] = (
            {1: ("-up * (out / x)", "up * (-y / x**2)")} if sign == "/" else {}
        )
        call, out = f"{{}} {sign} {{}}", f"x {sign} y"
        yield ArrayOperation(sign, call, out, rules, _PAIRS, spellings=spellings, **how)
        how["broadcasts"] = False
        yield ArrayOperation(f"{sign} same shape", call, out, rules, _ALIKE, spellings=spellings, **how)
    outs = ("y @ x", "x.T @ y", "x @ y.T", "x * y", "(x @ y).T")
    more = (*PLAIN, *products("{}", "{}.T"))
    yield ArrayOperation("@", "{} @ {}", "x @ y", ("up @ y.T", "y.T @ up"), _PRODUCTS, more=more, outs=outs)
    turned = "{}.swapaxes(-1, -2)"
    rules = (f"up @ {turned.format('y')}", f"{turned.format('y')} @ up")
    batched = (*PLAIN, *products("{}", "{}.T", turned))
    yield ArrayOperation(
        "@ batched", "{} @ {}", "x @ y", rules, _BATCHES, more=batched, broadcasts=True, outs=outs
    )
    rules, names = (
        ("left_of(up, y)", "right_of(y, up)"),
        functools.partial(_always, {"left_of": _left_of, "right_of": _right_of}),
    )
    yield ArrayOperation("@ 1-d", "{} @ {}", "x @ y", rules, _VECTORS, more=more, names=names, outs=outs)


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


def _of_one() -> Iterator[ArrayOperation]:
    shapes, outs = [(each,) for each in _SHAPES], ("x", "-x", "np.exp(-x)", "np.minimum(x, 0)")
    more = (*PLAIN, *ELEMENTWISE)
    for name, call, out, rule, *spellings in (
        ("neg", "-{}", "-x", "-up"),
        ("exp", "{}.exp()", "np.exp(x)", "up * out", "up * np.exp(x)"),
        ("log", "{}.log()", "np.log(x)", "up / x", "up * (1 / x)"),
        ("sqrt", "{}.sqrt()", "np.sqrt(x)", "up * (0.5 / out)", "up / (2 * out)", "up * 0.5 * x**-0.5"),
        ("tanh", "{}.tanh()", "np.tanh(x)", "up * (1 - out**2)", "up * (1 - np.tanh(x)**2)"),
        ("relu", "{}.relu()", "np.maximum(x, 0)", "up * (x > 0)", "up * (out > 0)"),
        (
            "sigmoid",
            "{}.sigmoid()",
            "1 / (1 + np.exp(-x))",
            "up * (out * (1 - out))",
            "up * np.exp(-x) / (1 + np.exp(-x))**2",
        ),
        ("abs", "{}.abs()", "np.abs(x)", "up * np.sign(x)"),
    ):
        how: dict[str, Any] = {"positive": name in {"log", "sqrt"}, "outs": outs, "more": more}
        yield ArrayOperation(name, call, out, (rule,), shapes, spellings={0: spellings}, **how)
    for n in (3, 2):
        how = {"args": functools.partial(_always, (n,)), "names": functools.partial(_always, {"n": n})}
        how |= {
            "positive": True,
            "outs": ("x * n", "n**x", "x"),
            "more": more,
            "spellings": {0: ("up * n * out / x",)},
        }
        yield ArrayOperation("**", f"{{}} ** {n}", "x**n", ("up * (n * x**(n - 1))",), shapes, **how)


def _reductions() -> Iterator[ArrayOperation]:
    ways: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}]
    ways += [{"axis": -1, "keepdims": True}, {"axis": 0, "keepdims": True}]
    shapes = [(each,) for each in _TABLES]
    for name, more, *rules in (
        ("sum", REDUCED, "along(up) * np.ones_like(x)"),
        (
            "mean",
            REDUCED,
            "along(up) * np.size(out) / x.size * np.ones_like(x)",
            "along(up) / (x.size / np.size(out)) * np.ones_like(x)",
        ),
        ("max", LARGEST, "(x == along(out)) * along(up)", "np.where(x == along(out), along(up), 0)"),
    ):
        right, *others = rules
        for keywords in ways:
            given = ", ".join(f"{key}={value}" for key, value in keywords.items())
            how: dict[str, Any] = {
                "keywords": keywords,
                "names": functools.partial(_always, {"keywords": keywords}),
            }
            how |= {"more": (*PLAIN, *more), "spellings": {0: others}}
            yield ArrayOperation(
                name, f"{{}}.{name}({given})", f"x.{name}(**keywords)", (str(right),), shapes, **how
            )


def _added(x: Array, rows: list[int], values: Array) -> Array:
    found = np.zeros_like(x)
    np.add.at(found, rows, values)
    return found


def _put(x: Array, rows: list[int], values: Array) -> Array:
    found = np.zeros_like(x)
    found[rows] = values
    return found


def _moves() -> Iterator[ArrayOperation]:
    more = (*PLAIN, *MOVED)
    tables = [(each,) for each in ((2, 6), (3, 4), (4, 3), (12,), (6, 2), (12, 1), (2, 2, 3), (1, 12))]
    for args in ((4, 3), ((4, 3),)):
        call, how = f"{{}}.reshape({', '.join(map(str, args))})", functools.partial(_always, args)
        yield ArrayOperation(
            "reshape", call, "x.reshape(4, 3)", ("up.reshape(x.shape)",), tables, args=how, more=more
        )
    turned = [(each,) for each in ((2, 3), (3, 3), (4, 2), (3, 5), (5, 2), (2, 2), (1, 4))]
    for name, call in (("T", "{}.T"), ("transpose", "{}.transpose()")):
        yield ArrayOperation(name, call, "x.T", ("up.T",), turned, more=more)
    rows = [2, 0, 2]
    names = functools.partial(_always, {"rows": rows, "added": _added, "put": _put})
    picked = [(each,) for each in ((3, 4), (4,), (3, 3), (5, 2), (4, 3), (6,), (4, 4))]
    how = functools.partial(_always, (rows,))
    more = (*PLAIN, *PICKED)
    yield ArrayOperation(
        "[]", "{}[[2, 0, 2]]", "x[rows]", ("added(x, rows, up)",), picked, args=how, names=names, more=more
    )


def _losses() -> Iterator[ArrayOperation]:
    wide = [(each,) for each in _WIDE]
    for keywords in ({}, {"axis": -1}, {"axis": 1}):
        given = ", ".join(f"{key}={value}" for key, value in keywords.items())
        names = functools.partial(_always, {"soft": _soft})
        how: dict[str, Any] = {"keywords": keywords, "names": names, "more": (*PLAIN, *ELEMENTWISE)}
        rule = "out * (up - (up * out).sum(-1, keepdims=True))"
        spellings = {0: ("out * up - out * (up * out).sum(-1, keepdims=True)",)}
        yield ArrayOperation(
            "softmax", f"{{}}.softmax({given})", "soft(x)", (rule,), wide, spellings=spellings, **how
        )
        rule, call = "up - np.exp(out) * up.sum(-1, keepdims=True)", f"{{}}.log_softmax({given})"
        yield ArrayOperation("log_softmax", call, "np.log(soft(x))", (rule,), wide, **how)
    rule = "up * (p - hot) / len(x)"
    written = ("up * p / len(x) - up * hot / len(x)", "up * (p - hot) / x.shape[0]")
    more = (
        *(
            "-hot / p",
            "-hot / p / len(x)",
            "up * -hot / p / len(x)",
            "p",
            "hot",
            "hot - p",
            "(p - hot) / x.size",
        ),
        *(
            "up * (p - hot) / x.size",
            "up * (p - 1) / len(x)",
            "up * (hot - p) / len(x)",
            "up * (p - hot) / len(x)**2",
        ),
    )
    how = {"more": (*PLAIN, *more), "args": _targets, "names": _of_targets, "spellings": {0: written}}
    call = "{}.cross_entropy(targets)"
    yield ArrayOperation("cross_entropy", call, "-np.log(p[hot > 0]).mean()", (rule,), wide, **how)


def _targets(x: Array) -> tuple[Array]:
    return (np.array([(2 * i + 1) % min(3, x.shape[1]) for i in range(len(x))]),)


def _of_targets(x: Array, args: tuple[Any, ...]) -> dict[str, Any]:
    return {"p": _soft(x), "hot": np.eye(x.shape[1])[args[0]]} if args else {}


def _soft(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
