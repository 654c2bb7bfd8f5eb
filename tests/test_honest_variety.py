"""Engines that are right in another way pass: the text is never graded."""

from pathlib import Path

import pytest

from grader.assignment import Course
from grader.autograd.parity import Oracle
from grader.grading import with_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submission import Block

ROOT = Path(__file__).parent.parent
LECTURE = (ROOT / "tests" / "engines" / "lecture.py").read_text(encoding="utf-8")
DAY3 = """
def build_topo(root):
    topo, visited = [], set()
    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            topo.append(node)
    visit(root)
    return topo

def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        getattr(node, "_backward", lambda: None)()
"""
CHECKS = {
    "day2": ("add_rule", "swap_rule", "accumulate", "tanh_neuron", "pytorch_parity"),
    "day3": ("build_topo", "reverse_order", "seed", "diamond", "shared_nodes", "pytorch_parity"),
}


def changed(*replacements):
    source = LECTURE
    for old, new in replacements:
        assert old in source
        source = source.replace(old, new)
    return source


NONE_FIRST = "\n\ndef plus(old, new):\n    return new if old is None else old + new\n"
VARIANTS = {
    "children in a tuple": changed(("set(_children)", "tuple(_children)")),
    "children in a list": changed(("set(_children)", "list(_children)")),
    "gradients start as an int": changed(("self.grad = 0.0", "self.grad = 0")),
    "gradients start as None": changed(
        ("self.grad = 0.0", "self.grad = None"),
        ("self.grad += 1.0 * out.grad", "self.grad = plus(self.grad, out.grad)"),
        ("other.grad += 1.0 * out.grad", "other.grad = plus(other.grad, out.grad)"),
        ("self.grad += other.data * out.grad", "self.grad = plus(self.grad, other.data * out.grad)"),
        ("other.grad += self.data * out.grad", "other.grad = plus(other.grad, self.data * out.grad)"),
        ("self.grad += (1 - t**2) * out.grad", "self.grad = plus(self.grad, (1 - t**2) * out.grad)"),
    )
    + NONE_FIRST,
    "written out instead of +=": changed(
        ("self.grad += other.data * out.grad", "self.grad = self.grad + other.data * out.grad"),
        ("other.grad += self.data * out.grad", "other.grad = other.grad + self.data * out.grad"),
    ),
    "leaves without _backward": changed(
        ("        self._backward = lambda: None\n", ""),
        ("            node._backward()", "            getattr(node, '_backward', lambda: None)()"),
    ),
    "reflected by assignment": changed(
        ("    def __radd__(self, other):\n        return self + other\n", "    __radd__ = __add__\n"),
        ("    def __rmul__(self, other):\n        return self * other\n", "    __rmul__ = __mul__\n"),
    ),
    "_backward gives something back": changed(
        (
            "            self.grad += (1 - t**2) * out.grad\n",
            "            self.grad += (1 - t**2) * out.grad\n            return self.grad\n",
        ),
    ),
    "numpy's tanh": "import numpy as np\n"
    + changed(("t = (math.exp(2 * x) - 1) / (math.exp(2 * x) + 1)", "t = np.tanh(x)")),
    "slots": changed(
        (
            '    """A scalar',
            '    __slots__ = ("data", "grad", "_backward", "_prev", "_op", "label")\n    """A scalar',
        )
    ),
    "a dataclass": changed(
        (
            "class Value:",
            "from dataclasses import dataclass\n\n@dataclass(eq=False, init=False)\nclass Value:",
        )
    ),
}


def failing(day):
    """For every variant, the checks that it does not pass."""

    def job(grader):
        found = {}
        for name, source in VARIANTS.items():
            block = Block("engine.py", None, 1, source + (DAY3 if day == "day3" else ""))
            for check in CHECKS[day]:
                results = grader.run([block], Oracle(grader.records), check)[1]
                bad = [f"{r.test.key}: {r.error!r}" for r in results if r.outcome is not Outcome.PASSED]
                found.setdefault(name, []).extend(bad)
        return found

    with Launcher() as launcher:
        return with_grader(Course.find(ROOT).assignment(day), launcher, job)


@pytest.mark.parametrize("day", CHECKS)
def test_every_variant_passes(day):
    """Whatever holds the children, whatever gradients start as, however += is written."""
    assert failing(day) == {name: [] for name in VARIANTS}
