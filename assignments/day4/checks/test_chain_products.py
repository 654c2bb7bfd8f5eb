"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

from pytest import approx

# Executed in the jail: layers `h * number`. Their results are Values that know their own gradients, so no operation and
# no `backward` of the engine takes part. It counts how often a layer was applied.
LAYERS = """
def make(Value, number):
    calls = []

    class Layer(Value):
        def backward(self):
            self.grad, node = 1.0, self
            while isinstance(node, Layer):
                node.before.grad = (node.before.grad or 0.0) + number * node.grad
                node = node.before

    def layer(h):
        calls.append(1)
        h = h if isinstance(h, Value) else Value(h)
        result = Layer(h.data * number)
        result.before = h
        return result

    return layer, lambda: len(calls)
"""


def test_chain_gradient(student):
    """chain_gradient of three layers `h * -3` is -27, and in a second call, of two layers, 9."""
    layer, calls = student.helper(LAYERS, "make")(student.Value, -3.0)
    student.name(layer=layer)
    assert student.chain_gradient(layer, 2.0, 3) == approx(-27.0)
    assert calls() == 3
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
