"""Edits of an expression: what a slip makes of a right rule, each with the relation that it stands in to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from grader.autograd.expressions import (
    COMPARISONS,
    UPDATED,
    Expression,
    NotInLanguage,
    atoms,
    cost,
    negated,
    operands,
    parse,
    product,
    replaced,
    text,
)
from grader.autograd.operations import KNOWN, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UPSTREAM = "out.grad"
THRESHOLDS = (0.5, 1, -1, -0.5, 2, 0.1, 0.01)
SLOPES = (0.01, 0.1, 0.2, 0.05, 0.001, 0.5, -1)

# How a rule that was read differs from the right one.
RELATIONS = {
    "nothing": "the input is left alone",
    "assigned": "= stands where += belongs",
    "subtracted_assign": "=- was typed for -=",
    "multiplied_assign": "*= stands where += belongs",
    "swapped": "one input's value stands where the other's belongs",
    "upstream_missing": "the upstream gradient is not in it",
    "upstream_added": "the upstream gradient is added, not multiplied",
    "upstream_subtracted": "the upstream gradient is subtracted, or subtracted from",
    "upstream_divided": "it is divided by the upstream gradient",
    "upstream_squared": "the upstream gradient is squared",
    "upstream_absolute": "the upstream gradient lost its sign",
    "upstream_sign": "only the sign of the upstream gradient is used",
    "own_gradient_for_upstream": "the input's own gradient stands for the upstream one",
    "other_gradient_for_upstream": "the other input's gradient stands for the upstream one",
    "value_for_upstream": "a value stands for the upstream gradient",
    "local_missing": "the upstream gradient is copied: the local derivative is not in it",
    "sign": "a sign is wrong",
    "doubled": "it is twice what it should be",
    "halved": "it is half of what it should be",
    "output_for_input": "the output's value stands where an input's belongs",
    "input_for_output": "an input's value stands where the output's belongs",
    "gradient_for_value": "an input's gradient stands where a value belongs",
    "upstream_for_value": "the upstream gradient stands where a value belongs",
    "exponent_for_value": "the exponent stands where a value belongs, or the reverse",
    "factor_missing": "a factor is missing",
    "factor_added": "there is a factor too many",
    "term_missing": "a term is missing",
    "term_added": "there is a term too many",
    "both_contributions": "one input gets the contributions of both",
    "operator": "one operator stands for another",
    "turned": "the operands of -, / or ** are exchanged",
    "parentheses": "parentheses are missing or elsewhere",
    "exponent": "the exponent is another one",
    "number": "a number is another one",
    "square_missing": "a square is missing",
    "squared": "there is a square too many",
    "absolute": "a value lost its sign",
    "sign_only": "only the sign of a value is used",
    "reciprocal": "1 / x stands for x, or the reverse",
    "function": "a function is missing, too many or another one",
    "gate_turned": "the comparison is turned round",
    "gate_upstream": "the gate looks at a gradient instead of the input",
    "gate_output": "the gate looks at the output in another way than at the input",
    "gate_threshold": "the gate opens at another number",
    "gate_missing": "there is no gate",
    "leaky": "something passes where the gate is shut",
    "other_operation": "it is exactly the rule of another known operation",
}


class Edit(NamedTuple):
    """An expression and its relations to the right rule."""

    expression: Expression
    relations: tuple[str, ...]


def other_input(name: str) -> str:
    """Return the input that `name` is not."""
    return "other" if name == "self" else "self"


# The local derivative of a rule.


def local_of(rule: Expression) -> Expression | None:
    """Return what stands beside the upstream gradient, or None where the rule is no product with it."""
    if rule == UPSTREAM:
        return 1
    if not isinstance(rule, tuple) or UPSTREAM not in atoms(rule):
        return None
    name, first, *rest = rule
    inside = local_of(first)
    if name == "neg":
        return None if inside is None else negated(inside)
    if name == "*" and inside is None and UPSTREAM not in atoms(first):
        inside = local_of(rest[0])
        return None if inside is None else product(first, inside)
    if name in "*/" and inside is not None and UPSTREAM not in atoms(rest[0]):
        return product(inside, rest[0]) if name == "*" else (name, inside, rest[0])
    return None


def spellings(operation: Operation, name: str) -> list[Expression]:
    """Return the right contribution for an input in the ways in which it is written."""
    return [parse(rule) for rule in (operation.rules[name], *operation.spellings.get(name, ()))]


# Edits of the parts.


def local_edits(operation: Operation, name: str) -> list[Edit]:
    """Return one edit each of the local derivative for an input, without repetition."""
    found = []
    for rule in spellings(operation, name):
        local = local_of(rule)
        if local is None:
            continue
        if local in (1, -1):
            found += list(_edits_of_one(operation, name, local))
        else:
            found += [Edit(1, ("gate_missing" if _is_gate(local) else "local_missing",))]
            found += list(edits(local, operation, name))
    return unique(found)


def _edits_of_one(operation: Operation, name: str, local: Expression) -> Iterator[Edit]:
    """Yield edits of a local derivative that is 1 or -1: what stands in its place."""
    yield Edit(negated(local), ("sign",))
    for atom in _atoms_of(operation):
        relation = "gradient_for_value" if atom.endswith(".grad") else "factor_added"
        for sign in (local, negated(local)):
            signs = () if sign == local else ("sign",)
            yield Edit(product(sign, atom), (relation, *signs))
            for wrap, also in _wraps(atom, operation):
                yield Edit(product(sign, wrap), (relation, also, *signs))
    for number, relation in ((2, "doubled"), (0.5, "halved"), (0, "factor_added")):
        yield Edit(product(local, number), (relation,))


def _is_gate(expression: Expression) -> bool:
    return isinstance(expression, tuple) and expression[0] in COMPARISONS


def _atoms_of(operation: Operation) -> list[str]:
    """Return the atoms that a rule of the operation may read, but the upstream gradient."""
    names = [f"{name}.data" for name in operation.rules] + ["out.data"] + ["n"] * operation.takes_n
    grads = [f"{name}.grad" for name in operation.rules]
    return names + grads + [UPDATED[grad] for grad in grads]


def edits(expression: Expression, operation: Operation, name: str) -> Iterator[Edit]:
    """Yield one edit each, anywhere in the expression; `name` is the input whose rule it is part of."""
    yield from _edits_here(expression, operation)
    if not isinstance(expression, tuple):
        return
    for place, operand in enumerate(expression[1:], 1):
        for edit in edits(operand, operation, name):
            relations = edit.relations
            if expression[0] == "**" and place == 2:  # noqa: PLR2004  the exponent
                relations = ("exponent",)
            elif _is_gate(expression):
                relations = (_relation_of_gate(operand, edit.expression),)
            yield Edit(tidy((*expression[:place], edit.expression, *expression[place + 1 :])), relations)


def _relation_of_gate(old: Expression, new: Expression) -> str:
    if any(atom.endswith(".grad") or atom in UPDATED.values() for atom in atoms(new)):
        return "gate_upstream"
    if "out.data" in atoms(new) and "out.data" not in atoms(old):
        return "gate_output"
    return "gate_threshold"


def tidy(expression: Expression) -> Expression:
    """Return the expression as one writes it: a product with 1, or a minus inside a product, is resolved."""
    if isinstance(expression, tuple):
        if expression[0] == "*":
            return product(expression[1], expression[2])
        if expression[0] == "neg":
            return negated(expression[1])
        if expression[0] == "/" and expression[2] == 1:
            return tidy(expression[1])
        if expression[0] == "/" and isinstance(expression[1], tuple) and expression[1][0] == "neg":
            return negated(("/", expression[1][1], expression[2]))
    return expression


def _edits_here(expression: Expression, operation: Operation) -> Iterator[Edit]:
    """Yield edits of the outermost operator."""
    if isinstance(expression, str):
        yield from _atom_edits(expression, operation)
    elif not isinstance(expression, tuple):
        yield from _number_edits(expression, operation)
    elif expression[0] in COMPARISONS:
        yield from _gate_edits(expression)
    elif expression[0] == "neg":
        yield Edit(expression[1], ("sign",))
    elif len(expression) == 2:  # noqa: PLR2004  a function of one operand
        yield Edit(expression[1], ("function",))
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
            yield Edit((other, expression[1]), ("function",))
    elif expression[0] in {"max", "min"}:
        yield Edit(({"max": "min", "min": "max"}[expression[0]], *expression[1:]), ("gate_turned",))
        for operand in expression[1:]:
            yield Edit(operand, ("gate_missing",))
            yield Edit(("abs", operand), ("absolute",))
    else:
        yield from _binary_edits(expression)
    if not isinstance(expression, int | float):
        for wrapped, relation in _wraps(expression, operation):
            yield Edit(wrapped, (relation,))


def _atom_edits(atom: str, operation: Operation) -> Iterator[Edit]:
    for new in (*_atoms_of(operation), UPSTREAM):
        if new != atom:
            yield Edit(new, (_relation_of_atoms(atom, new),))
    if atom == "n":
        for sign in "+-":
            yield Edit((sign, atom, 1), ("exponent",))
        yield Edit(2, ("number",))
        yield Edit(3, ("number",))


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


def _number_edits(number: float, operation: Operation) -> Iterator[Edit]:
    others = [0, 1, 2, 3, 0.5, -number] + ["n"] * operation.takes_n
    for other in others:
        if other != number:
            yield Edit(other, ("sign" if other == -number and number else "number",))


def _gate_edits(gate: tuple[Any, ...]) -> Iterator[Edit]:
    name, left, right = gate
    turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[name]
    yield Edit((turned, left, right), ("gate_turned",))
    yield Edit((">=", left, right), ("gate_output",))
    for threshold in THRESHOLDS:
        if threshold != right:
            yield Edit((name, left, threshold), ("gate_threshold",))
            yield Edit((turned, left, threshold), ("gate_turned", "gate_threshold"))
    for atom in (UPSTREAM, "self.grad", UPDATED["self.grad"]):
        yield Edit((name, atom, right), ("gate_upstream",))
        yield Edit((turned, atom, right), ("gate_turned", "gate_upstream"))
    for slope in SLOPES:
        yield Edit(("if", 1, gate, slope), ("leaky",))
    for slope in (left, ("neg", left), "out.data"):
        yield Edit(slope, ("gate_missing",))


def _binary_edits(expression: tuple[Any, ...]) -> Iterator[Edit]:
    name, left, right = expression
    if name in {"*", "/"}:
        yield Edit(left, ("factor_missing",))
        yield Edit(right if name == "*" else tidy(("/", 1, right)), ("factor_missing",))
    elif name in {"+", "-"}:
        yield Edit(left, ("term_missing",))
        yield Edit(right if name == "+" else negated(right), ("term_missing",))
    elif name == "**":
        yield Edit(left, ("square_missing" if right == 2 else "exponent",))  # noqa: PLR2004
        yield Edit(right, ("factor_missing",))
    for other in ("+", "-", "*", "/", "**", "//"):
        if other != name:
            yield Edit(tidy((other, left, right)), ("operator",))
    if name in {"-", "/", "**", "//"}:
        yield Edit((name, right, left), ("turned",))


def _wraps(expression: Expression, operation: Operation) -> Iterator[tuple[Expression, str]]:
    """Yield what may be put around an expression, with the relation."""
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


# Whole rules.


def upstream_edits(operation: Operation, name: str) -> list[tuple[str, Expression, tuple[str, ...]]]:
    """Return how the upstream gradient may be brought in wrongly: operator, what stands for it, relation.

    The operator joins the local derivative and it; `""` leaves it out and `" /"` or `" -"` puts it first.
    """
    other = other_input(name)
    own, theirs = f"{name}.grad", f"{other}.grad"
    found: list[tuple[str, Expression, tuple[str, ...]]] = [
        ("", UPSTREAM, ("upstream_missing",)),
        ("*", own, ("own_gradient_for_upstream",)),
        ("+", UPSTREAM, ("upstream_added",)),
        ("-", UPSTREAM, ("upstream_subtracted",)),
        (" -", UPSTREAM, ("upstream_subtracted",)),
        ("/", UPSTREAM, ("upstream_divided",)),
        (" /", UPSTREAM, ("reciprocal",)),
        ("**", UPSTREAM, ("operator",)),
        (" **", UPSTREAM, ("operator",)),
        ("*", ("**", UPSTREAM, 2), ("upstream_squared",)),
        ("*", ("abs", UPSTREAM), ("upstream_absolute",)),
        ("*", ("max", 0, UPSTREAM), ("gate_upstream",)),
        ("*", (">", UPSTREAM, 0), ("gate_upstream", "upstream_missing")),
        ("*", ("math.copysign", 1, UPSTREAM), ("upstream_sign",)),
        ("*", ("math.exp", UPSTREAM), ("function",)),
        ("*", ("math.tanh", UPSTREAM), ("function",)),
        ("*", ("+", 1, UPSTREAM), ("upstream_added",)),
    ]
    if operation.binary:
        found += [("*", grad, ("other_gradient_for_upstream",)) for grad in (theirs, UPDATED[theirs])]
    for atom in (*(f"{each}.data" for each in operation.rules), "out.data"):
        found.append(("*", atom, ("value_for_upstream",)))
    return found


def joined(local: Expression, operator: str, upstream: Expression) -> Expression:
    """Return the local derivative joined with what stands for the upstream gradient."""
    if not operator:
        return local
    if operator == "*":
        return product(local, upstream)
    if operator.startswith(" "):
        return tidy((operator.strip(), upstream, local))
    return tidy((operator, local, upstream))


def one_edit(operation: Operation, name: str) -> list[Edit]:
    """Return the rules that are one edit away from the right one for an input, likelier ones first."""
    found: list[Edit] = []
    for rule in spellings(operation, name):
        local = local_of(rule)
        if local is not None:
            found += [
                Edit(joined(local, how, what), why) for how, what, why in upstream_edits(operation, name)
            ]
            found += _spread(local)
    found += [Edit(product(local, UPSTREAM), relations) for local, relations in local_edits(operation, name)]
    for rule in spellings(operation, name):
        found += edits(rule, operation, name)
        found += [Edit(moved, ("parentheses",)) for moved in moved_parentheses(rule)]
    if operation.binary:
        right, other = (parse(operation.rules[each]) for each in (name, other_input(name)))
        found.append(
            Edit(("-", right, other[1]) if _is_minus(other) else ("+", right, other), ("both_contributions",))
        )  # type: ignore[index]
    return unique(found)


def _is_minus(expression: Expression) -> bool:
    return isinstance(expression, tuple) and expression[0] == "neg"


def _spread(local: Expression) -> Iterator[Edit]:
    """Yield the rule with the parentheses around a sum left out: `1 - out.data**2 * out.grad`."""
    if isinstance(local, tuple) and local[0] in {"+", "-"}:
        yield Edit((local[0], local[1], product(local[2], UPSTREAM)), ("parentheses",))
        yield Edit((local[0], product(local[1], UPSTREAM), local[2]), ("parentheses",))


def two_edits(operation: Operation, name: str) -> Iterator[Edit]:
    """Yield an edit of the local derivative together with one of how the upstream gradient comes in."""
    upstream = upstream_edits(operation, name)
    locals_ = local_edits(operation, name)
    for local, relations in locals_:
        for how, what, why in upstream:
            if not relations[-1].startswith("gradient") or how != "+":
                yield Edit(joined(local, how, what), (*relations, *why))
        yield from (Edit(spread, (*relations, *why)) for spread, why in _spread(local))
    for edit in one_edit(operation, name):
        if "parentheses" in edit.relations or "both_contributions" in edit.relations:
            yield from (
                Edit(twice, (*edit.relations, *why)) for twice, why in edits(edit.expression, operation, name)
            )


def forward_edits(operation: Operation) -> list[Edit]:
    """Return the forward passes that are one edit away from the right one, and those of other operations."""
    found = [
        edit
        for edit in edits(parse(operation.out), operation, "out")
        if set(atoms(edit.expression)) <= _inputs(operation)
    ]
    for other in KNOWN.values():
        if (
            other.name != operation.name
            and other.binary <= operation.binary
            and other.takes_n <= operation.takes_n
        ):
            found.append(Edit(parse(other.out), ("other_operation",)))
    return unique(found)


def _inputs(operation: Operation) -> set[str]:
    return {f"{name}.data" for name in operation.rules} | {"n"}


def rules_of_others(operation: Operation, name: str) -> list[Expression]:
    """Return the right rules of other known operations with the same inputs."""
    return [
        parse(other.rules[name])
        for other in KNOWN.values()
        if other.name != operation.name
        and other.rules.keys() == operation.rules.keys()
        and other.takes_n == operation.takes_n
    ]


def unique(found: Iterable[Edit]) -> list[Edit]:
    """Return the edits without repetition, the first relation of each expression kept."""
    kept: dict[Expression, Edit] = {}
    for edit in found:
        kept.setdefault(edit.expression, edit)
    return list(kept.values())


# Parentheses.


def moved_parentheses(expression: Expression) -> list[Expression]:
    """Return what the text means with one pair of parentheses elsewhere, or with none."""
    tokens = _tokens(text(expression))
    found: dict[Expression, None] = {}
    for bare in _without_a_pair(tokens):
        for start in range(len(bare)):
            for end in range(start + 1, len(bare) + 1):
                words = [*bare[:start], "(", *bare[start:end], ")", *bare[end:]]
                try:
                    moved = parse(" ".join(words))
                except NotInLanguage:
                    continue
                found.setdefault(tidy(moved))
    found.pop(expression, None)
    return sorted(found, key=cost)


def _tokens(written: str) -> list[str]:
    import re

    return re.findall(r"[\w.]+\(|[\w.]+|\*\*|//|[<>]=?|\S", written)


def _without_a_pair(tokens: list[str]) -> Iterator[list[str]]:
    """Yield the tokens as they are, and with each bare pair of parentheses left out."""
    yield tokens
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.endswith("("):
            opened.append(place)
        elif token == ")":
            start = opened.pop()
            if tokens[start] == "(":
                yield [*tokens[:start], *tokens[start + 1 : place], *tokens[place + 1 :]]
