"""Seed the root with ones, then call every node once, after everything that uses it."""

from grader.autograd import apart_from_unbroadcast, graph, own_nodes


def gradients(nodes, names):
    return [nodes[name].grad for name in names]


def test_chain(student):
    """Where c is made of b with a local derivative of -2, and b of a with 3: c is the root. No operation is used."""
    nodes = graph(student, {"a": {}, "b": {"a": 3.0}, "c": {"b": -2.0}})
    nodes["c"].backward()
    assert gradients(nodes, "abc") == [-6.0, -2.0, 1.0]


def test_diamond(student):
    """Where b and c are made of a, d of b and c, with local derivatives from 2 to 5: both paths reach a."""
    nodes = graph(student, {"a": {}, "b": {"a": 2.0}, "c": {"a": 3.0}, "d": {"b": 4.0, "c": 5.0}})
    nodes["d"].backward()
    assert gradients(nodes, "abcd") == [23.0, 4.0, 5.0, 1.0]


def test_reuse(student):
    """Where b is made of a, c of a and b, d of b and c: b is used twice, at different depths."""
    nodes = graph(student, {"a": {}, "b": {"a": 3.0}, "c": {"a": 2.0, "b": 4.0}, "d": {"b": 5.0, "c": 6.0}})
    nodes["d"].backward()
    assert gradients(nodes, "abcd") == [99.0, 29.0, 6.0, 1.0]


def test_leaves_add(student):
    """What the leaf a held before stays, and the walk adds to it."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}, "L": {"p": 0.5}})
    nodes["a"].grad = student.array(7.0)
    nodes["L"].backward()
    assert gradients(nodes, "aL") == [8.0, 1.0]


def test_called_twice(student):
    """From p, and once more from p, with all gradients at 0 again: both calls walk the whole graph."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}})
    nodes["p"].backward()
    nodes["a"].grad, nodes["p"].grad = student.array(0.0), student.array(0.0)
    nodes["p"].backward()
    assert gradients(nodes, "ap") == [2.0, 1.0]


def test_root_is_set(student):
    """The seed is set, not added: if p.grad was 5, it is 1 afterwards."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}})
    nodes["p"].grad = student.array(5.0)
    nodes["p"].backward()
    assert gradients(nodes, "ap") == [2.0, 1.0]


def test_two_graphs(student):
    """From p, and then from q: two graphs over the leaf a. Each call begins with an empty list, and a adds both."""
    nodes = graph(student, {"a": {}, "p": {"a": 2.0}, "q": {"a": 5.0}})
    nodes["p"].backward()
    nodes["q"].backward()
    assert gradients(nodes, "apq") == [7.0, 1.0, 1.0]


@apart_from_unbroadcast
def test_seed_has_the_shape_of_the_root(student):
    """Where L is made of x with a local derivative of 1, both of shape (2, 3): the gradient of L is 1 everywhere."""
    numbers = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    nodes = own_nodes(student, {"x": {}, "L": {"x": 1.0}})
    if nodes is None:
        (x,) = student.leaves(x=numbers)
        (L,) = student.name(L=x + 0.0)
    else:
        L = nodes["L"]
        for node in (nodes["x"], L):
            node.data, node.grad = student.array(numbers), student.array([[0.0] * 3] * 2)
    L.backward()
    assert L.grad == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
