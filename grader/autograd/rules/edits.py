"""Edits of an expression: typical slips in a right rule, each with its relation to the right one.

The relations are one small vocabulary for all operations: the keys of `words.RELATIONS`.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from grader.autograd.rules.expressions import (
    COMPARISONS,
    UPDATED,
    Expression,
    atoms,
    cost,
    negate,
    parse,
    product,
    text,
    tidy,
)
from grader.autograd.rules.observations import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.autograd.rules.operations import Operation

_Slips: TypeAlias = "list[tuple[Expression, str]]"

UPSTREAM = "out.grad"
OPERATORS = ("+", "-", "*", "/", "**", "//")
OTHER_FUNCTIONS = (
    *("math.exp", "math.tanh", "math.sin", "math.cos", "math.log", "math.sqrt", "math.sinh", "math.cosh"),
    *("math.atan", "abs"),
)
_GRADIENTS = {"self.grad", "other.grad", *UPDATED.values()}
SLOPES = (0.01, 0.1, 0.2, -1)  # slopes of a gate that is shut; others are fitted


class RuleEdit(NamedTuple):
    """An expression, its relations to the right rule, and a penalty for unlikely ones."""

    expression: Expression
    relations: tuple[str, ...] = ()
    penalty: float = 0.0


def is_gate(expression: Expression) -> bool:
    return isinstance(expression, tuple) and expression[0] in COMPARISONS


def atoms_of(operation: Operation) -> list[str]:
    """Return the atoms that a rule of the operation may read, without the upstream gradient."""
    grads = [f"{name}.grad" for name in operation.rules]
    return [*values_of(operation), *["n"] * operation.takes_n, *grads, *(UPDATED[grad] for grad in grads)]


def values_of(operation: Operation) -> list[str]:
    """Return the values that a rule may read: of each input and of the result."""
    return [*(f"{name}.data" for name in operation.rules), "out.data"]


def edits(expression: Expression, operation: Operation) -> Iterator[RuleEdit]:
    """Yield expressions with one edit, anywhere in the expression."""
    here = _edits_here(expression, operation)
    yield from (RuleEdit(new, tuple(relations.split())) for new, relations in here)
    if not isinstance(expression, tuple):
        return
    name = expression[0]
    for place, operand in enumerate(expression[1:], 1):
        for edit in edits(operand, operation):
            inside = edit.relations
            if name == "**" and place == 2:
                inside = ("exponent",)
            elif name in COMPARISONS:
                inside = (_relation_of_gate(operand, edit.expression),)
            elif name not in {"*", "/", "neg"}:  # only these pass a sign through unchanged
                inside = tuple("sign_inside" if each == "sign" else each for each in inside)
            yield RuleEdit(tidy((*expression[:place], edit.expression, *expression[place + 1 :])), inside)


def _relation_of_gate(old: Expression, new: Expression) -> str:
    read = {*atoms(new)}
    relations = (
        ("gate_upstream", UPSTREAM in read),
        ("gate_own_gradient", read & _GRADIENTS),
        ("gate_output", "out.data" in read - {*atoms(old)}),
    )
    return next((relation for relation, holds in relations if holds), "gate_threshold")


# Each edit below is an expression, and its relations to the unedited one in one text.


def _edits_here(expression: Expression, operation: Operation) -> Iterator[tuple[Expression, str]]:
    """Yield edits of the outermost operator."""
    match expression:
        case (name, *inner):
            rewrite = _REWRITES.get(name, _of_two if len(inner) == 2 else _of_function)
            yield from rewrite(name, *inner)
        case str():
            others = (new for new in (*atoms_of(operation), UPSTREAM) if new != expression)
            yield from ((new, _relation_of_atoms(expression, new)) for new in others)
            yield from _OF_EXPONENT if expression == "n" else ()
        case int() | float():
            numbers = (0, 1, 2, 3, 0.5, -expression, *["n"] * operation.takes_n)
            yield from (
                (other, "sign" if other == -expression and expression else "number")
                for other in numbers
                if other != expression
            )
            return
    yield from wraps(expression, operation)


_OF_EXPONENT: tuple[tuple[Expression, str], ...] = (
    (("+", "n", 1), "exponent"),
    (("-", "n", 1), "exponent"),
    (2, "number"),
    (3, "number"),
)


def _relation_of_atoms(old: str, new: str) -> str:
    relations = (
        ("upstream_for_value", new == UPSTREAM),
        ("gradient_for_value", new in _GRADIENTS),
        ("exponent_for_value", "n" in (old, new)),
        ("output_for_input", new == "out.data"),
        ("input_for_output", old == "out.data"),
    )
    return next((relation for relation, holds in relations if holds), "swapped")


def _of_function(_: str, operand: Expression) -> _Slips:
    return [(operand, "function"), *(((name, operand), "function") for name in OTHER_FUNCTIONS)]


def _of_gate(name: str, left: Expression, right: Expression) -> _Slips:
    turned, equal = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[name], f"{name[0]}="
    thresholds = [threshold for threshold in THRESHOLDS if threshold != right]
    gradients = dict.fromkeys(("self.grad", UPDATED["self.grad"]), "gate_own_gradient")
    return [
        ((turned, left, right), "gate_turned"),
        ((">=", left, right), "gate_output"),
        *(
            ((each, left, threshold), relations)
            for threshold in thresholds
            for each, relations in ((name, "gate_threshold"), (turned, "gate_turned gate_threshold"))
        ),
        *(
            ((each, atom, right), f"{how}{relation}")
            for atom, relation in {UPSTREAM: "gate_upstream", **gradients}.items()
            for each, how in ((name, ""), (equal, ""), (turned, "gate_turned "))
        ),
        *((("if", 1, (name, left, right), slope), "leaky") for slope in SLOPES),
        (("neg", left), "gate_missing sign"),
    ]


def _of_largest(name: str, *inner: Expression) -> _Slips:
    left = [found for each in inner for found in ((each, "gate_missing"), (("abs", each), "absolute"))]
    return [(("min" if name == "max" else "max", *inner), "gate_turned"), *left]


def _of_two(name: str, left: Expression, right: Expression) -> _Slips:
    square: _Slips = [(left, "square_missing"), (("abs", left), "square_missing absolute")]
    missing: dict[str, _Slips] = {
        "*": [(left, "factor_missing"), (right, "factor_missing")],
        "/": [(left, "factor_missing"), (tidy(("/", 1, right)), "factor_missing")],
        "+": [(left, "term_missing"), (right, "term_missing")],
        "-": [(left, "term_missing"), (negate(right), "term_missing")],
        "**": [*(square if right == 2 else [(left, "exponent")]), (right, "factor_missing")],
    }
    others = [(tidy((other, left, right)), "operator") for other in OPERATORS if other != name]
    turned = [((name, right, left), "turned")] if name in {"-", "/", "**", "//"} else []
    return [*missing.get(name, ()), *others, *turned]


_REWRITES: dict[str, Callable[..., _Slips]] = {
    **dict.fromkeys(COMPARISONS, _of_gate),
    "neg": lambda _, operand: [(operand, "sign")],
    "max": _of_largest,
    "min": _of_largest,
    "if": lambda _, then, condition, otherwise: [
        (("if", otherwise, condition, then), "gate_turned"),
        (condition, "number"),
        (then, "gate_missing"),
        (otherwise, "gate_missing"),
    ],
}


def wraps(expression: Expression, operation: Operation) -> _Slips:
    """Return the expression inside a function, operator or gate, with the relation."""
    return [
        (negate(expression), "sign"),
        (("abs", expression), "absolute"),
        (("**", expression, 2), "squared"),
        (("math.copysign", 1, expression), "sign_only"),
        (("/", 1, expression), "reciprocal"),
        (("*", 2, expression), "doubled"),
        (("/", expression, 2), "halved"),
        ((">", expression, 0), "gate_output"),
        (("max", 0, expression), "gate_output"),
        *(((f"math.{name}", expression), "function") for name in ("exp", "tanh", "log", "sqrt")),
        *([(product(expression, "self.data"), "factor_added")] if expression != "self.data" else []),
        *([(("*", "n", expression), "factor_added")] if operation.takes_n else []),
    ]


# Parentheses.


def moved_parentheses(expression: Expression) -> list[Expression]:
    """Return the expressions that result if one pair of parentheses is moved or left out."""
    whole = text(expression)
    left_out = (f"{whole[:i]} {whole[i + 1 : j]} {whole[j + 1 :]}" for i, j in bare_pairs(whole))
    found: dict[Expression, None] = {}
    for each in (whole, *left_out):
        words = re.findall(r"[\w.]+\(|[\w.]+|\*\*|//|[<>]=?|\S", each)
        for start, end in itertools.combinations(range(len(words) + 1), 2):
            moved = [*words[:start], "(", *words[start:end], ")", *words[end:]]
            with contextlib.suppress(ValueError):
                found.setdefault(tidy(parse(" ".join(moved))))
    found.pop(expression, None)
    return sorted(found, key=cost)


def bare_pairs(formula: str) -> Iterator[tuple[int, int]]:
    """Yield the places of each pair of parentheses that is not a call's."""
    opened: list[int] = []
    for i, c in enumerate(formula):
        if c == "(":
            opened.append(i)
        elif c == ")":
            first = opened.pop()
            if not re.search(r"[\w\])]$", formula[:first]):
                yield first, i
