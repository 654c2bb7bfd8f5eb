"""backward calls every node's _backward once, each parent before its children."""

from grader.autograd import apart_from_sort, plain_nodes

REUSE = {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 8, "c": 6}}
SHORT_AND_LONG = {"a": {}, "b": {"a": 2}, "c": {"b": 1}, "d": {"c": 1}, "e": {"b": 3, "d": 1}}


def check_walk(student, edges, root):
    graph = plain_nodes(student, edges)
    student.backward(graph[root])
    calls = graph.log()
    student.note("calls", calls)
    inner = [name for name, children in edges.items() if children]
    assert sorted(name for name in calls if name in inner) == sorted(inner), (
        "The _backward of every node must be called exactly once."
    )
    place = {name: i for i, name in enumerate(calls)}
    for parent in inner:
        for child in set(edges[parent]) & set(inner):
            assert place[parent] < place[child], (
                f"`{parent}` must hand its gradient on before `{child}` does."
            )


@apart_from_sort
def test_chain(student):
    """In a chain from d by c and b to a, each node is called, d first: `node._backward()`, with parentheses."""
    check_walk(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}, "d": {"c": 1}}, "d")


@apart_from_sort
def test_diamond(student):
    """In the diamond, d first, then b and c in either order."""
    check_walk(student, {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 6, "c": 3}}, "d")


@apart_from_sort
def test_shared_node(student):
    """A node that is used twice waits for both that use it."""
    check_walk(student, REUSE, "d")


@apart_from_sort
def test_short_and_long_way(student):
    """Two ways lead to b, straight and by c and d: b waits for all that use it."""
    check_walk(student, SHORT_AND_LONG, "e")
