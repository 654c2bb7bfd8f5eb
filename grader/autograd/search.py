"""Reading a rule back: the statement that a student could have typed and that gives the engine's numbers."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.edits import (
    RELATIONS,
    Edit,
    forward_edits,
    one_edit,
    other_input,
    rules_of_others,
    two_edits,
)
from grader.autograd.expressions import UPDATED, Expression, Points, atoms, cost, negated, parse, text, value
from grader.autograd.points import fresh_points, points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.autograd.expressions import Vector
    from grader.autograd.operations import Operation
    from grader.sandbox import Deadline

__all__ = ["RELATIONS", "Observation", "Rule", "execute", "fresh_points", "points", "read_rules"]

PRECISION = 1e-5  # relative: float32 is silent
OF_PRIOR = 1e-6  # how exactly the gradient before is known in the gradient after, relative
FEWEST = 12  # observations, tried and fresh each, without which nothing is told


@dataclass(frozen=True)
class Observation:
    """One application of an operation, read from the engine.

    `before` holds `self.data`, `out.grad`, `self.grad` and, where they apply, `other.data`, `other.grad`, `n`;
    `out` is what the forward pass gave, `after` the gradient of each input after `_backward`.
    """

    before: Mapping[str, float]
    out: float
    after: Mapping[str, float]


@dataclass(frozen=True)
class Rule:
    """A rule of the engine's: an input (or `out`), the statement that computes it, how it differs.

    `wrote` is empty where nothing is written. `relations` are keys of RELATIONS; a right rule has none.
    """

    input: str
    wrote: str
    relations: tuple[str, ...] = ()


class _Target(NamedTuple):
    """Values to be found, and how far off each may be."""

    values: Vector
    tolerances: Vector

    def agrees(self, found: Vector) -> bool:
        """Return True if each value is met; not a number meets not a number alone."""
        for got, wanted, tolerance in zip(found, self.values, self.tolerances, strict=True):
            if not abs(got - wanted) <= tolerance and (math.isfinite(got) or math.isfinite(wanted)):
                return False
        return True


class _Statement(NamedTuple):
    """A statement about one input: its operator (`+=`, `=` or `*=`) and its right side."""

    input: str
    operator: str
    expression: Expression
    relations: tuple[str, ...]

    @property
    def wrote(self) -> str:
        operator, expression = self.operator, self.expression
        if operator == "+=" and isinstance(expression, tuple) and expression[0] == "neg":
            operator, expression = "-=", expression[1]
        return f"{self.input}.grad {operator} {text(expression)}"

    def after(self, seen: _Seen) -> Vector:
        """Return the input's gradient after the statement."""
        found = seen.points.values(self.expression)
        if self.operator == "=":
            return found
        return seen.points.apply(self.operator[0], seen.points.values(f"{self.input}.grad"), found)


def read_rules(
    operation: Operation, tried: Sequence[Observation], fresh: Sequence[Observation], deadline: Deadline
) -> list[Rule]:
    """Return the engine's rules that differ from the right ones, in an order in which they may be executed.

    Each was found on `tried` and verified on `fresh`; one that was not found has no rule. Where a wrong statement
    reads a gradient that a right one has just written, the right one stands before it, without relations.
    """
    if min(len(tried), len(fresh)) < FEWEST:
        return []
    search = _Search(operation, _Seen(operation, tried), _Seen(operation, fresh), deadline)
    return search.forward() + search.backward()


def execute(rules: Iterable[Rule], operation: Operation, row: Mapping[str, float]) -> dict[str, float]:
    """Execute the statements in order at one point, right ones where an input has none; return all values.

    `row` is as in `Observation.before`.
    """
    state = dict(row)
    written = {rule.input: rule for rule in rules}
    forward = written.get("out")
    state["out.data"] = value(parse(forward.wrote.split(" = ", 1)[1] if forward else operation.out), state)
    for rule in written.values():
        if rule.input != "out" and rule.wrote:
            target, operator, right = rule.wrote.split(" ", 2)
            state[target] = _assign(state[target], operator, value(parse(right), state))
    for name in operation.rules.keys() - written.keys():
        state[f"{name}.grad"] += value(parse(operation.rules[name]), state)
    return state


def _assign(old: float, operator: str, new: float) -> float:
    if operator == "*=":
        return old * new
    return {"=": 0.0}.get(operator, old) + (-new if operator == "-=" else new)


