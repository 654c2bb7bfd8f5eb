"""An MLP: its layers in order, relu between them, none after the last."""

from _helpers import LAYERS, generator

SIZES = [5, 3, 4, 2]


def test_layers(student):
    """MLP([5, 3, 4, 2], rng) has three layers: 5 to 3, 3 to 4, 4 to 2."""
    model = student.MLP(SIZES, generator(student, 0))
    layers = student.listed(model.layers)
    assert len(layers) == 3
    shapes = [sorted(layer.weight.data.shape) for layer in layers]
    assert shapes == [[3, 5], [3, 4], [2, 4]], (
        f"The weights of the layers have the sizes {shapes}; here they should join 5 and 3, 3 and 4, 4 and 2."
    )


def test_call(student):
    """Three layers that stand in: times -1 plus 0.5, times 2 minus 1, times -1 plus 0.5."""
    model = student.MLP([2, 2, 2, 2], generator(student, 0))
    numbers = [[-1.0, 0.5], [2.0, -1.0], [-1.0, 0.5]]
    model.layers = student.helper(LAYERS, "make")(student.Tensor, numbers)
    (x,) = student.leaves(x=[[1.0, -2.0], [0.25, 4.0]])
    assert model(x).data == [[0.5, -3.5], [0.5, 0.5]]


def test_one_layer(student):
    """An MLP of one layer has no relu at all."""
    model = student.MLP([2, 2], generator(student, 0))
    student.name(model=model)
    model.layers = student.helper(LAYERS, "make")(student.Tensor, [[-1.0, 0.5]])
    (x,) = student.leaves(x=[[1.0, -2.0]])
    assert model(x).data == [[-0.5, 2.5]]


def test_parameters(student):
    """parameters() of two layers that stand in: one list of all four."""
    model = student.MLP([2, 2, 2], generator(student, 0))
    student.name(model=model)
    layers = student.helper(LAYERS, "make")(student.Tensor, [[-1.0, 0.5], [2.0, -1.0]])
    model.layers = layers
    found = student.listed(model.parameters())
    assert isinstance(found, list | tuple), "model.parameters() must return a list."
    assert not any(isinstance(each, list | tuple) for each in found), (
        "model.parameters() holds a list for each layer; it should be one list of Tensors."
    )
    wanted = [parameter for layer in layers for parameter in (layer.weight, layer.bias)]
    missing = sum(parameter not in found for parameter in wanted)
    assert not missing, f"model.parameters() lacks {missing} of the 4 parameters of the two layers."
    assert len(found) == 4, f"model.parameters() holds {len(found)} things; the two layers have 4 parameters."
