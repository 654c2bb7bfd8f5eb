"""Helpers of check files: what nodes keep, orders of calls, and whether operations work."""

import random
import re
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from grader.autograd import (
    apart_from_unbroadcast,
    assert_made_from,
    children,
    graph,
    hand_on,
    kept_pairs,
    kept_slopes,
    own_nodes,
    reached,
    works,
)
from grader.autograd.nodes import _order_words
from grader.autograd.topic import AutogradStudent
from grader.manifest import Limits
from grader.sandbox import Sandbox

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


# An engine with closures, whose `backward` is not to be asked, and whose - is made of + and ×.
CLOSURES = """
class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self.inputs = data, 0.0, list(inputs)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __sub__(self, other):
        return self + other * -1

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        raise ZeroDivisionError("nobody should ask")
"""

PAIRS = """
class Value:
    def __init__(self, data, children=(), local_grads=()):
        self.data, self.grad, self._children, self._local_grads = data, None, children, local_grads

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __sub__(self, other):
        return self + other * -1

    __radd__, __rmul__ = __add__, __mul__
"""

# Neither closures nor kept local gradients: only `backward` knows what an operation hands on.
WHOLE = """
class Value:
    def __init__(self, data, op="", inputs=()):
        self.data, self.grad, self.op, self.inputs = data, 0.0, op, inputs

    def __add__(self, other):
        return Value(self.data + other.data, "+", (self, other))

    def __sub__(self, other):
        return Value(self.data - other.data, "-", (self, other))

    def __mul__(self, number):
        return Value(self.data * number, "*", (self, Value(number)))

    def backward(self, upstream=1.0):
        self.grad += upstream
        for i, node in enumerate(self.inputs):
            factor = {"+": 1.0, "-": (1.0, -1.0)[i], "*": self.inputs[1 - i].data}[self.op]
            node.backward(upstream * factor)
"""


@pytest.fixture
def submitted(launcher):
    """Return the Student of a source; its jail ends with the test."""
    boxes = []

    def student(source=RIGHT):
        boxes.append(Sandbox(launcher, [source], Limits()))
        return AutogradStudent(boxes[-1])

    yield student
    for box in boxes:
        box.close()


