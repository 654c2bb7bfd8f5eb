"""Seed the root, then call every node once, after everything that uses it."""

from pytest import approx

from grader.autograd import graph, works


def gradients(nodes, names):
    return [nodes[name].grad for name in names]


def test_chain(student):
    """Where c is made of b with a local derivative of -2, and b of a with 3: c is the root. No operation is used."""
    nodes = graph(student, {"a": {}, "b": {"a": 3.0}, "c": {"b": -2.0}})
    nodes["c"].backward()
    assert gradients(nodes, "abc") == approx([-6.0, -2.0, 1.0])


def test_diamond(student):
    """Where b and c are made of a, d of b and c, with local derivatives from 2 to 5: both paths reach a."""
    nodes = graph(student, {"a": {}, "b": {"a": 2.0}, "c": {"a": 3.0}, "d": {"b": 4.0, "c": 5.0}})
    nodes["d"].backward()
    assert gradients(nodes, "abcd") == approx([23.0, 4.0, 5.0, 1.0])


def test_reuse(student):
    """Where b is made of a, c of a and b, d of b and c: b is used twice, at different depths."""
    nodes = graph(student, {"a": {}, "b": {"a": 3.0}, "c": {"a": 2.0, "b": 4.0}, "d": {"b": 5.0, "c": 6.0}})
    nodes["d"].backward()
    assert gradients(nodes, "abcd") == approx([99.0, 29.0, 6.0, 1.0])
    nodes = graph(student, {"a": {}, "b": {"a": 3.0}, "c": {"b": 4.0, "a": 2.0}, "d": {"c": 6.0, "b": 5.0}})
    nodes["d"].backward()
    assert gradients(nodes, "abcd") == approx([99.0, 29.0, 6.0, 1.0])


def test_gradients_already_there(student):
    """What the inner node p held before makes no difference to what is below q, where L is made of both."""
    edges = {"a": {}, "c": {}, "p": {"a": 2.0}, "q": {"c": -3.0}, "L": {"p": 1.0, "q": 0.5}}
    nodes = graph(student, edges)
    nodes["a"].grad, nodes["p"].grad = 7.0, 3.0
    nodes["L"].backward()
    assert gradients(nodes, "cqL") == approx([-1.5, 0.5, 1.0])


def test_root_is_set(student):
    """The seed is set, not added: where p is made of a with 2, and p.grad was 5, it is 1 afterwards."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}})
    nodes["p"].grad = 5.0
    nodes["p"].backward()
    assert gradients(nodes, "ap") == approx([2.0, 1.0])


def test_called_again(student):
    """From p; then, with the gradients at 0 again, from L, which is made of p and c; then from another root, M."""
    edges = {"a": {}, "c": {}, "p": {"a": 2.0}, "L": {"p": 5.0, "c": -3.0}, "x": {}, "M": {"x": 4.0}}
    nodes = graph(student, edges)
    nodes["p"].backward()
    nodes["a"].grad = nodes["p"].grad = 0.0
    nodes["L"].backward()
    nodes["M"].backward()
    assert gradients(nodes, "apcLxM") == approx([10.0, 5.0, -3.0, 1.0, 4.0, 1.0])


PLAIN = [
    (
        {"a": {}, "b": {"a": 3.0}, "c": {"a": 1.0, "b": 1.0}, "d": {"b": 8.0, "c": 6.0}},
        [48.0, 14.0, 6.0, 1.0],
    ),
    (
        {"x": {}, "y": {}, "s": {"x": 1.0, "y": 1.0}, "p": {"y": 2.0, "x": 2.0}, "L": {"s": 4.0, "p": 4.0}},
        [12.0, 12.0, 4.0, 4.0, 1.0],
    ),
]


def test_operations(student):
    """Where b = 3 * a, c = a + b, d = b * c at a = 2, and where L = (x + y) * (y * x) at 2 and 2."""
    if not works(student, "+", "*"):  # the same graphs, which no operation makes
        for edges, expected in PLAIN:
            nodes = graph(student, edges)
            nodes[list(edges)[-1]].backward()
            assert gradients(nodes, edges) == approx(expected)
        return
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    d.backward()
    assert d.data == approx(48.0)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((48.0, 14.0, 6.0, 1.0))
    x, y = student.leaves(x=2.0, y=2.0)
    s, p = student.name(s=x + y, p=y * x)
    L = s * p
    L.backward()
    assert L.data == approx(16.0)
    assert (x.grad, y.grad, s.grad, p.grad) == approx((12.0, 12.0, 4.0, 4.0))
