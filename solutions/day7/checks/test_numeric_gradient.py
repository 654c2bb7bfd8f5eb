"""One entry at a time, up and down, and everything is as before."""

from pytest import approx

# Executed in the jail: a loss of two parameters, in numbers alone: the sum of p², and of p times the sum of q.
PRODUCT = """
def make(Tensor, p, q):
    p, q = Tensor(p), Tensor(q)
    return p, q, lambda: Tensor((p.data**2).sum() + p.data.sum() * (q.data**3).sum())
"""


def test_each_parameter(student):
    """The gradients of both parameters of a loss, with a nudge of 0.25; a second call gives the same."""
    p, q, loss_of = student.helper(PRODUCT, "make")(student.Tensor, [[1.0], [-2.0], [0.5]], [[2.0, -1.0]])
    for _ in range(2):
        assert student.numeric_gradient(loss_of, p, 0.25) == approx([[9.0], [3.0], [8.0]])
        assert student.numeric_gradient(loss_of, q, 0.25) == approx([[-6.03125, -1.53125]])
    assert p.data == approx([[1.0], [-2.0], [0.5]])
    assert q.data == approx([[2.0, -1.0]])


def test_gradient_stays(student):
    """What the engine put into the parameter's gradient is there afterwards: the two are compared."""
    p, _, loss_of = student.helper(PRODUCT, "make")(student.Tensor, [[1.0], [-2.0], [0.5]], [[2.0, -1.0]])
    p.grad = student.array([[0.5], [4.0], [-1.0]])
    student.numeric_gradient(loss_of, p, 0.25)
    assert p.grad == [[0.5], [4.0], [-1.0]]
