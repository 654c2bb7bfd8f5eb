"""Gradients add up over graphs: backward clears nothing, that is what zero_grad is for."""

from pytest import approx

from grader.autograd import plain_nodes


def test_leaf_keeps_what_it_has(student):
    """In b = 4 * a, if a.grad is 10 before backward(b), it is 14 afterwards: 10, and 4 from b."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 4}})
    a = graph["a"]
    a.grad = 10.0
    student.backward(graph["b"])
    assert a.grad == approx(14.0)


def test_two_graphs_over_one_leaf(student):
    """After backward(3 * a) and backward(5 * a), two graphs over the same leaf, a.grad is 8."""
    graph = plain_nodes(student, {"a": {}, "first": {"a": 3}, "second": {"a": 5}})
    a = graph["a"]
    student.backward(graph["first"])
    student.backward(graph["second"])
    assert a.grad == approx(8.0)


def test_same_graph_twice(student):
    """In c = 2 * b, b = 3 * a a second pass over the same graph hands on the first gradient of b again.

    backward clears no gradient, also not those of inner nodes, and leaves the graph as it is.
    """
    graph = plain_nodes(student, {"a": {}, "b": {"a": 3}, "c": {"b": 2}})
    a, b = graph["a"], graph["b"]
    student.backward(graph["c"])
    student.backward(graph["c"])
    assert (a.grad, b.grad) == approx((18.0, 4.0))


def test_values(student):
    """With your own Values: two fresh graphs over the same leaves, whose gradients add up."""
    a, b = student.leaves(a=1.5, b=-3.5)
    for _ in range(2):
        student.backward((a * b + a) * (a + b))
    assert (a.grad, b.grad) == approx((2.5, -13.5))
