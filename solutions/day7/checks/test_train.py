"""For each batch clear, loss, backward, step; for each pass the mean loss."""

from _helpers import TRAINING, descent
from pytest import approx

ROWS = [[1.0], [-0.5], [1.5], [0.25], [-1.0], [2.0]]
LABELS = [1, 3, 0, 2, 2, 1]
CUTS = [[4, 1, 3], [5, 0], [2]]


def test_training(student):
    """Four passes over three batches: losses, and where the parameter ends."""
    w, run, _, _, calls = student.helper(TRAINING, "make")(student.train, student.Tensor, -1.0, CUTS)
    found = run(student.array(ROWS), student.array(LABELS, dtype="int64"), 4, 2)
    means, end = descent(-1.0, ROWS, LABELS, CUTS, 4)
    assert list(found) == approx(means)
    assert w.data == approx([end])
    assert calls().count("step") == 12


def test_again(student):
    """A second training goes on where the first one stopped, and returns only its own losses."""
    _, run, *_ = student.helper(TRAINING, "make")(student.train, student.Tensor, -1.0, CUTS)
    rows, labels = student.array(ROWS), student.array(LABELS, dtype="int64")
    run(rows, labels, 2, 2)
    assert list(run(rows, labels, 1, 2)) == approx(descent(-1.0, ROWS, LABELS, CUTS, 3)[0][2:])
