"""The search for a rule: a statement that a student could have typed, with the engine's numbers."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from grader.autograd.rules.candidates import (
    fit_factor,
    forward_edits,
    inputs_of,
    one_edit,
    other_input,
    pieces,
    right_rule,
    two_edits,
)
from grader.autograd.rules.edits import UPSTREAM, RuleEdit, is_gate
from grader.autograd.rules.expressions import (
    UPDATED,
    Expression,
    Points,
    atoms,
    cost,
    negate,
    operands,
    parse,
    parts_of,
    product,
    split_sign,
    substitute_part,
    text,
    tidy,
)
from grader.autograd.rules.observations import (
    Observation,
    ObservationTable,
    Target,
    around,
)
from grader.autograd.rules.operations import KNOWN, Operation
from grader.autograd.rules.tables import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.sandbox import Deadline

FEWEST = 12  # observations, tried and fresh each; with fewer, no rule is reported
# Extra cost of an operator: of two statements with the same numbers, += is preferred.
LATER = {"+=": 0.0, "=": 0.3}
CLOSE = 0.05  # distance of the points on either side of a gate's threshold
CLEARLY = 1e-4  # precision of the test that a gradient before counts


class Rule(msgspec.Struct, frozen=True):
    """A rule of the engine: what it writes to an input (or `out`), and the relations to the right rule.

    `operator` is `+=` or `=`; it is empty if nothing is written. `relations` are keys of `words.RELATIONS`; there are none
    if the difference has no name. A `right` rule is listed only because a wrong one reads the gradient that it wrote.

    >>> Rule("self", "=", ("*", "self.data", "out.grad")).wrote
    'self.grad = self.data * out.grad'
    """

    input: str
    operator: str = ""
    expression: Expression = 0.0
    relations: tuple[str, ...] = ()
    right: bool = False
    like: str = ""  # another operation that has this rule

    @property
    def wrote(self) -> str:
        """The statement in Python; empty if nothing is written."""
        if not self.operator or self.input == "out":
            return self.operator and f"out.data = {text(self.expression)}"
        operator, (sign, rest) = self.operator, split_sign(self.expression)
        if operator == "+=" and sign < 0:
            operator, sign = "-=", 1
        right_side = text(rest if sign > 0 else negate(rest))
        return f"{self.input}.grad {operator} {f'({right_side})' if is_gate(rest) else right_side}"


def read_rules(
    operation: Operation, tried: Sequence[Observation], fresh: Sequence[Observation], deadline: Deadline
) -> list[Rule]:
    """Return the engine's rules that differ from the right ones, in an order in which they can be executed.

    Each was found on `tried` and verified on `fresh`; an input whose statement was not found is missing. If a wrong
    statement reads a gradient that a right one has just written, the right one comes before it, without relations.
    """
    if min(len(tried), len(fresh)) < FEWEST:
        return []
    search = _Search(
        operation, ObservationTable(operation, tried), ObservationTable(operation, fresh), deadline
    )
    return search.forward() + search.backward()


class _Search:
    """The search for the rules of one operation."""

    def __init__(
        self, operation: Operation, tried: ObservationTable, fresh: ObservationTable, deadline: Deadline
    ) -> None:
        self.operation, self.tried, self.fresh, self.deadline = operation, tried, fresh, deadline
        self.both = tried, fresh
        self.unwritten: set[str] = set()  # inputs whose gradient is never written

    def forward(self) -> list[Rule]:
        """Return the statement of the forward pass; none if it is right, or if no statement was found."""
        if self.tried.forward_right and self.fresh.forward_right:
            return []
        out, again = around(self.tried.out), around(self.fresh.out)
        number = out.values[0]
        stages: Iterable[Iterable[RuleEdit]] = self._forward_stages(out)
        if not _varies(out):
            stages = [[RuleEdit(number, ("number",))]] if len(repr(number)) < 8 else []
        found = next(filter(None, (self._verify(stage, (out, again)) for stage in stages)), [])
        return [Rule("out", "=", *best[:2]) for best in found[:1]]

    def _forward_stages(self, out: Target) -> Iterator[Iterable[RuleEdit]]:
        """Yield candidates, the likelier ones first."""
        names = inputs_of(self.operation)
        points = Points([{name: each.before[name] for name in names} for each in self.tried.observations])
        yield forward_edits(self.operation)
        yield filter(self._knows_gates, pieces(self.operation, "out", out, points, self.deadline))
        yield table_of(self.operation, points, forward=True).find(out, points, self.deadline)

    def backward(self) -> list[Rule]:
        """Return the wrong rules that were found, in order of execution, with right rules that must run before them.

        There are none if no order fits.
        """
        names = list(self.operation.rules)
        right = {name for name in names if all(seen.has_right(name) for seen in self.both)}
        idle = {name for name in names if all(seen.is_left_alone(name) for seen in self.both)}
        self.unwritten = idle - right
        statements = [
            Rule(name, "+=", right_rule(self.operation, name), right=True)
            if name in right
            else self._statement(name)
            for name in names
            if name not in self.unwritten
        ]
        order = next(filter(_may_run, itertools.permutations(filter(None, statements))), ())
        written = [  # without right rules whose gradient no later rule reads
            each
            for place, each in enumerate(order)
            for updated in [UPDATED[f"{each.input}.grad"]]
            if not each.right or any(updated in atoms(later.expression) for later in order[place:])
        ]
        return [*(Rule(name, relations=("nothing",)) for name in names if name in self.unwritten), *written]

    def _statement(self, name: str) -> Rule | None:
        """Return the statement that writes an input's gradient, if it was found."""
        operators, own = self._operators(name), f"{name}.grad"
        priors = {grad: around(self.tried.prior(grad)) for grad in self.operation.rules}
        # A gradient with the same value at all points before the rule explains nothing: the engine clears it itself.
        unread = {UPDATED[own], *(f"{each}.grad" for each, prior in priors.items() if not _varies(prior))}
        for stage in zip(*(self._stages(name, operator) for operator in operators), strict=True):
            found = []
            for operator, candidates in zip(operators, stage, strict=True):
                for edit in self._verify(candidates, [seen.target(name, operator) for seen in self.both]):
                    if self._knows_gates(edit) and not unread & {*atoms(edit.expression)}:
                        found.append(Rule(name, operator, *edit[:2]))
                        break
            if found:
                return self._finish(min(found, key=lambda each: cost(each.expression) + LATER[each.operator]))
        return None

    def _stages(self, name: str, operator: str) -> Iterator[Iterable[RuleEdit]]:
        """Yield candidates for the right side of a statement, the likelier ones first."""
        operation, known, target = self.operation, self.tried.points, self.tried.target(name, operator)
        yield self._one_edit(name, operator, target)
        yield two_edits(operation, name)
        yield pieces(operation, name, target, known, self.deadline)
        yield table_of(operation, known).find(target, known, self.deadline)

    def _operators(self, name: str) -> tuple[str, ...]:
        """Return `=` if the rule ignores the earlier gradient, `+=` if it adds to it; otherwise both operators.

        Points that differ only in the earlier gradient decide.
        """
        first: dict[tuple[float, ...], int] = {}
        moved = set()
        prior, after = self.tried.prior(name), self.tried.after[name]
        for place, each in enumerate(self.tried.observations):
            others = {**each.before, f"{name}.grad": 0.0}
            twin = first.setdefault(tuple(others[atom] for atom in sorted(others)), place)
            moves = after[place] - after[twin]
            if prior[twin] != prior[place] and math.isfinite(moves):
                ratio = moves / (prior[place] - prior[twin])
                moved.add("=" if abs(ratio) < CLEARLY else "+=" if abs(ratio - 1) < CLEARLY else "")
        return tuple(moved) if moved in ({"="}, {"+="}) else ("+=", "=")

    def _one_edit(self, name: str, operator: str, target: Target) -> Iterator[RuleEdit]:
        right = right_rule(self.operation, name)
        if operator != "+=":
            yield RuleEdit(right)
        yield from one_edit(self.operation, name)
        factor = fit_factor(self.tried.points.values(right), target)
        if factor not in (None, 1):
            yield RuleEdit(tidy(product(factor, right)), ("factor_added",), 0.5)

    def _verify(self, candidates: Iterable[RuleEdit], targets: Sequence[Target]) -> list[RuleEdit]:
        """Return the candidates that give the engine's numbers at all points, tried and fresh; the simplest first."""
        found = []
        for place, edit in enumerate(candidates):
            if place % 64 == 0:
                self.deadline.check()
            pairs = zip(self.both, targets, strict=True)
            if all(target.agrees(seen.points.values(edit.expression)) for seen, target in pairs):
                found.append(edit)
        return sorted(found, key=lambda edit: cost(edit.expression) + edit.penalty)

    def _knows_gates(self, edit: RuleEdit) -> bool:
        """Return True if points lie close to both sides of each threshold."""
        for gate in filter(is_gate, parts_of(edit.expression)):
            pairs = [zip(*map(seen.points.values, operands(gate)), strict=True) for seen in self.both]
            differences = [one - other for one, other in itertools.chain(*pairs)]
            below = max((each for each in differences if each < 0), default=-math.inf)
            above = min((each for each in differences if each > 0), default=math.inf)
            if not above - below < CLOSE:
                return False
        return True

    def _finish(self, statement: Rule) -> Rule:
        """Return the statement in its usual form, with all its relations."""
        operator, expression = statement.operator, statement.expression
        relations, right = [*statement.relations], right_rule(self.operation, statement.input)
        is_unwritten, other = other_input(statement.input) in self.unwritten, other_input(statement.input)
        if self.operation.binary and self._same(expression, ("+", right, right_rule(self.operation, other))):
            without = [each for each in relations if each != "both_contributions"] or ["term_added"]
            relations = ["both_contributions"] if is_unwritten else without
        own = _computes_with(expression, f"{statement.input}.grad")
        if own:
            changed = operator == "=" or {*relations} & {"upstream_added", "upstream_subtracted"}
            relations = ["own_gradient_changed"] if changed or not relations else relations
        if not relations and expression != right and not {UPSTREAM, *UPDATED} & {*atoms(expression)}:
            relations = ["upstream_missing"]
        if operator == "=" and not own:
            relations.insert(0, "assigned")
            if expression == ("neg", UPSTREAM) and UPSTREAM in (right, negate(right)):
                relations.append("subtracted_assign")
        others = _rules_of_others(self.operation, statement.input) if operator == "+=" else {}
        like = next((name for name, rule in others.items() if self._same(expression, rule)), "")
        relations += ["other_operation"] if like else []
        return replace(statement, relations=tuple(dict.fromkeys(relations)), like=like)

    def _same(self, one: Expression, other: Expression) -> bool:
        known = self.fresh.points
        return around(known.values(one)).agrees(known.values(other))


