"""Facts about wrong rules of arrays: at which check, in which names, with which line of code."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from grader.autograd.arrays.compare import (
    SIDES,
    example_of,
    is_wrong_if_square,
    relations_of,
    shown_formula,
    statement,
)
from grader.autograd.arrays.formulas import SUMMED_FIRST
from grader.autograd.arrays.probe import functions_of, request, wrong_rules
from grader.autograd.arrays.reductions import NONE, RIGHT
from grader.autograd.engine import engine_of
from grader.autograd.facts import FORWARD, ArrayFact
from grader.autograd.lines import Rerun, Written, read_lines, with_lines, written_by
from grader.autograd.placing import WrongAt, is_used, names_in, place_facts, usable
from grader.sandbox import Frame, StudentError, SubmissionStopped, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.autograd.arrays.probe import WrongArrayOperation
    from grader.autograd.arrays.search import Read
    from grader.report import Fact, Location
    from grader.sandbox import Sandbox
    from grader.topic import Failing, TestResult

TRIALS = 6  # in which the jail looks for lines


def explain_arrays(
    failing: Sequence[Failing],
    sandbox: Sandbox,
    operations: Sequence[str],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check about the operations that it used.

    `operations` are the names of those that the assignment has. If no failing test used the engine, the jail is not asked. Raises OutOfTime.
    """
    wanted = [name for name in operations if is_used(failing, name)]
    try:
        with np.errstate(all="ignore"):
            wrong = wrong_rules(sandbox, wanted, operations) if wanted else []
        written = placed_lines(wrong, sandbox)
        first_grad = _first_grad(sandbox) if any(each.found.begins for each in wrong) else None
    except (StudentError, SubmissionStopped, Undefined):
        return {}
    except (KeyError, TypeError, ValueError):  # an answer of another format
        return {}

    def told_at(home: Failing, each: WrongArrayOperation, lines: Written) -> list[Fact]:
        operation = each.found.operation
        names = usable(names_in(home.results, operation.name), two=operation.is_binary)
        of_method = each.found.out or each.found.entries or (each.found.lost and not each.found.readings)
        of_method = of_method or "forward_changes_data" in each.found.memory.values()
        begin = (
            first_grad if each.found.begins else lines.rule if each.rule and not of_method else lines.method
        )
        first = _first_wrong(home.results, names)
        with np.errstate(all="ignore"):
            read_back = [*facts_of(each.found, names, beside=each.beside)]
        told = sorted(read_back, key=lambda fact: fact.names.get("input") != first)
        if _shows_shapes(home.results[0].error):
            told = [*map(_without_example, told)]
        place = locate(begin)
        return [with_lines(fact.fact(place), lines.frames(written_by(fact)), locate) for fact in told]

    placed = [
        WrongAt(each.found.operation.name, each.spoils, functools.partial(told_at, each=each, lines=lines))
        for each, lines in zip(wrong, written, strict=True)
    ]
    return place_facts(failing, placed)


def placed_lines(wrong: Sequence[WrongArrayOperation], sandbox: Sandbox) -> list[Written]:
    """Return the frames of the rule and of the method of each wrong operation, and the lines that wrote its numbers."""
    names = functions_of(sandbox, [each.found.operation.name for each in wrong])
    asked = [Rerun((), each.rule, each.method) for each in wrong]
    return read_lines(sandbox, asked, (names, [request(each.found.operation, TRIALS) for each in wrong]))


def _first_grad(sandbox: Sandbox) -> Frame | None:
    """Return the line of `__init__` that sets the gradient of a new node; without one that of its `def`."""
    engine = engine_of(sandbox)
    (init,) = sandbox.defined([f"{engine.node}.__init__"])
    if init is None:
        return None
    below = sandbox.text_of(init.block).split("\n")[init.line :]
    body = itertools.takewhile(lambda line: not re.match(r"\s*(?:async\s+)?(?:def|class)\b", line), below)
    sets = re.compile(rf"\s*self\.{engine.grad}\s*(?::[^=]*)?=(?!=)")
    at = [i for i, line in enumerate(body, start=init.line + 1) if sets.match(line)]
    return Frame(init.block, at[0], init.function) if len(at) == 1 else init


def _without_example(fact: ArrayFact) -> ArrayFact:
    is_needed = fact.factor or fact.entries or "first_grad" in fact.relations
    return fact if is_needed else replace(fact, shapes="", shape="", had="", error="")


def _shows_shapes(error: BaseException | None) -> bool:
    """Return True if the error names shapes, those of the test: others beside them would say the same once more."""
    return isinstance(error, StudentError) and bool(re.search("shape|broadcast|dimension", error.text))


def _first_wrong(results: Sequence[TestResult], names: Sequence[str]) -> str:
    """Return the input about which the first visible test failed, such as `b` of `b.grad.shape`; "" if it is none."""
    failures = [
        result.failure for result in results if result.test.visibility == "visible" and result.failure
    ]
    labels = [failures[0].readings[0].label] if failures and failures[0].readings else []
    return next((name for label in labels for name in names if label.startswith(f"{name}.")), "")


# --- Facts


def facts_of(found: Read, names: Sequence[str], *, beside: bool = False) -> Iterator[ArrayFact]:
    """Yield the facts about an operation whose operands have these names; `beside` writes its call as a function's."""
    operation = found.operation
    call = (operation.as_function if beside else operation.call).format(*names)
    named: dict[str, Any] = {"call": call, "left": names[0], "right": names[1] if operation.is_binary else ""}
    of: Callable[..., ArrayFact] = functools.partial(ArrayFact, operation.name, **named)
    if found.out:
        yield of(FORWARD, f"out.data = {shown_formula(operation, 0, found.out)}")
    if found.entries:
        *given, out = (f"{each:.5g}" for each in found.entries)
        yield of(FORWARD, entries=tuple(given), had=out)
    if found.lost:
        yield of(SIDES[found.lost[0]], relations=("input_not_kept",), holder=found.lost[1])
    if found.begins:
        node, shape, had = found.begins
        init = f"{node}.__init__"
        yield ArrayFact(init, "self", relations=("first_grad",), shape=shape, had=had, **named)
    for place, note in found.memory.items():
        yield of(SIDES[place], relations=(note,))
    for place, reading in found.readings.items():
        if not reading.write:
            yield of(SIDES[place], symptom=True)
            continue
        has_sum = not operation.broadcasts or reading.core in SUMMED_FIRST
        relations, factor, shapes = relations_of(operation, place, reading)
        example: dict[str, Any] = {"shapes": shapes} if factor else example_of(operation, place, reading)
        is_error = "error" in example and not example["had"]
        yield of(
            SIDES[place],
            statement(operation, place, reading),
            reduction="" if reading.reduction in {RIGHT, NONE if has_sum else ""} else reading.reduction,
            relations=tuple(relations),
            factor=factor,
            square=is_error and is_wrong_if_square(operation, place, reading),
            **example,
        )
