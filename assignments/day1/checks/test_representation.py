"""Printing a Value shows its data."""

TEXT = """
def text(value):
    return repr(value).partition(" at 0x")[0]
"""


def test_shows_the_data(student):
    """Printing Value(2.5) shows 2.5."""
    text = student.helper(TEXT, "text")
    (a,) = student.leaves(a=2.5)
    assert "2.5" in text(a)
