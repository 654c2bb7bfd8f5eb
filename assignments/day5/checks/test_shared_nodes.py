"""Every use adds its contribution, and a node hands on when it has them all."""

from pytest import approx

from grader.autograd import apart_from_sort, kept_graph, walkable


def twice(slope):
    """What stands in for a sum or a product of a with itself where these are not right: two uses with this slope."""
    return {"a": {}, "p": {"a": slope}, "q": {"a": slope}, "L": {"p": 1.0, "q": 1.0}}


@apart_from_sort
def test_twice(student):
    """In L = a + a, a.grad is 2."""
    a, L = walkable(student, lambda a: a + a, 6.0, [2.0], twice(1.0), a=3.0)
    L.backward()
    assert a.grad == approx(2.0)


@apart_from_sort
def test_square(student):
    """In L = a * a with a = 3, a.grad is 6."""
    a, L = walkable(student, lambda a: a * a, 9.0, [6.0], twice(3.0), a=3.0)
    L.backward()
    assert a.grad == approx(6.0)


@apart_from_sort
def test_minus_itself(student):
    """In L = a - a, one node keeps a twice, with 1 and with -1: a.grad is 0."""
    edges = {"a": {}, "p": {"a": 1.0}, "q": {"a": -1.0}, "L": {"p": 1.0, "q": 1.0}}
    a, L = walkable(student, lambda a: a - a, 0.0, [0.0], edges, a=3.0)
    L.backward()
    assert a.grad == approx(0.0)


@apart_from_sort
def test_diamond(student):
    """Where b keeps 1 for a, c keeps 3 for a, d keeps 6 for b and 3 for c, a.grad is 15: 6 through b, 9 through c."""
    nodes = kept_graph(student, a={}, b={"a": 1.0}, c={"a": 3.0}, d={"b": 6.0, "c": 3.0})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "bca"] == approx([6.0, 3.0, 15.0])


@apart_from_sort
def test_reuse(student):
    """Where b keeps 3 for a, c keeps 1 for a and 1 for b, d keeps 8 for b and 6 for c, b.grad is 14 and a.grad is 48."""
    nodes = kept_graph(student, a={}, b={"a": 3.0}, c={"a": 1.0, "b": 1.0}, d={"b": 8.0, "c": 6.0})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "cba"] == approx([6.0, 14.0, 48.0])


@apart_from_sort
def test_deep(student):
    """Where b keeps 4 for a, c keeps 8 for b, d keeps 5 for c and 16 for b, e keeps 16 for d, 80 for c and 1 for b,
    b.grad is 1537 and a.grad is 6148.
    """
    edges = {
        "a": {},
        "b": {"a": 4.0},
        "c": {"b": 8.0},
        "d": {"c": 5.0, "b": 16.0},
        "e": {"d": 16.0, "c": 80.0, "b": 1.0},
    }
    nodes = kept_graph(student, **edges)
    nodes["e"].backward()
    assert [nodes[name].grad for name in "dcba"] == approx([16.0, 160.0, 1537.0, 6148.0])


@apart_from_sort
def test_equal_data(student):
    """Two leaves that both hold 2 are two leaves: in L = a * 3 + b * 5 each gets its own gradient."""
    edges = {"a": {}, "b": {}, "p": {"a": 3.0}, "q": {"b": 5.0}, "L": {"p": 1.0, "q": 1.0}}
    a, b, L = walkable(student, lambda a, b: a * 3 + b * 5, 16.0, (3.0, 5.0), edges, a=2.0, b=2.0)
    L.backward()
    assert (a.grad, b.grad) == approx((3.0, 5.0))
