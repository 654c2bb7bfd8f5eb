"""Formulas that an engine may have instead of a right rule: one edit away from it, or a common mistake.

operations.py describes the names in a formula.
"""

from __future__ import annotations

import ast
import itertools
import re
from typing import TYPE_CHECKING

from grader.autograd.rules.edits import bare_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator


_SWAPS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Div, ast.Add, ast.Sub, ast.MatMult),
    ast.Div: (ast.Mult, ast.Sub),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
_COMPARED = (ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.NotEq)
_IN_PLACE_OF_NAMES = ("{}.T", "{}.sum()", "{}.mean()", "np.ones_like({})", "2 * {}", "-{}", "{}**2", "{}[0]")


_WHOLE = (
    "-({})",
    "2 * ({})",
    "0.5 * ({})",
    "({}).T",
    "({})**2",
    "1 / ({})",
    "np.exp({})",
    "({}).sum()",
    "({}).mean()",
)


def one_edit_away(formula: str, *, binary: bool) -> Iterator[str]:
    """Yield the formulas that are one edit away: another name, operator or number, or a missing part."""
    for node in ast.walk(_parse_formula(formula)):
        for new in _in_place_of(node, binary=binary):
            assert isinstance(node, ast.expr)
            edit = f"{formula[: node.col_offset]}({ast.unparse(new)}){formula[node.end_col_offset :]}"
            yield ast.unparse(_parse_formula(edit))
    yield from (whole.format(formula) for whole in _WHOLE)


def regroupings(formula: str) -> Iterator[str]:
    """Yield a formula without some of its parentheses around a part; also with the upstream gradient at its end."""
    turned = re.sub(r"^up \* (\(.*\))$", r"\1 * up", formula)
    for text in dict.fromkeys((formula, turned)):
        pairs = [*bare_pairs(text)]
        for many in range(1, len(pairs) + 1):
            for left_out in itertools.combinations(pairs, many):
                gone = {*itertools.chain(*left_out)}
                yield ast.unparse(_parse_formula("".join(c for i, c in enumerate(text) if i not in gone)))


def _in_place_of(node: ast.AST, *, binary: bool) -> Iterator[ast.AST]:
    match node:
        case ast.Name(id="x" | "y" | "out" | "up" as name):
            others = ("x", *["y"] * binary, "out", "up", "1")
            yield from (_parse_formula(other) for other in others if other != name)
            yield from (_parse_formula(form.format(name)) for form in _IN_PLACE_OF_NAMES)
        case ast.Constant(value=int() | float() as number) if number is not True:
            yield from map(ast.Constant, (number + 1, number - 1, number / 2, number * 2))
        case ast.BinOp(left, op, right):
            yield from (left, right)
            yield from (ast.BinOp(left, swapped(), right) for swapped in _SWAPS.get(type(op), ()))
            yield ast.BinOp(right, ast.Div() if isinstance(op, ast.Mult) else op, left)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Compare(left, _, [right]):
            yield from (ast.Compare(left, [compared()], [right]) for compared in _COMPARED)
        case ast.Call(ast.Attribute(value, "sum" | "mean" | "max" as name), args, keywords) if (
            ast.unparse(value) != "np"
        ):
            reductions = {"sum", "mean", "max"} - {name}
            yield from (ast.Call(ast.Attribute(value, other), args, keywords) for other in reductions)
            given = ("", "0", "-1", "0, keepdims=True", "-1, keepdims=True")
            yield from (_parse_formula(f"({ast.unparse(value)}).{name}({each})") for each in given)
            yield value
        case ast.Attribute(value, "T") | ast.Call(ast.Attribute(ast.expr() as value)) if (
            ast.unparse(value) != "np"
        ):
            yield value  # without a method, such as reshape
        case ast.Call(_, [value, *_]):
            yield value


