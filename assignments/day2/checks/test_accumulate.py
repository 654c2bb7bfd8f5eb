"""+= and not =: a value that is used twice collects both contributions."""

from pytest import approx


def test_a_plus_a(student):
    """In L = a + a, two contributions of 1 arrive at a, so a.grad is 2."""
    (a,) = student.leaves(a=3.0)
    L = a + a
    L.grad = 1.0
    L._backward()
    assert a.grad == approx(2.0)


def test_a_times_a(student):
    """In L = a * a with a = 3, two contributions of 3 arrive at a, so a.grad is 6."""
    (a,) = student.leaves(a=3.0)
    L = a * a
    L.grad = 1.0
    L._backward()
    assert a.grad == approx(6.0)


def test_sum_adds_to_what_is_there(student):
    """In L = a + b, what a.grad and b.grad held before stays in them."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.grad, b.grad = 10.0, 20.0
    L = a + b
    L.grad = 1.0
    L._backward()
    assert a.grad == approx(11.0)
    assert b.grad == approx(21.0)


def test_product_adds_to_what_is_there(student):
    """In L = a * b, what a.grad and b.grad held before stays in them."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.grad, b.grad = 10.0, 20.0
    L = a * b
    L.grad = 1.0
    L._backward()
    assert a.grad == approx(7.0)
    assert b.grad == approx(22.0)
