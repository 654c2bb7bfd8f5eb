"""backward calls every node's _backward once, each parent before its children."""

from grader.autograd import apart_from_sort, plain_nodes


def check_walk(student, edges, root):
    graph = plain_nodes(student, edges)
    student.backward(graph[root])
    calls = graph.log()
    student.note("calls", calls)
    inner = [name for name, children in edges.items() if children]
    assert sorted(name for name in calls if name in inner) == sorted(inner)
    place = {name: i for i, name in enumerate(calls)}
    for parent in inner:
        for child in set(edges[parent]) & set(inner):
            assert place[parent] < place[child]


@apart_from_sort
def test_deep(student):
    """b = a·a; c = b·b; d = c·b + c; e = d·c + b."""
    edges = {
        "a": {}, "b": {"a": 4}, "c": {"b": 8}, "p": {"c": 4, "b": 16}, "d": {"p": 1, "c": 1},
        "q": {"d": 16, "c": 80}, "e": {"q": 1, "b": 1},
    }  # fmt: skip
    check_walk(student, edges, "e")


@apart_from_sort
def test_random_graphs(student, rng):
    """Random graphs in which every node is used by the next and by others."""
    for size in (6, 9, 12):
        edges = {"n0": {}}
        for i in range(1, size):
            others = rng.sample(range(i), k=min(i, rng.randint(1, 3)))
            edges[f"n{i}"] = {f"n{j}": 1 for j in {i - 1, *others}}
        check_walk(student, edges, f"n{size - 1}")


@apart_from_sort
def test_from_an_inner_node(student):
    """From an inner node only what it is made from is walked."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}, "d": {"c": 1}})
    student.backward(graph["c"])
    calls = graph.log()
    student.note("calls", calls)
    assert [name for name in calls if name != "a"] == ["c", "b"]
