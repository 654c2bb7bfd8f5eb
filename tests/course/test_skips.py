"""A submission chooses no test that skips it: these were passes by skipping."""

from __future__ import annotations

import contextlib

import pytest
from helpers import COURSE, cells

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.grading.run import Running
from grader.sandbox import Launcher
from grader.submissions.submission import Block
from grader.topic import TestOutcome


@pytest.fixture(scope="module")
def judged():
    """Return a function: day, check, source -> the outcome of each test of the check, and that of the check alone.

    The checks `beside` it are judged, too.
    """
    graders = {}
    with contextlib.ExitStack() as stack:
        launcher = stack.enter_context(Launcher())

        def judged(day, check, source, beside=()):
            if day not in graders:
                graders[day] = stack.enter_context(open_grader(Course(COURSE).assignment(day), launcher))
            with graders[day].sandbox([Block("work.py", None, 1, source)]) as sandbox:
                running = Running(sandbox, None, lambda _: False)
                found = graders[day].suite.judge(running, graders[day].suite.tests_of({check, *beside}))
            results = [result for result in found if result.test.check == check]
            (verdict,) = graders[day].verdicts.of(results, check)
            return {result.outcome for result in results}, str(verdict.outcome)

        yield judged


def reference(day, *edits):
    source = "\n\n".join(cells(day))
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


PAIRS = """
import numpy as np


class Tensor:
    __array_ufunc__ = None

    def __init__(self, data, links=()):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self.links = links

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        return Tensor(self.data + other.data, ((self, lambda g: g), (other, lambda g: g)))

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        rules = (self, lambda g: other.data * g), (other, lambda g: self.data * g)
        return Tensor(self.data * other.data, rules)

    __radd__ = __add__
    __rmul__ = __mul__

    def hand_down(self, grad):
        self.grad = self.grad + grad
        for node, rule in self.links:
            node.hand_down(rule(HANDED))

    def backward(self):
        self.grad = np.zeros_like(self.data)
        self.hand_down(np.ones_like(self.data))
"""


@pytest.mark.ci
@pytest.mark.parametrize(("handed", "outcome"), [("grad", "passed"), ("self.grad", "failed")])
def test_inputs_kept_with_their_rules(judged, handed, outcome):
    """No node can be made from outside: the walk is judged on graphs of operations, right or wrong."""
    source = PAIRS.replace("HANDED", handed).replace(
        "lambda g: g)", "lambda g: unbroadcast(g, self.data.shape))", 1
    )
    source = source.replace("lambda g: g)", "lambda g: unbroadcast(g, other.data.shape))")
    unbroadcast = (
        "def unbroadcast(g, shape):\n    while g.ndim > len(shape):\n        g = g.sum(0)\n    return g\n"
    )

    found, verdict = judged("day6", "backward", unbroadcast + source)

    assert verdict == outcome
    assert TestOutcome.UNJUDGED not in found


EXP = ("self.grad += out.data * out.grad", "self.grad += 2 * out.data * out.grad")
PLAIN = ("return shifted - shifted", "return Tensor(shifted.data) - Tensor(shifted.data)")


@pytest.mark.parametrize(
    ("edits", "outcome"), [([EXP], "passed"), ([PLAIN], "failed"), ([EXP, PLAIN], "failed")]
)
def test_a_wrong_tensor_hides_no_wrong_loss(judged, edits, outcome):
    """The wrong rule of day 6 costs nothing here, and earns nothing."""
    assert judged("day7", "log_softmax", reference("day7", *edits))[1] == outcome


SCALED = (
    "self.grad += out.grad\n            other.grad += out.grad",
    "self.grad += 3 * out.grad\n            other.grad += 3 * out.grad",
)


@pytest.mark.parametrize("day", ["day2", "day4"])
def test_a_wrong_rule_costs_its_own_check(judged, day):
    """A wrong `+` is no fault of a second use, or of the walk."""
    check = {"day2": "accumulate", "day4": "backward"}[day]

    assert judged(day, check, reference(day, SCALED)) == ({TestOutcome.PASSED}, "passed")


# A second use of one Value, of which one contribution is lost; the next two products of others are wrong on purpose.
LOST = (
    "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n",
    """
            left = 2 if self is other else getattr(Value, "left", 0)
            Value.left = max(left - (self is not other), 0)
            mine, theirs = self.grad + other.data * out.grad, other.grad + self.data * out.grad
            self.grad, other.grad = mine, other.grad if left and self is not other else theirs
""",
)
# A velocity that zero_grad clears, where no check sees it, and a step that stops in the check of zero_grad alone.
CLEARED = [
    ("self.velocities = [np", "self.velocities, self.kept = [], lambda: None\n        self.kept.all = [np"),
    (
        "self.velocities[i] = self.momentum * self.velocities[i]",
        "assert len(self.parameters) > 1 or parameter.data.shape != (2,)\n"
        "            self.kept.all[i] = self.momentum * self.kept.all[i]",
    ),
    ("self.rate * self.velocities[i]", "self.rate * self.kept.all[i]"),
    (
        "        for parameter in self.parameters:\n            parameter.grad = np",
        "        self.velocities = [np.ones(1)]\n        for parameter in self.parameters:\n"
        "            self.kept.all = [0 * each for each in self.kept.all]\n            parameter.grad = np",
    ),
]
OWN_GENERATOR = [
    ("Linear(inputs, outputs, rng) for", "Linear(inputs, outputs, np.random.default_rng(0)) for"),
    (
        "spread = np.sqrt(2 / inputs)",
        "spread, rng = np.sqrt(2 / inputs), np.random.default_rng(0) if inputs == outputs else rng",
    ),
]
RECURSIVE = """
from sys import getrecursionlimit, setrecursionlimit


def build_topo(root):
    usual, found = getrecursionlimit(), {}

    def visit(node):
        for child in node._prev:
            if child not in found:
                visit(child)
        found[node] = True

    setrecursionlimit(100_000)
    visit(root)
    setrecursionlimit(usual)
    return list(found)
"""
FORGED = {
    "a second use": ("day2", "accumulate", [LOST], "", ["swap_rule"]),
    "a text that shows each number": (
        "day1",
        "representation",
        [],
        "Value.__repr__ = lambda self: '2.5 -4.5 7.5'",
        [],
    ),
    "a raised limit": ("day3", "deep_chain", [], RECURSIVE, []),
    "a gradient of no number": (
        "day4",
        "zero_grad",
        [("        parameter.grad = 0.0", "        parameter.grad = ''")],
        "",
        [],
    ),
    "a changed array": (
        "day6",
        "unbroadcast",
        [
            (
                "    while grad.ndim",
                "    grad[...] = (given := grad.copy()) * 0\n    grad = given\n    while grad.ndim",
            )
        ],
        "",
        [],
    ),
    "a generator of its own": ("day7", "mlp", OWN_GENERATOR, "", ["linear"]),
    "cleared velocities": ("day7", "zero_grad", CLEARED, "", ["sgd"]),
}


@pytest.mark.parametrize(
    "forged", [pytest.param(name, marks=pytest.mark.ci if i else ()) for i, name in enumerate(FORGED)]
)
def test_a_mistake_does_not_choose_how_it_is_judged(judged, forged):
    """Each of these had passed: by a fault that only its own check met, or unseen."""
    day, check, edits, more, beside = FORGED[forged]

    assert judged(day, check, f"{reference(day, *edits)}\n{more}", beside)[1] == "failed"
