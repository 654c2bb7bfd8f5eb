"""What is told of an error from the names in the expression that raised it, and only where they are its cause."""

import pytest

from grader.grading.frame_words import call_words, frame_words
from grader.manifest import Limits
from grader.sandbox import Frame, Sandbox, StudentError
from grader.sandbox.errors import HeldValue, error_of
from grader.sandbox.student import Student
from grader.submissions.submission import Block, Sources

TOLD = {
    "None, and its line": """
def f(rng=None):
    order = [3, 1, 2]
    order = order.sort()
    return [order[0]]
""",
    "None, set in one of two branches": """
def f(found=False):
    best = 0
    if not found:
        best = None
    return best[0]
""",
    "a set that cannot be put into a set": """
def f():
    visited, node = set(), {1, 2}
    visited.add(node)
""",
    "None, an argument": """
def f(best=None):
    return best[0]
""",
    "an attribute that is None": """
class Node: grad = None
def f():
    node = Node()
    node.grad = None
    node.grad += 1.0
""",
    "a number beside an object": """
class Node: pass
def f(grad=0.5):
    return grad + Node()
""",
    "a function that is not called": """
def build_topo(): return []
def f():
    for node in reversed(build_topo):
        pass
""",
    "an array in an if": """
import numpy as np
def f():
    data = np.ones((2, 2))
    if data > 0:
        return data
""",
    "a number where an object is needed": """
def f(other=2.5):
    return other.data
""",
    "a float where ints are asked for": """
def f(other=2.5):
    if isinstance(other, int):
        other = [other]
    return other.data
""",
    "another number in the same place": """
def f():
    values, i = [1, 2], 1
    return values[i].data
""",
    "a loop's name": """
def f():
    for each in [None]:
        each[0]
""",
    "another function's name": """
order = None
def f():
    def g():
        order = 1
    return order[0]
""",
    "an index behind the end": """
def f():
    order = [1, 2, 3]
    place = 3
    return order[place]
""",
    "a division by 0": """
def f(count=0, total=0):
    return total / count
""",
    "a local name before its value": """
from math import exp
def f(x=1.0):
    y = exp(x)
    exp = y
    return exp
""",
    "math's name for a method": """
from math import tanh
class Value:
    data = 0.5
def tanh(self):
    return tanh(self.data)
def f(): return tanh(Value())
""",
    "a name that is cleared on the way out": """
def f(best=3):
    try:
        return best[0]
    finally:
        best = None
""",
    "a text of the student's own": """
def f(best=None):
    raise TypeError("'NoneType' object is not subscriptable")
""",
    "a quoted text": '''
def f():
    """
    best = None
    """
    best = {}.get("a")
    return best[0]
''',
    "a docstring of several lines": '''
def f():
    """Find it.

best = None
    for best in a list; it is 'quoted', and its depth
    """
    best = {}.get("a")
    return best[0]
''',
    "a docstring that looks like the function": '''
def f():
    """Find it.
    def f():
    """
    best = {}.get("a")
    return best[0], """
    best = 1"""
''',
    "a docstring that is no plain text": '''
def f():
    """Find it. \\"""
    best = 3
    """
    best = {}.get("a")
    return best[0]
''',
    "a text behind a docstring": '''
def f():
    """Find it.
    """
    best = {}.get("a"); text = """
    best = 3
    """
    return best[0]
''',
    "a logarithm of a negative number": """
import math
def f(base=-2.0, upstream=1.0):
    return upstream * math.log(base) * base
""",
    "an axis for a number": """
import numpy as np
def f(x=0.5):
    return np.max(0, x)
""",
    "an axis that is not there": """
import numpy as np
def f(x=0.5):
    return np.sum(x, 2)
""",
    "a number of entries": """
import numpy as np
def f(x=2.5):
    return np.zeros(x) + np.max([0, x])
""",
    "parentheses without a comma": """
class Node:
    def __init__(self, children=()):
        self.children = set(children)
def f():
    node = Node()
    return Node((node))
""",
    "an object in a loop": """
class Node: pass
def f():
    root = Node()
    return [each for each in root]
""",
    "an object that has other attributes": """
class Node:
    def __init__(self): self._prev, self.data = (), 1.0
def f():
    node = Node()
    return node.children
""",
    "an object that is compared with a number": """
class Node: data = 1.0
def f():
    node = Node()
    return node > 0
""",
    "a list by the name of a function": """
def f():
    reversed = []
    return reversed([1])
""",
    "None, which is called": """
class Node: pass
def f():
    node = Node()
    node._backward = None
    node._backward()
""",
    "a function in an index": """
def place(of): return of + 3
def f(order=(1, 2)): return order[place(1)]
""",
    "arguments in another order": """
def f(steps=0.05, rate=3):
    for _ in range(steps):
        pass
""",
    "a name that is no slot": """
class Node:
    __slots__ = ("data",)
    def __init__(self, grad=0.0): self.grad = grad
def f(): return Node()
""",
    "an attribute of a number": """
def f(grad=0.5):
    grad.data = 1.0
""",
    "an attribute that is read before it is set": """
class Node:
    def __init__(self): self.grad = self.grad + 1
def f(): return Node()
""",
    "an object that math is given": """
import math
class Node: data = 1.0
def f(x=None):
    self = Node()
    return math.exp(self)
""",
    "the larger of an object and a number": """
class Node: data = 1.0
def f():
    self = Node()
    return max(0, self)
""",
    "an object that numpy is given": """
import numpy as np
class Node: __array_ufunc__ = None
def f():
    self = Node()
    return np.exp(self)
""",
    "an object in a sum of numbers": """
class Node: pass
def f(grad=0.5):
    node = Node()
    return grad + node
""",
    "two objects in a sum": """
class Node: pass
def f():
    node = Node()
    return node + node
""",
    "objects that are sorted": """
class Node: data = 1.0
def f(): return sorted([Node(), Node()])
""",
    "a power in another language": """
def f(x=2.0): return x ^ 2
""",
    "an attribute dictionary of the student's own": """
class Told(dict):
    def get(self, *_): raise SystemExit
    def __iter__(self): raise SystemExit
class Node: pass
def f():
    node = Node()
    node.__dict__ = Told(data=1.0)
    return node.children + node.data
""",
    "an object of a class": """
class Node: pass
def f():
    node = Node()
    return node.grad
""",
}


