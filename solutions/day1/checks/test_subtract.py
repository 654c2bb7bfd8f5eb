"""Subtraction is right on both sides, and is built from + and ×."""

import pytest
from pytest import approx

from grader.autograd import children, reached

FORMS = {
    "a - b": (lambda a, b: a - b, lambda x, y: x - y),
    "a - -2.5": (lambda a, _b: a - -2.5, lambda x, _y: x + 2.5),
    "-2.5 - a": (lambda a, _b: -2.5 - a, lambda x, _y: -2.5 - x),
    "-a": (lambda a, _b: -a, lambda x, _y: -x),
    "(a - b) - 1": (lambda a, b: (a - b) - 1, lambda x, y: x - y - 1),
    "1 - (a - b)": (lambda a, b: 1 - (a - b), lambda x, y: 1 - x + y),
    "a * (a - b)": (lambda a, b: a * (a - b), lambda x, y: x * (x - y)),
    "-a - -b": (lambda a, b: -a - -b, lambda x, y: y - x),
}


@pytest.mark.parametrize("form", FORMS)
def test_random(student, rng, form):
    """Random leaves."""
    x, y = rng.uniform(1, 5), rng.uniform(-9, -6)
    build, compute = FORMS[form]
    a, b = student.leaves(a=x, b=y)
    L = build(a, b)
    children(L)
    assert (L.data, a.data, b.data) == approx((compute(x, y), x, y))


@pytest.mark.parametrize("form", FORMS)
def test_graph(student, form):
    """Every leaf can be found from the result, and only + and * were used."""
    a, b = student.leaves(a=2.0, b=5.0)
    L = FORMS[form][0](a, b)
    nodes = reached(L)
    assert a in nodes, f"a cannot be found from {form}."
    assert b in nodes or "b" not in form, f"b cannot be found from {form}."
    used = sorted({str(node._op) for node in nodes if children(node)})
    student.note(f"the list of operations in {form}", used)
    assert set(used) - {"*", "+"} == set()


def test_same_value(student):
    """In a - a, nothing is left."""
    (a,) = student.leaves(a=3.5)
    L = a - a
    children(L)
    assert (L.data, a.data) == approx((0.0, 3.5))
