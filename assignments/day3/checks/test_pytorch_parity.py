"""PyTorch agrees: L.backward() on your own Values gives the same gradients."""

import pytest
from pytest import approx

EXPRESSIONS = {
    "sum of products": lambda a, b, c: a * b + c * a,
    "square of a sum": lambda a, b, c: (a + b + c) * (a + b + c),
    "constants": lambda a, b, c: 2 * a + b * 0.5 + c + 1,
    "equal values": lambda a, b, c: (a * b) * (c * -1) + c,
    "tanh": lambda a, b, c: (a * b + c).tanh() * 2 + a,
}

OPERATIONS = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "tanh": lambda a: a.tanh(),
}
CHILDREN = """
def children(node):
    return list(node._prev) if hasattr(node, "_prev") else None
"""


@pytest.mark.parametrize("name", OPERATIONS)
def test_result_knows_its_inputs(student, name):
    """The result of +, * and tanh keeps the Values that it was made from in `_prev`."""
    leaves = student.leaves(a=2.0, b=-3.0)
    inputs = leaves[:1] if name == "tanh" else leaves
    found = student.helper(CHILDREN, "children")(OPERATIONS[name](*inputs))
    if found is None:
        pytest.skip("Your Value keeps its children under another name than `_prev`.")
    for leaf in inputs:
        assert leaf in found, f"What {name} makes does not hold each of its inputs in `_prev`."


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, name):
    """The value and the gradient of every leaf are PyTorch's."""
    expected = oracle(EXPRESSIONS[name], a=1.5, b=-0.5, c=0.75)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
