"""The units of the first layer that are 0 for all rows."""

from _helpers import HIDDEN


def test_more(student):
    """Of six units three are dead; single zeros do not count."""
    model = student.helper(HIDDEN, "make")(student.Tensor, 6)
    student.name(model=model)
    rows = student.array([[0.0, 1.0, -2.0, 3.0, 0.0, 0.5], [0.0, 2.0, 0.0, -0.5, 1.0, -4.0]])
    assert student.dead_units(model, rows) == 3
