"""The statement that wrote a wrong number is told, or none: real engines in a real jail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import array_engines as engines
import pytest
import slipped
from helpers import reference
from reading import ALL, PATIENCE, be_patient, edited, graded
from sampled import WHOLE

from grader.autograd.arrays import explain as of_arrays
from grader.autograd.arrays.operations import DEFAULT
from grader.autograd.arrays.probe import wrong_rules
from grader.autograd.lines import written_by
from grader.autograd.rules.explain import _placed_lines, facts_of
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.wrong import read_wrong
from grader.manifest import Limits
from grader.report import Fact, Location
from grader.sandbox import Deadline, Frame, Launcher, Sandbox

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.autograd.facts import ArrayFact
    from grader.autograd.lines import OperationLines


def at(frame: Frame | None) -> Location | None:
    return frame and Location("x.py", None, frame.line, "", frame.function)


def told(launcher: Launcher, source: str, operations: Sequence[str] = ALL) -> list[tuple[Fact, list[str]]]:
    """Return the facts about an engine, each with the texts of its lines."""
    box = Sandbox(launcher, [source], Limits(), ["numpy"], deadline=Deadline(PATIENCE))
    lines = source.split("\n")
    try:
        with box.explaining():
            wrong = read_wrong(box, operations_of(operations))
            placed = zip(wrong, _placed_lines(wrong, box), strict=True)
            facts = [fact for each, written in placed for fact in facts_of(each, (), written, at)]
    finally:
        box.close()
    return [
        (
            fact,
            [lines[line - 1].strip() for line in sorted(one.line for one in [fact.where, *fact.more] if one)],
        )
        for fact in facts
    ]


CHUNKS = [
    range(8),
    *(
        pytest.param(range(first, first + 20), marks=pytest.mark.ci)
        for first in range(8, 208 if WHOLE else 28, 20)
    ),
]


@pytest.mark.ci
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


@pytest.mark.whole
@pytest.mark.parametrize("style", STYLES)
def test_lines_that_share_a_wrong_number_are_told_together(launcher: Launcher, style: str) -> None:
    """Of more than three none is told, nor where not all was seen."""
    source, lines = STYLES[style]
    engine = edited("day2", (PRODUCT, source))

    (found,) = [each for fact, each in told(launcher, engine, ["+", "*"]) if fact.get("input") == "self"]

    assert found == lines


# What stands in a day's walk or sort instead, and the lines that are told.
SORT = (text := reference("day3"))[text.index("    order = []\n") : text.index("    return order")]
SEARCH = """    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            {before}
            for child in node._prev:
                visit(child)
            {after}

    visit(root)
