"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from pytest import approx

from grader.autograd import plain_nodes


def test_hundred(student, rng):
    """300 nodes with slopes of 1 and, an odd number of times, -1: the gradient is their product."""
    slopes = [-1] * rng.randrange(101, 199, 2)
    slopes += [1] * (299 - len(slopes))
    rng.shuffle(slopes)
    edges = {"n0": {}}
    for i, slope in enumerate(slopes, start=1):
        edges[f"n{i}"] = {f"n{i - 1}": slope}
    graph = plain_nodes(student, edges, only=["n0", "n299"])
    student.backward(graph["n299"])
    leaf = graph["n0"]
    assert leaf.grad == approx(-1.0)
