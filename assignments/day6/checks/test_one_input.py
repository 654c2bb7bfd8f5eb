"""**, exp, log, tanh and relu: upstream times local derivative, entry by entry."""

import math

import pytest
from pytest import approx

from grader.autograd import hand_on


def test_power(student):
    """In x ** 3, where x holds a gradient already, and in y ** -1."""
    (x,) = student.leaves(x=[[0.0, -2.0, 0.5]])
    x.grad = student.array([[1.0, 2.0, 4.0]])
    out = x**3
    hand_on(student, out, student.array([[2.0, 0.5, -4.0]]))
    assert x.grad == [[1.0, 8.0, 1.0]]
    (y,) = student.leaves(y=[2.0, -4.0, 0.5])
    out = y**-1.0
    hand_on(student, out, student.array([4.0, 16.0, 0.25]))
    assert out.data == [0.5, -0.25, 2.0]
    assert y.grad == [-1.0, -1.0, -1.0]


def test_exp(student):
    """In x.exp(), where x holds a gradient already."""
    (x,) = student.leaves(x=[0.0, 1.0, -0.5])
    x.grad = student.array([1.0, 2.0, 4.0])
    out = x.exp()
    hand_on(student, out, student.array([2.0, 0.5, -4.0]))
    assert out.data == approx([1.0, math.e, math.exp(-0.5)])
    assert x.grad == approx([3.0, 2 + 0.5 * math.e, 4 - 4 * math.exp(-0.5)])


def test_log(student):
    """In x.log(), where x holds a gradient already."""
    (x,) = student.leaves(x=[1.0, 4.0, 0.5])
    x.grad = student.array([1.0, 2.0, 4.0])
    out = x.log()
    hand_on(student, out, student.array([2.0, 0.5, -4.0]))
    assert out.data == approx([0.0, math.log(4), math.log(0.5)])
    assert x.grad == approx([3.0, 2.125, -4.0])


def test_tanh(student):
    """In x.tanh(), where x holds a gradient already."""
    (x,) = student.leaves(x=[0.0, 1.0, -0.5])
    x.grad = student.array([1.0, 2.0, 4.0])
    out = x.tanh()
    hand_on(student, out, student.array([2.0, 0.5, -4.0]))
    t, u = math.tanh(1.0), math.tanh(-0.5)
    assert out.data == approx([0.0, t, u])
    assert x.grad == approx([3.0, 2 + 0.5 * (1 - t * t), 4 - 4 * (1 - u * u)])


def test_relu(student):
    """In x.relu() of a matrix, where x holds a gradient already."""
    (x,) = student.leaves(x=[[2.0, -1.0], [-0.5, 8.0]])
    x.grad = student.array([[1.0, 2.0], [4.0, 0.5]])
    out = x.relu()
    hand_on(student, out, student.array([[3.0, 5.0], [7.0, -2.0]]))
    assert out.data == [[2.0, 0.0], [0.0, 8.0]]
    assert x.grad == [[4.0, 2.0], [4.0, -1.5]]


FAR = {
    "exp": ([-20.0, -8.0, -0.01, 4.0, 9.0, 20.0], math.exp, math.exp),
    "log": ([1e-6, 0.01, 30.0, 4e5], math.log, lambda v: 1 / v),
    "tanh": ([-30.0, -4.0, 0.01, 3.0, 20.0], math.tanh, lambda v: 1 - math.tanh(v) ** 2),
    "relu": ([-9000.0, -40.0, -0.01, 0.01, 40.0, 90000.0], lambda v: max(v, 0.0), lambda v: float(v > 0)),
}


@pytest.mark.parametrize("name", FAR)
def test_far(student, name):
    """Far from 0 and near it, with an upstream gradient of 1000, or 4 for tanh, the same rules hold."""
    numbers, value, slope = FAR[name]
    upstream = 4.0 if name == "tanh" else 1000.0  # few digits are left of 1 - tanh² in single precision
    (x,) = student.leaves(x=numbers)
    out = getattr(x, name)()
    hand_on(student, out, student.array([upstream] * len(numbers)))
    assert out.data == approx([value(v) for v in numbers])
    assert x.grad == approx([upstream * slope(v) for v in numbers], rel=1e-5, abs=1e-6)
    assert x.data == approx(numbers)


def test_power_far(student):
    """In x ** n for small and large numbers and exponents, with an upstream gradient of 1000, the same rule holds."""
    for n in (2, 3, -1, -4, 9):
        numbers = [0.02, -0.5, 1.5, -60.0, 300.0]
        (x,) = student.leaves(x=numbers)
        out = x**n
        hand_on(student, out, student.array([1000.0] * 5))
        assert out.data == approx([v**n for v in numbers])
        assert x.grad == approx([1000 * n * v ** (n - 1) for v in numbers])
        assert x.data == approx(numbers)
