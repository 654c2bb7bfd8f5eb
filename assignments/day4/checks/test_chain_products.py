"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

from pytest import approx

# Executed in the jail: layers of one value. It counts how often each was applied.
LAYERS = """
def make(kind, number):
    calls = []

    def layer(h):
        calls.append(1)
        return h * number if kind == "times" else (h + number).tanh()

    return layer, lambda: len(calls)
"""


def test_chain_gradient(student):
    """chain_gradient of three layers `h * -3` is -27, and in a second call, of two layers, 9."""
    layer, calls = student.helper(LAYERS, "make")("times", -3.0)
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
