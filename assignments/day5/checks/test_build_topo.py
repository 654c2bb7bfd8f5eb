"""build_topo lists every node once, children before their parents: those in `_children`."""

from grader.autograd import assert_sorted, listed, own_nodes, plain_nodes


def graph(student, edges):
    """Nodes of the student's class, with these children; plain ones with `_children` where they cannot be made."""
    nodes = own_nodes(student, edges)
    return plain_nodes(student, edges, kept="_children") if nodes is None else nodes


def check_order(student, edges, root):
    assert_sorted(listed(student, graph(student, edges), root), edges)


def test_one_node(student):
    """The list of a single leaf is that leaf."""
    check_order(student, {"a": {}}, "a")


def test_chain(student):
    """In a chain every node comes after the one in its `_children`."""
    check_order(student, {"a": {}, "b": {"a": 2}, "c": {"b": 4}}, "c")


def test_shared_node(student):
    """A node that two others have among their children stands in the list once, before both."""
    check_order(student, {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 8, "c": 6}}, "d")


def test_short_and_long_way(student):
    """Two ways lead to b, straight and by c and d: b stands before all that use it."""
    check_order(student, {"a": {}, "b": {"a": 2}, "c": {"b": 1}, "d": {"c": 1}, "e": {"b": 3, "d": 1}}, "e")


def test_second_call(student):
    """A second call lists all the nodes again: it begins with an empty list and an empty set."""
    nodes = graph(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}})
    student.build_topo(nodes["c"])
    names = listed(student, nodes, "c", "second list")
    assert sorted(names) == ["a", "b", "c"], "The second call lists every node exactly once."
    names = listed(student, nodes, "a", "list of a")
    assert names == ["a"], "After that, build_topo(a) lists `a` and nothing of the earlier calls."
