"""**, exp, log, tanh and relu: upstream times local derivative, entry by entry."""

import math

from pytest import approx

from grader.autograd import hand_on


def test_power(student):
    """A fraction as the exponent, and a whole number."""
    (x,) = student.leaves(x=[[4.0], [16.0]])
    out = x**0.5
    hand_on(student, out, student.array([[2.0], [-8.0]]))
    assert x.grad == [[0.5], [-1.0]]
    (y,) = student.leaves(y=[[4.0, -0.5]])
    out = y**2
    hand_on(student, out, student.array([[0.5, 3.0]]))
    assert y.grad == [[4.0, -3.0]]


def test_exp(student, rng):
    """A matrix of random numbers."""
    numbers = [[rng.uniform(-2, 2) for _ in range(3)] for _ in range(2)]
    (x,) = student.leaves(x=numbers)
    out = x.exp()
    hand_on(student, out, student.array([[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]]))
    slopes = [[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]]
    assert x.grad == approx(
        [[g * math.exp(v) for g, v in zip(*rows, strict=True)] for rows in zip(slopes, numbers, strict=True)]
    )


def test_log(student, rng):
    """A column of random numbers."""
    numbers = [rng.uniform(0.5, 4) for _ in range(3)]
    (x,) = student.leaves(x=[[v] for v in numbers])
    out = x.log()
    hand_on(student, out, student.array([[1.5], [-2.0], [0.5]]))
    assert x.grad == approx([[g / v] for g, v in zip((1.5, -2.0, 0.5), numbers, strict=True)])


def test_tanh(student, rng):
    """A row of random numbers."""
    numbers = [rng.uniform(-1.5, 1.5) for _ in range(3)]
    (x,) = student.leaves(x=numbers)
    out = x.tanh()
    hand_on(student, out, student.array([1.5, -2.0, 0.5]))
    assert x.grad == approx(
        [g * (1 - math.tanh(v) ** 2) for g, v in zip((1.5, -2.0, 0.5), numbers, strict=True)]
    )


def test_relu(student):
    """Small and large numbers of either sign, and negative upstream gradients."""
    (x,) = student.leaves(x=[0.125, -64.0, -0.125, 64.0])
    out = x.relu()
    hand_on(student, out, student.array([-2.0, -4.0, 8.0, 0.5]))
    assert x.grad == [-2.0, 0.0, 0.0, 0.5]


def test_one_number(student):
    """Tensors without axes, each of which makes two results: each hands on a gradient of its own."""
    x, y, z, u, v = student.leaves(x=0.5, y=0.5, z=0.5, u=0.5, v=0.5)
    results = [
        (x**2, x**3),
        (y.exp(), y.exp()),
        (z.log(), z.log()),
        (u.tanh(), u.tanh()),
        (v.relu(), v.relu()),
    ]
    for first, second in results:
        hand_on(student, first, student.array(4.0))
        hand_on(student, second, student.array(-8.0))
    assert x.grad == -2.0
    assert y.grad == approx(-4 * math.exp(0.5))
    assert z.grad == -8.0
    assert u.grad == approx(-4 * (1 - math.tanh(0.5) ** 2))
    assert v.grad == -4.0
