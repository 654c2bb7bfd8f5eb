"""A chain of 5,000 nodes: recursion reaches Python's limit, an iterative sort does not."""

from pytest import approx

from grader.autograd import plain_nodes


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
    """A chain of 5,000 nodes: the gradient arrives at its end."""
    graph = plain_nodes(student, chain(5000), only=["n0", "n4999"])
    student.backward(graph["n4999"])
    leaf = graph["n0"]
    assert leaf.grad == approx(1.0)
