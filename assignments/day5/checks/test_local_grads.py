"""Every node keeps its children, and a local gradient for each of them."""

from pytest import approx

from grader.autograd import kept_pairs, kept_slopes
from grader.sandbox import kind_words


def holds_values(student, items):
    """True for a list or tuple of Values."""
    return (
        isinstance(items, list | tuple)
        and bool(items)
        and all(isinstance(item, student.Value) for item in items)
    )


def kept(student, node, **leaves):
    assert isinstance(node, student.Value), (
        f"The operation returned {kind_words(node)}, and not a Value. Look at its `return`."
    )
    assert not holds_values(student, node._local_grads), (
        "`_local_grads` holds Values, and it must hold numbers."
        if holds_values(student, node._children)
        else "`_local_grads` holds Values. Are children and local gradients exchanged? The children come first."
    )
    return kept_slopes(node, **leaves)


def test_sum(student):
    """The node a + b keeps 1 for each summand, and the leaves keep nothing."""
    a, b = student.leaves(a=2.0, b=0.0)
    total = a + b
    for leaf in (a, b):
        assert len(kept_pairs(leaf)) == 0, "A leaf was made from nothing, so it keeps no pair."
    assert kept(student, total, a=a, b=b) == approx([1.0, 1.0])


def test_product(student):
    """The node a * b keeps b's value for a, and a's value for b."""
    a, b = student.leaves(a=2.0, b=-3.0)
    assert kept(student, a * b, a=a, b=b) == approx([-3.0, 2.0])


def test_square(student):
    """The node a * a keeps a's value for each of the two uses of a: 10 in all at a = 5."""
    (a,) = student.leaves(a=5.0)
    assert kept(student, a * a, a=a) == approx([10.0])


def test_negative(student):
    """-a keeps -1."""
    (a,) = student.leaves(a=5.0)
    assert kept(student, -a, a=a) == approx([-1.0])


def test_difference(student):
    """The node a - b keeps 1 for a and -1 for b."""
    a, b = student.leaves(a=2.0, b=5.0)
    assert kept(student, a - b, a=a, b=b) == approx([1.0, -1.0])


def test_quotient(student):
    """At a = 3 and b = 2, a / b keeps 0.5 for a and -0.75 for b."""
    a, b = student.leaves(a=3.0, b=2.0)
    assert kept(student, a / b, a=a, b=b) == approx([0.5, -0.75])


def test_power(student):
    """a**3 keeps 12 at a = 2."""
    (a,) = student.leaves(a=2.0)
    assert kept(student, a**3, a=a) == approx([12.0])


def test_exp(student):
    """a.exp() keeps e to the power of a: 1.6487 at a = 0.5."""
    (a,) = student.leaves(a=0.5)
    assert kept(student, a.exp(), a=a) == approx([1.6487212707])


def test_tanh(student):
    """a.tanh() keeps 1 - tanh²: 0.7864 at a = 0.5."""
    (a,) = student.leaves(a=0.5)
    assert kept(student, a.tanh(), a=a) == approx([0.7864477330])


def test_relu(student):
    """a.relu() is a new node. It keeps 1 where a is positive and 0 where a is negative."""
    a, b, c = student.leaves(a=3.0, b=-2.0, c=80.0)
    assert a.relu() is not a, "`a.relu()` is a itself. Return a new Value, with a as its child."
    assert kept(student, a.relu(), a=a) == approx([1.0])
    assert kept(student, b.relu(), b=b) == approx([0.0])
    assert kept(student, c.relu(), c=c) == approx([1.0])


def test_number_minus(student):
    """1 - a keeps -1 for a."""
    (a,) = student.leaves(a=2.0)
    assert kept(student, 1 - a, a=a) == approx([-1.0])


def test_number_divided(student):
    """At a = 2, 8 / a keeps -2 for a. The numerator counts: 1 / a keeps -0.25."""
    (a,) = student.leaves(a=2.0)
    assert kept(student, 8 / a, a=a) == approx([-2.0])
