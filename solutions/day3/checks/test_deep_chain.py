"""A chain of 5,000 nodes: recursion reaches Python's limit, an iterative sort does not."""

from pytest import approx


def test_own_engine_hundred(student):
    """100 sums on the student's own Values."""
    (a,) = student.leaves(a=1.0)
    total = a
    for _ in range(100):
        total = total + a
    student.backward(total)
    assert a.grad == approx(101.0)
