"""What a step finds in a gradient that was cleared before, and in one that was not."""

from pytest import approx


def held(leaf):
    """The gradient after zero_grad; None counts as 0."""
    return 0.0 if (grad := leaf.grad) is None else grad


def test_every_parameter(student, rng):
    """Every parameter of a longer list is cleared, whatever its gradient was."""
    numbers = {name: rng.uniform(1, 4) for name in "abcde"}
    leaves = student.leaves(**numbers)
    for leaf in leaves:
        leaf.grad = rng.uniform(-4, 4)
    student.zero_grad(list(leaves))
    assert [held(leaf) for leaf in leaves] == [0.0] * 5
    assert [leaf.data for leaf in leaves] == approx(list(numbers.values()))


def test_only_its_own(student, rng):
    """Only the parameters on the list are cleared; a list of one is a list."""
    x, y = rng.uniform(1, 4), rng.uniform(-4, -1)
    a, b = student.leaves(a=x, b=y)
    a.grad, b.grad = y, x
    student.zero_grad([b])
    assert a.grad == approx(y)
    assert held(b) == 0.0
