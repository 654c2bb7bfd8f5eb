"""Day 1 gives full marks to every right forward pass, in any style."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import cell_with, cells

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.submissions.submission import Block
from grader.topic import TestOutcome

ROOT = Path(__file__).parents[2]
LECTURE = (ROOT / "tests" / "engines" / "lecture.py").read_text(encoding="utf-8")

# A class whose operators go through one helper, with a name for each kind of node.
HELPER = """
def wrap(x):
    return x if isinstance(x, Value) else Value(x)


def operate(symbol, function):
    def method(self, other):
        return Value(function(self.data, wrap(other).data), [self, other], symbol)
    return method


class Value:
    __slots__ = ("data", "_prev", "_op", "label")

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self._prev = frozenset(wrap(child) for child in _children)
        self._op, self.label = _op, label

    def __repr__(self):
        return f"<{self.label or self._op or 'leaf'} {self.data:.2f}>"

    __add__ = __radd__ = operate("+", lambda x, y: x + y)
    __mul__ = __rmul__ = operate("*", lambda x, y: x * y)
"""

SUBCLASSES = """
class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, list(_children), _op, label

    def __repr__(self):
        return "Value(" + str(self.data) + ")"

    def __add__(self, other):
        return Sum(self, other)

    def __radd__(self, other):
        return Sum(other, self)

    def __mul__(self, other):
        return Product(self, other)

    def __rmul__(self, other):
        return Product(other, self)


def values(*numbers):
    return [n if isinstance(n, Value) else Value(n) for n in numbers]


class Sum(Value):
    def __init__(self, left, right):
        left, right = values(left, right)
        super().__init__(left.data + right.data, (left, right), "+")


class Product(Value):
    def __init__(self, left, right):
        left, right = values(left, right)
        super().__init__(left.data * right.data, (left, right), "*")
"""

NUMPY = """
import numpy as np
""" + LECTURE.replace("self.data = data", "self.data = np.float64(data)")

MINUS = """
def negative(self):
    return Value(-1) * self

def minus(self, other):
    return self + -other

def reflected_minus(self, other):
    return -(self - other)

Value.__neg__, Value.__sub__, Value.__rsub__ = negative, minus, reflected_minus
"""

READ_BACK = """
def leaves_of(root):
    leaves, stack = [], [root]
    while stack:
        node = stack.pop()
        stack.extend(node._prev)
        if node._op == "" and node not in leaves:
            leaves.append(node)
    return leaves

def count_paths(root, leaf):
    found, stack = 0, [root]
    while stack:
        node = stack.pop()
        found += node is leaf
        stack.extend(set(node._prev))
    return found
"""

GRAPHS = """
def product(a, b, c):
    return c + b * a

def sum_times(a, b, c):
    return c * (b + a)

def neuron(x1, x2, w1, w2, b):
    return sum(x * w for x, w in zip((x1, x2), (w1, w2))) + b
"""


def submission(*, engine=None, minus=None, graphs=None, read_back=None):
    """Return the reference's cells, with some of them in another style."""
    found = list(cells("day1"))
    for text, source in {
        "class Value": engine,
        "def minus": minus,
        "def product": graphs,
        "def leaves_of": read_back,
    }.items():
        if source is not None:
            found[cell_with("day1", text)] = source
    return "\n\n".join(found)


pytestmark = pytest.mark.ci

VARIANTS = {
    "as in the lecture, children in a set": submission(engine=LECTURE),
    "children in a list": submission(engine=LECTURE.replace("set(_children)", "list(_children)")),
    "operators made by a helper, slots, a frozenset": submission(engine=HELPER),
    "a class for each operation": submission(engine=SUBCLASSES),
    "data as numpy scalars": submission(engine=NUMPY),
    "minus by way of the negative": submission(minus=MINUS),
    "loops instead of recursion": submission(engine=LECTURE, read_back=READ_BACK),
    "operands exchanged, and sum()": submission(engine=LECTURE, graphs=GRAPHS),
    "answers as floats and small letters": submission().replace("= 3\n", "= 3.0\n").replace('"D"', '"d"'),
}


def lost():
    """Return the tests that each variant does not pass."""

    found = {}
    with Launcher() as launcher, open_grader(Course.find(ROOT).assignment("day1"), launcher) as grader:
        for name, source in VARIANTS.items():
            results = grader.run([Block("engine.py", None, 1, source)])[1]
            bad = [r for r in results if r.outcome not in (TestOutcome.PASSED, TestOutcome.SKIPPED)]
            found[name] = [f"{r.test.key} ({r.test.order}): {r.error!r}" for r in bad]
    return found


def test_every_variant_passes():
    """Children may be kept, operators written and graphs read in any way."""
    assert lost() == {name: [] for name in VARIANTS}
