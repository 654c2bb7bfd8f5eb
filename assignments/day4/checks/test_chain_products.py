"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

from pytest import approx

# Executed in the jail: layers `h * number`. Their results are Values that know their own gradients, so no operation and
# no `backward` of the engine takes part. `count` says how often a layer and `backward` were called since it was asked
# last. A layer that gets a number, or a Value for the second time, raises an error in the line that gave it: in a chain
# no layer does.
LAYERS = """
def make(Value, number):
    given, walks = [], []

    class Layer(Value):
        def backward(self):
            walks.append(1)
            self.grad, node = 1.0, self
            while isinstance(node, Layer):
                node.before.grad = (node.before.grad or 0.0) + number * node.grad
                node = node.before

    def layer(h):
        if not isinstance(h, Value):
            raise TypeError(f"layer got an object of the type {type(h).__name__}; it takes a Value")
        if any(h is each for each in given):
            raise ValueError("layer got a Value that it had got before; each layer takes the result of the one before it")
        given.append(h)
        result = Layer(h.data * number)
        result.before = h
        return result

    def count():
        found = [len(given), len(walks)]
        given.clear()
        walks.clear()
        return found

    return layer, count
"""


def test_chain_gradient(student):
    """chain_gradient of three layers `h * -3` is -27, and in a second call, of two layers, 9."""
    layer, count = student.helper(LAYERS, "make")(student.Value, -3.0)
    student.name(layer=layer)
    found = student.chain_gradient(layer, 2.0, 3)
    layers, walks = count()
    assert layers == 3, f"Three layers are three calls of layer; chain_gradient(layer, 2, 3) made {layers}."
    assert found == approx(-27.0) or walks == 1, (
        f"backward is called once, on the last node; chain_gradient(layer, 2, 3) called it {walks} times."
    )
    assert found == approx(-27.0)
    assert student.chain_gradient(layer, 2.0, 2) == approx(9.0)


def test_after_ten(answers):
    """after_ten holds the gradients after ten layers, to three digits."""
    answers.judge("after_ten")


def test_after_thirty(answers):
    """after_thirty holds the gradients after thirty layers, to two digits."""
    answers.judge("after_thirty")


def test_residual(answers):
    """residual_after_thirty is the gradient after thirty layers `h + 0.05 * h`."""
    answers.judge("residual_after_thirty")
