"""A small network's loss: the gradient of every parameter is PyTorch's."""

from pytest import approx

POINTS = [(0.6, -1.2, 0.5), (-0.7, 0.9, -1.5), (1.1, 0.4, 0.8)]


def mlp_loss(**p):
    """The sum of squared errors of a network with two hidden units."""
    total = 0
    for x, y, target in POINTS:
        first = (p["w1"] * x + p["w2"] * y + p["b1"]).tanh()
        second = (p["w3"] * x + p["w4"] * y + p["b2"]).relu()
        out = p["v1"] * first + p["v2"] * second + p["c"]
        total = total + (out - target) ** 2
    return total


def test_gradients(student, oracle, rng):
    """A network with tanh and relu, at random weights."""
    names = ["w1", "w2", "b1", "w3", "w4", "b2", "v1", "v2", "c"]
    numbers = {name: round(rng.uniform(0.4, 1.2) * rng.choice((-1, 1)), 4) for name in names}
    expected = oracle(mlp_loss, **numbers)
    parameters = dict(zip(names, student.leaves(**numbers), strict=True))
    loss = mlp_loss(**parameters)
    loss.backward()
    assert loss.data == approx(expected.data)
    assert {name: leaf.grad for name, leaf in parameters.items()} == approx(expected.gradients)


def test_two_layers(student, oracle, rng):
    """Two layers of one unit each with a shared weight: sums, products, -, ** and tanh in one loss."""
    numbers = {name: round(rng.uniform(0.4, 1.2) * rng.choice((-1, 1)), 4) for name in "abcd"}

    def loss_of(a, b, c, d):
        first = (a * 0.5 + b).tanh()
        second = (a * first - d).tanh()
        return (1 - c * second) ** 2 + (first - second) ** 2 + (b - c) ** 2

    expected = oracle(loss_of, **numbers)
    leaves = student.leaves(**numbers)
    loss = loss_of(*leaves)
    loss.backward()
    assert loss.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
