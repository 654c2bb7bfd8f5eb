"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from pytest import approx

from grader.autograd import plain_nodes

# Executed in the jail: calls a function with Python's usual recursion limit, and refuses a higher one.
USUAL_LIMIT = """
import sys

def call(function, *args):
    limit, change = sys.getrecursionlimit(), sys.setrecursionlimit
    usual = 1000 + len(list(above(sys._getframe())))
    change(usual)
    sys.setrecursionlimit = lambda limit: None
    try:
        found = function(*args)
        if sys.getrecursionlimit() > usual:
            raise RecursionError("the recursion limit was raised")
        return found
    finally:
        sys.setrecursionlimit = change
        change(limit)

def above(frame):
    while frame:
        yield frame
        frame = frame.f_back
"""


def chain(length):
    edges = {"n0": {}}
    for i in range(1, length):
        edges[f"n{i}"] = {f"n{i - 1}": 1}
    return edges


def test_hundred(student):
    """A chain of 100 nodes: the gradient arrives at its end."""
    graph = plain_nodes(student, chain(100), only=["n0", "n99"])
    student.backward(graph["n99"])
    leaf = graph["n0"]
    assert leaf.grad == approx(1.0)


def test_five_thousand(student):
    """The gradient arrives at the end of 5,000 nodes with Python's usual recursion limit.

    The check sets that limit. A search that calls itself meets it: each waiting call counts. A loop with a
    stack does not (section 7).
    """
    graph = plain_nodes(student, chain(5000), only=["n0", "n4999"])
    call = student.helper(USUAL_LIMIT, "call")
    call(student.backward, graph["n4999"])
    leaf = graph["n0"]
    assert leaf.grad == approx(1.0)
