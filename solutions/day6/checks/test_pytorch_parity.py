"""PyTorch has the same gradients, for expressions of many operations."""

from pytest import approx


def check(student, oracle, expression, **numbers):
    expected = oracle(expression, **numbers)
    leaves = student.leaves(**numbers)
    root = expression(*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    for leaf, gradient in zip(leaves, expected.gradients.values(), strict=True):
        assert leaf.grad == approx(gradient)


def matrix(rng, *shape):
    """Nested lists of random numbers with this shape."""
    if not shape:
        return round(rng.uniform(-1.5, 1.5), 4)
    return [matrix(rng, *shape[1:]) for _ in range(shape[0])]


def network(x, w1, b1, w2, b2):
    """Two layers and a mean of squares."""
    return ((((x @ w1 + b1).relu() @ w2 + b2).tanh() - x.sum(axis=1, keepdims=True)) ** 2).mean()


def test_network(student, oracle, rng):
    """Two layers over a batch of four."""
    shapes = {"x": (4, 3), "w1": (3, 5), "b1": (5,), "w2": (5, 2), "b2": (2,)}
    check(student, oracle, network, **{name: matrix(rng, *shape) for name, shape in shapes.items()})


def softmax(z, c):
    """The shares of each row, weighted."""
    e = z.exp()
    return (e / e.sum(axis=1, keepdims=True) * c).sum()


def test_softmax(student, oracle, rng):
    """Each entry of a row is used in all shares of the row."""
    check(student, oracle, softmax, z=matrix(rng, 2, 3), c=matrix(rng, 2, 3))


def outer(p, q, s):
    """A column times a row, minus a number, with a number on the left."""
    return (2.0 - (p * q - s) ** 2).sum(axis=0).exp().sum()


def test_outer(student, oracle, rng):
    """A column, a row and a number are stretched."""
    check(student, oracle, outer, p=matrix(rng, 3, 1), q=matrix(rng, 1, 2), s=0.75)


def sums_of_one(A, b):
    """Sums of what a sum, a product and a difference are made of."""
    return (A.sum() * (A + b).sum() - (b + A.mean() * b).sum() * b.sum()).sum()


def test_sums_of_one(student, oracle, rng):
    """A tensor is summed, and used beside it: what a sum hands on can be added to."""
    check(student, oracle, sums_of_one, A=matrix(rng, 2, 3), b=matrix(rng, 3))
