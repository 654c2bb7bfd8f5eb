"""The language of rules: arithmetic over `self.data`, `other.data`, `out.data`, gradients, `n` and `math`.

An expression is a number, an atom (`"self.data"`) or a tuple of an operator and its operands:
`("*", "other.data", "out.grad")`, `("neg", x)`, `("math.exp", x)`, `(">", x, 0)`, `("if", then, condition, else)`.
Text is parsed with `ast` and allowed by list; nothing is ever evaluated as Python.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Expression: TypeAlias = "str | float | tuple[Any, ...]"
Vector: TypeAlias = "list[float]"  # one value for each point; not finite if Python raises

ATOMS = ("self.data", "other.data", "out.data", "out.grad", "self.grad", "other.grad", "n")
# The gradient that an earlier line of the same rule has written.
UPDATED = {
    "self.grad": "self.grad, updated",
    "other.grad": "other.grad, updated",
}
_SHOWN = {updated: name for name, updated in UPDATED.items()}

FUNCTIONS = {
    f"math.{name}": 1
    for name in (
        *("exp", "log", "sqrt", "tanh", "sin", "cos", "tan", "sinh", "cosh"),
        *("atan", "asin", "acos", "log1p", "expm1", "floor", "ceil", "fabs"),
    )
} | {"math.copysign": 2, "math.pow": 2, "abs": 1, "max": 2, "min": 2}
CONSTANTS = {"math.pi": math.pi, "math.e": math.e}
COMPARISONS = (">", "<", ">=", "<=")
LONGEST = 1000  # characters of a formula


# Reading text.

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Pow: "**",
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.LtE: "<=",
}


@functools.lru_cache(maxsize=2000)
def parse(text: str) -> Expression:
    """Read an expression of the language. Raises ValueError, which names the unknown part and the remedy."""
    if len(text) > LONGEST:
        raise ValueError(f"the formula has {len(text)} characters; write at most {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(
            f"`{text}` is not a Python expression; write one such as `self.data * out.grad`"
        ) from error
    return _read(tree.body)


def _read(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(value) if type(value) in (int, float):
            return _number(node)
        case ast.Name() | ast.Attribute():
            name = ast.unparse(node)
            if name in ATOMS:
                return name
            if name in CONSTANTS:
                return CONSTANTS[name]
            raise ValueError(f"`{name}` is not known here; known are {', '.join(ATOMS)} and math")
        case ast.UnaryOp(ast.USub(), operand):
            return negate(_read(operand))
        case ast.BinOp(left, sign, right) | ast.Compare(left, [sign], [right]) if type(sign) in _BINARY:
            return (_BINARY[type(sign)], _read(left), _read(right))
        case ast.IfExp(condition, then, otherwise):
            return ("if", _read(then), _read(condition), _read(otherwise))
        case ast.Call():
            return _read_call(node)
    raise ValueError(
        f"the language of rules does not have `{ast.unparse(node)}`; write it with + - * / **, comparisons, "
        "abs, max, min and functions of math"
    )


def _number(node: ast.Constant) -> float:
    try:
        value = float(node.value)  # type: ignore[arg-type]
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"the number {ast.unparse(node)[:20]}... is too large; write one below 1e300")
    return value


def _read_call(node: ast.Call) -> Expression:
    name = ast.unparse(node.func)
    count = FUNCTIONS.get(name)
    if count is None:
        raise ValueError(f"the function `{name}` is not known here; known are {', '.join(FUNCTIONS)}")
    if len(node.args) != count or node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise ValueError(f"`{ast.unparse(node)}`: `{name}` takes {count} operand{'s' * (count > 1)} here")
    return (name, *map(_read, node.args))


# Taking expressions apart and putting them together.


def operands(expression: Expression) -> tuple[Expression, ...]:
    """Return the operands of an expression; atoms and numbers have none."""
    return expression[1:] if isinstance(expression, tuple) else ()


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its parts."""
    yield expression
    for operand in operands(expression):
        yield from parts_of(operand)


def atoms(expression: Expression) -> Iterator[str]:
    """Yield the atoms that an expression reads, with repetition."""
    return (part for part in parts_of(expression) if isinstance(part, str))


def substitute_part(expression: Expression, old: Expression, new: Expression) -> Expression:
    """Return the expression with each occurrence of `old` replaced."""
    if expression == old:
        return new
    if isinstance(expression, tuple):
        return (expression[0], *(substitute_part(operand, old, new) for operand in expression[1:]))
    return expression


def negate(expression: Expression) -> Expression:
    """Return minus an expression; two minus signs cancel."""
    if isinstance(expression, tuple) and expression[0] == "neg":
        inner: Expression = expression[1]
        return inner
    return -expression if isinstance(expression, int | float) else ("neg", expression)


