"""The statement that wrote a wrong number is told, or none: real engines in a real jail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import slipped
from reading import ALL, PATIENCE, edited
from sampled import WHOLE

from grader.autograd.rules.explain import facts_of, placed_lines
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.wrong import read_wrong
from grader.manifest import Limits
from grader.report import Fact, Location
from grader.sandbox import Deadline, Frame, Launcher, Sandbox

if TYPE_CHECKING:
    from collections.abc import Sequence


def at(frame: Frame | None) -> Location | None:
    return frame and Location("x.py", None, frame.line, "", frame.function)


def told(launcher: Launcher, source: str, operations: Sequence[str] = ALL) -> list[tuple[Fact, list[str]]]:
    """Return the facts about an engine, each with the texts of its lines."""
    box = Sandbox(launcher, [source], Limits(), ["numpy"], deadline=Deadline(PATIENCE))
    lines = source.split("\n")
    try:
        with box.explaining():
            wrong = read_wrong(box, operations_of(operations))
            placed = zip(wrong, placed_lines(wrong, box), strict=True)
            facts = [fact for each, written in placed for fact in facts_of(each, (), written, at)]
    finally:
        box.close()
    return [
        (fact, [lines[one.line - 1].strip() for one in [fact.where, *fact.more] if one]) for fact in facts
    ]


CHUNKS = [
    range(8),
    *(
        pytest.param(range(first, first + 20), marks=pytest.mark.ci)
        for first in range(8, 208 if WHOLE else 28, 20)
    ),
]


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_of_random_slips_the_edited_line_is_told_or_none(launcher: Launcher, seeds: range) -> None:
    """What is told is the line of a `def`, or has the edited statement in it."""
    wrong, seen = [], 0
    for seed in seeds:
        shape, rules = slipped.drawn(seed)
        by_name = {each.name: each for each in rules}
        for fact, lines in told(launcher, slipped.engine(rules, shape)):
            of = by_name[fact.about]
            if not lines or lines[0].startswith("def "):
                continue
            seen += 1
            if of.slip == "forward":
                right = any(of.forward in line for line in lines)
            elif of.slip in slipped.CAUSES and of.slip != "data":
                right = any("_backward" in line for line in lines)
            elif shape == "local":
                right = any(line.startswith("out._local_grads = ") for line in lines)
            else:
                right = of.lines[str(fact.get("input"))] in lines
            wrong += [] if right else [f"seed {seed}: {of}, told {lines}"]
    assert wrong == []
    assert seen > len(seeds) // 2


PRODUCT = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
SELF = "self.grad += self.data * out.grad"
OTHER = "other.grad += self.data * out.grad"
HEAD = "        def _backward():\n            "

# What stands in the rule of `*` instead, and the lines that are told.
STYLES = {
    "a name in between": (
        f"part = self.data * out.grad\n            self.grad += part\n            {OTHER}",
        ["part = self.data * out.grad", "self.grad += part"],
    ),
    "a swap": (
        "a, b = other, self\n            a.grad += a.data * out.grad\n            b.grad += b.data * out.grad",
        ["a, b = other, self", "b.grad += b.data * out.grad"],
    ),
    "a loop": (
        "for node, slope in ((self, self.data), (other, self.data)):\n                node.grad += slope * out.grad",
        ["for node, slope in ((self, self.data), (other, self.data)):", "node.grad += slope * out.grad"],
    ),
    "a branch": (
        f"if self.data > 0:\n                {SELF}\n            else:\n                self.grad += other.data * out.grad\n            {OTHER}",
        ["if self.data > 0:", SELF, "self.grad += other.data * out.grad"],
    ),
    "an early return": (
        f"{OTHER}\n            if self.data < 0:\n                return\n            self.grad += other.data * out.grad",
        ["if self.data < 0:", "self.grad += other.data * out.grad"],
    ),
    "twice": (
        f"self.grad += other.data * out.grad\n            {OTHER}\n            self.grad += out.grad",
        ["self.grad += other.data * out.grad", "self.grad += out.grad"],
    ),
    "several lines": (
        f"self.grad += (\n                self.data\n                * out.grad\n            )\n            {OTHER}",
        ["self.grad += ("],
    ),
    "a helper": (
        f"def add(node, number):\n                node.grad += number\n            add(self, self.data * out.grad)\n            {OTHER}",
        ["add(self, self.data * out.grad)"],
    ),
    "no trace": (
        f"import sys; sys.settrace(None)\n            {SELF}\n            {OTHER}",
        ["def _backward():"],
    ),
    "its own trace": (
        f"import sys; sys.settrace(lambda *_: None)\n            {SELF}\n            {OTHER}",
        ["def _backward():"],
    ),
    "many steps": (
        f"for _ in range(1000):\n                pass\n            {SELF}\n            {OTHER}",
        ["def _backward():"],
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_lines_that_share_a_wrong_number_are_told_together(launcher: Launcher, style: str) -> None:
    """Of more than three none is told, nor where not all was seen."""
    source, lines = STYLES[style]
    engine = edited("day2", (PRODUCT, source))

    (found,) = [each for fact, each in told(launcher, engine, ["+", "*"]) if fact.get("input") == "self"]

    assert found == lines
