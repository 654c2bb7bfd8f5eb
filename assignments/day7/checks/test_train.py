"""For each batch clear, loss, backward, step; for each pass the mean loss."""

from _helpers import TRAINING, descent, numbers
from pytest import approx

ROWS = [[1.0], [2.0], [-1.0], [0.5], [1.5]]
LABELS = [2, 1, 0, 3, 1]
CUTS = [[3, 0], [1, 4], [2]]
LOSSES = [6.0, 1.0, 2.0, 4.0, 0.5, 3.0, 1.5, 2.25, 0.0, 1.0, 0.25, 1.75]


def made(student, losses=()):
    make = student.helper(TRAINING, "make")
    w, run, *told = make(student.train, student.Tensor, 0.5, CUTS, list(losses))
    student.name(w=w)
    return w, lambda passes: run(student.array(ROWS), student.array(LABELS, dtype="int64"), passes, 2), *told


def test_batches(student):
    """In each pass `batches` is asked for the rows' number, the size and the generator that were given."""
    _, run, _, told, _ = made(student)
    run(3)
    asked = told()
    assert asked, "train does not call your function `batches`."
    times = "once" if len(asked) == 1 else f"{len(asked)} times"
    assert len(asked) == 3, f"train called batches {times} in 3 passes; each pass has new batches."
    count, size, given = asked[0]
    assert (count, size) == (5, 2), (
        f"train called batches({count}, {size}, ...); here are 5 rows, and the size is 2."
    )
    assert given, "train gave batches another generator than the one that it was given."


def test_rows_and_labels(student):
    """One pass, with stand-ins for model, batches and cross_entropy: which rows and labels of each batch they get."""
    _, run, told, _, _ = made(student)
    run(1)
    given = told()
    assert given, "train does not call your function `cross_entropy`."
    here = f"`rows` is {ROWS}, and the batches are {CUTS}."
    for rows, labels in given:
        wide = [len(row) for row in rows if isinstance(row, list) and len(row) != 1]
        assert not wide, f"train gave the model rows of {wide[0]} numbers. {here}"
        cuts = [cut for cut in CUTS if rows == [ROWS[i] for i in cut]]
        assert cuts, f"train gave the model the rows {rows}. {here}"
        wanted = [LABELS[i] for i in cuts[0]]
        assert labels == wanted, (
            f"For the rows of the batch {cuts[0]} train gave cross_entropy the labels {labels}. `labels` is {LABELS}; "
            f"those of this batch are {wanted}."
        )


def test_parameter(student):
    """Two passes over three batches, with stand-ins for model, loss and optimizer: where the parameter w ends."""
    w, run, _, _, told = made(student)
    run(1)
    calls = told()
    run(1)
    each = ["zero_grad", "backward", "step"]
    order = "" if calls == 3 * each else " Each batch needs zero_grad, backward and step, in this order."
    assert w.data == approx([descent(0.5, ROWS, LABELS, CUTS, 2)[1]]), (
        f"w.data ends at {student.listed(w.data)[0]:.6g}, expected {descent(0.5, ROWS, LABELS, CUTS, 2)[1]:.6g}. In a pass of "
        f"three batches train called {', '.join(calls) or 'none of zero_grad, backward and step'}.{order}"
    )


def test_losses(student):
    """Four passes over three batches, with losses of 6, 1, 2, then 4, 0.5, 3, then 1.5, 2.25, 0, then 1, 0.25, 1.75: the means."""
    _, run, *_ = made(student, LOSSES)
    found = numbers(run(4))
    student.note("the list of losses", found)
    assert found == approx([3.0, 2.5, 1.25, 1.0])
