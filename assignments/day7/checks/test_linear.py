"""A linear layer: x @ weight + bias, with a weight of the right spread."""

from _helpers import apart_from_rules_of_layers, generator, spread

from grader.autograd import hand_on
from grader.sandbox import kind_words


def test_shapes(student):
    """Linear(3, 2, rng): weight has the shape (3, 2), bias is two zeros."""
    layer = student.Linear(3, 2, generator(student, 0, "Tensor"))
    student.name(layer=layer)
    assert layer.weight.data.shape == (3, 2)
    assert layer.bias.data == [0.0, 0.0]


def test_call(student):
    """layer(x) for two rows of three numbers."""
    layer = student.Linear(3, 2, generator(student, 0, "Tensor"))
    student.name(layer=layer)
    layer.weight.data = student.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 0.25]])
    layer.bias.data = student.array([0.5, -1.0])
    (x,) = student.leaves(x=[[1.0, 2.0, 0.5], [-1.0, 0.0, 4.0]])
    assert layer(x).data == [[1.5, 2.125], [-8.5, 1.0]]
    assert x.data == [[1.0, 2.0, 0.5], [-1.0, 0.0, 4.0]]


def test_spread(student):
    """Linear(128, 40, rng): the standard deviation of the weights is sqrt(2 / 128) = 0.125, give or take a tenth."""
    layer = student.Linear(128, 40, generator(student, 1, "Tensor"))
    found = spread(student, layer.weight, 128, 40)
    student.note("the standard deviation of the weights", found)
    assert 0.1125 < found < 0.1375, (
        f"The standard deviation of the 128 × 40 weights is {found:.3g}, and sqrt(2 / 128) is 0.125."
    )


def test_rng(student):
    """Two layers that are made with the same generator have other weights."""
    rng = generator(student, 2, "Tensor")
    first, second = student.Linear(3, 2, rng), student.Linear(3, 2, rng)
    assert student.listed(first.weight.data) != student.listed(second.weight.data), (
        "Two layers made one after the other have the same weights. Draw them from `rng`, which goes on."
    )


def test_same_generator(student):
    """Two layers whose generators have the same seed have the same weights."""
    first, second = (student.Linear(3, 2, generator(student, 3, "Tensor")) for _ in range(2))
    assert student.listed(first.weight.data) == student.listed(second.weight.data), (
        "Two generators that are alike give layers with other weights. Draw them only from `rng`."
    )


def test_parameters(student):
    """parameters() gives weight and bias, and nothing else."""
    layer = student.Linear(3, 2, generator(student, 0, "Tensor"))
    student.name(weight=layer.weight, bias=layer.bias)
    made = layer.parameters()
    found = student.listed(made)
    assert isinstance(found, list | tuple), (
        f"layer.parameters() returned {kind_words(made)}; a list is asked for."
    )
    assert layer.weight in found, "layer.parameters() does not hold the layer's weight."
    assert layer.bias in found, "layer.parameters() does not hold the layer's bias."
    assert len(found) == 2, f"layer.parameters() holds {len(found)} things; there are two, weight and bias."


@apart_from_rules_of_layers
def test_graph(student):
    """The result of a layer is made from weight and bias, so gradients reach them."""
    layer = student.Linear(3, 2, generator(student, 0, "Tensor"))
    (x,) = student.leaves(x=[[1.0, 2.0, 0.5]])
    hand_on(student, layer(x), student.array([[1.0, 2.0]]))
    weight, bias = student.listed(layer.weight.grad), student.listed(layer.bias.grad)
    assert any(any(row) for row in weight), (
        "No gradient reaches the layer's weight. In `__call__` use the Tensor itself, not its data."
    )
    assert any(bias), (
        "No gradient reaches the layer's bias. In `__call__` use the Tensor itself, not its data."
    )
