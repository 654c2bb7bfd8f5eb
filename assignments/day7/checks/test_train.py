"""train: for each batch clear, loss, backward, step; for each pass the mean loss."""

from _helpers import TRAINING, descent, numbers
from pytest import approx

ROWS = [[1.0], [2.0], [-1.0], [0.5]]
LABELS = [2, 1, 0, 3]
CUTS = [[3, 0], [1, 2]]


def made(student):
    w, run, log = student.helper(TRAINING, "make")(student.train, student.Tensor, 0.5, CUTS)
    student.name(w=w)
    return w, lambda passes: run(student.array(ROWS), student.array(LABELS, dtype="int64"), passes, 2), log


def test_parameter(student):
    """Two passes over two batches: where the parameter w ends."""
    w, run, _ = made(student)
    run(2)
    assert w.data == approx([descent(0.5, ROWS, LABELS, CUTS, 2)[1]])


def test_losses(student):
    """The mean loss of each of three passes, as a list of numbers."""
    _, run, _ = made(student)
    found = numbers(run(3))
    student.note("the losses", found)
    assert found == approx(descent(0.5, ROWS, LABELS, CUTS, 3)[0])


def test_batches(student):
    """In each pass `batches` is asked for the rows' number, the size and the generator that were given."""
    _, run, log = made(student)
    run(3)
    asked = [tuple(each[1:]) for each in log() if isinstance(each, list | tuple)]
    assert asked, "train does not call your function `batches`."
    assert len(asked) == 3, f"train called batches {len(asked)} times in 3 passes; each pass has new batches."
    assert asked[0][:2] == (4, 2), (
        f"train called batches({asked[0][0]}, {asked[0][1]}, ...); here are 4 rows, and the size is 2."
    )
    assert asked[0][2], "train gave batches another generator than the one that it was given."