def product(left: Expression, right: Expression) -> Expression:
    """Return a product as a student writes it: without a factor 1, with the minus sign in front."""
    match left, right:
        case (("neg", inner), _):
            return negate(product(inner, right))
        case (_, ("neg", inner)):
            return negate(product(left, inner))
        case (1, other) | (other, 1):
            return other
        case (-1, other) | (other, -1):
            return negate(other)
        case (("/", 1, under), _):
            return ("/", right, under)
    return ("*", left, right)


def split_sign(expression: Expression) -> tuple[int, Expression]:
    """Return the sign of an expression, 1 or -1, and the rest; the signs of factors are pulled to the front."""
    match expression:
        case int() | float():
            return (-1, -expression) if expression < 0 else (1, expression)
        case ("neg", inner):
            sign, rest = split_sign(inner)
            return -sign, rest
        case ("*" | "/" as name, one, other):
            (left, first), (right, second) = split_sign(one), split_sign(other)
            return left * right, (name, first, second)
    return 1, expression


def tidy(expression: Expression) -> Expression:
    """Return the expression in its usual form: the minus sign in front, no factor 1, no exponent 1, no 3 - 1."""
    if not isinstance(expression, tuple):
        return expression
    return join_terms(expression[0], *map(tidy, expression[1:]))


def join_terms(name: str, first: Expression, *rest: Expression) -> Expression:
    """Return the tidy form of an operator with tidy operands."""
    match name:
        case "neg":
            sign, inner = split_sign(first)
            return inner if sign < 0 else negate(inner)
        case "+" | "-":
            return _sum(name, first, rest[0])
        case "**" if rest[0] == 1:
            return first
        case "*" | "/":
            (left, first), (right, second) = split_sign(first), split_sign(rest[0])
            inner = product(first, second) if name == "*" else first if second == 1 else ("/", first, second)
            return inner if left * right > 0 else negate(inner)
    return (name, first, *rest)


def _sum(name: str, first: Expression, second: Expression) -> Expression:
    sign, second = split_sign(second)
    if sign < 0:
        name = {"+": "-", "-": "+"}[name]
    if isinstance(first, int | float) and isinstance(second, int | float):
        return first + second if name == "+" else first - second
    return first if second == 0 else (name, first, second)


def natural(expression: Expression) -> Expression:
    """Return products in the usual order: plain numbers, `n`, values, functions and sums, gradients."""
    if not isinstance(expression, tuple):
        return expression
    expression = tidy((expression[0], *map(natural, expression[1:])))
    if isinstance(expression, tuple) and expression[0] == "+" and isinstance(expression[1], int | float):
        return ("+", expression[2], expression[1])
    sign, rest = split_sign(expression)
    above, below = _factors(rest)
    one: Expression = 1
    top = functools.reduce(product, sorted(above, key=_place), one)
    whole = functools.reduce(lambda over, under: ("/", over, under), below, top)
    return whole if sign > 0 else negate(whole)


def _factors(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """Return the factors above and below the line."""
    if not isinstance(expression, tuple) or expression[0] not in {"*", "/"}:
        return [expression], []
    (above, below), (second, third) = _factors(expression[1]), _factors(expression[2])
    if expression[0] == "/":
        second, third = third, second
    return above + second, below + third


def _place(factor: Expression) -> int:
    """Return the rank of a factor in a product."""
    match factor:
        case int() | float():
            return 0
        case str():
            return {"n": 1, "out.data": 2, "self.data": 3, "other.data": 4}.get(factor, 6)
    read = set(atoms(factor))
    return 1 if read <= {"n"} else 5 if read <= {"n", "self.data", "other.data", "out.data"} else 6


def cost(expression: Expression) -> float:
    """Return the cost of reading an expression: one for each atom and operator, more for rarer ones."""
    match expression:
        case (name, *parts):
            return _COSTS.get(name, 1.0) + sum(map(cost, parts))
        case str():
            return {"out.data": 1.05, "n": 0.95}.get(expression, 1.0 if expression not in _SHOWN else 1.3)
    return 0.9 if expression in (1, 2, 0) else 1.1


_COSTS = {"neg": 0.4, ">": 0.5, "<": 0.6, ">=": 0.6, "<=": 0.7, "if": 2.0, "//": 2.0, "**": 1.1} | {
    name: 1.5 for name in FUNCTIONS if name.startswith("math.")
}


# Writing text.

_IF, _COMPARISON, _SUM, _PRODUCT, _NEGATION, _POWER, _ATOM = range(7)
_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "**": _POWER} | dict.fromkeys(
    COMPARISONS, _COMPARISON
)


