"""PyTorch agrees: L.backward() on your own Values gives the same gradients."""

import pytest
from _helpers import assert_knows
from pytest import approx


def shared(a, b, c):
    s = a * b + c
    return s * s + s * a


def nothing(a, b, c):
    s = a + 3 * b  # 0 at the leaves of the test
    return s * c + (s.tanh() + 3 * b + a) * a


OPERATIONS = {
    "+": (lambda a, b: a + b, 2),
    "*": (lambda a, b: a * b, 2),
    "tanh": (lambda a: a.tanh(), 1),
}
EXPRESSIONS = {
    "equal operands": lambda a, b, c: ((c + c) * b + a * b) * ((c + c + b) + 2 * (a + b)),
    "a zero within": nothing,
    "square of a sum": lambda a, b, c: (a + b + c) * (a + b + c),
    "constants": lambda a, b, c: 1 + 2 * a + b * 0.5 + (c + 1),
    "equal values": lambda a, b, c: (a * b) * (c * -1) + c,
    "tanh": lambda a, b, c: a.tanh() * b + a + c,
    "shared": shared,
}


def test_method(student):
    """`L.backward()` runs your `backward` on L (section 4): in L = a * b, a.grad is b's number."""
    a, b = student.leaves(a=2.5, b=-3.5)
    L = a * b
    L.backward()
    assert (a.grad, b.grad) == approx((-3.5, 2.5))


@pytest.mark.parametrize("sign", OPERATIONS)
def test_result_knows_its_inputs(student, sign):
    """The result of +, * and tanh keeps the Values that it was made from in `_prev`."""
    operation, count = OPERATIONS[sign]
    inputs = (student.Value(2.0), student.Value(-3.0))[:count]
    assert_knows(student, operation(*inputs), inputs, sign)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, name):
    """The value and the gradient of every leaf are PyTorch's."""
    expected = oracle(EXPRESSIONS[name], a=1.5, b=-0.5, c=0.75)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
