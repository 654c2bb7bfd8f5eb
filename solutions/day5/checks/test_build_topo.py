"""build_topo lists every node once, children before their parents: those in `_children`."""

from grader.autograd import listed, own_nodes, plain_nodes


def test_deep(student):
    """deep with its children exchanged: every node before all that use it."""
    edges = {"a": {}, "b": {"a": 4}, "c": {"b": 8}, "d": {"b": 16, "c": 5}, "e": {"b": 1, "c": 80, "d": 16}}
    nodes = own_nodes(student, edges)
    if nodes is None:
        nodes = plain_nodes(student, edges, kept="_children")
    assert listed(student, nodes, "e") == ["a", "b", "c", "d", "e"]
