"""What a node was made from, read back: whatever holds the children, and in words where it is wrong."""

import pytest

from grader.autograd import assert_made_from, children, reached, remembers
from grader.autograd.topic import AutogradStudent
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox

RIGHT = """
class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, tuple(_children), _op, label

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*")

    __radd__, __rmul__ = __add__, __mul__
"""


@pytest.fixture(scope="module")
def launcher():
    with Launcher() as started:
        yield started


@pytest.fixture
def submitted(launcher):
    """Gives the Student of a source; its jail ends with the test."""
    boxes = []

    def student(source=RIGHT):
        boxes.append(Sandbox(launcher, [source], Limits()))
        return AutogradStudent(boxes[-1])

    yield student
    for box in boxes:
        box.close()


@pytest.mark.parametrize("container", ["tuple", "list", "set", "frozenset"])
def test_any_container_of_children_will_do(submitted, container):
    """What holds the children is the student's choice."""
    student = submitted(RIGHT.replace("tuple(_children)", f"{container}(_children)"))
    a, b = student.leaves(a=2.0, b=2.0)

    assert set(children(a + b)) == {a, b}


def test_each_child_stands_there_once(submitted):
    """In a + a a tuple holds a twice and a set once; both mean the same."""
    (a,) = submitted().leaves(a=2.0)

    assert children(a + a) == [a]


def test_every_node_is_reached_once(submitted):
    """A node on two paths is still one node, and two leaves of the same data are two."""
    a, b = submitted().leaves(a=2.0, b=2.0)
    c = a + b
    d = c * a

    found = reached(d)

    assert len(found) == 4
    assert set(found) == {a, b, c, d}


def test_right_children_are_taken(submitted):
    """Nothing is said of a node that holds what it was made from."""
    a, b = submitted().leaves(a=2.0, b=-3.0)
    assert_made_from(a + b, a, b)


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("()", "`_prev` of a + b should hold a and b; it is empty."),
        ("(self,)", "`_prev` of a + b should hold a and b; it holds a."),
        (
            "(self.data, other.data)",
            "`_prev` of a + b should hold the Values that it was made from, and it holds the number 2.",
        ),
        (
            "(Value(self.data), other)",
            "`_prev` of a + b should hold a and b; it holds b and 1 other.",
        ),
    ],
)
def test_what_is_wrong_is_said(submitted, kept, words):
    """The words name the node, what it should hold, and what it holds."""
    source = RIGHT.replace('(self, other), "+"', f'{kept}, "+"')
    a, b = submitted(source).leaves(a=2.0, b=-3.0)

    with pytest.raises(AssertionError) as told:
        assert_made_from(a + b, a, b)

    assert str(told.value) == words


def test_a_number_has_no_children(submitted):
    """An operation that gives a plain number has cut the graph."""
    a, b = submitted(
        RIGHT.replace('Value(self.data + other.data, (self, other), "+")', "self.data + other.data")
    ).leaves(a=2.0, b=-3.0)

    with pytest.raises(AssertionError) as told:
        children(a + b)

    assert str(told.value) == "a + b should be a Value, and it is -1."


def test_what_is_no_container_is_said(submitted):
    """None is not an empty tuple."""
    (a,) = submitted(RIGHT.replace("tuple(_children)", "None")).leaves(a=2.0)

    with pytest.raises(AssertionError) as told:
        children(a)

    assert str(told.value) == "`_prev` of a should be a set, a tuple or a list, and it is None."


@pytest.mark.parametrize(
    "broken",
    [
        ("self.data * other.data", "self.data + other.data"),
        ('(self, other), "*"', '(), "*"'),
        ("__radd__, __rmul__ = __add__, __mul__", ""),
        ('(self, other), "+"', '(self,), "+"'),
    ],
)
def test_an_engine_that_forgets_is_not_asked(submitted, broken):
    """An answer is compared with an engine only when that computes, and keeps what it used."""
    assert remembers(submitted())
    assert not remembers(submitted(RIGHT.replace(*broken)))
