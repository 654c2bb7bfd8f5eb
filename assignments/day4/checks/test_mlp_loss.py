"""A small network's loss: the gradient of every parameter is PyTorch's."""

from pytest import approx

POINTS = [(1.0, -2.0, 1.0), (0.5, 1.5, -1.0)]


def mlp_loss(**p):
    """The sum of squared errors of a network with two hidden units."""
    total = 0
    for x, y, target in POINTS:
        first = (p["w1"] * x + p["w2"] * y + p["b1"]).tanh()
        second = (p["w3"] * x + p["w4"] * y + p["b2"]).tanh()
        out = p["v1"] * first + p["v2"] * second + p["c"]
        total = total + (out - target) ** 2
    return total


def test_gradients(student, oracle):
    """Two hidden units with tanh, two examples, nine parameters."""
    names = ["w1", "w2", "b1", "w3", "w4", "b2", "v1", "v2", "c"]
    numbers = dict(zip(names, [0.7, -0.4, 0.1, -0.9, 0.3, 0.2, 1.1, -0.6, 0.5], strict=True))
    expected = oracle(mlp_loss, **numbers)
    parameters = dict(zip(names, student.leaves(**numbers), strict=True))
    loss = mlp_loss(**parameters)
    loss.backward()
    assert loss.data == approx(expected.data)
    assert {name: leaf.grad for name, leaf in parameters.items()} == approx(expected.gradients)
