"""Quiz: values to read off or derive, and choices."""

import pytest
from pytest import approx

from grader.autograd import plain_nodes, trusted, walk
from grader.sandbox import StudentError, Undefined

LATER = "Your values are compared with your own engine as soon as + and × of day 2 pass."
COMPLEX = {"a": {}, "b": {}, "c": {}, "p": {"a": -3, "b": 2}, "q": {"p": 1, "c": 1}}
COMPLEX |= {"s": {"a": 1, "b": 1}, "L": {"q": -1, "s": 4}}


def build(a, b, c):
    p = a * b
    q = p + c
    s = a + b
    L = q * s
    return [L, q, s, p], L


def listed(student, edges, root):
    """The names in the list of build_topo; nothing while it raises."""
    graph = plain_nodes(student, edges)
    try:
        return graph.names(student.build_topo(graph[root]))
    except (StudentError, Undefined):
        return []


def test_reuse(student):
    """quiz_reuse_a is what a.grad holds after the backward pass of reuse."""
    answer = student.quiz_reuse_a
    if not trusted(student):
        pytest.skip(LATER)
    a, three = student.leaves(a=2.0, three=3.0)
    b = three * a
    c = a + b
    d = b * c
    walk([d, c, b], d)
    assert answer == approx(a.grad)


def test_same_graph_twice(student):
    """quiz_same_graph_twice is what a.grad holds after two passes over one graph."""
    answer = student.quiz_same_graph_twice
    if not trusted(student):
        pytest.skip(LATER)
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    nodes, L = build(a, b, c)
    walk(nodes, L)
    walk(nodes, L)
    assert answer == approx(a.grad)


def test_two_fresh_graphs(student):
    """quiz_two_fresh_graphs is what a.grad holds after a pass over each of two graphs."""
    answer = student.quiz_two_fresh_graphs
    if not trusted(student):
        pytest.skip(LATER)
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    for _ in range(2):
        walk(*build(a, b, c))
    assert answer == approx(a.grad)


def test_length(student):
    """quiz_topo_length is how many elements your build_topo lists for complex."""
    answer = student.quiz_topo_length
    found = listed(student, COMPLEX, "L")
    if sorted(found) != sorted(COMPLEX):
        pytest.skip("Your value is compared with your own build_topo as soon as that lists every node once.")
    assert answer == len(found)


@pytest.mark.parametrize("name", ["quiz_visited", "quiz_zero_grad", "quiz_wait"])
def test_choice(student, name):
    """The answer is one of the letters A to D."""
    student.choice(name)
    pytest.skip("Which letter is right, the hidden checks say.")
