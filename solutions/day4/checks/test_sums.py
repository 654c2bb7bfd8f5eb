"""sum() over values: Python begins with the number 0 on the left, 0 + value."""

from pytest import approx


def test_many(student, rng):
    """A sum of twelve leaves."""
    numbers = {f"x{i}": rng.uniform(-5, 5) for i in range(12)}
    leaves = student.leaves(**numbers)
    L = sum(leaves)
    L.backward()
    assert L.data == approx(sum(numbers.values()))
    assert [leaf.grad for leaf in leaves] == approx([1.0] * 12)


def test_sum_of_squares(student, rng):
    """A sum of a * a over leaves: each gets twice its value."""
    numbers = {name: rng.uniform(1, 5) for name in "abc"}
    leaves = student.leaves(**numbers)
    L = sum(leaf * leaf for leaf in leaves)
    L.backward()
    assert [leaf.grad for leaf in leaves] == approx([2 * x for x in numbers.values()])


def test_start(student, rng):
    """A sum with a start of its own, and a sum that is used again."""
    x, y = rng.uniform(1, 5), rng.uniform(-5, -1)
    a, b = student.leaves(a=x, b=y)
    total = sum([a, b], 10)
    L = total * a
    L.backward()
    assert L.data == approx((x + y + 10) * x)
    assert (a.grad, b.grad) == approx((2 * x + y + 10, x))
