"""sum() over values: Python begins with the number 0 on the left, 0 + value."""

from pytest import approx

from grader.autograd import hand_on


def test_sum(student):
    """A sum([a, b, a]) counts a twice."""
    a, b = student.leaves(a=2.0, b=5.0)
    a.grad = b.grad = 0.0
    L = sum([a, b, a])
    hand_on(student, L)
    assert L.data == approx(9.0)
    assert (a.grad, b.grad) == approx((2.0, 1.0))


def test_sum_of_sums(student):
    """A sum of x + y over two pairs, with an upstream gradient of -4."""
    x, w, y, v = student.leaves(x=2.0, w=-3.0, y=4.0, v=0.5)
    x.grad = w.grad = y.grad = v.grad = 0.0
    L = sum(left + right for left, right in [(x, w), (y, v)])
    hand_on(student, L, -4.0)
    assert L.data == approx(3.5)
    assert (x.grad, w.grad, y.grad, v.grad) == approx((-4.0, -4.0, -4.0, -4.0))
