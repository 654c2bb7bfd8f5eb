"""What a step finds in a gradient that was cleared before, and in one that was not."""

from pytest import approx


def test_every_parameter(student, rng):
    """Every parameter of a longer list is cleared, whatever its gradient was."""
    numbers = {name: rng.uniform(1, 4) for name in "abcde"}
    leaves = student.leaves(**numbers)
    for leaf in leaves:
        leaf.grad = rng.uniform(-4, 4)
    student.zero_grad(list(leaves))
    assert [leaf.grad or 0.0 for leaf in leaves] == [0.0] * 5
    assert [leaf.data for leaf in leaves] == approx(list(numbers.values()))


def test_only_its_own(student, rng):
    """Only the parameters on the list are cleared; a list of one is a list."""
    x, y = rng.uniform(1, 4), rng.uniform(-4, -1)
    a, b = student.leaves(a=x, b=y)
    a.grad, b.grad = y, x
    student.zero_grad([b])
    assert a.grad == approx(y)
    assert (b.grad or 0.0) == 0.0
