"""build_topo lists every node once, children before their parents: those in `_children`."""

from grader.autograd import assert_sorted, listed, own_nodes, plain_nodes


def order_of(student, edges, root):
    nodes = own_nodes(student, edges)
    if nodes is None:
        nodes = plain_nodes(student, edges, kept="_children")
    return listed(student, nodes, root)


def test_deep(student):
    """deep with its children exchanged: every node before all that use it."""
    edges = {"a": {}, "b": {"a": 4}, "c": {"b": 8}, "d": {"b": 16, "c": 5}, "e": {"b": 1, "c": 80, "d": 16}}
    assert order_of(student, edges, "e") == ["a", "b", "c", "d", "e"]


def test_doublings(student):
    """Twelve doublings, with two nodes at each step: a node is visited once, however many ways lead to it."""
    edges = {"n0": {}}
    for i in range(12):
        edges |= {f"p{i}": {f"n{i}": 1}, f"q{i}": {f"n{i}": 1}, f"n{i + 1}": {f"p{i}": 1, f"q{i}": 1}}
    assert_sorted(order_of(student, edges, "n12"), edges)


def test_random(student, rng):
    """Twelve nodes, each made of up to three earlier ones, and a root of all."""
    names = [f"n{i}" for i in range(12)]
    edges = {
        name: dict.fromkeys(rng.sample(names[:i], min(i, rng.randrange(4))), 1)
        for i, name in enumerate(names)
    }
    edges["root"] = dict.fromkeys(rng.sample(names, len(names)), 1)
    assert_sorted(order_of(student, edges, "root"), edges)
