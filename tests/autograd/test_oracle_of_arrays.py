"""PyTorch's numbers for arrays, recorded beside the checks; and a course of tensors, from stub to grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import check, grade, hand_in, passed, write_files

from grader.assignment import Course
from grader.autograd.parity import Oracle, parity_agrees, without_torch, write_records
from grader.grading.grader import grade as in_process
from grader.sandbox import Launcher
from grader.topic import Unavailable

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"x": [[1.0, 2.0], [3.0, 4.0]], "b": [5.0, 6.0]}


def row(x, b):
    return (x + b).relu()


@pytest.mark.ci
def test_gradients_have_the_shapes_of_their_leaves() -> None:
    """Those of the sum of all entries: each entry of the row is used once a row."""
    pytest.importorskip("torch")
    case = Oracle()(row, **ROW)

    assert case.data == [[6.0, 8.0], [8.0, 10.0]]
    assert case.gradients == {"x": [[1.0, 1.0], [1.0, 1.0]], "b": [2.0, 2.0]}
    assert case.graph == "(x + b).relu()"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda x, b: x.T @ x + b, "((x.T @ x) + b)"),
        (lambda x, b: x.sum(axis=0, keepdims=True) * b, "(x.sum(axis=0, keepdims=True) * b)"),
        (lambda x, b: x.reshape(4, 1)[2] + b.sum(), "(x.reshape(4, 1)[2] + b.sum())"),
    ],
)
def test_an_expression_is_written_down(expression, text) -> None:
    pytest.importorskip("torch")
    assert Oracle()(expression, **ROW).graph == text


@pytest.mark.ci
def test_a_record_is_read_again_and_compared_by_numbers_and_shapes() -> None:
    pytest.importorskip("torch")
    case = Oracle()(row, **ROW)
    text = write_records([case])

    assert Oracle({case.key: case})(row, **ROW) is case
    assert parity_agrees(text, text)
    assert parity_agrees(text, text.replace("6.0", "6.0000000000000001"))
    assert not parity_agrees(text, text.replace("10.0", "10.1"))
    assert not parity_agrees(
        text, write_records([type(case)(case.graph, case.leaves, [8.0], case.gradients)])
    )


def test_without_pytorch_they_are_the_same() -> None:
    case = without_torch(row, "(x + b).relu()", ROW)

    assert case.data == [[6.0, 8.0], [8.0, 10.0]]
    assert case.gradients == {"x": [[1.0, 1.0], [1.0, 1.0]], "b": [2.0, 2.0]}


def test_an_operation_of_arrays_without_a_rule_needs_pytorch() -> None:
    with pytest.raises(Unavailable, match=r"PyTorch is needed for x.sin\(\): .*sin"):
        without_torch(lambda x: x.sin(), "x.sin()", {"x": [1.0]})


MANIFEST = """\
format: 1
title: Tensors
submission: tensors.ipynb
topic: autograd
arrays: true
checks:
  add:
    points: 10
    hints: ["Which axis was stretched?"]
"""
CHECK = """\
\"\"\"+ with a row for each row.\"\"\"

from pytest import approx

LEAVES = {"x": [[1.0, -2.0], [3.0, 4.0]], "b": [5.0, 0.5]}


def test_row(student, oracle):
    \"\"\"x + b, where b is one row for both rows of x.\"\"\"
    x, b = student.leaves(**LEAVES)
    out = x + b
    right = oracle(lambda x, b: x + b, **LEAVES)
    assert out.data == approx(right.data)
    out.grad += 1.0
    out._backward()
    assert b.grad == approx(right.gradients["b"])
    assert x.grad == approx(right.gradients["x"])
"""
REFERENCE = """\
# %%
import numpy as np


# %%
def summed(grad, shape):
    grad = grad.sum(axis=tuple(range(grad.ndim - len(shape))))
    return grad.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


# %%
class Tensor:
    def __init__(self, data):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)

    def __add__(self, other):
        ### BEGIN SOLUTION: write +
        out = Tensor(self.data + other.data)

        def _backward():
            self.grad = self.grad + summed(out.grad, self.data.shape)
            other.grad = other.grad + summed(out.grad, other.data.shape)

        out._backward = _backward
        return out
        ### END SOLUTION
"""


def course(root: Path, reference: str, check: str) -> None:
    """Write a course of one day."""
    write_files(
        root,
        {
            "assignments/tensors/assignment.yaml": MANIFEST,
            "assignments/tensors/checks/test_add.py": check,
            "solutions/tensors/tensors.py": reference,
        },
    )


@pytest.mark.ci
def test_a_course_of_tensors(tmp_path: Path) -> None:
    """Stub and records are made, the course is sound, a wrong shape is told with the gradient's name, and the wrong rule."""
    pytest.importorskip("torch")
    course(tmp_path, REFERENCE, CHECK)
    grade("stub", "tensors", cwd=tmp_path)
    assert grade("validate", "tensors", cwd=tmp_path).out.splitlines() == ["tensors  sound"]
    tensors = Course(tmp_path).assignment("tensors")

    with Launcher() as launcher:
        right = in_process(tensors, hand_in(tmp_path, REFERENCE, "right.py"), launcher)
        wrong = REFERENCE.replace("summed(out.grad, other.data.shape)", "out.grad")
        told = check(in_process(tensors, hand_in(tmp_path, wrong, "wrong.py"), launcher), "add")

    assert passed(right) == {"add"}
    assert [(row.label, row.actual, row.expected) for row in told.readings] == [
        ("b.grad.shape", "(2, 2)", "(2,)")
    ]
    assert [rule.wrote for rule in told.rules] == ["other.grad = other.grad + out.grad"]


@pytest.mark.whole
def test_a_reference_that_would_be_told_as_wrong(tmp_path: Path) -> None:
    """`+` of two rows is right in this course; the manifest can say so, and no operation is misspelled."""
    pytest.importorskip("torch")
    reference = REFERENCE.replace("summed(out.grad, self.data.shape)", "out.grad").replace(
        "summed(out.grad, other.data.shape)", "out.grad"
    )
    course(tmp_path, reference, CHECK.replace("[[1.0, -2.0], [3.0, 4.0]]", "[1.0, -2.0]"))
    grade("stub", "tensors", cwd=tmp_path)
    said = " ".join(grade("validate", "tensors", cwd=tmp_path).text.split())
    assert (
        "`+` would be explained as wrong: In a + b your engine does the same as `a.grad = a.grad + out.grad`"
        in said
    )
    assert "write `+ same shape`" in said

    manifest = tmp_path / "assignments" / "tensors" / "assignment.yaml"
    manifest.write_text(
        f"{MANIFEST}operations: [+ same shapes, {{name: '*', out: a, self: b}}]\n", encoding="utf-8"
    )
    said = " ".join(grade("validate", "tensors", cwd=tmp_path).text.split())
    assert (
        "`operations` names `+ same shapes`, which is not known for arrays (did you mean `+ same shape`?); known are"
        in said
    )
    assert "`operations.*` has formulas, which are for numbers" in said

    manifest.write_text(f"{MANIFEST}operations: [+ same shape]\n", encoding="utf-8")
    assert grade("validate", "tensors", cwd=tmp_path).out.startswith("tensors  sound\n")
