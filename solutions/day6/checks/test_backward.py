"""Seed the root with ones, then call every node once, after everything that uses it."""

import pytest

from grader.autograd import own_nodes


def test_deep(student):
    """Shared nodes at every level, children in both orders."""
    graphs = [
        {
            "a": {},
            "b": {"a": 4.0},
            "c": {"b": 8.0},
            "d": {"b": 16.0, "c": 5.0},
            "e": {"b": 1.0, "c": 80.0, "d": 16.0},
        },
        {
            "a": {},
            "b": {"a": 4.0},
            "c": {"b": 8.0},
            "d": {"c": 5.0, "b": 16.0},
            "e": {"d": 16.0, "c": 80.0, "b": 1.0},
        },
    ]
    for edges in graphs:
        nodes = own_nodes(student, edges)
        if nodes is None:
            pytest.skip("It cannot be seen how a Tensor keeps its inputs.")
        nodes["e"].backward()
        assert [nodes[name].grad for name in "abcd"] == [6148.0, 1537.0, 160.0, 16.0]


def test_called_again(student):
    """From an inner node, then from the root of another graph over the same leaf."""
    edges = {"a": {}, "p": {"a": 2.0}, "L": {"p": 5.0}, "M": {"a": 4.0}}
    nodes = own_nodes(student, edges)
    if nodes is None:
        pytest.skip("It cannot be seen how a Tensor keeps its inputs.")
    nodes["p"].backward()
    assert [nodes[name].grad for name in "ap"] == [2.0, 1.0]
    nodes["M"].backward()
    assert nodes["a"].grad == 6.0
