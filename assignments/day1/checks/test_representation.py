"""Printing a Value shows its data."""

TEXT = """
def repr(value):
    return f"{value!r}".partition(" at 0x")[0]
"""


def test_shows_the_data(student):
    """Printing Value(2.5) shows 2.5."""
    shown = student.helper(TEXT, "repr")
    a, b = student.leaves(a=2.5, b=-4.0)
    assert "2.5" in shown(a)
    assert "2.5" not in shown(b), "Printing Value(-4.0) shows 2.5, too: show only the data of this Value."


def test_shows_the_sign(student):
    """Printing Value(-4.5) shows -4.5."""
    shown = student.helper(TEXT, "repr")
    (a,) = student.leaves(a=-4.5)
    assert "-4.5" in shown(a)


def test_shows_the_data_beside_a_label(student):
    """Printing Value(7.5, label="x") shows 7.5; the label may stand beside it."""
    shown = student.helper(TEXT, "repr")
    x = student.Value(7.5, label="x")
    assert "7.5" in shown(x)
