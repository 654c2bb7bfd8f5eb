"""A value on two paths: L = (a·b + c)·(a + b), walked in complex_order."""

from pytest import approx

from grader.autograd import judge_order, own_nodes, walk


def build(student, a, b, c):
    a, b, c = student.leaves(a=a, b=b, c=c)
    (p,) = student.name(p=a * b)
    q, s = student.name(q=p + c, s=a + b)
    (L,) = student.name(L=q * s)
    return (a, b, c), {"L": L, "q": q, "s": s, "p": p}


def test_grads(answers):
    """complex_grads holds the gradients of a, b and c."""
    answers.judge("complex_grads")


def test_order(student):
    """Walked in complex_order, on other leaves than in the lesson, every gradient arrives whole."""
    inner = {"p": {"a": 2, "b": 3}, "q": {"p": 1, "c": 1}, "s": {"a": 1, "b": 1}, "L": {"q": 5, "s": 2}}
    judge_order(student, "complex_order", {"a": {}, "b": {}, "c": {}, **inner})


def test_reset(student):
    """reset_grads(a, b, c) sets each gradient back to 0 and leaves the values alone."""
    a, b, c = student.Value(2.0), student.Value(-3.0), student.Value(10.0)
    a.grad, b.grad, c.grad = 5.0, -6.0, 7.0
    student.reset_grads(a, b, c)
    grads = a.grad, b.grad, c.grad
    student.note("(a.grad, b.grad, c.grad)", grads)
    assert grads == approx((0.0, 0.0, 0.0))
    assert (a.data, b.data, c.data) == approx((2.0, -3.0, 10.0))


def test_reset_any_number(student):
    """reset_grads takes any number of values: one, or two that have the same data."""
    a, b = student.Value(2.0), student.Value(2.0)
    a.grad = 5.0
    student.reset_grads(a)
    assert a.grad == approx(0.0)
    a.grad, b.grad = 1.0, -2.0
    student.reset_grads(a, b)
    assert (a.grad, b.grad) == approx((0.0, 0.0))


def test_engine(student):
    """Through your + and ×, walked from the root, both paths add up in a and in b."""
    student.glance("complex_order")  # before that, nothing is wrong here: the section is still to be done
    (a, b, c), nodes = build(student, 3.0, 2.0, -4.0)
    walk([nodes[name] for name in ("L", "q", "s", "p")], nodes["L"])
    assert a.grad == approx(12.0)
    assert b.grad == approx(17.0)
    assert c.grad == approx(5.0)


def test_walk_again(student):
    """After reset_grads over every node, inner ones too, a second walk gives the same gradients as the first."""
    inner = {"p": {"a": 2, "b": 3}, "q": {"p": 1, "c": 1}, "s": {"a": 1, "b": 1}, "L": {"q": 5, "s": 2}}
    nodes = own_nodes(student, {"a": {}, "b": {}, "c": {}, **inner})
    if nodes is None:  # of the student's operations, right or not: the second walk is compared with the first
        (a, b, c), made = build(student, 3.0, 2.0, -4.0)
        L, q, s, p = made.values()
        walk([L, q, s, p], L)
        expected = a.grad, b.grad, c.grad
    else:
        a, b, c, p, q, s, L = nodes.nodes.values()
        expected = (12.0, 17.0, 5.0)
    for _ in range(2):
        student.reset_grads(a, b, c, p, q, s, L)
        walk([L, q, s, p], L)
        assert (a.grad, b.grad, c.grad) == approx(expected)
