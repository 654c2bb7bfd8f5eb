"""A slip is found by what it does, in any style of code.

Slips of the engine are made by hand in shapes that no reference has: day 2 with one `_backward` method that
switches on the operation, day 3 with a recursive search over a dictionary. `shapes/NAME.py` is the right submission,
`shapes/patches_NAME.py` turns it into the wrong ones. A few are made in two of `variants/`: with slots and
`functools.partial`, and with generators over a stack of iterators.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from oneslip import grading
from sampled import every
from variety import VARIANTS

from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.report import Report

    Patch = Sequence[tuple[str, str]]

SHAPES = Path(__file__).with_name("shapes")

# The recursive sort stops at Python's limit, as most first answers do; nothing else is wrong with it.
LONG_CHAIN = {"day3_recursive": {"deep_chain"}}

# The slips that no fact tells but a known mistake of the course.
MISTAKES = {"missing_import_math", "value_without_hash"}
# Told by a cause, by the walk that stops there, or by a known mistake: that depends on what else keeps the inputs.
WITHOUT_CHILDREN = {f"value_{operation}_without_children" for operation in ("add", "mul", "tanh")}


@dataclass(frozen=True)
class Shape:
    """A right submission of a day, and the changes that make each slip in it."""

    day: str
    name: str
    few: Mapping[str, Patch] = field(default_factory=dict)  # in one of `variants/`

    @property
    def slips(self) -> Mapping[str, Patch]:
        return self.few or importlib.import_module(f"course.shapes.patches_{self.name}").MISTAKES

    @property
    def right(self) -> str:
        """The submission as it is."""
        if self.few:
            return next(variant for variant in VARIANTS if variant.name == self.name).submission(self.day)
        return (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")

    def source(self, name: str) -> str:
        """Return the source of a wrong submission by its name."""
        source = self.right
        for old, new in self.slips[name]:
            assert source.count(old) == 1, f"{self.name}, {name}: {source.count(old)} times:\n{old}"
            source = source.replace(old, new)
        return source


@dataclass(frozen=True)
class Ran:
    """The result of one submission: failed checks, wrong rules and walks, named mistakes."""

    failing: set[str]
    rules: set[str]
    walks: int
    mistakes: set[str]


PARTIAL = "out._backward = functools.partial(rule, x, y, out)"
SUM = "x.grad += out.grad\n    y.grad += out.grad\n"
BOUND = {
    "add_assigns": [(SUM, SUM.replace("+=", "="))],
    "mul_half_swapped": [("y.grad += out.grad * x.data\n", "y.grad += out.grad * y.data\n")],
    "tanh_slope_from_input": [("(1 + t) * (1 - t)", "1 - self.data**2")],
    "rules_called_at_once": [(PARTIAL, "out._backward = rule(x, y, out)")],
    "rules_stored_on_input": [(PARTIAL, PARTIAL.replace("out.", "x.", 1))],
    "rules_forgotten": [(f"    {PARTIAL}\n", "")],
}
TOPO = "def build_topo(root):\n    return [*finished(root)]\n"
GENERATED = {
    "topo_keeps_list": [
        (TOPO, "def build_topo(root, kept=[]):\n    kept.extend(finished(root))\n    return kept\n")
    ],
    "topo_parents_first": [(TOPO, TOPO.replace(")]", ")][::-1]"))],
    "backward_not_reversed": [("-pair[0]", "pair[0]")],
    "backward_without_seed": [("    root.grad = 1.0\n", "")],
    "value_assigns": [("self.grad += gradient", "self.grad = gradient")],
}
ALL = [
    Shape("day2", "day2_one_method"),
    Shape("day3", "day3_recursive"),
    Shape("day2", "slots_partial", BOUND),
    Shape("day3", "generator_sort", GENERATED),
]


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


@pytest.mark.parametrize("shape", ALL[:2], ids=lambda shape: shape.name)
def test_of_a_right_engine_in_another_shape_nothing_is_reported(shape: Shape) -> None:
    """A right submission has no notes."""
    assert ran(shape, {"right": shape.right}) == {
        "right": Ran(LONG_CHAIN.get(shape.name, set()), set(), 0, set())
    }


OPERATIONS = {"add": {"+"}, "mul": {"*"}, "tanh": {"tanh"}, "rules": {"+", "*"}, "every": {"+", "*", "tanh"}}
OPERATIONS |= {"value_assigns": {"+", "*", "tanh"}}
OPERATIONS |= {name: {"Value"} for name in ("grad_starts_at_one", "value_grad_starts_at_one")}


@pytest.mark.ci
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
        assert told.mistakes <= {"value_without_children"}, name
        assert told.rules or told.walks or told.mistakes, name
    assert {name: told.mistakes for name, told in found.items() if told.mistakes} == {
        name: {name} for name in MISTAKES & found.keys()
    }
    for name in found.keys() - MISTAKES:
        told = found[name]
        rules = OPERATIONS.get(name) or OPERATIONS.get(name.partition("_")[0], set())
        assert told.rules <= rules, name
        assert bool(told.walks) != bool(rules), name
        assert bool(told.rules) == bool(rules), name
