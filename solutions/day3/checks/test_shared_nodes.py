"""An inner node that is used twice hands its gradient on once, when it has all of it."""

from pytest import approx

from grader.autograd import plain_nodes


def gradients(edges, root):
    found = dict.fromkeys(edges, 0.0) | {root: 1.0}
    for name in reversed(list(edges)):
        for child, slope in edges[name].items():
            found[child] += slope * found[name]
    return found


def test_random_graphs(student, rng):
    """Random graphs in which every node is used by the next and by others."""
    for size in (5, 8, 11):
        edges = {"n0": {}}
        for i in range(1, size):
            others = rng.sample(range(i), k=min(i, 2))
            edges[f"n{i}"] = {f"n{j}": rng.choice((-2, -1, 1, 2, 3)) for j in sorted({i - 1, *others})}
        graph = plain_nodes(student, edges)
        student.backward(graph[f"n{size - 1}"])
        expected = gradients(edges, f"n{size - 1}")
        nodes = {name: graph[name].grad for name in edges}
        assert nodes == approx(expected)