def _rules_of_others(operation: Operation, name: str) -> dict[str, Expression]:
    """Return the right rules of other known operations with the same inputs, with `out.data` written out."""
    return {
        other.name: substitute_part(right_rule(other, name), "out.data", parse(other.out))
        for other in KNOWN.values()
        if other.name != operation.name
        and other.rules.keys() == operation.rules.keys()
        and other.takes_n == operation.takes_n
    }


def _computes_with(expression: Expression, atom: str) -> bool:
    """Return True if the value computes with an atom: a comparison, or the bare atom under a condition, does not count."""
    if not isinstance(expression, tuple) or is_gate(expression):
        return expression == atom
    is_choice = expression[0] == "if"
    return any(_computes_with(each, atom) for each in expression[1:] if not (is_choice and each == atom))


def _may_run(order: Sequence[Rule]) -> bool:
    """Return True if each statement finds the other input's gradient in the state that it reads: written, or not yet."""
    written: set[str] = set()
    for statement in order:
        read, other = {*atoms(statement.expression)}, f"{other_input(statement.input)}.grad"
        if other in (read & written) or (UPDATED[other] in read and other not in written):
            return False
        written.add(f"{statement.input}.grad")
    return True


def _varies(target: Target) -> bool:
    return not target.agrees([target.values[0]] * len(target.values))
