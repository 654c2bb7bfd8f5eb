"""Every use adds its contribution, and a node hands on when it has them all."""

from pytest import approx

from grader.autograd import apart_from_sort, built, kept_graph, walkable


@apart_from_sort
def test_diamond_exchanged(student, rng):
    """The diamond with its children exchanged, at random numbers."""
    x, k = rng.uniform(1, 4), rng.uniform(2, 5)
    nodes = kept_graph(student, a={}, c={"a": k}, b={"a": 1.0}, d={"c": x + 1, "b": k * x})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "bca"] == approx([k * x, x + 1, 2 * k * x + k])


@apart_from_sort
def test_reuse_exchanged(student):
    """reuse with its children exchanged."""
    nodes = kept_graph(student, a={}, b={"a": 3.0}, c={"b": 1.0, "a": 1.0}, d={"c": 6.0, "b": 8.0})
    nodes["d"].backward()
    assert [nodes[name].grad for name in "cba"] == approx([6.0, 14.0, 48.0])


def deep(a):
    b = a * a
    c = b * b
    d = c * b + c
    return d * c + b


@apart_from_sort
def test_deep(student, rng):
    """deep at a random value, through + and ×: its root is a¹⁰ + a⁸ + a²."""
    x = rng.uniform(0.8, 1.2)
    slope = 10 * x**9 + 8 * x**7 + 2 * x
    edges = {
        "a": {},
        "b": {"a": 2 * x},
        "c": {"b": 2 * x**2},
        "d": {"b": x**4, "c": x**2 + 1},
        "e": {"b": 1.0, "c": x**6 + x**4, "d": x**4},
    }
    a, root = walkable(student, deep, x**10 + x**8 + x**2, [slope], edges, a=x)
    root.backward()
    assert a.grad == approx(slope)


@apart_from_sort
def test_deep_exchanged(student):
    """deep with its children exchanged."""
    edges = {
        "a": {},
        "b": {"a": 4.0},
        "c": {"b": 8.0},
        "d": {"b": 16.0, "c": 5.0},
        "e": {"b": 1.0, "c": 80.0, "d": 16.0},
    }
    nodes = kept_graph(student, **edges)
    nodes["e"].backward()
    assert [nodes[name].grad for name in "dcba"] == approx([16.0, 160.0, 1537.0, 6148.0])


@apart_from_sort
def test_doublings(student):
    """Twelve doublings, each node used twice by the next: the gradient is 4096."""
    if made := built(student, lambda a: a + a, 3.0, [2.0], a=1.5):
        a, node = made
        for _ in range(11):
            node = node + node
    else:  # without +: two nodes at each step
        edges = {"n0": {}}
        for i in range(12):
            edges |= {
                f"p{i}": {f"n{i}": 1.0},
                f"q{i}": {f"n{i}": 1.0},
                f"n{i + 1}": {f"p{i}": 1.0, f"q{i}": 1.0},
            }
        nodes = kept_graph(student, **edges)
        a, node = nodes["n0"], nodes["n12"]
    node.backward()
    assert a.grad == approx(4096.0)


@apart_from_sort
def test_equal_data(student, rng):
    """Nodes and leaves that hold equal numbers stay apart."""
    x = rng.uniform(2, 4)
    nodes = kept_graph(
        student, a={}, b={}, c={}, p={"a": x, "c": 1.0}, q={"b": 1.0, "c": x}, L={"p": 2.0, "q": 7.0}
    )
    nodes["L"].backward()
    assert [nodes[name].grad for name in "abcpq"] == approx([2 * x, 7.0, 2 + 7 * x, 2.0, 7.0])
