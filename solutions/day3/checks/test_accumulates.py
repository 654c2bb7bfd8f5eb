"""Gradients add up over graphs: backward clears nothing, that is what zero_grad is for."""

from pytest import approx

from grader.autograd import apart_from_sort, plain_nodes


@apart_from_sort
def test_two_fresh_graphs(student, rng):
    """Two fresh graphs over the same leaves: the gradients add up."""
    p, q, r = (rng.uniform(-5, -2) for _ in range(3))
    graph = plain_nodes(student, {"a": {}, "b": {}, "one": {"a": p, "b": q}, "two": {"b": r}})
    a, b = graph["a"], graph["b"]
    for name in ("one", "two", "one"):
        root = graph[name]
        root.grad = 1.0
        student.backward(root)
    assert (a.grad, b.grad) == approx((2 * p, 2 * q + r))


@apart_from_sort
def test_inner_node_keeps_what_it_has(student, rng):
    """What an inner node holds before the walk is kept, and it is called."""
    slope, held = rng.uniform(2, 5), rng.uniform(-9, -6)
    graph = plain_nodes(student, {"a": {}, "b": {"a": 3}, "c": {"b": slope}})
    b, c = graph["b"], graph["c"]
    b.grad, c.grad = held, 1.0
    student.backward(c)
    assert b.grad == approx(held + slope)
    assert "b" in graph.log()
