"""PyTorch agrees: L.backward() on your own Values gives the same gradients."""

import pytest
from _helpers import assert_knows
from pytest import approx


def shared(a, b, c):
    s = a * b + c
    return s * s + s * a


EXPRESSIONS = {
    "sum of products": lambda a, b, c: a * b + c * a,
    "square of a sum": lambda a, b, c: (a + b + c) * (a + b + c),
    "constants": lambda a, b, c: 2 * a + b * 0.5 + c + 1,
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


def test_tanh_knows_its_input(student):
    """The result of tanh keeps the Value that it was made from in `_prev`."""
    a = student.Value(2.0)
    assert_knows(student, a.tanh(), [a], "tanh")


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, name):
    """The value and the gradient of every leaf are PyTorch's."""
    expected = oracle(EXPRESSIONS[name], a=1.5, b=-0.5, c=0.75)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
