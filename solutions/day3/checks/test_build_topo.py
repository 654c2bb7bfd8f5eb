"""build_topo lists every node once, children before their parents."""

from grader.autograd import assert_sorted, listed, plain_nodes


def check_order(student, edges, root):
    assert_sorted(listed(student, plain_nodes(student, edges), root), edges)


def test_deep(student):
    """b = a·a; c = b·b; d = c·b + c; e = d·c + b."""
    edges = {
        "a": {}, "b": {"a": 4}, "c": {"b": 8}, "p": {"c": 4, "b": 16}, "d": {"p": 1, "c": 1},
        "q": {"d": 16, "c": 80}, "e": {"q": 1, "b": 1},
    }  # fmt: skip
    check_order(student, edges, "e")


def test_random_graphs(student, rng):
    """Random graphs in which every node is used by the next and by others."""
    for size in (6, 9, 12):
        edges = {"n0": {}}
        for i in range(1, size):
            others = rng.sample(range(i), k=min(i, rng.randint(1, 3)))
            edges[f"n{i}"] = {f"n{j}": 1 for j in {i - 1, *others}}
        check_order(student, edges, f"n{size - 1}")


def test_only_what_is_reachable(student):
    """From an inner node only what it is made from is listed."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}, "d": {"a": 1, "c": 1}})
    names = graph.names(student.build_topo(graph["b"]))
    assert names == ["a", "b"]


def test_twice(student):
    """A second call lists the same again."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"b": 1}})
    first = graph.names(student.build_topo(graph["c"]))
    second = graph.names(student.build_topo(graph["c"]))
    assert (first, second) == (["a", "b", "c"], ["a", "b", "c"])
