"""A course of four checks about engines of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST = """\
format: 1
title: Tensors
submission: tensors.ipynb
topic: autograd
arrays: true
checks:
  add: {points: 10, hints: ["Which axis was stretched?"]}
  product: {points: 10, hints: ["Look at the shapes."]}
  walk: {points: 10, hints: ["Each node after all that use it."]}
  total: {points: 10, hints: ["Add them up."]}
"""
CHECKS = {
    "add": '''\
"""+ with a row for each row."""


def test_row(student):
    """x + b, where b is one row for both rows of x."""
    x, b = student.leaves(x=[[1.0, -2.0, 0.5], [3.0, 4.0, 0.0]], b=[5.0, 0.5, 1.0])
    out = x + b
    out.grad += 1.0
    out._backward()
    assert b.grad == [2.0, 2.0, 2.0]
''',
    "product": '''\
"""@ of two matrices."""


def test_square(student):
    """x @ w with 2 x 2."""
    x, w = student.leaves(x=[[1.0, 2.0], [3.0, 4.0]], w=[[5.0, 6.0], [7.0, 8.0]])
    out = x @ w
    out.grad += student.array([[1.0, 2.0], [3.0, 4.0]])
    out._backward()
    assert w.grad == [[10.0, 14.0], [14.0, 20.0]]
''',
    "walk": '''\
"""backward goes through the graph."""


def test_two_uses(student):
    """h = x + x; h + (h + x): the gradient of x is 5."""
    (x,) = student.leaves(x=[1.0, 2.0])
    h = x + x
    (h + (h + x)).backward()
    assert x.grad == [5.0, 5.0]
''',
    "total": '''\
"""The sum of all entries."""


def test_four(student):
    """Of 1, 2, 3 and 4."""
    (x,) = student.leaves(x=[[1.0, 2.0], [3.0, 4.0]])
    assert x.sum().data == 10.0
''',
}


def course_files(checks: Mapping[str, str], more: str = "") -> dict[str, str]:
    """Return the files of a course of these checks; `more` stands at the end of the manifest."""
    spec = [
        line
        for line in MANIFEST.splitlines()
        if not line.startswith("  ") or line.split(":")[0].strip() in checks
    ]
    return {"assignments/tensors/assignment.yaml": "\n".join([*spec, more])} | {
        f"assignments/tensors/checks/test_{name}.py": text for name, text in checks.items()
    }
