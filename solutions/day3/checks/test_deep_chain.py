"""A chain of 5,000 nodes: recursion reaches Python's limit, a sort with a loop does not."""

from grader.autograd import plain_nodes
from grader.sandbox import StudentError, Undefined


def ready(student):
    """Reach the blank of section 3 where section 4 is not written either: a long chain comes after both."""
    try:
        student.Value.backward  # noqa: B018  there or not
    except (AttributeError, StudentError, Undefined):
        student.backward(plain_nodes(student, {"a": {}})["a"])


def check_chain(student, length, listed):
    ready(student)
    edges = {"n0": {}}
    for i in range(1, length):
        edges[f"n{i}"] = {f"n{i - 1}": 1}
    graph = plain_nodes(student, edges)
    found = student.build_topo(graph[f"n{listed - 1}"])
    assert isinstance(found, list | tuple)
    assert sorted(graph.names(found)) == sorted(list(edges)[:listed])


def test_three_hundred(student):
    """A chain of 300 nodes, each once."""
    check_chain(student, 300, 300)


def test_from_within(student, rng):
    """From a node within a chain, it and what lies below it."""
    check_chain(student, 90, rng.randrange(50, 70))