def text(expression: Expression) -> str:
    """Return the expression as Python, with only the parentheses that it needs.

    >>> text(("*", ("-", 1, ("**", "out.data", 2)), "out.grad"))
    '(1 - out.data**2) * out.grad'
    """
    return _text(expression)[0]


def _text(expression: Expression) -> tuple[str, int]:
    """Return the text and the precedence of its outermost operator."""
    match expression:
        case str():
            return _SHOWN.get(expression, expression), _ATOM
        case int() | float():
            is_whole = expression == int(expression) and abs(expression) < 1e15  # 2 rather than 2.0
            shown = str(int(expression)) if is_whole else repr(float(expression))
            return shown, _ATOM if expression >= 0 else _NEGATION
        case ("neg", operand):
            inner, level = _text(operand)
            is_whole = level < _PRODUCT or "//" in inner or inner.startswith("-")
            return (f"-({inner})", _NEGATION) if is_whole else (f"-{inner}", min(level, _NEGATION))
        case ("if", *parts):
            return "{} if {} else {}".format(*(_at(part, _COMPARISON) for part in parts)), _IF
        case (name, left, right) if name in _LEVELS:
            return _binary_text(name, left, right)
    return f"{expression[0]}({', '.join(map(text, expression[1:]))})", _ATOM


def _binary_text(name: str, left: Expression, right: Expression) -> tuple[str, int]:
    level = _LEVELS[name]
    if name == "**":
        base, exponent = _at(left, _ATOM), _at(right, _NEGATION)
        tight = not {" ", "("} & set(base + exponent)
        return f"{base}**{exponent}" if tight else f"{base} ** {exponent}", level
    alike = isinstance(right, tuple) and right[0] in {"+": "+-", "*": "*/"}.get(name, "")
    before = level + 1 if name in COMPARISONS else level  # Python chains comparisons
    return f"{_at(left, before)} {name} {_at(right, level if alike else level + 1)}", level


def _at(expression: Expression, least: int) -> str:
    """Return the text, in parentheses if its operator has a lower precedence than `least`."""
    written, level = _text(expression)
    return written if level >= least else f"({written})"


# Computing.


def _strict(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """Return the function with NaN for an operand that is NaN: Python would have raised there."""
    return lambda left, right: math.nan if left != left or right != right else float(function(left, right))  # noqa: PLR0124


_COMPUTE: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name[5:]) for name in FUNCTIONS if name.startswith("math.")},
    "math.copysign": _strict(math.copysign),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "**": math.pow,  # raises for a negative base with a fractional exponent, where ** turns complex
    "neg": operator.neg,
    "abs": abs,
    "max": _strict(max),
    "min": _strict(min),
    "if": lambda then, condition, otherwise: (
        math.nan if condition != condition else then if condition else otherwise  # noqa: PLR0124  NaN
    ),
    ">": _strict(operator.gt),
    "<": _strict(operator.lt),
    ">=": _strict(operator.ge),
    "<=": _strict(operator.le),
}


class Points:
    """Values of the atoms at some points, and of expressions over them, each computed once."""

    def __init__(self, rows: Sequence[Mapping[str, float]]) -> None:
        """Take one row of atoms for each point; only atoms that all points have are known."""
        names = set(rows[0]).intersection(*rows) if rows else set()
        self.count = len(rows)
        self.atoms = sorted(names)
        self._known: dict[Expression, Vector] = {name: [float(row[name]) for row in rows] for name in names}

    def values(self, expression: Expression) -> Vector:
        """Return the value at each point, NaN if Python raises. Raises KeyError for an unknown atom."""
        found = self._known.get(expression)
        if found is None:
            if isinstance(expression, str):
                raise KeyError(expression)
            self._known[expression] = found = (
                self.apply(expression[0], *map(self.values, expression[1:]))
                if isinstance(expression, tuple)
                else [float(expression)] * self.count
            )
        return found

    def apply(self, name: str, *columns: Vector) -> Vector:
        """Apply an operator of the language point by point."""
        compute = _COMPUTE[name]
        try:
            return list(map(compute, *columns))
        except (ArithmeticError, ValueError):
            return [or_nan(compute, *row) for row in zip(*columns, strict=True)]


def or_nan(compute: Callable[..., float], *row: float) -> float:
    """Return the result of a computation, NaN if Python raises."""
    try:
        return compute(*row)
    except (ArithmeticError, ValueError):
        return math.nan


def value(expression: Expression, row: Mapping[str, float]) -> float:
    """Return the value of an expression at one point, NaN if Python raises."""
    return Points([row]).values(expression)[0]
