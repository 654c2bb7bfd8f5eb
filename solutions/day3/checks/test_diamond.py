"""The diamond: a gets both contributions, whatever the order of the children."""

from pytest import approx

from grader.autograd import plain_nodes


def test_random(student, rng):
    """Random slopes, both orders of the children."""
    k, m, p, q = (rng.uniform(2, 6) for _ in range(4))
    one = {"a": {}, "b": {"a": k}, "c": {"a": m}, "d": {"b": p, "c": q}}
    other = {"a": {}, "c": {"a": m}, "b": {"a": k}, "d": {"c": q, "b": p}}
    for edges in (one, other):
        graph = plain_nodes(student, edges)
        a = graph["a"]
        student.backward(graph["d"])
        assert a.grad == approx(p * k + q * m)
