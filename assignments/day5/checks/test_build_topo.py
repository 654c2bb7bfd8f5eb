"""build_topo lists every node once, children before their parents: those in `_children`."""

from grader.autograd import own_nodes, plain_nodes


def graph(student, edges):
    """Nodes of the student's class, with these children; plain ones with `_children` where they cannot be made."""
    nodes = own_nodes(student, edges)
    return plain_nodes(student, edges, kept="_children") if nodes is None else nodes


def check_order(student, edges, root):
    nodes = graph(student, edges)
    found = student.build_topo(nodes[root])
    assert isinstance(found, list | tuple), "`build_topo` must return a list of nodes."
    names = nodes.names(found)
    student.note("order", names)
    assert sorted(map(str, names)) == sorted(edges), (
        f"Every node stands in the list exactly once; this list is {', '.join(names) or 'empty'}."
    )
    place = {name: i for i, name in enumerate(names)}
    for parent, below in edges.items():
        for child in below:
            assert place[child] < place[parent], (
                f"`{child}` must come before `{parent}`, which is made from it."
            )


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
    again = student.build_topo(nodes["c"])
    assert isinstance(again, list | tuple), "`build_topo` must return a list of nodes."
    names = nodes.names(again)
    student.note("second list", names)
    assert sorted(map(str, names)) == ["a", "b", "c"], "The second call lists every node exactly once."
    leaf = student.build_topo(nodes["a"])
    assert isinstance(leaf, list | tuple), "`build_topo` must return a list of nodes."
    names = nodes.names(leaf)
    student.note("list of a", names)
    assert names == ["a"], "After that, build_topo(a) lists `a` and nothing of the earlier calls."