@pytest.mark.parametrize("container", ["tuple", "list", "set", "frozenset"])
def test_any_container_of_children_will_do(submitted, container):
    """The student chooses what holds the children."""
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
    """A node that holds its inputs raises nothing."""
    a, b = submitted().leaves(a=2.0, b=-3.0)
    assert_made_from(a + b, a, b)


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("()", "`_prev` of a + b should hold a and b; it is empty."),
        ("(self,)", "`_prev` of a + b should hold a and b; it holds a."),
        (
            "(self.data, other.data)",
            "`_prev` of a + b should hold the Values that it was made from, but it holds the number 2.",
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


def test_a_number_has_no_children(submitted, snapshot):
    """An operation that gives a plain number has cut the graph."""
    a, b = submitted(
        RIGHT.replace('Value(self.data + other.data, (self, other), "+")', "self.data + other.data")
    ).leaves(a=2.0, b=-3.0)

    with pytest.raises(AssertionError) as told:
        children(a + b)

    assert str(told.value) == snapshot


def test_what_is_no_container_is_said(submitted, snapshot):
    """None is not an empty tuple."""
    (a,) = submitted(RIGHT.replace("tuple(_children)", "None")).leaves(a=2.0)

    with pytest.raises(AssertionError) as told:
        children(a)

    assert str(told.value) == snapshot


# --- What a node keeps for its local gradients


@dataclass(eq=False)
class Node:
    """A node of the student's."""

    _children: object = ()
    _local_grads: object = ()
    name: str = field(default="p", repr=False)

    def __repr__(self):
        return self.name


def test_slopes_are_multiplied_along_paths_and_added():
    """a - b may be a + (-b): only the slopes at the leaves count."""
    a, b = Node(), Node()
    root = Node([a, Node((b,), [-1.0])], (1.0, 1))

    assert kept_slopes(root, a=a, b=b) == [1.0, -1.0]


def test_a_child_that_stands_twice_counts_twice():
    """a * a at a = 5."""
    a = Node()

    assert kept_slopes(Node((a, a), (5.0, 5.0)), a=a) == [10.0]


@pytest.mark.parametrize(
    ("children", "numbers", "words"),
    [
        (
            (Node(), Node()),
            (1.0,),
            "`p` keeps 2 children and 1 local gradient; each child needs one local gradient.",
        ),
        ({Node(), Node()}, (1.0, 1.0), "The `_children` of `p` are a set. A set has no order"),
        (
            3.0,
            (1.0,),
            "The `_children` of `p` should be a tuple or a list; here it is the number 3. A tuple with one item needs a comma: (x,).",
        ),
        ((Node(),), ("1",), "A local gradient of `p` is the text '1'; it must be a plain number."),
        ((2.0,), (1.0,), "The `_children` of `p` hold the number 2; each child must be a Value."),
    ],
)
def test_what_does_not_pair_is_reported(children, numbers, words):
    """The words name the node and what is wrong with it."""
    with pytest.raises(AssertionError) as told:
        kept_pairs(Node(children, numbers))
    assert words in str(told.value)


def test_a_generator_is_not_read_before_backward_reads_it(submitted, snapshot):
    """Whoever reads it first leaves nothing for the next."""
    student = submitted(PAIRS.replace("(other.data, self.data)", "(each.data for each in (other, self))"))
    a, b = student.leaves(a=3.0, b=2.0)

    with pytest.raises(AssertionError) as told:
        kept_pairs(a * b)
    assert str(told.value) == snapshot


def test_a_set_of_one_child_has_an_order():
    """So a node of one input may keep its pair in sets."""
    a = Node()

    assert kept_slopes(Node({a}, {3.0}), a=a) == [3.0]


def test_a_node_that_is_its_own_child_comes_to_an_end():
    """An error, not an endless loop."""
    node = Node()
    node._children, node._local_grads = (node,), (1.0,)

    with pytest.raises(AssertionError, match="is a node its own child"):
        kept_slopes(node, a=Node())


# --- What a result hands on, without the engine's own walk


@pytest.mark.parametrize("engine", [CLOSURES, PAIRS, WHOLE], ids=["closures", "pairs", "neither"])
def test_a_result_hands_on_without_the_engines_walk(submitted, engine):
    """In a - b both get their part, times the upstream gradient, whatever the difference is made of."""
    student = submitted(engine)
    a, b = student.leaves(a=3.0, b=2.0)
    a.grad = b.grad = 10.0

    hand_on(student, a - b, -4.0)

    assert (a.grad, b.grad) == (6.0, 14.0)


QUIET = """
class Quiet(float):
    def __bool__(self):
        return False


class Tape:
    grad = print


Value.grad = property(lambda self: Quiet(self.held), lambda self, grad: setattr(self, "held", grad))
Value.tape = Tape()
"""


def test_the_jail_is_not_asked_what_a_gradient_is_worth(submitted):
    """One that calls itself nothing is put aside as any other; what is no gradient is left alone."""
    clears = WHOLE.replace("self.grad += upstream", "self.grad = upstream")
    student = submitted(clears + QUIET)
    a, b = student.leaves(a=3.0, b=2.0)
    a.grad = b.grad = 10.0

    hand_on(student, a - b, -4.0)

    assert (a.grad, b.grad) == (6.0, 14.0)


def test_what_only_shows_a_gradient_is_no_node(submitted):
    """Where a record behind the node keeps its gradient, what stood there before is added once."""
    shown = """
from types import SimpleNamespace
Value.grad = property(lambda self: self.kept.grad, lambda self, grad: setattr(self.kept, "grad", grad))
"""
    student = submitted(
        WHOLE.replace("self.data, self.grad,", "self.kept = SimpleNamespace(); self.data, self.grad,") + shown
    )
    a, b = student.leaves(a=3.0, b=2.0)
    a.grad = b.grad = 10.0

    hand_on(student, a - b, -4.0)

    assert (a.grad, b.grad) == (6.0, 14.0)


def test_users_hand_on_first(submitted):
    """In s * (s + b) the sum that is used twice waits for the other sum."""
    student = submitted(CLOSURES)
    a, b = student.leaves(a=3.0, b=2.0)
    s = a + b

    hand_on(student, s * (s + b))

    assert (s.grad, a.grad, b.grad) == (12.0, 12.0, 17.0)


def test_nodes_in_a_circle_are_left_to_the_engine(submitted):
    """Where inputs know their users, no order is certain: the engine's own `backward` is asked."""
    student = submitted(
        CLOSURES.replace("return self + other * -1", "self.inputs = [out := self + other]; return out")
    )
    a, b = student.leaves(a=3.0, b=2.0)

    with pytest.raises(ZeroDivisionError):
        hand_on(student, a - b)


@pytest.mark.parametrize(
    ("closure", "change"),
    [
        ("self.grad += out.grad; out.grad = 0.0", "(a + b).grad from -4 to 0"),
        ("self.grad += out.grad; out.data = 2.0", "(a + b).data from 5 to 2"),
        ("self.grad += out.grad; other.data -= 1", "b.data from 2 to 1"),
    ],
)
def test_a_closure_only_adds_to_gradients(submitted, closure, change):
    """One that changes its own gradient, or data, is wrong wherever it is called; NaN that stays NaN is no change."""
    student = submitted(CLOSURES.replace("self.grad += out.grad", closure))
    a, b = student.leaves(a=3.0, b=2.0)

    with pytest.raises(AssertionError, match=re.escape(f"`_backward` changes {change}")):
        hand_on(student, a + b, -4.0)
    hand_on(student, a * float("nan"), -4.0)


def test_an_array_in_a_course_of_numbers_counts_as_unchanged(launcher):
    """Two readings of one array are two objects, which says nothing of its numbers."""
    ones = CLOSURES.replace("self.grad, self.inputs = data", "self.grad, self.inputs = np.ones(1) * data")
    box = Sandbox(launcher, [f"import numpy as np\n{ones}"], Limits(), ["numpy"])
    student = AutogradStudent(box)
    (a,) = student.leaves(a=3.0)

    hand_on(student, a + a, -4.0)

    assert a.grad == -8.0
    box.close()


def test_a_result_that_is_its_input_adds_to_it(submitted):
    """Only a whole walk shows what it hands on: what the input held before stays."""
    student = submitted(CLOSURES.replace("raise ZeroDivisionError", "return") + IDENTITY + WALK)
    (a,) = student.leaves(a=3.0)
    a.grad = 10.0

    hand_on(student, a.relu(), -4.0)

    assert a.grad == 6.0


def test_closures_that_are_given_the_gradient_are_left_to_the_engine(submitted):
    """Nobody else knows what they take, so their graphs are made by operations alone."""
    engine = (
        (CLOSURES + WALK)
        .replace("_backward()", "_backward(g)")
        .replace("out.grad", "g")
        .replace("lambda:", "lambda g:")
    )
    student = submitted(engine.replace("node._backward(g)", "node._backward(node.grad)"))
    a, b = student.leaves(a=3.0, b=2.0)
    a.grad = 10.0

    hand_on(student, a * b, -4.0)

    assert (a.grad, b.grad) == (2.0, -12.0)
    assert own_nodes(student, REUSE) is None


def test_nodes_that_operations_make_begin_without_a_gradient(submitted):
    """A gradient that is None until something arrives is 0 before a walk, as in nodes that a check makes."""
    engine = PAIRS.replace("_local_grads", "slopes").replace("_children", "inputs")
    later = """
    def backward(self, grad=1.0):
        self.grad = grad + (self.grad or 0.0)
        for node, slope in zip(self.inputs, self.slopes):
            node.backward(slope * grad)
"""

    nodes = graph(submitted(engine + later), REUSE)

    assert [nodes[name].grad for name in "abcd"] == [0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("marked", ["node.op", "not node.leaf", "node.depth", "node.op and node.depth > 0"])
def test_own_nodes_have_the_marks_of_operations(submitted, marked):
    """A walk may ask for anything that operations set; that a sum is wrong does not matter."""
    engine = CLOSURES.replace(
        "out = Value(self.data + other.data, (self, other))",
        """out = Value(7.0, (self, other))
        out.op, out.leaf, out.depth = "+", False, 1 + max(self.depth, other.depth)""",
    ).replace("lambda: None", 'lambda: None; self.op, self.leaf, self.depth = "", True, 0')
    graph = own_nodes(
        submitted(engine + WALK.replace("node._backward()", f"({marked}) and node._backward()")), REUSE
    )

    graph["d"].backward()

    assert [graph[name].grad for name in "abcd"] == [96.0, 28.0, 12.0, 1.0]
    assert [graph[name].data for name in "abcd"] == [0.0, 1.0, 0.0, 1.0]


def test_own_nodes_are_nodes_of_their_own(submitted):
    """Also where an operation gives an earlier result, changes its inputs or cannot be called."""
    engine = (CLOSURES + WALK).replace(
        "out = Value(self.data + other.data, (self, other))",
        "self.data = self.grad = 9.0; self.inputs.append(self); return self",
    )
    engine = engine.replace("self.data * other.data", "1 / 0").replace(
        ".inputs", "._prev"
    )  # the course's name
    graph = own_nodes(submitted(engine), REUSE)

    graph["d"].backward()

    assert [graph[name].grad for name in "abcd"] == [96.0, 28.0, 12.0, 1.0]


REUSE = {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 16, "c": 12}}
IDENTITY = """
    def relu(self):
        return self
"""
WALK = """
    def backward(self):
        order, seen = [], set()
        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node.inputs:
                    visit(child)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""


@pytest.mark.parametrize(
    "change",
    [("self.grad += out.grad", "self.grad = 7.0"), ("out._backward = ", "self._backward = ")],
    ids=["a contribution", "on an input"],
)
def test_own_nodes_are_walked_by_the_engine(submitted, change):
    """The check says what nodes are made of, the student's `backward` walks them: wrong operations do not matter."""
    engine = CLOSURES.replace(*change) + WALK
    graph = own_nodes(submitted(engine), REUSE)

    graph["d"].backward()

    assert graph.log() == ["d", "c", "b"]
    assert [graph[name].grad for name in "abcd"] == [96.0, 28.0, 12.0, 1.0]


SLOTS = """__slots__ = ("data", "grad", "op", "inputs")

    def _backward(self):
        raise ZeroDivisionError

    def __init__("""


@pytest.mark.parametrize(
    "engine", [WHOLE, "Value = None", "Value = float", WHOLE.replace("def __init__(", SLOTS)]
)
def test_some_engines_have_no_nodes_that_a_check_can_make(submitted, engine):
    """Where nothing shows how a node knows its inputs and its rule, or its rule cannot be replaced, there is none."""
    assert own_nodes(submitted(engine), REUSE) is None


def test_operations_work_or_do_not(submitted):
    """A walk is tried through operations only where these are right."""
    assert works(submitted(CLOSURES), "+", "*")
    assert works(submitted(PAIRS.replace("None", "0.0")), "+", "*")


@pytest.mark.parametrize(
    "broken",
    [
        ("self.grad += out.grad", "self.grad -= out.grad"),
        ("self.grad += out.grad", "self.grad = out.grad"),
        ("other.grad += out.grad", ""),
        ("self.grad += other.data", "self.grad += self.data"),
        ("Value(self.data + other.data, (self, other))", "Value(self.data + other.data, ())"),
        ("__radd__, __rmul__ = __add__, __mul__", "__rmul__ = __mul__"),
        ("return out", "return out.data"),
    ],
)
def test_one_fault_is_enough(submitted, broken):
    """A sign, `=`, a lost input, the own factor, no children, no number on the left, no node."""
    assert CLOSURES.replace(*broken) != CLOSURES
    assert not works(submitted(CLOSURES.replace(*broken)), "+", "*")


# --- Orders of calls

DIAMOND = {"b": {"a": 1.0}, "c": {"a": 3.0}, "d": {"b": 12.0, "c": 5.0}}


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (["b", "c"], "leaves out the root. d is seeded with 1"),
        (["b", "c", "d"], "goes from the inputs to the output."),
        (["d", "c"], "leaves out b, so what b has to hand on never reaches a."),
        (["d", "b", "c", "b"], "lists b more than once, so it hands on to a each time."),
        (["c", "d", "b"], "lists c before d: c hands its gradient on before d has added to it"),
        ([], "leaves out the root."),
    ],
)
def test_the_first_thing_that_an_order_loses(order: list[str], words: str) -> None:
    assert _order_words(order, DIAMOND).startswith(words)


