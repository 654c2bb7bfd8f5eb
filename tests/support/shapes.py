"""Slips of the engine, made by hand in shapes that no reference has.

Day 2 with one `_backward` method that switches on the operation, day 3 with a recursive search over a dictionary:
`course/shapes/NAME.py` is the right submission, `course/shapes/patches_NAME.py` turns it into the wrong ones. A few are
made in two of `course/variants/`: with slots and `functools.partial`, and with generators over a stack of iterators.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from slip_table import Edit, changed
from variety import VARIANTS

SHAPES = Path(__file__).resolve().parents[1] / "course" / "shapes"
Patch = Sequence[Edit]


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
            return VARIANTS[self.name].submission(self.day)
        return (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")

    def source(self, name: str) -> str:
        """Return the source of a wrong submission by its name."""
        return changed(self.right, self.slips[name])


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
