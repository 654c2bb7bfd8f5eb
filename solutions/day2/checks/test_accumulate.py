"""+= and not =: a value that is used twice collects both contributions."""

from pytest import approx

from grader.autograd import skip_test


def call(root, upstream, *inputs):
    """Call the root's `_backward` after those inputs' gradients, if any, were set to 0."""
    for each in inputs:
        each.grad = 0.0
    root.grad = upstream
    root._backward()


def judge(student, walk, expected, apply, slopes, owner, **numbers):
    """Compare what `walk` gives leaves of these numbers, which it uses twice, with the expected gradients.

    Where the operation is not right for two different Values, whose slopes at 2 and -3 are given, that is a fault for the
    check `owner`: each use then gets a leaf of its own, and what these get together is expected.
    """
    leaves = dict(zip(numbers, student.leaves(**numbers), strict=True))
    walk({name: [leaf] * 3 for name, leaf in leaves.items()})
    with student.trial():  # asked in any case, so it is among the recorded requests
        x, y = student.leaves(x=2.0, y=-3.0)
        call(apply(x, y), 2.5, x, y)
        right = (x.grad, y.grad) == approx(tuple(2.5 * slope for slope in slopes))
        uses = {name: student.leaves(**{name + i: number for i in "123"}) for name, number in numbers.items()}
        walk(uses)
        apart = [sum(leaf.grad or 0.0 for leaf in use) for use in uses.values()]
    found = [leaf.grad for leaf in leaves.values()]
    is_wrong = found != approx(expected) and not right
    assert found == approx(apart if is_wrong else expected)
    if is_wrong:
        skip_test(f"This needs a rule that is right for two different Values: look at {owner} first.", owner)


SUM = (lambda x, y: x + y, (1.0, 1.0), "add_rule")
PRODUCT = (lambda x, y: x * y, (-3.0, 2.0), "swap_rule")


def row(apply, upstream):
    """A walk over (a · a) · a, where · is the operation."""

    def walk(leaves):
        first, second, third = leaves["a"]
        inner = apply(first, second)
        call(apply(inner, third), upstream, first, second, third, inner)
        inner._backward()

    return walk


def left_and_right(apply, upstream):
    """A walk over a · b and then over c · a, which has this upstream gradient."""

    def walk(leaves):
        a, b, c = leaves["a"], leaves["b"][0], leaves["c"][0]
        first, second = apply(a[0], b), apply(c, a[1])
        call(first, 1.0, *a, b, c)
        call(second, upstream)

    return walk


def test_three_times(student, rng):
    """(a + a) + a, at a random value and upstream gradient."""
    g = rng.uniform(1, 4)
    judge(student, row(SUM[0], g), [3 * g], *SUM, a=rng.uniform(1, 5))


def test_cube(student, rng):
    """(a * a) * a, at a random value."""
    x = rng.uniform(1, 3)
    judge(student, row(PRODUCT[0], 1.0), [3 * x * x], *PRODUCT, a=x)


def test_left_and_right(student, rng):
    """One leaf on the left of one product and on the right of another."""
    x, y, z = rng.uniform(1, 3), rng.uniform(4, 6), rng.uniform(-3, -1)
    judge(student, left_and_right(PRODUCT[0], 2.0), [y + 2 * z, x, 2 * x], *PRODUCT, a=x, b=y, c=z)


def test_sums_left_and_right(student, rng):
    """One leaf on the left of one sum and on the right of another."""
    numbers = {name: rng.uniform(-5, 5) for name in "abc"}
    judge(student, left_and_right(SUM[0], 2.5), [3.5, 1.0, 2.5], *SUM, **numbers)
