"""Printing a Value shows its data."""

TEXT = """
def text(value):
    return repr(value).partition(" at 0x")[0]
"""


def test_each_its_own(student):
    """Two leaves, an int, and a node that was made of others."""
    text = student.helper(TEXT, "text")
    a, b, c = student.leaves(a=-4.5, b=7.5, c=12)
    node = student.Value(31.5, (a, b), "*")
    assert "-4.5" in text(a)
    assert "7.5" in text(b)
    assert "12" in text(c)
    assert "31.5" in text(node)
