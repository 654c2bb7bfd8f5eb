"""build_topo lists every node once, children before their parents."""

from pytest import approx  # noqa: F401

from grader.autograd import assert_sorted, children, listed, plain_nodes

DIAMOND = {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 6, "c": 3}}
REUSE = {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 8, "c": 6}}
SHORT_AND_LONG = {"a": {}, "b": {"a": 2}, "c": {"b": 1}, "d": {"c": 1}, "e": {"b": 3, "d": 1}}


def check_order(student, edges, root, labels=None):
    graph = plain_nodes(student, edges)
    for name in labels or ():
        graph[name].label = labels[name]
    assert_sorted(listed(student, graph, root), edges)


def test_one_node(student):
    """The list of a single leaf is that leaf."""
    check_order(student, {"a": {}}, "a")


def test_chain(student):
    """In a chain of plain nodes, which are no Values, every node comes after the one that it is made from."""
    check_order(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}}, "c")


def test_diamond(student):
    """In the diamond d = b * c, with b and c made from a: a first, d last."""
    check_order(student, DIAMOND, "d")


def test_shared_node(student):
    """A node that is used twice stands in the list once, before both that use it."""
    check_order(student, REUSE, "d")


def test_short_and_long_way(student):
    """Two ways lead to b, straight and by c and d: b stands before all that use it."""
    check_order(student, SHORT_AND_LONG, "e")


def test_without_labels(student):
    """Nodes without a label are different nodes all the same: remember the nodes themselves."""
    check_order(student, REUSE, "d", labels=dict.fromkeys(REUSE, ""))


def test_graph_is_left_as_it_is(student):
    """build_topo only reads `_prev`: each node still has its children afterwards."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"a": 3, "b": 1}})
    listed(student, graph, "c")
    left = {name: sorted(graph.names(children(graph[name]))) for name in ("b", "c")}
    student.note("children", left)
    assert left == {"b": ["a"], "c": ["a", "b"]}, "build_topo changed the `_prev` of a node that it listed."


def test_second_call(student):
    """A second call lists all the nodes again: it begins with an empty list and an empty set."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}})
    student.build_topo(graph["c"])
    names = listed(student, graph, "c", "second list")
    assert sorted(names) == ["a", "b", "c"], "The second call lists every node exactly once."
    names = listed(student, graph, "a", "list of a")
    assert names == ["a"], "After that, build_topo(a) lists `a` and nothing of the earlier calls."