class _Seen:
    """Observations as columns: the atoms at each point, the output, the gradients after."""

    def __init__(self, operation: Operation, observations: Sequence[Observation]) -> None:
        self.observations = observations
        self.out = [float(each.out) for each in observations]
        self.after = {
            name: [float(each.after.get(name, math.nan)) for each in observations] for name in operation.rules
        }
        self.before = Points([each.before for each in observations])
        self.right_out = self.before.values(parse(operation.out))
        self.forward_right = _around(self.right_out, [0.0] * len(self.out), PRECISION).agrees(self.out)
        rows = []
        for place, each in enumerate(observations):
            out = self.right_out[place] if self.forward_right else each.out
            updated = {UPDATED[f"{name}.grad"]: self.after[name][place] for name in operation.rules}
            rows.append({**each.before, "out.data": out, **updated})
        self.points = Points(rows)

    def prior(self, name: str) -> Vector:
        return self.points.values(f"{name}.grad")

    def assigned(self, name: str) -> _Target:
        """What the right side of `=` is."""
        return _around(self.after[name], self.prior(name), OF_PRIOR * 0)

    def added(self, name: str) -> _Target:
        """What the right side of `+=` is."""
        added = [new - old for new, old in zip(self.after[name], self.prior(name), strict=True)]
        return _around(added, self.prior(name), OF_PRIOR)


def _around(values: Vector, priors: Vector, of_prior: float) -> _Target:
    """Return values as a target: PRECISION relative, and what was lost by adding them to something larger."""
    tolerances = [
        PRECISION * abs(wanted) + of_prior * abs(prior) + 1e-12
        for wanted, prior in zip(values, priors, strict=True)
    ]
    return _Target(values, tolerances)


