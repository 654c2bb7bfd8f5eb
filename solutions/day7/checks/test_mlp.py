"""An MLP: its layers in order, relu between them, none after the last."""

from _helpers import LAYERS, generator


def test_call(student):
    """Four layers that stand in."""
    model = student.MLP([3, 3, 3, 3, 3], generator(student, 1, "Tensor"))
    numbers = [[2.0, -1.0], [-0.5, 2.0], [-1.0, 1.5], [-4.0, 0.25]]
    model.layers, _ = student.helper(LAYERS, "make")(student.Tensor, numbers)
    (x,) = student.leaves(x=[[1.0, -2.0, 4.0]])
    assert model(x).data == [[0.25, 0.25, -5.75]]


def test_parameters(student):
    """Three layers that stand in, with two parameters each."""
    model = student.MLP([2, 3, 2, 4], generator(student, 1, "Tensor"))
    assert len(student.listed(model.layers)) == 3
    model.layers, _ = student.helper(LAYERS, "make")(student.Tensor, [[2.0, -1.0], [-0.5, 2.0], [-1.0, 1.5]])
    assert len(student.listed(model.parameters())) == 6
