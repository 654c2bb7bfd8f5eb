"""unbroadcast sums a gradient over what was repeated, and returns the shape that is asked for."""

import pytest

G = [[[1.0, 2.0], [-3.0, 0.5], [4.0, -1.0]], [[0.25, 8.0], [2.0, -2.0], [-0.5, 1.0]]]  # (2, 3, 2)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((2,), [3.75, 8.5]),
        ((3, 2), [[1.25, 10.0], [-1.0, -1.5], [3.5, 0.0]]),
        ((3, 1), [[11.25], [-2.5], [3.5]]),
        ((1, 3, 1), [[[11.25], [-2.5], [3.5]]]),
        ((2, 1, 1), [[[3.5]], [[8.75]]]),
        ((1, 1), [[12.25]]),
        ((), 12.25),
    ],
)
def test_shapes(student, shape, expected):
    """A gradient with three axes."""
    assert student.unbroadcast(student.array(G), shape) == expected


def test_five_axes(student):
    """A gradient with five axes."""
    grad = [[[[[1.0, 2.0], [4.0, 8.0]]]]]
    assert student.unbroadcast(student.array(grad), (2,)) == [5.0, 10.0]
