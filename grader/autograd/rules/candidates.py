"""Candidates for a rule: one or two slips in the right rule, two pieces (`a if x > 0 else b`), fitted numbers."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from grader.autograd.rules.edits import (
    UPSTREAM,
    RuleEdit,
    atoms_of,
    edits,
    is_gate,
    moved_parentheses,
    values_of,
    wraps,
)
from grader.autograd.rules.expressions import (
    UPDATED,
    Expression,
    Points,
    atoms,
    join_terms,
    negate,
    parse,
    product,
    substitute_part,
    text,
    tidy,
)
from grader.autograd.rules.observations import THRESHOLDS, Target, has_gate
from grader.autograd.rules.operations import KNOWN, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.sandbox import Deadline

OTHER_SPELLING = 3.0  # the penalty of an edit of a less usual spelling of the right rule
FOR_UPSTREAM = {
    "upstream_missing",
    "own_gradient_for_upstream",
    "other_gradient_for_upstream",
    "value_for_upstream",
}
OTHER_FORWARD = (  # forward passes that students mistake for the right one
    "1 / (1 + math.exp(-self.data))",
    "2**self.data",
    "math.log(1 + math.exp(self.data))",
    "self.data / (1 + abs(self.data))",
    "(math.exp(self.data) + math.exp(-self.data)) / 2",
)


def _cached_edits(generate: Callable[..., Iterator[RuleEdit]]) -> Callable[..., list[RuleEdit]]:
    """Decorate a generator of edits: return a cached list with the first edit for each expression."""

    @functools.cache
    def found(*args: Any) -> list[RuleEdit]:
        kept: dict[Expression, RuleEdit] = {}
        for edit in generate(*args):
            kept.setdefault(edit.expression, edit)
        return list(kept.values())

    return found


def other_input(name: str) -> str:
    """Return the other input."""
    return "other" if name == "self" else "self"


# The local derivative of a rule.


def _local_of(rule: Expression) -> Expression | None:
    """Return the factor of the upstream gradient, or None if the rule is not a product with it."""
    if rule == UPSTREAM:
        return 1
    match rule:
        case ("neg", inner):
            local = _local_of(inner)
            return None if local is None else negate(local)
        case ("*", one, other) if UPSTREAM not in atoms(one):
            local = _local_of(other)
            return None if local is None else tidy(product(one, local))
        case ("*" | "/" as name, one, other) if UPSTREAM not in atoms(other):
            local = _local_of(one)
            return None if local is None else tidy((name, local, other))
    return None


def _spellings(operation: Operation, name: str) -> list[Expression]:
    """Return all spellings of the right contribution for an input, the usual one first."""
    return [tidy(parse(rule)) for rule in (operation.rules[name], *operation.spellings.get(name, ()))]


def right_rule(operation: Operation, name: str) -> Expression:
    """Return the right contribution for an input."""
    return _spellings(operation, name)[0]


def _spell(operation: Operation, name: str) -> list[tuple[Expression, Expression | None, float]]:
    """Return the right contribution in each spelling, with its local derivative and its penalty."""
    rules = enumerate(_spellings(operation, name))
    return [(rule, _local_of(rule), OTHER_SPELLING * bool(place)) for place, rule in rules]


@_cached_edits
def local_edits(operation: Operation, name: str) -> Iterator[RuleEdit]:
    """Yield the local derivatives for an input with one edit."""
    for _, local, penalty in _spell(operation, name):
        if local in (1, -1):
            yield from _edits_of_one(operation, local)
        elif local is not None:
            yield RuleEdit(1, ("gate_missing" if is_gate(local) else "local_missing",))
            yield from (edit._replace(penalty=penalty + edit.penalty) for edit in edits(local, operation))
            yield from (RuleEdit(value, ("value_for_local",)) for value in values_of(operation))


def _edits_of_one(operation: Operation, local: Expression) -> Iterator[RuleEdit]:
    """Yield edits of a local derivative that is 1 or -1: other factors, and other numbers."""
    yield RuleEdit(negate(local), ("sign",))
    for atom in atoms_of(operation):
        for sign, signs in ((local, ()), (negate(local), ("sign",))):
            yield RuleEdit(product(sign, atom), ("factor_added", *signs))
            yield from (
                RuleEdit(product(sign, wrap), ("factor_added", also, *signs), 0.5)
                for wrap, also in wraps(atom, operation)
            )
    numbers = {2: "doubled", 0.5: "halved", 0: "factor_added"}
    yield from (RuleEdit(tidy(product(local, number)), (why,)) for number, why in numbers.items())


# Whole rules.


def _upstream_edits(operation: Operation, name: str) -> list[tuple[str, Expression, tuple[str, ...]]]:
    """Return wrong uses of the upstream gradient: an operator, the expression that replaces the gradient, the relations.

    The operator joins the local derivative and the expression; `""` leaves the expression out, `" /"` and `" -"` put it
    first.
    """
    theirs = f"{other_input(name)}.grad"
    others = (theirs, UPDATED[theirs]) if operation.binary else ()
    return [
        ("", UPSTREAM, ("upstream_missing",)),
        ("*", f"{name}.grad", ("own_gradient_for_upstream",)),
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
        ("*", ("-", 1, UPSTREAM), ("upstream_subtracted",)),
        *(("*", grad, ("other_gradient_for_upstream",)) for grad in others),
        *(("*", value, ("value_for_upstream",)) for value in values_of(operation)),
    ]


def _brought_in(local: Expression, operator: str, upstream: Expression) -> Expression:
    """Return the local derivative joined with the expression that replaces the upstream gradient."""
    if operator in {"", "*"}:
        return product(local, upstream) if operator else local
    first, second = (upstream, local) if operator.startswith(" ") else (local, upstream)
    return join_terms(operator.strip(), first, second)


@_cached_edits
def one_edit(operation: Operation, name: str) -> Iterator[RuleEdit]:
    """Yield the rules that are one edit away from the right rule for an input, likelier ones first."""
    for _, local, penalty in _spell(operation, name):
        if local is not None:
            yield from (
                RuleEdit(_brought_in(local, how, what), why, penalty)
                for how, what, why in _upstream_edits(operation, name)
            )
            yield from (RuleEdit(spread, ("parentheses",), penalty) for spread in _spread(local))
    yield from (
        edit._replace(expression=product(edit.expression, UPSTREAM)) for edit in local_edits(operation, name)
    )
    for rule, _, penalty in _spell(operation, name):
        yield from (edit._replace(penalty=penalty + edit.penalty) for edit in edits(rule, operation))
        yield from (RuleEdit(moved, ("parentheses",), penalty) for moved in moved_parentheses(rule))
        yield from (
            RuleEdit(tidy(substitute_part(rule, "n", each)), ("number",), penalty) for each in (2, 3, 1)
        )
    if operation.binary:
        right, other = right_rule(operation, name), right_rule(operation, other_input(name))
        turned = substitute_part(substitute_part(right, "self.data", "?"), "other.data", "self.data")
        yield RuleEdit(substitute_part(turned, "?", "other.data"), ("swapped",))
        yield RuleEdit(other, ("rule_of_other_input",))
        yield RuleEdit(tidy(("+", right, other)), ("both_contributions",))


def _spread(local: Expression) -> Iterator[Expression]:
    """Yield the rule without the parentheses around a sum: `1 - out.data**2 * out.grad`."""
    if isinstance(local, tuple) and local[0] in {"+", "-"}:
        yield (local[0], local[1], product(local[2], UPSTREAM))
        yield (local[0], product(local[1], UPSTREAM), local[2])


@_cached_edits
def two_edits(operation: Operation, name: str) -> Iterator[RuleEdit]:
    """Yield the rules with an edit of the local derivative and a wrong use of the upstream gradient, and a few others."""
    upstream = _upstream_edits(operation, name)
    usual = [edit for edit in local_edits(operation, name) if edit.penalty < OTHER_SPELLING]
    for local, relations, penalty in usual:
        yield from (
            RuleEdit(_brought_in(local, how, what), _together(relations, why), penalty)
            for how, what, why in upstream
        )
        yield from (RuleEdit(spread, (*relations, "parentheses"), penalty) for spread in _spread(local))
    for edit in one_edit(operation, name):
        if not edit.penalty and {"parentheses", "both_contributions"} & set(edit.relations):
            yield from (twice._replace(relations=()) for twice in edits(edit.expression, operation))


def _together(local: tuple[str, ...], upstream: tuple[str, ...]) -> tuple[str, ...]:
    """Return the relations that hold for two edits together."""
    if local == ("local_missing",):
        return ("factor_missing", *upstream)
    if local == ("value_for_local",) and not set(upstream) <= FOR_UPSTREAM:
        return ()
    return (*local, *upstream)


@_cached_edits
def forward_edits(operation: Operation) -> Iterator[RuleEdit]:
    """Yield forward passes that are one edit away from the right one, and the forward passes of other operations."""
    right = parse(operation.out)
    yield from (each for each in edits(right, operation) if {*atoms(each.expression)} <= inputs_of(operation))
    yield from (RuleEdit(moved, ("parentheses",)) for moved in moved_parentheses(right))
    for other in KNOWN.values():
        fits = other.binary <= operation.binary and other.takes_n <= operation.takes_n
        if fits and other.name != operation.name:
            yield RuleEdit(parse(other.out), ("other_operation",))
    yield from (RuleEdit(parse(formula), ("function",)) for formula in OTHER_FORWARD)


def inputs_of(operation: Operation) -> set[str]:
    """Return the atoms that a forward pass reads."""
    return {f"{name}.data" for name in operation.rules} | ({"n"} if operation.takes_n else set())


# --- Rules with two pieces, `a if x > 0 else b`, and fitted numbers: `0.3 * out.grad`


FEWEST = 5  # points on each side of a condition
EXACT = 1e-5


def nice(number: float) -> float | None:
    """Return the number rounded to three digits if that is nearly equal, else None.

    >>> nice(0.29999999), nice(0.123456)
    (0.3, None)
    """
    if not math.isfinite(number) or number == 0:
        return None
    rounded = float(f"{number:.3g}")
    return rounded if abs(rounded - number) <= EXACT * abs(number) else None


def pieces(
    operation: Operation, name: str, target: Target, points: Points, deadline: Deadline
) -> Iterator[RuleEdit]:
    """Yield rules with one formula where a value is above a threshold, and another elsewhere.

    `name` is an input, or `out` for the forward pass.
    """
    parts = _forward_parts(operation) if name == "out" else _parts(operation, name)
    gated = has_gate(operation)
    for condition, above, below in _conditions(operation, points, gated=gated):
        deadline.check()
        then = _piece(parts, target, points, above)
        otherwise = None if then is None else _piece(parts, target, points, below)
        if then is None or otherwise in (None, then):
            continue
        chosen = _join_pieces(then, condition, otherwise, gated=gated)
        relations: tuple[str, ...] = ()
        if name != "out" and not gated:
            relations = ("sign_only",) if "math.copysign" in text(chosen) else ("gate_added",)
        elif name != "out" and right_rule(operation, name) == ("*", condition, UPSTREAM):
            relations = ("leaky",) * (then == UPSTREAM and UPSTREAM in atoms(otherwise))
        yield RuleEdit(chosen, relations)


def _parts(operation: Operation, name: str) -> list[Expression]:
    """Return the expressions that a piece may be a multiple of, likelier ones first."""
    right, values = right_rule(operation, name), values_of(operation)
    parts: list[Expression] = [
        *(UPSTREAM, right, 1 if (local := _local_of(right)) is None else local, 1),
        *(product(value, UPSTREAM) for value in values),
        *values,
        *(f"{each}.grad" for each in operation.rules),
        *(("max", 0, UPSTREAM), ("**", UPSTREAM, 2)),
    ]
    return [part for part in dict.fromkeys(parts) if not is_gate(part)]


def _forward_parts(operation: Operation) -> list[Expression]:
    """Return the expressions that a piece of a forward pass may be a multiple of, likelier ones first."""
    inputs = sorted(inputs_of(operation))
    exps: list[Expression] = [("math.exp", each) for each in inputs]
    others = (form for each in inputs for form in (("**", each, 2), ("math.tanh", each)))
    return [*inputs, parse(operation.out), 1, *exps, *(("-", each, 1) for each in exps), *others]


def _conditions(
    operation: Operation, points: Points, *, gated: bool
) -> Iterator[tuple[tuple[Any, ...], list[int], list[int]]]:
    """Yield conditions, each with the points where it holds and the other points; no two divide the points alike."""
    known = set()
    atoms = [*values_of(operation)[:-1], UPSTREAM, "out.data", *["n"] * operation.takes_n]
    for atom in filter(points.atoms.__contains__, atoms):
        numbers = [*enumerate(points.values(atom))]
        for threshold in (0, *(THRESHOLDS if gated and atom == "self.data" else (0.5, 1, -1))):
            above = [place for place, number in numbers if number > threshold]
            below = [place for place, number in numbers if not number > threshold]
            if min(len(above), len(below)) >= FEWEST and tuple(above) not in known:
                known.add(tuple(above))
                yield (">", atom, threshold), above, below


def _piece(
    parts: Sequence[Expression], target: Target, points: Points, places: list[int]
) -> Expression | None:
    """Return an expression with the values at these points: 0, one of the parts, or a multiple of one."""
    here = Target(*([column[place] for place in places] for column in target))
    if here.agrees([0.0] * len(places)):
        return 0
    for part in parts:
        values = points.values(part)
        if (factor := fit_factor([values[place] for place in places], here)) is not None:
            return tidy(product(factor, part))
    return None


def fit_factor(values: list[float], target: Target) -> float | None:
    """Return the number that multiplies all values to those of the target, or None."""
    for value, wanted, tolerance in zip(values, target.values, target.tolerances, strict=True):
        if abs(wanted) > 100 * tolerance and value:
            factor = nice(wanted / value)
            fits = factor is not None and target.agrees([factor * each for each in values])
            return factor if fits else None
    return None


def _join_pieces(
    then: Expression, condition: tuple[Any, ...], otherwise: Expression, *, gated: bool
) -> Expression:
    """Return the two pieces as one expression, with a common upstream gradient as the last factor.

    Opposite pieces become an absolute value, or a product with the sign.
    """
    _, atom, threshold = condition
    if otherwise == 0:
        return product(condition, then)
    if then == 0:
        return product(("<", atom, threshold), otherwise)
    first, second = _local_of(then), _local_of(otherwise)
    if first is None or second is None:
        return ("if", then, condition, otherwise)
    if not gated and threshold == 0 and first == negate(second):
        sized = ("abs", atom) if first == atom else product(first, ("math.copysign", 1, atom))
        return tidy(("*", sized, UPSTREAM))
    return ("*", ("if", first, condition, second), UPSTREAM)
