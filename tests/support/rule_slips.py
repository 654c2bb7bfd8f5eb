"""Engines made of statements, and random slips in right rules, for tests of the search."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from typing import TYPE_CHECKING

from grader.autograd.rules.expressions import atoms, parse, text
from grader.autograd.rules.observations import Observation, fresh_points, points
from grader.autograd.rules.operations import KNOWN
from grader.autograd.rules.search import read_rules
from grader.sandbox import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

    from grader.autograd.rules.expressions import Expression
    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.search import Rule

Run = "Callable[[dict[str, float]], tuple[float, dict[str, float]]]"


def engine(
    operation: Operation, *statements: str, out: str = "", rounded: Callable[[float], float] = float
) -> Run:
    """Return an engine in which Python executes the statements; `rounded` is applied to all numbers."""
    forward = compile(out or operation.out, "<forward>", "eval")
    lines = [(line.split(".")[0], compile(line, "<rule>", "exec")) for line in statements]

    def run(row):
        values = {name: SimpleNamespace() for name in ("self", "other", "out")} | {
            "math": math,
            "n": row.get("n"),
        }
        for atom, number in row.items():
            if "." in atom:
                name, attribute = atom.split(".")
                setattr(values[name], attribute, rounded(number))
        values["out"].data = rounded(plain(lambda: eval(forward, values)))
        for name, line in lines:
            values[name].grad = rounded(plain(lambda line=line, name=name: executed(line, values, name)))
        return values["out"].data, {name: values[name].grad for name in operation.rules}

    return run


def executed(line: CodeType, values: dict[str, Any], name: str) -> float:
    exec(line, values)
    return values[name].grad


def plain(compute: Callable[[], float]) -> float:
    """Return a float, NaN where Python raises or the number is complex."""
    try:
        number = compute()
    except (ArithmeticError, ValueError, TypeError):  # a complex number has no order
        return math.nan
    return math.nan if isinstance(number, complex) else float(number)


def observed(run: Run, rows: Sequence[dict[str, float]]) -> list[Observation]:
    return [Observation(row, *run(row)) for row in rows]


def read(operation: Operation | str, *statements: str, run: Run | None = None, out: str = "") -> list[Rule]:
    """Return the rules that are read from an engine of these statements, or from `run`."""
    operation = KNOWN[operation] if isinstance(operation, str) else operation
    run = run or engine(operation, *statements, out=out)
    tried, fresh = observed(run, points(operation)), observed(run, fresh_points(operation))
    return read_rules(operation, tried, fresh, Deadline())


def right(operation: Operation, name: str) -> str:
    """Return the right statement for an input."""
    return f"{name}.grad += {operation.rules[name]}"


# Random slips, made without the search's own edits.

OPERATORS = ["+", "-", "*", "/"]
NUMBERS = [0.5, 1, 2, 3, -1]


def slip(rng: random.Random, operation: Operation) -> tuple[list[str], str]:
    """Return the statements and the forward pass (empty for the right one) of an engine with one or two slips."""
    lines = {name: right(operation, name) for name in operation.rules}
    out = ""
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(lines))
        kind = rng.choice(("rule",) * 6 + ("assign", "twice", "nothing", "minus", "forward", "gradient"))
        if kind == "forward":
            out = text(_changed(rng, parse(operation.out), _values(operation)))
        elif lines[name]:
            lines[name] = _statement(rng, operation, name, kind, lines[name])
    order = list(lines.values())
    rng.shuffle(order)
    return [line for line in order if line], out


def _values(operation: Operation) -> list[str]:
    return [f"{name}.data" for name in operation.rules] + ["n"] * operation.takes_n


def _statement(rng: random.Random, operation: Operation, name: str, kind: str, line: str) -> str:
    target, sign, rule = line.split(" ", 2)
    if kind == "nothing":
        return ""
    if kind == "assign":
        return f"{target} = {rule}"
    if kind == "minus":
        return (
            f"{target} {rng.choice(('-=', '='))} -({rule})" if rng.random() < 0.3 else f"{target} -= {rule}"
        )
    if kind == "twice":
        return f"{target} {sign} 2 * ({rule})"
    grads = [f"{each}.grad" for each in operation.rules]
    known = grads if kind == "gradient" else [*_values(operation), "out.data", "out.grad", *grads]
    return f"{target} {sign} {text(_changed(rng, parse(rule), known))}"


def _changed(rng: random.Random, expression: Expression, known: list[str]) -> Expression:
    """Return the expression with one part replaced: an atom, an operator, a number, a sign, a function."""
    if isinstance(expression, tuple) and rng.random() < 0.7:
        place = rng.randrange(1, len(expression))
        return (*expression[:place], _changed(rng, expression[place], known), *expression[place + 1 :])
    if isinstance(expression, tuple) and expression[0] in OPERATORS and rng.random() < 0.7:
        return rng.choice(
            [
                expression[1],
                expression[2],
                (rng.choice(OPERATORS), *expression[1:]),
                (expression[0], *expression[:0:-1]),
            ]
        )
    if isinstance(expression, str) and rng.random() < 0.7:
        return rng.choice([each for each in known if each != expression] or [expression])
    if isinstance(expression, int | float):
        return rng.choice([each for each in NUMBERS if each != expression])
    wraps = [("neg",), ("abs",), ("math.tanh",), ("math.copysign", 1)]
    return rng.choice([(*wrap, expression) for wrap in wraps] + [("**", expression, 2), (">", expression, 0)])


def reads(line: str) -> set[str]:
    """Return the atoms that a statement reads."""
    return set(atoms(parse(line.split(" ", 2)[2])))
