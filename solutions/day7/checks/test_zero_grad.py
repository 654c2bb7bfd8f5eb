"""Zeros of the shape of the data, for every parameter."""


def test_three(student):
    """Three parameters of other shapes, one of them a number."""
    p, q, r = student.leaves(p=[1.0, -2.0, 0.5], q=[[4.0], [0.5]], r=8.0)
    optimizer = student.SGD([p, q, r], 0.5, 0.5)
    p.grad, q.grad, r.grad = (
        student.array([4.0, 8.0, -1.0]),
        student.array([[2.0], [-4.0]]),
        student.array(2.0),
    )
    optimizer.zero_grad()
    assert p.grad == [0.0, 0.0, 0.0]
    assert q.grad == [[0.0], [0.0]]
    assert r.grad == 0.0
    assert p.data == [1.0, -2.0, 0.5]
