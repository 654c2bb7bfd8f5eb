"""A table is read, and a number worked out on paper."""


def test_rows(student):
    """The table has three rows."""
    assert student.rows() == 3


def test_eight(answers):
    """The answer `eight`."""
    answers.judge("eight")
