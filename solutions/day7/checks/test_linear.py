"""A linear layer: x @ weight + bias, with a weight of the right spread."""

from _helpers import generator, spread


def test_call(student):
    """layer(x) for three rows of two numbers."""
    layer = student.Linear(2, 3, generator(student, 5, "Tensor"))
    student.name(layer=layer)
    layer.weight.data = student.array([[0.5, -2.0, 1.0], [4.0, 0.25, -1.0]])
    layer.bias.data = student.array([1.0, -0.5, 0.25])
    (x,) = student.leaves(x=[[2.0, 1.0], [-1.0, 0.5], [0.0, 4.0]])
    assert layer(x).data == [[6.0, -4.25, 1.25], [2.5, 1.625, -1.25], [17.0, 0.5, -3.75]]


def test_spread(student):
    """The weights of a wide and of a narrow layer."""
    for inputs, outputs, low, high in ((200, 60, 0.09, 0.11), (18, 300, 0.3, 0.367)):
        layer = student.Linear(inputs, outputs, generator(student, 6, "Tensor"))
        assert low < spread(student, layer.weight, inputs, outputs) < high
