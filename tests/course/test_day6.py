"""Day 6: right engines of arrays in other spellings, wrong ones that fail one check, and the numbers of the lesson."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from array_engines import RIGHT_ENGINES
from helpers import COURSE, cells, reference
from judged import judging
from judged import lost as lost_of
from sampled import every

from grader.grading.answerkey import read_answers

# What the lesson gives, for engines that are only operations of two tensors.
GIVEN = """
def with_numbers(operation):
    return lambda self, other: operation(self, other if isinstance(other, Tensor) else Tensor(other))

for name in ("__add__", "__mul__", "__sub__", "__truediv__"):
    setattr(Tensor, name, with_numbers(getattr(Tensor, name)))
Tensor.__array_ufunc__ = None
Tensor.__radd__, Tensor.__rmul__ = Tensor.__add__, Tensor.__mul__
Tensor.__rsub__ = lambda self, other: Tensor(other) - self
Tensor.__rtruediv__ = lambda self, other: Tensor(other) / self

def backward(self):
    order = []
    def visit(node):
        if node not in order:
            for child in node._prev:
                visit(child)
            order.append(node)
    visit(self)
    self.grad = self.data * 0 + 1
    for node in order[::-1]:
        node._backward()

Tensor.backward = backward
"""
NOT_ASKED = {"two axes at most"}  # the lesson's unbroadcast takes any shapes


@pytest.fixture(scope="module")
def lost():
    """Return a function: the source of a submission -> its checks that do not pass."""
    with judging("day6") as judged:
        yield lambda source: lost_of(judged(source))


def with_engine(engine: str) -> str:
    """Return the reference with another engine."""
    own = [cell for cell in cells("day6") if "class Tensor" not in cell and "def unbroadcast" not in cell]
    return "\n\n".join(f"# %%\n{cell}" for cell in [own[0], engine + GIVEN, *own[1:]])


@pytest.mark.ci
@pytest.mark.parametrize("spelling", every(2, [name for name in RIGHT_ENGINES if name not in NOT_ASKED]))
def test_a_right_engine_in_another_spelling_gets_full_marks(lost, spelling: str) -> None:
    assert lost(with_engine(RIGHT_ENGINES[spelling])) == {}


def test_a_seed_may_fill_the_gradient_that_is_there(lost) -> None:
    """Nodes that a check makes have gradients as the constructor gives them: arrays."""
    source = reference("day6")
    seed = "self.grad = np.ones_like(self.data)"
    assert source.count(seed) == 1

    assert lost(source.replace(seed, "self.grad[...] = 1.0")) == {}


def test_a_right_one_needs_no_numpy_in_the_grader(tmp_path: Path) -> None:
    """Its tests of eighths are all replayed, on any machine."""
    path = tmp_path / "mine.py"
    path.write_text(reference("day6"), encoding="utf-8")
    main = f"main(['day6', {str(path)!r}, '--check', 'add'], standalone_mode=False)"
    source = "import atexit, sys\natexit.register(lambda: print('numpy' in sys.modules))\n"
    source += f"from grader.cli import main\n{main}"
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=COURSE, capture_output=True, text=True, check=True
    )
    assert "6 of 6 points" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


SUM = "            grad = grad.sum(axis=axis, keepdims=True)\n    return grad"
SLIPS = {
    "unbroadcast averages": ("grad.sum(axis=0)", "grad.mean(axis=0)", {"unbroadcast", "pytorch_parity"}),
    "unbroadcast is a blank": (
        SUM,
        SUM.replace("return grad", "raise NotImplementedError"),
        {"unbroadcast", "pytorch_parity"},
    ),
    "+ forgets to sum": (
        "other.grad += unbroadcast(out.grad, other.data.shape)",
        "other.grad = other.grad + out.grad",
        {"add", "neuron", "pytorch_parity"},
    ),
    "@ without a transpose": (
        "out.grad @ other.data.T",
        "out.grad @ other.data",
        {"matmul", "neuron", "pytorch_parity"},
    ),
    "a row counts once": (
        "np.add.at(self.grad, rows, out.grad)",
        "self.grad[rows] += out.grad",
        {"rows", "pytorch_parity"},
    ),
    "mean without a path": (
        "return total * (total.data.size / self.data.size)",
        "return Tensor(self.data.mean(axis=axis, keepdims=keepdims))",
        {"means", "pytorch_parity"},
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_one_slip_costs_its_own_check(lost, name: str) -> None:
    """And those of whole expressions."""
    old, new, expected = SLIPS[name]
    source = reference("day6")
    assert source.count(old) == 1

    assert lost(source.replace(old, new)).keys() == expected


# --- The numbers of the lesson, by numpy alone

A = np.array([[1.0, 2, 3], [4, 5, 6]])
C = np.array([[1, -2, 0.5], [3, 1, -1]])
P, Q = np.array([[2.0], [-1]]), np.array([[1.0, 3, -2]])
W = np.array([[1, 0, 2], [-1, 4, 0.5]])
S, B, D = np.array([[1.0, 2], [3, 4]]), np.array([[1, -1], [0.5, 2]]), np.array([[1, 2], [-1, 0.5]])
X, T = np.array([1.0, -2, 3, 0]), np.array([0.0, 1, 1, -2])


def shape_of(*shapes: tuple[int, ...]) -> object:
    try:
        return [*np.broadcast_shapes(*shapes)]
    except ValueError:
        return "error"


def shared_array() -> list[float]:
    x = y = np.array([1.0, 2.0])
    x += np.array([10.0, 20.0])
    return y.tolist()


def whole_numbers() -> list[int]:
    grad = np.zeros_like(np.array([1, 2, 4]))
    grad[:] = [0.5, 2.5, -1.5]
    return grad.tolist()


def row_twice() -> list[float]:
    grad = np.ones((3, 2))
    grad[[0, 2, 0]] += [[1, 10], [2, 20], [3, 30]]
    return grad[0].tolist()


ANSWERS = {
    "shape_a": shape_of((6, 1), (5,)),
    "shape_b": shape_of((4, 6, 1), (6, 5)),
    "shape_c": shape_of((6, 5), (6,)),
    "shape_d": shape_of((7, 1, 5), (6, 1)),
    "shape_e": [*(np.ones((6, 5)) @ np.ones((5, 8))).shape],
    "stretch_b": C.sum(axis=0).tolist(),
    "column_P": (W * Q).sum(axis=1, keepdims=True).tolist(),
    "row_Q": (W * P).sum(axis=0, keepdims=True).tolist(),
    "square_A": (D @ B.T).tolist(),
    "square_A_without_transpose": (D @ B).tolist(),
    "trap_size": (np.zeros(4) + np.zeros((8, 4))).size,
    "trap_lost_axis": [*(np.ones((2, 1)) - 0.1 * np.ones(2)).shape],
    "trap_one_array": shared_array(),
    "trap_integers": whole_numbers(),
    "trap_assigned": (X[:3] * 2).tolist(),
    "trap_mean": (2 * (X - T)).tolist(),
    "trap_rows": row_twice(),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_what_numpy_computes(name: str) -> None:
    assert read_answers(COURSE / "solutions/day6/answers.yaml")[name].right == ANSWERS[name]


def test_the_graphs_of_the_lesson_have_the_numbers_of_the_course() -> None:
    """Root values, as PyTorch has them."""
    assert ((A + np.array([10, 20, 30])) * C).sum() == 14.5
    assert (P * Q * W).sum() == -16
    assert ((S @ B) * D).sum() == 5.5
    assert ((X - T) ** 2).mean() == 4.5
