"""Edits of an expression: typical slips in a right rule, each with its relation to the right one.

The relations are one small vocabulary for all operations: the keys of `words.RELATIONS`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.autograd.rules.expressions import (
    COMPARISONS,
    UPDATED,
    Expression,
    atoms,
    cost,
    negated,
    parse,
    product,
    text,
    tidy,
)
from grader.autograd.rules.observations import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.autograd.rules.operations import Operation

UPSTREAM = "out.grad"
SLOPES = (0.01, 0.1, 0.2, -1)  # slopes of a gate that is shut; others are fitted


class RuleEdit(NamedTuple):
    """An expression, its relations to the right rule, and a penalty for unlikely ones."""

    expression: Expression
    relations: tuple[str, ...] = ()
    penalty: float = 0.0


def unique(found: Iterable[RuleEdit]) -> list[RuleEdit]:
    """Return the edits without repetition, the first relation of each expression kept."""
    kept: dict[Expression, RuleEdit] = {}
    for edit in found:
        kept.setdefault(edit.expression, edit)
    return list(kept.values())


def is_gate(expression: Expression) -> bool:
    return isinstance(expression, tuple) and expression[0] in COMPARISONS


def atoms_of(operation: Operation) -> list[str]:
    """Return the atoms that a rule of the operation may read, without the upstream gradient."""
    names = [f"{name}.data" for name in operation.rules] + ["out.data"] + ["n"] * operation.takes_n
    grads = [f"{name}.grad" for name in operation.rules]
    return names + grads + [UPDATED[grad] for grad in grads]


def edits(expression: Expression, operation: Operation) -> Iterator[RuleEdit]:
    """Yield expressions with one edit, anywhere in the expression."""
    yield from _edits_here(expression, operation)
    if not isinstance(expression, tuple):
        return
    for place, operand in enumerate(expression[1:], 1):
        for edit in edits(operand, operation):
            relations = edit.relations
            if expression[0] == "**" and place == 2:
                relations = ("exponent",)
            elif is_gate(expression):
                relations = (_relation_of_gate(operand, edit.expression),)
            elif expression[0] not in {"*", "/", "neg"}:  # only these pass a sign through unchanged
                relations = tuple("sign_inside" if each == "sign" else each for each in relations)
            yield RuleEdit(tidy((*expression[:place], edit.expression, *expression[place + 1 :])), relations)


def _relation_of_gate(old: Expression, new: Expression) -> str:
    if UPSTREAM in atoms(new):
        return "gate_upstream"
    if any(atom.endswith(".grad") or atom in UPDATED.values() for atom in atoms(new)):
        return "gate_own_gradient"
    if "out.data" in atoms(new) and "out.data" not in atoms(old):
        return "gate_output"
    return "gate_threshold"


def _edits_here(expression: Expression, operation: Operation) -> Iterator[RuleEdit]:
    """Yield edits of the outermost operator."""
    if isinstance(expression, str):
        yield from _atom_edits(expression, operation)
    elif not isinstance(expression, tuple):
        yield from _number_edits(expression, operation)
    elif expression[0] in COMPARISONS:
        yield from _gate_edits(expression)
    elif expression[0] == "neg":
        yield RuleEdit(expression[1], ("sign",))
    elif len(expression) == 2:
        yield RuleEdit(expression[1], ("function",))
        others = (
            "math.exp",
            "math.tanh",
            "math.sin",
            "math.cos",
            "math.log",
            "math.sqrt",
            "math.sinh",
            "math.cosh",
        )
        for other in (*others, "math.atan", "abs"):
            yield RuleEdit((other, expression[1]), ("function",))
    elif expression[0] in {"max", "min"}:
        yield RuleEdit(({"max": "min", "min": "max"}[expression[0]], *expression[1:]), ("gate_turned",))
        for operand in expression[1:]:
            yield RuleEdit(operand, ("gate_missing",))
            yield RuleEdit(("abs", operand), ("absolute",))
    elif expression[0] == "if":
        then, condition, otherwise = expression[1:]
        yield RuleEdit(("if", otherwise, condition, then), ("gate_turned",))
        yield RuleEdit(condition, ("number",))
        yield from (RuleEdit(branch, ("gate_missing",)) for branch in (then, otherwise))
    elif len(expression) == 3:
        yield from _binary_edits(expression)
    if not isinstance(expression, int | float):
        for wrapped, relation in wraps(expression, operation):
            yield RuleEdit(wrapped, (relation,))


def _atom_edits(atom: str, operation: Operation) -> Iterator[RuleEdit]:
    for new in (*atoms_of(operation), UPSTREAM):
        if new != atom:
            yield RuleEdit(new, (_relation_of_atoms(atom, new),))
    if atom == "n":
        for sign in "+-":
            yield RuleEdit((sign, atom, 1), ("exponent",))
        yield RuleEdit(2, ("number",))
        yield RuleEdit(3, ("number",))


def _relation_of_atoms(old: str, new: str) -> str:
    if new == UPSTREAM:
        return "upstream_for_value"
    if new.endswith(".grad") or new in UPDATED.values():
        return "gradient_for_value"
    if "n" in (old, new):
        return "exponent_for_value"
    if "out.data" in (old, new):
        return "output_for_input" if new == "out.data" else "input_for_output"
    return "swapped"


def _number_edits(number: float, operation: Operation) -> Iterator[RuleEdit]:
    others: list[Expression] = [0, 1, 2, 3, 0.5, -number]
    others += ["n"] * operation.takes_n
    for other in others:
        if other != number:
            yield RuleEdit(other, ("sign" if other == -number and number else "number",))


def _gate_edits(gate: tuple[Any, ...]) -> Iterator[RuleEdit]:
    name, left, right = gate
    turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[name]
    yield RuleEdit((turned, left, right), ("gate_turned",))
    yield RuleEdit((">=", left, right), ("gate_output",))
    for threshold in THRESHOLDS:
        if threshold != right:
            yield RuleEdit((name, left, threshold), ("gate_threshold",))
            yield RuleEdit((turned, left, threshold), ("gate_turned", "gate_threshold"))
    for atom in (UPSTREAM, "self.grad", UPDATED["self.grad"]):
        relation = "gate_upstream" if atom == UPSTREAM else "gate_own_gradient"
        yield RuleEdit((name, atom, right), (relation,))
        yield RuleEdit((f"{name[0]}=", atom, right), (relation,))
        yield RuleEdit((turned, atom, right), ("gate_turned", relation))
    for slope in SLOPES:
        yield RuleEdit(("if", 1, gate, slope), ("leaky",))
    yield RuleEdit(("neg", left), ("gate_missing", "sign"))


def _binary_edits(expression: tuple[Any, ...]) -> Iterator[RuleEdit]:
    name, left, right = expression
    if name in {"*", "/"}:
        yield RuleEdit(left, ("factor_missing",))
        yield RuleEdit(right if name == "*" else tidy(("/", 1, right)), ("factor_missing",))
    elif name in {"+", "-"}:
        yield RuleEdit(left, ("term_missing",))
        yield RuleEdit(right if name == "+" else negated(right), ("term_missing",))
    elif name == "**":
        yield RuleEdit(left, ("square_missing" if right == 2 else "exponent",))
        if right == 2:
            yield RuleEdit(("abs", left), ("square_missing", "absolute"))
        yield RuleEdit(right, ("factor_missing",))
    for other in ("+", "-", "*", "/", "**", "//"):
        if other != name:
            yield RuleEdit(tidy((other, left, right)), ("operator",))
    if name in {"-", "/", "**", "//"}:
        yield RuleEdit((name, right, left), ("turned",))


def wraps(expression: Expression, operation: Operation) -> Iterator[tuple[Expression, str]]:
    """Yield the expression inside a function, operator or gate, with the relation."""
    yield negated(expression), "sign"
    yield ("abs", expression), "absolute"
    yield ("**", expression, 2), "squared"
    yield ("math.copysign", 1, expression), "sign_only"
    yield ("/", 1, expression), "reciprocal"
    yield ("*", 2, expression), "doubled"
    yield ("/", expression, 2), "halved"
    yield (">", expression, 0), "gate_output"
    yield ("max", 0, expression), "gate_output"
    for function in ("math.exp", "math.tanh", "math.log", "math.sqrt"):
        yield (function, expression), "function"
    if expression != "self.data":
        yield product(expression, "self.data"), "factor_added"
    if operation.takes_n:
        yield ("*", "n", expression), "factor_added"


# Parentheses.


def moved_parentheses(expression: Expression) -> list[Expression]:
    """Return the expressions that result if one pair of parentheses is moved or left out."""
    tokens = re.findall(r"[\w.]+\(|[\w.]+|\*\*|//|[<>]=?|\S", text(expression))
    found: dict[Expression, None] = {}
    for bare in _without_a_pair(tokens):
        for start in range(len(bare)):
            for end in range(start + 1, len(bare) + 1):
                words = [*bare[:start], "(", *bare[start:end], ")", *bare[end:]]
                try:
                    moved = parse(" ".join(words))
                except ValueError:
                    continue
                found.setdefault(tidy(moved))
    found.pop(expression, None)
    return sorted(found, key=cost)


def _without_a_pair(tokens: list[str]) -> Iterator[list[str]]:
    """Yield the tokens as they are, and with each bare pair of parentheses left out."""
    yield tokens
    opened: list[int] = []
    for place, word in enumerate(tokens):
        if word.endswith("("):
            opened.append(place)
        elif word == ")":
            start = opened.pop()
            if tokens[start] == "(":
                yield [*tokens[:start], *tokens[start + 1 : place], *tokens[place + 1 :]]
