"""exp, tanh and relu: one input, one local gradient, times upstream."""

from pytest import approx


def test_exp(student):
    """In y = 2 * x.exp() with x = 0.5, y and x.grad are both 3.2974."""
    (x,) = student.leaves(x=0.5)
    y = 2 * x.exp()
    y.backward()
    assert (y.data, x.grad) == approx((3.2974425414, 3.2974425414))


def test_exp_used_again(student):
    """In y = x.exp() + x with x = -1, x collects from both uses."""
    (x,) = student.leaves(x=-1.0)
    y = x.exp() + x
    y.backward()
    assert (y.data, x.grad) == approx((-0.6321205588, 1.3678794412))


def test_tanh(student):
    """In y = 2 * x.tanh() with x = 0.5, x.grad is 1.5729."""
    (x,) = student.leaves(x=0.5)
    y = 2 * x.tanh()
    y.backward()
    assert (y.data, x.grad) == approx((0.9242343145, 1.5728954660))


def test_tanh_used_again(student):
    """In y = x.tanh() + x with x = -0.8, x collects from both uses."""
    (x,) = student.leaves(x=-0.8)
    y = x.tanh() + x
    y.backward()
    assert (y.data, x.grad) == approx((-1.4640367703, 1.5590551677))


def test_relu(student):
    """In y = 3 * a.relu() + 5 * b.relu() the positive a passes 3, the negative b nothing."""
    a, b = student.leaves(a=0.5, b=-4.0)
    y = 3 * a.relu() + 5 * b.relu()
    y.backward()
    assert y.data == approx(1.5)
    assert (a.grad, b.grad) == approx((3.0, 0.0))


def test_relu_used_again(student):
    """In y = x.relu() + x, x collects 2 where it is positive and 1 where it is negative."""
    a, b = student.leaves(a=3.0, b=-2.0)
    y, z = a.relu() + a, b.relu() + b
    y.backward()
    z.backward()
    assert (y.data, z.data) == approx((6.0, -2.0))
    assert (a.grad, b.grad) == approx((2.0, 1.0))


def relu_sum(student, **numbers):
    a, b, d = student.leaves(**numbers)
    c = a * b
    e = c + d
    f = e.relu()
    student.name(c=c, e=e, f=f)
    f.backward()
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f}


def test_relu_sum(student):
    """With a = 4, b = -2, d = 10.5: f is 2.5, and the gradients are those of a·b + d."""
    nodes = relu_sum(student, a=4.0, b=-2.0, d=10.5)
    a, b, c, d, e, f = nodes.values()
    assert f.data == approx(2.5)
    assert (a.grad, b.grad, c.grad, d.grad, e.grad) == approx((-2.0, 4.0, 1.0, 1.0, 1.0))


def test_dead_relu_sum(student):
    """With a = 4, b = -2, d = 5 the sum is negative: f is 0, and so is every gradient before relu."""
    nodes = relu_sum(student, a=4.0, b=-2.0, d=5.0)
    a, b, _, d, e, f = nodes.values()
    assert (f.data, f.grad) == approx((0.0, 1.0))
    assert (a.grad, b.grad, d.grad, e.grad) == approx((0.0, 0.0, 0.0, 0.0))


def test_relu_at_zero(student):
    """In y = x.relu() + 3 * x with x = 0, y is 0, and x.grad is 3 or 4."""
    (x,) = student.leaves(x=0.0)
    y = x.relu() + 3 * x
    y.backward()
    assert y.data == approx(0.0)
    assert 3.0 <= x.grad <= 4.0
