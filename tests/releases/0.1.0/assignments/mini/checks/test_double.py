"""Doubling: twice the number."""


def test_three(student):
    """Twice 3 is 6."""
    assert student.double(3) == 6
