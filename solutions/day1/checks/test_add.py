"""+ makes a new Value that holds the sum, both inputs and the operation."""

from pytest import approx

from grader.autograd import assert_made_from


def test_random(student, rng):
    """Random leaves."""
    x, y = rng.uniform(1, 5), rng.uniform(-9, -6)
    a, b = student.leaves(a=x, b=y)
    L = a + b
    assert_made_from(L, a, b)
    assert (L.data, a.data, b.data) == approx((x + y, x, y))
    assert L._op == "+"


def test_chain(student, rng):
    """Three leaves: the inner node is a child of the root."""
    x, y, z = rng.uniform(1, 5), rng.uniform(-9, -6), rng.uniform(0.2, 0.8)
    a, b, c = student.leaves(a=x, b=y, c=z)
    inner = a + b
    L = inner + c
    assert_made_from(inner, a, b)
    assert_made_from(L, inner, c)
    assert (L.data, inner.data) == approx((x + y + z, x + y))
    assert (L._op, inner._op) == ("+", "+")


def test_used_again(student, rng):
    """A leaf in two operations stays what it is; each result holds its own inputs."""
    x, y, z = rng.uniform(1, 5), rng.uniform(-9, -6), rng.uniform(1e5, 2e5)
    a, b, c = student.leaves(a=x, b=y, c=z)
    first, second = a + b, c + a
    assert_made_from(first, a, b)
    assert_made_from(second, c, a)
    assert (first.data, second.data) == approx((x + y, z + x))
    assert_made_from(a)
    assert (a.data, b.data, c.data) == approx((x, y, z))


def test_equal_numbers(student):
    """Two leaves that hold the same number are two children."""
    a, b = student.leaves(a=2.5, b=2.5)
    L = a + b
    assert_made_from(L, a, b)
    assert L.data == approx(5.0)


def test_ints(student):
    """Ints compute like floats."""
    a, b = student.leaves(a=4, b=-7)
    L = a + b
    assert_made_from(L, a, b)
    assert L.data == approx(-3)
