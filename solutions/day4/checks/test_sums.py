"""sum() over values: Python begins with the number 0 on the left, 0 + value."""

from pytest import approx

from grader.autograd import hand_on


def test_many(student, rng):
    """A sum of twelve leaves."""
    numbers = {f"x{i}": rng.uniform(-5, 5) for i in range(12)}
    leaves = student.leaves(**numbers)
    for leaf in leaves:
        leaf.grad = 0.0
    L = sum(leaves)
    hand_on(student, L, -1.5)
    assert L.data == approx(sum(numbers.values()))
    assert [leaf.grad for leaf in leaves] == approx([-1.5] * 12)


def test_start(student, rng):
    """A sum with a start of its own, and a sum that is used again."""
    x, y = rng.uniform(1, 5), rng.uniform(-5, -1)
    a, b = student.leaves(a=x, b=y)
    total = sum([a, b], 10)
    a.grad = b.grad = total.grad = 0.0
    L = total + a
    hand_on(student, L)
    assert L.data == approx(2 * x + y + 10)
    assert (a.grad, b.grad) == approx((2.0, 1.0))
