"""Printing a Value shows its data."""

TEXT = """
def repr(value):
    return f"{value!r}".partition(" at 0x")[0]
"""


def test_each_its_own(student):
    """Two leaves, an int, and a node that was made of others."""
    shown = student.helper(TEXT, "repr")
    a, b, c = student.leaves(a=-4.5, b=7.5, c=12)
    node = student.Value(31.5, (a, b), "*")
    assert "-4.5" in shown(a)
    assert "7.5" in shown(b)
    assert "12" in shown(c)
    assert "31.5" in shown(node)
