"""What is wrong is told by what it does, in any style of code.

Submissions that no known mistake is about are references with one edit (tests/support/slip_table.py). Slips of the engine are made in shapes that no reference has (tests/support/shapes.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from judged import grading
from reading import be_patient
from sampled import every
from shapes import ALL
from slip_table import TOLD, told
from told_slips import percent, told_slips, told_ways

from grader.assignment import Course
from grader.render.words import reading_words
from grader.report import Outcome
from grader.topic import READ_BACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapes import Shape

    from grader.report import CheckResult, Report

# The recursive sort stops at Python's limit, as most first answers do; nothing else is wrong with it.
LONG_CHAIN = {"day3_recursive": {"deep_chain"}}

# The slips that are told by Python's own error and a sentence about it.
ERRORS = {"missing_import_math", "value_without_hash"}
# Told by a cause, or by the walk that stops there: that depends on what else keeps the inputs.
WITHOUT_CHILDREN = {f"value_{operation}_without_children" for operation in ("add", "mul", "tanh")}


@dataclass(frozen=True)
class Ran:
    """The result of one submission: failed checks, wrong rules and walks, named mistakes."""

    failing: set[str]
    rules: set[str]
    walks: int
    mistakes: set[str]


def ran(shape: Shape, sources: Mapping[str, str]) -> dict[str, Ran]:
    """Grade sources in the shape in one session."""
    with grading(shape.day) as graded:
        return {name: summed(graded(source)) for name, source in sources.items()}


def summed(report: Report) -> Ran:
    """Return the result in a report."""
    checks = report.checks
    return Ran(
        {check.id for check in checks if check.outcome in {Outcome.FAILED, Outcome.TODO}},
        {rule.operation for check in checks for rule in check.rules},
        sum(check.walk is not None for check in checks),
        {mistake.id for check in checks for mistake in check.mistakes},
    )


@pytest.mark.ci
@pytest.mark.parametrize("shape", ALL[:2], ids=lambda shape: shape.name)
def test_of_a_right_engine_in_another_shape_nothing_is_reported(shape: Shape) -> None:
    """A right submission has no notes."""
    assert ran(shape, {"right": shape.right}) == {
        "right": Ran(LONG_CHAIN.get(shape.name, set()), set(), 0, set())
    }


OPERATIONS = {"add": {"+"}, "mul": {"*"}, "tanh": {"tanh"}, "rules": {"+", "*"}, "every": {"+", "*", "tanh"}}
OPERATIONS |= {"value_assigns": {"+", "*", "tanh"}}
OPERATIONS |= {name: {"Value"} for name in ("grad_starts_at_one", "value_grad_starts_at_one")}


@pytest.mark.whole
@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.name)
def test_each_slip_is_reported_in_another_shape(shape: Shape) -> None:
    """By a rule of its operation and no other, by a walk, or by a mistake of the course: of many every twelfth."""
    slips = every(2 if shape.few else 12, shape.slips)

    found = ran(shape, {name: shape.source(name) for name in slips})

    lost = LONG_CHAIN.get(shape.name, set())
    assert [name for name in slips if not found[name].failing - lost] == []
    for name in WITHOUT_CHILDREN & found.keys():
        told = found.pop(name)
        assert told.rules <= OPERATIONS[name.split("_")[1]], name
        assert told.rules or told.walks, name
    assert [name for name, told in found.items() if told.mistakes] == []
    for name in found.keys() - ERRORS:
        told = found[name]
        rules = OPERATIONS.get(name) or OPERATIONS.get(name.partition("_")[0], set())
        assert told.rules <= rules, name
        assert bool(told.walks) != bool(rules), name
        assert bool(told.rules) == bool(rules), name


# --- By facts, where no known mistake is about it


def facts_of(report: Report) -> Mapping[str, tuple[str, ...]]:
    """Return kind and key of the facts that were read back, by check."""
    facts = {
        check.id: [f"{f.kind} {f.key}" for f in check.facts if f.kind in READ_BACK] for check in report.checks
    }
    return {check: tuple(each) for check, each in facts.items() if each}


@pytest.mark.whole
@pytest.mark.parametrize("day", TOLD)
def test_a_fact_explains_it_and_no_mistake_repeats_it(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At one check; later ones lead there. Of every eighth one."""
    be_patient(monkeypatch)
    wrong = every(8, told(day))

    with grading(day) as graded:
        reports = {each.name: graded(each.source) for each in wrong}

    assert {name: facts_of(report) for name, report in reports.items()} == {
        each.name: {each.first[0]: each.told} for each in wrong
    }
    assert [
        (name, mistake.id)
        for name, report in reports.items()
        for check in report.checks
        for mistake in check.mistakes
    ] == []


# --- By facts, as well as words could


def said(check: CheckResult) -> str:
    """Return what a report says of a check without the words of mistakes."""
    walk = [check.walk.words] if check.walk else []
    rules, readings = [rule.words for rule in check.rules], map(reading_words, check.readings)
    return " ".join([check.message, *rules, *walk, *readings])


@pytest.mark.ci
@pytest.mark.parametrize("day", Course(COURSE).names)
def test_a_fact_tells_a_slip_of_which_no_mistake_has_words(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says it at the check of the table, and names no other mistake. Of every ninth one."""
    be_patient(monkeypatch)
    slips = zip(told_slips(day), told_ways(Course(COURSE).assignment(day)), strict=True)

    with grading(day) as graded:
        found = [(slip, graded(percent(way.blocks))) for slip, way in every(9, [*slips])]

    checks = [
        (slip, next(check for check in report.checks if check.id == slip.check)) for slip, report in found
    ]
    assert [(slip.name, said(check)) for slip, check in checks if slip.told not in said(check)] == []
    assert [(slip.name, m.id) for slip, r in found for check in r.checks for m in check.mistakes] == []
