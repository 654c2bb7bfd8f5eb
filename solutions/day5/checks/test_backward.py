"""One loop: the seed, then every pair in reverse topological order, local times upstream."""

from pytest import approx

from grader.autograd import apart_from_sort, built, kept_graph


@apart_from_sort
def test_random(student, rng):
    """Random local gradients, inner nodes of different depth."""
    x, y, z, k = rng.uniform(1, 3), rng.uniform(-5, -3.5), rng.uniform(5, 9), rng.uniform(1.5, 2.5)
    p, q, r, L = {"a": y, "b": x}, {"p": 1.0, "c": z}, {"q": k}, {"r": x, "a": z}
    nodes = kept_graph(student, a={}, b={}, c={}, p=p, q=q, r=r, L=L)
    nodes["L"].backward()
    assert [nodes[name].grad for name in "Lrqp"] == approx([1.0, x, k * x, k * x])
    assert [nodes[name].grad for name in "cba"] == approx([k * x * z, k * x * x, k * x * y + z])


@apart_from_sort
def test_long_chain(student, rng):
    """Twelve nodes in a row: the gradient is the product of all local gradients."""
    slopes = [rng.choice((-1.5, -0.5, 0.5, 2.0, 3.0)) for _ in range(12)]
    edges, product = {"n0": {}}, 1.0
    for i, slope in enumerate(slopes):
        edges[f"n{i + 1}"] = {f"n{i}": slope}
        product *= slope
    nodes = kept_graph(student, **edges)
    nodes["n12"].backward()
    assert nodes["n0"].grad == approx(product)


@apart_from_sort
def test_one_graph_beside_another(student, rng):
    """backward on one root leaves the leaves of another graph alone until that one is walked."""
    x, y = rng.uniform(1, 3), rng.uniform(4, 6)
    if made := built(student, lambda a, b: a * b, x * y, (y, x), a=x, b=y):
        a, b, first = made
        c, d = student.leaves(c=-x, d=2 * y)
        second = c * d
    else:
        leaves = {"a": {}, "b": {}, "c": {}, "d": {}}
        nodes = kept_graph(student, **leaves, second={"c": 2 * y, "d": -x}, first={"a": y, "b": x})
        a, b, c, d, first, second = (nodes[name] for name in [*leaves, "first", "second"])
    first.backward()
    assert (a.grad, b.grad) == approx((y, x))
    second.backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((y, x, 2 * y, -x))


@apart_from_sort
def test_from_an_inner_node(student, rng):
    """From an inner node, only what it is made from gets a gradient."""
    x, y = rng.uniform(1, 3), rng.uniform(-5, -3.5)
    nodes = kept_graph(student, a={}, b={}, c={}, p={"a": y, "b": x}, L={"p": 4.0, "c": y})
    nodes["p"].backward()
    assert [nodes[name].grad for name in "pabc"] == approx([1.0, y, x, 0.0])


@apart_from_sort
def test_far(student):
    """Local gradients of thousands: nothing of the products is cut off."""
    nodes = kept_graph(student, a={}, p={"a": 3000.0}, q={"p": -5000.0, "a": 0.001}, L={"q": 400.0})
    nodes["L"].backward()
    assert [nodes[name].grad for name in "Lqpa"] == approx([1.0, 400.0, -2e6, 0.4 - 6e9])