CALLS = {
    "a closure that asks for what it sees": """
class Value:
    def add(self, other):
        def rule(self, other):
            return self
        return rule
def f(): return Value().add(2)()
""",
    "a closure that asks for what nobody has": """
def outer(a):
    def inner(upstream):
        return upstream
    return inner()
def f(): return outer(2)
""",
    "a method without self": """
class Value:
    def relu():
        return 0
def f(): return Value().relu()
""",
    "a static method": """
class Value:
    @staticmethod
    def relu():
        return 0
def f(): return Value().relu(3)
""",
    "an operator without self": """
class Value:
    def __add__(other):
        return other
def f(): return Value() + 2
""",
    "an argument too many": """
class Value:
    def relu(self):
        return self
def f(): return Value().relu(3)
""",
    "one that is missing": """
def unbroadcast(grad, shape):
    return grad
def f(): return unbroadcast(3)
""",
    "a name that it does not have": """
def unbroadcast(grad, shape):
    return grad
def f(): return unbroadcast(3, form=2)
""",
    "the check's own call": """
def f(x):
    return x
""",
    "a function of Python's": """
def f(): return len()
""",
}


@pytest.mark.parametrize("case", CALLS)
def test_a_call_with_other_arguments(launcher, snapshot, case):
    """The definition, where the line of the error is that of the call; and what is missing or too much in it."""
    box = Sandbox(launcher, [CALLS[case]], Limits())
    box.load()
    with pytest.raises(StudentError) as raised:
        Student(box).f()
    told = call_words(raised.value, box, Sources([Block("mine.py", None, 1, CALLS[case])]))
    box.close()

    assert [str(raised.value), told] == snapshot


@pytest.mark.parametrize("place", [(10**9, 1), (0, 10**9), (0, 0)])
def test_a_place_that_is_not_there_tells_nothing(place):
    """The jail may send any frame and anything that it holds."""
    held = (HeldValue("best", "NoneType", "None"),)
    for kind, text in {
        "TypeError": "'NoneType' object is not iterable",
        "UnboundLocalError": "local variable 'x'",
    }.items():
        error = StudentError(kind, text, (Frame(*place, "f"),), held=held)
        assert not frame_words(error, Sources([Block("mine.py", None, 1, "def f(best): pass")]))


def test_names_are_names():
    """What the jail calls a name stands in patterns: another text is no name."""
    rows = [
        ["(a+)+$", "NoneType", "None"],
        ["best", "NoneType", "None"],
        ["a..b", "int", "1"],
        ["self.x", "int", "1"],
    ]
    error = error_of({"type": "E", "bases": [], "text": "", "name": "", "frames": [], "held": rows})

    assert [one.name for one in error.held] == ["best", "self.x"]


@pytest.mark.parametrize("case", TOLD)
def test_what_a_frame_tells(launcher, snapshot, case):
    """Names that the error is about, what they hold, and the line that set them if one alone can have."""
    box = Sandbox(launcher, [TOLD[case]], Limits(), imports=["numpy"] if "numpy" in TOLD[case] else [])
    box.load()
    with pytest.raises(StudentError) as raised:
        Student(box).f()
    box.close()

    assert [
        str(raised.value),
        frame_words(raised.value, Sources([Block("mine.py", None, 1, TOLD[case])])),
    ] == snapshot
