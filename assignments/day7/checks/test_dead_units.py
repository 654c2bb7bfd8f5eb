"""The units of the first layer that are 0 for all rows."""

from _helpers import HIDDEN


def test_some(student):
    """`model` is a stand-in whose first layer multiplies by -1. Of its five units two are never positive."""
    model = student.helper(HIDDEN, "make")(student.Tensor, 5)
    student.name(model=model)
    rows = student.array(
        [[1.0, -2.0, 0.5, 0.0, 3.0], [2.0, -1.0, 3.0, 1.0, -0.5], [0.5, -3.0, -1.0, 2.0, 1.0]]
    )
    assert student.dead_units(model, rows) == 2


def test_none(student):
    """`model` is a stand-in whose first layer multiplies by -1. Each of its three units is positive in some row."""
    model = student.helper(HIDDEN, "make")(student.Tensor, 3)
    student.name(model=model)
    rows = student.array([[-1.0, 2.0, 0.5], [2.0, -1.0, 3.0], [0.5, 3.0, -8.0], [1.0, 1.0, 1.0]])
    assert student.dead_units(model, rows) == 0
