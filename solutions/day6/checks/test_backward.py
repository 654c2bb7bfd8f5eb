"""Seed the root with ones, then call every node once, after everything that uses it."""

import pytest

from grader.autograd import graph


DEEP = {"a": {}, "b": {"a": 4.0}, "c": {"b": 8.0}}


@pytest.mark.parametrize(
    "above",
    [
        {"d": {"b": 16.0, "c": 5.0}, "e": {"b": 1.0, "c": 80.0, "d": 16.0}},
        {"d": {"c": 5.0, "b": 16.0}, "e": {"d": 16.0, "c": 80.0, "b": 1.0}},
    ],
    ids=["one order", "the other"],
)
def test_deep(student, above):
    """Shared nodes at every level, children in two orders."""
    nodes = graph(student, DEEP | above)
    nodes["e"].backward()
    assert [nodes[name].grad for name in "abcd"] == [6148.0, 1537.0, 160.0, 16.0]


def test_called_again(student):
    """From an inner node, then from the root of another graph over the same leaf."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}, "L": {"p": 5.0}, "M": {"a": 4.0}})
    nodes["p"].backward()
    first = [nodes[name].grad for name in "ap"]
    nodes["M"].backward()
    assert (first, nodes["a"].grad) == ([2.0, 1.0], 6.0)


def test_far(student):
    """Local derivatives of thousands: nothing of the gradients is cut off."""
    nodes = graph(student, {"a": {}, "b": {"a": 4096.0}, "c": {"b": -8192.0}, "d": {"c": 512.0}})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "abcd"] == [-(2.0**34), -(2.0**22), 512.0, 1.0]


def test_whole_graph_again(student):
    """Twice from the root of a graph with inner nodes, with all gradients at 0 between: the graph is still there."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}, "q": {"p": 5.0}, "L": {"q": 0.5}})
    nodes["L"].backward()
    for name in "apqL":
        nodes[name].grad = student.array(0.0)
    nodes["L"].backward()
    assert [nodes[name].grad for name in "apqL"] == [5.0, 2.5, 0.5, 1.0]