"""
LOOP3 = "    for node in reversed(build_topo(root)):\n        node._backward()"
WALKS = {
    "day3": [
        (
            (LOOP3, LOOP3.replace("reversed(build_topo(root))", "build_topo(root)")),
            ["for node in build_topo(root):", "node._backward()"],
        ),
        (("root.grad = 1.0", "root.grad = 2.0"), ["root.grad = 2.0"]),
        (
            (
                LOOP3,
                "    def go(node):\n        node._backward()\n        for child in node._prev:\n            go(child)\n    go(root)",
            ),
            ["go(root)"],
        ),
        (
            (
                LOOP3,
                "    order = build_topo(root)\n    order = sorted(order, key=lambda n: n.data)\n    for node in order:\n        node._backward()",
            ),
            ["def backward(root):"],
        ),
        (
            (SORT, SEARCH.format(before="order.append(node)", after="pass")),
            ["if node not in visited:", "order.append(node)"],
        ),
        (
            (SORT, SEARCH.format(before="pass", after="    order.append(node)")),
            ["if node not in visited:", "for child in node._prev:", "order.append(node)"],
        ),
        (
            (
                SORT,
                SEARCH.format(before="order = [node, *order]", after="pass").replace(
                    "        if", "        nonlocal order\n        if"
                ),
            ),
            ["if node not in visited:", "order = [node, *order]"],
        ),
        (
            (SORT, SEARCH.format(before="pass", after="order.insert(0, node)")),
            ["def build_topo(root):"],
        ),
    ],
    "day4": [
        (("reversed(order)", "order"), ["def backward(self):"]),
        (("self.grad = 1.0\n", "self.grad = self.data\n"), ["self.grad = self.data"]),
    ],
    "day5": [
        (
            ("reversed(build_topo(root))", "build_topo(root)"),
            [
                "for node in build_topo(root):",
                "for child, local in zip(node._children, node._local_grads, strict=True):",
                "child.grad += local * node.grad",
            ],
        ),
        (("root.grad = 1.0", "root.grad = 2.0"), ["root.grad = 2.0"]),
    ],
}


@pytest.mark.whole
@pytest.mark.parametrize(
    "day", ["day3", *(pytest.param(day, marks=pytest.mark.ci) for day in ("day4", "day5"))]
)
def test_the_line_of_a_walk_that_is_wrong_is_told(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str
) -> None:
    """With the lines that decide whether it runs and those that set its names, or none."""
    be_patient(monkeypatch)

    reports = graded(launcher, tmp_path, day, *(edited(day, edit) for edit, _ in WALKS[day]))

    walks = [next(check.walk for check in report.checks if check.walk) for report in reports]
    assert [lines for _, lines in WALKS[day]] == [
        [one.text for one in sorted([walk.where, *walk.more], key=lambda one: one.line)] for walk in walks
    ]


def facts_of_arrays(launcher: Launcher, lines: list[str]) -> list[tuple[ArrayFact, OperationLines]]:
    """Return the facts about wrong operations of arrays, each with the lines that wrote the numbers of its operation."""
    box = Sandbox(launcher, ["\n".join(lines)], Limits(), ["numpy"], arrays=True, deadline=Deadline(PATIENCE))
    try:
        with box.explaining():
            found = wrong_rules(box, DEFAULT)
            placed = of_arrays._placed_lines(found, box)
            return [
                (fact, written)
                for each, written in zip(found, placed, strict=True)
                for fact in of_arrays.facts_of(each.found, ("a", "b"))
            ]
    finally:
        box.close()


ARRAYS = [range(4), pytest.param(range(4, 100 if WHOLE else 12), marks=pytest.mark.ci)]


@pytest.mark.whole
@pytest.mark.parametrize("seeds", ARRAYS, ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_of_random_slips_of_arrays_the_edited_line_is_told_or_none(
    launcher: Launcher, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a slip in `unbroadcast` the lines that call it are told."""
    be_patient(monkeypatch)
    wrong, seen = [], 0
    for seed in seeds:
        slipped_one = engines.slipped(seed)
        lines = f"import numpy as np\n{slipped_one.source}".split("\n")
        edits = {each.partition(": ")[2] for each in slipped_one.slips}
        in_helper = any(each.startswith("unbroadcast") for each in slipped_one.slips)
        facts = facts_of_arrays(launcher, lines)
        for fact, written in facts:
            told_lines = {lines[frame.line - 1].strip() for frame in written.frames(written_by(fact))}
            seen += bool(told_lines)
            if (
                told_lines
                and not told_lines & edits
                and not (in_helper and any("unbroadcast(" in line for line in told_lines))
            ):
                wrong.append(f"seed {seed}: {slipped_one.slips}, told {told_lines}")
    assert wrong == []
    assert seen > len(seeds) // 2


@pytest.mark.ci
def test_the_line_of_an_operation_of_arrays_that_changes_its_input_is_told(launcher: Launcher) -> None:
    relu = engines.METHODS["relu"]
    source = engines.engine(
        {**engines.METHODS, "relu": relu._replace(before="np.maximum(self.data, 0, out=self.data)")}
    )
    lines = f"import numpy as np\n{source}".split("\n")

    ((fact, written),) = facts_of_arrays(launcher, lines)

    assert fact.relations == ("forward_changes_data",)
    (frame,) = written.frames(written_by(fact))
    assert lines[frame.line - 1].strip() == "np.maximum(self.data, 0, out=self.data)"


def test_a_trace_of_the_students_own_stays(launcher: Launcher) -> None:
    """Then no line is told, and the rule is read as ever."""
    engine = f"import sys\nsys.settrace(lambda *_: None)\n{edited('day2', (PRODUCT, f'{SELF}{chr(10)}            {OTHER}'))}"

    ((fact, lines),) = told(launcher, engine, ["+", "*"])

    assert (fact.get("input"), lines) == ("self", ["def _backward():"])
