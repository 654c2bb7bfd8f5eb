"""The share of rows whose largest score is at the label."""

from _helpers import MOVED


def test_share(student):
    """`model` is a stand-in: the scores of a row a, b, c are c, a, b. 3 of 4 rows are right."""
    model = student.helper(MOVED, "make")(student.Tensor)
    student.name(model=model)
    rows = student.array([[2.0, 1.0, 0.5], [-3.0, -2.0, -1.0], [0.5, 4.0, 0.25], [1.0, 2.5, 3.0]])
    labels = student.array([1, 1, 2, 0], dtype="int64")
    assert student.accuracy(model, rows, labels) == 0.75


def test_none(student):
    """`model` is a stand-in: the scores of a row a, b, c are c, a, b. No row is right: 0."""
    model = student.helper(MOVED, "make")(student.Tensor)
    student.name(model=model)
    rows = student.array([[2.0, 1.0, 0.5], [1.0, 0.25, 3.0]])
    assert student.accuracy(model, rows, student.array([0, 1], dtype="int64")) == 0.0


def test_many(student):
    """`model` is a stand-in: the scores of a row a, b, c, d are d, a, b, c. 8 of 20 rows are right."""
    model = student.helper(MOVED, "make")(student.Tensor)
    student.name(model=model)
    rows = [  # with these, each way to guess and to count gives another share
        [2, -1, 0, 3],
        [2, 1, 0, 3],
        [1, 0, -1, 2],
        [1, 3, 2, -1],
        [2, 3, 1, -2],
        [2, -1, -2, 1],
        [-2, 2, 1, 0],
        [0, 3, 2, -1],
        [-2, -1, 1, 2],
        [2, 1, 0, -1],
        [-2, 1, 3, -1],
        [0, -1, 1, 3],
        [1, 2, 3, -1],
        [-2, 2, 1, 0],
        [0, 1, -1, 3],
        [-1, 2, 3, 1],
        [0, 1, 2, -2],
        [-2, 0, -1, 3],
        [0, 1, 3, 2],
        [1, -2, -1, 3],
    ]
    labels = student.array([0, 0, 3, 0, 0, 1, 1, 0, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], dtype="int64")
    assert student.accuracy(model, student.array(rows, dtype="float64"), labels) == 0.4
