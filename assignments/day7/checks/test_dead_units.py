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


def test_many(student):
    """`model` is a stand-in whose first layer multiplies by -1. Of its 20 units 11 are never positive."""
    model = student.helper(HIDDEN, "make")(student.Tensor, 20)
    student.name(model=model)
    rows = [  # with these, each way to count gives another number
        [4, 1, 4, 1, 2, 5, 0, -4, 4, 0, 0, -1, 0, 0, -2, 2, -5, -2, -5, -1],
        [3, 3, 3, 2, 5, 3, 0, -4, 1, 0, 0, 2, 0, 0, -6, 4, -2, 1, 0, 0],
        [-4, 1, 3, 0, 2, 3, 0, -2, 2, 0, 0, -3, 0, 0, -4, 1, -3, 4, -4, 1],
        [6, 2, 5, -1, 4, 3, 0, -3, 5, 0, 0, -4, 0, 0, -1, 4, -6, -2, -3, -4],
        [3, 3, 5, -4, 3, 3, 0, -3, 2, 0, 0, 5, 0, 0, -5, 3, -2, 2, -2, 1],
        [5, 0, 2, 5, 4, 4, 0, 0, 1, 0, 0, 3, 0, 0, -5, 4, -5, 2, -1, -4],
        [5, 4, 2, -2, 6, 4, 0, -4, 1, 0, 0, 1, 0, 0, -5, 3, -4, -4, -5, 2],
    ]
    assert student.dead_units(model, student.array(rows, dtype="float64")) == 11
