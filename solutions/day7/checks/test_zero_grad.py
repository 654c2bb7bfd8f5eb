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


def test_arrays_of_their_own(student):
    """Two parameters of one shape: what one gets in place afterwards does not reach the other, and zeros come anew."""
    p, q = student.leaves(p=[1.0, -2.0], q=[4.0, 0.5])
    optimizer = student.SGD([p, q], 0.5, 0.5)
    add = student.helper("def add(tensor, number):\n    tensor.grad += number\n", "add")
    for _ in range(2):
        optimizer.zero_grad()
        add(p, 8.0)
        assert p.grad == [8.0, 8.0]
        assert q.grad == [0.0, 0.0]
