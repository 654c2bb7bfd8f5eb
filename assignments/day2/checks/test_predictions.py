"""Predicted gradients: what you wrote down on paper is what a walk gives."""

import pytest
from pytest import approx

from grader.autograd import trusted, walk

LATER = "Your predictions are compared with your own engine as soon as + and × pass."


def test_product(student):
    """product_grads holds the gradients of a, b, c and d."""
    answer = student.product_grads
    if not trusted(student):
        pytest.skip(LATER)
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    d = a * b
    L = d + c
    walk([L, d], L)
    assert answer == approx({"a": a.grad, "b": b.grad, "c": c.grad, "d": d.grad})


def test_sum_times(student):
    """sum_times_grads holds the gradients of a, b, c and e."""
    answer = student.sum_times_grads
    if not trusted(student):
        pytest.skip(LATER)
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    e = a + b
    f = e * c
    walk([f, e], f)
    assert answer == approx({"a": a.grad, "b": b.grad, "c": c.grad, "e": e.grad})


@pytest.mark.parametrize(("expression", "right"), [("a + a", 2.0), ("a * a", 6.0)])
def test_twice_with_assignment(student, expression, right):
    """twice_with_assignment says what `=` would leave: the contribution that is written last, alone."""
    answer = student.twice_with_assignment
    assert isinstance(answer, dict), "`twice_with_assignment` must be a dictionary."
    assert set(answer) == {"a + a", "a * a"}, "`twice_with_assignment` has the keys 'a + a' and 'a * a'."
    assert answer[expression] != approx(right), (
        f"The {right:g} for '{expression}' is the right gradient. The question is what `=` would leave of it."
    )
    if not trusted(student):
        pytest.skip(LATER)
    # Two leaves of the same value: what the second one gets is the contribution that `=` leaves.
    u, v, x, y = (leaf for _ in range(4) for leaf in student.leaves(a=3.0))
    added, multiplied = u + v, x * y
    walk([added], added)
    walk([multiplied], multiplied)
    assert answer == approx({"a + a": v.grad, "a * a": y.grad})


def test_neuron(student):
    """neuron_grads holds the gradients of x1, w1, x2, w2, b and n."""
    answer = student.neuron_grads
    if not trusted(student, tanh=True):
        pytest.skip("Your predictions are compared with your own engine as soon as +, × and tanh pass.")
    x1, x2, w1, w2, b = student.leaves(x1=2.0, x2=0.0, w1=-3.0, w2=1.0, b=6.8813735870195432)
    left, right = x1 * w1, x2 * w2
    both = left + right
    n = both + b
    o = n.tanh()
    walk([o, n, both, left, right], o)
    measured = {"x1": x1.grad, "w1": w1.grad, "x2": x2.grad, "w2": w2.grad, "b": b.grad, "n": n.grad}
    assert answer == approx(measured, abs=1e-4)
