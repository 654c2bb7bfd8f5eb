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


def layer(x, w, b):
    """A layer of two neurons over a batch of three, and the mean of their squares."""
    return ((x @ w + b).tanh() ** 2).mean()


def test_layer(student, oracle):
    """A layer with a bias: the row b is used once a sample."""
    x = [[1.0, -2.0], [0.5, 1.5], [-1.0, 0.25]]
    check(student, oracle, layer, x=x, w=[[0.7, -0.4], [0.3, 0.9]], b=[0.1, -0.2])


def centred(x, c):
    """Each row minus its mean, through relu and a quotient."""
    centre = x - x.mean(axis=1, keepdims=True)
    return (centre.relu() * c).sum() / (centre**2).sum()


def test_centred(student, oracle):
    """The mean of a row is subtracted from it: two paths lead from each entry to the root."""
    check(
        student,
        oracle,
        centred,
        x=[[1.0, 2.0, 4.5], [-1.0, 0.5, 0.25]],
        c=[[1.0, -2.5, 0.5], [3.0, 1.0, -1.5]],
    )


def looked_up(table, w):
    """Rows of a table, one of them twice, through exp and log."""
    return ((table[[0, 2, 0]] * w).exp().sum(axis=1)).log().sum()


def test_rows(student, oracle):
    """Rows of a table, one of them twice."""
    check(student, oracle, looked_up, table=[[0.5, -1.0], [2.0, 0.25], [-0.5, 1.5]], w=[1.0, -0.5])


def used_again(x, z):
    """A sum that hands the same gradient to x and z, and x once more in a square."""
    return ((x + z) + x * x).sum()


def test_used_again(student, oracle):
    """What x gets from its square reaches neither z nor the sum: their gradients are arrays of their own."""
    check(student, oracle, used_again, x=[1.0, 2.0], z=[4.0, -1.0])
