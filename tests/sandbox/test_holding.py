"""What an error tells of the names in the expression that raised it, without running the student's code."""

import pytest

from grader.manifest import Limits
from grader.sandbox import Sandbox, StudentError
from grader.sandbox.student import Student

SOURCE = """
import math

class Value:
    __slots__ = ("data",)
    def __init__(self, data):
        self.data = data

class Node:
    def __init__(self):
        self.grad = None
        self.value = Value(3)
    def __repr__(self):
        ran.append("repr")
        return "hidden"
    def __eq__(self, other):
        ran.append("eq")
    @property
    def size(self):
        ran.append("size")
        return 4

ran = []
n = Node()
order = [1, 2]

def none(): return order[n.grad]
def slots(): return n.value.data + "a"
def function(): return reversed(none)
def a_property(): return n.size + None
def own(x=2.5): return x.data
def texts(): return None + len("order n.grad")  # watched
def many(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9): return a + b + c + d + e + f + g + h + i + None
def over_lines():
    return (order
            + n.grad)
def after_an_accent(): return "é", n.grad.x
def kept_ones(): return ran
"""


@pytest.fixture(scope="module")
def held(launcher):
    """A function: the name of a student's function -> rows of the error that it raises."""
    box = Sandbox(launcher, [SOURCE], Limits())
    box.load()
    assert box.errors == {}
    student = Student(box)

    def rows(name):
        with pytest.raises(StudentError) as raised:
            getattr(student, name)()
        return [(one.name, one.kind, one.form) for one in raised.value.held]

    rows.ran = lambda: list(student.kept_ones())
    yield rows
    box.close()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            "none",
            [("order", "list", "2"), ("n", "instance", "Node grad value"), ("n.grad", "NoneType", "None")],
        ),
        (
            "slots",
            [
                ("n", "instance", "Node grad value"),
                ("n.value", "instance", "Value"),
                ("n.value.data", "int", "3"),
            ],
        ),
        ("function", [("none", "function", "")]),
        ("own", [("x", "float", "2.5")]),
        (
            "over_lines",
            [("order", "list", "2"), ("n", "instance", "Node grad value"), ("n.grad", "NoneType", "None")],
        ),
        ("after_an_accent", [("n", "instance", "Node grad value"), ("n.grad", "NoneType", "None")]),
        ("texts", []),
        ("many", [(name, "int", str(i)) for i, name in enumerate("abcdefgh", start=1)]),
    ],
)
def test_names_of_the_expression(held, function, expected):
    """Names with dots are followed in what objects hold themselves; texts and comments name nothing; eight at most."""
    assert held(function) == expected


def test_no_code_of_the_students_runs(held):
    """No property, comparison or text of an object: the test's own line asks for the property once."""
    assert held("a_property") == [("n", "instance", "Node grad value")]
    assert held.ran() == ["size"]
