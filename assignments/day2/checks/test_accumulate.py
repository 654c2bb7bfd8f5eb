"""+= and not =: a value that is used twice collects both contributions."""

from pytest import approx

from grader.autograd import skip_test


def handed_on(root, a, b, before=(0.0, 0.0)):
    """The gradients of a and b after the root's `_backward`, with an upstream gradient of 1."""
    a.grad, b.grad = before
    root.grad = 1.0
    root._backward()
    return a.grad, b.grad


SUM = (lambda b, c: b + c, (1.0, 1.0), "add_rule")
PRODUCT = (lambda b, c: b * c, (-3.0, 2.0), "swap_rule")


def judge(student, arrived, expected, operation):
    """Compare with what two Values of the same number get together, if that is no more right than this.

    `operation` has the slopes of two Values, 2 and -3: a wrong rule alone is no fault of the second use, but one for the
    check `owner`.
    """
    apply, slopes, owner = operation
    with student.trial():  # asked in any case, so it is among the recorded requests
        b, c = student.leaves(b=2.0, c=-3.0)
        right = handed_on(apply(b, c), b, c) == approx(slopes)
        d, e = student.leaves(d=3.0, e=3.0)
        apart = handed_on(apply(d, e), d, e)
    is_wrong = arrived != approx(expected) and not right
    assert arrived == approx(sum(apart) if is_wrong else expected)
    if is_wrong:
        skip_test(f"This needs a rule that is right for two different Values: look at {owner} first.", owner)


def assert_kept(student, more, from_zero):
    """Compare what the gradients kept of the 10 and 20 that they held before."""
    kept = more[0] - from_zero[0], more[1] - from_zero[1]
    student.note("what a.grad and b.grad keep of it", kept)
    assert kept == approx((10.0, 20.0))


def test_a_plus_a(student):
    """In L = a + a, two contributions of 1 arrive at a, so a.grad is 2."""
    (a,) = student.leaves(a=3.0)
    L = a + a
    a.grad, L.grad = 0.0, 1.0
    L._backward()
    judge(student, a.grad, 2.0, SUM)


def test_a_times_a(student):
    """In L = a * a with a = 3, two contributions of 3 arrive at a, so a.grad is 6."""
    (a,) = student.leaves(a=3.0)
    L = a * a
    a.grad, L.grad = 0.0, 1.0
    L._backward()
    judge(student, a.grad, 6.0, PRODUCT)


def test_sum_adds_to_what_is_there(student):
    """In L = a + b, what a.grad and b.grad held before stays in them: 10 and 20 more before, 10 and 20 more after."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a + b
    from_zero = handed_on(L, a, b)
    assert from_zero != approx((0.0, 0.0)), "L._backward() leaves a.grad and b.grad as they were."
    more = handed_on(L, a, b, before=(10.0, 20.0))
    assert_kept(student, more, from_zero)


def test_product_adds_to_what_is_there(student):
    """In L = a * b, what a.grad and b.grad held before stays in them: 10 and 20 more before, 10 and 20 more after."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    from_zero = handed_on(L, a, b)
    assert from_zero != approx((0.0, 0.0)), "L._backward() leaves a.grad and b.grad as they were."
    more = handed_on(L, a, b, before=(10.0, 20.0))
    assert_kept(student, more, from_zero)
