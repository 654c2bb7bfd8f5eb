"""f = relu(a·b + d): its gradients on paper and in the engine."""

from pytest import approx


def relu_sum(student, **numbers):
    a, b, d = student.leaves(**numbers)
    c = a * b
    e = c + d
    f = e.relu()
    student.name(c=c, e=e, f=f)
    f.backward()
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f}


def test_engine(student):
    """With a = 4, b = -2, d = 10.5: f is 2.5, and the gradients are those of a·b + d."""
    nodes = relu_sum(student, a=4.0, b=-2.0, d=10.5)
    a, b, c, d, e, f = nodes.values()
    assert f.data == approx(2.5)
    assert (a.grad, b.grad, c.grad, d.grad, e.grad) == approx((-2.0, 4.0, 1.0, 1.0, 1.0))


def test_dead(student):
    """With a = 4, b = -2, d = 5 the sum is negative: f is 0, and so is every gradient before relu."""
    nodes = relu_sum(student, a=4.0, b=-2.0, d=5.0)
    a, b, _, d, e, f = nodes.values()
    assert (f.data, f.grad) == approx((0.0, 1.0))
    assert (a.grad, b.grad, d.grad, e.grad) == approx((0.0, 0.0, 0.0, 0.0))


def test_prediction(answers):
    """relu_sum_grads holds the gradients of a, b, c, d and e."""
    answers.judge("relu_sum_grads")
