"""Gradients add up over graphs: backward clears nothing, that is what zero_grad is for."""

from pytest import approx

from grader.autograd import apart_from_sort, plain_nodes


@apart_from_sort
def test_leaf_keeps_what_it_has(student):
    """In b = 4 * a, if a.grad is 10 and b.grad is 1 before backward(b), a.grad is 14 afterwards: 10, and 4 from b."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 4}})
    a, b = graph["a"], graph["b"]
    a.grad, b.grad = 10.0, 1.0
    student.backward(b)
    assert a.grad == approx(14.0)


@apart_from_sort
def test_two_graphs_over_one_leaf(student):
    """After backward(3 * a) and backward(5 * a), two graphs over the same leaf, a.grad is 8.

    The gradient of each root is 1 before.
    """
    graph = plain_nodes(student, {"a": {}, "first": {"a": 3}, "second": {"a": 5}})
    a, first, second = graph["a"], graph["first"], graph["second"]
    for root in (first, second):
        root.grad = 1.0
        student.backward(root)
    assert a.grad == approx(8.0)


@apart_from_sort
def test_same_graph_twice(student):
    """In c = 2 * b, b = 3 * a, with c.grad at 1 before, b.grad is 4 after two passes over the same graph.

    backward clears no gradient, also not those of inner nodes, and in the second pass every node is called once more.
    """
    graph = plain_nodes(student, {"a": {}, "b": {"a": 3}, "c": {"b": 2}})
    b, c = graph["b"], graph["c"]
    c.grad = 1.0
    student.backward(c)
    student.backward(c)
    assert b.grad == approx(4.0)
    assert graph.log().count("b") == 2, "The _backward of `b` is called once in each of the two passes."
