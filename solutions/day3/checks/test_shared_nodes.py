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


def test_deep(student):
    """deep on the student's own Values: a.grad is 6148."""
    (a,) = student.leaves(a=2.0)
    b = a * a
    c = b * b
    d = c * b + c
    e = d * c + b
    student.backward(e)
    assert (e.data, a.grad) == approx((1284.0, 6148.0))


def test_deep_exchanged(student):
    """deep with the operands exchanged."""
    (a,) = student.leaves(a=2.0)
    b = a * a
    c = b * b
    d = c + b * c
    e = b + c * d
    student.backward(e)
    assert (e.data, a.grad) == approx((1284.0, 6148.0))


def test_reuse(student):
    """reuse on the student's own Values: a.grad is 48."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    student.backward(d)
    assert (a.grad, b.grad) == approx((48.0, 14.0))
