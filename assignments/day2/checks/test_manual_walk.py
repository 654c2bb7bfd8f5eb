"""A walk by hand: product_order takes the gradient from the root to every leaf."""

from grader.autograd import judge_order


def test_order(student):
    """Walked in product_order, d = a * b and L = d + c give every node its gradient."""
    inner = {"d": {"a": -5, "b": 4}, "L": {"d": 1, "c": 1}}
    judge_order(student, "product_order", {"a": {}, "b": {}, "c": {}, **inner})
