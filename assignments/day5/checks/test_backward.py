"""One loop: the seed, then every pair in reverse topological order, local times upstream."""

from pytest import approx

from grader.autograd import apart_from_sort, kept_graph, walkable

CHAIN = {
    "a": {},
    "b": {},
    "c": {},
    "d": {},
    "p": {"a": -3.0, "b": 2.0},
    "q": {"p": 0.5, "c": -6.0},
    "L": {"q": 4.0, "d": -3.0},
}


@apart_from_sort
def test_seed(student):
    """Where L keeps -3 for a and 2 for b, L.backward() sets L.grad to 1, a.grad to -3 and b.grad to 2."""
    nodes = kept_graph(student, a={}, b={}, L={"a": -3.0, "b": 2.0})
    nodes["L"].backward()
    assert nodes["L"].grad == approx(1.0)
    assert (nodes["a"].grad, nodes["b"].grad) == approx((-3.0, 2.0))


@apart_from_sort
def test_leaf(student):
    """Calling backward on a single leaf gives it a gradient of 1."""
    nodes = kept_graph(student, a={})
    nodes["a"].backward()
    assert nodes["a"].grad == approx(1.0)


@apart_from_sort
def test_chain(student):
    """Where p keeps -3 for a and 2 for b, q 0.5 for p and -6 for c, L 4 for q and -3 for d, gradients are products."""
    nodes = kept_graph(student, **CHAIN)
    nodes["L"].backward()
    assert (nodes["d"].grad, nodes["q"].grad) == approx((-3.0, 4.0))
    assert (nodes["c"].grad, nodes["p"].grad) == approx((-24.0, 2.0))
    assert (nodes["a"].grad, nodes["b"].grad) == approx((-6.0, 4.0))


@apart_from_sort
def test_second_graph(student):
    """Where L keeps -3 for a and 2 for b, M 4 for c and 0.5 for d, L is walked and then M: each has its gradients."""
    nodes = kept_graph(student, a={}, b={}, c={}, d={}, M={"c": 4.0, "d": 0.5}, L={"a": -3.0, "b": 2.0})
    nodes["L"].backward()
    nodes["M"].backward()
    assert (nodes["c"].grad, nodes["d"].grad) == approx((4.0, 0.5))
    assert (nodes["a"].grad, nodes["b"].grad) == approx((-3.0, 2.0))


@apart_from_sort
def test_walked_again(student):
    """Where p keeps -3 for a and 2 for b, L 4 for p, L is walked, set back to 0 and walked again: the same gradients."""
    nodes = kept_graph(student, a={}, b={}, p={"a": -3.0, "b": 2.0}, L={"p": 4.0})
    a, b, p, L = (nodes[name] for name in "abpL")
    L.backward()
    for node in nodes.nodes.values():
        node.grad = 0.0
    L.backward()
    assert (a.grad, b.grad, p.grad) == approx((-12.0, 8.0, 4.0))


@apart_from_sort
def test_complex(student):
    """In L = (a * b + c) * (a + b), of your own + and ×, both paths of a and of b are followed."""
    a, b, c, L = walkable(
        student,
        lambda a, b, c: (a * b + c) * (a + b),
        -18.0,
        (9.0, -12.0, 3.0),
        {
            "a": {},
            "b": {},
            "c": {},
            "p": {"a": 5.0, "b": -2.0},
            "q": {"p": 1.0, "c": 1.0},
            "s": {"a": 1.0, "b": 1.0},
            "L": {"q": 3.0, "s": -6.0},
        },
        a=-2.0,
        b=5.0,
        c=4.0,
    )
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((9.0, -12.0, 3.0))


@apart_from_sort
def test_root_is_set(student):
    """The seed is set, not added: where L keeps -3 for a, and L.grad was 5, it is 1 afterwards, and a.grad -3."""
    nodes = kept_graph(student, a={}, L={"a": -3.0})
    nodes["L"].grad = 5.0
    nodes["L"].backward()
    assert (nodes["L"].grad, nodes["a"].grad) == approx((1.0, -3.0))
