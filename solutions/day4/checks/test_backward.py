"""Seed the root, then call every node once, after everything that uses it."""

import pytest
from pytest import approx

from grader.autograd import graph, works

# Each node with what it is made of: local derivatives are drawn.
GRAPHS = {
    "deep": {"a": "", "b": "a", "c": "b", "d": "cb", "e": "dc", "f": "eb"},
    "deep, sides exchanged": {"a": "", "b": "a", "c": "b", "d": "bc", "e": "cd", "f": "be"},
    "two leaves": {"a": "", "b": "", "c": "ab", "d": "bc", "e": "ca", "f": "edb"},
}


def right(edges):
    """The gradient of every node; f is the root."""
    gradients = {name: float(name == "f") for name in edges}
    for name in reversed(edges):
        for below in edges[name]:
            gradients[below] += gradients[name] * edges[name][below]
    return gradients


@pytest.mark.parametrize("name", GRAPHS)
def test_graph(student, rng, name):
    """Graphs whose inner nodes are used several times."""
    walk_one(student, rng, name)


def walk_one(student, rng, name):
    edges = {node: {below: rng.uniform(1, 3) for below in made} for node, made in GRAPHS[name].items()}
    nodes = graph(student, edges)
    nodes["f"].backward()
    assert {node: nodes[node].grad for node in edges} == approx(right(edges))


def test_far(student):
    """Local derivatives of thousands: nothing of the gradients is cut off."""
    nodes = graph(student, {"a": {}, "b": {"a": 3000.0}, "c": {"b": -5000.0, "a": 0.001}, "d": {"c": 400.0}})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "abcd"] == approx([0.4 - 6e9, -2e6, 400.0, 1.0])


def test_root_is_a_leaf(student):
    """Called on a single leaf seeds it, and nothing else."""
    nodes = graph(student, {"a": {}, "b": {"a": 2.0}})
    nodes["a"].backward()
    assert (nodes["a"].grad, nodes["b"].grad) == approx((1.0, 0.0))


def deep(a):
    b = a * a
    c = b * b
    d = c * b + c
    return d * c + b


def deep_turned(a):
    b = a * a
    c = b * b
    d = c + b * c
    return b + c * d


def cubic(a):
    b = 3 * a
    return b * b * b + b * b


def diamond(a):
    return (1 + a) * (a * 3)


EXPRESSIONS = [(deep, 6148.0), (deep_turned, 6148.0), (cubic, 360.0), (diamond, 15.0)]


def test_operations(student, rng):
    """Expressions whose inner nodes are used several times or hold the same number, and a sum of 60 terms."""
    if not works(student, "+", "*"):  # other numbers, and no operation
        return walk_one(student, rng, "deep")
    for build, expected in EXPRESSIONS:
        (a,) = student.leaves(a=2.0)
        root = build(a)
        root.backward()
        assert (a.grad, root.grad) == approx((expected, 1.0))
    x = rng.randint(2, 6)
    a, b, c = student.leaves(a=float(x), b=float(x), c=float(2 * x))
    s = a + b
    t = 2 * a
    L = (s * t) * c
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((12.0 * x * x, 4.0 * x * x, 4.0 * x * x))
    d, e = student.leaves(d=2.0, e=3.0)
    total = d
    for _ in range(60):
        total = total + e
    total.backward()
    assert (total.data, d.grad, e.grad) == approx((182.0, 1.0, 60.0))


def test_whole_graph_again(student):
    """Twice from the root of a graph with inner nodes, with all gradients at 0 between: the graph is still there."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}, "q": {"p": 5.0}, "L": {"q": 0.5}})
    nodes["L"].backward()
    for name in "apqL":
        nodes[name].grad = 0.0
    nodes["L"].backward()
    assert [nodes[name].grad for name in "apqL"] == approx([5.0, 2.5, 0.5, 1.0])
