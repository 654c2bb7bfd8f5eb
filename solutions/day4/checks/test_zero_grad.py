"""What a step finds in a gradient that was cleared before, and in one that was not."""

from pytest import approx


def test_every_parameter(student, rng):
    """A pass after zero_grad leaves the gradients of that pass alone."""
    numbers = {name: rng.uniform(1, 4) for name in "abcde"}
    leaves = student.leaves(**numbers)
    a, b, c, d, e = leaves
    (a * b + c * d + e).backward()
    student.zero_grad(list(leaves))
    assert [leaf.grad or 0.0 for leaf in leaves] == [0.0] * 5
    (a * c + b + d * e).backward()
    expected = [numbers["c"], 1.0, numbers["a"], numbers["e"], numbers["d"]]
    assert [leaf.grad for leaf in leaves] == approx(expected)
    assert [leaf.data for leaf in leaves] == approx(list(numbers.values()))


def test_only_its_own(student, rng):
    """Only the parameters on the list are cleared; a list of one is a list."""
    x, y = rng.uniform(1, 4), rng.uniform(-4, -1)
    a, b = student.leaves(a=x, b=y)
    (a * b).backward()
    student.zero_grad([b])
    assert a.grad == approx(y)
    assert (b.grad or 0.0) == 0.0
