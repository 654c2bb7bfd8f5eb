"""Powers with a constant exponent: whole, negative, fractions."""

from pytest import approx


def test_power_of_power(student, rng):
    """(a**3)**2: the inner power receives an upstream gradient."""
    x = rng.uniform(1.1, 1.6)
    (a,) = student.leaves(a=x)
    inner = a**3
    L = inner**2
    L.backward()
    assert isinstance(L, student.Value)
    assert (L.data, inner.grad, a.grad) == approx((x**6, 2 * x**3, 6 * x**5))


def test_used_again(student, rng):
    """a**4 + a at a negative value."""
    x = rng.uniform(-2, -1.2)
    (a,) = student.leaves(a=x)
    L = a**4 + a
    L.backward()
    assert (L.data, a.grad) == approx((x**4 + x, 4 * x**3 + 1))


def test_exponents(student, rng):
    """Exponents -2, -0.5, 1.5 and 1."""
    x = rng.uniform(1.5, 3)
    a, b, c, d = student.leaves(a=x, b=x, c=x, d=x)
    roots = [a**-2, b**-0.5, c**1.5, d**1]
    for root in roots:
        root.backward()
    assert [root.data for root in roots] == approx([x**-2, x**-0.5, x**1.5, x])
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-2 * x**-3, -0.5 * x**-1.5, 1.5 * x**0.5, 1.0))