def _parse_formula(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


_FORMS = ("up * {}", "-up * {}", "{}", "-{}", "up + {}", "up / {}", "up * up * {}")
_LOCALS = (
    *(
        "x",
        "y",
        "out",
        "(1 / x)",
        "(1 / y)",
        "(x / y)",
        "(y / x)",
        "(x + y)",
        "(x - y)",
        "(y - x)",
        "(x * y)",
    ),
    *("x**2", "y**2", "(1 / x**2)", "(1 / y**2)", "(2 * x)", "(2 * y)"),
)
_LOCALS_OF_ONE = (
    *(
        "x",
        "out",
        "(1 / x)",
        "(1 / out)",
        "x**2",
        "out**2",
        "(2 * x)",
        "(1 - out)",
        "(1 - out**2)",
        "(1 + out**2)",
    ),
    *(
        "(1 - x**2)",
        "(out * (1 - out))",
        "(x * (1 - x))",
        "(1 - np.tanh(out)**2)",
        "np.exp(x)",
        "np.exp(out)",
        "np.log(x)",
    ),
    *(
        "np.tanh(x)",
        "(x > 0)",
        "(x < 0)",
        "(x >= 0)",
        "(x <= 0)",
        "(up > 0)",
        "(out > 0)",
        "np.sign(x)",
        "np.maximum(x, 0)",
        "(0.5 / out)",
        "(1 - x)",
    ),
)
BROADCAST = tuple(form.format(each) for each in _LOCALS for form in _FORMS)
ELEMENTWISE = tuple(form.format(each) for each in _LOCALS_OF_ONE for form in _FORMS)
# The upstream gradient is summed before the product.
SUMMED_FIRST = tuple(
    form.format(summed)
    for summed in ("summed(up)", "up.sum(axis=0)")
    for form in ("{} * y", "{} / y", "-{} * y / x**2")
)
PLAIN = (
    "up",
    "-up",
    "np.ones_like(out)",
    "np.ones_like(x)",
    "x",
    "out",
    "2 * up",
    "up * up",
    "up.sum()",
    "up.mean()",
    "up.T",
)


def products(*turns: str) -> tuple[str, ...]:
    """Return all products of two of the arrays, or of one array and ones, with each of these transposes."""
    pairs = (*itertools.permutations(("up", "x", "y"), 2), (_ONES, "y"), ("y", _ONES))
    made = (
        f"{turn.format(one)} @ {another.format(other)}"
        for one, other in pairs
        for turn, another in itertools.product(turns, turns)
    )
    return (
        *(form.format(each) for each in made for form in ("{}", "-({})", "({}).T", "2 * ({})")),
        *("up * y", "up * x", "y", "x", "y.T", "x.T", "np.outer(up, y)", "np.outer(y, up)", "up.sum() * y"),
    )


_ONES = "np.ones_like(out)"
_SCALES = (
    *(
        "{}",
        "{} / x.size",
        "{} / x.shape[0]",
        "{} / x.shape[-1]",
        "{} / x.ndim",
        "{} * x.size",
        "{} / np.size(out)",
    ),
    *("{} * np.size(out)", "{} * np.size(out) / x.size", "{} * x.size / np.size(out)", "{} / x.size**2"),
)
REDUCED = (
    *(
        text
        for core in (
            "np.ones_like(x)",
            "along(up)",
            "up",
            "up.sum()",
            _ONES,
            "along(out)",
            "along(up) * x",
            "x",
        )
        for scale in _SCALES
        for text in (scale.format(core), f"{scale.format(core)} * np.ones_like(x)")
    ),
    *(f"np.expand_dims(up, {axis}) * np.ones_like(x)" for axis in (0, 1, -1)),
)
_MASKS = (
    "(x == along(out))",
    "(x == x.max())",
    "(x == x.max(0))",
    "(x == x.max(-1, keepdims=True))",
    "(x > 0)",
    "x",
)
_MASKED = ("{} * along(up)", "{} * up", "{} * 1.0", "{} * up.sum()", "{} * along(up) / x.size")
LARGEST = tuple(form.format(mask) for mask in _MASKS for form in _MASKED)
MOVED = tuple(
    form.format(core)
    for core in ("up", _ONES, "(up * out)", "out", "(up * up)")
    for form in (
        "{}.reshape(x.shape)",
        "{}.T",
        "{}.T.reshape(x.shape)",
        "{}.reshape(x.T.shape).T",
        "{}.ravel()",
        "np.resize({}, x.shape)",
    )
)
PICKED = tuple(
    form.format(core)
    for core in ("up", _ONES, "up.sum()", "(up * x[rows])", "(up / len(rows))", "x[rows]")
    for form in ("added(x, rows, {})", "put(x, rows, {})")
)
