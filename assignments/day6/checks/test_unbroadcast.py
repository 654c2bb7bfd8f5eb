"""unbroadcast sums a gradient over what was repeated, and returns the shape that is asked for."""

G = [[2.0, -1.0, 0.5, 1.0], [4.0, 1.0, -3.0, 8.0]]


# Executed in the jail: the numbers of an array after `unbroadcast` got it.
LEFT = """
def left(unbroadcast, grad, shape):
    unbroadcast(grad, shape)
    return grad
"""


def test_same_shape(student):
    """Nothing was repeated: (2, 4) for (2, 4)."""
    assert student.unbroadcast(student.array(G), (2, 4)) == G


def test_row(student):
    """An axis is missing at the left: (2, 4) for (4,)."""
    assert student.unbroadcast(student.array(G), (4,)) == [6.0, 0.0, -2.5, 9.0]


def test_row_of_one(student):
    """An axis of length 1 stays: (2, 4) for (1, 4)."""
    assert student.unbroadcast(student.array(G), (1, 4)) == [[6.0, 0.0, -2.5, 9.0]]


def test_column(student):
    """The last axis has length 1 and stays: (2, 4) for (2, 1)."""
    assert student.unbroadcast(student.array(G), (2, 1)) == [[2.5], [10.0]]


def test_number(student):
    """A plain number was repeated everywhere: (2, 4) for ()."""
    assert student.unbroadcast(student.array(G), ()) == 12.5


def test_both(student):
    """A missing axis and one of length 1 together: (2, 4) for (1,)."""
    assert student.unbroadcast(student.array(G), (1,)) == [12.5]


def test_three_axes(student):
    """Three axes: (2, 2, 4) for (2, 1)."""
    grad = student.array([G, [[0.5, 0.25, 1.0, 4.0], [2.0, -4.0, 8.0, 0.5]]])
    assert student.unbroadcast(grad, (2, 1)) == [[8.25], [16.5]]


def test_single_row(student):
    """An axis has length 1 on both sides: (1, 4) for (1, 4)."""
    assert student.unbroadcast(student.array([[1.0, 2.0, 4.0, 0.5]]), (1, 4)) == [[1.0, 2.0, 4.0, 0.5]]


def test_gradient_stays(student):
    """The array that is given is not changed."""
    left = student.helper(LEFT, "left")(student.unbroadcast, student.array(G), (4,))
    assert left == G, "unbroadcast changes the array that it is given."
