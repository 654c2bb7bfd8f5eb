"""An MLP: its layers in order, relu between them, none after the last."""

from _helpers import LAYERS, generator, plain

from grader.autograd import skip_test
from grader.sandbox import kind_words

SIZES = [5, 3, 4, 2]


def test_layers(student):
    """MLP([5, 3, 4, 2], rng) has three layers: 5 to 3, 3 to 4, 4 to 2."""
    model = student.MLP(SIZES, generator(student, 0, "Tensor"))
    layers = student.listed(model.layers)
    student.note("the number of layers", len(layers))
    assert len(layers) == 3
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert layers[i] is not layers[j], (
            f"layers[{i}] and layers[{j}] are one and the same layer, and not two."
        )
    shapes = [layer.weight.data.shape for layer in layers]
    joined = ", ".join(" and ".join(map(str, shape)) for shape in shapes)
    assert [sorted(shape) for shape in shapes] == [[3, 5], [3, 4], [2, 4]], (
        f"The weights of the layers join {joined}; here they should join 5 and 3, 3 and 4, 4 and 2."
    )


def test_two_models(student):
    """Two models of MLP([2, 3, 2], rng), one made after the other: each has layers of its own."""
    rng = generator(student, 0, "Tensor")
    first = student.MLP([2, 3, 2], rng)
    layers = student.listed(first.layers)
    before = len(layers), student.listed(layers[0].weight.data)
    second = student.MLP([2, 3, 2], rng)
    layers = student.listed(first.layers)
    after, other = len(layers), len(student.listed(second.layers))
    assert (after, other) == (before[0], before[0]), (
        f"The first MLP([2, 3, 2], rng) has {before[0]} layers. After a second one is made, the first has {after}, and the "
        f"second {other}. Each model has a list of its own."
    )
    assert student.listed(layers[0].weight.data) == before[1], (
        "After a second MLP is made, the first one has other weights. Each model has layers of its own."
    )


# Executed in the jail: for each Linear that MLP makes, whether it gets the generator that MLP got.
GIVEN = """
def given(MLP, sizes, rng):
    names, found = getattr(MLP.__init__, "__globals__", dict()), []
    own = names.get("Linear")
    if not isinstance(own, type):
        return found

    class Linear(own):
        def __init__(self, *given, **named):
            found.append(any(each is rng for each in (*given, *named.values())))
            own.__init__(self, *given, **named)

    names["Linear"] = Linear
    try:
        MLP(sizes, rng)
    finally:
        names["Linear"] = own
    return found
"""


def weights(student):
    """Return the weights of the layers of MLP([3, 3, 3], rng), for two generators."""
    models = [student.MLP([3, 3, 3], generator(student, seed, "Tensor")) for seed in (0, 1)]
    return [[student.listed(layer.weight.data) for layer in student.listed(each.layers)] for each in models]


def test_generator(student):
    """MLP([3, 3, 3], rng) with two generators: the weights are drawn from the one that is given."""
    given = student.helper(GIVEN, "given")(student.MLP, [3, 3, 3], generator(student, 0, "Tensor"))
    first, second = weights(student)
    if given and all(given) and (first == second or first[0] == first[1]):
        skip_test(
            "Your Linear does not draw its weights from the generator that it gets: look at linear first.",
            "linear",
        )
    assert first != second, (
        "MLP([3, 3, 3], rng) has the same weights for two different generators. Give each layer the rng that MLP is given."
    )
    assert first[0] != first[1], (
        "Both layers of MLP([3, 3, 3], rng) have the same weights. Give each layer the rng that MLP is given, and not a new "
        "one for each."
    )


def test_call(student):
    """`layers` are three stand-ins that compute -1 · x + 0.5, 2 · x - 1 and -1 · x + 0.5, with relu between them."""
    model = student.MLP([2, 2, 2, 2], generator(student, 0, "Tensor"))
    student.name(model=model)
    numbers = [[-1.0, 0.5], [2.0, -1.0], [-1.0, 0.5]]
    model.layers, called = student.helper(LAYERS, "make")(student.Tensor, numbers)
    (x,) = student.leaves(x=[[1.0, -2.0], [0.25, 4.0]])
    right, scores = [[0.5, -3.5], [0.5, 0.5]], model(x).data
    if plain(student, scores) != right:
        judge_calls(called())
    assert scores == right
    assert x.data == [[1.0, -2.0], [0.25, 4.0]]


def judge_calls(called):
    """Check that each of three layers was called once, in order."""
    names = ", ".join(f"layers[{i}]" for i in called) or "none of the layers in `layers`"
    assert called == [0, 1, 2], (
        f"model(x) called {names}. `layers` holds three; each of them is called once, in this order."
    )


def test_one_layer(student):
    """`layers` has one stand-in, which computes -1 · x + 0.5: without a second layer there is no relu."""
    model = student.MLP([2, 2], generator(student, 0, "Tensor"))
    student.name(model=model)
    model.layers, _ = student.helper(LAYERS, "make")(student.Tensor, [[-1.0, 0.5]])
    (x,) = student.leaves(x=[[1.0, -2.0]])
    assert model(x).data == [[-0.5, 2.5]]


def test_parameters(student):
    """`layers` are two stand-ins with two parameters each: parameters() is one list of all four."""
    model = student.MLP([2, 2, 2], generator(student, 0, "Tensor"))
    student.name(model=model)
    layers, _ = student.helper(LAYERS, "make")(student.Tensor, [[-1.0, 0.5], [2.0, -1.0]])
    model.layers = layers
    made = model.parameters()
    found = student.listed(made)
    assert isinstance(found, list | tuple), (
        f"model.parameters() returned {kind_words(made)}; a list is asked for."
    )
    assert not any(isinstance(each, list | tuple) for each in found), (
        "model.parameters() holds a list for each layer; it should be one list of Tensors."
    )
    wanted = [parameter for layer in layers for parameter in (layer.weight, layer.bias)]
    missing = sum(parameter not in found for parameter in wanted)
    assert not missing, f"model.parameters() lacks {missing} of the 4 parameters of the two layers."
    assert len(found) == 4, f"model.parameters() holds {len(found)} things; the two layers have 4 parameters."