ARRAYS = """
import numpy as np


class Tensor:
    def __init__(self, data, inputs=()):
        self.data, self.inputs = np.array(data, dtype=float), inputs
        self.grad, self._backward = np.zeros_like(self.data), lambda: None

    def double(self):
        out = Tensor(2 * self.data, (self,))

        def _backward():
            self.grad += 2 * out.grad

        out._backward = _backward
        return out

    def __mul__(self, numbers):
        out = Tensor(self.data * numbers, (self,))

        def _backward():
            self.grad += numbers * out.grad

        out._backward = _backward
        return out

    def backward(self):
        self.grad += 1.0
        for node in (self, *self.inputs):
            node._backward()

    def forgetful(self):
        return Tensor(2 * self.data)
"""


@pytest.mark.parametrize(("method", "gradient"), [("double", [3.0, -3.0]), ("forgetful", [1.0, 1.0])])
def test_a_result_of_arrays_hands_on(launcher, method, gradient):
    """Times an array of upstream gradients; one that holds no inputs hands on nothing."""
    box = Sandbox(launcher, [ARRAYS], Limits(), ["numpy"], arrays=True)
    student = AutogradStudent(box)
    (x,) = student.leaves(x=[4.0, 5.0])
    x.grad = student.array([1.0, 1.0])

    hand_on(student, getattr(x, method)(), student.array([1.0, -2.0]))

    assert x.grad == gradient
    assert box.record.given.keys() == {"x.grad", f"x.{method}().grad"}
    box.close()


def test_a_test_that_runs_once_more_has_the_same_random_numbers():
    """Else a case of the oracle in its second run would have no record."""
    student = SimpleNamespace(
        engine=SimpleNamespace(renames=()),
        watched=lambda: False,
        node_class=None,
        helper=lambda *_: lambda *_: True,
    )
    drawn = []

    @apart_from_unbroadcast
    def once(student, rng):
        drawn.append(rng.random())
        assert len(drawn) == 2

    once(student, rng=random.Random(1))

    assert drawn[0] == drawn[1]