class _Search:
    """The search for the rules of one operation."""

    def __init__(self, operation: Operation, tried: _Seen, fresh: _Seen, deadline: Deadline) -> None:
        self.operation, self.tried, self.fresh, self.deadline = operation, tried, fresh, deadline

    def forward(self) -> list[Rule]:
        """Return the forward pass, if it is wrong and was found."""
        if self.tried.forward_right and self.fresh.forward_right:
            return []

        def verified(edit: Edit) -> bool:
            return all(
                _around(seen.out, seen.out, 0).agrees(seen.before.values(edit.expression))
                for seen in (self.tried, self.fresh)
            )

        best = _simplest(filter(verified, self._watched(forward_edits(self.operation))))
        return [Rule("out", f"out.data = {text(best.expression)}", best.relations)] if best else []

    def backward(self) -> list[Rule]:
        """Return the rules of the inputs that are wrong and were found, in order of execution."""
        found: dict[str, _Statement | None] = {}
        for name in self.operation.rules:
            if self._is_right(name):
                found[name] = _Statement(name, "+=", parse(self.operation.rules[name]), ())
            elif not self._is_left_alone(name):
                found[name] = self._statement(name)
        wrong_alone = [name for name in self.operation.rules if name not in found]
        rules = [Rule(name, "", ("nothing",)) for name in wrong_alone]
        return rules + self._in_order([statement for statement in found.values() if statement is not None])

    def _is_right(self, name: str) -> bool:
        """Return True if the right contribution was added, with the output as it is or as it should be."""
        rule = parse(self.operation.rules[name])
        return all(
            any(self._right_at(seen, table.values(rule), name) for table in self._outputs(seen))
            for seen in (self.tried, self.fresh)
        )

    def _outputs(self, seen: _Seen) -> Iterator[Points]:
        yield seen.points
        if not seen.forward_right:
            rows = [
                {**each.before, "out.data": out}
                for each, out in zip(seen.observations, seen.right_out, strict=True)
            ]
            yield Points(rows)

    def _right_at(self, seen: _Seen, contribution: Vector, name: str) -> bool:
        wanted = seen.points.apply("+", seen.prior(name), contribution)
        sizes = [abs(old) + abs(new) for old, new in zip(seen.prior(name), contribution, strict=True)]
        return _Target(wanted, [PRECISION * size for size in sizes]).agrees(seen.after[name])

    def _is_left_alone(self, name: str) -> bool:
        return all(seen.after[name] == seen.prior(name) for seen in (self.tried, self.fresh))

    def _statement(self, name: str) -> _Statement | None:
        """Return the statement that writes an input's gradient."""
        operators = self._operators(name)
        for candidates in (self._one_edit, self._two_edits):
            found = [
                _Statement(name, operator, *edit)
                for operator in operators
                if (edit := _simplest(self._verified(candidates(name, operator), name, operator)))
            ]
            if found:
                best = min(found, key=lambda each: cost(each.expression))
                return best._replace(relations=self._relations(best))
        return None

    def _operators(self, name: str) -> tuple[str, ...]:
        """Return `=` where the gradient before has no say, `+=` where it is added, both where that is not known."""
        places: dict[tuple[tuple[str, float], ...], int] = {}
        answers = set()
        for place, each in enumerate(self.tried.observations):
            key = tuple(sorted((atom, number) for atom, number in each.before.items() if atom not in UPDATED))
            twin = places.setdefault(key, place)
            after, prior = self.tried.after[name], self.tried.prior(name)
            if twin != place and prior[twin] != prior[place]:
                moved = (after[place] - after[twin]) / (prior[place] - prior[twin])
                answers.add(
                    next(
                        (operator for operator, ratio in (("=", 0), ("+=", 1)) if abs(moved - ratio) < 1e-4),
                        "",
                    )
                )  # noqa: PLR2004
        return ("+=", "=") if len(answers) != 1 or "" in answers else tuple(answers)

    def _one_edit(self, name: str, operator: str) -> Iterator[Edit]:
        if operator == "=":
            yield Edit(parse(self.operation.rules[name]), ())
        yield from one_edit(self.operation, name)

    def _two_edits(self, name: str, operator: str) -> Iterator[Edit]:  # noqa: ARG002  as `_one_edit`
        return two_edits(self.operation, name)

    def _verified(self, candidates: Iterable[Edit], name: str, operator: str) -> Iterator[Edit]:
        """Yield the candidates that give the engine's numbers at all points, tried and fresh."""
        tried, fresh = (
            seen.assigned(name) if operator == "=" else seen.added(name) for seen in (self.tried, self.fresh)
        )
        own = UPDATED[f"{name}.grad"]
        for edit in self._watched(candidates):
            if own in atoms(edit.expression):
                continue
            if tried.agrees(self.tried.points.values(edit.expression)) and fresh.agrees(
                self.fresh.points.values(edit.expression)
            ):
                yield edit

    def _watched(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Yield the edits that read what the operation has, and look at the clock."""
        known = set(self.tried.points.atoms)
        for place, edit in enumerate(edits):
            if place % 64 == 0:
                self.deadline.check()
            if known.issuperset(atoms(edit.expression)):
                yield edit

    def _relations(self, statement: _Statement) -> tuple[str, ...]:
        """Return the relations of a statement to the right rule."""
        relations = list(statement.relations)
        minus = isinstance(statement.expression, tuple) and statement.expression[0] == "neg"
        right = parse(self.operation.rules[statement.input])
        if statement.operator == "=":
            relations.insert(0, "assigned")
            if minus and (right == statement.expression or negated(right) == statement.expression):
                relations.append("subtracted_assign")
        if statement.operator == "+=" and any(
            self._same(statement.expression, rule)
            for rule in rules_of_others(self.operation, statement.input)
        ):
            relations.append("other_operation")
        return tuple(dict.fromkeys(relations))

    def _same(self, one: Expression, other: Expression) -> bool:
        known = self.fresh.points
        return _around(known.values(one), [0.0] * known.count, 0).agrees(known.values(other))

    def _in_order(self, statements: Sequence[_Statement]) -> list[Rule]:
        """Return the wrong statements, and right ones that they read after, in order; none if there is no order."""
        for order in itertools.permutations(statements):
            written: set[str] = set()
            fits = True
            for statement in order:
                read = set(atoms(statement.expression))
                other = f"{other_input(statement.input)}.grad"
                fits &= (UPDATED[other] in read) <= (other in written) and (other in read) <= (
                    other not in written
                )
                written.add(f"{statement.input}.grad")
            if fits:
                return [Rule(each.input, each.wrote, each.relations) for each in _needed(order)]
        return []


def _needed(order: Sequence[_Statement]) -> list[_Statement]:
    """Leave out the right statements that no later one reads."""
    return [
        each
        for place, each in enumerate(order)
        if each.relations
        or any(UPDATED[f"{each.input}.grad"] in atoms(later.expression) for later in order[place:])
    ]


def _simplest(found: Iterable[Edit]) -> Edit | None:
    """Return the edit that is easiest to read; of equal ones the first."""
    return min(found, key=lambda edit: cost(edit.expression), default=None)
