"""The wrong-order diamond: a node may hand its gradient on only when it has all of it."""

import pytest
from pytest import approx

from grader.autograd import plain_nodes, trusted, visit_order, walk

LATER = "The diamond is walked through your own closures, and + and × are not right yet."


def diamond(student, value):
    (a,) = student.leaves(a=value)
    b = a + 1
    c = a * 3
    return a, {"a": a, "b": b, "c": c, "d": b * c}


def test_diamond_order(student):
    """Walking the diamond at a = 2 in diamond_order gives a.grad = 15."""
    inner = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 6, "c": 3}})
    a = inner["a"]
    order = visit_order(student, "diamond_order", dict.fromkeys("bcd"), "a")
    walk([inner[name] for name in order], inner["d"])
    place = {name: i for i, name in enumerate(order)}
    for name in ("b", "c"):
        lost = place.get(name, 9) < place.get("d", 9)
        assert not lost or a.grad == approx(15.0), (
            f"`{name}` hands its gradient on before `d` has given it any: "
            f"the contribution to a through `{name}` is lost."
        )
    assert a.grad == approx(15.0)


def test_own_closures(student):
    """Walked through your own closures, the same order gives a.grad = 15."""
    assert trusted(student, "diamond_order"), LATER
    order = visit_order(student, "diamond_order", dict.fromkeys("bcd"), "a")
    a, nodes = diamond(student, 2.0)
    walk([nodes[name] for name in order], nodes["d"])
    assert a.grad == approx(15.0)


@pytest.mark.parametrize("first", ["b", "c"])
def test_what_is_lost(student, first):
    """lost_by_b_first and lost_by_c_first are what a.grad lacks when that node is visited too early."""
    answer = getattr(student, f"lost_by_{first}_first")
    if not trusted(student):
        pytest.skip("Your answers are compared with your own engine as soon as + and × pass.")
    a, nodes = diamond(student, 2.0)
    for node in nodes.values():
        node.grad = 0.0  # some engines begin with None, and a node that is called too early needs a number
    second = "c" if first == "b" else "b"
    walk([nodes[name] for name in (first, "d", second)], nodes["d"])
    assert answer == approx(15.0 - a.grad)
