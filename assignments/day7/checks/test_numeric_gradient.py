"""One entry at a time, up and down, and everything is as before."""

from pytest import approx

# Executed in the jail: a loss of one parameter, in numbers alone. Each entry is cubed and counted by its own factor.
CUBES = """
import numpy as np

def make(Tensor, start, factors):
    p, calls = Tensor(start), []

    def loss_of():
        calls.append(p.data.tolist())
        return Tensor((p.data**3 * np.array(factors)).sum())

    return p, loss_of, lambda: [len(calls), calls[:100]]
"""
START = [[2.0, -1.0, 0.5], [1.0, 0.0, -3.0]]
FACTORS = [[1.0, 2.0, -1.0], [0.5, 4.0, 1.0]]


def made(student):
    p, loss_of, _ = student.helper(CUBES, "make")(student.Tensor, START, FACTORS)
    student.name(p=p, loss_of=loss_of)
    return p, loss_of


def test_calls(student):
    """loss_of() is called anew while an entry of parameter.data is moved."""
    p, loss_of, told = student.helper(CUBES, "make")(student.Tensor, START, FACTORS)
    student.name(p=p, loss_of=loss_of)
    student.numeric_gradient(loss_of, p, 0.5)
    calls, seen = told()
    assert calls, "numeric_gradient does not call loss_of."
    assert calls > 1, (
        "numeric_gradient called loss_of() once. Its loss is a number that no longer changes: call loss_of() again after "
        "each move."
    )
    assert any(entries != START for entries in seen), (
        f"numeric_gradient called loss_of() {calls} times, and each time parameter.data was as at the beginning. Move an "
        "entry of parameter.data itself: flatten() and copy() give a new array."
    )


def test_large_nudge(student):
    """Cubes with a nudge of 0.5. At x = 2: (2.5³ - 1.5³) / 1 = 12.25."""
    p, loss_of = made(student)
    right = [
        [f * (3 * x * x + 0.25) for x, f in zip(*rows, strict=True)]
        for rows in zip(START, FACTORS, strict=True)
    ]
    assert student.numeric_gradient(loss_of, p, 0.5) == approx(right)


def test_small_nudge(student):
    """Cubes with the usual nudge: 3 x² times the factor."""
    p, loss_of = made(student)
    right = [[f * 3 * x * x for x, f in zip(*rows, strict=True)] for rows in zip(START, FACTORS, strict=True)]
    assert student.numeric_gradient(loss_of, p) == approx(right, rel=1e-4, abs=1e-4)


def test_entries_stay(student):
    """Afterwards the entries of the parameter are what they were."""
    p, loss_of = made(student)
    student.numeric_gradient(loss_of, p, 0.5)
    assert p.data == approx(START)


def test_row(student):
    """A parameter with one axis: the result has its shape."""
    p, loss_of, _ = student.helper(CUBES, "make")(student.Tensor, [2.0, -1.0], [1.0, 2.0])
    assert student.numeric_gradient(loss_of, p, 0.5) == approx([12.25, 6.5])
